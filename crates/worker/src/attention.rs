//! Calling the user: a sign on the toolbar icon while a call asks, and a notification of the system where no open panel
//! shows it ([`sidecar_session::attention`]).

use sidecar_chrome::{action, i18n, notifications};
use sidecar_protocol::link::PendingApproval;
use sidecar_session::attention::Asking;
use sidecar_session::tabs::ASKS;
use wasm_bindgen_futures::spawn_local;

/// The badge's background and text: as usual, and while something asks. 4.5:1 each.
const USUAL_COLORS: (&str, &str) = ("#0b7a75", "#ffffff");
const ASKING_COLORS: (&str, &str) = ("#8a4b00", "#ffffff");

/// Of the notification, in the extension.
const ICON: &str = "icons/128.png";

/// Gives the icon its colours, and its sign in tabs that have no number of their own.
pub fn paint(is_wanted: bool) {
    let (background, text) = if is_wanted { ASKING_COLORS } else { USUAL_COLORS };
    let sign = if is_wanted { ASKS } else { "" };
    spawn_local(async move {
        // Without colours it is still a sign, and without a sign there is still the panel.
        let _ = action::set_badge_colors(background, text).await;
        let _ = action::set_badge_text(None, sign).await;
    });
}

/// Shows the notification of a call that asks.
pub fn notify(asking: &Asking) {
    let Some(id) = asking.notification() else { return };
    let PendingApproval { tool, site, question, .. } = &asking.approval;
    let (title, text) = match question {
        Some(question) => (i18n::message("question_title", &[]), question.clone()),
        None => (i18n::message("asks_title", &[tool, site]), i18n::message("asks_message", &[])),
    };
    notifications::show(&id, ICON, &title, &text);
}

/// Takes notifications away.
pub fn take_away(notifications: &[String]) {
    notifications.iter().for_each(|id| notifications::clear(id));
}
