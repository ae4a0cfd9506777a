//! The link: panel ↔ worker, over one `chrome.runtime` port for each open panel. Each message is a JSON
//! text.
//!
//! A panel sends [`Request`]s. Each is answered by one or more [`Reply`]s with its id; the last one says so
//! (`more: false`). Changes that no request asked for come as [`PanelEvent`]s. Commands, answers and events
//! are grouped by domain, each in a module below.
//!
//! Enums are externally tagged, serde's default: `{"chat":{"send":{"text":"…"}}}`. With a tag beside the
//! members, serde has to buffer them before it can read any, in code that makes the panel's module a tenth
//! larger.

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub mod calls;
pub mod chat;
pub mod evals;
pub mod page;
pub mod policies;
pub mod runs;
pub mod settings;
pub mod skills;
pub mod threads;
pub mod turn;

pub use calls::{CallsAnswer, CallsCommand, CallsEvent};
pub use chat::{ChatAnswer, ChatCommand, ChatEvent, ContextUsage, QueuedMessage, ThreadView};
pub use evals::{EvalsAnswer, EvalsCommand, EvalsEvent};
pub use page::{OpenTab, PageAnswer, PageCommand, PageEvent};
pub use policies::{PoliciesCommand, PoliciesEvent};
pub use runs::{RunsAnswer, RunsCommand};
pub use settings::{SettingsAnswer, SettingsCommand, SettingsEvent};
pub use skills::{SkillsAnswer, SkillsCommand, SkillsEvent};
pub use threads::{ThreadsAnswer, ThreadsCommand, ThreadsEvent};
pub use turn::{Control, PendingApproval, TurnControl};

use crate::error::StorageTrouble;
use crate::ids::{TabId, WindowId};
use crate::page_view::PageView;
use crate::saved::SavedName;
use crate::settings::SettingsView;

/// Name of the port that a panel opens.
pub const PORT_NAME: &str = "panel";

/// Name of the port that a workbench opens. To the worker it is a panel that is bound to a tab.
pub const WORKBENCH_PORT_NAME: &str = "workbench";

/// Names a request on its port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u32);

/// panel → worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Repeated in its replies.
    pub id: RequestId,
    /// What is asked for.
    pub body: Command,
}

/// The first request of a panel. Only *hello* can be read as one: a worker that has just started then needs no reader
/// of all requests.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FirstRequest {
    id: RequestId,
    body: Introduction,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Introduction {
    Hello(Hello),
}

impl From<FirstRequest> for Request {
    fn from(FirstRequest { id, body: Introduction::Hello(hello) }: FirstRequest) -> Self {
        Self { id, body: Command::Hello(hello) }
    }
}

/// What a panel asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Command {
    /// The first request on a port; answered by [`Answer::Welcome`].
    Hello(Hello),
    /// See [`chat`].
    Chat(ChatCommand),
    /// See [`turn`].
    Turn(TurnControl),
    /// See [`threads`].
    Threads(ThreadsCommand),
    /// See [`page`].
    Page(PageCommand),
    /// See [`policies`].
    Policies(PoliciesCommand),
    /// See [`settings`].
    Settings(SettingsCommand),
    /// See [`calls`].
    Calls(CallsCommand),
    /// See [`runs`].
    Runs(RunsCommand),
    /// See [`evals`].
    Evals(EvalsCommand),
    /// See [`skills`].
    Skills(SkillsCommand),
}

/// The commands of one domain, with what answers them.
pub trait Domain {
    /// The domain's answers.
    type Answer;

    /// The command as the body of a request.
    fn command(self) -> Command;

    /// The domain's own answer; `None` for one that carries nothing but success.
    fn answer(answer: Answer) -> Option<Self::Answer>;
}

/// Introduces a panel to the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// [`crate::PROTOCOL_VERSION`].
    pub version: u32,
    /// The window whose panel this is.
    pub window_id: WindowId,
    /// The tab to which this page is bound, of a workbench; absent for a panel, which shows its window's active tab. A tab
    /// that does not exist is a page without tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The browser's interface language (BCP 47).
    pub browser_language: String,
}

/// Everything a panel needs to show its first screen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// [`crate::PROTOCOL_VERSION`].
    pub version: u32,
    /// The saved settings.
    pub settings: SettingsView,
    /// The active tab of the panel's window.
    pub page: PageView,
    /// The open thread of this window, if any.
    pub thread: Option<ThreadView>,
}

/// worker → panel.
#[allow(
    clippy::large_enum_variant,
    reason = "each message is written to JSON where it is made and never kept"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WorkerMessage {
    /// Answers a request.
    Reply(Reply),
    /// Reports a change.
    Event(PanelEvent),
}

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The id of the request.
    pub id: RequestId,
    /// The result.
    pub result: Result<Answer, Refusal>,
    /// Whether further replies follow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// The reply to a panel's first request, written as a [`Reply`] is: a worker that has just started then needs no writer of
/// all answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FirstReply<'a> {
    id: RequestId,
    result: Greeted<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
