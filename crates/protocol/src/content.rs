//! The result of a call: content blocks as in the Model Context Protocol, and what became of the page.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::picture::Picture;

/// A content block of a tool's result. Untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Content {
    /// Text, plain or JSON.
    Text(String),
    /// An image.
    Image {
        /// Its media type (`image/png`).
        mime_type: String,
        /// Its bytes, in base64.
        data: String,
    },
    /// An image that is kept beside the log.
    Picture(Picture),
    /// Structured data: JSON text.
    Structured(String),
    /// Text of a frame whose origin is not that of its page.
    Framed(FrameText),
}

/// Text of a frame whose origin is not that of its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameText {
    /// Origin of the frame's document, as the browser says; `null` in a sandbox.
    pub origin: String,
    /// Its host and port.
    pub site: String,
    /// The text.
    pub text: String,
}

impl Content {
    /// The block as text. For an image, a short description of it.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) | Self::Structured(text) | Self::Framed(FrameText { text, .. }) => {
                Cow::Borrowed(text)
            }
            Self::Image { mime_type, data } => {
                Cow::Owned(format!("[{mime_type}, {} bytes]", data.len() / 4 * 3))
            }
            Self::Picture(Picture { width, height, .. }) => {
                Cow::Owned(format!("[a picture, {width} × {height}]"))
            }
        }
    }

    /// All blocks as one text, each beginning on a new line.
    #[must_use]
    pub fn texts(blocks: &[Self]) -> Cow<'_, str> {
        match blocks {
            [] => Cow::Borrowed(""),
            [one] => one.text(),
            several => Cow::Owned(several.iter().map(Self::text).collect::<Vec<_>>().join("\n")),
        }
    }
}

/// What became of the page on which a call ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PageEffect {
    /// The page is still there.
    #[default]
    Stayed,
    /// The call navigated away, and nothing of the new page was read.
    Left {
        /// Why not; absent if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unread: Option<Unread>,
    },
    /// The call navigated to another page, whose text is the content.
    Opened {
        /// Origin of its document.
        origin: String,
        /// Its host and port.
        site: String,
    },
}

impl PageEffect {
    /// Whether the call left the page where it was.
    #[must_use]
    pub fn is_stayed(&self) -> bool {
        *self == Self::Stayed
    }
}

/// Why nothing was read of the page to which a form led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Unread {
    /// The user hid its site from the agent.
    Hidden,
    /// Its address is insecure.
    Insecure,
    /// Extensions may not read it.
    Restricted,
    /// No new page came in the place of the form in time: it loads slowly or not at all, opened in another
    /// tab or frame, or was a download.
    Missing,
}

/// The stored forms of a result. Until version 0.1 it was one text, or none if the call had left the page.
#[derive(Deserialize)]
pub(crate) struct StoredContent {
    content: Option<Vec<Content>>,
    result: Option<String>,
    page: Option<StoredPage>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StoredPage {
    Before { origin: String, site: String, unread: Option<Unread> },
    Now(PageEffect),
}

impl From<StoredContent> for (Vec<Content>, PageEffect) {
    fn from(StoredContent { content, result, page }: StoredContent) -> Self {
        let was_one_text = content.is_none();
        let content = content.unwrap_or_else(|| result.into_iter().map(Content::Text).collect());
        let page = match page {
            Some(StoredPage::Now(page)) => page,
            Some(StoredPage::Before { unread: Some(unread), .. }) => {
                PageEffect::Left { unread: Some(unread) }
            }
            Some(StoredPage::Before { origin, site, unread: None }) => PageEffect::Opened { origin, site },
            None if was_one_text && content.is_empty() => PageEffect::Left { unread: None },
            None => PageEffect::Stayed,
        };
        (content, page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_blocks_become_one_text_each_on_lines_of_its_own() {
        let image = Content::Image { mime_type: "image/png".to_owned(), data: "AAAA".to_owned() };
        let blocks = [Content::Text("a".to_owned()), image, Content::Structured(r#"{"b":1}"#.to_owned())];
        assert_eq!(Content::texts(&blocks), "a\n[image/png, 3 bytes]\n{\"b\":1}");
        assert_eq!((Content::texts(&[]), Content::texts(&blocks[..1])), ("".into(), "a".into()));
    }
}
