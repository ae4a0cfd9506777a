//! Tools of SKILLs in pages: they are registered there for other agents, and may be called by whoever finds them.
//!
//! Nobody in the page gains anything by a call that reads which the page could not do itself: it reads in the document that
//! calls and from its origin (`actions::page_call`). Whatever does more asks the user, each time, and so does all that the
//! user wants to be asked about; the call itself goes through the gate in a task of its own (`page_call_task`).

use std::collections::HashMap;
use std::rc::{Rc, Weak};

use futures::channel::oneshot;
use sidecar_agent::{Target, UserCommand};
use sidecar_protocol::page::{RelayCommand, ToolDescription};
use sidecar_protocol::{CallId, DocumentId, Risk, TabId, Timestamp, ToolRef};
use sidecar_skills::offer::CallsOfPages;
use sidecar_webmcp::{Address, Place};

use super::Actor;
use super::code_parts::CodeParts;
use super::page_call_task::{AllowedCall, BUSY, PageCallTask, answer};
use crate::browser::ContentScript;
use crate::tabs::PageCall;

/// Shortest time from one call of a page to the next, in milliseconds.
const INTERVAL_MS: u64 = 1_000;

const TOO_MANY: &str = "A page may call one tool a second, and one at a time. Wait, and call it again.";
const NOT_OFFERED: &str = "The extension offers no such tool on this page now.";
const DECLINED: &str = "The user declined a call of this tool on this page, and is not asked again.";

/// What a tab's page called before, so that it calls few, and does not ask for the same again and again.
#[derive(Debug, Default)]
pub(super) struct PageCalls(HashMap<TabId, CallsOfTab>);

#[derive(Debug, Default)]
struct CallsOfTab {
    last: Option<Timestamp>,
    running: Weak<()>,
    /// The tools about which the user declined a call, with the document that called: none of an earlier one.
    declined: Vec<(DocumentId, String)>,
}

impl PageCalls {
    /// Begins a call, unless it comes too early. It goes on until what is returned is dropped.
    fn begin(&mut self, tab: TabId, now: Timestamp) -> Option<Rc<()>> {
        let calls = self.0.entry(tab).or_default();
        let is_early = calls.last.is_some_and(|last| now < last.saturating_add(INTERVAL_MS));
        if is_early || calls.running.strong_count() > 0 {
            return None;
        }
        let running = Rc::new(());
        (calls.last, calls.running) = (Some(now), Rc::downgrade(&running));
        Some(running)
    }

    fn is_declined(&self, call: &PageCall) -> bool {
        let declined =
            |(document, tool): &(DocumentId, String)| *document == call.place.document && *tool == call.tool;
        self.0.get(&call.place.tab).is_some_and(|calls| calls.declined.iter().any(declined))
    }

    fn declined(&mut self, call: &PageCall) {
        let declined = &mut self.0.entry(call.place.tab).or_default().declined;
        declined.retain(|(document, _)| *document == call.place.document);
        declined.push((call.place.document.clone(), call.tool.clone()));
    }

    pub(super) fn forget_tab(&mut self, tab: TabId) {
        self.0.remove(&tab);
    }
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
        let Some(running) = self.page_calls.begin(call.place.tab, browser.now()) else {
            // Not in the log either, which a page could fill otherwise.
            answer(&browser, &call, false, TOO_MANY.to_owned());
            return;
        };
        let language = self.settings.settings().language.resolve(&browser.ui_language());
        let task = PageCallTask {
            allowed: self.allowed(&call),
            inbox: self.turns.begin_call(&call.id),
            rules: self.rules(language),
            turns: self.turns.clone(),
            disk: self.history.database(),
            browser: browser.clone(),
            call,
        };
        self.browser.spawn_awake(async move {
            B::make_page_call(task).await;
            drop(running);
            let _ = done.send(());
        });
    }

    /// How a page may make a call; if it may not, why, in words for an agent.
    fn allowed(&self, call: &PageCall) -> Result<AllowedCall, &'static str> {
        let PageCall { place: Place { tab, document, origin, .. }, tool: name, .. } = call;
        let page = self.page_for_skills(*tab).ok_or(NOT_OFFERED)?;
        if self.tabs.top_document(*tab).as_ref() != Some(document) {
            return Err(NOT_OFFERED);
        }
        let offered = self.skills.tools_on(*tab, &page.url, &page.own).offered;
        let for_page = self.skills.for_page(&offered, &page.own).into_iter();
        let (skill, _) = for_page.into_iter().find(|(_, tool)| tool.name == *name).ok_or(NOT_OFFERED)?;
        let known = self.skills.known().and_then(|known| known.named(&skill)).ok_or(NOT_OFFERED)?;
        let reads_only = match self.skills.calls_of_pages(known, name) {
            CallsOfPages::Free => true,
            CallsOfPages::Asked if self.turns.is_any_running() => return Err(BUSY),
            CallsOfPages::Asked => false,
            CallsOfPages::Never => return Err(NOT_OFFERED),
        };
        if self.page_calls.is_declined(call) {
            return Err(DECLINED);
        }
        let tool = ToolRef::Skill { skill: skill.clone(), name: name.clone(), tab: *tab };
        let current = self.tabs.current_tool(&tool).ok_or(NOT_OFFERED)?;
        let target = Target {
            tool,
            site: Address::of(origin).site().to_owned(),
            origin: origin.clone(),
            read_only: current.risk == Risk::ReadOnly,
            consequential: current.risk == Risk::Consequential,
            fingerprint: Some(current.fingerprint),
            skill: self.release_of(&skill),
        };
        Ok(AllowedCall { target, place: known.place.clone(), schema: current.schema, reads_only })
    }

    pub(super) fn page_call_over(&mut self, call: &PageCall, is_declined: bool) {
        self.turns.end_call(&call.id);
        self.attention.asks_no_more(&call.id);
        if is_declined {
            self.page_calls.declined(call);
        }
    }

    /// Ends the calls of pages that are gone, while they ask: nobody waits for their answer.
    pub(super) fn end_lost_page_calls(&self) {
        for asking in self.attention.direct() {
            let (Some(tab), Some(document)) = (asking.tab, &asking.document) else { continue };
            if self.tabs.top_document(tab).as_ref() != Some(document) {
                self.turns.tell_call(&asking.approval.call_id, UserCommand::Stop);
            }
        }
    }
}
