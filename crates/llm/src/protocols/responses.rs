//! OpenAI Responses.

pub(crate) mod request;
pub(crate) mod stream;
