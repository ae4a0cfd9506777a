//! The alarm that starts the worker that carries unfinished turns on ([`sidecar_session::unfinished`]).
//!
//! The alarm is one for both workers. That of private windows leaves it alone: its conversations are in its memory only,
//! and end with it.

use sidecar_chrome::alarms;
use sidecar_chrome::extension::is_private;
use sidecar_session::unfinished::Alarm;

use crate::browser::ThisBrowser;

const NAME: &str = "unfinished";

/// How often it goes off, in minutes: Chrome's shortest.
const PERIOD: f64 = 0.5;

impl Alarm for ThisBrowser {
    async fn set(&self) {
        if !is_private() {
            let _ = alarms::repeat(NAME, PERIOD).await;
        }
    }

    async fn clear(&self) {
        if !is_private() {
            let _ = alarms::clear(NAME).await;
        }
    }
}
