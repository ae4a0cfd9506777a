//! The widgets that views are made of.

pub mod arming;
pub mod button;
pub mod card;
pub mod copy_button;
pub mod keyed_list;
pub mod lint_note;
pub mod long_list;
pub mod show;
