//! The agent's own tools for pages and tabs (source `browser`): what they are called, what they take, and what
//! they need. [`crate::ToolHost`] runs them.

mod arguments;
mod consequence;
mod definitions;
mod sentences;
pub mod use_skill;

pub use self::arguments::{Action, BrowserCall, Scroll, TabCall, read, tab_of};
pub use self::consequence::{Described, DescribedForm, NavigationScope, card, consequence_of};
pub use self::definitions::{
    BrowserTool, MOST_BYTES, PAGE_ACCESS, SCREENSHOT, TOOLS, access_tool, definition, named, offered, tool,
};
pub use self::sentences::{
    Became, ElementName, Filled, Why, changed_nothing, done, done_by_user, failed, filled_so_far,
    note_scroll, sentence_of,
};
