//! What is kept from one life of the browser to the next, as far as it cannot be read.

use serde::{Deserialize, Serialize};

/// A value that the user made, and that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SavedName {
    /// The settings.
    Settings,
    /// The API keys.
    Keys,
    /// The messages that wait.
    Queue,
    /// The decisions about tools.
    Grants,
    /// The sites that are hidden from the agent.
    HiddenSites,
}

/// A value of which something on disk cannot be read. It was left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnreadValue {
    /// Which value.
    pub name: SavedName,
    /// Whether nothing of it can be read. Changes of it are not saved then.
    pub is_whole: bool,
    /// Where they are, dotted (`providers.glm.effort`): at most [`UnreadValue::MOST_PLACES`], each cut to
    /// [`UnreadValue::MOST_OF_PLACE`] characters.
    pub places: Vec<String>,
}

impl UnreadValue {
    /// Most places that are named.
    pub const MOST_PLACES: usize = 20;
    /// Most characters of a place.
    pub const MOST_OF_PLACE: usize = 100;
}
