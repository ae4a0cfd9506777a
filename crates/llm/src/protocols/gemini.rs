//! Gemini `streamGenerateContent`.

mod partial;
pub(crate) mod request;
pub(crate) mod stream;
