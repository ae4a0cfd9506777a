//! Open ports to the documents whose tools a turn calls. A call over an open port takes half the time of a message
//! that opens a channel of its own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures::channel::oneshot;
use sidecar_chrome::ChromeError;
use sidecar_chrome::port::Port;
use sidecar_chrome::tabs::{self, Recipient};
use sidecar_protocol::page::{RelayCommand, ToolResult};
use sidecar_protocol::{CallId, DocumentId, PageTool};
use sidecar_session::browser::{CallLoss, DocumentPort};

/// The lines of one turn, one for each document, each opened by the first call.
#[derive(Debug, Default)]
pub struct DocumentChannels(RefCell<HashMap<DocumentId, Rc<DocumentChannel>>>);

/// A way into one document. It closes with the document.
#[derive(Debug)]
struct DocumentChannel {
    port: Port,
    calls: Rc<RefCell<Calls>>,
}

#[derive(Debug, Default)]
struct Calls {
    is_closed: bool,
    /// Who waits for which answer.
    waiting: HashMap<CallId, oneshot::Sender<RelayAnswer>>,
}

/// What the relay says of a call; or why it says nothing, in the browser's words where it has any.
type RelayAnswer = Result<ToolResult, Option<ChromeError>>;

impl DocumentPort for DocumentChannels {
    async fn call(&self, call: &CallId, tool: &PageTool, arguments: &str) -> Result<ToolResult, CallLoss> {
        let command = RelayCommand::CallTool {
            request_id: call.clone(),
            tool_name: tool.name.clone(),
            args: arguments.to_owned(),
        };
        let answer = match self.to(tool) {
            Ok(line) => {
                let mut cancel = CancelOnDrop { call, line: &line, armed: true };
                let answer = line.ask(call, &command).await;
                cancel.armed = false;
                answer
            }
            Err(error) => Err(Some(error)),
        };
        answer.map_err(|error| match error {
            Some(error) if tabs::was_never_heard(&error) => CallLoss::NeverHeard,
            error => CallLoss::Gone(error.map(|error| error.0).unwrap_or_default()),
        })
    }
}

impl DocumentChannels {
    /// The line to the document that has a tool.
    fn to(&self, tool: &PageTool) -> Result<Rc<DocumentChannel>, ChromeError> {
        let mut lines = self.0.borrow_mut();
        if let Some(line) = lines.get(&tool.document).filter(|line| !line.calls.borrow().is_closed) {
            return Ok(line.clone());
        }
        let line = Rc::new(DocumentChannel::open(tool)?);
        lines.insert(tool.document.clone(), line.clone());
        Ok(line)
    }
}

impl DocumentChannel {
    fn open(tool: &PageTool) -> Result<Self, ChromeError> {
        let calls = Rc::new(RefCell::new(Calls::default()));
        let to = Recipient::Document { document_id: tool.document.0.clone() };
        let (heard, closed) = (calls.clone(), calls.clone());
        let on_message = move |text: String| {
            // What is no answer to a call, or to one that nobody waits for any more, is dropped.
            let Ok(answer) = serde_json::from_str::<ToolResult>(&text) else { return };
            if let Some(waiting) = heard.borrow_mut().waiting.remove(&answer.request_id) {
                let _ = waiting.send(Ok(answer));
            }
        };
        let on_disconnect = move |reason: Option<ChromeError>| {
            let mut calls = closed.borrow_mut();
            calls.is_closed = true;
            for (_, waiting) in calls.waiting.drain() {
                let _ = waiting.send(Err(reason.clone()));
            }
        };
        let port = tabs::connect(tool.tab.0, &to, on_message, on_disconnect)?;
        Ok(Self { port, calls })
    }

    /// Sends a command that wants no answer. A document that is gone needs none.
    fn tell(&self, command: &RelayCommand) {
        let _ = self.port.post(&text_of(command));
    }

    /// Sends a call and waits for its answer.
    async fn ask(&self, call: &CallId, command: &RelayCommand) -> RelayAnswer {
        let (answered, answer) = oneshot::channel();
        self.calls.borrow_mut().waiting.insert(call.clone(), answered);
        self.port.post(&text_of(command)).map_err(Some)?;
        answer.await.unwrap_or(Err(None))
    }
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

/// The JSON text of a command. Our own types always have one.
pub fn text_of(command: &RelayCommand) -> String {
    serde_json::to_string(command).unwrap_or_default()
}
