//! DOM helpers outside of views: focus, sizes, downloads.

pub mod download;
pub mod focus;
pub mod resize;
