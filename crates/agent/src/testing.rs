//! Fakes of the four ports, so that whole turns run in a test. Time is virtual: awaiting a sleep moves the
//! clock, while a sleep used as a timeout only ends when nothing else can go on.

use sidecar_protocol::error::StorageTrouble;
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::thread::ToolFailure;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::task::Poll;

use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::future::{pending, poll_fn};
use futures::stream::{self, BoxStream, StreamExt};
use sidecar_llm::{CallRecord, Endpoint, HttpRequest, ModelAbilities};
use sidecar_protocol::Risk;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::policy::Policy;
use sidecar_protocol::settings::{Language, Limits, Mode};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{ActionCard, CallId, DocumentId, FrameId, ModelError, TabId, Timestamp};
use sidecar_protocol::{PageTool, ToolRef};
use sidecar_schema::{Mistake, Validators};
use sidecar_webmcp::{Fingerprint, Offer};
use unicode_normalization::UnicodeNormalization;

use crate::connection::Connection;
use crate::keys::Keys;
use crate::log::{Call, Ending, Entry, Event, Target};

use crate::call::UserCommand;
use crate::ports::{Clock, CurrentTool, Examined, LlmTransport, Response, Store, StoreError, ToolHost};
use crate::tools::settled::Seen;
use crate::turn::rules::Rules;

/// The connection of a test that does not give its own.
pub fn connection() -> Connection {
    Connection {
        endpoint: Endpoint {
            provider: "deepseek".to_owned(),
            base_url: "https://api.deepseek.com".to_owned(),
        },
        model: "deepseek-flash".to_owned(),
        takes_tools: Some(true),
        ..Connection::default()
    }
}

/// The rules of a test that does not give its own.
pub fn rules() -> Rules {
    Rules {
        mode: Mode::Automatic,
        limits: Limits::default(),
        language: Language::English,
        today: "2026-11-21 (Saturday)".to_owned(),
    }
}

/// The keys of a user who has this one key.
pub fn keys() -> Keys {
    Keys::new(["sk-secret".to_owned()])
}

/// One response of the scripted service.
pub enum ScriptedReply {
    /// A complete response: status, headers, body.
    Body(u16, Vec<(&'static str, &'static str)>, String),
    /// A response that begins, then the user sends a command, then nothing more arrives.
    Hangs(String, UserCommand),
    /// A response with this status that begins and then falls silent.
    Silence(u16, String),
    /// A complete response that arrives in these pieces.
    Pieces(Vec<String>),
    /// A response that repeats a text this many times, a few hundred milliseconds apart, then sends
    /// another.
    Drips(String, usize, String),
    /// No response at all.
    Nothing,
    /// The user sends a command while the request is on its way.
    Meanwhile(UserCommand, Box<ScriptedReply>),
    /// The request fails before any response.
    Refused(ModelError),
}

impl ScriptedReply {
    /// A complete answer with reasoning, text and calls, as the service streams it.
    pub fn stream(reasoning: &str, text: &str, calls: &[(&str, &str, &str)]) -> Self {
        let mut body = String::new();
        let mut chunk = |delta: serde_json::Value, finish: Option<&str>| {
            let json =
                serde_json::json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
            body.push_str(&format!("data: {json}\n\n"));
        };
        if !reasoning.is_empty() {
            chunk(serde_json::json!({"reasoning_content": reasoning}), None);
        }
        if !text.is_empty() {
            chunk(serde_json::json!({"content": text}), None);
        }
        for (index, (id, name, arguments)) in calls.iter().enumerate() {
            let call = serde_json::json!({"index": index, "id": id, "type": "function",
                "function": {"name": name, "arguments": arguments}});
            chunk(serde_json::json!({"tool_calls": [call]}), None);
        }
        chunk(serde_json::json!({}), Some(if calls.is_empty() { "stop" } else { "tool_calls" }));
        body.push_str("data: [DONE]\n\n");
        Self::Body(200, Vec::new(), body)
    }
}

/// The scripted service: responds in order, and records the requests.
pub struct ScriptedService {
    pub replies: RefCell<VecDeque<ScriptedReply>>,
    pub asked: Rc<RefCell<Vec<serde_json::Value>>>,
    pub user: UnboundedSender<UserCommand>,
    /// What its server says that the model can do.
    pub abilities: ModelAbilities,
    pub keys: Keys,
}

