//! What is odd about data: signs that a text of a page wants to instruct the model, and data that goes from one origin to
//! another.

use serde::{Deserialize, Serialize};

/// A sign that a text wants to instruct the model that reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SignalKind {
    /// It tells to forget what was said before.
    Override,
    /// It passes for the system, or for another side of the conversation.
    Role,
    /// It tells the assistant what to do.
    Order,
    /// It wants something kept from the user.
    Secrecy,
    /// It wants secrets or the conversation sent somewhere.
    Exfiltration,
    /// It hides text in characters that nobody sees.
    Hidden,
    /// It writes the marks that tell a page's text from ours.
    Frame,
}

/// What makes a text suspicious, and where it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InjectionSignal {
    /// What it is.
    #[serde(rename = "sign")]
    pub kind: SignalKind,
    /// The words around it, with what nobody would see written out; at most [`InjectionSignal::MOST`] characters.
    pub excerpt: String,
}

impl InjectionSignal {
    /// Most characters of an excerpt.
    pub const MOST: usize = 160;
}

/// Data read on one origin that a call would take to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    /// Origin of the document on which it was read; empty where that is none to remember anything for, and in logs of
    /// before this was kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// Host of the page on which it was read.
    pub site: String,
    /// The tool that gave it; empty where the user attached it.
    pub tool: String,
    /// The argument that holds it, from the top: `message.text`.
    pub argument: String,
    /// The data as it stands in the argument, with what nobody would see written out; at most [`Flow::MOST`] characters.
    pub data: String,
}

impl Flow {
    /// Most characters of the data that are shown.
    pub const MOST: usize = 120;
}
