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

/// The page actions in a document: what it says to each message; with the event `gone` it goes away.
pub type PageScript = Rc<dyn Fn(&serde_json::Value) -> Vec<serde_json::Value>>;

/// Documents with their page actions.
#[derive(Default)]
pub struct Scripts(RefCell<Vec<(DocumentId, PageScript)>>);

impl std::fmt::Debug for Scripts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scripts").finish_non_exhaustive()
    }
}

impl std::ops::Deref for Scripts {
    type Target = RefCell<Vec<(DocumentId, PageScript)>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// The writing end of an answer's body.
pub type AnswerBody = UnboundedSender<Result<Vec<u8>, String>>;

/// A model's service. Clones share its state.
#[derive(Debug, Clone, Default)]
pub struct FakeModel {
    /// The bodies of all answers so far, each open until the test closes it.
    pub answers: Rc<RefCell<Vec<AnswerBody>>>,
    pub models: Rc<RefCell<Vec<ModelInfo>>>,
    keys: Keys,
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

impl CodeParts for FakeBrowser {
    async fn run_turn(turn: TurnTask<Self>) {
        turn.run().await;
    }

    async fn make_eval(eval: EvalTask<Self>) {
        eval.run().await;
    }

    async fn revive_turns(actor: &mut Actor<Self>) {
        actor.revive_turns().await;
    }

    async fn thread_view(
        actor: &mut Actor<Self>,
        thread: &ThreadId,
    ) -> Result<Option<ThreadView>, ReadError> {
        actor.thread_view(thread).await
    }

    async fn answer(actor: &mut Actor<Self>, link: LinkId, request: Request, is_told: bool) {
        actor.answer(link, request, is_told).await;
    }

    async fn deal_with_turn(actor: &mut Actor<Self>, event: TurnEvent) {
        actor.deal_with_turn(event).await;
    }

    async fn run_lifecycle(browser: Self, queue: LifecycleQueue) {
        run_lifecycle(browser, queue).await;
    }

    async fn deal_with_requested(actor: &mut Actor<Self>, event: RequestEvent) {
        actor.deal_with_requested(event).await;
    }

    async fn make_page_call(call: PageCallTask<Self>) {
        call.run().await;
    }

    async fn make_hand_run(run: HandRunTask<Self>) {
        run.run().await;
    }

    async fn look_at_page(browser: Self, look: SkillLook) {
        look_at_page(browser, look).await;
    }

    fn prefetch(&self) {}
}

impl SkillParts for FakeBrowser {
    async fn run_skill(call: SkillCall<'_, Self>) -> ToolOutcome {
        call.run().await
    }

    async fn run_page_call(call: PageCallRun<Self>) -> ToolOutcome {
        call.run().await
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

    async fn schema_problem(&self, _schema: &str) -> String {
        String::new()
    }
}

impl TestBridgePort for FakeBrowser {
    async fn offer_test_bridge(&self, origins: &[String]) -> Result<(), String> {
        self.0.test_bridge.replace(origins.to_vec());
        Ok(())
    }
}

impl PagePort for FakeBrowser {
    fn open_channel(
        &self,
        _tab: TabId,
        document: &DocumentId,
        script: ContentScript,
    ) -> Result<DocumentChannel, ChannelEnd> {
        match script {
            ContentScript::Actions | ContentScript::Health => self.actions_channel(document),
            ContentScript::Relay => {
                self.0.channels.borrow_mut().push(document.clone());
                Ok(self.relay_channel())
            }
        }
    }

    async fn tabs(&self) -> Vec<TabInfo> {
        self.0.tabs.borrow().values().cloned().collect()
    }

    async fn tab(&self, tab: TabId) -> Option<TabInfo> {
        self.0.asked_for_tabs.set(self.0.asked_for_tabs.get() + 1);
        self.0.tabs.borrow().get(&tab).cloned()
    }

    async fn active_tab(&self, window: WindowId) -> Option<TabInfo> {
        let tab = self.0.active.borrow().get(&window).copied()?;
        self.0.tabs.borrow().get(&tab).cloned()
    }

    fn show_tab(&self, tab: TabId) {
        self.tell(format!("show {}", tab.0));
    }

    async fn put_bridge_into(&self, place: Place) {
        self.tell(format!("bridge into {}", place.document));
    }

    async fn page_texts(&self, _tab: TabId) -> Option<PageTexts> {
        let texts = self.0.texts.borrow().clone();
        match texts {
            Some(texts) => Some(texts),
            None => std::future::pending().await,
        }
    }

    async fn document_at(&self, tool: &PageTool, _at_once: bool) -> Option<(DocumentId, Location)> {
        let next = self.0.next_page.borrow().clone().filter(|(from, _)| *from <= self.now());
        Some(match next {
            Some((_, NewDocument { origin, url, .. })) => ("D2".into(), Location { origin, url }),
            None => (tool.document.clone(), Location { origin: String::new(), url: String::new() }),
        })
    }

    async fn ask_relay(&self, tab: TabId, document: &DocumentId, message: &str) -> Option<String> {
        self.tell(format!("ask {} {document} {message}", tab.0));
        let facts = self.0.facts.borrow().get(document).cloned()?;
        match facts {
            Some(text) => Some(text),
            None => std::future::pending().await,
        }
    }

    async fn new_document(&self, _tab: TabId, _document: DocumentId) -> Option<NewDocument> {
        self.0.next_page.borrow().clone().map(|(_, document)| document)
    }
}

impl ActionPort for FakeBrowser {
    async fn put_actions_into(&self, tab: TabId) -> Result<Vec<(FrameId, DocumentId)>, String> {
        self.0.attached.set(self.0.attached.get() + 1);
        let scripts = self.0.scripts.borrow();
        if scripts.is_empty() {
            return Err(format!("Cannot access tab {}", tab.0));
        }
        Ok(scripts
            .iter()
            .enumerate()
            .map(|(at, (document, _))| (FrameId(at as i32), document.clone()))
            .collect())
    }

