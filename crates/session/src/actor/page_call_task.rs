//! A call of a page, in a task of its own: it goes through the gate, as every call does.

use futures::channel::mpsc::UnboundedReceiver;
use serde_json::{Map, Value};
use sidecar_agent::call::{Gate, ToolCall, User, no_provider};
use sidecar_agent::call_log::DirectCallEnd;
use sidecar_agent::direct::{DirectEnd, DirectRecord};
use sidecar_agent::settled::Seen;
use sidecar_agent::{CurrentTool, Keys, Rules, Target, ToolHost, UserCommand};
use sidecar_protocol::content::Content;
use sidecar_protocol::link::PendingApproval;
use sidecar_protocol::page::{FailureCode, RelayCommand};
use sidecar_protocol::thread::{ToolFailure, ToolItem, ToolOutcome};
use sidecar_protocol::tool::Caller;
use sidecar_protocol::{ActionOutcome, CallId, TabId, ThreadId, ToolRef};
use sidecar_schema::Mistake;
use sidecar_webmcp::{Address, Offer};

use super::turn_tools::{is_switched_off, tool_now};
use crate::actions::PageActions;
use crate::actions::page_call::PageCallRun;
use crate::actions::skill::SkillCall;
use crate::attention::Asking;
use crate::browser::{BrowserPort, ContentScript};
use crate::call_log::CallFiles as _;
use crate::event::{TurnEvent, WorkEvent};
use crate::skill_parts::SkillParts;
use crate::skills::SkillPlace;
use crate::tabs::PageCall;
use crate::turns::Turns;

/// How long the user may take to decide, in milliseconds: the page waits meanwhile.
const DECISION_LIMIT_MS: u64 = 120_000;

/// What is said of a tool that acts, while a turn runs.
pub(super) const BUSY: &str = "The user's own agent is at work now. Call the tool again when it is done.";
const NO_OBJECT: &str = "The arguments must be a JSON object.";
const DECLINED: &str = "The user declined this call.";
const STOPPED: &str = "The user stopped this call, or did not answer in time.";
const OFF: &str = "The user has switched this tool off.";
const GONE: &str = "The tool is another one now, or is gone. Look at the tools of this page again.";
const TOO_LONG: &str = "The tool took too long.";

/// A call of a page that has begun.
pub struct PageCallTask<B: BrowserPort> {
    /// The call.
    pub call: PageCall,
    /// How it may be made; if it may not, why, in words for an agent.
    pub allowed: Result<AllowedCall, &'static str>,
    /// Receives the user's commands.
    pub inbox: UnboundedReceiver<UserCommand>,
    /// The user's rules.
    pub rules: Rules,
    /// The running turns: none of them acts at the same time.
    pub turns: Turns,
    /// Keeps the log of calls.
    pub disk: B::Disk,
    /// Everything else.
    pub browser: B,
}

/// A tool that a page may call.
#[derive(Debug)]
pub struct AllowedCall {
    /// The tool as it is.
    pub target: Target,
    /// Where the files of its SKILL are.
    pub place: SkillPlace,
    /// Its schema (JSON text).
    pub schema: Option<String>,
    /// Whether it does nothing that the page could not do: then it runs within the document that calls.
    pub reads_only: bool,
}

impl<B: SkillParts> PageCallTask<B> {
    /// Makes the call, and answers the page.
    pub async fn run(self) {
        let Self { call, allowed, inbox, rules, turns, disk, browser } = self;
        let began = browser.now();
        let schema = allowed.as_ref().ok().and_then(|allowed| allowed.schema.clone());
        let ended = match allowed {
            Err(why) => DirectEnd::without_a_run(refused(why)),
            Ok(allowed) => through_the_gate(&browser, &call, allowed, inbox, &rules, turns).await,
        };
        let DirectEnd { outcome, edited, allowed_by, ran_ms } = ended;
        let (ok, text) = told(&outcome);
        answer(&browser, &call, ok, text);
        let end = DirectCallEnd {
            at: began,
            caller: Caller::Page { origin: call.place.origin.clone() },
            id: &call.id,
            tool: &call.tool,
            site: Address::of(&call.place.origin).site(),
            origin: &call.place.origin,
            arguments: edited.as_deref().unwrap_or(&call.arguments),
            schema: schema.as_deref(),
            outcome: &outcome,
            allowed_by,
            ran_ms,
        };
        // The call is over in any case.
        if disk.log_call(&end.line()).await.is_ok() {
            browser.post(WorkEvent::CallsChanged);
        }
        let declined = outcome == ToolOutcome::Declined;
        browser.post(TurnEvent::PageCallOver { call: Box::new(call), declined });
    }
}

