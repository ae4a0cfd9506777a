//! Runs the tools of SKILLs: their steps ask the page actions, and act through them.

use std::cell::{Cell, RefCell};

use futures::channel::oneshot;
use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_agent::Interaction;
use sidecar_agent::call::no_provider;
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::page::{FailureCode, InteractionKind, InteractionPhase};
use sidecar_protocol::skill::SkillTrace;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome, ToolStep};
use sidecar_protocol::{ActionOutcome, CallId, DocumentId, TabId, Timestamp};
use sidecar_skills::SkillDefinition;
use sidecar_skills::definition::wording::ByLanguage;
use sidecar_skills::definition::{Code, SkillTool, ToolClass};
use sidecar_skills::run::{
    ActionKind, AskPort, CrossAnswer, CrossRequest, NoAnswer, RequestFault, SkillEnd, StepAction, StepPort,
    UserStep, kept_from, run,
};
use sidecar_skills::template::Values;
use sidecar_webmcp::Address;

use super::acted_mark::{self, ActedMark};
use super::code::{self, CodeResult, SkillCode};
use super::frames::ActionFrame;
use super::link::{self, Lost};
use super::{ACTION_LIMIT_MS, Acted, PageActions};
use crate::browser::{BrowserPort, StorageArea};
use crate::event::{TurnEvent, WorkEvent};
use crate::skills::{SkillPlace, SkillRun, reading};
use crate::tabs::Loading;

/// How long a request of a step may take on top of the silence of a document, in milliseconds.
const REQUEST_LIMIT_MS: u64 = 30_000;

/// How long a tab may take to begin to load after it was led elsewhere, in milliseconds, and how often it is looked at.
const LEAD_LIMIT_MS: u64 = 10_000;
const LEAD_INTERVAL_MS: u64 = 50;

/// Why the top document was not asked, or does not answer.
enum AskFault {
    /// It is not one of the SKILL's, or its site is hidden.
    Elsewhere,
    /// As for every request.
    Lost(Lost),
}

/// The page of a tool that runs.
struct SkillPage<'p, B: BrowserPort> {
    actions: &'p PageActions<B>,
    call: &'p CallId,
    definition: &'p SkillDefinition,
    /// The tab in which the steps are done now.
    tab: Cell<TabId>,
    /// The tool's own tab, if it opened one.
    own: Cell<Option<TabId>>,
    /// The document in which the steps are done.
    document: RefCell<Option<DocumentId>>,
    /// The first document that answered.
    began_in: RefCell<Option<DocumentId>>,
    /// The document of which the browser said last that it is at an address of the SKILL.
    on_site: RefCell<Option<DocumentId>>,
    /// Until when another document may take its place: the tool, or the user in its stead, leads somewhere.
    leads_until: Cell<i64>,
    /// Whether the page says that the user is to do something.
    is_users_turn: Cell<bool>,
    /// What the worker after this one has to know of a tool that acts.
    mark: Option<ActedMark<B::Storage>>,
}

/// A call of a SKILL's tool.
pub struct SkillCall<'c, B: BrowserPort> {
    /// The page actions of the turn.
    pub actions: &'c PageActions<B>,
    /// The call.
    pub call: &'c CallId,
    /// The tab in which the tool begins.
    pub tab: TabId,
    /// Where the files of the SKILL are.
    pub place: SkillPlace,
    /// The tool's name.
    pub name: &'c str,
    /// JSON text.
    pub arguments: &'c str,
}

impl<B: BrowserPort> SkillCall<'_, B> {
    /// Runs the tool.
    pub async fn run(self) -> ToolOutcome {
        let Self { actions, call, tab, place, name, arguments } = self;
        let Some(definition) = reading::definition(&actions.browser, &place).await else {
            return no_provider();
        };
        let Some(tool) = definition.tools.iter().find(|tool| tool.name == name) else { return no_provider() };
        actions.run_skill(call, tab, &place, &definition, tool, arguments).await
    }
}

impl<B: BrowserPort> PageActions<B> {
    /// The mark of a call that can act; of one in a private window nothing is kept.
    ///
    /// # Errors
    /// It began in a document that is no longer there, or the mark of an earlier worker cannot be taken away.
    async fn mark(
        &self,
        call: &CallId,
        tool: &SkillTool,
        tab: TabId,
    ) -> Result<Option<ActedMark<B::Storage>>, ActionOutcome> {
        if tool.class == ToolClass::Read || self.browser.is_private() {
            return Ok(None);
        }
        let storage = self.browser.storage(StorageArea::Session);
        let Some(top) = self.attached(tab).await.ok().and_then(|frames| frames.top()) else {
            return acted_mark::forget(&storage, call)
                .await
                .map(|()| None)
                .map_err(|_| ActionOutcome::Blocked);
        };
        let mark = ActedMark::begin(storage, call, &top.document).await;
        mark.map(Some).ok_or(ActionOutcome::Changed)
    }

