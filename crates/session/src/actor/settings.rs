//! Settings, keys, and saved values with unreadable parts.

use sidecar_agent::UserCommand;
use sidecar_protocol::link::{Answer, PanelEvent, SettingsCommand, SettingsEvent};
use sidecar_protocol::saved::{SavedName, UnreadValue};

use super::Actor;
use super::code_parts::CodeParts;
use super::replies::Answered;
use crate::call_log::CallFiles;
use crate::event::{Asker, WorkEvent};
use crate::refusals;
use crate::settings::SaveError;

impl<B: CodeParts> Actor<B> {
    pub(super) async fn answer_settings(&mut self, asker: Asker, command: SettingsCommand) -> Answered {
        match command {
            SettingsCommand::Save { settings } => {
                let saved = self.settings.save(*settings).await;
                self.keep_calls();
                self.settings_saved(saved)
            }
            SettingsCommand::SaveKey { provider, key } => {
                let saved = self.settings.save_key(&provider, &key).await;
                self.settings_saved(saved)
            }
            SettingsCommand::ListModels => self.list_models(asker),
            SettingsCommand::TryConnection => self.try_connection(asker),
            SettingsCommand::GiveUpUnread { value } => self.give_up_unread(value).await,
        }
    }

    fn settings_saved(&self, saved: Result<(), SaveError>) -> Answered {
        if matches!(saved, Ok(()) | Err(SaveError::Unread(_))) {
            let mode = self.settings.settings().mode;
            self.turns.tell_all(&UserCommand::SetMode(mode));
            self.show_settings();
            self.show_unread();
            self.show_usages();
            if self.connection().takes_tools.is_none() {
                self.ask_about_model();
            }
        }
        saved.map(|()| Some(Answer::Done)).map_err(refusals::settings)
    }

    /// Applies the maximum size of the log of calls.
    fn keep_calls(&self) {
        let (database, browser) = (self.history.database(), self.browser.clone());
        let count = self.settings.settings().calls_kept;
        self.browser.spawn(async move {
            match database.keep_calls(count).await {
                Ok(true) => browser.post(WorkEvent::CallsChanged),
                Ok(false) => {}
                Err(error) => browser.post(WorkEvent::Trouble { link: None, why: refusals::storage(error) }),
            }
        });
    }

    /// All saved values with unreadable parts.
    pub(super) fn unread(&self) -> Vec<UnreadValue> {
        let skills = self.skills.known().and_then(|known| known.unread());
        let others = self.settings.unread().chain(self.chat.queue.unread());
        others.chain(self.tabs.grants.unread()).chain(skills).collect()
    }

    /// Discards the unreadable parts of a value.
    async fn give_up_unread(&mut self, value: SavedName) -> Answered {
        let given_up = match value {
            SavedName::Settings => self.settings.give_up_settings().await,
            SavedName::Keys => self.settings.give_up_keys().await,
            SavedName::Queue => self.chat.queue.give_up_unread().await,
            SavedName::Grants => self.tabs.grants.give_up_grants().await,
            SavedName::HiddenSites => self.tabs.grants.give_up_hidden().await,
            SavedName::Skills => match self.skills.known_mut() {
                Some(known) => known.saved().give_up_unread().await,
                None => Ok(()),
            },
        };
        self.show_unread();
        given_up.map_err(refusals::storage)?;
        match value {
            // Tools that asked because of the unreadable parts may now run without asking.
            SavedName::Grants | SavedName::HiddenSites => self.policies_kept(Ok(())).await,
            SavedName::Settings | SavedName::Keys | SavedName::Queue | SavedName::Skills => {
                Ok(Some(Answer::Done))
            }
        }
    }

    /// Sends all panels the values with unreadable parts.
    pub(super) fn show_unread(&self) {
        let values = self.unread();
        self.panels.send_to_all(&PanelEvent::Settings(SettingsEvent::Unread { values }));
    }
}
