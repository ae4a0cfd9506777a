//! The page that a panel's window shows: its tools, its text where the user wants to attach it, the tabs that stay with
//! a thread.

use std::pin::pin;

use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use serde::Deserialize;
use sidecar_agent::HiddenSites;
use sidecar_agent::attached::{Read, attachment};
use sidecar_chrome::scripting;
use sidecar_protocol::TabId;
use sidecar_protocol::attachment::{Attachment, Extract, NotRead};
use sidecar_protocol::link::{Answer, PageAnswer, PageCommand, Refusal};
use sidecar_session::panels::LinkId;
use sidecar_session::refusals;
use sidecar_session::tabs::{Loading, TabInfo};
use sidecar_webmcp::{Address, visible};

use super::Actor;
use crate::clock;
use crate::event::Asker;
use crate::replies::Answered;
use crate::{tabs, validator};

/// The script that reads it.
const READER: &str = "page-text.js";

/// How long it may take, in milliseconds.
const PATIENCE_MS: u32 = 5_000;

/// What the script tells of the page.
#[derive(Debug, Deserialize)]
struct PageTexts {
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
    pub(super) async fn page(&mut self, asker: Asker, command: PageCommand) -> Answered {
        match command {
            PageCommand::Refresh => {
                if let Some(window) = self.panels.window(asker.link) {
                    self.look_at(window).await;
                    self.tabs.refresh(window);
                    self.show_page(window);
                }
            }
            PageCommand::DescribeTool { tool } => {
                let Some((mut details, schema)) = self.tabs.details(&tool) else {
                    return Ok(Some(Answer::Page(PageAnswer::Tool { details: None })));
                };
                return self.later(asker, async move {
                    if !schema.is_empty() {
                        let problem = validator::problem(&schema).await;
                        details.schema_problem = visible(&problem).into_owned();
                    }
                    Ok(Answer::Page(PageAnswer::Tool { details: Some(details) }))
                });
            }
            PageCommand::FindTools { text } => {
                let window = self.panels.window(asker.link);
                let digests = window.map(|window| self.tabs.digests_with(window, &text)).unwrap_or_default();
                return Ok(Some(Answer::Page(PageAnswer::FoundTools { digests })));
            }
            PageCommand::Read { what } => return self.read_page(asker, what).await,
            PageCommand::PinTab { tab_id, pinned } => self.pin(asker.link, tab_id, pinned).await?,
            PageCommand::ShowTab { tab_id } => tabs::show(tab_id),
            PageCommand::ShowCall { thread_id, call_id } => {
                self.chat.threads.load(&thread_id, clock::now()).await.map_err(refusals::unread)?;
                if let Some(tab) = self.chat.threads.tab_of_call(&thread_id, &call_id) {
                    tabs::show(tab);
                }
            }
        }
        Ok(Some(Answer::Done))
    }

    async fn read_page(&mut self, asker: Asker, what: Extract) -> Answered {
        let Some(window) = self.panels.window(asker.link) else { return Ok(Some(Answer::Done)) };
        self.look_at(window).await;
        let tab = self.tabs.shown(window).cloned();
        let limit = self.settings.settings().limits.result_characters;
        let limit = usize::try_from(limit).unwrap_or(Attachment::MOST_CHARACTERS);
        let hidden = self.tabs.grants.hidden().clone();
        self.later(asker, async move {
            let outcome = match tab {
                Some(tab) => read(&tab, what, limit, &hidden).await,
                None => Err(NotRead::Restricted),
            };
            Ok(Answer::Page(PageAnswer::Text { outcome }))
        })
    }

    async fn pin(&mut self, link: LinkId, tab: TabId, pinned: bool) -> Result<(), Refusal> {
        let Some(window) = self.panels.window(link) else { return Ok(()) };
        if pinned && !self.look_for(tab).await {
            return Ok(());
        }
        let thread = self.panels.thread(link);
        let is_set = self.pins.set(thread.as_ref(), window, tab, pinned).await;
        self.show_pages();
        if is_set { Ok(()) } else { Err(Refusal::ManyTabs) }
    }
}

async fn read(
    tab: &TabInfo,
    what: Extract,
    limit: usize,
    hidden: &HiddenSites,
) -> Result<Attachment, NotRead> {
    if hidden.hides(&Address::of(&tab.url).origin()) {
        return Err(NotRead::Hidden);
    }
    let id = tab.id.ok_or(NotRead::Restricted)?;
    let told = pin!(scripting::value_of_file(id.0, READER));
    let PageTexts { origin, url, page, selection } = match select(told, TimeoutFuture::new(PATIENCE_MS)).await
    {
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
        Extract::Page if tab.loading == Loading::Underway => NotRead::Loading,
        Extract::Page => NotRead::Empty,
    })
}
