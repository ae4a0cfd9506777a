//! Inline tool calls: where neither the service nor the server turns a model's markup into calls, they stand in its
//! words.

pub(crate) mod filter;
mod marks;
pub(crate) mod markup;
mod read;
mod table;
