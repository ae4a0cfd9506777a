//! The views, and what more than one of them has.

pub mod chat;
pub mod choice;
pub mod confirm;
pub mod log;
pub mod page_state;
pub mod settings;
pub mod threads;
pub mod tools;
