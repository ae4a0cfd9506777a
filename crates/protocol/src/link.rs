//! The link: panel ↔ worker, over one `chrome.runtime` port for each open panel. Each message is a JSON text.
//!
//! Enums stand in it as serde writes them by itself, `{"itemGone":{"id":"…"}}`: a tag beside the members would have to be
//! searched for before anything can be read, in code that makes the panel's module a tenth larger.

use serde::{Deserialize, Serialize};

use crate::attachment::{Attachment, Extract, NotRead};
use crate::audit::{CallFilter, CallPage};
use crate::error::ModelError;
use crate::history::{ExportForm, Found, ImportOutcome};
use crate::ids::{CallId, ItemId, TabId, ThreadId, TurnId, WindowId};
use crate::policy::{Grant, HiddenSite, Policy, PolicyKey};
use crate::saved::{SavedName, UnreadValue};
use crate::settings::{ModelInfo, ProviderId, Settings, SettingsView};
use crate::thread::{Activity, Item, ThreadSummary, Without};
use crate::tool::{Risk, Source};
use crate::trial::Trial;

/// Name of the port that a panel opens.
pub const PORT_NAME: &str = "panel";

/// Items in a page of a thread.
pub const PAGE_SIZE: usize = 100;

/// Longest message of a user, in characters.
pub const MESSAGE_LIMIT: usize = 100_000;

