//! To the tools of the tabs that a turn works with.

use std::pin::pin;

use futures::channel::oneshot;
use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use sidecar_agent::new_page::{self, Location, NewDocument};
use sidecar_agent::settled::Seen;
use sidecar_agent::{CurrentTool, HiddenSites, ToolHost};
use sidecar_chrome::{scripting, tabs};
use sidecar_protocol::content::Unread;
use sidecar_protocol::page::{FailureCode, RelayCommand, ToolResult, caps};
use sidecar_protocol::page_view::PageStatus;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{CallId, FrameId, PageTool, TabId, ThreadId, ToolRef};
use sidecar_schema::Mistake;
use sidecar_webmcp::{Address, Offer};

use crate::event::{Mailbox, WorkerEvent};
use crate::lines::{DocumentChannel, DocumentChannels};
use crate::validator;

/// How long a turn waits for a page that is still loading to tell its tools, in milliseconds.
const LOADING_LIMIT_MS: u32 = 5_000;

/// How often, and after how many milliseconds each, a frame's tool is looked for: frames tell after their page has.
const FRAME_TRIES: u32 = 5;
const FRAME_WAIT_MS: u32 = 200;

/// The scripts that say where a document is, and what it says.
const PAGE_ADDRESS: &str = "page-address.js";
const NEW_PAGE: &str = "new-page.js";

/// How long a turn waits for the page to which a form leads, how often it looks, in milliseconds, and how many times more
/// where nothing seems to load.
const NEW_PAGE_LIMIT_MS: u32 = 10_000;
const NEW_PAGE_INTERVAL_MS: u32 = 200;
const NEW_PAGE_TRIES: u32 = 10;

/// The tools of the tab in which a turn began, and of those that stay with its thread.
#[derive(Debug)]
pub struct TabTools {
    /// The thread.
    pub thread: ThreadId,
    /// The tab; `None` when the turn began where there was none.
    pub tab: Option<TabId>,
    /// To the actor, who has the catalogue.
    pub mailbox: Mailbox,
    /// To the documents, for calls.
    pub lines: DocumentChannels,
}

impl ToolHost for TabTools {
    async fn offer(&self) -> Vec<Offer> {
        self.ready().await;
        let (reply, offers) = oneshot::channel();
        self.mailbox.post(WorkerEvent::ToolsWanted { thread: self.thread.clone(), tab: self.tab, reply });
        offers.await.unwrap_or_default()
    }

    async fn current_tool(&self, tool: &ToolRef) -> Result<CurrentTool, ToolFailure> {
        if let Some(current) = self.tool_now(tool).await {
            return Ok(current);
        }
        // A worker that has just begun does not know the page yet.
        self.ready().await;
        let tries = if tool.is_in_frame() { FRAME_TRIES } else { 1 };
        for number in 0..tries {
            if number > 0 {
                TimeoutFuture::new(FRAME_WAIT_MS).await;
            }
            if let Some(current) = self.tool_now(tool).await {
                return Ok(current);
            }
        }
        Err(missing(tool.tab()).await)
    }

    async fn mistake(&self, schema: &str, arguments: &str) -> Option<Mistake> {
        validator::mistake(schema, arguments).await
    }

    async fn call(&self, call: &CallId, tool: &ToolRef, arguments: &str) -> ToolOutcome {
        let ToolRef::Page(tool) = tool else { return no_provider() };
        let command = RelayCommand::CallTool {
            request_id: call.clone(),
            tool_name: tool.name.clone(),
            args: arguments.to_owned(),
        };
        let answer = match self.lines.to(tool) {
            Ok(line) => {
                let mut cancel = CancelOnDrop { call, line: &line, armed: true };
                let answer = line.ask(call, &command).await;
                cancel.armed = false;
                answer
            }
            Err(error) => Err(Some(error)),
        };
        let outcome = match answer {
            Ok(answer) => outcome_of(answer),
            // The call was never heard, so the tool did not run.
            Err(Some(error)) if tabs::was_never_heard(&error) => {
                let code = missing(Some(tool.tab)).await;
                self.lost(tool);
                return ToolOutcome::Failed { code, message: String::new() };
            }
            Err(error) => {
                self.lost(tool);
                let code = ToolFailure::Page(FailureCode::Navigated);
                return ToolOutcome::Failed { code, message: error.map(|error| error.0).unwrap_or_default() };
            }
        };
        if outcome == ToolOutcome::left() {
            // The call took the page elsewhere: what comes next are the tools of the page it went to.
            self.lost(tool);
        }
        outcome
    }

    async fn seen(&self, tool: &ToolRef) -> Seen {
        let Some(tab) = tool.tab() else { return Seen::default() };
        let (reply, seen) = oneshot::channel();
        self.mailbox.post(WorkerEvent::SeenWanted { tab, reply });
        seen.await.unwrap_or_default()
    }

