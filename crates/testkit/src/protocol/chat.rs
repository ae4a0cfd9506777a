//! OpenAI Chat Completions, in the dialects of the services that speak it.

pub(crate) mod request;
pub(crate) mod stream;
