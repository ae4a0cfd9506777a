//! A browser in memory. The test advances its clock and writes the model's answers.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::channel::oneshot;
use futures::executor::LocalSpawner;
use futures::task::LocalSpawnExt;
use sidecar_agent::new_page::{Location, NewDocument};
use sidecar_agent::{Clock, Keys, LlmTransport, Response, fence};
use sidecar_evals::exchange::{self, LeadQuestion, LedStep};
use sidecar_llm::{Endpoint, HttpRequest, ModelAbilities};
use sidecar_protocol::eval::{SuiteCheck, SuiteQuestion};
use sidecar_protocol::link::{Request, ThreadView};
use sidecar_protocol::lint::{
    ContractQuestion, ContractView, InspectedRun, InspectedTool, LintNote, LintQuestion, NoteWeight,
};
use sidecar_protocol::page::{RelayCommand, ToolResult};
use sidecar_protocol::picture::{NewPicture, PictureType};
use sidecar_protocol::recording::{TurnCase, TurnQuestion};
use sidecar_protocol::settings::{Language, ModelInfo};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::tool_run::PlacedMistake;
use sidecar_protocol::{
    CallId, DocumentId, FrameId, ModelError, PageTool, TabId, ThreadId, Timestamp, WindowId,
};
use sidecar_schema::Mistake;
use sidecar_webmcp::Place;

use super::{Areas, Disk, Memory};
use crate::actions::code::run_lifecycle;
use crate::actions::page_call::PageCallRun;
use crate::actions::skill::SkillCall;
use crate::actor::Actor;
use crate::actor::code_parts::CodeParts;
use crate::actor::eval_task::EvalTask;
use crate::actor::hand_run_task::HandRunTask;
use crate::actor::page_call_task::PageCallTask;
use crate::actor::skill_look::look_at_page;
use crate::actor::turn_task::TurnTask;
use crate::attention::Asking;
use crate::browser::{
    ActionPort, BrowserPort, ChannelEnd, CodeAccess, CodeFault, CodeRun, ContentScript, CrossAnswer,
    CrossRequest, DocumentChannel, FileFault, ModelTransport, PageFile, PagePort, PageTexts, RequestFault,
    StorageArea, TestBridgePort,
};
use crate::chat::{Moment, OpenTabs};
use crate::event::{RequestEvent, SessionEvent, TurnEvent};
use crate::panels::LinkId;
use crate::settings::Access;
use crate::skill_parts::SkillParts;
use crate::skills::lifecycle::LifecycleQueue;
use crate::skills::on_page::SkillLook;
use crate::tabs::{TabInfo, TabPort};
use crate::threads::ReadError;
use crate::unfinished::Alarm;

mod model;
mod pages;
mod parts;

pub use model::FakeModel;
pub use pages::{PageScript, Scripts};

/// The browser. Clones share its state.
#[derive(Debug, Clone)]
pub struct FakeBrowser(pub Rc<BrowserState>);

/// The state of the browser, and the commands it was given.
#[derive(Debug)]
pub struct BrowserState {
    pub events: UnboundedSender<SessionEvent>,
    pub spawner: LocalSpawner,
    pub storage: Areas,
    pub disk: Disk,
    pub is_private: bool,
    /// Whether the actor wants the worker kept alive.
    pub is_kept_awake: Cell<bool>,
    pub tabs: RefCell<BTreeMap<TabId, TabInfo>>,
    pub active: RefCell<BTreeMap<WindowId, TabId>>,
    pub model: FakeModel,
    /// What each transport to the model was given, in order.
    pub accesses: RefCell<Vec<Access>>,
    /// The results of tool calls, in order; without one, a call waits forever.
    pub results: RefCell<VecDeque<Result<ToolResult, ChannelEnd>>>,
    /// The documents to whose relay a channel was opened, and the calls that were cancelled there.
    pub channels: RefCell<Vec<DocumentId>>,
    pub cancelled: RefCell<Vec<CallId>>,
    /// What relays tell of their tools: one that is not here is not there, one without a text never answers.
    pub facts: RefCell<HashMap<DocumentId, Option<String>>>,
    /// The texts of pages; if absent, reading one waits forever.
    pub texts: RefCell<Option<PageTexts>>,
    /// The document that replaces a tool's document, and from which time on.
    pub next_page: RefCell<Option<(Timestamp, NewDocument)>>,
    /// The page actions in each document of every tab, the top one first; without any, none can be put in.
    pub scripts: Scripts,
    /// The parts of a window of which pictures were taken.
    pub captured: RefCell<Vec<[f64; 4]>>,
    /// The longest edges of those pictures.
    pub edges: RefCell<Vec<u32>>,
    /// How often the browser was asked for a tab.
    pub asked_for_tabs: Cell<u32>,
    /// How often the first file of the page script was put into all documents of a tab.
    pub attached: Cell<u32>,
    /// Later files of the page script, as they were put into documents.
    pub page_files: RefCell<Vec<(DocumentId, PageFile)>>,
    /// Whether the user allows code of SKILLs.
    pub code_access: Cell<CodeAccess>,
    /// The code that was run, in order.
    pub code_runs: RefCell<Vec<CodeRun>>,
    /// What code tells, in order; without it, code waits forever.
    pub code_told: RefCell<VecDeque<Option<String>>>,
    /// The files in the extension's folder of SKILLs.
    pub skill_files: RefCell<HashMap<String, String>>,
    /// What is at addresses, in base64, or why it cannot be read.
    pub files: RefCell<HashMap<String, Result<String, FileFault>>>,
    /// The origins to which it offers the test bridge.
    pub test_bridge: RefCell<Vec<String>>,
    /// The commands it was given, in order.
    pub told: RefCell<Vec<String>>,
    now: Cell<Timestamp>,
    moments: Cell<u64>,
    timers: RefCell<Vec<(Timestamp, oneshot::Sender<()>)>>,
}