impl LlmTransport for ScriptedService {
    type Body = BoxStream<'static, Result<Vec<u8>, String>>;

    fn keys(&self) -> &Keys {
        &self.keys
    }

    async fn abilities(&self, _endpoint: &Endpoint, _model: &str) -> ModelAbilities {
        self.abilities
    }

    async fn post(&self, request: HttpRequest) -> Result<Response<Self::Body>, ModelError> {
        self.asked.borrow_mut().push(serde_json::from_str(&request.body).unwrap());
        let mut reply =
            self.replies.borrow_mut().pop_front().expect("the service was asked more often than expected");
        if let ScriptedReply::Meanwhile(command, then) = reply {
            self.user.unbounded_send(command).unwrap();
            reply = *then;
        }
        match reply {
            ScriptedReply::Body(status, headers, body) => Ok(Response {
                status,
                headers: headers.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
                body: stream::iter([Ok(body.into_bytes())]).boxed(),
            }),
            ScriptedReply::Hangs(body, command) => {
                let user = self.user.clone();
                let said = stream::iter([Ok(body.into_bytes())]);
                let then = stream::once(async move {
                    user.unbounded_send(command).unwrap();
                    pending().await
                });
                Ok(Response { status: 200, headers: Vec::new(), body: said.chain(then).boxed() })
            }
            ScriptedReply::Silence(status, body) => {
                let body = stream::iter([Ok(body.into_bytes())]).chain(stream::pending()).boxed();
                Ok(Response { status, headers: Vec::new(), body })
            }
            ScriptedReply::Pieces(pieces) => {
                let body = stream::iter(pieces.into_iter().map(|piece| Ok(piece.into_bytes()))).boxed();
                Ok(Response { status: 200, headers: Vec::new(), body })
            }
            ScriptedReply::Drips(piece, times, end) => {
                let drips = std::iter::repeat_n(piece, times).chain([end]);
                let body = stream::iter(drips.map(|piece| Ok(piece.into_bytes()))).boxed();
                Ok(Response { status: 200, headers: Vec::new(), body })
            }
            ScriptedReply::Nothing => pending().await,
            ScriptedReply::Refused(error) => Err(error),
            ScriptedReply::Meanwhile(..) => panic!("one thing at a time"),
        }
    }
}

/// What a fake tool does.
pub enum Does {
    /// Returns this outcome.
    Returns(ToolOutcome),
    /// Never returns.
    Hangs,
    /// Navigates. The call ends with this outcome once the next page was read.
    LeadsTo(ToolOutcome),
    /// Never returns; meanwhile the user sends these commands.
    Meanwhile(Vec<UserCommand>),
}

/// The schema of fake tools in a test that does not give its own.
pub const SCHEMA: &str = r#"{"properties": {"seats": {"type": "integer"}}}"#;

/// A page with tools that count how often they ran.
pub struct Page {
    pub tools: BTreeMap<&'static str, (bool, Does)>,
    pub ran: Rc<RefCell<Vec<(String, String)>>>,
    /// The user's policies for them.
    pub policies: Rc<RefCell<BTreeMap<&'static str, Policy>>>,
    /// Description of every tool; empty for the default.
    pub described: String,
    pub schema: &'static str,
    /// The tools of another origin.
    pub elsewhere: Vec<&'static str>,
    /// The tools that appear only after the page was looked at this many times.
    pub late: BTreeMap<&'static str, u32>,
    pub looks: Cell<u32>,
    /// The number of the look at which the user stops.
    pub stop_at: Option<u32>,
    /// Commands that the user sends while arguments are checked.
    pub while_checked: Vec<UserCommand>,
    pub user: UnboundedSender<UserCommand>,
    /// What every call would do, as its page is now.
    pub card: Option<ActionCard>,
    /// The picture for the card of every call.
    pub picture: Option<Picture>,
    /// Commands that the user sends while it is taken.
    pub while_pictured: Vec<UserCommand>,
    /// The frame in which every call would act.
    pub frame_origin: Option<String>,
    /// The calls of which nothing will be done.
    pub dismissed: RefCell<Vec<CallId>>,
}

pub fn tool_id(name: &str) -> ToolRef {
    let (tab, frame, document) = (TabId(1), FrameId::TOP, DocumentId::from("doc"));
    ToolRef::Page(PageTool { tab, frame, document, name: name.to_owned() })
}

