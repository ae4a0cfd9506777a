//! A run by hand, in a task of its own: it goes through the gate, as every call does.

use futures::channel::mpsc::UnboundedReceiver;
use serde_json::{Map, Value, json};
use sidecar_agent::call::{Callee, Gate, ToolCall, User};
use sidecar_agent::call_log::DirectCallEnd;
use sidecar_agent::direct::{DirectEnd, DirectRecord};
use sidecar_agent::settled::Seen;
use sidecar_agent::{CurrentTool, Keys, Rules, Target, ToolHost, UserCommand};
use sidecar_protocol::link::{Answer, PendingApproval, RunsAnswer};
use sidecar_protocol::picture::NewPicture;
use sidecar_protocol::thread::{ThreadSummary, ToolFailure, ToolItem, ToolOutcome};
use sidecar_protocol::tool::Caller;
use sidecar_protocol::tool_run::{ToolRun, WatchedPage};
use sidecar_protocol::{ActionOutcome, CallId, TabId, ThreadId, ToolRef};
use sidecar_schema::Mistake;
use sidecar_webmcp::{Address, Offer};

use super::page_call_task::give_up_later;
use super::replies::Replies;
use super::result_pictures::pictures_of;
use super::turn_tools::TabTools;
use crate::actions::PageActions;
use crate::attention::Asking;
use crate::browser::BrowserPort;
use crate::call_log::CallFiles as _;
use crate::documents::Documents;
use crate::event::{TurnEvent, WorkEvent};
use crate::skill_parts::SkillParts;
use crate::threads::ThreadLog;
use crate::tool_runs::shown;

/// How long a page may take to show what a run changed, in milliseconds.
const AFTER_RUN_MS: u64 = 300;

const NO_OBJECT: &str = "The arguments are not a JSON object.";

/// A run that has begun.
pub struct HandRunTask<B: BrowserPort> {
    /// Its id.
    pub id: CallId,
    /// The tool as the user saw it; if it is another one now, why it does not run.
    pub target: Result<Target, ToolFailure>,
    /// The tool as the user saw it.
    pub tool: ToolRef,
    /// [`ToolRun::origin`] and [`ToolRun::digest`].
    pub seen: (String, String),
    /// The tool's schema (JSON text), for the log.
    pub schema: Option<String>,
    /// JSON text.
    pub arguments: String,
    /// Whether arguments are sent that do not fit the schema.
    pub unchecked: bool,
    /// Whether the page is looked at before and after.
    pub watches: bool,
    /// Whether the tool is off, which the user is asked about.
    pub is_off: bool,
    /// The user's keys, which are taken out of results.
    pub keys: Keys,
    /// Receives the user's commands.
    pub inbox: UnboundedReceiver<UserCommand>,
    /// The user's rules.
    pub rules: Rules,
    /// Replies to the panel.
    pub replies: Replies<B>,
    /// Keeps the log of calls.
    pub disk: B::Disk,
    /// Everything else.
    pub browser: B,
}

impl<B: SkillParts> HandRunTask<B> {
    /// Makes the run, and tells the panel.
    pub async fn run(self) {
        let Self {
            id,
            target,
            tool,
            seen,
            schema,
            arguments,
            unchecked,
            watches,
            is_off,
            keys,
            inbox,
            rules,
            ..
        } = self;
        let (replies, disk, browser) = (self.replies, self.disk, self.browser);
        let began = browser.now();
        let (origin, digest) = seen;
        replies.part(Answer::Runs(RunsAnswer::Began { call_id: id.clone() }));
        let site = target.as_ref().map(|target| target.site.clone()).unwrap_or_default();
        let tab = target.as_ref().ok().and_then(|target| target.tool.tab());
        let watched = tab.filter(|_| watches);
        let before = look(&browser, watched, &id, &rules).await;
        let ended = match target {
            _ if serde_json::from_str::<Map<String, Value>>(&arguments).is_err() => {
                let (code, message) = (ToolFailure::BadArguments, NO_OBJECT.to_owned());
                DirectEnd::without_a_run(ToolOutcome::Failed { code, message })
            }
            Err(code) => DirectEnd::without_a_run(ToolOutcome::Failed { code, message: String::new() }),
            Ok(target) => {
                let call = ToolCall::direct(id.clone(), Caller::User, target, arguments.clone());
                let call = ToolCall { is_checked: unchecked, knows_off: is_off, ..call };
                through_the_gate(&browser, &call, tab, inbox, &rules, &keys).await
            }
        };
        let DirectEnd { outcome, edited, allowed_by, ran_ms } = ended;
        if before.is_some() {
            browser.sleep(AFTER_RUN_MS).await;
        }
        let after = look(&browser, watched, &id, &rules).await;
        let page = before.zip(after).map(|((before, first), (after, second))| {
            // One alone shows no change.
            let pictures = first.zip(second).map_or_else(Vec::new, |(first, second)| vec![first, second]);
            WatchedPage { before, after, pictures }
        });
        let pictures = pictures_of(&browser, &outcome).await;
        let arguments = edited.unwrap_or(arguments);
        let end = DirectCallEnd {
            at: began,
            caller: Caller::User,
            id: &id,
            tool: tool.name(),
            site: &site,
            origin: &origin,
            arguments: &arguments,
            schema: schema.as_deref(),
            outcome: &outcome,
            allowed_by,
            ran_ms,
        };
        let line = end.line();
        let (outcome, result_bytes) = shown(outcome);
        let run = ToolRun {
            call_id: id,
            at: began,
            tool: tool.name().to_owned(),
            origin,
            tab: tool.tab(),
            frame: tool.page().map(|page| page.frame),
            digest,
            arguments,
            outcome,
            result_bytes,
            duration_ms: ran_ms,
            page,
            pictures,
        };
        browser.post(TurnEvent::HandRunOver { run: Box::new(run.remembered()) });
        replies.end(Ok(Answer::Runs(RunsAnswer::Ended { run: Box::new(run) })));
        // The run is over in any case. Nothing of private windows is saved.
        if !browser.is_private() && disk.log_call(&line).await.is_ok() {
            browser.post(WorkEvent::CallsChanged);
        }
    }
}