    async fn put_file_into(&self, _tab: TabId, document: &DocumentId, file: PageFile) -> Result<(), String> {
        if !self.0.scripts.borrow().iter().any(|(known, _)| known == document) {
            return Err(format!("No document with id {document}"));
        }
        self.0.page_files.borrow_mut().push((document.clone(), file));
        Ok(())
    }

    async fn capture(&self, _window: WindowId, part: [f64; 4], longest_edge: u32) -> Option<NewPicture> {
        self.0.captured.borrow_mut().push(part);
        self.0.edges.borrow_mut().push(longest_edge);
        self.fit_picture("image/png", "iVBORw0KGgo=").await
    }

    async fn fit_picture(&self, media_type: &str, data: &str) -> Option<NewPicture> {
        let new = NewPicture { media_type: PictureType::Png, width: 2, height: 1, data: data.to_owned() };
        (media_type == "image/png" && new.size().is_some()).then_some(new)
    }

    async fn create_tab(&self, url: &str) -> Option<TabInfo> {
        self.tell(format!("open {url}"));
        // A test that wants it to open has put the tab there.
        self.0.tabs.borrow().values().find(|tab| tab.url == url).cloned()
    }

    async fn close_tab(&self, tab: TabId) -> bool {
        self.tell(format!("close {}", tab.0));
        true
    }

    async fn fetch_elsewhere(&self, _: CrossRequest) -> Result<CrossAnswer, RequestFault> {
        Err(RequestFault::Network)
    }

    async fn lead_tab(&self, tab: TabId, to: &str) -> bool {
        self.tell(format!("lead {} to {to}", tab.0));
        true
    }

    async fn code_access(&self) -> CodeAccess {
        self.0.code_access.get()
    }

    async fn run_code(&self, run: &CodeRun) -> Result<Option<String>, CodeFault> {
        if self.0.code_access.get() != CodeAccess::On {
            return Err(CodeFault::Off);
        }
        if !self.0.scripts.borrow().iter().any(|(known, _)| *known == run.document) {
            return Err(CodeFault::Gone);
        }
        self.0.code_runs.borrow_mut().push(run.clone());
        let told = self.0.code_told.borrow_mut().pop_front();
        match told {
            Some(told) => Ok(told),
            None => std::future::pending().await,
        }
    }
}

impl OpenTabs for FakeBrowser {
    async fn has(&self, tab: TabId) -> bool {
        self.0.tabs.borrow().contains_key(&tab)
    }
}

impl TabPort for FakeBrowser {
    fn ask_for_tools(&self, tab: TabId) {
        self.tell(format!("ask {}", tab.0));
    }

    fn write_badge(&self, tab: TabId, text: &str) {
        self.tell(format!("badge {} {text:?}", tab.0));
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

impl FakeBrowser {
    fn actions_channel(&self, document: &DocumentId) -> Result<DocumentChannel, ChannelEnd> {
        let scripts = self.0.scripts.borrow();
        let script =
            scripts.iter().find(|(known, _)| known == document).ok_or(ChannelEnd::NeverHeard)?.1.clone();
        let (messages, heard) = unbounded();
        let send = move |text: &str| {
            let message: serde_json::Value = serde_json::from_str(text).unwrap();
            for said in script(&message) {
                if said["event"] == "gone" {
                    messages.close_channel();
                    return true;
                }
                let _ = messages.unbounded_send(Ok(said.to_string()));
            }
            true
        };
        Ok(DocumentChannel { send: Box::new(send), heard })
    }

    /// A relay that answers each call with the next of the results.
    fn relay_channel(&self) -> DocumentChannel {
        let (messages, heard) = unbounded();
        let this = self.clone();
        let send = move |text: &str| {
            match serde_json::from_str(text).unwrap() {
                RelayCommand::ListTools { .. } | RelayCommand::ListFacts { .. } => {}
                RelayCommand::CallTool { request_id, tool_name, args } => {
                    this.tell(format!("call {tool_name} {args}"));
                    if let Some(result) = this.0.results.borrow_mut().pop_front() {
                        let answer = result.map(|result| {
                            serde_json::to_string(&ToolResult { request_id, ..result }).unwrap()
                        });
                        let _ = messages.unbounded_send(answer);
                    }
                }
                RelayCommand::ShowSkills { tools, .. } => {
                    let names: Vec<_> = tools.into_iter().map(|tool| tool.name).collect();
                    this.tell(format!("show skills {}", names.join(" ")));
                }
                RelayCommand::SkillResult { request_id, ok, text } => {
                    this.tell(format!("result of {request_id}: {ok} {text}"));
                }
                RelayCommand::CancelCall { request_id } => this.0.cancelled.borrow_mut().push(request_id),
            }
            true
        };
        DocumentChannel { send: Box::new(send), heard }
    }
}

impl LlmTransport for FakeModel {
    type Body = UnboundedReceiver<Result<Vec<u8>, String>>;

    fn keys(&self) -> &Keys {
        &self.keys
    }

    async fn post(&self, _request: HttpRequest) -> Result<Response<Self::Body>, ModelError> {
        let (answer, body) = unbounded();
        self.answers.borrow_mut().push(answer);
        Ok(Response { status: 200, headers: Vec::new(), body })
    }

    async fn abilities(&self, _endpoint: &Endpoint, _model: &str) -> ModelAbilities {
        ModelAbilities::default()
    }
}

impl ModelTransport for FakeModel {
    async fn models(&self, _endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelError> {
        Ok(self.models.borrow().clone())
    }
}
