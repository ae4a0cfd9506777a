//! What every page of ours shares: words in the language of the moment, widgets, Markdown, texts of others as they may be
//! shown, and the document's focus. It knows no page's state and no worker: what it needs it is given.

pub mod clock;
pub mod icons;
pub mod markdown;
pub mod words;

pub mod dom;
pub mod text;
pub mod widgets;
