//! The traits through which a turn reaches the world. The worker implements them with Chrome, tests with
//! fakes.
//!
//! Plain `async fn`, no `Send`: a worker has one thread. Dropping a future cancels its effect: the
//! transport aborts its request, the tool host cancels its call.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use std::rc::Rc;

use futures::Stream;
use sidecar_llm::{Endpoint, HttpRequest, ModelAbilities};
use sidecar_protocol::error::StorageTrouble;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::policy::{DefinitionChange, Policy};
use sidecar_protocol::thread::ToolFailure;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{ActionCard, CallId, ModelError, PageAccess, Risk, TabId, Timestamp, ToolRef};
use sidecar_schema::Mistake;
use sidecar_webmcp::{Fingerprint, Offer};

use crate::keys::Keys;
use crate::log::{Entry, Target};
use crate::tools::settled::Seen;

/// The four ports of one turn.
#[derive(Debug)]
pub struct Ports<T, H, S, C> {
    /// The model.
    pub transport: T,
    /// The tools.
    pub tools: H,
    /// The disk.
    pub store: S,
    /// The clock.
    pub clock: C,
}

/// Sends requests to a model's service. It adds the key, which the turn never sees.
pub trait LlmTransport {
    /// The body of a response as it arrives.
    type Body: Stream<Item = Result<Vec<u8>, String>> + Unpin;

    /// All API keys of the user, for every service: they are removed from what services and pages say.
    fn keys(&self) -> &Keys;

    /// Sends a request and waits for the head of the response.
    ///
    /// # Errors
    /// `NoKey` when the provider needs a key and none is saved; `Network` when nothing was reached.
    async fn post(&self, request: HttpRequest) -> Result<Response<Self::Body>, ModelError>;

    /// What a model can do, according to its server; nothing if the server does not say or cannot be asked.
    async fn abilities(&self, endpoint: &Endpoint, model: &str) -> ModelAbilities;
}

/// The head of a response, and its body to be read.
#[derive(Debug)]
pub struct Response<B> {
    /// HTTP status.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: B,
}

/// Lists and runs the tools for a turn.
pub trait ToolHost {
    /// The tools that can be called now.
    async fn offer(&self) -> Vec<Offer>;

    /// One of the browser's own tools as it is for the page of another tab of the turn.
    ///
    /// # Errors
    /// Why it cannot be used there, in words for the model.
    async fn in_tab(&self, offer: &Offer, tab: TabId) -> Result<Offer, String>;

    /// The current state of a tool.
    ///
    /// # Errors
    /// The failure with which a call ends if the tool is not there: without its current state
    /// nobody can say that it may run.
    async fn current_tool(&self, tool: &ToolRef) -> Result<CurrentTool, ToolFailure>;

    /// Whether the user has switched a tool off, on the site of the call or everywhere. A tool that is only gone is not.
    async fn is_switched_off(&self, target: &Target) -> bool;

    /// What is wrong with arguments (JSON text of an object) by a tool's schema (JSON text). `None` if they
    /// fit, or if the schema cannot be used ([`sidecar_schema::Validators`]).
    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake>;

    /// What a call would do, as far as only its page can tell: of the browser's own tools, the element that
    /// it would act on. Of other tools nothing.
    ///
    /// # Errors
    /// The outcome with which the call ends if it cannot be done.
    async fn examine(
        &self,
        _call: &CallId,
        _tool: &ToolRef,
        _arguments: &str,
    ) -> Result<Examined, Box<ToolOutcome>> {
        Ok(Examined::default())
    }

    /// A small picture of what an examined call would act on, for the card; `None` if none can be taken.
    async fn picture(&self, _call: &CallId) -> Option<Picture> {
        None
    }

    /// A call that was examined is declined or refused: nothing will be done of it.
    async fn dismiss(&self, _call: &CallId) {}

    /// A text in Unicode normal form NFKC. The browser has the tables for it; in our module they would be
    /// 120 KB.
    fn nfkc(&self, text: &str) -> String;