    /// Runs a tool of a SKILL in a tab.
    async fn run_skill(
        &self,
        call: &CallId,
        tab: TabId,
        place: &SkillPlace,
        definition: &SkillDefinition,
        tool: &SkillTool,
        arguments: &str,
    ) -> ToolOutcome {
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        let input: Values = match serde_json::from_str(arguments) {
            Ok(input) => input,
            Err(error) => {
                return ToolOutcome::Failed { code: ToolFailure::BadArguments, message: error.to_string() };
            }
        };
        let mark = match self.mark(call, tool, tab).await {
            Ok(mark) => mark,
            Err(outcome) => return told(definition, tool, outcome.into()),
        };
        let page = SkillPage {
            actions: self,
            call,
            definition,
            tab: Cell::new(tab),
            own: Cell::default(),
            document: RefCell::default(),
            began_in: RefCell::default(),
            on_site: RefCell::default(),
            leads_until: Cell::default(),
            is_users_turn: Cell::default(),
            mark,
        };
        let began = self.browser.now();
        let origin =
            Address::of(&self.browser.tab(tab).await.map(|tab| tab.url).unwrap_or_default()).origin();
        let (ended, thrown) = match &tool.code {
            Some(code) => {
                let input = json!(input).to_string();
                page.run_code(place, tool, code, &input).await
            }
            None => (run(&page, definition, tool, input).await, None),
        };
        let document = page.began_in.take();
        drop(page);
        let trace = traced(tool, origin, began, &ended);
        let run = SkillRun {
            id: definition.id.clone(),
            document,
            is_ok: ended.outcome == ActionOutcome::Ok,
            is_changed: ended.outcome == ActionOutcome::Changed,
            trace,
            now: self.browser.now(),
        };
        self.browser.post(TurnEvent::SkillRan { run: Box::new(run) });
        match thrown {
            Some(thrown) => threw(definition, tool, &thrown),
            None => told(definition, tool, ended),
        }
    }
}

/// What the code of a tool threw: its message, which is text of others, and the line in its file.
struct Thrown {
    message: String,
    line: Option<u32>,
}

/// What the model is told of that.
fn threw(definition: &SkillDefinition, tool: &SkillTool, thrown: &Thrown) -> ToolOutcome {
    let file = tool.code.as_ref().map(|code| code.file.as_str()).unwrap_or_default();
    let line = thrown.line.map(|line| format!(", line {line}")).unwrap_or_default();
    let SkillDefinition { id, version, .. } = definition;
    let message = format!("{} [{id} {version}, {}: {file}{line}]", thrown.message, tool.name);
    ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Threw), message }
}

/// What a tool did, for its author.
fn traced(tool: &SkillTool, origin: String, began: Timestamp, ended: &SkillEnd) -> SkillTrace {
    let outcome = serde_json::to_value(ended.outcome).unwrap_or_default();
    SkillTrace {
        tool: tool.name.clone(),
        origin,
        began,
        steps: ended.trace.clone(),
        outcome: outcome.as_str().unwrap_or_default().to_owned(),
    }
}

/// What the model is told.
pub(super) fn told(definition: &SkillDefinition, tool: &SkillTool, ended: SkillEnd) -> ToolOutcome {
    let SkillEnd { outcome, value, step, worn, rows_left_out, is_cut, trace: _ } = ended;
    if outcome != ActionOutcome::Ok {
        let said = serde_json::to_value(outcome).unwrap_or_default();
        let word = said.as_str().unwrap_or_default();
        let own = tool.outcomes.get(word).map(|text| format!("{} ", text.text("en"))).unwrap_or_default();
        let step = step.map(|step| format!(", {step}")).unwrap_or_default();
        let SkillDefinition { id, version, .. } = definition;
        let message = format!("{own}[{id} {version}, {}{step}: {word}]", tool.name);
        return ToolOutcome::Failed { code: ToolFailure::Action(outcome), message };
    }
    let mut content = vec![Content::Text(match &value {
        Some(value) => value.to_string(),
        None => "ok".to_owned(),
    })];
    let mut notes = Vec::new();
    if rows_left_out > 0 {
        notes.push(format!("{rows_left_out} rows could not be read and are left out"));
    }
    if is_cut {
        notes.push("there is more than this".to_owned());
    }
    if !worn.is_empty() {
        notes.push(format!("the page has changed a little since the SKILL was made ({})", worn.join(", ")));
    }
    if !notes.is_empty() {
        content.push(Content::Text(format!("[{}.]", notes.join("; "))));
    }
    ToolOutcome::Ok { content, page: PageEffect::Stayed }
}

