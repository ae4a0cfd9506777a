//! What surrounds the open view: header, tabs, notices, shortcuts.

pub mod header;
pub mod notices;
pub mod pinned;
pub mod shortcuts;
pub mod tabs;
