//! What a turn needs of the world. The worker implements these with Chrome, the tests with fakes.
//!
//! Plain `async fn`, no `Send`: a worker has one thread. Dropping a future is how an effect is called off: the
//! transport aborts its request, the tool host cancels its call.

#![allow(async_fn_in_trait, reason = "one thread; nobody needs to bound these futures")]

use std::rc::Rc;

use futures::Stream;
use sidecar_llm::{Endpoint, HttpRequest};
use sidecar_protocol::error::StorageTrouble;
use sidecar_protocol::policy::{DefinitionChange, Policy};
use sidecar_protocol::thread::ToolFailure;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{CallId, ModelError, Risk, Timestamp, ToolRef};
use sidecar_schema::Mistake;
use sidecar_webmcp::{Fingerprint, Offer};

use crate::keys::Keys;
use crate::log::Entry;
use crate::tools::settled::Seen;

/// The four of them, for one turn.
#[derive(Debug)]
pub struct Ports<T, H, S, C> {
    /// To the model.
    pub transport: T,
    /// To the page.
    pub tools: H,
    /// To the disk.
    pub store: S,
    /// To the time of day.
    pub clock: C,
}

/// Sends requests to a model's service. It adds the key, which the turn never sees.
pub trait LlmTransport {
    /// The body of a response as it arrives.
    type Body: Stream<Item = Result<Vec<u8>, String>> + Unpin;

    /// All keys of the user, for whichever service: they are taken out of what services and pages say.
    fn keys(&self) -> &Keys;

    /// Sends a request and waits for the head of the response.
    ///
    /// # Errors
    /// `NoKey` when the provider needs a key and none is saved; `Network` when nothing was reached.
    async fn post(&self, request: HttpRequest) -> Result<Response<Self::Body>, ModelError>;

    /// Whether a model takes tools, as its server says; `None` where it says nothing or cannot be asked.
    async fn takes_tools(&self, endpoint: &Endpoint, model: &str) -> Option<bool>;
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

/// Finds and runs the tools of the turn's tab.
pub trait ToolHost {
    /// The tools there are now.
    async fn offer(&self) -> Vec<Offer>;

    /// The tool as it is now.
    ///
    /// # Errors
    /// What becomes of a call when the tool is not there: whoever does not know it cannot say that it may run.
    async fn current_tool(&self, tool: &ToolRef) -> Result<CurrentTool, ToolFailure>;

    /// What is wrong with arguments (the JSON text of an object) by the schema of a tool (JSON text). `None` when they
    /// fit, and when the schema cannot tell ([`sidecar_schema::Validators`]).
    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake>;

    /// Runs a tool. `arguments` is the JSON text of an object. The same call id never runs twice in one document.
    async fn call(&self, call: &CallId, tool: &ToolRef, arguments: &str) -> ToolOutcome;

    /// What is seen of the page of a tool now ([`crate::tools::settled`]).
    async fn seen(&self, tool: &ToolRef) -> Seen;

    /// How a call ended that took its page away: with what the page says that came in the place of the tool's document,
    /// if one comes in time ([`crate::tools::new_page`]).
    async fn new_page(&self, tool: &ToolRef) -> ToolOutcome;
}

/// A tool as it is at the moment of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentTool {
    /// What its definition is.
    pub fingerprint: Fingerprint,
    /// What a call may do by that definition.
    pub risk: Risk,
    /// The schema of its input as the page gave it (JSON text); absent when it gave none.
    pub schema: Option<String>,
    /// What the user said of it, if that still holds.
    pub policy: Option<Policy>,
    /// In what it differs from the definition that the user allowed; `None` when it does not, or the user allowed none.
    pub changes: Option<Vec<DefinitionChange>>,
}

/// The log of the turn's thread. It is the only one in memory: whoever shows the thread reads the same.
pub trait Store {
    /// The log as it is now.
    fn log(&self) -> Rc<Vec<Entry>>;

    /// Appends an entry; when it returns, the entry is on disk and in the log.
    ///
    /// # Errors
    /// When the database refuses. The turn then stops where it is, because an effect that is not logged could be
    /// repeated.
    async fn append(&self, entry: Entry) -> Result<(), StoreError>;

    /// Keeps what a model has said so far in an answer that is still growing, so that the death of the worker loses
    /// nothing that was shown. Replaces the draft before; a failure is of no consequence.
    async fn save_draft(&self, reasoning: &str, text: &str);
}

/// The database refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the conversation could not be saved: {detail}")]
pub struct StoreError {
    /// What is the matter, as far as it is known.
    pub trouble: StorageTrouble,
    /// The browser's words, or our own.
    pub detail: String,
}

impl StoreError {
    /// One of which it is known what is the matter.
    #[must_use]
    pub fn new(trouble: StorageTrouble, detail: impl Into<String>) -> Self {
        Self { trouble, detail: detail.into() }
    }

    /// One of which only words tell what is the matter.
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

    /// What sets the ids that are made now apart from all others, those of a thread that was deleted and imported again
    /// too: pages keep results by a call's id.
    fn nonce(&self) -> String;
}
