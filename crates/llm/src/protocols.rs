//! The wire protocols: how each lays out a request and what its stream says. How services differ in their use of one
//! protocol is in [`crate::dialects`].

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod gemini;
pub(crate) mod ollama;
pub(crate) mod responses;
