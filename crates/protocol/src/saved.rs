//! Values kept on disk of which something cannot be read.

use serde::{Deserialize, Serialize};

/// A value that the user made and that is kept on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SavedName {
    /// The settings.
    Settings,
    /// The API keys.
    Keys,
    /// The queued messages.
    Queue,
    /// The decisions about tools.
    Grants,
    /// The hidden sites.
    HiddenSites,
    /// The list of SKILLs.
    Skills,
}

/// A value on disk that cannot be read in part or whole. It is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnreadValue {
    /// The value.
    pub name: SavedName,
    /// Whether nothing of it can be read. Then changes are not saved.
    pub is_whole: bool,
    /// The unreadable places, dotted (`providers.glm.effort`): at most [`UnreadValue::MOST_PLACES`], each
    /// cut to [`UnreadValue::MOST_OF_PLACE`] characters.
    pub places: Vec<String>,
}

impl UnreadValue {
    /// Maximum number of places.
    pub const MOST_PLACES: usize = 20;
    /// Maximum characters of a place.
    pub const MOST_OF_PLACE: usize = 100;
}
