//! The link: panel ↔ worker, over one `chrome.runtime` port for each open panel. Each message is a JSON text.
//!
//! A panel sends [`Request`]s; each is answered by [`Reply`]s with its id, the last of which says that it is. What changes
//! without being asked for comes as an [`PanelEvent`]. Commands, answers and events stand by domain, each in a module below.
//!
//! Enums stand in it as serde writes them by itself, `{"chat":{"send":{"text":"…"}}}`: a tag beside the members would have
//! to be searched for before anything can be read, in code that makes the panel's module a tenth larger.

use serde::{Deserialize, Serialize};

pub mod calls;
pub mod chat;
pub mod page;
pub mod policies;
pub mod settings;
pub mod threads;
pub mod turn;

pub use calls::{CallsAnswer, CallsCommand, CallsEvent};
pub use chat::{ChatAnswer, ChatCommand, ChatEvent, ContextUsage, QueuedMessage, ThreadView};
pub use page::{PageAnswer, PageCommand, PageEvent};
pub use policies::{PoliciesCommand, PoliciesEvent};
pub use settings::{SettingsAnswer, SettingsCommand, SettingsEvent};
pub use threads::{ThreadsAnswer, ThreadsCommand, ThreadsEvent};
pub use turn::{Control, PendingApproval, TurnControl};

use crate::error::StorageTrouble;
use crate::ids::WindowId;
use crate::page_view::PageView;
use crate::saved::SavedName;
use crate::settings::SettingsView;
use crate::thread::ThreadSummary;

/// Name of the port that a panel opens.
pub const PORT_NAME: &str = "panel";

/// Names a request on its port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u32);

/// panel → worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Names it in its replies.
    pub id: RequestId,
    /// What is asked for.
    pub body: Command,
}

/// What a panel asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Command {
    /// The first on a port; answered by [`Answer::Welcome`].
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
}

/// The commands of one domain, with what answers them.
pub trait Domain {
    /// What answers them.
    type Answer;

    /// As it stands in a request.
    fn command(self) -> Command;

    /// The domain's own answer; `None` for one that only says that it was done.
    fn answer(answer: Answer) -> Option<Self::Answer>;
}

/// Who a panel is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// [`crate::PROTOCOL_VERSION`].
    pub version: u32,
    /// The window whose panel this is.
    pub window_id: WindowId,
    /// The browser's interface language (BCP 47).
    pub browser_language: String,
}

/// Everything a panel needs to show its first screen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// [`crate::PROTOCOL_VERSION`].
    pub version: u32,
    /// As saved.
    pub settings: SettingsView,
    /// The active tab of the panel's window.
    pub page: PageView,
    /// The open thread of this window, if any.
    pub thread: Option<ThreadView>,
    /// The newest few earlier threads, newest first.
    pub recent: Vec<ThreadSummary>,
}

/// worker → panel.
#[allow(
    clippy::large_enum_variant,
    reason = "each message is written to JSON where it is made and never kept"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WorkerMessage {
    /// Something was asked for.
    Reply(Reply),
    /// Something changed.
    Event(PanelEvent),
}

/// Answers a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Which request.
    pub id: RequestId,
    /// What came of it.
    pub result: Result<Answer, Refusal>,
    /// Whether further replies follow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// What a panel asked for.
#[allow(
    clippy::large_enum_variant,
    reason = "each answer is written to JSON where it is made and never kept"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// It was done; or, after answers that said more, it is over.
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
}

/// What changed.
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
    /// The calls that wait for the user's decision, in all threads: after [`Welcome`], and when they changed.
    Approvals(Vec<PendingApproval>),
    /// Something that no request asked for could not be done.
    Trouble(Refusal),
}

/// Why something was not done; nothing was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Refusal {
    /// A turn runs in this thread, and no more messages may wait for its end.
    Busy,
    /// The message is empty or too long.
    BadMessage,
    /// A setting is out of range.
    BadSetting {
        /// Its name as in [`crate::settings::Settings`], dotted: `limits.toolCalls`.
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
        /// The browser's words.
        message: String,
        /// What is the matter, as far as the browser's words tell.
        #[serde(default)]
        trouble: StorageTrouble,
    },
    /// No more tabs can stay with the thread.
    ManyTabs,
    /// What was said of a tool or a site is not kept: there are too many, or the page has no origin of its own.
    NotKept,
    /// A change was not saved, since nothing of the value on disk can be read, and nothing is written over it. A message was
    /// not taken; any other change holds as long as the worker lives.
    Unread {
        /// The value.
        value: SavedName,
    },
    /// The temporary thread that was open is over: its worker ended, and it was kept nowhere.
    TemporaryOver,
    /// Panel and worker are of different versions: reopen the panel.
    Version,
}
