//! Time as the panel shows it pass.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::Timestamp;

/// Now.
pub fn now() -> Timestamp {
    // Whole and positive, far below 2⁵³.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
    let now = js_sys::Date::now() as u64;
    now
}

/// The time, which moves only while something is running.
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

/// `2026-11-22`, as the user counts days.
pub fn today() -> String {
    let now = js_sys::Date::new_0();
    format!("{}-{:02}-{:02}", now.get_full_year(), now.get_month() + 1, now.get_date())
}
