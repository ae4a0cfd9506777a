//! Conditions: what has to hold for a step, on a page, of an input.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::locator::{At, Count};
use super::wording::Wording;

/// A condition, or several of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Condition {
    /// All hold.
    All {
        /// Conditions.
        all: Vec<One>,
    },
    /// One holds.
    Any {
        /// Conditions.
        any: Vec<One>,
    },
    /// Just one.
    One(Box<One>),
}

impl Condition {
    /// Its parts.
    #[must_use]
    pub fn parts(&self) -> &[One] {
        match self {
            Self::All { all } => all,
            Self::Any { any } => any,
            Self::One(one) => std::slice::from_ref(one),
        }
    }
}

/// A condition on an element, on the address, or on an input. All that it names has to hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct One {
    /// The element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<ElementState>,
    /// How many such elements there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Its text contains this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Wording>,
    /// The page's address matches this pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Name of an input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether the input was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<bool>,
    /// The input's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<Value>,
}

/// State of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ElementState {
    /// Some element is found.
    Present,
    /// No element is found.
    Absent,
    /// An element is found and can be seen.
    Visible,
    /// An element is found and can be used.
    Enabled,
}
