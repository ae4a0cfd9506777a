//! The page of a run of an eval: a tab of its own, or the user's, with the tools that the page in it registers.

use std::cell::{Cell, RefCell};
use std::pin::pin;

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::channel::oneshot;
use futures::future::{Either, select};
use serde_json::Value;
use sidecar_agent::call::{Gate, ToolCall, User};
use sidecar_agent::call_log::DirectCallEnd;
use sidecar_agent::direct::{DirectEnd, DirectRecord};
use sidecar_agent::{Keys, Rules, Target, UserCommand};
use sidecar_evals::exchange::{LedInput, LedPage};
use sidecar_evals::page::{ListedTool, PageResult};
use sidecar_evals::reason::RunReason;
use sidecar_protocol::content::PageEffect;
use sidecar_protocol::eval::EvalId;
use sidecar_protocol::page::{Backend, FailureCode, InteractionPhase};
use sidecar_protocol::settings::Mode;
use sidecar_protocol::thread::{ThreadSummary, ToolFailure, ToolItem, ToolOutcome};
use sidecar_protocol::tool::Caller;
use sidecar_protocol::{CallId, Risk, TabId, ThreadId, Timestamp};
use sidecar_webmcp::{Address, Offer};

use super::hand_run_task::asking;
use super::page_call_task::give_up_later;
use super::turn_tools::TabTools;
use crate::actions::PageActions;
use crate::browser::BrowserPort;
use crate::call_log::CallFiles as _;
use crate::documents::Documents;
use crate::event::{TurnEvent, WorkEvent};
use crate::skill_parts::SkillParts;
use crate::tabs::Loading;
use crate::threads::ThreadLog;
use crate::turns::Turns;

/// How long a list of tools must be unchanged to count as complete, and how long that is waited for, in milliseconds.
const QUIET_MS: u64 = 500;
const LISTING_LIMIT_MS: u64 = 10_000;

/// How often the list is looked at, in milliseconds.
const LOOK_MS: u64 = 100;

/// How often it is looked whether the page to which a call leads is there.
const NEW_PAGE_LOOKS: u32 = 50;

/// How often it is looked whether a page has loaded.
const LOADING_LOOKS: u32 = 300;

/// How long a form may wait for the user until the model is told that it waits, in milliseconds.
const FORM_WAIT_MS: u64 = 1_000;

const NOT_AGREED: &str =
    "The call was not made: the user wants to be asked about this tool, and nobody is asked in an eval.";
const DECLINED: &str = "The call was not made: the user declined it.";
const OFF: &str = "The call was not made: the user has switched this tool off.";
const TIMED_OUT: &str = "The tool took too long.";
const STOPPED: &str = "The call was stopped.";

/// A page that was opened for a run, or one that a tab of the user's shows.
pub(super) struct EvalPage<B: BrowserPort> {
    tab: TabId,
    /// Whether the tab was opened for the run. In the user's own, they are asked as in the chat, and it stays.
    is_opened: bool,
    tools: TabTools<B>,
    /// The tools as they were last listed.
    listed: RefCell<Vec<Offer>>,
    backend: RefCell<Option<Backend>>,
    browser: B,
    /// What calls need.
    rules: Rules,
    keys: Keys,
    turns: Turns,
    disk: B::Disk,
    /// Whether the user agreed to calls that ask otherwise.
    is_agreed: bool,
    /// Whether results are read whole.
    is_whole: bool,
    url: String,
    /// Its own inbox, and what is known from it.
    id: CallId,
    heard: RefCell<UnboundedReceiver<UserCommand>>,
    mode: Cell<Mode>,
}

/// What a page needs of its eval.
pub(super) struct EvalPageOptions<B: BrowserPort> {
    pub browser: B,
    pub rules: Rules,
    pub keys: Keys,
    pub turns: Turns,
    pub disk: B::Disk,
    pub is_agreed: bool,
    /// Whether results are read whole, however long they are.
    pub is_whole: bool,
}

impl<B: BrowserPort> Drop for EvalPage<B> {
    fn drop(&mut self) {
        self.turns.end_call(&self.id);
        if !self.is_opened {
            return;
        }
        let (browser, tab) = (self.browser.clone(), self.tab);
        self.browser.spawn(async move {
            browser.close_tab(tab).await;
        });
    }
}

impl<B: SkillParts> EvalPage<B> {
    /// Opens a page in a tab in the background.
    ///
    /// # Errors
    /// If the browser opens none.
    pub async fn open(options: EvalPageOptions<B>, url: &str) -> Result<Self, RunReason> {
        let tab = options.browser.create_tab(url).await.and_then(|tab| tab.id);
        let tab = tab.ok_or_else(|| RunReason::PageGone { why: "no tab was opened".to_owned() })?;
        let mut page = Self::shown(options, tab, url);
        page.is_opened = true;
        Ok(page)
    }

