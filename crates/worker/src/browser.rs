//! The browser that this worker runs in ([`sidecar_session::BrowserPort`]).

use gloo_net::http::RequestBuilder;
use js_sys::JsString;
use sidecar_agent::Clock;
use sidecar_chrome::{extension, language_model, link};
use sidecar_disk::{Database, Storage};
use sidecar_evals::exchange::{LeadQuestion, LedStep};
use sidecar_protocol::eval::{SuiteCheck, SuiteQuestion};
use sidecar_protocol::link::{Request, ThreadView};
use sidecar_protocol::lint::{ContractQuestion, ContractView, LintNote, LintQuestion};
use sidecar_protocol::recording::{TurnCase, TurnQuestion};
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::tool_run::PlacedMistake;
use sidecar_protocol::{ThreadId, Timestamp};
use sidecar_schema::Mistake;
use sidecar_session::actions::page_call::PageCallRun;
use sidecar_session::actions::skill::SkillCall;
use sidecar_session::attention::Asking;
use sidecar_session::browser::{BrowserPort, FileFault, StorageArea};
use sidecar_session::chat::Moment;
use sidecar_session::event::{RequestEvent, TurnEvent};
use sidecar_session::panels::LinkId;
use sidecar_session::settings::Access;
use sidecar_session::skill_parts::SkillParts;
use sidecar_session::skills::lifecycle::LifecycleQueue;
use sidecar_session::skills::on_page::SkillLook;
use sidecar_session::threads::ReadError;
use sidecar_session::{
    Actor, CodeParts, EvalTask, HandRunTask, Mailbox, PageCallTask, SessionEvent, TurnTask,
};
use wasm_bindgen_futures::spawn_local;

use crate::transport::Transport;
use crate::{attention, clock, inspector, packages, validator};

pub mod parts;

/// The browser, with the actor's queue.
#[derive(Debug, Clone)]
pub struct ThisBrowser(pub Mailbox);

impl BrowserPort for ThisBrowser {
    type Storage = Storage;
    type Disk = Database;
    type Transport = Transport;

    fn storage(&self, area: StorageArea) -> Storage {
        Storage(area)
    }

    fn open_disk(&self, calls_kept: u32) -> Database {
        Database::new(self.0.clone(), calls_kept)
    }

    fn transport(&self, access: Access) -> Transport {
        Transport::to(access)
    }

    fn post(&self, event: impl Into<SessionEvent>) {
        self.0.post(event);
    }

    fn spawn(&self, work: impl Future<Output = ()> + 'static) {
        spawn_local(work);
    }

    fn spawn_awake(&self, work: impl Future<Output = ()> + 'static) {
        spawn_local(clock::awake(work));
    }

    fn moment(&self) -> Moment {
        Moment { now: clock::now(), nonce: clock::random_uuid() }
    }

    fn today(&self, language: Language) -> String {
        clock::today(language)
    }

    fn ui_language(&self) -> String {
        link::ui_language()
    }

    fn has_model(&self) -> bool {
        language_model::is_known()
    }

    fn is_private(&self) -> bool {
        extension::is_private()
    }

    fn paint_icon(&self, calls_user: bool) {
        attention::paint(calls_user);
    }

    fn notify(&self, asking: &Asking) {
        attention::notify(asking);
    }

    fn take_notifications_away(&self, ids: &[String]) {
        attention::take_away(ids);
    }

    fn warn(&self, text: &str) {
        web_sys::console::warn_1(&text.into());
    }

    async fn skill_file(&self, name: &str) -> Option<String> {
        let response = RequestBuilder::new(&format!("skills/{name}")).send().await.ok()?;
        if response.ok() { response.text().await.ok() } else { None }
    }

    async fn read_package(&self, question: &str) -> Option<String> {
        packages::read(question).await
    }

    async fn fetch_file(&self, address: &str) -> Result<String, FileFault> {
        packages::fetch(address).await
    }

    fn nfkc(&self, text: &str) -> String {
        String::from(JsString::from(text).normalize("NFKC"))
    }

    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake> {
        validator::mistake(schema, arguments).await
    }

    async fn mistakes(&self, schema: &str, arguments: &str) -> Vec<PlacedMistake> {
        validator::mistakes(schema, arguments).await
    }

    async fn lint(&self, question: &LintQuestion) -> Option<Vec<LintNote>> {
        inspector::lint(question).await
    }

    async fn contract(&self, question: &ContractQuestion) -> Option<ContractView> {
        inspector::contract(question).await
    }

    async fn eval_step(&self, question: &LeadQuestion) -> Option<LedStep> {
        inspector::eval_step(question).await
    }

    async fn record_case(&self, question: &TurnQuestion) -> Option<TurnCase> {
        inspector::record_case(question).await
    }

    async fn check_suite(&self, question: &SuiteQuestion) -> Option<Vec<SuiteCheck>> {
        inspector::check_suite(question).await
    }

    async fn example(&self, schema: &str) -> String {
        inspector::example(schema).await
    }

    async fn schema_problem(&self, schema: &str) -> String {
        validator::problem(schema).await
    }
}

impl SkillParts for ThisBrowser {
    async fn run_skill(call: SkillCall<'_, Self>) -> ToolOutcome {
        parts::run_skill(call).await
    }

    async fn run_page_call(call: PageCallRun<Self>) -> ToolOutcome {
        parts::run_page_call(call).await
    }
}

impl CodeParts for ThisBrowser {
    async fn make_page_call(call: PageCallTask<Self>) {
        parts::make_page_call(call).await;
    }

    async fn make_hand_run(run: HandRunTask<Self>) {
        parts::make_hand_run(run).await;
    }

    async fn make_eval(eval: EvalTask<Self>) {
        parts::make_eval(eval).await;
    }

    async fn run_turn(turn: TurnTask<Self>) {
        parts::run_turn(turn).await;
    }

    async fn revive_turns(actor: &mut Actor<Self>) {
        parts::revive_turns(actor).await;
    }

    async fn thread_view(
        actor: &mut Actor<Self>,
        thread: &ThreadId,
    ) -> Result<Option<ThreadView>, ReadError> {
        parts::thread_view(actor, thread).await
    }

    async fn answer(actor: &mut Actor<Self>, link: LinkId, request: Request, is_told: bool) {
        parts::answer(actor, link, request, is_told).await;
    }

    async fn deal_with_turn(actor: &mut Actor<Self>, event: TurnEvent) {
        parts::deal_with_turn(actor, event).await;
    }

    async fn deal_with_requested(actor: &mut Actor<Self>, event: RequestEvent) {
        parts::deal_with_requested(actor, event).await;
    }

    async fn run_lifecycle(browser: Self, queue: LifecycleQueue) {
        parts::run_lifecycle(browser, queue).await;
    }

    async fn look_at_page(browser: Self, look: SkillLook) {
        parts::look_at_page(browser, look).await;
    }

    fn prefetch(&self) {
        spawn_local(parts::prefetch());
    }
}

impl Clock for ThisBrowser {
    fn now(&self) -> Timestamp {
        clock::now()
    }

    async fn sleep(&self, milliseconds: u64) {
        clock::sleep(milliseconds).await;
    }

    fn jitter(&self) -> f64 {
        js_sys::Math::random()
    }

    fn nonce(&self) -> String {
        format!(".{}", clock::random_uuid())
    }
}