enum Greeted<'a> {
    Ok(Greeting<'a>),
    Err(&'a Refusal),
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Greeting<'a> {
    Welcome(&'a Welcome),
}

impl<'a> FirstReply<'a> {
    /// The reply to the request of this id.
    #[must_use]
    pub fn new(id: RequestId, welcome: &'a Welcome) -> Self {
        Self { id, result: Greeted::Ok(Greeting::Welcome(welcome)) }
    }

    /// The reply that refuses it.
    #[must_use]
    pub fn refusal(id: RequestId, why: &'a Refusal) -> Self {
        Self { id, result: Greeted::Err(why) }
    }
}

/// The result of a request.
#[allow(
    clippy::large_enum_variant,
    reason = "each answer is written to JSON where it is made and never kept"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// The request is done, or all of its answers have been sent.
    Done,
    /// Answers [`Command::Hello`].
    Welcome(Box<Welcome>),
    /// See [`chat`].
    Chat(ChatAnswer),
    /// See [`threads`].
    Threads(ThreadsAnswer),
    /// See [`page`].
    Page(PageAnswer),
    /// See [`settings`].
    Settings(SettingsAnswer),
    /// See [`calls`].
    Calls(CallsAnswer),
    /// See [`runs`].
    Runs(RunsAnswer),
    /// See [`evals`]: an [`EvalsAnswer`] as JSON, which only workbenches read.
    Evals(Value),
    /// See [`skills`].
    Skills(SkillsAnswer),
}

/// A change that no request asked for.
#[allow(clippy::large_enum_variant, reason = "each event is written to JSON where it is made and never kept")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PanelEvent {
    /// See [`chat`].
    Chat(ChatEvent),
    /// See [`threads`].
    Threads(ThreadsEvent),
    /// See [`page`].
    Page(PageEvent),
    /// See [`policies`].
    Policies(PoliciesEvent),
    /// See [`settings`].
    Settings(SettingsEvent),
    /// See [`calls`].
    Calls(CallsEvent),
    /// See [`evals`]: an [`EvalsEvent`] as JSON, which only workbenches read.
    Evals(Value),
    /// See [`skills`].
    Skills(SkillsEvent),
    /// All calls that wait for the user's decision, in all threads. Sent after [`Welcome`], and whenever
    /// they change.
    Approvals(Vec<PendingApproval>),
    /// Something failed that no request had asked for.
    Trouble(Refusal),
}

/// Why something was not done; nothing was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Refusal {
    /// A turn runs in this thread, and its queue is full.
    Busy,
    /// The message is empty or too long.
    BadMessage,
    /// A setting is out of range.
    BadSetting {
        /// Its name in [`crate::settings::Settings`], dotted: `limits.toolCalls`.
        field: String,
    },
    /// No such thread.
    NoThread,
    /// A newer version of the extension wrote the thread. It was left as it is.
    NewerThread,
    /// The thread's log is damaged. It was left as it is.
    DamagedThread,
    /// The database or the settings could not be read or written.
    Storage {
        /// The browser's own message.
        message: String,
        /// The kind of problem, as far as that message tells.
        #[serde(default)]
        trouble: StorageTrouble,
    },
    /// The thread has its maximum of pictures.
    ManyPictures,
    /// The thread has its maximum of pinned tabs.
    ManyTabs,
    /// A decision about a tool or a site was not saved: there are too many, or the page has an opaque
    /// origin.
    NotKept,
    /// A change was not saved, because the value on disk cannot be read and is never overwritten. A queued
    /// message was not accepted, and nothing about SKILLs was changed; any other change holds as long as the worker lives.
    Unread {
        /// The value.
        value: SavedName,
    },
    /// A SKILL was not installed, or not changed: it is gone, or the files that were read are.
    NoSkill,
    /// There are too many SKILLs.
    ManySkills,
    /// A SKILL of this name ships. Only one that the user made can take its place.
    SkillShips,
    /// No such eval.
    NoEval,
    /// Another eval is being run.
    EvalRunning,
    /// No eval is run in a private window, because its report would be kept.
    PrivateEval,
    /// The open temporary thread is gone: its worker ended, and it was never saved.
    TemporaryOver,
    /// Panel and worker are of different versions: the panel has to be reopened.
    Version,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_request_reads_what_a_panel_sends_first_and_nothing_else() {
        let hello =
            Hello { version: 7, window_id: WindowId(3), tab_id: None, browser_language: "zh-CN".to_owned() };
        let request = Request { id: RequestId(1), body: Command::Hello(hello) };
        let text = serde_json::to_string(&request).unwrap();
        let first: FirstRequest = serde_json::from_str(&text).unwrap();
        assert_eq!(Request::from(first), request);
        let other = r#"{"id":2,"body":{"chat":{"send":{"text":"hello"}}}}"#;
        assert!(serde_json::from_str::<Request>(other).is_ok());
        assert!(serde_json::from_str::<FirstRequest>(other).is_err());
    }

    #[test]
    fn first_reply_is_written_as_every_reply_is() {
        let welcome = Welcome {
            version: 7,
            settings: SettingsView::default(),
            page: PageView::default(),
            thread: None,
        };
        let first = serde_json::to_string(&FirstReply::new(RequestId(1), &welcome)).unwrap();
        let reply = |result| serde_json::to_string(&Reply { id: RequestId(1), result, more: false }).unwrap();
        assert_eq!(first, reply(Ok(Answer::Welcome(Box::new(welcome)))));
        let refused = serde_json::to_string(&FirstReply::refusal(RequestId(1), &Refusal::Version)).unwrap();
        assert_eq!(refused, reply(Err(Refusal::Version)));
    }
}
