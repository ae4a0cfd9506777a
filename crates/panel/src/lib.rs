//! The side panel.
mod arguments;
mod markdown;
mod sentences;
mod timeline;
mod words;
