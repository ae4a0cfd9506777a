//! What the session needs of the browser. The worker implements it with Chrome, the tests with fakes.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use serde::Deserialize;
use sidecar_agent::new_page::{Location, NewDocument};
use sidecar_agent::{Clock, LlmTransport};
use sidecar_llm::Endpoint;
use sidecar_protocol::page::ToolResult;
use sidecar_protocol::settings::{Language, ModelInfo};
use sidecar_protocol::{CallId, DocumentId, ModelError, PageTool, TabId, WindowId};
use sidecar_schema::Mistake;
use sidecar_webmcp::Place;

use crate::attention::Asking;
use crate::call_log::CallFiles;
use crate::chat::{Moment, OpenTabs};
use crate::event::SessionEvent;
use crate::history::ThreadFiles;
use crate::key_value::KeyValue;
use crate::settings::Access;
use crate::tabs::{TabInfo, TabPort};
use crate::unfinished::Alarm;

/// The browser. A handle: copies are of the same one.
pub trait BrowserPort: PagePort + OpenTabs + TabPort + Alarm + Clock + Clone + 'static {
    /// Small things by name.
    type Storage: KeyValue + Clone;
    /// Threads and the log of calls.
    type Disk: ThreadFiles + CallFiles + Clone + 'static;
    /// To a model.
    type Transport: ModelTransport + 'static;
    /// To the documents whose tools a turn calls.
    type Documents: DocumentPort + 'static;

    /// An area of storage.
    fn storage(&self, area: StorageArea) -> Self::Storage;

    /// A connection of its own to the database, whose log of calls keeps so many. Asked for once.
    fn open_disk(&self, calls_kept: u32) -> Self::Disk;

    /// The way to a provider.
    fn transport(&self, access: Access) -> Self::Transport;

    /// The ways into documents for one turn, none of them open yet.
    fn documents(&self) -> Self::Documents;

    /// Has the actor's queue take an event. After the actor's end nobody hears it, and nobody misses it.
    fn post(&self, event: SessionEvent);

    /// Does work in a task of its own.
    fn spawn(&self, work: impl Future<Output = ()> + 'static);

    /// Does work in a task of its own that may wait long. The browser does not stop the worker meanwhile.
    fn spawn_awake(&self, work: impl Future<Output = ()> + 'static);

    /// Now, and what no other moment has.
    fn moment(&self) -> Moment;

    /// The user's date and weekday, for the model.
    fn today(&self, language: Language) -> String;

    /// The language of the browser (BCP 47).
    fn ui_language(&self) -> String;

    /// Whether the browser has a model of its own.
    fn has_model(&self) -> bool;

    /// Whether this is the worker of private windows.
    fn is_private(&self) -> bool;

    /// Gives the icon its colours, and its sign in tabs that have no number of their own.
    fn paint_icon(&self, calls_user: bool);

    /// Shows the notification of a call that asks.
    fn notify(&self, asking: &Asking);

    /// Takes notifications away.
    fn take_notifications_away(&self, ids: &[String]);

    /// Writes down for developers what is not the user's business.
    fn warn(&self, text: &str);

    /// A text in Unicode normal form NFKC.
    fn nfkc(&self, text: &str) -> String;

    /// What is wrong with arguments by a schema. `None` when they fit, when the schema cannot tell, and when the validator
    /// cannot be asked: the page checks what it gets, too.
    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake>;

    /// What is wrong with a schema, in words for its developer; empty when nothing is.
    async fn schema_problem(&self, schema: &str) -> String;
}

/// The tabs and what is in them.
pub trait PagePort {
    /// All tabs.
    async fn tabs(&self) -> Vec<TabInfo>;

    /// A tab, if it is there.
    async fn tab(&self, tab: TabId) -> Option<TabInfo>;

    /// The tab that a window shows.
    async fn active_tab(&self, window: WindowId) -> Option<TabInfo>;

    /// Brings a tab to the front. One that was closed meanwhile cannot be.
    fn show_tab(&self, tab: TabId);

    /// Puts the bridge into a document, if that can be.
    async fn put_bridge_into(&self, place: Place);

    /// The texts of a tab's top document; `None` where the extension may not read.
    async fn page_texts(&self, tab: TabId) -> Option<PageTexts>;

    /// The document that is in the place of a tool's now, and where it is: at once, or when it is parsed.
    async fn document_at(&self, tool: &PageTool, at_once: bool) -> Option<(DocumentId, Location)>;

    /// What a document says of itself, if it can be read.
    async fn new_document(&self, tab: TabId, document: DocumentId) -> Option<NewDocument>;
}

/// To the documents whose tools a turn calls.
pub trait DocumentPort {
    /// Runs a tool in its document. When the future is dropped, the document is told that nobody waits any more.
    ///
    /// # Errors
    /// When the document does not answer.
    async fn call(&self, call: &CallId, tool: &PageTool, arguments: &str) -> Result<ToolResult, CallLoss>;
}

/// Why a call got no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallLoss {
    /// Nobody heard it, so the tool did not run.
    NeverHeard,
    /// The document went away before it answered; the browser's words, where it has any.
    Gone(String),
}

/// To a model's service, which may list its models.
pub trait ModelTransport: LlmTransport {
    /// The models that an endpoint lists; the browser lists none.
    ///
    /// # Errors
    /// Those of [`LlmTransport::post`], and what the service says instead of a list.
    async fn models(&self, endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelError>;
}

/// Where small things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageArea {
    /// What the user set and decided, on disk.
    Choices,
    /// What belongs to conversations, on disk.
    Conversations,
    /// What ends with the browser, in memory.
    Session,
}

/// The texts of a page, read beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct PageTexts {
    /// Its origin.
    pub origin: String,
    /// Its address.
    pub url: String,
    /// All of it.
    pub page: Passage,
    /// What is selected.
    pub selection: Passage,
}

/// A text, and how many characters follow that are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Passage {
    /// The text.
    pub text: String,
    /// How many characters follow.
    pub unread: u32,
}