    async fn new_page(&self, tool: &ToolRef) -> ToolOutcome {
        let ToolRef::Page(tool) = tool else { return no_provider() };
        let next = pin!(next_document(tool));
        let found = match select(next, TimeoutFuture::new(NEW_PAGE_LIMIT_MS)).await {
            Either::Left((found, _)) => found,
            // What there is by now of one that loads slowly.
            Either::Right(_) => {
                let now = pin!(document_now(tool, true));
                match select(now, TimeoutFuture::new(NEW_PAGE_INTERVAL_MS)).await {
                    Either::Left((found, _)) => found.ok_or(Unread::Missing),
                    Either::Right(_) => Err(Unread::Missing),
                }
            }
        };
        let (reply, hidden) = oneshot::channel();
        self.mailbox.post(WorkerEvent::HiddenSitesWanted { reply });
        match (found, hidden.await) {
            (Ok((id, location)), Ok(hidden)) => read_document(tool, id, &location, &hidden).await,
            (Ok(_), Err(_)) => new_page::unread(Unread::Missing),
            (Err(why), _) => new_page::unread(why),
        }
    }
}

/// Reads a document, if it may be read where it is.
async fn read_document(
    tool: &PageTool,
    id: String,
    location: &Location,
    hidden: &HiddenSites,
) -> ToolOutcome {
    if let Some(why) = new_page::refusal(&location.origin, &location.url, hidden) {
        return new_page::unread(why);
    }
    let read = pin!(scripting::value_in_document::<NewDocument>(tool.tab.0, id, NEW_PAGE));
    match select(read, TimeoutFuture::new(LOADING_LIMIT_MS)).await {
        Either::Left((Ok(document), _)) => new_page::outcome(&document, hidden),
        Either::Left((Err(_), _)) | Either::Right(_) => new_page::unread(Unread::Missing),
    }
}

/// The document that comes in the place of the one in which a form was a tool.
async fn next_document(tool: &PageTool) -> Result<(String, Location), Unread> {
    let mut still = 0;
    loop {
        if let Some(found) = document_now(tool, false).await {
            return Ok(found);
        }
        let tab = tabs::get(tool.tab.0).await.map_err(|_| Unread::Missing)?;
        // Nothing loads: it went elsewhere, is a download, or no page that can be read.
        still = if tab.status == "complete" { still + 1 } else { 0 };
        if still > NEW_PAGE_TRIES {
            let is_restricted =
                tool.frame == FrameId::TOP && Address::of(&tab.url).status() == PageStatus::Restricted;
            return Err(if is_restricted { Unread::Restricted } else { Unread::Missing });
        }
        TimeoutFuture::new(NEW_PAGE_INTERVAL_MS).await;
    }
}

/// The document that is in the place of a tool's now, if it is another one, and where it is: the browser says which one.
async fn document_now(tool: &PageTool, at_once: bool) -> Option<(String, Location)> {
    let (id, location) =
        scripting::value_in_frame(tool.tab.0, tool.frame.0, PAGE_ADDRESS, at_once).await.ok()?;
    (id != tool.document.0).then_some((id, location))
}

impl TabTools {
    /// Waits until the tools of the tabs are known, or for as long as a page may take to tell them.
    async fn ready(&self) {
        let (reply, known) = oneshot::channel();
        self.mailbox.post(WorkerEvent::TabsAwaited { thread: self.thread.clone(), tab: self.tab, reply });
        let _ = select(known, TimeoutFuture::new(LOADING_LIMIT_MS)).await;
    }

    /// What holds of a tool that is known.
    async fn tool_now(&self, tool: &ToolRef) -> Option<CurrentTool> {
        let (reply, current) = oneshot::channel();
        self.mailbox.post(WorkerEvent::CurrentToolWanted { tool: tool.clone(), reply });
        current.await.ok().flatten()
    }

    fn lost(&self, tool: &PageTool) {
        self.mailbox.post(WorkerEvent::DocumentLost { tab: tool.tab, document: tool.document.clone() });
    }
}

/// What becomes of a call whose tool is not there.
async fn missing(tab: Option<TabId>) -> ToolFailure {
    let is_there = match tab {
        Some(tab) => tabs::get(tab.0).await.is_ok(),
        None => true,
    };
    if is_there { ToolFailure::Page(FailureCode::NotFound) } else { ToolFailure::Unreachable }
}

/// What becomes of a call to a tool of a kind that nothing provides yet.
fn no_provider() -> ToolOutcome {
    ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::NotFound), message: String::new() }
}

/// Tells the page that nobody waits for a call any more.
struct CancelOnDrop<'a> {
    call: &'a CallId,
    line: &'a DocumentChannel,
    armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.line.tell(&RelayCommand::CancelCall { request_id: self.call.clone() });
        }
    }
}

fn outcome_of(answer: ToolResult) -> ToolOutcome {
    // The relay has held these caps already; it shares a process with the page.
    if answer.result.as_ref().is_some_and(|result| result.len() > 4 * caps::RESULT) {
        let message = String::new();
        return ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::TooLarge), message };
    }
    if answer.ok {
        return answer.result.map_or_else(ToolOutcome::left, ToolOutcome::ok);
    }
    let code = answer.code.unwrap_or(FailureCode::Threw);
    let message = answer.error.unwrap_or_default().chars().take(caps::ERROR).collect();
    ToolOutcome::Failed { code: ToolFailure::Page(code), message }
}