    /// The page that a tab shows.
    pub fn shown(options: EvalPageOptions<B>, tab: TabId, url: &str) -> Self {
        let EvalPageOptions { browser, rules, keys, turns, disk, is_agreed, is_whole } = options;
        let thread = ThreadId(format!("eval.{}", browser.moment().nonce));
        // No thread: nothing is kept in its log.
        let summary = ThreadSummary {
            id: thread.clone(),
            title: String::new(),
            site: String::new(),
            created: browser.now(),
            updated: browser.now(),
            pinned: false,
            temporary: true,
        };
        let actions = PageActions::new(browser.clone(), thread.clone(), Some(tab), rules.language, || {});
        // A model is told nothing of what is seen there.
        let actions = actions.for_user();
        let tools = TabTools {
            thread,
            tab: Some(tab),
            browser: browser.clone(),
            documents: Documents::new(browser.clone()),
            actions,
            log: ThreadLog::new(None, summary, Vec::new()),
        };
        let url = url.to_owned();
        let (listed, backend) = (RefCell::default(), RefCell::default());
        let is_opened = false;
        let id = EvalId::call(&browser.moment().nonce);
        let (heard, mode) = (RefCell::new(turns.begin_call(&id)), Cell::new(rules.mode));
        Self {
            tab,
            is_opened,
            tools,
            listed,
            backend,
            browser,
            rules,
            keys,
            turns,
            disk,
            is_agreed,
            is_whole,
            url,
            id,
            heard,
            mode,
        }
    }

    /// Its tab.
    pub fn tab(&self) -> TabId {
        self.tab
    }

    /// Whether its tab was opened for the run.
    pub fn is_opened(&self) -> bool {
        self.is_opened
    }

    /// What the report says of it, as far as it is known.
    pub fn facts(&self) -> Option<LedPage> {
        Some(LedPage { backend: (*self.backend.borrow())?, origin: self.origin() })
    }

    /// The origin of the address that was opened.
    pub fn origin(&self) -> String {
        Address::of(&self.url).origin()
    }

    /// Its tools, when their list is quiet.
    ///
    /// # Errors
    /// If its tab is gone.
    pub async fn list(&self) -> Result<Vec<ListedTool>, RunReason> {
        self.loaded().await?;
        let until = self.browser.now() + LISTING_LIMIT_MS;
        let (mut seen, mut since) = (self.look().await?, self.browser.now());
        loop {
            let now = self.browser.now();
            let is_quiet = now.saturating_sub(since) >= QUIET_MS && !seen.0.is_empty();
            if is_quiet || now >= until {
                break;
            }
            self.browser.sleep(LOOK_MS).await;
            let next = self.look().await?;
            if next != seen {
                (seen, since) = (next, self.browser.now());
            }
        }
        let (offers, backend) = seen;
        let tool = |offer: &Offer| {
            let schema = offer.schema.as_deref().and_then(|schema| serde_json::from_str(schema).ok());
            let is_consequential = offer.risk == Risk::Consequential;
            ListedTool::new(
                offer.tool.name(),
                &offer.description,
                schema.unwrap_or_default(),
                is_consequential,
            )
        };
        let listed = offers.iter().map(tool).collect();
        self.listed.replace(offers);
        if backend.is_some() {
            self.backend.replace(backend);
        }
        Ok(listed)
    }

    /// Waits until the page is there, or a while.
    async fn loaded(&self) -> Result<(), RunReason> {
        for _ in 0..LOADING_LOOKS {
            let tab = self.browser.tab(self.tab).await.ok_or_else(closed)?;
            if tab.loading == Loading::Complete {
                return Ok(());
            }
            self.browser.sleep(LOOK_MS).await;
        }
        Ok(())
    }

    /// The tools of the site in the document in the tab, and how they are reached.
    async fn look(&self) -> Result<(Vec<Offer>, Option<Backend>), RunReason> {
        if !self.browser.has(self.tab).await {
            return Err(closed());
        }
        let (reply, tools) = oneshot::channel();
        self.browser.post(TurnEvent::PageToolsWanted { tab: self.tab, reply });
        let (mut offers, backend) = tools.await.unwrap_or_default();
        // The eval is about this site: elsewhere nobody agreed to anything.
        let origin = self.origin();
        offers.retain(|offer| offer.origin == origin);
        Ok((offers, backend))
    }

