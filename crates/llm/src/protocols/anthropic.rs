//! Anthropic Messages.

pub(crate) mod request;
pub(crate) mod stream;
