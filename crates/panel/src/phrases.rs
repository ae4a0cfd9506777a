//! Phrases shared by several views and the live region.

pub mod item;
pub mod model_error;
pub mod policy;
pub mod restricted;
pub mod setting;
pub mod skill;
pub mod tool_starter;
