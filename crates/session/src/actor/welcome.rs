//! Welcomes a panel that opens: what it shows first.

use sidecar_protocol::link::{Answer, Hello, PanelEvent, Refusal, Reply, SettingsEvent, Welcome};
use sidecar_protocol::thread::ThreadSummary;
use sidecar_protocol::{PROTOCOL_VERSION, ThreadId};

use super::Actor;
use super::code_parts::CodeParts;
use super::replies::Answered;
use crate::event::{Asker, SessionEvent};
use crate::panels::PanelSight;
use crate::{history, refusals};

/// Number of recent threads in the welcome.
const RECENT: usize = 5;

impl<B: CodeParts> Actor<B> {
    /// Registers the panel and has the list of threads read. The rest of the welcome is collected when the
    /// list has arrived, so it includes all changes until then.
    pub(super) async fn hello(&mut self, asker: Asker, hello: Hello) -> Answered {
        let Hello { version, window_id, tab_id, browser_language } = hello;
        if version != PROTOCOL_VERSION {
            return Err(Refusal::Version);
        }
        let sight = tab_id.map_or(PanelSight::Window(window_id), PanelSight::Tab);
        self.panels.said_hello(asker.link, sight, browser_language);
        let (database, browser) = (self.history.database(), self.browser.clone());
        self.browser.spawn(async move {
            let recent = history::list(&database).await;
            browser.post(SessionEvent::Greeting { asker, recent });
        });
        // While the list is read; later changes come as events.
        match sight {
            PanelSight::Window(window) => self.look_at(window).await,
            PanelSight::Tab(tab) => drop(self.find_tab(tab).await),
        }
        Ok(None)
    }

    pub(super) async fn welcome(
        &mut self,
        Asker { link, request: id }: Asker,
        recent: Result<Vec<ThreadSummary>, sidecar_agent::StoreError>,
    ) {
        let Some(sight) = self.panels.sight(link) else { return };
        let page = match sight {
            PanelSight::Window(window) => self.page_view(window),
            PanelSight::Tab(tab) => self.bound_view(link, tab),
        };
        let mut troubles = Vec::new();
        let thread = match self.panels.thread(link) {
            Some(id) => B::thread_view(self, &id).await.unwrap_or_else(|error| {
                troubles.push(refusals::unread(error));
                None
            }),
            None => None,
        };
        let open = self.panels.thread(link).filter(|_| thread.is_none());
        if open.as_ref().is_some_and(ThreadId::is_temporary) {
            self.panels.open_thread(link, None).await;
            troubles.push(Refusal::TemporaryOver);
        }
        let recent = recent.unwrap_or_else(|error| {
            troubles.push(refusals::storage(error));
            Vec::new()
        });
        let welcome = Welcome {
            version: PROTOCOL_VERSION,
            settings: self.settings_view(),
            page,
            thread,
            recent: recent.into_iter().take(RECENT).collect(),
        };
        self.panels.welcomed(link);
        let result = Ok(Answer::Welcome(Box::new(welcome)));
        self.panels.reply(link, &Reply { id, result, more: false });
        self.panels.send(link, &PanelEvent::Policies(self.tabs.grants.told()));
        self.panels.send(link, &PanelEvent::Settings(SettingsEvent::Unread { values: self.unread() }));
        self.panels.send(link, &PanelEvent::Approvals(self.attention.approvals()));
        if let Some(thread) = self.panels.thread(link) {
            self.browser.take_notifications_away(&self.attention.seen(&thread));
        }
        for why in troubles {
            self.trouble(link, why);
        }
        self.browser.prefetch();
    }
}