impl FakeBrowser {
    pub fn new(
        events: UnboundedSender<SessionEvent>,
        spawner: LocalSpawner,
        (storage, disk): (Areas, Disk),
        is_private: bool,
    ) -> Self {
        let (tabs, active, model, accesses, results, texts, next_page, scripts, captured, told) =
            Default::default();
        let (now, moments, timers) = (Cell::new(1_000_000), Cell::default(), RefCell::default());
        Self(Rc::new(BrowserState {
            events,
            spawner,
            storage,
            disk,
            is_private,
            is_kept_awake: Cell::default(),
            tabs,
            active,
            model,
            accesses,
            results,
            channels: RefCell::default(),
            cancelled: RefCell::default(),
            facts: RefCell::default(),
            texts,
            next_page,
            scripts,
            captured,
            edges: RefCell::default(),
            asked_for_tabs: Cell::default(),
            attached: Cell::default(),
            page_files: RefCell::default(),
            code_access: Cell::default(),
            code_runs: RefCell::default(),
            code_told: RefCell::default(),
            skill_files: RefCell::default(),
            files: RefCell::default(),
            test_bridge: RefCell::default(),
            told,
            now,
            moments,
            timers,
        }))
    }

    /// Takes the commands it was given since the last call.
    pub fn take_told(&self) -> Vec<String> {
        self.0.told.take()
    }

    fn tell(&self, what: String) {
        self.0.told.borrow_mut().push(what);
    }

    /// Advances the clock to the next timer that is due by `until` and fires it. If there is none, advances
    /// to `until` and returns `false`.
    pub fn ring_next(&self, until: Timestamp) -> bool {
        let mut timers = self.0.timers.borrow_mut();
        timers.retain(|(_, timer)| !timer.is_canceled());
        let next = (0..timers.len()).min_by_key(|at| timers[*at].0).filter(|at| timers[*at].0 <= until);
        let Some(next) = next else {
            self.0.now.set(self.0.now.get().max(until));
            return false;
        };
        let (at, timer) = timers.remove(next);
        self.0.now.set(at.max(self.0.now.get()));
        let _ = timer.send(());
        true
    }
}

impl BrowserPort for FakeBrowser {
    type Storage = Memory;
    type Disk = Disk;
    type Transport = FakeModel;

    fn storage(&self, area: StorageArea) -> Memory {
        self.0.storage.of(area).clone()
    }

    fn open_disk(&self, _calls_kept: u32) -> Disk {
        self.0.disk.clone()
    }

    fn transport(&self, access: Access) -> FakeModel {
        self.0.accesses.borrow_mut().push(access);
        self.0.model.clone()
    }

    fn post(&self, event: impl Into<SessionEvent>) {
        let _ = self.0.events.unbounded_send(event.into());
    }

    fn spawn(&self, work: impl Future<Output = ()> + 'static) {
        self.0.spawner.spawn_local(work).unwrap();
    }

    fn spawn_awake(&self, work: impl Future<Output = ()> + 'static) {
        self.spawn(work);
    }

    fn moment(&self) -> Moment {
        self.0.moments.set(self.0.moments.get() + 1);
        Moment { now: self.now(), nonce: format!("{:08x}-0000", self.0.moments.get()) }
    }

    fn today(&self, _language: Language) -> String {
        "2026-11-23 (Monday)".to_owned()
    }

    fn ui_language(&self) -> String {
        "en".to_owned()
    }

    fn has_model(&self) -> bool {
        false
    }

