//! Texts of pages, models and tools, as they may be shown: at any length, and so that nothing in them deceives.

pub mod address;
pub mod arguments;
pub mod arguments_table;
pub mod folds;
pub mod long_text;