/// A call as the model wrote it, without repairs.
pub fn meant(id: CallId, record: CallRecord, target: Option<Target>) -> Call {
    Call {
        id,
        record,
        name: None,
        target,
        arguments: None,
        repaired: Vec::new(),
        mistake: None,
        off_pattern: false,
        secrets: Vec::new(),
        question: None,
    }
}

/// An answer that consists of calls only.
pub fn calling(calls: Vec<Call>) -> Event {
    Event::ModelAnswered {
        reasoning: String::new(),
        reasoning_ms: None,
        text: String::new(),
        calls,
        usage: None,
        cost: None,
        ending: Ending::Natural,
        notes: Vec::new(),
        lost: None,
        provider_state: None,
    }
}

impl Page {
    /// A page without tools.
    pub fn without_tools() -> Self {
        Self {
            tools: BTreeMap::new(),
            ran: Rc::default(),
            policies: Rc::default(),
            described: String::new(),
            schema: SCHEMA,
            elsewhere: Vec::new(),
            late: BTreeMap::new(),
            looks: Cell::new(0),
            stop_at: None,
            while_checked: Vec::new(),
            user: unbounded().0,
            card: None,
            picture: None,
            while_pictured: Vec::new(),
            frame_origin: None,
            dismissed: RefCell::default(),
        }
    }

    fn site(&self, tool: &str) -> &'static str {
        if self.elsewhere.contains(&tool) { "mail.example" } else { "flights.example" }
    }

    fn is_here(&self, tool: &str) -> bool {
        self.late.get(tool).is_none_or(|looks| self.looks.get() > *looks)
    }
}

/// A text in Unicode normal form NFKC, as the browser's `String.prototype.normalize` gives it.
pub(crate) fn nfkc(text: &str) -> String {
    text.nfkc().collect()
}

impl ToolHost for Page {
    async fn offer(&self) -> Vec<Offer> {
        let offer = |(name, (read_only, _)): (&&str, &(bool, Does))| Offer {
            skill: None,
            model_name: (*name).to_owned(),
            tool: tool_id(name),
            site: self.site(name).to_owned(),
            origin: format!("https://{}", self.site(name)),
            risk: if *read_only { Risk::ReadOnly } else { Risk::Acting },
            fingerprint: Fingerprint("as offered".to_owned()),
            description: match self.described.as_str() {
                "" => format!("Does {name}."),
                described => described.to_owned(),
            },
            schema: Some(self.schema.to_owned()),
        };
        self.looks.set(self.looks.get() + 1);
        if self.stop_at == Some(self.looks.get()) {
            self.user.unbounded_send(UserCommand::Stop).unwrap();
        }
        self.tools.iter().filter(|(name, _)| self.is_here(name)).map(offer).collect()
    }

    async fn in_tab(&self, offer: &Offer, tab: TabId) -> Result<Offer, String> {
        if tab != TabId(9) {
            return Err(format!("Tab {} is not part of this chat.", tab.0));
        }
        let tool = ToolRef::Browser { name: offer.tool.name().to_owned(), tab: Some(tab) };
        let (site, origin) = ("mail.example".to_owned(), "https://mail.example".to_owned());
        Ok(Offer { tool, site, origin, ..offer.clone() })
    }

    async fn current_tool(&self, tool: &ToolRef) -> Result<CurrentTool, ToolFailure> {
        let now = if tool.name() == "shifty" { "as it is now" } else { "as offered" };
        let there = self.tools.get(tool.name()).ok_or(ToolFailure::Page(FailureCode::NotFound))?;
        Ok(CurrentTool {
            fingerprint: Fingerprint(now.to_owned()),
            risk: if there.0 { Risk::ReadOnly } else { Risk::Acting },
            schema: Some(self.schema.to_owned()),
            policy: self.policies.borrow().get(tool.name()).copied(),
            changes: None,
            page: None,
        })
    }

    async fn is_switched_off(&self, target: &Target) -> bool {
        let does = self.tools.get(target.tool.name()).map(|(_, does)| does);
        matches!(does, Some(Does::Meanwhile(said)) if said.contains(&UserCommand::ToolsDecided))
    }

    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake> {
        for command in &self.while_checked {
            self.user.unbounded_send(command.clone()).unwrap();
        }
        Validators::default().mistake(schema, arguments)
    }