    fn is_private(&self) -> bool {
        self.0.is_private
    }

    fn paint_icon(&self, calls_user: bool) {
        self.tell(format!("icon calls: {calls_user}"));
    }

    fn notify(&self, asking: &Asking) {
        self.tell(format!("notify {}", asking.approval.tool));
    }

    fn take_notifications_away(&self, ids: &[String]) {
        if !ids.is_empty() {
            self.tell(format!("take away {}", ids.len()));
        }
    }

    fn warn(&self, text: &str) {
        self.tell(format!("warn {text}"));
    }

    async fn skill_file(&self, name: &str) -> Option<String> {
        self.tell(format!("read skills/{name}"));
        self.0.skill_files.borrow().get(name).cloned()
    }

    async fn read_package(&self, question: &str) -> Option<String> {
        Some(sidecar_skills::import::answer(question))
    }

    async fn fetch_file(&self, address: &str) -> Result<String, FileFault> {
        self.tell(format!("fetch {address}"));
        let file = self.0.files.borrow().get(address).cloned();
        file.unwrap_or_else(|| Err(FileFault::Unread("404".to_owned())))
    }

    fn nfkc(&self, text: &str) -> String {
        text.to_owned()
    }

    async fn mistake(&self, _schema: &str, _arguments: &str) -> Option<Mistake> {
        None
    }

    async fn lint(&self, question: &LintQuestion) -> Option<Vec<LintNote>> {
        let note = |tool: &str, message: &str, excerpt: String| LintNote {
            rule: "fake".to_owned(),
            weight: NoteWeight::Info,
            tool: tool.to_owned(),
            pointer: String::new(),
            message: message.to_owned(),
            way_out: String::new(),
            excerpt,
        };
        for told in &question.facts {
            self.tell(format!("facts of {} {}: {}", told.origin, told.frame.0, told.text));
        }
        for rule in &question.on {
            self.tell(format!("on {rule}"));
        }
        for tool in &question.tools {
            if let Some(page) = &tool.differs_on {
                self.tell(format!("{} differs on {page}", tool.description.name));
            }
        }
        if let Some(InspectedRun { run, schema }) = &question.run {
            let text = run.outcome.text().unwrap_or_default();
            return Some(vec![note(&run.tool, &text, schema.clone().unwrap_or_default())]);
        }
        let of_tool = |tool: &InspectedTool| {
            note(&tool.description.name, &tool.origin, format!("{:?}", question.profile))
        };
        Some(question.tools.iter().map(of_tool).collect())
    }

    async fn mistakes(&self, schema: &str, arguments: &str) -> Vec<PlacedMistake> {
        sidecar_schema::Validators::default().mistakes(schema, arguments)
    }

    async fn contract(&self, _question: &ContractQuestion) -> Option<ContractView> {
        None
    }

    async fn eval_step(&self, question: &LeadQuestion) -> Option<LedStep> {
        Some(exchange::answer(question, fence::framed, &mut |_, _| None))
    }

    async fn record_case(&self, question: &TurnQuestion) -> Option<TurnCase> {
        let tools = question.tools.iter().map(|tool| tool.name.clone()).collect();
        let turn = question.turns.last()?;
        Some(TurnCase { name: turn.said.clone(), suite: serde_json::to_string(turn).ok(), notes: tools })
    }

    async fn check_suite(&self, question: &SuiteQuestion) -> Option<Vec<SuiteCheck>> {
        Some(sidecar_evals::lint::answer(question))
    }

    async fn example(&self, schema: &str) -> String {
        format!(r#"{{"of":{}}}"#, schema.len())
    }

    async fn schema_problem(&self, schema: &str) -> String {
        if schema.contains("dict") {
            "/type: \"dict\u{202e}\" is not a type".to_owned()
        } else {
            String::new()
        }
    }
}

impl TestBridgePort for FakeBrowser {
    async fn offer_test_bridge(&self, origins: &[String]) -> Result<(), String> {
        self.0.test_bridge.replace(origins.to_vec());
        Ok(())
    }
}

impl Alarm for FakeBrowser {
    async fn set(&self) {
        self.tell("alarm set".to_owned());
    }

    async fn clear(&self) {
        self.tell("alarm cleared".to_owned());
    }
}

impl Clock for FakeBrowser {
    fn now(&self) -> Timestamp {
        self.0.now.get()
    }

    async fn sleep(&self, milliseconds: u64) {
        let (timer, rings) = oneshot::channel();
        self.0.timers.borrow_mut().push((self.now() + milliseconds, timer));
        let _ = rings.await;
    }

    fn jitter(&self) -> f64 {
        0.5
    }

    fn nonce(&self) -> String {
        format!(".{}", self.moment().nonce)
    }
}