/// panel → worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PanelCommand {
    /// The first message on a port; answered by [`WorkerEvent::Welcome`].
    Hello {
        /// [`crate::PROTOCOL_VERSION`].
        version: u32,
        /// The window whose panel this is.
        window_id: WindowId,
        /// The browser's interface language (BCP 47).
        browser_language: String,
    },
    /// The user said something. Begins a thread when none is open; waits where a turn runs in the open one.
    Send {
        /// At most [`MESSAGE_LIMIT`] characters.
        text: String,
        /// Texts of pages that go with it; [`crate::attachment::is_sound`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
    },
    /// Read text of the page that is shown; answered by [`WorkerEvent::PageRead`].
    ReadPage {
        /// Which part.
        what: Extract,
    },
    /// Say the first message that waits in the open thread now.
    SendQueued,
    /// Take back a message that waits; answered by [`WorkerEvent::Unqueued`] if it still does.
    Unqueue {
        /// As [`QueuedMessage`] names it.
        id: TurnId,
    },
    /// Stop the turn that runs in the open thread.
    Stop,
    /// Take up the open thread's paused or failed turn.
    Continue {
        /// What is left out of what the model is told from now on.
        without: Option<Without>,
    },
    /// Put other words in the place of earlier ones: the thread goes on from there, and what came of the earlier ones is
    /// kept as another version.
    Edit {
        /// The item of the earlier words.
        item: ItemId,
        /// At most [`MESSAGE_LIMIT`] characters.
        text: String,
        /// Texts of pages that go with them; [`crate::attachment::is_sound`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
    },
    /// Have the model answer once more. What its tools did and gave stays; the answer so far is kept as another version.
    AnswerAgain,
    /// Show another version of the open thread, and go on from it.
    TakeVersion {
        /// As [`crate::thread::ItemKind::Versions`] names it.
        version: u64,
    },
    /// Tell the model of the open thread again what it is not told for want of room, and make no room unasked any more.
    UndoCompaction,
    /// Decide about a call that asks.
    Decide {
        /// Which call.
        call_id: CallId,
        /// What the user said.
        decision: Decision,
        /// The arguments that the user changed, by name (JSON text of an object). The others stay as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edits: Option<String>,
        /// What the model is told with a refusal, or the answer to a question; at most
        /// [`crate::policy::Approval::MOST_WORDS`] characters count.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        words: String,
        /// Whether the tool is allowed from now on, too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        allow: bool,
        /// Whether data may go from the other site to the call's own from now on in this thread, too
        /// ([`crate::policy::Why::Flow`]).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        allow_flow: bool,
    },
    /// Say what is to hold for a tool of the page that is shown, or, without a policy, that the mode decides; the latter
    /// for any tool. Changed grants go to all panels ([`WorkerEvent::Grants`]).
    SetPolicy {
        /// Which tool.
        key: PolicyKey,
        /// What.
        policy: Option<Policy>,
    },
    /// Call off the guard of the open thread ([`crate::thread::ItemKind::Guard`]).
    LiftGuard,
    /// Give a policy again that was taken back less than a minute ago.
    RestorePolicy {
        /// Of which tool.
        key: PolicyKey,
    },
    /// Hide a site from the agent, or do not: its tools are not offered, and its text is not read. Hidden sites go to all
    /// panels ([`WorkerEvent::Grants`]).
    HideSite {
        /// Origin of its documents.
        origin: String,
        /// Whether to.
        hidden: bool,
    },
    /// Give up what of a value on disk cannot be read ([`WorkerEvent::Unread`]).
    GiveUpUnread {
        /// Which value.
        value: SavedName,
    },
    /// Leave the open thread and show an empty one.
    NewThread,
    /// Leave the open thread and begin one that is kept nowhere.
    NewTemporary,
    /// Open a thread of the list.
    OpenThread {
        /// Which.
        thread_id: ThreadId,
    },
    /// Send the page of items before this one.
    LoadOlder {
        /// `seq` of the oldest item the panel has.
        before: u64,
    },
    /// Send the list of threads, newest first.
    ListThreads,
    /// Look for threads in which a text stands; answered by [`WorkerEvent::Found`], piece by piece. A later one calls off
    /// the one before.
    Search {
        /// Names the question in its answers.
        number: u32,
        /// At most [`crate::history::QUERY_LIMIT`] characters; empty calls off the one before.
        text: String,
    },
    /// Give a thread a name.
    RenameThread {
        /// Which.
        thread_id: ThreadId,
        /// At most [`crate::history::TITLE_LIMIT`] characters; not empty.
        title: String,
    },
    /// Keep a thread at the top of the list, or do not.
    PinThread {
        /// Which.
        thread_id: ThreadId,
        /// Whether to.
        pinned: bool,
    },
    /// Delete a thread. It can be brought back for [`crate::history::UNDO_MS`].
    DeleteThread {
        /// Which.
        thread_id: ThreadId,
    },
    /// Bring back a thread that was just deleted.
    RestoreThread {
        /// Which.
        thread_id: ThreadId,
    },
    /// Write out a thread, or all of them; answered by [`WorkerEvent::Exported`], piece by piece.
    ExportThreads {
        /// Which; all when absent.
        thread_id: Option<ThreadId>,
        /// As what.
        form: ExportForm,
    },
    /// Take in threads that were written out as JSON; answered by [`WorkerEvent::Imported`] after the last piece.
    ImportThreads {
        /// The next piece of the text, at most [`crate::history::PIECE_LIMIT`] characters.
        text: String,
        /// Whether there are further pieces.
        more: bool,
    },
    /// Send a page of the log of calls; answered by [`WorkerEvent::Calls`].
    ListCalls {
        /// Which calls.
        filter: CallFilter,
        /// Only those before this place; the newest when absent.
        before: Option<u64>,
    },
    /// Write out the log of calls as JSON Lines; answered by [`WorkerEvent::Exported`], piece by piece.
    ExportCalls {
        /// Which calls.
        filter: CallFilter,
    },
    /// Forget the log of calls.
    ClearCalls,
    /// Replace the settings. Values out of range are refused and nothing is changed.
    SaveSettings {
        /// All of them.
        settings: Box<Settings>,
    },
    /// Save a key for a provider, for the address it has now. It never comes back.
    SaveKey {
        /// Whose.
        provider: ProviderId,
        /// The key; empty forgets the saved one.
        key: String,
    },
    /// Ask the page for its tools again.
    RefreshTools,
    /// Have a tab stay with the thread whichever tab is in front, or not any more.
    PinTab {
        /// The tab.
        tab_id: TabId,
        /// Whether it stays.
        pinned: bool,
    },
    /// Bring a tab to the front.
    ShowTab {
        /// The tab.
        tab_id: TabId,
    },
    /// Ask the provider in use for its models; answered by [`WorkerEvent::Models`].
    ListModels,
    /// Try the connection to the model in use; answered by [`WorkerEvent::Tried`].
    TryConnection,
    /// Give a call that runs as much time again as a tool has ([`crate::thread::ToolState::Running`]).
    WaitLonger {
        /// Which call.
        call_id: CallId,
    },
    /// Bring the page of a call to the front.
    ShowPage {
        /// Which call.
        call_id: CallId,
    },
}

/// What the user decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// Run it.
    Run,
    /// Do not; the model is told.
    Decline,
}

