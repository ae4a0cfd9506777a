//! Calling the user: a sign on the toolbar icon while a call asks, and a notification of the system where no open panel
//! shows it.

use sidecar_chrome::{action, i18n, notifications};
use sidecar_protocol::link::PendingApproval;
use sidecar_protocol::{TabId, ThreadId};
use wasm_bindgen_futures::spawn_local;

/// What the icon says while something asks.
pub const ASKS: &str = "?";

/// The badge's background and text: as usual, and while something asks. 4.5:1 each.
const USUAL_COLORS: (&str, &str) = ("#0b7a75", "#ffffff");
const ASKING_COLORS: (&str, &str) = ("#8a4b00", "#ffffff");

/// Of the notification, in the extension.
const ICON: &str = "icons/128.png";

/// A call that asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// As panels show it.
    pub approval: PendingApproval,
    /// The tab it is about, if any.
    pub tab: Option<TabId>,
}

/// What the user's attention is called to.
#[derive(Debug, Default)]
pub struct Attention {
    asking: Vec<Asking>,
}

impl Attention {
    /// Whether something asks.
    pub fn is_wanted(&self) -> bool {
        !self.asking.is_empty()
    }

    /// The calls that ask.
    pub fn approvals(&self) -> Vec<PendingApproval> {
        self.asking.iter().map(|one| one.approval.clone()).collect()
    }

    /// Takes note of the calls that ask now. Says whether they are others than before. Where notices are shown, the user
    /// gets one of each that is new and that no open panel shows.
    pub fn take(&mut self, asking: Vec<Asking>, shown: &[ThreadId], has_notices: bool) -> bool {
        if asking == self.asking {
            return false;
        }
        if has_notices {
            let has = |all: &[Asking], one: &Asking| {
                all.iter().any(|other| other.approval.call_id == one.approval.call_id)
            };
            let is_new = |one: &&Asking| !has(&self.asking, one) && !shown.contains(&one.approval.thread_id);
            asking.iter().filter(is_new).for_each(Asking::notify);
            self.asking.iter().filter(|one| !has(&asking, one)).for_each(Asking::take_notice_away);
        }
        self.asking = asking;
        true
    }

    /// A panel shows this conversation: it says itself what asks there.
    pub fn is_seen(&self, thread: &ThreadId) {
        self.asking.iter().filter(|one| one.approval.thread_id == *thread).for_each(Asking::take_notice_away);
    }

    /// Gives the icon its colours, and its sign in tabs that have no number of their own.
    pub fn paint(&self) {
        let (background, text) = if self.is_wanted() { ASKING_COLORS } else { USUAL_COLORS };
        let sign = if self.is_wanted() { ASKS } else { "" };
        spawn_local(async move {
            // Without colours it is still a sign, and without a sign there is still the panel.
            let _ = action::set_badge_colors(background, text).await;
            let _ = action::set_badge_text(None, sign).await;
        });
    }
}

impl Asking {
    fn notify(&self) {
        let Some(id) = self.notification() else { return };
        let PendingApproval { tool, site, question, .. } = &self.approval;
        let (title, text) = match question {
            Some(question) => (i18n::message("question_title", &[]), question.clone()),
            None => (i18n::message("asks_title", &[tool, site]), i18n::message("asks_message", &[])),
        };
        notifications::show(&id, ICON, &title, &text);
    }

    fn take_notice_away(&self) {
        if let Some(id) = self.notification() {
            notifications::clear(&id);
        }
    }

    /// The id of its notification. The tab stands in front, so that a click needs no memory: the worker that hears it may
    /// be another one.
    fn notification(&self) -> Option<String> {
        Some(format!("{} {}", self.tab?.0, self.approval.call_id))
    }
}

/// The tab of a notification that was clicked.
pub fn tab_of(notification: &str) -> Option<TabId> {
    notification.split(' ').next()?.parse().ok().map(TabId)
}
