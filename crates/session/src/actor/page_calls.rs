//! Tools of SKILLs in pages: they are registered there for other agents, and may be called by whoever finds them.
//!
//! Nobody in the page gains anything by such a call that the page could not do itself: the tool only reads, in the document
//! that calls and from its origin (`actions::page_call`). The user's decisions hold. There is no thread in which they could
//! be asked, so what would have to be asked for is refused.

use std::collections::HashMap;
use std::rc::{Rc, Weak};

use futures::channel::oneshot;
use sidecar_agent::call_log::PageCallEnd;
use sidecar_protocol::content::Content;
use sidecar_protocol::page::{RelayCommand, ToolDescription};
use sidecar_protocol::policy::Policy;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{ActionOutcome, CallId, TabId, Timestamp, ToolRef};
use sidecar_skills::offer::CallsOfPages;
use sidecar_webmcp::{Address, Place};

use super::Actor;
use super::code_parts::CodeParts;
use crate::actions::page_call::{ACTS, PageCallRun};
use crate::browser::{BrowserPort, ContentScript};
use crate::call_log::CallFiles as _;
use crate::event::WorkEvent;
use crate::tabs::PageCall;

/// Shortest time from one call of a page to the next, in milliseconds.
const INTERVAL_MS: u64 = 1_000;

const TOO_MANY: &str = "A page may call one tool a second, and one at a time. Wait, and call it again.";
const NOT_OFFERED: &str = "The extension offers no such tool on this page now.";
const OFF: &str = "The user has switched this tool off.";
const ASKS: &str = "The user wants to be asked before this tool is called, which is only possible for their own agent in the \
                    side panel: ask the user to have it done there.";

/// When the page of a tab last called a tool, so that it calls few.
#[derive(Debug, Default)]
pub(super) struct PageCallPaces(HashMap<TabId, (Timestamp, Weak<()>)>);

impl PageCallPaces {
    /// Begins a call, unless it comes too early. It goes on until what is returned is dropped.
    fn begin(&mut self, tab: TabId, now: Timestamp) -> Option<Rc<()>> {
        let is_early = self.0.get(&tab).is_some_and(|(last, running)| {
            now < last.saturating_add(INTERVAL_MS) || running.strong_count() > 0
        });
        if is_early {
            return None;
        }
        let running = Rc::new(());
        self.0.insert(tab, (now, Rc::downgrade(&running)));
        Some(running)
    }

    pub(super) fn forget_tab(&mut self, tab: TabId) {
        self.0.remove(&tab);
    }
}

/// What may be called, and how.
struct AllowedCall<B> {
    run: PageCallRun<B>,
    schema: Option<String>,
}

impl<B: CodeParts> Actor<B> {
    /// Other agents find these tools, each with its SKILL, in a tab's page from now on, but those that are off.
    pub(super) fn register_skills(&mut self, tab: TabId, tools: Vec<(String, ToolDescription)>) {
        let is_on = |(skill, tool): &(String, ToolDescription)| {
            !self.tabs.is_off(&ToolRef::Skill { skill: skill.clone(), name: tool.name.clone(), tab })
        };
        let tools = tools.into_iter().filter(is_on).map(|(_, tool)| tool).collect();
        let Some((document, tools)) = self.tabs.register_skills(tab, tools) else { return };
        let request_id = CallId(format!("skills.{}", tab.0));
        let relay = self.browser.open_channel(tab, &document, ContentScript::Relay);
        // Without a relay there is no page any more.
        if let Ok(relay) = relay {
            (relay.send)(&RelayCommand::ShowSkills { request_id, tools }.to_json());
        }
    }