/// worker → panel.
#[allow(clippy::large_enum_variant, reason = "each event is written to JSON where it is made and never kept")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum WorkerEvent {
    /// Everything the panel needs to show its first screen.
    Welcome {
        /// [`crate::PROTOCOL_VERSION`].
        version: u32,
        /// As saved.
        settings: SettingsView,
        /// The active tab of the panel's window.
        page: PageView,
        /// The open thread of this window, if any.
        thread: Option<ThreadView>,
        /// The newest few earlier threads, newest first.
        recent: Vec<ThreadSummary>,
    },
    /// The active tab, its page or its tools changed.
    Page {
        /// As it is now.
        page: PageView,
    },
    /// Another thread (or none) is open now.
    Thread {
        /// As it is now.
        thread: Option<ThreadView>,
    },
    /// An item is new or changed: put it in its place by `id`.
    Item {
        /// The item, whole.
        item: Item,
    },
    /// An item is no more (a retry that is over).
    ItemGone {
        /// Which.
        id: ItemId,
    },
    /// An [`crate::thread::ItemKind::Assistant`] item grew at its end.
    Grew {
        /// Which.
        id: ItemId,
        /// New reasoning text; may be empty.
        reasoning: String,
        /// New answer text; may be empty.
        text: String,
    },
    /// The agent does something else now.
    Activity {
        /// In the open thread.
        activity: Activity,
    },
    /// Answers [`PanelCommand::ReadPage`].
    PageRead {
        /// The text, to go with the next message; or why there is none.
        outcome: Result<Attachment, NotRead>,
    },
    /// What waits in the open thread changed.
    Queue {
        /// The next one first.
        messages: Vec<QueuedMessage>,
    },
    /// Answers [`PanelCommand::Unqueue`]: the message waits no more, and was not said.
    Unqueued {
        /// As it was.
        message: QueuedMessage,
    },
    /// The open thread takes more or less of the model's window than before, or the model is another.
    Window {
        /// As it is now.
        taken: WindowTaken,
    },
    /// Answers [`PanelCommand::LoadOlder`].
    Older {
        /// Oldest first.
        items: Vec<Item>,
        /// Whether there are still older ones.
        more: bool,
    },
    /// Answers [`PanelCommand::ListThreads`].
    Threads {
        /// Newest first.
        threads: Vec<ThreadSummary>,
    },
    /// Answers [`PanelCommand::Search`]: further threads in which the text stands.
    Found {
        /// Which question it answers.
        number: u32,
        /// In the order of the list.
        threads: Vec<Found>,
        /// Whether the search goes on.
        more: bool,
    },
    /// Answers [`PanelCommand::ExportThreads`] and [`PanelCommand::ExportCalls`].
    Exported {
        /// The next piece of the text.
        text: String,
        /// Whether there are further pieces.
        more: bool,
    },
    /// Answers [`PanelCommand::ImportThreads`].
    Imported {
        /// What came of it.
        outcome: ImportOutcome,
    },
    /// Answers [`PanelCommand::ListCalls`].
    Calls {
        /// Whether the rows go below those that are there.
        older: bool,
        /// The page.
        page: CallPage,
    },
    /// The log of calls is another now.
    CallsChanged,
    /// Settings or saved keys changed, here or in another panel.
    Settings {
        /// As they are now.
        settings: SettingsView,
    },
    /// Answers [`PanelCommand::ListModels`].
    Models {
        /// Whose.
        provider: ProviderId,
        /// In the provider's order; empty when it gave none.
        models: Vec<ModelInfo>,
        /// Why it gave none.
        error: Option<ModelError>,
    },
    /// Answers [`PanelCommand::TryConnection`].
    Tried {
        /// Of which provider.
        provider: ProviderId,
        /// What was found.
        trial: Trial,
    },
    /// What the user said of tools and sites, once and for all: after [`WorkerEvent::Welcome`], and when it changed.
    Grants {
        /// The last said first.
        grants: Vec<Grant>,
        /// The sites that the agent does not see, the last hidden first.
        hidden: Vec<HiddenSite>,
    },
    /// What of the user's saved values cannot be read: after [`WorkerEvent::Welcome`], and when it changed. It is left as it
    /// is until the user changes that very part, or gives it up ([`PanelCommand::GiveUpUnread`]).
    Unread {
        /// Values of which something cannot be read; none when all can.
        values: Vec<UnreadValue>,
    },
    /// A command was not carried out; nothing was lost.
    Refused {
        /// Why.
        why: Refusal,
    },
}

