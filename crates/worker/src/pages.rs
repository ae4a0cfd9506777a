//! Access to the browser's tabs and their documents. `sidecar_session::tabs` keeps what is known of them.

use futures::channel::mpsc::unbounded;
use sidecar_agent::new_page::{Location, NewDocument};
use sidecar_chrome::scripting::{ScriptTarget, World};
use sidecar_chrome::tabs::{self, Recipient, Tab};
use sidecar_chrome::{ChromeError, action, scripting, windows};
use sidecar_protocol::page::RelayCommand;
use sidecar_protocol::page_view::PageStatus;
use sidecar_protocol::{CallId, DocumentId, PageTool, TabId, WindowId};
use sidecar_session::browser::{ChannelEnd, ContentScript, DocumentChannel, PagePort, PageTexts};
use sidecar_session::chat::OpenTabs;
use sidecar_session::event::BrowserEvent;
use sidecar_session::tabs::{Loading, TabInfo, TabPort};
use sidecar_webmcp::{Address, Place};
use wasm_bindgen_futures::spawn_local;

use crate::browser::ThisBrowser;

const RELAY: &str = "relay.js";
const BRIDGE: &str = "bridge.js";

/// The scripts that return a page's text, a document's address and a document's contents.
const READER: &str = "reader.js";
pub const PAGE_ADDRESS: &str = "page-address.js";
const NEW_PAGE: &str = "new-page.js";

impl TabPort for ThisBrowser {
    fn ask_for_tools(&self, tab: TabId) {
        let mailbox = self.0.clone();
        spawn_local(async move {
            let command = RelayCommand::ListTools { request_id: CallId(format!("list.{}", tab.0)) }.to_json();
            let _ = tabs::send(tab.0, &Recipient::AllFrames {}, &command).await;
            // A frame that receives it says nothing about the top frame, which may have been loaded before
            // the extension.
            let Err(error) = tabs::send(tab.0, &Recipient::TopFrame { frame_id: 0 }, &command).await else {
                return;
            };
            if tabs::was_never_heard(&error) && !can_be_reached(tab).await {
                mailbox.post(BrowserEvent::TabUnreachable { tab });
            }
        });
    }

    fn write_badge(&self, tab: TabId, text: &str) {
        let text = text.to_owned();
        // Fails if the tab is closing.
        spawn_local(async move { drop(action::set_badge_text(Some(tab.0), &text).await) });
    }
}

impl OpenTabs for ThisBrowser {
    async fn has(&self, tab: TabId) -> bool {
        tabs::get(tab.0).await.is_ok()
    }
}

impl PagePort for ThisBrowser {
    async fn tabs(&self) -> Vec<TabInfo> {
        tabs::all().await.unwrap_or_default().into_iter().map(info).collect()
    }

    async fn tab(&self, tab: TabId) -> Option<TabInfo> {
        // The browser answers no question about what can be no tab: it throws at once.
        if tab.0 < 0 {
            return None;
        }
        tabs::get(tab.0).await.ok().map(info)
    }

    async fn active_tab(&self, window: WindowId) -> Option<TabInfo> {
        tabs::active_in(window.0).await.ok().flatten().map(info)
    }

    fn show_tab(&self, tab: TabId) {
        spawn_local(async move {
            if let Ok(tab) = tabs::activate(tab.0).await {
                let _ = windows::focus(tab.window_id).await;
            }
        });
    }

    async fn put_bridge_into(&self, place: Place) {
        let document = ScriptTarget {
            tab_id: place.tab.0,
            all_frames: false,
            document_ids: vec![place.document.0],
            frame_ids: Vec::new(),
        };
        let _ = scripting::run_file(&document, BRIDGE, World::Main).await;
    }

    async fn page_texts(&self, tab: TabId) -> Option<PageTexts> {
        scripting::value_of_file(tab.0, READER).await.ok()
    }

    async fn document_at(&self, tool: &PageTool, at_once: bool) -> Option<(DocumentId, Location)> {
        let at = scripting::value_in_frame(tool.tab.0, tool.frame.0, PAGE_ADDRESS, at_once).await;
        at.ok().map(|(document, location)| (DocumentId(document), location))
    }

    fn open_channel(
        &self,
        tab: TabId,
        document: &DocumentId,
        script: ContentScript,
    ) -> Result<DocumentChannel, ChannelEnd> {
        let name = match script {
            ContentScript::Relay => "relay",
            ContentScript::Actions => "actions",
            ContentScript::Health => "health",
        };
        let to = Recipient::Document { document_id: document.0.clone() };
        let (messages, heard) = unbounded();
        let closing = messages.clone();
        let on_message = move |text: String| drop(messages.unbounded_send(Ok(text)));
        let on_disconnect = move |reason| drop(closing.unbounded_send(Err(channel_end(reason))));
        let port = tabs::connect(tab.0, &to, name, on_message, on_disconnect);
        let port = port.map_err(|error| channel_end(Some(error)))?;
        Ok(DocumentChannel { send: Box::new(move |text| port.post(text).is_ok()), heard })
    }

    async fn ask_relay(&self, tab: TabId, document: &DocumentId, message: &str) -> Option<String> {
        let to = Recipient::Document { document_id: document.0.clone() };
        tabs::send(tab.0, &to, message).await.ok()
    }

    async fn new_document(&self, tab: TabId, document: DocumentId) -> Option<NewDocument> {
        scripting::value_in_document(tab.0, document.0, NEW_PAGE).await.ok()
    }
}

/// The session's description of a tab.
pub fn info(tab: Tab) -> TabInfo {
    let Tab { id, window_id, url, title, status, active: _, discarded, opener_tab_id } = tab;
    let loading = match status.as_str() {
        "loading" => Loading::Underway,
        "complete" => Loading::Complete,
        _ => Loading::None,
    };
    TabInfo {
        id: id.map(TabId),
        window: WindowId(window_id),
        url,
        title,
        loading,
        is_discarded: discarded,
        opener: opener_tab_id.map(TabId),
    }
}

fn channel_end(reason: Option<ChromeError>) -> ChannelEnd {
    match reason {
        Some(error) if tabs::was_never_heard(&error) => ChannelEnd::NeverHeard,
        reason => ChannelEnd::Gone(reason.map(|error| error.0).unwrap_or_default()),
    }
}

/// Whether a tab without a relay can still get one. If its page has loaded, this injects the relay. A page
/// that is still loading gets it from the manifest's content scripts: an isolated world created earlier would
/// never see a WebMCP that the page's own head switches on.
async fn can_be_reached(tab: TabId) -> bool {
    let Ok(now) = tabs::get(tab.0).await else { return false };
    if Address::of(&now.url).status() != PageStatus::Ready {
        return false;
    }
    if now.status != "complete" {
        return true;
    }
    let everywhere =
        ScriptTarget { tab_id: tab.0, all_frames: true, document_ids: Vec::new(), frame_ids: Vec::new() };
    scripting::run_file(&everywhere, RELAY, World::Isolated).await.is_ok()
}
