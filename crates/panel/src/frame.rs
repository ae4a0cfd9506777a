//! What stands around the open view.

pub mod header;
pub mod notices;
pub mod pinned;
pub mod shortcuts;
pub mod tabs;
