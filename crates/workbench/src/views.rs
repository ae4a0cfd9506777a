//! The views.

mod asking;
pub mod changed_lines;
pub mod compared;
pub mod contract;
pub mod entry;
pub mod evals;
pub mod history;
pub mod lint;
pub mod marks;
mod native_way;
mod no_tools;
mod question_card;
pub mod questions;
mod result;
pub mod sequence;
pub mod tool;
pub mod tools;
