//! Gets the user's attention when a call waits for a decision: a badge on the toolbar icon, and a system
//! notification if no open panel shows the call ([`sidecar_session::attention`]).

use sidecar_chrome::{action, i18n, notifications};
use sidecar_protocol::link::PendingApproval;
use sidecar_session::attention::Asking;
use sidecar_session::tabs::ASKS;
use wasm_bindgen_futures::spawn_local;

/// Background and text colours of the badge: normally, and while a call waits for a decision. Contrast 4.5:1
/// each.
const USUAL_COLORS: (&str, &str) = ("#0b7a75", "#ffffff");
const ASKING_COLORS: (&str, &str) = ("#8a4b00", "#ffffff");

/// The notification's icon; path in the extension.
const ICON: &str = "icons/128.png";

/// Sets the badge's colours, and its text in tabs without a text of their own.
pub fn paint(is_wanted: bool) {
    let (background, text) = if is_wanted { ASKING_COLORS } else { USUAL_COLORS };
    let sign = if is_wanted { ASKS } else { "" };
    spawn_local(async move {
        // Failures are ignored: the badge is legible without its colours, and the panel shows the call
        // without the badge.
        let _ = action::set_badge_colors(background, text).await;
        let _ = action::set_badge_text(None, sign).await;
    });
}

/// Shows the notification for a call that waits for a decision.
pub fn notify(asking: &Asking) {
    let Some(id) = asking.notification() else { return };
    let PendingApproval { tool, site, question, .. } = &asking.approval;
    let (title, text) = match question {
        Some(question) => (i18n::message("question_title", &[]), question.clone()),
        None => (i18n::message("asks_title", &[tool, site]), i18n::message("asks_message", &[])),
    };
    notifications::show(&id, ICON, &title, &text);
}

/// Clears notifications, by id.
pub fn take_away(notifications: &[String]) {
    notifications.iter().for_each(|id| notifications::clear(id));
}
