//! Channels to the documents whose tools a turn calls. A call over an open channel takes half the time of a one-off
//! message.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;
use futures::channel::oneshot;
use sidecar_protocol::page::{RelayCommand, ToolResult};
use sidecar_protocol::{CallId, DocumentId, PageTool};

use crate::browser::{BrowserPort, ChannelEnd, ContentScript, DocumentChannel};

/// The channels of one turn to relays, one per document. Each is opened by the first call.
#[derive(Debug)]
pub struct Documents<B> {
    browser: B,
    relays: RefCell<HashMap<DocumentId, Rc<Relay>>>,
}

impl<B: BrowserPort> Documents<B> {
    /// No channel is open yet.
    pub fn new(browser: B) -> Self {
        Self { browser, relays: RefCell::default() }
    }

    /// Runs a tool in its document. Dropping the future cancels the call there.
    ///
    /// # Errors
    /// If the document does not answer.
    pub async fn call(
        &self,
        call: &CallId,
        tool: &PageTool,
        arguments: &str,
    ) -> Result<ToolResult, ChannelEnd> {
        let relay = self.relay(tool)?;
        let (answered, answer) = oneshot::channel();
        relay.waiting.borrow_mut().insert(call.clone(), answered);
        let mut cancel = CancelOnDrop { call, relay: &relay, is_armed: true };
        let is_sent = relay.tell(&RelayCommand::CallTool {
            request_id: call.clone(),
            tool_name: tool.name.clone(),
            args: arguments.to_owned(),
        });
        let answer = if is_sent { answer.await.ok() } else { None };
        cancel.is_armed = false;
        answer.unwrap_or_else(|| Err(gone()))
    }

    /// The relay in the document of a tool.
    fn relay(&self, tool: &PageTool) -> Result<Rc<Relay>, ChannelEnd> {
        let mut relays = self.relays.borrow_mut();
        if let Some(relay) = relays.get(&tool.document).filter(|relay| !relay.is_closed.get()) {
            return Ok(relay.clone());
        }
        let channel = self.browser.open_channel(tool.tab, &tool.document, ContentScript::Relay)?;
        let DocumentChannel { send, heard } = channel;
        let relay = Rc::new(Relay { send, is_closed: Cell::default(), waiting: RefCell::default() });
        self.browser.spawn(hear(Rc::downgrade(&relay), heard));
        relays.insert(tool.document.clone(), relay.clone());
        Ok(relay)
    }
}

/// An open channel to the relay in a document.
struct Relay {
    send: Box<dyn Fn(&str) -> bool>,
    is_closed: Cell<bool>,
    /// The calls without an answer.
    waiting: RefCell<HashMap<CallId, oneshot::Sender<Result<ToolResult, ChannelEnd>>>>,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay").field("is_closed", &self.is_closed).finish_non_exhaustive()
    }
}

impl Relay {
    fn tell(&self, command: &RelayCommand) -> bool {
        (self.send)(&command.to_json())
    }

    fn answered(&self, text: &str) {
        // Ignores anything but answers to waiting calls.
        let Ok(answer) = serde_json::from_str::<ToolResult>(text) else { return };
        if let Some(waiting) = self.waiting.borrow_mut().remove(&answer.request_id) {
            let _ = waiting.send(Ok(answer));
        }
    }

    fn closed(&self, why: &ChannelEnd) {
        self.is_closed.set(true);
        for (_, waiting) in self.waiting.borrow_mut().drain() {
            let _ = waiting.send(Err(why.clone()));
        }
    }
}

/// Hears a relay until its channel closes.
async fn hear(relay: Weak<Relay>, mut heard: UnboundedReceiver<Result<String, ChannelEnd>>) {
    while let Some(said) = heard.next().await {
        let Some(relay) = relay.upgrade() else { return };
        match said {
            Ok(text) => relay.answered(&text),
            Err(why) => return relay.closed(&why),
        }
    }
    if let Some(relay) = relay.upgrade() {
        relay.closed(&gone());
    }
}

fn gone() -> ChannelEnd {
    ChannelEnd::Gone(String::new())
}

/// Cancels a call in its document when it is dropped, unless disarmed.
struct CancelOnDrop<'a> {
    call: &'a CallId,
    relay: &'a Relay,
    is_armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.relay.waiting.borrow_mut().remove(self.call);
        if self.is_armed {
            self.relay.tell(&RelayCommand::CancelCall { request_id: self.call.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::channel::mpsc::unbounded;
    use futures::executor::LocalPool;
    use futures::poll;
    use serde_json::json;
    use sidecar_protocol::{FrameId, TabId};

    use super::*;
    use crate::testing::browser::FakeBrowser;

    fn tool(document: &str) -> PageTool {
        PageTool {
            tab: TabId(7),
            frame: FrameId(0),
            document: DocumentId(document.to_owned()),
            name: "buy".to_owned(),
        }
    }

    fn browser(
        pool: &LocalPool,
        results: impl IntoIterator<Item = Result<ToolResult, ChannelEnd>>,
    ) -> FakeBrowser {
        let (events, _) = unbounded();
        let browser = FakeBrowser::new(events, pool.spawner(), Default::default(), false);
        browser.0.results.borrow_mut().extend(results);
        browser
    }

    fn ok() -> Result<ToolResult, ChannelEnd> {
        Ok(serde_json::from_value(json!({ "type": "", "requestId": "", "ok": true, "result": "bought" }))
            .unwrap())
    }

    #[test]
    fn calls_to_one_document_share_a_channel() {
        let mut pool = LocalPool::new();
        let browser = browser(&pool, [ok(), ok(), ok()]);
        let documents = Documents::new(browser.clone());
        pool.run_until(async {
            for (call, document) in [("c1", "A"), ("c2", "A"), ("c3", "B")] {
                let answer = documents.call(&CallId(call.to_owned()), &tool(document), "{}").await.unwrap();
                assert_eq!(answer.request_id.0, call);
            }
        });
        assert_eq!(*browser.0.channels.borrow(), ["A", "B"].map(|id| DocumentId(id.to_owned())));
    }

    #[test]
    fn a_call_that_is_dropped_is_cancelled_in_its_document() {
        let mut pool = LocalPool::new();
        let browser = browser(&pool, []);
        let documents = Documents::new(browser.clone());
        pool.run_until(async {
            let (call, tool) = (CallId("c1".to_owned()), tool("A"));
            let mut asked = Box::pin(documents.call(&call, &tool, "{}"));
            assert!(poll!(pin!(&mut asked)).is_pending());
            drop(asked);
        });
        assert_eq!(*browser.0.cancelled.borrow(), [CallId("c1".to_owned())]);
    }

    #[test]
    fn a_channel_that_closes_ends_its_calls_and_the_next_call_opens_another() {
        let mut pool = LocalPool::new();
        let closed = || ChannelEnd::Gone("The message port closed.".to_owned());
        let browser = browser(&pool, [Err(closed()), ok()]);
        let documents = Documents::new(browser.clone());
        pool.run_until(async {
            let call = CallId("c1".to_owned());
            assert_eq!(documents.call(&call, &tool("A"), "{}").await, Err(closed()));
            assert!(documents.call(&call, &tool("A"), "{}").await.is_ok());
        });
        assert_eq!(browser.0.channels.borrow().len(), 2);
        assert!(browser.0.cancelled.borrow().is_empty());
    }
}