    async fn examine(
        &self,
        _call: &CallId,
        _tool: &ToolRef,
        _arguments: &str,
    ) -> Result<Examined, Box<ToolOutcome>> {
        if self.card.is_some() {
            self.while_checked.iter().for_each(|said| self.user.unbounded_send(said.clone()).unwrap());
        }
        Ok(Examined { access: None, card: self.card.clone(), frame_origin: self.frame_origin.clone() })
    }

    async fn picture(&self, _call: &CallId) -> Option<Picture> {
        self.while_pictured.iter().for_each(|said| self.user.unbounded_send(said.clone()).unwrap());
        // It takes a moment.
        let mut is_taken = false;
        poll_fn(|context| {
            context.waker().wake_by_ref();
            if std::mem::replace(&mut is_taken, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        self.picture.clone()
    }

    async fn dismiss(&self, call: &CallId) {
        self.dismissed.borrow_mut().push(call.clone());
    }

    fn nfkc(&self, text: &str) -> String {
        nfkc(text)
    }

    async fn call(&self, _call: &CallId, tool: &ToolRef, arguments: &str) -> ToolOutcome {
        self.ran.borrow_mut().push((tool.name().to_owned(), arguments.to_owned()));
        match &self.tools[tool.name()].1 {
            Does::Returns(outcome) => outcome.clone(),
            Does::LeadsTo(_) => ToolOutcome::left(),
            Does::Hangs => pending().await,
            Does::Meanwhile(commands) => {
                for command in commands {
                    self.user.unbounded_send(command.clone()).unwrap();
                }
                pending().await
            }
        }
    }

    async fn seen(&self, _tool: &ToolRef) -> Seen {
        self.looks.set(self.looks.get() + 1);
        let here = self.tools.keys().filter(|name| self.is_here(name)).count();
        Seen { address: String::new(), revision: here as u64, tools: here }
    }

    async fn new_page(&self, tool: &ToolRef) -> ToolOutcome {
        match &self.tools[tool.name()].1 {
            Does::LeadsTo(outcome) => outcome.clone(),
            Does::Returns(_) | Does::Hangs | Does::Meanwhile(_) => ToolOutcome::left(),
        }
    }
}

/// A log on a disk that can be full.
#[derive(Default)]
pub struct MemoryDisk {
    pub entries: RefCell<Rc<Vec<Entry>>>,
    pub drafts: Rc<RefCell<Vec<String>>>,
    pub room: Cell<Option<usize>>,
    /// By digest, in base64.
    pub pictures: RefCell<HashMap<String, String>>,
}

impl Store for MemoryDisk {
    fn log(&self) -> Rc<Vec<Entry>> {
        self.entries.borrow().clone()
    }

    async fn append(&self, entry: Entry) -> Result<(), StoreError> {
        let mut entries = self.entries.borrow_mut();
        if self.room.get().is_some_and(|room| entries.len() >= room) {
            return Err(StoreError::new(StorageTrouble::Full, "QuotaExceededError"));
        }
        // Writing and reading back must not change an entry.
        let text = serde_json::to_string(&entry).unwrap();
        assert_eq!(entry, serde_json::from_str::<Entry>(&text).unwrap());
        Rc::get_mut(&mut entries).expect("nobody holds on to a log that grows").push(entry);
        Ok(())
    }

    async fn save_draft(&self, reasoning: &str, text: &str) {
        self.drafts.borrow_mut().push(format!("{reasoning}|{text}"));
    }

    async fn picture(&self, digest: &str) -> Option<String> {
        self.pictures.borrow().get(digest).cloned()
    }
}

/// A clock with the nonce for ids. Each reading takes 100 ms, and a sleep moves it forward at once.
pub struct VirtualClock(pub Cell<Timestamp>, pub &'static str);

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        self.0.set(self.0.get() + 100);
        self.0.get()
    }

    async fn sleep(&self, milliseconds: u64) {
        // Let all other tasks go first, as real time would.
        let mut yielded = false;
        futures::future::poll_fn(|context| {
            if std::mem::replace(&mut yielded, true) {
                return std::task::Poll::Ready(());
            }
            context.waker().wake_by_ref();
            std::task::Poll::Pending
        })
        .await;
        self.0.set(self.0.get() + milliseconds);
    }

    fn jitter(&self) -> f64 {
        0.5
    }

    fn nonce(&self) -> String {
        self.1.to_owned()
    }
}