    /// A page calls a tool. `done` keeps the worker alive until the call is over.
    pub(super) fn page_calls(&mut self, call: PageCall, done: oneshot::Sender<()>) {
        let browser = self.browser.clone();
        // Not in the log either, which a page could fill otherwise.
        let Some(running) = self.paces.begin(call.place.tab, browser.now()) else {
            answer(&browser, &call, &refused(TOO_MANY));
            return;
        };
        let allowed = self.allowed(&call);
        let disk = self.history.database();
        self.browser.spawn_awake(async move {
            let began = browser.now();
            let (outcome, schema, has_run) = match allowed {
                Err(why) => (refused(why), None, false),
                Ok(AllowedCall { run, schema }) => {
                    let mistake = match &schema {
                        Some(schema) => browser.mistake(schema, &call.arguments).await,
                        None => None,
                    };
                    match mistake {
                        Some(mistake) => {
                            let code = ToolFailure::BadArguments;
                            (ToolOutcome::Failed { code, message: mistake.text }, schema, false)
                        }
                        None => (B::run_page_call(run).await, schema, true),
                    }
                }
            };
            answer(&browser, &call, &outcome);
            drop(running);
            let PageCall { place: Place { origin, .. }, id, tool, arguments } = &call;
            let end = PageCallEnd {
                at: began,
                id,
                tool,
                site: Address::of(origin).site(),
                origin,
                arguments,
                schema: schema.as_deref(),
                outcome: &outcome,
                ran_ms: has_run.then(|| browser.now().saturating_sub(began)),
            };
            // The call is over in any case.
            if disk.log_call(&end.line()).await.is_ok() {
                browser.post(WorkEvent::CallsChanged);
            }
            let _ = done.send(());
        });
    }

    /// Whether a page may make a call; if not, why, in words for an agent.
    fn allowed(&self, call: &PageCall) -> Result<AllowedCall<B>, &'static str> {
        let PageCall { place: Place { tab, document, .. }, tool: name, arguments, .. } = call;
        let page = self.page_for_skills(*tab).ok_or(NOT_OFFERED)?;
        if self.tabs.top_document(*tab).as_ref() != Some(document) {
            return Err(NOT_OFFERED);
        }
        let offered = self.skills.tools_on(*tab, &page.url, &page.own).offered;
        let for_page = self.skills.for_page(&offered, &page.own).into_iter();
        let (skill, tool) = for_page.into_iter().find(|(_, tool)| tool.name == *name).ok_or(NOT_OFFERED)?;
        let known = self.skills.known().and_then(|known| known.named(&skill)).ok_or(NOT_OFFERED)?;
        let current = self.tabs.current_tool(&ToolRef::Skill { skill, name: name.clone(), tab: *tab });
        match current.ok_or(NOT_OFFERED)?.policy {
            Some(Policy::Off) => return Err(OFF),
            Some(Policy::Ask) => return Err(ASKS),
            Some(Policy::Allow) | None => {}
        }
        match self.skills.calls_of_pages(known, name) {
            CallsOfPages::Free => {}
            CallsOfPages::Asked | CallsOfPages::Never => return Err(ACTS),
        }
        let run = PageCallRun {
            browser: self.browser.clone(),
            tab: *tab,
            document: document.clone(),
            place: known.place.clone(),
            name: name.clone(),
            arguments: arguments.clone(),
        };
        Ok(AllowedCall { run, schema: tool.input_schema })
    }
}

fn refused(why: &str) -> ToolOutcome {
    ToolOutcome::Failed { code: ToolFailure::Action(ActionOutcome::Refused), message: why.to_owned() }
}

/// Tells a page what its call came to.
fn answer<B: BrowserPort>(browser: &B, call: &PageCall, outcome: &ToolOutcome) {
    let (ok, text) = match outcome {
        ToolOutcome::Ok { content, .. } => {
            let texts = content.iter().filter_map(|content| match content {
                Content::Text(text) => Some(text.as_str()),
                Content::Image { .. } | Content::Picture(_) | Content::Structured(_) | Content::Framed(_) => {
                    None
                }
            });
            (true, texts.collect::<Vec<_>>().join("\n"))
        }
        ToolOutcome::Failed { message, .. } => (false, message.clone()),
        ToolOutcome::Declined
        | ToolOutcome::Interrupted
        | ToolOutcome::TimedOut { .. }
        | ToolOutcome::Cancelled
        | ToolOutcome::Repeated { .. } => (false, String::new()),
    };
    let request_id = call.id.clone();
    if let Ok(relay) = browser.open_channel(call.place.tab, &call.place.document, ContentScript::Relay) {
        (relay.send)(&RelayCommand::SkillResult { request_id, ok, text }.to_json());
    }
}
