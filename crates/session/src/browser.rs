//! What the session needs of the browser. The worker implements it with Chrome, tests with fakes.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use futures::channel::mpsc::UnboundedReceiver;
use serde::Deserialize;
use sidecar_agent::new_page::{Location, NewDocument};
use sidecar_agent::{Clock, LlmTransport};
use sidecar_evals::exchange::{LeadQuestion, LedStep};
use sidecar_llm::Endpoint;
use sidecar_protocol::eval::{SuiteCheck, SuiteQuestion};
use sidecar_protocol::lint::{ContractQuestion, ContractView, LintNote, LintQuestion};
use sidecar_protocol::picture::NewPicture;
use sidecar_protocol::recording::{TurnCase, TurnQuestion};
use sidecar_protocol::settings::{Language, ModelInfo};
use sidecar_protocol::tool_run::PlacedMistake;
use sidecar_protocol::{DocumentId, FrameId, ModelError, PageTool, TabId, WindowId};
use sidecar_schema::Mistake;
pub use sidecar_skills::run::{CrossAnswer, CrossRequest, RequestFault};
use sidecar_webmcp::Place;

use crate::attention::Asking;
use crate::call_log::CallFiles;
use crate::chat::{Moment, OpenTabs};
use crate::evals::files::EvalFiles;
use crate::event::SessionEvent;
use crate::history::ThreadFiles;
use crate::key_value::KeyValue;
use crate::settings::Access;
pub use crate::skills::code::{CodeAccess, CodeFault, CodeRun};
use crate::tabs::{TabInfo, TabPort};
use crate::unfinished::Alarm;

