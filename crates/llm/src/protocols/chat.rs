//! OpenAI Chat Completions.

mod growth;
pub(crate) mod request;
pub(crate) mod stream;
