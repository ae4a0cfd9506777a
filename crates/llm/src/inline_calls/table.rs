//! The forms in which models write calls, each with its source. The first form that fits is used.

use crate::inline_calls::markup::Markup;

/// How a form writes calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkupShape {
    /// `<invoke name="n"><parameter name="p">v</parameter></invoke>`, possibly within a section.
    Invoke,
    /// `<tool_call>…</tool_call>` around JSON, a function tag, or a name with keys and values.
    ToolCall,
    /// `<function=n><parameter=p>v</parameter></function>`
    Function,
    /// Special tokens around name and arguments.
    Tokens,
    /// A JSON list of calls, or a name and arguments, up to the end of the answer.
    Mistral,
    /// One call as JSON.
    Json,
    /// One call as JSON, in a fenced block of Markdown that ends the answer.
    Fence,
    /// One call as JSON that is the whole text.
    Bare,
}

/// A form of markup. Marks are in the normal form of [`super::marks`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkupForm {
    pub(super) markup: Markup,
    pub(super) shape: MarkupShape,
    /// Marks that open a call or a section of calls.
    pub(super) opens: &'static [&'static str],
    /// Marks that end a call.
    pub(super) closes: &'static [&'static str],
    /// Marks that end a section.
    pub(super) ends: &'static [&'static str],
    /// Marks that may remain without an opening.
    pub(super) strays: &'static [&'static str],
    /// Whether only a model that means them writes these marks: then they are never shown, whatever they
    /// contain.
    pub(super) is_special: bool,
}

pub(super) const FORMS: &[MarkupForm] = &[
    // DeepSeek V3.2 and V4, with all observed variants: other bars, doubled ones, other sections and none.
    // https://huggingface.co/deepseek-ai/DeepSeek-V3.2/tree/main/encoding
    // https://github.com/sgl-project/sglang/issues/40236
    // https://github.com/CommandCodeAI/command-code/issues/909
    MarkupForm {
        markup: Markup::Dsml,
        shape: MarkupShape::Invoke,
        opens: &["<|DSML|"],
        closes: &["</|DSML|invoke>"],
        ends: &["</|DSML|tool_calls>", "</|DSML|function_calls>", "</|DSML|calls>"],
        strays: &["</|DSML|"],
        is_special: true,
    },
    // Kimi K2. https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md
    MarkupForm {
        markup: Markup::Kimi,
        shape: MarkupShape::Tokens,
        opens: &["<|tool_calls_section_begin|>", "<|tool_call_begin|>"],
        closes: &["<|tool_call_end|>"],
        ends: &["<|tool_calls_section_end|>", "<|tool_calls_end|>"],
        strays: &["<|tool_call_end|>", "<|tool_calls_section_end|>"],
        is_special: true,
    },
    // DeepSeek R1 and V3 up to V3.1. https://huggingface.co/deepseek-ai/DeepSeek-V3.1#toolcall
    MarkupForm {
        markup: Markup::DeepSeek,
        shape: MarkupShape::Tokens,
        opens: &["<|tool_calls_begin|>", "<|tool_call_begin|>"],
        closes: &["<|tool_call_end|>"],
        ends: &["<|tool_calls_end|>"],
        strays: &["<|tool_calls_end|>"],
        is_special: true,
    },
    // MiniMax M2. https://huggingface.co/MiniMaxAI/MiniMax-M2/blob/main/docs/tool_calling_guide.md
    MarkupForm {
        markup: Markup::MiniMax,
        shape: MarkupShape::Invoke,
        opens: &["<minimax:tool_call>"],
        closes: &["</invoke>"],
        ends: &["</minimax:tool_call>"],
        strays: &["</minimax:tool_call>"],
        is_special: true,
    },
    // The same without its namespace; also DSML whose special tokens were dropped.
    MarkupForm {
        markup: Markup::Invoke,
        shape: MarkupShape::Invoke,
        opens: &["<function_calls>", "<invoke name="],
        closes: &["</invoke>"],
        ends: &["</function_calls>"],
        strays: &[],
        is_special: false,
    },
    // Hermes and Qwen: JSON. Qwen3-Coder: a function tag. GLM since 4.5: keys and values.
    // https://github.com/NousResearch/Hermes-Function-Calling
    // https://huggingface.co/Qwen/Qwen3-Coder-30B-A3B-Instruct/blob/main/qwen3coder_tool_parser.py
    // https://docs.vllm.ai/en/latest/api/vllm/tool_parsers/glm4_moe_tool_parser/
    MarkupForm {
        markup: Markup::ToolCall,
        shape: MarkupShape::ToolCall,
        opens: &["<tool_call>", "<tool_calls>"],
        closes: &["</tool_call>"],
        ends: &["</tool_calls>"],
        strays: &[],
        is_special: false,
    },
    // Qwen3-Coder without its first tag.
    MarkupForm {
        markup: Markup::Function,
        shape: MarkupShape::Function,
        opens: &["<function="],
        closes: &["</function>"],
        ends: &["</tool_call>"],
        strays: &[],
        is_special: false,
    },
    // Mistral. https://docs.vllm.ai/en/latest/api/vllm/tool_parsers/mistral_tool_parser/
    MarkupForm {
        markup: Markup::Mistral,
        shape: MarkupShape::Mistral,
        opens: &["[TOOL_CALLS]"],
        closes: &[],
        ends: &[],
        strays: &[],
        is_special: false,
    },
    // LM Studio. https://lmstudio.ai/docs/developer/openai-compat/tools
    MarkupForm {
        markup: Markup::LmStudio,
        shape: MarkupShape::Json,
        opens: &["[TOOL_REQUEST]"],
        closes: &["[END_TOOL_REQUEST]"],
        ends: &[],
        strays: &[],
        is_special: false,
    },
    // Small models of all kinds.
    MarkupForm {
        markup: Markup::Fence,
        shape: MarkupShape::Fence,
        opens: &["```"],
        closes: &[],
        ends: &[],
        strays: &[],
        is_special: false,
    },
];

/// A call as JSON that is the whole text, as Llama writes it.
/// <https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1/#json-based-tool-calling>
pub(super) const BARE: &MarkupForm = &MarkupForm {
    markup: Markup::Bare,
    shape: MarkupShape::Bare,
    opens: &["{"],
    closes: &[],
    ends: &[],
    strays: &[],
    is_special: false,
};

impl MarkupForm {
    /// Whether it looks like common JSON: then the whole shape must match, and the tool must have been
    /// offered.
    pub(super) fn is_common(&self) -> bool {
        matches!(self.shape, MarkupShape::Fence | MarkupShape::Bare)
    }
}
