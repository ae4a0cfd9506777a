//! To the tools of one tab.

use futures::channel::oneshot;
use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use sidecar_agent::ToolHost;
use sidecar_chrome::{ChromeError, tabs};
use sidecar_protocol::page::{FailureCode, RelayCommand, ToolResult};
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{CallId, TabId};
use sidecar_webmcp::{Offer, Place, ToolId};

use crate::event::{Event, Mailbox};

/// How long a turn waits for a page that is still loading to tell its tools, in milliseconds.
const LOADING_LIMIT_MS: u32 = 5_000;

/// The tools of the tab a turn is bound to.
#[derive(Debug)]
pub struct TabTools {
    /// The tab; `None` when the turn began where there was none.
    pub tab: Option<TabId>,
    /// To the actor, who has the catalogue.
    pub mailbox: Mailbox,
}

impl ToolHost for TabTools {
    async fn offer(&self) -> Vec<Offer> {
        let Some(tab) = self.tab else { return Vec::new() };
        let (reply, offers) = oneshot::channel();
        self.mailbox.post(Event::ToolsWanted { tab, reply });
        match select(offers, TimeoutFuture::new(LOADING_LIMIT_MS)).await {
            Either::Left((Ok(offers), _)) => offers,
            Either::Left((Err(_), _)) | Either::Right(_) => Vec::new(),
        }
    }

    async fn call(&self, call: &CallId, tool: &ToolId, arguments: &str) -> ToolOutcome {
        let command = RelayCommand::CallTool {
            request_id: call.clone(),
            tool_name: tool.name.clone(),
            args: arguments.to_owned(),
        };
        let mut cancel = CancelOnDrop { call: call.clone(), tool: tool.clone(), armed: true };
        let answer = tabs::send(tool.tab.0, Some(&tool.document.0), &text_of(&command)).await;
        cancel.armed = false;
        match answer {
            Ok(text) => outcome_of(&text),
            Err(error) => {
                self.mailbox.post(Event::DocumentLost {
                    place: Place {
                        tab: tool.tab,
                        frame: tool.frame,
                        document: tool.document.clone(),
                        origin: String::new(),
                    },
                });
                lost(&error)
            }
        }
    }
}

/// Tells the page that nobody waits for a call any more.
struct CancelOnDrop {
    call: CallId,
    tool: ToolId,
    armed: bool,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if !self.armed {
            return;
        }
        let command = RelayCommand::CancelCall { request_id: self.call.clone() };
        let (tab, document) = (self.tool.tab.0, self.tool.document.0.clone());
        wasm_bindgen_futures::spawn_local(async move {
            // A document that is gone needs no cancelling.
            let _ = tabs::send(tab, Some(&document), &text_of(&command)).await;
        });
    }
}

/// The JSON text of a command. Our own types always have one.
pub fn text_of(command: &RelayCommand) -> String {
    serde_json::to_string(command).unwrap_or_default()
}

fn outcome_of(text: &str) -> ToolOutcome {
    let Ok(answer) = serde_json::from_str::<ToolResult>(text) else {
        return ToolOutcome::Failed { code: ToolFailure::Unreachable, message: String::new() };
    };
    if answer.ok {
        return ToolOutcome::Ok { result: answer.result };
    }
    let code = answer.code.unwrap_or(FailureCode::Threw);
    ToolOutcome::Failed { code: ToolFailure::Page(code), message: answer.error.unwrap_or_default() }
}

/// Chrome says in words only whether a message was never heard (then the tool did not run) or its answer was lost.
fn lost(error: &ChromeError) -> ToolOutcome {
    let never_heard = ["Receiving end does not exist", "No tab with id", "No document with id"];
    if never_heard.iter().any(|words| error.0.contains(words)) {
        ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::NotFound), message: String::new() }
    } else {
        ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Navigated), message: error.0.clone() }
    }
}
