//! The panel's stores, fed by the worker's events. They hold nothing that the worker does not know, except drafts and
//! which view is open. A view asks for the stores that it needs.

use leptos::prelude::*;
use sidecar_link::PageSight;
use sidecar_protocol::attachment::NotRead;
use sidecar_protocol::link::Refusal;
use sidecar_protocol::settings::SettingsView;
use sidecar_ui::words::Words;

use crate::announce::Announcer;
use crate::state::call_log::CallLogStore;
use crate::state::composer::ComposerStore;
use crate::state::connection::ConnectionStore;
use crate::state::conversation::ConversationStore;
use crate::state::library::LibraryStore;
use crate::state::navigation::NavigationStore;
use crate::state::page::PageStore;
use crate::state::policies::PolicyStore;
use crate::state::settings::PanelSettingsStore;
use crate::state::skills::SkillsStore;
use crate::state::skills::install::InstallStore;

pub mod call_log;
pub mod call_rows;
pub mod composer;
pub mod connection;
pub mod conversation;
mod incoming;
pub mod item_cell;
pub mod library;
pub mod library_state;
pub mod navigation;
pub mod page;
pub mod policies;
pub mod settings;
pub mod skills;
pub mod timeline;

/// The panel's views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelView {
    /// The conversation.
    Chat,
    /// The page's tools.
    Tools,
    /// SKILLs.
    Skills,
    /// The log of calls.
    Log,
    /// Settings.
    Settings,
}

/// A problem to show that belongs to no item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alert {
    /// The worker refused a command.
    Refused(Refusal),
    /// The connection broke after a message was sent, and the worker does not have it.
    Unsure,
    /// There is no text of the page to attach.
    NotRead(NotRead),
    /// The message has the maximum number of attachments.
    TooManyAttached,
    /// A file is no picture that the browser can read, or is too large.
    NoPicture,
    /// The message has the maximum number of pictures.
    TooManyPictures,
    /// Part of a saved value cannot be read.
    Unread,
}

/// All stores. Each is a handle: copies share its state.
#[derive(Clone, Copy)]
pub struct PanelState {
    /// The connection to the worker.
    pub connection: ConnectionStore,
    /// Which view is open.
    pub navigation: NavigationStore,
    /// The active tab.
    pub page: PageStore,
    /// Settings.
    pub settings: PanelSettingsStore,
    /// The user's policies for tools and sites.
    pub policies: PolicyStore,
    /// The open thread.
    pub conversation: ConversationStore,
    /// The composer.
    pub composer: ComposerStore,
    /// Earlier threads.
    pub library: LibraryStore,
    /// The log of calls.
    pub log: CallLogStore,
    /// SKILLs.
    pub skills: SkillsStore,
    /// The installation of a SKILL.
    pub install: InstallStore,
    /// Announcements for screen readers.
    pub announcer: Announcer,
}

impl PanelState {
    /// Creates empty stores without a connection.
    pub fn new(settings: RwSignal<SettingsView>, words: Words) -> Self {
        let (connection, navigation, announcer) =
            (ConnectionStore::new(), NavigationStore::new(), Announcer::new());
        let page = PageStore::new();
        let settings = PanelSettingsStore::new(settings, connection, words);
        let library = LibraryStore::new(connection);
        let conversation = ConversationStore::new(connection, settings, announcer, words);
        Self {
            connection,
            navigation,
            page,
            settings,
            policies: PolicyStore::new(connection, page),
            conversation,
            composer: ComposerStore::new(
                connection,
                navigation,
                page,
                settings,
                conversation,
                announcer,
                words,
            ),
            library,
            log: CallLogStore::new(connection, navigation, library.state),
            skills: SkillsStore::new(connection, page),
            install: InstallStore::new(connection),
            announcer,
        }
    }

    /// Connects to the worker.
    pub fn connect(self) {
        self.connection.open(PageSight::InFront, move |incoming| untrack(|| self.hear(incoming)));
    }
}

/// The stores of this panel, from the context.
pub fn use_state() -> PanelState {
    expect_context()
}

/// Host and port of a URL; `None` if it has none.
pub fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?;
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_read_from_an_address() {
        assert_eq!(host("https://api.deepseek.com/v1"), Some("api.deepseek.com"));
        assert_eq!(host("http://localhost:8080"), Some("localhost:8080"));
        assert_eq!(host("https://user@a.example?x"), Some("a.example"));
        assert_eq!(host("nothing"), None);
        assert_eq!(host("https://"), None);
    }
}
