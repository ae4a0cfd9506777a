//! How the steps of a running tool reach its page.

use std::cell::{Cell, RefCell};

use futures::channel::oneshot;
use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_agent::Interaction;
use sidecar_protocol::page::{InteractionKind, InteractionPhase};
use sidecar_protocol::thread::ToolStep;
use sidecar_protocol::{ActionOutcome, CallId, DocumentId, TabId};
use sidecar_skills::SkillDefinition;
use sidecar_skills::definition::wording::ByLanguage;
use sidecar_skills::run::{
    ActionKind, AskPort, CrossAnswer, CrossRequest, NoAnswer, RequestFault, StepAction, StepPort, UserStep,
};

use crate::actions::acted_mark::ActedMark;
use crate::actions::frames::ActionFrame;
use crate::actions::link::{self, Lost};
use crate::actions::{ACTION_LIMIT_MS, Acted, PageActions};
use crate::browser::BrowserPort;
use crate::event::TurnEvent;
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
pub(super) struct SkillPage<'p, B: BrowserPort> {
    pub(super) actions: &'p PageActions<B>,
    call: &'p CallId,
    pub(super) definition: &'p SkillDefinition,
    /// The tab in which the steps are done now.
    pub(super) tab: Cell<TabId>,
    /// The tool's own tab, if it opened one.
    own: Cell<Option<TabId>>,
    /// The document in which the steps are done.
    pub(super) document: RefCell<Option<DocumentId>>,
    /// The first document that answered.
    pub(super) began_in: RefCell<Option<DocumentId>>,
    /// The document of which the browser said last that it is at an address of the SKILL.
    on_site: RefCell<Option<DocumentId>>,
    /// Until when another document may take its place: the tool, or the user in its stead, leads somewhere.
    leads_until: Cell<i64>,
    /// Whether the page says that the user is to do something.
    is_users_turn: Cell<bool>,
    /// What the worker after this one has to know of a tool that acts.
    mark: Option<ActedMark<B::Storage>>,
}

/// Whether a request does more than read the page.
fn acts(request: &Value) -> bool {
    request["do"] == "act" || request["do"] == "request"
}

impl<'p, B: BrowserPort> SkillPage<'p, B> {
    /// Of a call that begins in a tab.
    pub(super) fn new(
        actions: &'p PageActions<B>,
        call: &'p CallId,
        definition: &'p SkillDefinition,
        tab: TabId,
        mark: Option<ActedMark<B::Storage>>,
    ) -> Self {
        Self {
            actions,
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
        }
    }
}

impl<B: BrowserPort> SkillPage<'_, B> {
    /// From here on something may be done: says so to the worker after this one, before it is.
    pub(super) async fn note_act(&self) -> Result<(), ActionOutcome> {
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
    pub(super) async fn is_on_site(&self) -> bool {
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
