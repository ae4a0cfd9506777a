//! DOM helpers outside of views: focus, sizes, downloads, folders.

pub mod download;
pub mod focus;
pub mod folder;
pub mod resize;
pub mod theme;
