//! What the user said of tools and sites for good.

pub mod grants;
pub mod hidden;
