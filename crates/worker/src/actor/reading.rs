//! Text of the page that a panel's window shows, where the user wants to attach it.

use std::pin::pin;

use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use serde::Deserialize;
use sidecar_agent::HiddenSites;
use sidecar_agent::attached::{Read, attachment};
use sidecar_chrome::scripting;
use sidecar_chrome::tabs::Tab;
use sidecar_protocol::attachment::{Attachment, Extract, NotRead};
use sidecar_protocol::link::WorkerEvent;
use sidecar_webmcp::Address;

use super::Actor;
use crate::event::LinkId;

/// The script that reads it.
const READER: &str = "page-text.js";

/// How long it may take, in milliseconds.
const PATIENCE_MS: u32 = 5_000;

/// What the script tells of the page.
#[derive(Debug, Deserialize)]
struct Told {
    origin: String,
    url: String,
    page: Passage,
    selection: Passage,
}

/// A text, and how many characters follow that are left out.
#[derive(Debug, Deserialize)]
struct Passage {
    text: String,
    unread: u32,
}

impl Actor {
    /// Reads the page and tells the panel.
    pub(super) async fn read_page(&mut self, link: LinkId, what: Extract) {
        let Some(window) = self.panels.window(link) else { return };
        self.tabs.look_at(window).await;
        let tab = self.tabs.shown(window).cloned();
        let limit = self.settings.settings().limits.result_characters;
        let limit = usize::try_from(limit).unwrap_or(Attachment::MOST_CHARACTERS);
        let hidden = self.tabs.grants.hidden().clone();
        self.answer_later(link, async move {
            let outcome = match tab {
                Some(tab) => read(&tab, what, limit, &hidden).await,
                None => Err(NotRead::Restricted),
            };
            WorkerEvent::PageRead { outcome }
        });
    }
}

async fn read(tab: &Tab, what: Extract, limit: usize, hidden: &HiddenSites) -> Result<Attachment, NotRead> {
    if hidden.hides(&Address::of(&tab.url).origin()) {
        return Err(NotRead::Hidden);
    }
    let id = tab.id.ok_or(NotRead::Restricted)?;
    let told = pin!(scripting::value_of_file(id, READER));
    let Told { origin, url, page, selection } = match select(told, TimeoutFuture::new(PATIENCE_MS)).await {
        Either::Left((told, _)) => told.map_err(|_| NotRead::Restricted)?,
        Either::Right(_) => return Err(NotRead::Silent),
    };
    // The tab may have gone elsewhere meanwhile.
    if hidden.hides(&origin) || hidden.hides(&Address::of(&url).origin()) {
        return Err(NotRead::Hidden);
    }
    let Passage { text, unread } = match what {
        Extract::Page => page,
        Extract::Selection => selection,
    };
    let read = Read {
        what,
        origin: &origin,
        site: Address::of(&url).site(),
        text: &text,
        unread: usize::try_from(unread).unwrap_or_default(),
    };
    attachment(read, limit).ok_or(match what {
        Extract::Selection => NotRead::NothingSelected,
        Extract::Page if tab.status == "loading" => NotRead::Loading,
        Extract::Page => NotRead::Empty,
    })
}