/// Whether a request does more than read the page.
fn acts(request: &Value) -> bool {
    request["do"] == "act" || request["do"] == "request"
}

impl<B: BrowserPort> SkillPage<'_, B> {
    /// From here on something may be done: says so to the worker after this one, before it is.
    async fn note_act(&self) -> Result<(), ActionOutcome> {
        let Some(mark) = &self.mark else { return Ok(()) };
        mark.act().await.map_err(|_| ActionOutcome::Blocked)
    }

    /// Asks the top document, if it is on the SKILL's sites.
    async fn ask_top(&self, request: Value, limit_ms: u64) -> Result<Value, AskFault> {
        if let Some(top) = self.actions.open_top(self.tab.get()) {
            let before = self.document.borrow().clone();
            match self.ask_document(&top, request.clone(), limit_ms).await {
                // It went away before it was known to: the next one is asked, and the steps may begin there. What may
                // have been done is not done again.
                Err(AskFault::Lost(Lost::Gone)) if !acts(&request) => drop(self.document.replace(before)),
                answered => return answered,
            }
        }
        let frames = self.actions.attached(self.tab.get()).await.map_err(|_| AskFault::Lost(Lost::Silent))?;
        let top = frames.top().ok_or(AskFault::Lost(Lost::Gone))?;
        self.ask_document(&top, request, limit_ms).await
    }

    /// Whether the tab is at an address of the SKILL. This asks the browser, which takes its time.
    async fn is_on_site(&self) -> bool {
        let tab = self.actions.browser.tab(self.tab.get()).await;
        tab.is_some_and(|tab| self.definition.is_for(&tab.url))
    }

    /// The same, as far as the browser has told: enough to read a document of which it was asked before.
    async fn is_known_on_site(&self) -> bool {
        let (reply, seen) = oneshot::channel();
        self.actions.browser.post(TurnEvent::SeenWanted { tab: self.tab.get(), reply });
        seen.await.is_ok_and(|seen| self.definition.is_for(&seen.address))
    }

    async fn ask_document(
        &self,
        top: &ActionFrame<B>,
        request: Value,
        limit_ms: u64,
    ) -> Result<Value, AskFault> {
        let is_other = self.document.borrow().as_ref().is_some_and(|known| *known != top.document);
        if is_other && self.now() > self.leads_until.get() {
            return Err(AskFault::Lost(Lost::Gone));
        }
        self.document.replace(Some(top.document.clone()));
        // The page may be at another address of its own making, and the user may hide its site meanwhile.
        let was_on_site = self.on_site.borrow().as_ref() == Some(&top.document);
        let is_on_site =
            (was_on_site && !acts(&request) && self.is_known_on_site().await) || self.is_on_site().await;
        self.on_site.replace(is_on_site.then(|| top.document.clone()));
        self.actions.learn_hidden().await;
        if top.is_of_hidden(&self.actions.hidden.borrow()) || !is_on_site || top.is_pdf {
            return Err(AskFault::Elsewhere);
        }
        if !top.is_lit.replace(true) {
            self.actions.say_in_page(Some(top), self.actions.light.label).await;
        }
        let answer = top.ask(&self.actions.browser, request, limit_ms).await.map_err(AskFault::Lost)?;
        self.began_in.borrow_mut().get_or_insert_with(|| top.document.clone());
        Ok(answer)
    }
}

