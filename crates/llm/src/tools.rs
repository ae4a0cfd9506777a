//! Repairs tool calls: names that are nearly those of offered tools, arguments that are nearly valid. And
//! reduces schemas to what every service accepts.

pub mod arguments;
pub mod names;
pub(crate) mod parameters;
