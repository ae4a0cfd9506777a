//! The dialects that are known.

use super::{Dialect, Forced, KeyHeader, ReasoningEcho, Thinking};
use crate::wire::WireProtocol;

/// Any other OpenAI-compatible service. `tool_choice`, parallel calls and thinking are known to few, and those who do
/// not know a field refuse the request; so nothing of the kind is said.
pub static GENERIC: Dialect = BASE;

const BASE: Dialect = Dialect {
    name: "generic",
    provider: "",
    hosts: &[],
    path: "",
    protocol: WireProtocol::ChatCompletions,
    key_header: KeyHeader::Bearer,
    reasoning: ReasoningEcho::WhenGiven,
    token_limit: "max_tokens",
    stream_usage: true,
    none_choice: false,
    forced: Forced::No,
    parallel_calls: false,
    hottest: 2.0,
    fixed_sampling: &[],
    thinking: &[],
    always: "",
    separate_keys: false,
};

/// The levels of services that have the same three.
const SAME: [&str; 3] = ["low", "medium", "high"];

/// Tokens for thinking, where that is how it is said.
const BUDGETS: [&str; 3] = ["2048", "8192", "16384"];

const GEMINI_BUDGET: &str = r#"{"thinkingConfig":{"thinkingBudget":%,"includeThoughts":true}}"#;

const RESPONSES_EFFORT: &str = r#"{"reasoning":{"effort":"%","summary":"auto"}}"#;

/// https://github.com/ollama/ollama/blob/main/docs/openai.md
const OLLAMA_COMPATIBLE: Dialect = Dialect {
    thinking: &[Thinking {
        models: &[],
        off: r#"{"reasoning_effort":"none"}"#,
        on: r#"{"reasoning_effort":"%"}"#,
        levels: SAME,
    }],
    ..BASE
};

/// What all who speak Messages have in common.
const MESSAGES: Dialect = Dialect {
    name: "messages",
    path: "/anthropic",
    protocol: WireProtocol::Messages,
    key_header: KeyHeader::XApiKey,
    none_choice: true,
    hottest: 1.0,
    ..BASE
};

/// Those that differ from [`GENERIC`].
pub(super) static DIALECTS: [Dialect; 11] = [
    // While a DeepSeek model thinks, which is its default, an assistant message without the field is a 400, even
    // where the model itself gave no thoughts. Where the field is not needed it is ignored.
    // https://api-docs.deepseek.com/guides/thinking_mode
    // https://github.com/MoonshotAI/kimi-cli/issues/2141
    Dialect {
        name: "deepseek",
        provider: "deepseek",
        hosts: &["api.deepseek.com"],
        reasoning: ReasoningEcho::Always,
        ..BASE
    },
    // "thinking is enabled but reasoning_content is missing in assistant tool call message" (400)
    // https://github.com/continuedev/continue/issues/11600
    Dialect {
        name: "kimi",
        hosts: &["api.moonshot.ai", "api.moonshot.cn"],
        reasoning: ReasoningEcho::Always,
        ..BASE
    },
    // "property 'reasoning_content' is unsupported" (400)
    // https://github.com/janhq/jan/issues/8136
    Dialect { name: "groq", hosts: &["api.groq.com"], reasoning: ReasoningEcho::Never, ..BASE },
    // "extra_forbidden ... reasoning_content" (422)
    // https://github.com/charmbracelet/crush/issues/1590
    Dialect { name: "mistral", hosts: &["api.mistral.ai"], reasoning: ReasoningEcho::Never, ..BASE },
    // Newer models take tools in Responses alone. What was said is kept here and not there, so reasoning must come
    // encrypted. https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items
    // Models that think take no temperature.
    Dialect {
        name: "openai",
        provider: "openai",
        hosts: &["api.openai.com"],
        protocol: WireProtocol::Responses,
        none_choice: true,
        forced: Forced::Yes,
        parallel_calls: true,
        fixed_sampling: &["gpt-5", "gpt-6", "o1", "o3", "o4"],
        thinking: &[
            Thinking { models: &["gpt-3", "gpt-4", "chatgpt"], off: "", on: "", levels: SAME },
            Thinking { models: &["o1", "o3", "o4"], off: "", on: RESPONSES_EFFORT, levels: SAME },
            Thinking {
                models: &["gpt-5."],
                off: r#"{"reasoning":{"effort":"none"}}"#,
                on: RESPONSES_EFFORT,
                levels: SAME,
            },
            Thinking {
                models: &["gpt-5"],
                off: r#"{"reasoning":{"effort":"minimal"}}"#,
                on: RESPONSES_EFFORT,
                levels: SAME,
            },
            Thinking {
                models: &[],
                off: r#"{"reasoning":{"effort":"none"}}"#,
                on: RESPONSES_EFFORT,
                levels: SAME,
            },
        ],
        always: r#"{"store":false,"include":["reasoning.encrypted_content"]}"#,
        ..BASE
    },
    // https://docs.anthropic.com/en/api/messages
    Dialect {
        name: "anthropic",
        provider: "anthropic",
        hosts: &["api.anthropic.com"],
        path: "",
        forced: Forced::WithoutThinking,
        parallel_calls: true,
        ..MESSAGES
    },
    // Google's endpoint for OpenAI's protocol numbers no calls and ends tool turns as others end answers; who gives its
    // address gets it all the same. https://ai.google.dev/gemini-api/docs/openai
    Dialect {
        name: "gemini-compatible",
        hosts: &["generativelanguage.googleapis.com"],
        path: "/openai",
        ..BASE
    },
    // https://ai.google.dev/gemini-api/docs/thinking
    Dialect {
        name: "gemini",
        provider: "gemini",
        hosts: &["generativelanguage.googleapis.com"],
        protocol: WireProtocol::GenerateContent,
        key_header: KeyHeader::XGoogApiKey,
        none_choice: true,
        forced: Forced::Yes,
        thinking: &[
            Thinking { models: &["gemini-1", "gemini-2.0"], off: "", on: "", levels: SAME },
            Thinking {
                models: &["gemini-2.5-flash"],
                off: r#"{"thinkingConfig":{"thinkingBudget":0}}"#,
                on: GEMINI_BUDGET,
                levels: BUDGETS,
            },
            Thinking { models: &["gemini-2"], off: "", on: GEMINI_BUDGET, levels: BUDGETS },
            Thinking {
                models: &[],
                off: "",
                on: r#"{"thinkingConfig":{"thinkingLevel":"%","includeThoughts":true}}"#,
                levels: SAME,
            },
        ],
        ..BASE
    },
    // Its OpenAI-compatible face, for those who give that address: there the window cannot be said.
    Dialect { name: "ollama-compatible", provider: "ollama", path: "/v1", ..OLLAMA_COMPATIBLE },
    // https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion
    Dialect {
        name: "ollama",
        provider: "ollama",
        protocol: WireProtocol::OllamaChat,
        thinking: &[
            Thinking { models: &["gpt-oss"], off: "", on: r#"{"think":"%"}"#, levels: SAME },
            Thinking { models: &[], off: r#"{"think":false}"#, on: r#"{"think":true}"#, levels: SAME },
        ],
        ..BASE
    },
    MESSAGES,
];
