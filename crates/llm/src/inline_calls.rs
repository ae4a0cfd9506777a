//! Inline tool calls: if neither the service nor the server parses a model's call markup, it stands in the
//! text.

pub(crate) mod filter;
mod marks;
pub(crate) mod markup;
mod read;
mod table;
