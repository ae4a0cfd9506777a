//! The panels that are open, one for each window, and the thread that each shows.

use std::collections::BTreeMap;

use serde::Serialize;
use sidecar_protocol::link::{ChatEvent, PanelEvent, Reply};
use sidecar_protocol::settings::{Language, Settings};
use sidecar_protocol::{ThreadId, WindowId};

use crate::key_value::KeyValue;
use crate::open_threads::OpenThreads;

/// The way to a panel.
pub trait PanelPort: std::fmt::Debug {
    /// Sends a message. A panel that closes at this moment gets a snapshot when it comes back.
    fn post(&self, text: &str);
}

impl PanelPort for Box<dyn PanelPort> {
    fn post(&self, text: &str) {
        (**self).post(text);
    }
}

/// A panel's port, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub u32);

/// The open panels.
#[derive(Debug)]
pub struct Panels<K, P> {
    links: BTreeMap<LinkId, OpenPanel<P>>,
    open_threads: OpenThreads<K>,
}

#[derive(Debug)]
struct OpenPanel<P> {
    port: P,
    /// Known once the panel has said hello.
    window: Option<WindowId>,
    browser_language: String,
    /// Whether it has its first snapshot. What changes before is in it.
    is_welcomed: bool,
}

/// A [`sidecar_protocol::link::WorkerMessage`] that is only written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum MessageToPanel<'m> {
    Reply(&'m Reply),
    Event(&'m PanelEvent),
}

impl<K: KeyValue, P: PanelPort> Panels<K, P> {
    /// Reads which threads were open.
    pub async fn load(store: K) -> Self {
        Self { links: BTreeMap::new(), open_threads: OpenThreads::load(store).await }
    }

    /// A panel opened its port.
    pub fn connected(&mut self, link: LinkId, port: P) {
        self.links.insert(
            link,
            OpenPanel { port, window: None, browser_language: String::new(), is_welcomed: false },
        );
    }

    /// A panel says who it is.
    pub fn said_hello(&mut self, link: LinkId, window: WindowId, browser_language: String) {
        if let Some(panel) = self.links.get_mut(&link) {
            panel.window = Some(window);
            panel.browser_language = browser_language;
        }
    }

    /// Its first snapshot is about to be sent.
    pub fn welcomed(&mut self, link: LinkId) {
        if let Some(panel) = self.links.get_mut(&link) {
            panel.is_welcomed = true;
        }
    }

    /// A panel closed.
    pub fn gone(&mut self, link: LinkId) {
        self.links.remove(&link);
    }

    /// The window of a panel that said hello.
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
        self.send_to_thread(thread, [ChatEvent::Opened { thread: None }]);
        self.open_threads.leave(thread).await;
    }

    /// Sends an event to a panel.
    pub fn send(&self, link: LinkId, event: &PanelEvent) {
        self.post(link, &MessageToPanel::Event(event));
    }

    /// Replies to a panel.
    pub fn reply(&self, link: LinkId, reply: &Reply) {
        self.post(link, &MessageToPanel::Reply(reply));
    }

    /// Sends to the panels of a window.
    pub fn send_to_window(&self, window: WindowId, event: &PanelEvent) {
        self.send_where(event, |link| self.window(link) == Some(window));
    }

    /// Sends what changed in a thread to the panels that show it.
    pub fn send_to_thread(&self, thread: &ThreadId, changes: impl IntoIterator<Item = ChatEvent>) {
        for change in changes {
            self.tell_thread(thread, &PanelEvent::Chat(change));
        }
    }

    /// Sends to the panels that show a thread.
    pub fn tell_thread(&self, thread: &ThreadId, event: &PanelEvent) {
        self.send_where(event, |link| self.thread(link).as_ref() == Some(thread));
    }

    /// Sends to every panel.
    pub fn send_to_all(&self, event: &PanelEvent) {
        self.send_where(event, |_| true);
    }

    /// Sends to the panels that have been welcomed and are meant.
    fn send_where(&self, event: &PanelEvent, is_meant: impl Fn(LinkId) -> bool) {
        let mut links =
            self.links.iter().filter(|(link, panel)| panel.is_welcomed && is_meant(**link)).peekable();
        if links.peek().is_none() {
            return;
        }
        let Ok(text) = serde_json::to_string(&MessageToPanel::Event(event)) else { return };
        links.for_each(|(_, panel)| panel.port.post(&text));
    }

    fn post(&self, link: LinkId, message: &MessageToPanel<'_>) {
        if let (Some(panel), Ok(text)) = (self.links.get(&link), serde_json::to_string(message)) {
            panel.port.post(&text);
        }
    }
}

#[cfg(test)]
mod tests;
