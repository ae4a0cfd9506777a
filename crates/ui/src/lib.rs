//! Shared by the extension's pages: translated words, widgets, Markdown, display of untrusted text, and focus. It knows
//! no page's state and no worker: what it needs is passed in.

pub mod clock;
pub mod icons;
pub mod lasting;
pub mod markdown;
pub mod parts;
pub mod words;

pub mod dom;
pub mod text;
pub mod widgets;
