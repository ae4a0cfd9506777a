//! Settings, keys, and the connection to the model in use.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::connection_test::ConnectionTest;
use crate::error::ModelError;
use crate::saved::{SavedName, UnreadValue};
use crate::settings::{ModelInfo, ProviderId, Settings, SettingsView};

/// Commands for settings and models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SettingsCommand {
    /// Replace the settings. If a value is out of range, this is refused and nothing changes.
    Save {
        /// All settings: an absent field is reset to its default.
        settings: Box<Settings>,
    },
    /// Save a key for a provider at its current address. No message ever returns it.
    SaveKey {
        /// The provider.
        provider: ProviderId,
        /// The key; empty forgets the saved one.
        key: String,
    },
    /// Ask the provider in use for its models; answered by [`SettingsAnswer::Models`].
    ListModels,
    /// Test the connection to the model in use; answered by [`SettingsAnswer::Tried`].
    TryConnection,
    /// Discard the unreadable part of a value on disk ([`SettingsEvent::Unread`]).
    GiveUpUnread {
        /// The value.
        value: SavedName,
    },
}

/// Answers a [`SettingsCommand`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SettingsAnswer {
    /// The models of a provider.
    Models {
        /// The provider that was asked.
        provider: ProviderId,
        /// In the provider's order; empty if it returned none.
        models: Vec<ModelInfo>,
        /// Why it returned none.
        error: Option<ModelError>,
    },
    /// The result of a connection test.
    Tried {
        /// The provider that was tested.
        provider: ProviderId,
        /// The result.
        trial: ConnectionTest,
    },
}

/// Settings changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SettingsEvent {
    /// Settings or saved keys were changed, in this or another panel.
    Changed {
        /// The settings now.
        settings: Box<SettingsView>,
    },
    /// The values on disk of which something cannot be read. Sent after [`super::Welcome`] and on every
    /// change. Each is left as it is until the user changes that very part or discards it
    /// ([`SettingsCommand::GiveUpUnread`]).
    Unread {
        /// Empty when everything can be read.
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