    /// Whether a call of an acting tool, which an earlier worker began, is known to have done nothing so far: it may begin
    /// anew. Of most tools nobody knows.
    async fn has_done_nothing(&self, _call: &CallId) -> bool {
        false
    }

    /// Runs a tool. `arguments` is the JSON text of an object. One call id never runs twice in a document.
    async fn call(&self, call: &CallId, tool: &ToolRef, arguments: &str) -> ToolOutcome;

    /// The current state of a tool's page ([`crate::tools::settled`]).
    async fn seen(&self, tool: &ToolRef) -> Seen;

    /// The outcome of a call that navigated: the text of the page that replaces the tool's document, if one
    /// comes in time ([`crate::tools::new_page`]).
    async fn new_page(&self, tool: &ToolRef) -> ToolOutcome;
}

/// What a call of one of the browser's own tools would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examined {
    /// It asks for the use of a site's pages.
    pub access: Option<PageAccess>,
    /// What it would do, if it acts in a page.
    pub card: Option<ActionCard>,
    /// Origin of the frame in which it would act, if that is not its page's: the frame learns the arguments.
    pub frame_origin: Option<String>,
}

/// A tool at the moment of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentTool {
    /// Digest of its definition.
    pub fingerprint: Fingerprint,
    /// The risk of a call, by that definition.
    pub risk: Risk,
    /// Schema of its arguments as the page gave it (JSON text); absent if it gave none.
    pub schema: Option<String>,
    /// The user's policy for it, if one holds.
    pub policy: Option<Policy>,
    /// Differences to the definition that the user allowed; `None` if there are none, or the user allowed
    /// none.
    pub changes: Option<Vec<DefinitionChange>>,
    /// Origin of the page that it would use now, if it uses whichever page its tab shows.
    pub page: Option<String>,
}

impl CurrentTool {
    /// Whether the tab has gone to another site since the call was made. Its flows, policies and card are those of
    /// the site for which it was made.
    #[must_use]
    pub fn has_left(&self, target: &Target) -> bool {
        self.page.as_ref().is_some_and(|page| *page != target.origin)
    }
}

/// The log of the turn's thread. There is one in memory: whoever shows the thread reads the same.
pub trait Store {
    /// The current log.
    fn log(&self) -> Rc<Vec<Entry>>;

    /// Appends an entry. When this returns, the entry is on disk and in the log.
    ///
    /// # Errors
    /// If the database refuses. The turn then stops, because an effect that is not logged could be
    /// repeated.
    async fn append(&self, entry: Entry) -> Result<(), StoreError>;

    /// Saves the answer that is arriving as a draft, so that the death of the worker loses nothing that was
    /// shown. Replaces the previous draft; failures are ignored.
    async fn save_draft(&self, reasoning: &str, text: &str);

    /// The bytes of a picture of the thread, in base64; `None` if it is not kept or cannot be read.
    async fn picture(&self, digest: &str) -> Option<String>;
}

/// An error of the database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the conversation could not be saved: {detail}")]
pub struct StoreError {
    /// The kind of error, as far as it is known.
    pub trouble: StorageTrouble,
    /// The browser's words, or our own.
    pub detail: String,
}

impl StoreError {
    /// An error of a known kind.
    #[must_use]
    pub fn new(trouble: StorageTrouble, detail: impl Into<String>) -> Self {
        Self { trouble, detail: detail.into() }
    }

    /// An error of which only the message tells what is the matter.
    #[must_use]
    pub fn other(detail: impl Into<String>) -> Self {
        Self::new(StorageTrouble::Other, detail)
    }
}

/// Time.
pub trait Clock {
    /// Now.
    fn now(&self) -> Timestamp;

    /// Waits.
    async fn sleep(&self, milliseconds: u64);

    /// A number in 0..1, to spread retries of many users.
    fn jitter(&self) -> f64;

    /// Makes ids unique across worker lives and threads, including one that was deleted and imported again:
    /// pages keep results by a call's id.
    fn nonce(&self) -> String;
}
