//! The wire protocols: how each serialises a request, and how to read its stream. How services differ
//! within one protocol is in [`crate::dialects`].

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod gemini;
pub(crate) mod ollama;
pub(crate) mod responses;

#[cfg(test)]
mod pictures_test;