impl<B: BrowserPort> SkillPage<'_, B> {
    /// Runs a tool that is code, in the document that was looked at.
    async fn run_code(
        &self,
        place: &SkillPlace,
        tool: &SkillTool,
        code: &Code,
        input: &str,
    ) -> (SkillEnd, Option<Thrown>) {
        let browser = &self.actions.browser;
        let only = |outcome: ActionOutcome| (SkillEnd::from(outcome), None);
        if let Some(outcome) = kept_from(self, self.definition, tool).await {
            return only(outcome);
        }
        if self.actions.is_removed.get() {
            return only(ActionOutcome::Blocked);
        }
        let document = self.document.borrow().clone();
        let Some(document) = document else { return only(ActionOutcome::Navigated) };
        if let Err(outcome) = self.note_act().await {
            return only(outcome);
        }
        let Some(text) = reading::code(browser, place, &code.file).await else {
            return only(ActionOutcome::Blocked);
        };
        if !self.is_on_site().await {
            return only(ActionOutcome::Left);
        }
        let (file, world) = (code.file.as_str(), code.world);
        let code = SkillCode { place, file, text: &text, world, input };
        match code::run(browser, self.tab.get(), &document, code).await {
            CodeResult::Value(value) => (SkillEnd { value, ..SkillEnd::from(ActionOutcome::Ok) }, None),
            // What it did before that stays done, as with the tools of pages.
            CodeResult::Threw(message, line) => {
                (ActionOutcome::Interrupted.into(), Some(Thrown { message, line }))
            }
            CodeResult::TooLarge => only(ActionOutcome::TooLarge),
            CodeResult::Timeout => only(ActionOutcome::Timeout),
            CodeResult::Unknown => only(ActionOutcome::Interrupted),
            CodeResult::Gone => only(ActionOutcome::Navigated),
            CodeResult::Off => {
                browser.post(WorkEvent::CodeAccessKnown { access: browser.code_access().await });
                only(ActionOutcome::Blocked)
            }
        }
    }
}

impl<B: BrowserPort> AskPort for SkillPage<'_, B> {
    async fn ask(&self, request: Value) -> Result<Value, NoAnswer> {
        if acts(&request) && self.note_act().await.is_err() {
            return Err(NoAnswer::Silent);
        }
        let answer = self.ask_top(request, link::SILENCE_MS + REQUEST_LIMIT_MS).await;
        match answer {
            Ok(answer) if answer["outcome"] == "tooLarge" => Err(NoAnswer::TooLarge),
            // What was asked makes no sense to the page actions.
            Ok(answer) if answer["outcome"].is_string() => Err(NoAnswer::Silent),
            Ok(answer) => Ok(answer),
            Err(AskFault::Elsewhere) => Err(NoAnswer::Elsewhere),
            Err(AskFault::Lost(Lost::Gone | Lost::Left)) => Err(NoAnswer::Left),
            Err(AskFault::Lost(Lost::Silent | Lost::Stuck | Lost::Failed(_))) => Err(NoAnswer::Silent),
        }
    }
}

