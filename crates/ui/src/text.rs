//! Displays text of pages, models and tools: of any length, and so that nothing in it deceives.

pub mod address;
pub mod arguments;
pub mod arguments_table;
pub mod folds;
pub mod legible;
pub mod long_text;
pub mod tool_call;
