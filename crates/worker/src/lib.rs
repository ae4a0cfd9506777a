//! The extension's service worker.
//!
//! `extension/background.js` registers every listener in the first turn of the event loop and passes events
//! to the functions below. Each event becomes a [`SessionEvent`] in a single queue, which the [`Actor`]
//! reads; it owns all state. This crate gives it the browser ([`browser`]).

mod actions;
mod alarm;
mod attention;
mod body;
mod browser;
mod clock;
mod cross_request;
mod inspector;
mod on_device;
mod other_module;
mod packages;
mod pages;
mod test_bridge;
mod transport;
mod validator;

use std::cell::RefCell;

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::channel::oneshot;
use sidecar_chrome::runtime::{AcceptedPort, MessageSender};
use sidecar_chrome::storage;
use sidecar_chrome::tabs::Tab;
use sidecar_protocol::link::FirstRequest;
use sidecar_protocol::{DocumentId, FrameId, TabId, WindowId};
use sidecar_session::event::BrowserEvent;
use sidecar_session::panels::{LinkId, PanelPort};
use sidecar_session::{Actor, Mailbox, SessionEvent, Turns};
use sidecar_webmcp::Place;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::browser::{ThisBrowser, parts};
use crate::clock::Awake;

thread_local! {
    static QUEUES: RefCell<Option<Queues>> = const { RefCell::new(None) };
}

/// Where the listeners send events.
struct Queues {
    mailbox: Mailbox,
    panels: UnboundedSender<(LinkId, PanelMessage)>,
}

/// What comes over the port of a panel.
enum PanelMessage {
    /// A request but the first.
    Asked(String),
    /// The panel closed.
    Gone,
}

/// The port of a panel.
#[derive(Debug)]
struct PortToPanel(AcceptedPort);

impl PanelPort for PortToPanel {
    fn post(&self, text: &str) {
        let _ = self.0.post(text);
    }
}

fn post(event: impl Into<SessionEvent>) {
    QUEUES.with_borrow(|queues| {
        if let Some(Queues { mailbox, .. }) = queues {
            mailbox.post(event);
        }
    });
}

/// Starts the actor. Called once for each instance of this module, before anything else, with what was read from storage
/// while the module was compiled (`extension/first-values.js`).
#[wasm_bindgen]
pub fn start(first: js_sys::Object) {
    storage::know_first(first);
    // A panic ends this instance without a message; the shim starts another.
    std::panic::set_hook(Box::new(|info| web_sys::console::error_1(&info.to_string().into())));
    let (sender, queue) = unbounded();
    let (mailbox, turns) = (Mailbox(sender), Turns::default());
    let mut awake = Awake::default();
    let keep_awake = move |is_wanted| awake.keep(is_wanted);
    spawn_local(Actor::run(ThisBrowser(mailbox.clone()), turns.clone(), queue, keep_awake));
    let (panels, heard) = unbounded();
    spawn_local(hear_panels(heard, turns));
    QUEUES.with_borrow_mut(|queues| *queues = Some(Queues { mailbox, panels }));
}

/// Posts what panels ask, in its order, though the code that reads it may have to be loaded first. Commands for a running
/// turn bypass the queue.
async fn hear_panels(mut heard: UnboundedReceiver<(LinkId, PanelMessage)>, turns: Turns) {
    while let Some((link, message)) = heard.next().await {
        post(match message {
            PanelMessage::Asked(text) => match parts::read_request(text).await {
                Some(request) => {
                    let is_told = turns.deliver(&request.body);
                    SessionEvent::PanelAsked { link, request, is_told }
                }
                None => SessionEvent::PanelMisread { link },
            },
            PanelMessage::Gone => SessionEvent::PanelGone { link },
        });
    }
}

fn hear(link: LinkId, message: PanelMessage) {
    QUEUES.with_borrow(|queues| {
        if let Some(Queues { panels, .. }) = queues {
            // The task that hears it ends with this module.
            let _ = panels.unbounded_send((link, message));
        }
    });
}

/// `chrome.runtime.onInstalled` and `chrome.runtime.onStartup`.
#[wasm_bindgen(js_name = onInstalled)]
pub fn on_installed() {
    post(BrowserEvent::Installed);
}

/// `chrome.runtime.onMessage`: a message from a relay. `respond` is called when it has been handled.
#[wasm_bindgen(js_name = onMessage)]
pub fn on_message(text: String, sender: JsValue, respond: js_sys::Function) {
    let (done, dealt_with) = oneshot::channel();
    // Only documents in tabs have relays; any other sender is answered at once.
    if let Ok(sender) = MessageSender::from_js(sender) {
        let is_active = sender.is_active();
        let place = Place {
            tab: TabId(sender.tab.id),
            frame: FrameId(sender.frame_id),
            document: DocumentId(sender.document_id),
            origin: sender.origin,
        };
        post(BrowserEvent::RelaySaid { text, place, is_active, done });
    }
    spawn_local(async move {
        let _ = dealt_with.await;
        let _ = respond.call0(&JsValue::NULL);
    });
}

/// `chrome.runtime.onConnect`: a panel opened its port. `link` is the shim's number for it.
#[wasm_bindgen(js_name = onConnect)]
pub fn on_connect(link: u32, port: AcceptedPort) {
    post(SessionEvent::PanelConnected { link: LinkId(link), port: Box::new(PortToPanel(port)) });
}

/// A message from a panel.
#[wasm_bindgen(js_name = onPortMessage)]
pub fn on_port_message(link: u32, text: String) {
    let link = LinkId(link);
    match serde_json::from_str::<FirstRequest>(&text) {
        Ok(first) => post(SessionEvent::PanelAsked { link, request: first.into(), is_told: false }),
        Err(_) => hear(link, PanelMessage::Asked(text)),
    }
}

/// A panel closed.
#[wasm_bindgen(js_name = onPortDisconnect)]
pub fn on_port_disconnect(link: u32) {
    hear(LinkId(link), PanelMessage::Gone);
}

/// `chrome.alarms.onAlarm`: there may be unfinished turns that no worker runs.
#[wasm_bindgen(js_name = onAlarm)]
pub fn on_alarm() {
    post(BrowserEvent::Woken);
}

/// `chrome.notifications.onClicked`.
#[wasm_bindgen(js_name = onNotificationClicked)]
pub fn on_notification_clicked(id: &str) {
    if let Some(tab) = sidecar_session::attention::tab_of(id) {
        post(BrowserEvent::NotificationClicked { tab });
    }
}

/// `chrome.tabs.onActivated`.
#[wasm_bindgen(js_name = onTabActivated)]
pub fn on_tab_activated(tab: i32, window: i32) {
    post(BrowserEvent::TabActivated { tab: TabId(tab), window: WindowId(window) });
}

/// `chrome.tabs.onUpdated`.
#[wasm_bindgen(js_name = onTabUpdated)]
pub fn on_tab_updated(tab: JsValue) {
    if let Ok(tab) = Tab::from_js(tab) {
        post(BrowserEvent::TabUpdated { tab: pages::info(tab) });
    }
}

/// `chrome.tabs.onRemoved`.
#[wasm_bindgen(js_name = onTabRemoved)]
pub fn on_tab_removed(tab: i32) {
    post(BrowserEvent::TabRemoved { tab: TabId(tab) });
}
