//! Calling the user: a sign on the toolbar icon while a call asks, and a notification of the system where no open panel
//! shows it.

use sidecar_chrome::{action, i18n, notifications};
use sidecar_protocol::{CallId, TabId, ThreadId};
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
    /// In which conversation.
    pub thread: ThreadId,
    /// Which call.
    pub call: CallId,
    /// Its tool's name.
    pub tool: String,
    /// Host of its page.
    pub site: String,
    /// What the user is asked, where it is the agent's own question.
    pub question: Option<String>,
    /// The tab it is about.
    pub tab: TabId,
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

    /// Takes note of the calls that ask now, and of the conversations that open panels show. Says whether the icon is to
    /// change.
    pub fn take(&mut self, asking: Vec<Asking>, shown: &[ThreadId]) -> bool {
        if asking == self.asking {
            return false;
        }
        asking
            .iter()
            .filter(|one| !self.asking.contains(one) && !shown.contains(&one.thread))
            .for_each(Asking::notify);
        self.asking.iter().filter(|one| !asking.contains(one)).for_each(Asking::take_notice_away);
        let was_wanted = self.is_wanted();
        self.asking = asking;
        was_wanted != self.is_wanted()
    }

    /// A panel shows this conversation: it says itself what asks there.
    pub fn is_seen(&self, thread: &ThreadId) {
        self.asking.iter().filter(|one| one.thread == *thread).for_each(Asking::take_notice_away);
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
        let (title, text) = match &self.question {
            Some(question) => (i18n::message("question_title", &[]), question.clone()),
            None => {
                (i18n::message("asks_title", &[&self.tool, &self.site]), i18n::message("asks_message", &[]))
            }
        };
        notifications::show(&self.notification(), ICON, &title, &text);
    }

    fn take_notice_away(&self) {
        notifications::clear(&self.notification());
    }

    /// The id of its notification. The tab stands in front, so that a click needs no memory: the worker that hears it may
    /// be another one.
    fn notification(&self) -> String {
        format!("{} {}", self.tab.0, self.call)
    }
}

/// The tab of a notification that was clicked.
pub fn tab_of(notification: &str) -> Option<TabId> {
    notification.split(' ').next()?.parse().ok().map(TabId)
}