    /// What elements of the document in the tab are like, as the crate for evals asks and reads it.
    ///
    /// # Errors
    /// If its tab is gone, shows another site, or does not answer.
    pub async fn see(&self, looks: Value) -> Result<Value, RunReason> {
        self.loaded().await?;
        // The eval is about this site: what others show belongs in no report.
        let seen = self.tools.actions.elements(self.tab, &self.origin(), &looks).await;
        seen.map_err(|why| RunReason::PageGone { why: why.to_owned() })
    }

    /// Makes a call of a tool as it was last listed.
    pub async fn call(&self, name: &str, arguments: &Value, is_repaired: bool) -> LedInput {
        let offer = self.listed.borrow().iter().find(|offer| offer.tool.name() == name).cloned();
        let Some(offer) = offer else { return LedInput::Returned(PageResult::Missing) };
        let id = EvalId::call(&self.browser.moment().nonce);
        let arguments = arguments.to_string();
        let target = Target {
            tool: offer.tool.clone(),
            site: offer.site.clone(),
            origin: offer.origin.clone(),
            read_only: offer.risk == Risk::ReadOnly,
            consequential: offer.risk == Risk::Consequential,
            fingerprint: Some(offer.fingerprint.clone()),
            skill: None,
        };
        let caller = if self.is_opened { Caller::Eval } else { Caller::Agent };
        let call = ToolCall::direct(id, caller, target, arguments);
        // In an eval, what does not fit is sent as it is: that is the page's to say.
        let call = ToolCall { is_checked: self.is_opened, is_agreed: self.is_agreed, is_repaired, ..call };
        let before = self.address().await;
        match self.through_the_gate(&call, &offer).await {
            Some(outcome) => self.input(outcome, before).await,
            None => LedInput::Returned(PageResult::waiting()),
        }
    }

    /// Takes a call through the gate. `None` if its form waits for the user.
    async fn through_the_gate(&self, call: &ToolCall, offer: &Offer) -> Option<ToolOutcome> {
        let mut inbox = self.turns.begin_call(&call.id);
        let (commands, mut heard) = unbounded();
        let stop = commands.clone();
        let mut was_asked = false;
        let record = DirectRecord::new(call, move |item: Option<&ToolItem>| match item {
            // Nobody is asked: a call that would ask is over.
            Some(_) if self.is_opened => drop(stop.unbounded_send(UserCommand::Stop)),
            Some(item) => {
                self.browser.post(TurnEvent::CallAsks { asking: Box::new(asking(item, Some(self.tab))) });
                if !std::mem::replace(&mut was_asked, true) {
                    give_up_later(&self.browser, &call.id);
                }
            }
            None => self.browser.post(TurnEvent::CallAsksNoMore { call: call.id.clone() }),
        });
        let mut begun = BegunCall { page: self, call, offer, began: self.browser.now(), record };
        let is_waiting = {
            let mode = if self.is_opened { Mode::Automatic } else { self.mode() };
            let mut user = User::new(&mut heard, mode);
            let mut gate = Gate {
                tools: &self.tools,
                clock: &self.browser,
                keys: &self.keys,
                limits: self.rules.limits,
                user: &mut user,
                record: &mut begun.record,
            };
            // In their own tab the user is there to send it.
            let most = self.is_opened.then_some(FORM_WAIT_MS);
            let waits = pin!(form_waits(&self.browser, &call.id, most, &mut inbox, &commands));
            let run = pin!(gate.run(call));
            matches!(select(run, waits).await, Either::Right(_))
        };
        (!is_waiting).then(|| begun.record.end().outcome)
    }

    /// The mode as it is now: the user may change it between two calls.
    fn mode(&self) -> Mode {
        while let Ok(command) = self.heard.borrow_mut().try_recv() {
            if let UserCommand::SetMode(mode) = command {
                self.mode.set(mode);
            }
        }
        self.mode.get()
    }

    /// The address of its tab; empty if that is gone.
    async fn address(&self) -> String {
        self.browser.tab(self.tab).await.map(|tab| tab.url).unwrap_or_default()
    }

    /// The address to which a call led, when the page there has loaded; that before the call if it leads there again.
    async fn new_address(&self, before: &str) -> String {
        for _ in 0..NEW_PAGE_LOOKS {
            let Some(tab) = self.browser.tab(self.tab).await else { break };
            if tab.loading == Loading::Complete && tab.url != before {
                return tab.url;
            }
            self.browser.sleep(LOOK_MS).await;
        }
        self.address().await
    }

