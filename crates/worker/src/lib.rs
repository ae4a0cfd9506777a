//! The extension's service worker.
//!
//! `extension/background.js` registers every listener in the first turn of the event loop and hands what it hears to
//! the functions below; each becomes an [`event::WorkerEvent`] in one queue, and one task, the [`actor`], owns all state
//! and reads that queue. Effects (a turn, a question to a page, long work on disk) run as tasks of their own and post back.

mod actor;
mod alarm;
mod attention;
mod body;
mod clock;
mod database;
mod event;
mod history;
mod lines;
mod on_device;
mod replies;
mod storage;
mod storage_error;
mod tabs;
mod tools;
mod transport;
mod turn_task;
mod validator;

use std::cell::RefCell;

use futures::channel::mpsc::unbounded;
use sidecar_chrome::runtime::AcceptedPort;
use sidecar_chrome::tabs::Tab;
use sidecar_protocol::link::Request;
use sidecar_protocol::{TabId, WindowId};
use sidecar_session::Turns;
use sidecar_session::panels::LinkId;
use wasm_bindgen::prelude::*;

use crate::event::{Mailbox, RelaySender, WorkerEvent};

thread_local! {
    static WAYS_IN: RefCell<Option<WaysIn>> = const { RefCell::new(None) };
}

/// What listeners hand on what they hear to.
struct WaysIn {
    mailbox: Mailbox,
    turns: Turns,
}

fn post(event: WorkerEvent) {
    WAYS_IN.with_borrow(|ways| {
        if let Some(WaysIn { mailbox, .. }) = ways {
            mailbox.post(event);
        }
    });
}

/// Starts the actor. Called once for each instance of this module, before anything else.
#[wasm_bindgen]
pub fn start() {
    // A panic ends this instance without a word of its own; the shim starts another.
    std::panic::set_hook(Box::new(|info| web_sys::console::error_1(&info.to_string().into())));
    let (sender, queue) = unbounded();
    let (mailbox, turns) = (Mailbox(sender), Turns::default());
    wasm_bindgen_futures::spawn_local(actor::run(mailbox.clone(), turns.clone(), queue));
    WAYS_IN.with_borrow_mut(|ways| *ways = Some(WaysIn { mailbox, turns }));
}

/// The extension was installed or updated, or the browser started with it.
#[wasm_bindgen(js_name = onInstalled)]
pub fn on_installed() {
    post(WorkerEvent::Installed);
}

/// `chrome.runtime.onMessage`: a relay says something. `respond` is called once it is dealt with.
#[wasm_bindgen(js_name = onMessage)]
pub fn on_message(text: String, sender: JsValue, respond: js_sys::Function) {
    match serde_wasm_bindgen::from_value::<RelaySender>(sender) {
        Ok(sender) => post(WorkerEvent::RelaySaid { text, sender, respond }),
        // Not from a document in a tab: nothing of ours.
        Err(_) => drop(respond.call1(&JsValue::NULL, &JsValue::from_str(""))),
    }
}

/// `chrome.runtime.onConnect`: a panel opened its port, which the shim numbered.
#[wasm_bindgen(js_name = onConnect)]
pub fn on_connect(link: u32, port: AcceptedPort) {
    post(WorkerEvent::PanelConnected { link: LinkId(link), port });
}

/// A panel said something on its port. What it says to a turn that runs does not wait in the queue.
#[wasm_bindgen(js_name = onPortMessage)]
pub fn on_port_message(link: u32, text: String) {
    let link = LinkId(link);
    let Ok(request) = serde_json::from_str::<Request>(&text) else {
        return post(WorkerEvent::PanelMisread { link });
    };
    let is_told =
        WAYS_IN.with_borrow(|ways| ways.as_ref().is_some_and(|ways| ways.turns.heed(&request.body)));
    post(WorkerEvent::PanelAsked { link, request, is_told });
}

/// A panel closed.
#[wasm_bindgen(js_name = onPortDisconnect)]
pub fn on_port_disconnect(link: u32) {
    post(WorkerEvent::PanelGone { link: LinkId(link) });
}

/// `chrome.alarms.onAlarm`: there may be turns that no worker runs.
#[wasm_bindgen(js_name = onAlarm)]
pub fn on_alarm() {
    post(WorkerEvent::Woken);
}

/// `chrome.notifications.onClicked`.
#[wasm_bindgen(js_name = onNotificationClicked)]
pub fn on_notification_clicked(id: &str) {
    if let Some(tab) = sidecar_session::attention::tab_of(id) {
        post(WorkerEvent::NotificationClicked { tab });
    }
}

/// `chrome.tabs.onActivated`.
#[wasm_bindgen(js_name = onTabActivated)]
pub fn on_tab_activated(tab: i32, window: i32) {
    post(WorkerEvent::TabActivated { tab: TabId(tab), window: WindowId(window) });
}

/// `chrome.tabs.onUpdated`.
#[wasm_bindgen(js_name = onTabUpdated)]
pub fn on_tab_updated(tab: JsValue) {
    if let Ok(tab) = Tab::from_js(tab) {
        post(WorkerEvent::TabUpdated { tab });
    }
}

/// `chrome.tabs.onRemoved`.
#[wasm_bindgen(js_name = onTabRemoved)]
pub fn on_tab_removed(tab: i32) {
    post(WorkerEvent::TabRemoved { tab: TabId(tab) });
}