impl<B: BrowserPort> StepPort for SkillPage<'_, B> {
    async fn act(&self, action: StepAction<'_>) -> Result<(), ActionOutcome> {
        if self.actions.is_removed.get() {
            return Err(ActionOutcome::Blocked);
        }
        self.note_act().await?;
        let target = action.target;
        self.leads_until.set(0);
        let leads = matches!(action.kind, ActionKind::Click { .. } | ActionKind::Press(_));
        let mut request = match action.kind {
            ActionKind::Click { count } => json!({"act": "click", "target": target, "count": count}),
            ActionKind::Fill(text) => {
                json!({"act": "fill", "target": target, "fields": [{"target": target, "text": text}]})
            }
            ActionKind::Choose(option) => json!({"act": "choose", "target": target, "values": [option]}),
            ActionKind::Check(on) => json!({"act": "check", "target": target, "on": on}),
            ActionKind::Hover => json!({"act": "hover", "target": target}),
            ActionKind::Press(key) => json!({"act": "press", "target": target, "key": key, "modifiers": []}),
        };
        request["do"] = json!("act");
        request["timeout"] = json!(action.limit_ms);
        if !target.is_empty() {
            let _ =
                self.ask_top(json!({"do": "light", "on": true, "element": target}), ACTION_LIMIT_MS).await;
        }
        let acted = self.ask_top(request, link::SILENCE_MS).await;
        if leads {
            self.may_lead(LEAD_LIMIT_MS);
        }
        match acted {
            Ok(acted) => match Acted::deserialize(&acted).unwrap_or_default().outcome {
                Some(ActionOutcome::Ok) => Ok(()),
                Some(outcome) => Err(outcome),
                None => Err(ActionOutcome::Interrupted),
            },
            // It navigated, as an action may.
            Err(AskFault::Lost(Lost::Left)) => Ok(()),
            Err(AskFault::Lost(Lost::Gone)) => Err(ActionOutcome::Navigated),
            Err(AskFault::Lost(Lost::Stuck)) => Err(ActionOutcome::Interrupted),
            Err(AskFault::Lost(Lost::Silent | Lost::Failed(_))) => Err(ActionOutcome::Blocked),
            Err(AskFault::Elsewhere) => Err(ActionOutcome::Left),
        }
    }

    async fn go(&self, url: &str, own_tab: bool, limit_ms: u64) -> Result<(), ActionOutcome> {
        let browser = &self.actions.browser;
        self.may_lead(limit_ms.max(LEAD_LIMIT_MS));
        if own_tab && self.own.get().is_none() {
            let tab = browser.create_tab(url).await.and_then(|tab| tab.id).ok_or(ActionOutcome::Blocked)?;
            self.own.set(Some(tab));
            self.tab.set(tab);
            return Ok(());
        }
        let before = self.top_document().await;
        if !browser.lead_tab(self.tab.get(), url).await {
            return Err(ActionOutcome::Blocked);
        }
        // The tab is there when another document is.
        let mut waited = 0;
        while waited < limit_ms {
            browser.sleep(LEAD_INTERVAL_MS).await;
            waited += LEAD_INTERVAL_MS;
            let Some(tab) = browser.tab(self.tab.get()).await else { return Err(ActionOutcome::Navigated) };
            if tab.loading != Loading::Underway && self.top_document().await != before {
                return Ok(());
            }
        }
        Err(ActionOutcome::Timeout)
    }

    async fn document(&self) -> Option<String> {
        self.top_document().await.map(|document| document.0)
    }

    async fn loaded(&self) {
        self.actions.loaded(self.tab.get()).await;
    }

    async fn fetch(&self, request: CrossRequest) -> Result<CrossAnswer, RequestFault> {
        if self.note_act().await.is_err() {
            return Err(RequestFault::Network);
        }
        self.actions.browser.fetch_elsewhere(request).await
    }

    async fn user_does(&self, what: &ByLanguage, milliseconds: u64) -> UserStep {
        if !self.is_users_turn.replace(true) {
            // The user is not asked to do it a second time. If that cannot be kept, they are: nothing else is done twice.
            let _ = self.note_act().await;
            self.tell_wait(InteractionPhase::Started);
            self.say(what.text(&self.actions.browser.ui_language())).await;
        }
        self.may_lead(LEAD_LIMIT_MS + milliseconds);
        self.sleep(milliseconds).await;
        UserStep::Waiting
    }

    async fn user_has_done(&self) {
        if self.is_users_turn.replace(false) {
            self.tell_wait(InteractionPhase::Ended);
            self.say(self.actions.light.label).await;
        }
    }

    fn begins_step(&self, step: ToolStep) {
        self.actions.browser.post(TurnEvent::SkillSteps { call: self.call.clone(), step });
    }

    async fn sleep(&self, milliseconds: u64) {
        self.actions.browser.sleep(milliseconds).await;
    }

    fn now(&self) -> i64 {
        i64::try_from(self.actions.browser.now()).unwrap_or(i64::MAX)
    }
}

/// The tool's own tab goes with it, and its mark, also when it is stopped.
impl<B: BrowserPort> Drop for SkillPage<'_, B> {
    fn drop(&mut self) {
        if let Some(own) = self.own.get() {
            let browser = self.actions.browser.clone();
            self.actions.browser.spawn(async move {
                browser.close_tab(own).await;
            });
        }
        if let Some(mark) = self.mark.take() {
            self.actions.browser.spawn(mark.end());
        }
    }
}

impl<B: BrowserPort> SkillPage<'_, B> {
    /// Another document may take the place of this one for so long.
    fn may_lead(&self, milliseconds: u64) {
        self.leads_until.set(self.now().saturating_add_unsigned(milliseconds));
    }

    /// Says something in the page, where it says that it is used.
    async fn say(&self, text: &str) {
        if let Ok(frames) = self.actions.attached(self.tab.get()).await {
            self.actions.say_in_page(frames.top().as_deref(), text).await;
        }
    }

    /// The call's time rests while the user does something.
    fn tell_wait(&self, phase: InteractionPhase) {
        let (call, kind) = (self.call.clone(), InteractionKind::Callback);
        let interaction = Interaction { document: None, call, phase, kind };
        self.actions.browser.post(TurnEvent::SkillWaits { interaction });
    }

    async fn top_document(&self) -> Option<DocumentId> {
        if let Some(top) = self.actions.open_top(self.tab.get()) {
            return Some(top.document.clone());
        }
        let frames = self.actions.attached(self.tab.get()).await.ok()?;
        Some(frames.top()?.document.clone())
    }
}