/// An outline of a page, and what a window shows of it; `None` if none is wanted.
async fn look<B: SkillParts>(
    browser: &B,
    tab: Option<TabId>,
    id: &CallId,
    rules: &Rules,
) -> Option<(Result<String, String>, Option<NewPicture>)> {
    let (tab, thread) = (tab?, ThreadId(id.0.clone()));
    let actions = PageActions::new(browser.clone(), thread, Some(tab), rules.language, || {}).for_user();
    let outcome = actions.snapshot(tab, json!({})).await;
    let text = outcome.text().unwrap_or_default().into_owned();
    let text = if matches!(outcome, ToolOutcome::Ok { .. }) { Ok(text) } else { Err(text) };
    let shown = actions.screenshot(tab, None).await;
    Some((text, pictures_of(browser, &shown).await.pop()))
}

/// Takes a run through the gate.
async fn through_the_gate<B: SkillParts>(
    browser: &B,
    call: &ToolCall,
    tab: Option<TabId>,
    mut inbox: UnboundedReceiver<UserCommand>,
    rules: &Rules,
    keys: &Keys,
) -> DirectEnd {
    let mut was_asked = false;
    let mut record = DirectRecord::new(call, |item| {
        browser.post(match item {
            Some(item) => TurnEvent::CallAsks { asking: Box::new(asking(item, tab)) },
            None => TurnEvent::CallAsksNoMore { call: call.id.clone() },
        });
        if !std::mem::replace(&mut was_asked, true) {
            give_up_later(browser, &call.id);
        }
    });
    let thread = ThreadId(call.id.0.clone());
    let actions = {
        let (post, id) = (browser.clone(), call.id.clone());
        let on_stop = move || post.post(TurnEvent::CallStopped { call: id.clone() });
        PageActions::new(browser.clone(), thread.clone(), tab, rules.language, on_stop)
    };
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
    let origin = match &call.callee {
        Callee::Tool(target) => target.origin.clone(),
        Callee::User => String::new(),
    };
    let inner = TabTools {
        thread,
        tab,
        browser: browser.clone(),
        documents: Documents::new(browser.clone()),
        actions,
        log: ThreadLog::new(None, summary, Vec::new()),
    };
    let tools = HandRunTools { inner, origin, is_off: call.knows_off };
    let mut user = User::new(&mut inbox, rules.mode);
    let limits = rules.limits;
    let mut gate = Gate { tools: &tools, clock: browser, keys, limits, user: &mut user, record: &mut record };
    // The record says how it ended; it is in memory, and can always be written.
    let _ = gate.run(call).await;
    record.end()
}

/// What the user is asked about a call.
pub(super) fn asking(item: &ToolItem, tab: Option<TabId>) -> Asking {
    let approval = PendingApproval {
        call_id: item.call_id.clone(),
        thread_id: None,
        title: String::new(),
        tool: item.name.clone(),
        site: item.site.clone(),
        question: None,
        item: Some(Box::new(item.clone())),
    };
    Asking { approval, tab, document: None }
}

/// The tools of a tab, without the log of a thread that could keep pictures.
struct HandRunTools<B: BrowserPort> {
    inner: TabTools<B>,
    /// Origin of the page on which the user made the call.
    origin: String,
    is_off: bool,
}

impl<B: SkillParts> ToolHost for HandRunTools<B> {
    async fn offer(&self) -> Vec<Offer> {
        Vec::new()
    }

    async fn in_tab(&self, offer: &Offer, tab: TabId) -> Result<Offer, String> {
        self.inner.in_tab(offer, tab).await
    }

    async fn current_tool(&self, tool: &ToolRef) -> Result<CurrentTool, ToolFailure> {
        let current = self.inner.current_tool(tool).await?;
        // A tool of a SKILL belongs to whatever page its tab shows.
        if let ToolRef::Skill { tab, .. } = tool {
            let shown = self.inner.browser.tab(*tab).await.map(|tab| Address::of(&tab.url).origin());
            if shown.as_deref() != Some(self.origin.as_str()) {
                return Err(ToolFailure::Action(ActionOutcome::Navigated));
            }
        }
        Ok(current)
    }

    async fn is_switched_off(&self, target: &Target) -> bool {
        // If it was off before, the user was asked about that.
        !self.is_off && self.inner.is_switched_off(target).await
    }

    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake> {
        self.inner.mistake(schema, arguments).await
    }

    fn nfkc(&self, text: &str) -> String {
        self.inner.nfkc(text)
    }

    async fn call(&self, call: &CallId, tool: &ToolRef, arguments: &str) -> ToolOutcome {
        match tool {
            ToolRef::Skill { skill, name, tab } if self.is_off => {
                self.inner.call_skill(call, (skill, name, *tab), arguments).await
            }
            ToolRef::Skill { .. } | ToolRef::Page(_) | ToolRef::Browser { .. } | ToolRef::Mcp { .. } => {
                self.inner.run(call, tool, arguments).await
            }
        }
    }

    async fn seen(&self, tool: &ToolRef) -> Seen {
        self.inner.seen(tool).await
    }

    async fn new_page(&self, tool: &ToolRef) -> ToolOutcome {
        self.inner.new_page(tool).await
    }
}