/// Takes a call through the gate.
async fn through_the_gate<B: SkillParts>(
    browser: &B,
    call: &PageCall,
    allowed: AllowedCall,
    mut inbox: UnboundedReceiver<UserCommand>,
    rules: &Rules,
    turns: Turns,
) -> DirectEnd {
    if serde_json::from_str::<Map<String, Value>>(&call.arguments).is_err() {
        let (code, message) = (ToolFailure::BadArguments, NO_OBJECT.to_owned());
        return DirectEnd::without_a_run(ToolOutcome::Failed { code, message });
    }
    let AllowedCall { target, place, schema: _, reads_only } = allowed;
    let caller = Caller::Page { origin: call.place.origin.clone() };
    let own = ToolCall::direct(call.id.clone(), caller, target, call.arguments.clone());
    let mut was_asked = false;
    let mut record = DirectRecord::new(&own, |item| {
        browser.post(match item {
            Some(item) => TurnEvent::CallAsks { asking: Box::new(asking(call, item)) },
            None => TurnEvent::CallAsksNoMore { call: call.id.clone() },
        });
        if !std::mem::replace(&mut was_asked, true) {
            give_up_later(browser, &call.id);
        }
    });
    let actions = {
        let (post, id) = (browser.clone(), call.id.clone());
        let on_stop = move || post.post(TurnEvent::CallStopped { call: id.clone() });
        let thread = ThreadId(call.id.0.clone());
        PageActions::new(browser.clone(), thread, Some(call.place.tab), rules.language, on_stop)
    };
    let tools = PageCallTools { browser, call, place, reads_only, actions, turns };
    let mut user = User::new(&mut inbox, rules.mode);
    let (keys, limits) = (Keys::default(), rules.limits);
    let mut gate =
        Gate { tools: &tools, clock: browser, keys: &keys, limits, user: &mut user, record: &mut record };
    // The record says how it ended; it is in memory, and can always be written.
    let _ = gate.run(&own).await;
    record.end()
}

/// Ends a call about which the user does not decide.
pub(super) fn give_up_later<B: BrowserPort>(browser: &B, call: &CallId) {
    let (later, call) = (browser.clone(), call.clone());
    browser.spawn(async move {
        later.sleep(DECISION_LIMIT_MS).await;
        later.post(TurnEvent::CallUnanswered { call });
    });
}

fn asking(call: &PageCall, item: &ToolItem) -> Asking {
    let approval = PendingApproval {
        call_id: call.id.clone(),
        thread_id: None,
        title: String::new(),
        tool: item.name.clone(),
        site: item.site.clone(),
        question: None,
        item: Some(Box::new(item.clone())),
    };
    Asking { approval, tab: Some(call.place.tab), document: Some(call.place.document.clone()) }
}

fn refused(why: &str) -> ToolOutcome {
    ToolOutcome::Failed { code: ToolFailure::Action(ActionOutcome::Refused), message: why.to_owned() }
}

/// What the page is told: whether the tool did it, and its result, or why not.
fn told(outcome: &ToolOutcome) -> (bool, String) {
    let text = match outcome {
        ToolOutcome::Ok { content, .. } => return (true, Content::texts(content).into_owned()),
        ToolOutcome::Failed { code: ToolFailure::Off, .. } => OFF,
        ToolOutcome::Failed { code: ToolFailure::Changed | ToolFailure::Unreachable, .. } => GONE,
        ToolOutcome::Failed { message, .. } if message.is_empty() => GONE,
        ToolOutcome::Failed { message, .. } => message,
        ToolOutcome::Declined => DECLINED,
        ToolOutcome::Cancelled => STOPPED,
        ToolOutcome::Interrupted | ToolOutcome::Repeated { .. } => GONE,
        ToolOutcome::TimedOut { .. } => TOO_LONG,
    };
    (false, text.to_owned())
}

/// The one tool that the page calls.
struct PageCallTools<'c, B: BrowserPort> {
    browser: &'c B,
    call: &'c PageCall,
    place: SkillPlace,
    reads_only: bool,
    actions: PageActions<B>,
    turns: Turns,
}

impl<B: SkillParts> ToolHost for PageCallTools<'_, B> {
    async fn offer(&self) -> Vec<Offer> {
        Vec::new()
    }

    async fn in_tab(&self, _offer: &Offer, _tab: TabId) -> Result<Offer, String> {
        Err(GONE.to_owned())
    }

    async fn current_tool(&self, tool: &ToolRef) -> Result<CurrentTool, ToolFailure> {
        let current = tool_now(self.browser, ThreadId(self.call.id.0.clone()), tool).await;
        current.ok_or(ToolFailure::Page(FailureCode::NotFound))
    }

    async fn is_switched_off(&self, target: &Target) -> bool {
        is_switched_off(self.browser, target).await
    }

    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake> {
        self.browser.mistake(schema, arguments).await
    }

    fn nfkc(&self, text: &str) -> String {
        self.browser.nfkc(text)
    }

    async fn call(&self, call: &CallId, _tool: &ToolRef, arguments: &str) -> ToolOutcome {
        let PageCall { place, tool: name, .. } = self.call;
        let (tab, skill) = (place.tab, self.place.clone());
        if self.reads_only {
            let (document, name) = (place.document.clone(), name.clone());
            let (browser, arguments) = (self.browser.clone(), arguments.to_owned());
            return B::run_page_call(PageCallRun { browser, tab, document, place: skill, name, arguments })
                .await;
        }
        // One began while the user was asked: both would use the page at once.
        if self.turns.is_any_running() {
            return refused(BUSY);
        }
        B::run_skill(SkillCall { actions: &self.actions, call, tab, place: skill, name, arguments }).await
    }

    async fn seen(&self, _tool: &ToolRef) -> Seen {
        Seen::default()
    }

    async fn new_page(&self, _tool: &ToolRef) -> ToolOutcome {
        no_provider()
    }
}

/// Tells a page what its call came to.
pub(super) fn answer<B: BrowserPort>(browser: &B, call: &PageCall, ok: bool, text: String) {
    let request_id = call.id.clone();
    if let Ok(relay) = browser.open_channel(call.place.tab, &call.place.document, ContentScript::Relay) {
        (relay.send)(&RelayCommand::SkillResult { request_id, ok, text }.to_json());
    }
}
