//! Welcomes a panel that opens: what it shows first.

use futures::join;
use sidecar_protocol::link::{FirstReply, Hello, PanelEvent, Refusal, SettingsEvent, Welcome};
use sidecar_protocol::{PROTOCOL_VERSION, ThreadId};

use super::Actor;
use super::code_parts::CodeParts;
use crate::event::{Asker, WorkEvent};
use crate::panels::{LinkId, PanelSight};
use crate::{history, refusals};

impl<B: CodeParts> Actor<B> {
    /// Registers the panel and replies with what it shows first, which waits for the disk only if a thread is open.
    pub(super) async fn hello(&mut self, asker: Asker, hello: Hello) {
        let Hello { version, window_id, tab_id, browser_language } = hello;
        let Asker { link, request: id } = asker;
        if version != PROTOCOL_VERSION {
            return self.panels.refuse_hello(link, FirstReply::refusal(id, &Refusal::Version));
        }
        let sight = tab_id.map_or(PanelSight::Window(window_id), PanelSight::Tab);
        self.panels.said_hello(link, sight, browser_language);
        let looked_for = async {
            match sight {
                PanelSight::Window(window) => self.browser.active_tab(window).await,
                PanelSight::Tab(tab) => self.browser.tab(tab).await,
            }
        };
        // While the browser looks for the tab.
        let (tab, settings) = join!(looked_for, async { self.settings_view() });
        let page = match sight {
            PanelSight::Window(window) => {
                tab.into_iter().for_each(|tab| self.tabs.shows(window, tab));
                self.page_view(window)
            }
            PanelSight::Tab(tab_id) => {
                tab.iter().for_each(|tab| self.tabs.found(tab));
                self.bound_view(link, tab_id)
            }
        };
        let mut troubles = Vec::new();
        let open = self.panels.thread(link);
        let thread = match &open {
            Some(id) => {
                // While the code that reads the thread is loaded.
                self.try_disk(link);
                B::thread_view(self, id).await.unwrap_or_else(|error| {
                    troubles.push(refusals::unread(error));
                    None
                })
            }
            None => None,
        };
        if thread.is_none() && open.as_ref().is_some_and(ThreadId::is_temporary) {
            self.panels.open_thread(link, None).await;
            troubles.push(Refusal::TemporaryOver);
        }
        // A thread that was read may have shown more of its model.
        let settings = if open.is_some() { self.settings_view() } else { settings };
        let welcome = Welcome { version: PROTOCOL_VERSION, settings, page, thread };
        self.panels.welcome(link, FirstReply::new(id, &welcome));
        self.panels.send(link, &PanelEvent::Policies(self.tabs.grants.told()));
        self.panels.send(link, &PanelEvent::Settings(SettingsEvent::Unread { values: self.unread() }));
        self.panels.send(link, &PanelEvent::Approvals(self.attention.approvals()));
        if let Some(thread) = self.panels.thread(link) {
            self.browser.take_notifications_away(&self.attention.seen(&thread));
        }
        for why in troubles {
            self.trouble(link, why);
        }
        if open.is_none() {
            self.try_disk(link);
        }
        self.browser.prefetch();
    }

    /// Tells a panel if the threads on disk cannot be read, before the user misses them.
    fn try_disk(&self, link: LinkId) {
        let (database, browser) = (self.history.database(), self.browser.clone());
        self.browser.spawn(async move {
            if let Err(error) = history::list(&database).await {
                browser.post(WorkEvent::Trouble { link: Some(link), why: refusals::storage(error) });
            }
        });
    }
}