    /// What came of a call, as the model is told.
    async fn input(&self, outcome: ToolOutcome, before: String) -> LedInput {
        let failed = |text: &str| LedInput::Returned(PageResult::Failed(text.to_owned()));
        match &outcome {
            ToolOutcome::Ok { page: PageEffect::Left { .. } | PageEffect::Opened { .. }, .. }
            | ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Navigated), .. } => {
                LedInput::Returned(PageResult::left(&self.new_address(&before).await))
            }
            ToolOutcome::Ok { page: PageEffect::Stayed, .. } => {
                let text = outcome.text();
                let most =
                    if self.is_whole { usize::MAX } else { self.rules.limits.result_characters as usize };
                let cut = text
                    .as_deref()
                    .map(|text| text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end]));
                LedInput::Returned(PageResult::read(cut))
            }
            ToolOutcome::Failed { code: ToolFailure::Changed, .. } => LedInput::Changed,
            ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::NotFound), .. } => LedInput::Changed,
            ToolOutcome::Failed { code: ToolFailure::Unreachable, message } => {
                LedInput::Failed(RunReason::PageGone { why: message.clone() })
            }
            ToolOutcome::Failed { code: ToolFailure::Off, .. } if !self.is_opened => failed(OFF),
            ToolOutcome::Declined if !self.is_opened => failed(DECLINED),
            ToolOutcome::Failed { code: ToolFailure::Off, .. }
            | ToolOutcome::Declined
            | ToolOutcome::Cancelled => failed(NOT_AGREED),
            ToolOutcome::Failed { message, .. } => failed(message),
            ToolOutcome::TimedOut { .. } => failed(TIMED_OUT),
            ToolOutcome::Interrupted | ToolOutcome::Repeated { .. } => failed(STOPPED),
        }
    }
}

/// A call that gets the user's commands, and may ask them, until it is over or dropped. Then it is put into the log of
/// calls: a tool that ran has acted, also if nobody waits for it any more.
struct BegunCall<'p, B: SkillParts, T: FnMut(Option<&ToolItem>)> {
    page: &'p EvalPage<B>,
    call: &'p ToolCall,
    offer: &'p Offer,
    began: Timestamp,
    record: DirectRecord<T>,
}

impl<B: SkillParts, T: FnMut(Option<&ToolItem>)> Drop for BegunCall<'_, B, T> {
    fn drop(&mut self) {
        let EvalPage { turns, browser, disk, .. } = self.page;
        turns.end_call(&self.call.id);
        browser.post(TurnEvent::CallAsksNoMore { call: self.call.id.clone() });
        let DirectEnd { outcome, allowed_by, ran_ms, .. } = self.record.end();
        // Reading is in the report; the log of calls is not that long. And a call that was only asked about is no call.
        let is_left = outcome == ToolOutcome::Interrupted && allowed_by.is_none();
        if self.offer.risk == Risk::ReadOnly || is_left {
            return;
        }
        let end = DirectCallEnd {
            at: self.began,
            caller: self.call.caller.clone(),
            id: &self.call.id,
            tool: self.offer.tool.name(),
            site: &self.offer.site,
            origin: &self.offer.origin,
            arguments: &self.call.arguments,
            schema: self.offer.schema.as_deref(),
            outcome: &outcome,
            allowed_by,
            ran_ms,
        };
        let (line, disk, mailbox) = (end.line(), disk.clone(), browser.clone());
        browser.spawn(async move {
            if disk.log_call(&line).await.is_ok() {
                mailbox.post(WorkEvent::CallsChanged);
            }
        });
    }
}

fn closed() -> RunReason {
    RunReason::PageGone { why: "its tab was closed".to_owned() }
}

/// Passes a call's commands on. Returns when its form has waited for the user for `most` milliseconds.
async fn form_waits(
    browser: &impl BrowserPort,
    call: &CallId,
    most: Option<u64>,
    inbox: &mut UnboundedReceiver<UserCommand>,
    commands: &UnboundedSender<UserCommand>,
) {
    let mut is_waiting = false;
    loop {
        let next = inbox.next();
        let command = if let Some(most) = most.filter(|_| is_waiting) {
            match select(pin!(browser.sleep(most)), next).await {
                Either::Left(_) => return,
                Either::Right((command, _)) => command,
            }
        } else {
            next.await
        };
        match command {
            // Without a limit the gate waits for the user.
            Some(UserCommand::Interaction(interaction)) if most.is_some() => {
                if interaction.call == *call {
                    is_waiting = interaction.phase == InteractionPhase::Started;
                }
            }
            Some(command) => drop(commands.unbounded_send(command)),
            None => std::future::pending().await,
        }
    }
}
