//! A form for a tool's arguments, as its schema plans it (`sidecar_form`).

pub mod editor;
mod field;
mod group;
mod inputs;
mod list;
mod parts;
mod place;
pub mod store;

pub use parts::input_id;
