//! Settings, keys, and the connection to the model in use.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::connection_test::ConnectionTest;
use crate::error::ModelError;
use crate::saved::{SavedName, UnreadValue};
use crate::settings::{ModelInfo, ProviderId, Settings, SettingsView};

/// About settings and models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SettingsCommand {
    /// Replace the settings. Values out of range are refused and nothing is changed.
    Save {
        /// All of them.
        settings: Box<Settings>,
    },
    /// Save a key for a provider, for the address it has now. It never comes back.
    SaveKey {
        /// Whose.
        provider: ProviderId,
        /// The key; empty forgets the saved one.
        key: String,
    },
    /// Ask the provider in use for its models; answered by [`SettingsAnswer::Models`].
    ListModels,
    /// Try the connection to the model in use; answered by [`SettingsAnswer::Tried`].
    TryConnection,
    /// Give up what of a value on disk cannot be read ([`SettingsEvent::Unread`]).
    GiveUpUnread {
        /// Its name.
        value: SavedName,
    },
}

/// Answers a [`SettingsCommand`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SettingsAnswer {
    /// What models a provider has.
    Models {
        /// The provider that was asked.
        provider: ProviderId,
        /// In the provider's order; empty when it gave none.
        models: Vec<ModelInfo>,
        /// Why it gave none.
        error: Option<ModelError>,
    },
    /// The connection was tried.
    Tried {
        /// The provider that was asked.
        provider: ProviderId,
        /// What was found.
        trial: ConnectionTest,
    },
}

/// Settings changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SettingsEvent {
    /// Settings or saved keys are others now, changed here or in another panel.
    Changed {
        /// As they are now.
        settings: Box<SettingsView>,
    },
    /// What of the user's saved values cannot be read: after [`super::Welcome`], and when it changed. It is left as it is
    /// until the user changes that very part, or gives it up ([`SettingsCommand::GiveUpUnread`]).
    Unread {
        /// Values of which something cannot be read; none when all can.
        values: Vec<UnreadValue>,
    },
}

impl Domain for SettingsCommand {
    type Answer = SettingsAnswer;

    fn command(self) -> Command {
        Command::Settings(self)
    }

    fn answer(answer: Answer) -> Option<SettingsAnswer> {
        if let Answer::Settings(answer) = answer { Some(answer) } else { None }
    }
}
