//! A form for a tool's arguments, as its schema plans it (`sidecar_form`).

mod arrival;
mod button;
pub mod editor;
mod field;
mod group;
mod inputs;
mod list;
mod parts;
mod place;
pub mod store;
mod tools;

pub use parts::input_id;
