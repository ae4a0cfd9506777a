//! How tools came to be: the relays of their documents know it, and are asked when their developer looks.

use std::pin::pin;

use futures::future::{Either, join_all, select};
use sidecar_protocol::lint::{InspectedTool, ToldFacts};
use sidecar_protocol::page::RelayCommand;
use sidecar_protocol::registration::DocumentFacts;
use sidecar_protocol::{CallId, TabId};
use sidecar_webmcp::Place;

use super::Actor;
use crate::browser::BrowserPort;

/// Time limit for an answer, in milliseconds: a page that is busy does not keep the others from being looked at.
const PATIENCE_MS: u64 = 1_000;

/// Maximum number of documents that are asked.
const MOST_DOCUMENTS: usize = 50;

impl<B: BrowserPort> Actor<B> {
    /// Remembers how the page of a tab defines its tools.
    pub(super) fn see_definitions(&mut self, tab: TabId) {
        if let Some(page) = self.tabs.definitions(tab) {
            self.page_definitions.seen(page);
        }
    }

    /// The tools of a tab, to be looked at, and which other page defines them otherwise.
    pub(super) async fn inspected(&mut self, tab: TabId) -> Vec<InspectedTool> {
        let mut tools = self.tabs.inspected(tab);
        if let Some(page) = self.tabs.definitions(tab) {
            self.page_definitions.compare(&page, &mut tools).await;
        }
        tools
    }
}

/// What a document tells of its tools, or of the tool of this name. `None` if it does not answer.
pub(super) async fn told_of<B: BrowserPort>(
    browser: &B,
    place: Place,
    tool_name: Option<String>,
) -> Option<ToldFacts> {
    let Place { tab, frame, document, origin } = place;
    let command = RelayCommand::ListFacts { request_id: CallId("facts".to_owned()), tool_name };
    let message = command.to_json();
    let (answer, timer) =
        (pin!(browser.ask_relay(tab, &document, &message)), pin!(browser.sleep(PATIENCE_MS)));
    let text = match select(answer, timer).await {
        Either::Left((text, _)) => text?,
        Either::Right(_) => return None,
    };
    (text.len() <= DocumentFacts::MOST_BYTES).then_some(ToldFacts { origin, frame, text })
}

/// What the documents of a tab tell of all their tools, as much as one document may tell.
pub(super) async fn told_of_all<B: BrowserPort>(browser: &B, places: Vec<Place>) -> Vec<ToldFacts> {
    let asked = places.into_iter().take(MOST_DOCUMENTS).map(|place| told_of(browser, place, None));
    let told = join_all(asked).await.into_iter().flatten();
    let mut left = DocumentFacts::MOST_BYTES;
    told.take_while(|told| {
        let fits = told.text.len() <= left;
        left = left.saturating_sub(told.text.len());
        fits
    })
    .collect()
}
