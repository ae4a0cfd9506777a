//! The current time, as a value and as a signal that ticks.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::Timestamp;

/// The current time.
pub fn now() -> Timestamp {
    // A whole positive number, far below 2⁵³.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
    let now = js_sys::Date::now() as u64;
    now
}

/// A signal of the current time. It is updated every `every` while `running` is true.
pub fn ticking(running: Memo<bool>, every: Duration) -> ReadSignal<Timestamp> {
    let (time, set_time) = signal(now());
    Effect::new(move |_| {
        if !running.get() {
            return;
        }
        set_time.set(now());
        if let Ok(interval) = set_interval_with_handle(move || set_time.set(now()), every) {
            on_cleanup(move || interval.clear());
        }
    });
    time
}

/// The user's local date, such as `2026-11-22`.
pub fn today() -> String {
    let now = js_sys::Date::new_0();
    format!("{}-{:02}-{:02}", now.get_full_year(), now.get_month() + 1, now.get_date())
}
