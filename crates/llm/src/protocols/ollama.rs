//! Ollama's own chat protocol.

pub(crate) mod request;
pub(crate) mod stream;

/// Tokens of the window that is asked for where none is set. Ollama's own default is so small that a page and its
/// tools do not fit, and it cuts what is too long without a word; more than this asks much of an ordinary machine.
/// <https://github.com/ollama/ollama/blob/main/docs/faq.md#how-can-i-specify-the-context-window-size>
pub const DEFAULT_WINDOW: u32 = 16_384;
