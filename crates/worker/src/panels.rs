//! The panels that are open, one for each window.

use std::collections::HashMap;

use sidecar_chrome::runtime::AcceptedPort;
use sidecar_protocol::link::WorkerEvent;
use sidecar_protocol::settings::{Language, Settings};
use sidecar_protocol::{ThreadId, WindowId};
use sidecar_session::OpenThreads;

use crate::event::LinkId;
use crate::storage::Store;

/// The open panels.
pub struct Panels {
    links: HashMap<LinkId, Panel>,
    open_threads: OpenThreads<Store>,
}

struct Panel {
    port: AcceptedPort,
    /// Known once the panel has said hello.
    window: Option<WindowId>,
    browser_language: String,
}

impl Panels {
    /// Reads which threads were open.
    pub async fn load() -> Self {
        Self { links: HashMap::new(), open_threads: OpenThreads::load(Store::Session).await }
    }

    pub fn connected(&mut self, link: LinkId, port: AcceptedPort) {
        self.links.insert(link, Panel { port, window: None, browser_language: String::new() });
    }

    pub fn said_hello(&mut self, link: LinkId, window: WindowId, browser_language: String) {
        if let Some(panel) = self.links.get_mut(&link) {
            panel.window = Some(window);
            panel.browser_language = browser_language;
        }
    }

    pub fn gone(&mut self, link: LinkId) {
        self.links.remove(&link);
    }

    pub fn window(&self, link: LinkId) -> Option<WindowId> {
        self.links.get(&link)?.window
    }

    /// The language the panel speaks.
    pub fn language(&self, link: LinkId, settings: &Settings) -> Language {
        let browser = self.links.get(&link).map(|panel| panel.browser_language.as_str()).unwrap_or_default();
        settings.language.resolve(browser)
    }

    /// The thread that the panel's window has open.
    pub fn thread(&self, link: LinkId) -> Option<ThreadId> {
        self.thread_in(self.window(link)?).cloned()
    }

    /// The thread that a window has open.
    pub fn thread_in(&self, window: WindowId) -> Option<&ThreadId> {
        self.open_threads.of(window)
    }

    /// The threads that open panels show.
    pub fn shown_threads(&self) -> Vec<ThreadId> {
        self.links.keys().filter_map(|link| self.thread(*link)).collect()
    }

    /// Opens a thread (or none) in the panel's window.
    pub async fn open_thread(&mut self, link: LinkId, thread: Option<ThreadId>) {
        let Some(window) = self.window(link) else { return };
        self.open_threads.open(window, thread).await;
    }

    /// The windows that have this thread open have none open from now on.
    pub async fn leave_thread(&mut self, thread: &ThreadId) {
        self.send_to_thread(thread, &[WorkerEvent::Thread { thread: None }]);
        self.open_threads.leave(thread).await;
    }

    pub fn send(&self, link: LinkId, event: &WorkerEvent) {
        if let (Some(panel), Ok(text)) = (self.links.get(&link), serde_json::to_string(event)) {
            // A panel that closes at this moment gets a snapshot when it comes back.
            let _ = panel.port.post(&text);
        }
    }

    /// Sends to the panels of a window.
    pub fn send_to_window(&self, window: WindowId, event: &WorkerEvent) {
        self.send_where(event, |link| self.window(link) == Some(window));
    }

    /// Sends to the panels that show a thread.
    pub fn send_to_thread(&self, thread: &ThreadId, events: &[WorkerEvent]) {
        for event in events {
            self.send_where(event, |link| self.thread(link).as_ref() == Some(thread));
        }
    }

    /// Sends to every panel that has said hello.
    pub fn send_to_all(&self, event: &WorkerEvent) {
        self.send_where(event, |link| self.window(link).is_some());
    }

    fn send_where(&self, event: &WorkerEvent, is_meant: impl Fn(LinkId) -> bool) {
        for link in self.links.keys().filter(|link| is_meant(**link)) {
            self.send(*link, event);
        }
    }
}
