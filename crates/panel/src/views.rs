//! The views, and components that several of them share.

pub mod chat;
pub mod choice;
pub mod confirm;
pub mod log;
pub mod offered_skills;
pub mod page_state;
pub mod settings;
pub mod skills;
pub mod switch;
pub mod threads;
pub mod tools;
