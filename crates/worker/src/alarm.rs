//! The alarm that starts a worker to continue unfinished turns ([`sidecar_session::unfinished`]).
//!
//! Both workers share one alarm. The worker of private windows does not touch it: its threads exist only in
//! its memory and end with it.

use sidecar_chrome::alarms;
use sidecar_chrome::extension::is_private;
use sidecar_session::unfinished::Alarm;

use crate::browser::ThisBrowser;

const NAME: &str = "unfinished";

/// Period in minutes; the shortest that Chrome allows.
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
