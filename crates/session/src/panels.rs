//! The open panels, one per window, the workbenches, each bound to a tab, and the thread that each panel shows.

use std::collections::BTreeMap;

use serde::Serialize;
use sidecar_protocol::link::{ChatEvent, FirstReply, PanelEvent, Reply};
use sidecar_protocol::settings::{Language, Settings};
use sidecar_protocol::{TabId, ThreadId, WindowId};

use crate::key_value::KeyValue;
use crate::open_threads::OpenThreads;

/// The port of a panel.
pub trait PanelPort: std::fmt::Debug {
    /// Sends a message. Failures are ignored: a panel that comes back gets a snapshot.
    fn post(&self, text: &str);
}

impl PanelPort for Box<dyn PanelPort> {
    fn post(&self, text: &str) {
        (**self).post(text);
    }
}

/// The number of a panel's port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub u32);

/// Which page a panel shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelSight {
    /// That of its window's active tab.
    Window(WindowId),
    /// That of the tab to which it is bound: it is a workbench, and shows no thread.
    Tab(TabId),
}

/// The open panels.
#[derive(Debug)]
pub struct Panels<K, P> {
    links: BTreeMap<LinkId, OpenPanel<P>>,
    open_threads: OpenThreads<K>,
}

#[derive(Debug)]
struct OpenPanel<P> {
    port: P,
    /// Known once the panel has sent [`sidecar_protocol::link::Hello`].
    sight: Option<PanelSight>,
    browser_language: String,
    /// Whether it has its first snapshot. Earlier events are not sent, because the snapshot includes them.
    is_welcomed: bool,
}

/// A borrowing [`sidecar_protocol::link::WorkerMessage`], only for serialization.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum MessageToPanel<'m> {
    Reply(&'m Reply),
    Event(&'m PanelEvent),
}

/// The same for the first message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum FirstToPanel<'m> {
    Reply(FirstReply<'m>),
}

impl<K: KeyValue, P: PanelPort> Panels<K, P> {
    /// Reads the open threads that the previous worker saved.
    pub async fn load(store: K) -> Self {
        Self { links: BTreeMap::new(), open_threads: OpenThreads::load(store).await }
    }

    /// A panel opened its port.
    pub fn connected(&mut self, link: LinkId, port: P) {
        self.links.insert(
            link,
            OpenPanel { port, sight: None, browser_language: String::new(), is_welcomed: false },
        );
    }

    /// A panel sent what it shows, and its language.
    pub fn said_hello(&mut self, link: LinkId, sight: PanelSight, browser_language: String) {
        if let Some(panel) = self.links.get_mut(&link) {
            panel.sight = Some(sight);
            panel.browser_language = browser_language;
        }
    }

    /// Sends a panel its first snapshot. From now on it gets events.
    pub fn welcome(&mut self, link: LinkId, reply: FirstReply<'_>) {
        self.post(link, &FirstToPanel::Reply(reply));
        self.welcomed(link);
    }

    /// Refuses a panel its first snapshot.
    pub fn refuse_hello(&self, link: LinkId, reply: FirstReply<'_>) {
        self.post(link, &FirstToPanel::Reply(reply));
    }

    fn welcomed(&mut self, link: LinkId) {
        if let Some(panel) = self.links.get_mut(&link) {
            panel.is_welcomed = true;
        }
    }

    /// A panel closed.
    pub fn gone(&mut self, link: LinkId) {
        self.links.remove(&link);
    }

    /// Which page a panel shows, once that is known.
    pub fn sight(&self, link: LinkId) -> Option<PanelSight> {
        self.links.get(&link)?.sight
    }

    /// The window of a panel, once it is known; a workbench has none.
    pub fn window(&self, link: LinkId) -> Option<WindowId> {
        match self.sight(link)? {
            PanelSight::Window(window) => Some(window),
            PanelSight::Tab(_) => None,
        }
    }

    /// Binds a workbench to a tab.
    pub fn bind(&mut self, link: LinkId, tab: TabId) {
        if let Some(PanelSight::Tab(bound)) = self.links.get_mut(&link).and_then(|panel| panel.sight.as_mut())
        {
            *bound = tab;
        }
    }

    /// The workbenches that are bound to a tab, or all of them, each with its tab. One that has no first snapshot yet is none
    /// of them.
    pub fn bound(&self, to: Option<TabId>) -> Vec<(LinkId, TabId)> {
        let welcomed = self.links.iter().filter(|(_, panel)| panel.is_welcomed);
        let bound = welcomed.filter_map(|(link, panel)| match panel.sight? {
            PanelSight::Tab(tab) => Some((*link, tab)),
            PanelSight::Window(_) => None,
        });
        bound.filter(|(_, tab)| to.is_none_or(|wanted| wanted == *tab)).collect()
    }

    /// The language of a panel.
    pub fn language(&self, link: LinkId, settings: &Settings) -> Language {
        let browser = self.links.get(&link).map(|panel| panel.browser_language.as_str()).unwrap_or_default();
        settings.language.resolve(browser)
    }

    /// The language of the panel of a window.
    pub fn language_in(&self, window: WindowId, settings: &Settings) -> Language {
        let link = self
            .links
            .iter()
            .find(|(_, panel)| panel.sight == Some(PanelSight::Window(window)))
            .map(|(link, _)| *link);
        link.map_or_else(|| settings.language.resolve(""), |link| self.language(link, settings))
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

    /// Closes this thread in all windows, and tells their panels.
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

    /// Sends an event to the panels of a window.
    pub fn send_to_window(&self, window: WindowId, event: &PanelEvent) {
        self.send_where(event, |link| self.window(link) == Some(window));
    }

    /// Sends changes of a thread to the panels that show it.
    pub fn send_to_thread(&self, thread: &ThreadId, changes: impl IntoIterator<Item = ChatEvent>) {
        for change in changes {
            self.tell_thread(thread, &PanelEvent::Chat(change));
        }
    }

    /// Sends an event to the panels that show a thread.
    pub fn tell_thread(&self, thread: &ThreadId, event: &PanelEvent) {
        self.send_where(event, |link| self.thread(link).as_ref() == Some(thread));
    }

    /// Sends an event to every panel.
    pub fn send_to_all(&self, event: &PanelEvent) {
        self.send_where(event, |_| true);
    }

    /// Sends an event to the welcomed panels that pass the filter.
    fn send_where(&self, event: &PanelEvent, wants: impl Fn(LinkId) -> bool) {
        let mut links =
            self.links.iter().filter(|(link, panel)| panel.is_welcomed && wants(**link)).peekable();
        if links.peek().is_none() {
            return;
        }
        let Ok(text) = serde_json::to_string(&MessageToPanel::Event(event)) else { return };
        links.for_each(|(_, panel)| panel.port.post(&text));
    }

    fn post(&self, link: LinkId, message: &impl Serialize) {
        if let (Some(panel), Ok(text)) = (self.links.get(&link), serde_json::to_string(message)) {
            panel.port.post(&text);
        }
    }
}

#[cfg(test)]
mod tests;