/// The browser. Clones are handles to the same browser.
pub trait BrowserPort:
    PagePort + ActionPort + TestBridgePort + OpenTabs + TabPort + Alarm + Clock + Clone + 'static
{
    /// Small values by name.
    type Storage: KeyValue + Clone;
    /// Threads, the log of calls, and evals.
    type Disk: ThreadFiles + CallFiles + EvalFiles + Clone + 'static;
    /// A transport to a model.
    type Transport: ModelTransport + 'static;

    /// A storage area.
    fn storage(&self, area: StorageArea) -> Self::Storage;

    /// The database, whose log of calls keeps at most `calls_kept` lines. Called once.
    fn open_disk(&self, calls_kept: u32) -> Self::Disk;

    /// The transport to a provider.
    fn transport(&self, access: Access) -> Self::Transport;

    /// Posts an event to the actor's queue. Does nothing after the actor has ended.
    fn post(&self, event: impl Into<SessionEvent>);

    /// Runs work in a task of its own.
    fn spawn(&self, work: impl Future<Output = ()> + 'static);

    /// Runs work that may take long in a task of its own. The browser does not stop the worker meanwhile.
    fn spawn_awake(&self, work: impl Future<Output = ()> + 'static);

    /// The current time with a new nonce.
    fn moment(&self) -> Moment;

    /// The user's date and weekday, for the model.
    fn today(&self, language: Language) -> String;

    /// The language of the browser (BCP 47).
    fn ui_language(&self) -> String;

    /// Whether the browser has a model of its own.
    fn has_model(&self) -> bool;

    /// Whether this is the worker of private windows.
    fn is_private(&self) -> bool;

    /// Sets the colours of the icon's badge, and its text in tabs without a text of their own.
    fn paint_icon(&self, calls_user: bool);

    /// Shows the notification for a call that waits for a decision.
    fn notify(&self, asking: &Asking);

    /// Clears notifications, by id.
    fn take_notifications_away(&self, ids: &[String]);

    /// Writes a warning to the console, for developers.
    fn warn(&self, text: &str);

    /// A file of the extension's `skills` folder; `None` if it cannot be read.
    async fn skill_file(&self, name: &str) -> Option<String>;

    /// Asks the module that reads packages: a [`PackageQuestion`](sidecar_skills::exchange::PackageQuestion) as JSON text.
    /// `None` if it does not answer.
    async fn read_package(&self, question: &str) -> Option<String>;

    /// What is at an address, in base64. Nothing but this address is requested, without cookies; a redirect is not
    /// followed.
    ///
    /// # Errors
    /// Why there is nothing.
    async fn fetch_file(&self, address: &str) -> Result<String, FileFault>;

    /// A text in Unicode normal form NFKC.
    fn nfkc(&self, text: &str) -> String;

    /// What is wrong with arguments by a schema. `None` if they fit, if the schema cannot be used, and if the
    /// validator does not answer: the page validates arguments too.
    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake>;

    /// What is wrong with arguments by a schema, each mistake at its place. Empty if they fit, if the schema cannot be used,
    /// and if the validator does not answer.
    async fn mistakes(&self, schema: &str, arguments: &str) -> Vec<PlacedMistake>;

    /// What is wrong with tools, for their developer. `None` if the inspector does not answer.
    async fn lint(&self, question: &LintQuestion) -> Option<Vec<LintNote>>;

    /// The contract of tools. `None` if the inspector does not answer.
    async fn contract(&self, question: &ContractQuestion) -> Option<ContractView>;

    /// The next step of a run of an eval. `None` if the inspector does not answer.
    async fn eval_step(&self, question: &LeadQuestion) -> Option<LedStep>;

    /// A turn as a case of an eval. `None` if the inspector does not answer.
    async fn record_case(&self, question: &TurnQuestion) -> Option<TurnCase>;

    /// What is wrong with a suite of evals. `None` if the inspector does not answer.
    async fn check_suite(&self, question: &SuiteQuestion) -> Option<Vec<SuiteCheck>>;

    /// Arguments that fit a schema (JSON text), as far as they can be made up: JSON text of an object. `{}` if the
    /// inspector does not answer.
    async fn example(&self, schema: &str) -> String;

    /// What is wrong with a schema, in words for its developer; empty if nothing is, or if the validator does
    /// not answer.
    async fn schema_problem(&self, schema: &str) -> String;
}

/// The tabs and their documents.
pub trait PagePort {
    /// All tabs.
    async fn tabs(&self) -> Vec<TabInfo>;

    /// A tab, if it exists.
    async fn tab(&self, tab: TabId) -> Option<TabInfo>;

    /// The tab that a window shows.
    async fn active_tab(&self, window: WindowId) -> Option<TabInfo>;

    /// Brings a tab to the front. Does nothing if it was closed.
    fn show_tab(&self, tab: TabId);

    /// Injects the bridge into a document. Failures are ignored.
    async fn put_bridge_into(&self, place: Place);

    /// The texts of a tab's top document; `None` if the extension may not read it.
    async fn page_texts(&self, tab: TabId) -> Option<PageTexts>;

    /// The document now in the frame of a tool's document, and its address; waits until the document is
    /// parsed unless `at_once`. `None` if it cannot be read.
    async fn document_at(&self, tool: &PageTool, at_once: bool) -> Option<(DocumentId, Location)>;

    /// Opens a channel to a content script.
    ///
    /// # Errors
    /// If the browser refuses it at once.
    fn open_channel(
        &self,
        tab: TabId,
        document: &DocumentId,
        script: ContentScript,
    ) -> Result<DocumentChannel, ChannelEnd>;

    /// What the relay of a document answers to a message (JSON texts). `None` if it is not there; it may take for ever.
    async fn ask_relay(&self, tab: TabId, document: &DocumentId, message: &str) -> Option<String>;

    /// The contents of a document, if it can be read.
    async fn new_document(&self, tab: TabId, document: DocumentId) -> Option<NewDocument>;
}

/// The test bridge in pages (`docs/test-bridge.md`).
pub trait TestBridgePort {
    /// Has the browser put the test bridge into all documents of these origins, and of no others, before their own scripts
    /// run; also when it is started again. The open documents of an origin that is new here, or gone, follow soon.
    ///
    /// # Errors
    /// The browser's message.
    async fn offer_test_bridge(&self, origins: &[String]) -> Result<(), String>;
}

/// What the browser's own tools need: the page actions in a tab's documents, and the tabs themselves.
pub trait ActionPort {
    /// Puts the first file of the page script into every frame of a tab, where it is not yet. Returns frames and documents.
    ///
    /// # Errors
    /// If the extension may not do anything there: the browser's message.
    async fn put_actions_into(&self, tab: TabId) -> Result<Vec<(FrameId, DocumentId)>, String>;

    /// Puts a later file into a document, if it is not there yet.
    ///
    /// # Errors
    /// As [`Self::put_actions_into`]; also if the document is gone.
    async fn put_file_into(&self, tab: TabId, document: &DocumentId, file: PageFile) -> Result<(), String>;

    /// A picture of what a window shows, made to fit; of this part of it, in fractions from its left and upper edge: x, y,
    /// width, height. `longest_edge` in pixels. `None` if the browser does not give one.
    async fn capture(&self, window: WindowId, part: [f64; 4], longest_edge: u32) -> Option<NewPicture>;

    /// A picture made to fit, from its bytes in base64; `None` if it cannot be decoded or is too large.
    async fn fit_picture(&self, media_type: &str, data: &str) -> Option<NewPicture>;

    /// Opens an address in a new tab in the background.
    async fn create_tab(&self, url: &str) -> Option<TabInfo>;

    /// Closes a tab. Returns whether it existed.
    async fn close_tab(&self, tab: TabId) -> bool;

    /// Requests an address from the extension, without cookies; what leads elsewhere is refused.
    ///
    /// # Errors
    /// Why there is no answer.
    async fn fetch_elsewhere(&self, request: CrossRequest) -> Result<CrossAnswer, RequestFault>;

    /// Leads a tab to an address, or `back`, `forward`, `reload`. Returns whether that began.
    async fn lead_tab(&self, tab: TabId, to: &str) -> bool;

    /// Whether the user allows code of SKILLs now.
    async fn code_access(&self) -> CodeAccess;

    /// Runs sources of a SKILL in a document, one after the other, and waits for what the last one promises. Returns that
    /// if it is a text; there is none if it threw, or if the document went away meanwhile.
    ///
    /// # Errors
    /// Why it did not begin.
    async fn run_code(&self, run: &CodeRun) -> Result<Option<String>, CodeFault>;
}

/// A file of the page script. All but the first come into a document before what needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFile {
    /// The first one.
    Actions,
    /// Reads outlines.
    Snapshot,
    /// Acts.
    Act,
    /// Reads main texts.
    Reader,
    /// Does what steps of SKILLs ask for, and looks at elements for simulations.
    Skill,
}

impl PageFile {
    /// Its name in the extension.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Actions => "actions.js",
            Self::Snapshot => "actions-snapshot.js",
            Self::Act => "actions-act.js",
            Self::Reader => "reader.js",
            Self::Skill => "actions-skill.js",
        }
    }

    /// The file that answers requests with this `do`; `None` where the first one does.
    #[must_use]
    pub fn answering(request: &str) -> Option<Self> {
        match request {
            "snapshot" => Some(Self::Snapshot),
            "act" => Some(Self::Act),
            "text" => Some(Self::Reader),
            "change" | "conditions" | "data" | "elements" | "end" | "locate" | "part" | "quiet"
            | "request" | "rows" | "value" => Some(Self::Skill),
            _ => None,
        }
    }
}

