//! What is suspicious about data: injection signals in a page's text, and data that flows from one origin
//! to another.

use serde::{Deserialize, Serialize};

/// A kind of injection signal: what a text does that wants to instruct the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SignalKind {
    /// It tells the model to forget earlier instructions.
    Override,
    /// It poses as the system or another party of the conversation.
    Role,
    /// It gives the assistant an order.
    Order,
    /// It asks to keep something from the user.
    Secrecy,
    /// It asks to send secrets or the conversation somewhere.
    Exfiltration,
    /// It hides text in invisible characters.
    Hidden,
    /// It contains the marks of the untrusted-data fence.
    Frame,
}

/// One thing that makes a text suspicious, and where it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InjectionSignal {
    /// The kind of signal.
    #[serde(rename = "sign")]
    pub kind: SignalKind,
    /// The words around it, invisible characters written out; at most [`InjectionSignal::MOST`] characters.
    pub excerpt: String,
}

impl InjectionSignal {
    /// Maximum characters of an excerpt.
    pub const MOST: usize = 160;
}

/// Data read on one origin that a call would send to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    /// Origin of the document on which it was read; empty if that is opaque, and in logs written before
    /// this field existed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// Host of the page on which it was read.
    pub site: String,
    /// The tool whose result had it; empty if the user attached it.
    pub tool: String,
    /// Path of the argument that contains it: `message.text`.
    pub argument: String,
    /// The data as it stands in the argument, invisible characters written out; at most [`Flow::MOST`]
    /// characters.
    pub data: String,
}

impl Flow {
    /// Maximum characters of the data.
    pub const MOST: usize = 120;
}
