//! The forms of inline calls, and what became of such calls.

use std::fmt;

/// How a model wrote calls into its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markup {
    /// DeepSeek's, since V3.2.
    Dsml,
    /// DeepSeek's special tokens before V3.2.
    DeepSeek,
    /// Kimi's special tokens.
    Kimi,
    /// MiniMax's tags.
    MiniMax,
    /// `<invoke>` without a namespace.
    Invoke,
    /// `<tool_call>`: Hermes, Qwen, GLM.
    ToolCall,
    /// `<function=…>`: Qwen3-Coder.
    Function,
    /// `[TOOL_CALLS]`
    Mistral,
    /// `[TOOL_REQUEST]`
    LmStudio,
    /// JSON in a fenced block of Markdown.
    Fence,
    /// JSON and nothing else.
    Bare,
}

impl fmt::Display for Markup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dsml => "DSML",
            Self::DeepSeek => "DeepSeek's tokens",
            Self::Kimi => "Kimi's tokens",
            Self::MiniMax => "<minimax:tool_call>",
            Self::Invoke => "<invoke>",
            Self::ToolCall => "<tool_call>",
            Self::Function => "<function=…>",
            Self::Mistral => "[TOOL_CALLS]",
            Self::LmStudio => "[TOOL_REQUEST]",
            Self::Fence => "fenced JSON",
            Self::Bare => "plain JSON",
        })
    }
}

/// Markup that was taken out of a text, and what became of its calls. Displays as a sentence for a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineCalls {
    /// The form; the first, if there are several.
    pub markup: Markup,
    /// Number of calls that became calls of the answer.
    pub taken: usize,
    /// Names of tools that were not offered, as the model wrote them; at most 8, of at most 100 characters
    /// each.
    pub unknown: Vec<String>,
    /// Number of calls left out for other reasons: cut, broken, or the answer had calls already.
    pub left_out: usize,
}

impl fmt::Display for InlineCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Markup of tool calls ({}) stood in the text and was taken out of it", self.markup)?;
        if self.taken > 0 {
            write!(f, "; calls made of it: {}", self.taken)?;
        }
        if !self.unknown.is_empty() {
            write!(f, "; not offered: {}", self.unknown.join(", "))?;
        }
        if self.left_out > 0 {
            write!(f, "; left out, because broken or not alone: {}", self.left_out)?;
        }
        f.write_str(".")
    }
}
