//! The user's lasting decisions about tools and sites.

pub mod challenge;
pub mod grants;
pub mod hidden;
pub mod sensitive;
