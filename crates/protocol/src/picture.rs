//! Pictures: of messages, of results, and of what a card asks about.

use serde::{Deserialize, Serialize};

/// A picture in a thread. Its bytes are kept beside the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// SHA-256 of its bytes, in hexadecimal; it is kept under this.
    pub digest: String,
    /// How it is encoded.
    pub media_type: PictureType,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Number of bytes.
    pub size: u32,
}

impl Picture {
    /// Maximum number of pictures in one message.
    pub const MOST: usize = 5;

    /// Longest edge in pixels; larger pictures are made smaller before they are sent.
    pub const LONGEST_EDGE: u32 = 1_568;

    /// Maximum number of bytes of one picture.
    pub const MOST_BYTES: u32 = 3_000_000;

    /// Maximum number of bytes of all pictures of a thread.
    pub const MOST_BYTES_OF_THREAD: u64 = 60_000_000;

    /// Whether number and sizes allow these to go with one message.
    #[must_use]
    pub fn are_sound<'a>(pictures: impl IntoIterator<Item = &'a Self>) -> bool {
        let is_edge = |edge: u32| (1..=Self::LONGEST_EDGE).contains(&edge);
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        pictures.into_iter().enumerate().all(
            |(place, Self { digest, media_type: _, width, height, size })| {
                place < Self::MOST
                    && digest.len() == 64
                    && digest.bytes().all(is_hex)
                    && is_edge(*width)
                    && is_edge(*height)
                    && (1..=Self::MOST_BYTES).contains(size)
            },
        )
    }
}

/// A picture that the user adds to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewPicture {
    /// How it is encoded.
    pub media_type: PictureType,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Its bytes, in base64 with padding.
    pub data: String,
}

impl NewPicture {
    /// The bytes of a picture that is kept already.
    #[must_use]
    pub const fn kept(picture: &Picture, data: String) -> Self {
        let &Picture { digest: _, media_type, width, height, size: _ } = picture;
        Self { media_type, width, height, data }
    }

    /// Its address: a `data:` URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("data:{};base64,{}", self.media_type.name(), self.data)
    }

    /// Number of bytes; `None` if the data is not base64, or is no picture of its type.
    #[must_use]
    pub fn size(&self) -> Option<u32> {
        let digits = self.data.trim_end_matches('=');
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let padding = self.data.len() - digits.len();
        let is_base64 = self.data.len().is_multiple_of(4) && padding <= 2 && digits.bytes().all(is_digit);
        (is_base64 && digits.starts_with(self.media_type.beginning()))
            .then(|| u32::try_from(self.data.len() / 4 * 3 - padding).ok())?
    }
}

/// The encodings that every service with models that see takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PictureType {
    /// JPEG.
    #[serde(rename = "image/jpeg")]
    Jpeg,
    /// PNG.
    #[serde(rename = "image/png")]
    Png,
    /// WebP.
    #[serde(rename = "image/webp")]
    Webp,
}

impl PictureType {
    /// The media type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Webp => "image/webp",
        }
    }

    /// The first bytes of every such file, in base64.
    const fn beginning(self) -> &'static str {
        match self {
            Self::Jpeg => "/9j/",
            Self::Png => "iVBORw0KGg",
            Self::Webp => "UklGR",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        let media_type = PictureType::Webp;
        Picture { digest: "0f".repeat(32), media_type, width: 1_568, height: 1, size: Picture::MOST_BYTES }
    }

    #[test]
    fn pictures_are_unsound_when_too_many_too_large_or_misnamed() {
        assert!(Picture::are_sound(&[]));
        assert!(Picture::are_sound(&vec![picture(); Picture::MOST]));
        assert!(!Picture::are_sound(&vec![picture(); Picture::MOST + 1]));
        for wrong in [
            Picture { digest: "0F".repeat(32), ..picture() },
            Picture { digest: "0f".repeat(31), ..picture() },
            Picture { width: 1_569, ..picture() },
            Picture { height: 0, ..picture() },
            Picture { size: Picture::MOST_BYTES + 1, ..picture() },
        ] {
            assert!(!Picture::are_sound(std::slice::from_ref(&wrong)), "{wrong:?}");
        }
    }

    #[test]
    fn data_has_to_be_base64_of_its_type() {
        let size = |media_type, data: &str| {
            NewPicture { media_type, width: 1, height: 1, data: data.to_owned() }.size()
        };
        assert_eq!(size(PictureType::Jpeg, "/9j/4AA="), Some(5));
        assert_eq!(size(PictureType::Png, "iVBORw0KGgo="), Some(8));
        assert_eq!(size(PictureType::Webp, "UklGRgAA"), Some(6));
        for wrong in ["", "iVBORw0KGgo=", "/9j/4A=", "/9j/4AA-", "/9j/4===", "/9j/=AAA"] {
            assert_eq!(size(PictureType::Jpeg, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn types_are_saved_under_their_names() {
        for kind in [PictureType::Jpeg, PictureType::Png, PictureType::Webp] {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("{:?}", kind.name()));
        }
    }
}