/// The content scripts that listen to channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentScript {
    /// Passes calls on to the page's tools.
    Relay,
    /// The page actions.
    Actions,
    /// What of them looks whether a page is as SKILLs expect.
    Health,
}

/// Why nothing was read from an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFault {
    /// It leads elsewhere; the browser does not say where.
    Redirect,
    /// It could not be read: a sentence in English, or the HTTP status.
    Unread(String),
}

/// A channel to a content script in a document. Dropping it closes it, which ends what runs there.
pub struct DocumentChannel {
    /// Sends a message (JSON text). Returns whether the browser took it: not after the document is gone.
    pub send: Box<dyn Fn(&str) -> bool>,
    /// The messages of the document (JSON texts); when it is gone, the reason comes last.
    pub heard: UnboundedReceiver<Result<String, ChannelEnd>>,
}

/// Why a channel ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelEnd {
    /// No such script listens there, so it received nothing.
    NeverHeard,
    /// The document went away. The browser's message, if there is one.
    Gone(String),
}

/// A transport that can also list the models of a service.
pub trait ModelTransport: LlmTransport {
    /// The models that an endpoint lists; empty for the browser's own model.
    ///
    /// # Errors
    /// Those of [`LlmTransport::post`], and the service's error.
    async fn models(&self, endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelError>;
}

/// Storage areas for small values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageArea {
    /// The user's settings and decisions, on disk.
    Choices,
    /// Data of threads, on disk.
    Conversations,
    /// In memory until the browser is closed.
    Session,
}

/// The texts of a page, as `extension/reader/texts.js` returns them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct PageTexts {
    /// The document's origin.
    pub origin: String,
    /// The document's address.
    pub url: String,
    /// The text of the whole page.
    pub page: Passage,
    /// The selected text.
    pub selection: Passage,
}

/// A text that may be cut.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Passage {
    /// The text.
    pub text: String,
    /// Number of characters that were cut off.
    pub unread: u32,
}
