//! Ports to the documents whose tools a turn calls. A call over an open port takes half the time of a one-off
//! message.

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

/// The name of a port to a relay.
const RELAY: &str = "relay";

/// The channels of one turn, one per document. Each is opened by the first call.
#[derive(Debug, Default)]
pub struct DocumentChannels(RefCell<HashMap<DocumentId, Rc<DocumentChannel>>>);

/// A channel to one document. It closes when the document goes away.
#[derive(Debug)]
struct DocumentChannel {
    port: Port,
    calls: Rc<RefCell<Calls>>,
}

#[derive(Debug, Default)]
struct Calls {
    is_closed: bool,
    /// The calls without an answer.
    waiting: HashMap<CallId, oneshot::Sender<RelayAnswer>>,
}

/// The relay's answer to a call; or, if the channel closed, the browser's error, if there is one.
type RelayAnswer = Result<ToolResult, Option<ChromeError>>;

impl DocumentPort for DocumentChannels {
    async fn call(&self, call: &CallId, tool: &PageTool, arguments: &str) -> Result<ToolResult, CallLoss> {
        let command = RelayCommand::CallTool {
            request_id: call.clone(),
            tool_name: tool.name.clone(),
            args: arguments.to_owned(),
        };
        let answer = match self.to(tool) {
            Ok(channel) => {
                let mut cancel = CancelOnDrop { call, channel: &channel, armed: true };
                let answer = channel.ask(call, &command).await;
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
    /// The channel to the document of a tool.
    fn to(&self, tool: &PageTool) -> Result<Rc<DocumentChannel>, ChromeError> {
        let mut channels = self.0.borrow_mut();
        if let Some(channel) =
            channels.get(&tool.document).filter(|channel| !channel.calls.borrow().is_closed)
        {
            return Ok(channel.clone());
        }
        let channel = Rc::new(DocumentChannel::open(tool)?);
        channels.insert(tool.document.clone(), channel.clone());
        Ok(channel)
    }
}

impl DocumentChannel {
    fn open(tool: &PageTool) -> Result<Self, ChromeError> {
        let calls = Rc::new(RefCell::new(Calls::default()));
        let to = Recipient::Document { document_id: tool.document.0.clone() };
        let (heard, closed) = (calls.clone(), calls.clone());
        let on_message = move |text: String| {
            // Ignores anything but answers to waiting calls.
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
        let port = tabs::connect(tool.tab.0, &to, RELAY, on_message, on_disconnect)?;
        Ok(Self { port, calls })
    }

    /// Sends a command without waiting for an answer. Does nothing if the document is gone.
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

/// Cancels a call in its document when it is dropped, unless disarmed.
struct CancelOnDrop<'a> {
    call: &'a CallId,
    channel: &'a DocumentChannel,
    armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.channel.tell(&RelayCommand::CancelCall { request_id: self.call.clone() });
        }
    }
}

/// The JSON text of a command.
pub fn text_of(command: &RelayCommand) -> String {
    serde_json::to_string(command).unwrap_or_default()
}