/// Why a command was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Refusal {
    /// A turn runs in this thread, and no more messages may wait for its end. The text is given back.
    Busy {
        /// What the user had typed.
        text: String,
    },
    /// The message is empty or too long. The text is given back.
    BadMessage {
        /// What the user had typed.
        text: String,
    },
    /// A setting is out of range.
    BadSetting {
        /// Its name as in [`Settings`], dotted: `limits.toolCalls`.
        field: String,
    },
    /// No such thread.
    NoThread,
    /// A newer version of the extension wrote the thread. It was left as it is.
    NewerThread {
        /// What the user had typed.
        text: String,
    },
    /// The thread's log is damaged. It was left as it is.
    DamagedThread {
        /// What the user had typed.
        text: String,
    },
    /// The database or the settings could not be read or written.
    Storage {
        /// The browser's words.
        message: String,
        /// What the user had typed, if that is what could not be saved.
        text: String,
        /// What is the matter, as far as the browser's words tell.
        #[serde(default)]
        trouble: StorageTrouble,
    },
    /// No more tabs can stay with the thread.
    ManyTabs,
    /// What was said of a tool or a site is not kept: there are too many, or the page has no origin of its own.
    NotKept,
    /// A change was not saved, since nothing of the value on disk can be read, and nothing is written over it. The text, if
    /// any, is given back; any other change holds as long as the worker lives.
    Unread {
        /// Which value.
        value: SavedName,
        /// What the user had typed.
        text: String,
    },
    /// The temporary thread that was open is over: its worker ended, and it was kept nowhere.
    TemporaryOver,
    /// Panel and worker are of different versions: reopen the panel.
    Version,
}

/// What is the matter with what is kept on this computer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StorageTrouble {
    /// Something else: only the browser's own words tell.
    #[default]
    Other,
    /// There is no room, or the browser gives none.
    Full,
    /// A later version of the extension has changed the database; this one does not touch it.
    Newer,
    /// Another part of the extension holds on to the database as it was before an update.
    Blocked,
}

/// A message that waits until the agent rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// Names it, and the turn that it will begin.
    pub id: TurnId,
    /// The user's words.
    pub text: String,
    /// Texts of pages that go with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<Attachment>,
}

/// A thread with its newest page of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadView {
    /// Its name in the list.
    pub summary: ThreadSummary,
    /// Oldest first, at most [`PAGE_SIZE`].
    pub items: Vec<Item>,
    /// Whether there are older ones.
    pub more: bool,
    /// What the agent is doing in it.
    pub activity: Activity,
    /// What the user said meanwhile, the next one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<QueuedMessage>,
    /// How much of the model's window it takes.
    #[serde(default)]
    pub window: WindowTaken,
}

/// How much of a model's window a conversation takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowTaken {
    /// Tokens: as the provider counted them last, and an estimate of what came since.
    pub tokens: u64,
    /// Of how many, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
}

/// The active tab as the panel shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageView {
    /// Absent when the window has no tab we may look at.
    pub tab_id: Option<TabId>,
    /// Host and port (`flights.example`), or the scheme for pages without one (`chrome`).
    pub site: String,
    /// Its origin; empty where it has none that something could be kept for.
    #[serde(default)]
    pub origin: String,
    /// Origin or whole address, for a tooltip.
    pub url: String,
    /// The page's title.
    pub title: String,
    /// What can be done here.
    pub status: PageStatus,
    /// Its tools, by frame and name.
    pub tools: Vec<ToolView>,
    /// How many the page has, when more than are listed.
    pub total_tools: usize,
    /// The tabs that stay with the thread, in the order in which they were pinned. The active one may be among them.
    pub pinned: Vec<PinnedTab>,
}

/// A tab that stays with a thread: its tools are offered whichever tab is in front.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinnedTab {
    /// The tab.
    pub tab_id: TabId,
    /// Host and port, as in [`PageView`].
    pub site: String,
    /// The page's title.
    pub title: String,
    /// How many tools its page has.
    pub tools: usize,
}

impl Default for PageView {
    fn default() -> Self {
        Self {
            tab_id: None,
            site: String::new(),
            origin: String::new(),
            url: String::new(),
            title: String::new(),
            status: PageStatus::Loading,
            tools: Vec::new(),
            total_tools: 0,
            pinned: Vec::new(),
        }
    }
}

/// What can be done on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageStatus {
    /// Tools work here (there may be none).
    Ready,
    /// The tab is loading, or has not answered yet.
    Loading,
    /// Extensions may not run here: the browser's own pages, the web store.
    Restricted,
    /// An insecure address: WebMCP is for secure contexts only.
    Insecure,
    /// The page itself forbids tools.
    Blocked,
}

/// A tool as the panel shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolView {
    /// As the page registered it.
    pub name: String,
    /// For people; may be empty.
    pub title: String,
    /// As the page gave it.
    pub description: String,
    /// JSON text; empty when there is none.
    pub input_schema: String,
    /// What is wrong with it, in English for its developer; empty when nothing is.
    pub schema_problem: String,
    /// What a call may do.
    pub risk: Risk,
    /// Where it comes from.
    pub source: Source,
    /// Whether a form of the page is the tool.
    pub form: bool,
    /// Host of its frame, when it is not in the top frame; else empty.
    pub frame: String,
    /// Origin of its document.
    pub origin: String,
    /// What the user's word for it is kept under; absent where nothing can be kept.
    pub key: Option<PolicyKey>,
}
