//! To the tools of one tab.

use futures::channel::oneshot;
use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use sidecar_agent::ToolHost;
use sidecar_chrome::tabs::{self, Recipient};
use sidecar_protocol::page::{FailureCode, RelayCommand, ToolResult, caps};
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{CallId, TabId};
use sidecar_webmcp::{Fingerprint, Offer, ToolId};

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

    async fn fingerprint(&self, tool: &ToolId) -> Option<Fingerprint> {
        let (reply, fingerprint) = oneshot::channel();
        self.mailbox.post(Event::FingerprintWanted { tool: tool.clone(), reply });
        fingerprint.await.ok().flatten()
    }

    async fn call(&self, call: &CallId, tool: &ToolId, arguments: &str) -> ToolOutcome {
        let command = RelayCommand::CallTool {
            request_id: call.clone(),
            tool_name: tool.name.clone(),
            args: arguments.to_owned(),
        };
        let mut cancel = CancelOnDrop { call: call.clone(), tool: tool.clone(), armed: true };
        let answer = tabs::send(tool.tab.0, &document_of(tool), &text_of(&command)).await;
        cancel.armed = false;
        let outcome = match answer {
            Ok(text) => outcome_of(&text),
            // The message was never heard, so the tool did not run.
            Err(error) if tabs::was_never_heard(&error) => {
                let code = match tabs::get(tool.tab.0).await {
                    Ok(_) => ToolFailure::Page(FailureCode::NotFound),
                    Err(_) => ToolFailure::Unreachable,
                };
                self.lost(tool);
                return ToolOutcome::Failed { code, message: String::new() };
            }
            Err(error) => {
                self.lost(tool);
                let code = ToolFailure::Page(FailureCode::Navigated);
                return ToolOutcome::Failed { code, message: error.0 };
            }
        };
        if let ToolOutcome::Ok { result: None } = outcome {
            // The call took the page elsewhere: what comes next are the tools of the page it went to.
            self.lost(tool);
        }
        outcome
    }
}

impl TabTools {
    fn lost(&self, tool: &ToolId) {
        self.mailbox.post(Event::DocumentLost { tab: tool.tab, document: tool.document.clone() });
    }
}

fn document_of(tool: &ToolId) -> Recipient {
    Recipient::Document { document_id: tool.document.0.clone() }
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
        let (tab, document) = (self.tool.tab.0, document_of(&self.tool));
        wasm_bindgen_futures::spawn_local(async move {
            // A document that is gone needs no cancelling.
            let _ = tabs::send(tab, &document, &text_of(&command)).await;
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
    // The relay has held these caps already; it shares a process with the page.
    if answer.result.as_ref().is_some_and(|result| result.len() > 4 * caps::RESULT) {
        let message = String::new();
        return ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::TooLarge), message };
    }
    if answer.ok {
        return ToolOutcome::Ok { result: answer.result };
    }
    let code = answer.code.unwrap_or(FailureCode::Threw);
    let message = answer.error.unwrap_or_default().chars().take(caps::ERROR).collect();
    ToolOutcome::Failed { code: ToolFailure::Page(code), message }
}
