//! Locators: how an element is found, in several ways.

use serde::{Deserialize, Serialize};

use super::wording::Wording;

/// How an element is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locator {
    /// Alternatives, the best first.
    pub any: Vec<Alternative>,
    /// Name of the locator of an element around it.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Whether it has to be visible. For acting it always has to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible: Option<bool>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
}

/// A way to find an element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Alternative {
    /// Each is inside the one before.
    Chain(Vec<LocatorLink>),
    /// Just one.
    Link(LocatorLink),
}

impl Alternative {
    /// Its links, from the outside in.
    #[must_use]
    pub fn links(&self) -> &[LocatorLink] {
        match self {
            Self::Chain(links) => links,
            Self::Link(link) => std::slice::from_ref(link),
        }
    }
}

/// One kind of locator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LocatorLink {
    /// A CSS selector; `>>` enters an open shadow root.
    Css {
        /// The selector.
        css: String,
    },
    /// The `data-testid`.
    TestId {
        /// Its value.
        testid: String,
    },
    /// Role and accessible name.
    Role {
        /// An ARIA role.
        role: String,
        /// The name; without it, any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<Wording>,
    },
    /// The field with this label.
    Label {
        /// The label.
        label: Wording,
    },
    /// The field with this placeholder.
    Placeholder {
        /// The placeholder.
        placeholder: Wording,
    },
    /// The element with just this text.
    Text {
        /// The text.
        text: Wording,
    },
}

impl LocatorLink {
    /// Its words, if it goes by words.
    #[must_use]
    pub fn wording(&self) -> Option<&Wording> {
        match self {
            Self::Css { .. } | Self::TestId { .. } => None,
            Self::Role { name, .. } => name.as_ref(),
            Self::Label { label: words }
            | Self::Placeholder { placeholder: words }
            | Self::Text { text: words } => Some(words),
        }
    }

    /// Its texts, in which names stand for values.
    #[must_use]
    pub fn templates(&self) -> Vec<&str> {
        match self {
            Self::Css { css: text } | Self::TestId { testid: text } => vec![text],
            Self::Role { .. } | Self::Label { .. } | Self::Placeholder { .. } | Self::Text { .. } => {
                self.wording().map(|words| words.texts().collect()).unwrap_or_default()
            }
        }
    }
}

/// How many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// At least.
    #[serde(default)]
    pub min: u32,
    /// At most.
    #[serde(default = "any_number")]
    pub max: u32,
}

fn any_number() -> u32 {
    u32::MAX
}

/// Where a step does something: the name of a locator, or a locator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum At {
    /// A locator of the SKILL.
    Named(String),
    /// One of its own.
    Own(Locator),
}
