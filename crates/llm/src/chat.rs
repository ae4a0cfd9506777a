//! OpenAI Chat Completions.

pub(crate) mod request;
pub(crate) mod stream;
