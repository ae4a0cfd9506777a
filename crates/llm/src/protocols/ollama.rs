//! Ollama's own chat protocol.

pub(crate) mod request;
pub(crate) mod stream;

/// The context window in tokens that is requested if none is set. Ollama's own default is too small for a
/// page and its tools, and it silently cuts what is too long; a larger window asks much of an ordinary
/// computer.
/// <https://github.com/ollama/ollama/blob/main/docs/faq.md#how-can-i-specify-the-context-window-size>
pub const DEFAULT_WINDOW: u32 = 16_384;
