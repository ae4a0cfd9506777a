//! Pictures in a conversation.

use serde::{Deserialize, Serialize};

/// A picture as it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Digest of its bytes: for whoever fills in the data, and not sent.
    pub digest: String,
    /// `image/jpeg`, `image/png` or `image/webp`, which every service that takes pictures takes.
    pub media_type: String,
    /// Its bytes, in base64.
    pub data: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl Image {
    /// As an address that holds its own data.
    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.data)
    }
}
