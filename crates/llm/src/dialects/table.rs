//! The dialects that are known.

use super::{Constraint, Dialect, FactsSource, ForcedChoice, KeyHeader, ReasoningEcho, ThinkingFields};
use crate::wire::{ON_DEVICE, WireProtocol};
use sidecar_protocol::schema::ProfileName;

/// Any other OpenAI-compatible service. Few support `tool_choice`, parallel calls and reasoning effort, and
/// a service that does not know a field refuses the request, so none of these is sent. A schema that a
/// service does not accept has the whole request refused as well, so schemas are reduced to what all
/// services accept. A constraint for answers of models without tool calling is worth trying: a service that
/// does not know `response_format` refuses or ignores it.
pub static GENERIC: Dialect = Dialect { constraint: RESPONSE_FORMAT, ..BASE };

/// <https://platform.openai.com/docs/guides/structured-outputs>
const RESPONSE_FORMAT: Option<Constraint> = Some(Constraint::ResponseFormat);

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
    forced: ForcedChoice::No,
    parallel_calls: false,
    hottest: 2.0,
    fixed_sampling: &[],
    thinking: &[],
    schema: ProfileName::Portable,
    takes_tools: true,
    facts: None,
    constraint: None,
    always: "",
    separate_keys: false,
    checks_origin: false,
};

/// For services that name the three levels like this.
const SAME: [&str; 3] = ["low", "medium", "high"];

/// For services that take a number of reasoning tokens.
const BUDGETS: [&str; 3] = ["2048", "8192", "16384"];

const GEMINI_BUDGET: &str = r#"{"thinkingConfig":{"thinkingBudget":%,"includeThoughts":true}}"#;

/// For services that name three other levels.
const WITH_MAX: [&str; 3] = ["low", "high", "max"];

const DISABLED: &str = r#"{"thinking":{"type":"disabled"}}"#;
const ENABLED: &str = r#"{"thinking":{"type":"enabled"}}"#;
const ENABLED_EFFORT: &str = r#"{"thinking":{"type":"enabled"},"reasoning_effort":"%"}"#;
const EFFORT: &str = r#"{"reasoning_effort":"%"}"#;
const NO_EFFORT: &str = r#"{"reasoning_effort":"none"}"#;
const ADAPTIVE: &str = r#"{"thinking":{"type":"adaptive"},"output_config":{"effort":"%"}}"#;

const RESPONSES_EFFORT: &str = r#"{"reasoning":{"effort":"%","summary":"auto"}}"#;

/// What all services that speak Messages have in common.
const MESSAGES: Dialect = Dialect {
    name: "messages",
    path: "/anthropic",
    protocol: WireProtocol::Messages,
    key_header: KeyHeader::XApiKey,
    none_choice: true,
    hottest: 1.0,
    ..BASE
};

/// The dialects that differ from [`GENERIC`].
pub(super) static DIALECTS: [Dialect; 20] = [
    // While a DeepSeek model reasons, which is its default, an assistant message without the field is a
    // 400, even if the model itself gave no reasoning. If the field is not needed it is ignored.
    // https://api-docs.deepseek.com/guides/thinking_mode
    // https://github.com/MoonshotAI/kimi-cli/issues/2141
    // A forced call is refused while it reasons. `parallel_tool_calls` and, outside of its beta, `strict`
    // are unknown.
    // https://api-docs.deepseek.com/api/create-chat-completion
    Dialect {
        name: "deepseek",
        provider: "deepseek",
        hosts: &["api.deepseek.com"],
        reasoning: ReasoningEcho::Always,
        none_choice: true,
        forced: ForcedChoice::WithoutThinking,
        thinking: &[ThinkingFields { models: &[], off: DISABLED, on: ENABLED_EFFORT, levels: WITH_MAX }],
        ..BASE
    },
    // Parallel calls only if requested; forced calls only in some models.
    // https://help.aliyun.com/zh/model-studio/qwen-function-calling
    // https://help.aliyun.com/zh/model-studio/deep-thinking
    // `enable_search` is off by default and never sent: together with tools it makes answers unpredictable,
    // and some models refuse it.
    // https://help.aliyun.com/zh/model-studio/web-search
    // Keys of one region, and those of plans, are refused elsewhere.
    Dialect {
        name: "qwen",
        provider: "qwen",
        hosts: &["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"],
        none_choice: true,
        parallel_calls: true,
        thinking: &[ThinkingFields {
            models: &[],
            off: r#"{"enable_thinking":false}"#,
            on: r#"{"enable_thinking":true,"thinking_budget":%}"#,
            levels: BUDGETS,
        }],
        separate_keys: true,
        ..BASE
    },
    // `tool_choice` is `auto` or absent, temperature at most 1.
    // https://docs.z.ai/api-reference/llm/chat-completion
    // https://docs.z.ai/guides/capabilities/thinking-mode
    Dialect {
        name: "glm",
        provider: "glm",
        hosts: &["open.bigmodel.cn", "api.z.ai"],
        hottest: 1.0,
        thinking: &[
            ThinkingFields { models: &["glm-5.3"], off: "", on: ENABLED_EFFORT, levels: WITH_MAX },
            ThinkingFields {
                models: &["glm-5.2"],
                off: DISABLED,
                on: ENABLED_EFFORT,
                levels: ["high", "high", "max"],
            },
            ThinkingFields { models: &[], off: DISABLED, on: ENABLED, levels: SAME },
        ],
        separate_keys: true,
        ..BASE
    },
    // "thinking is enabled but reasoning_content is missing in assistant tool call message" (400)
    // https://github.com/continuedev/continue/issues/11600
    // Sampling is fixed, `max_tokens` is an old name, and unknown efforts are ignored silently.
    // https://platform.moonshot.ai/docs/api/chat
    Dialect {
        name: "kimi",
        provider: "kimi",
        hosts: &["api.moonshot.ai", "api.moonshot.cn"],
        reasoning: ReasoningEcho::Always,
        token_limit: "max_completion_tokens",
        none_choice: true,
        fixed_sampling: &[""],
        thinking: &[
            ThinkingFields { models: &["kimi-k3"], off: "", on: EFFORT, levels: WITH_MAX },
            ThinkingFields { models: &["kimi-k2.7"], off: "", on: "", levels: SAME },
            ThinkingFields { models: &["kimi-k2"], off: DISABLED, on: ENABLED, levels: SAME },
        ],
        separate_keys: true,
        ..BASE
    },
    // Reasoning stands in the text unless it is requested separately, and must be sent back unchanged.
    // `tool_choice` is unknown.
    // https://platform.minimax.io/docs/api-reference/text-openai-api
    // https://platform.minimax.io/docs/guides/text-m2-function-call
    Dialect {
        name: "minimax",
        provider: "minimax",
        hosts: &["api.minimax.io", "api.minimaxi.com", "api.minimax.cn"],
        reasoning: ReasoningEcho::Details,
        token_limit: "max_completion_tokens",
        thinking: &[
            ThinkingFields {
                models: &["minimax-m3.1"],
                off: "",
                on: r#"{"thinking":{"type":"adaptive"},"reasoning_effort":"%"}"#,
                levels: SAME,
            },
            ThinkingFields { models: &["minimax-m3"], off: DISABLED, on: "", levels: SAME },
        ],
        always: r#"{"reasoning_split":true}"#,
        separate_keys: true,
        ..BASE
    },
    // https://www.volcengine.com/docs/82379/1494384
    Dialect {
        name: "doubao",
        provider: "doubao",
        hosts: &["ark.cn-beijing.volces.com"],
        none_choice: true,
        forced: ForcedChoice::Yes,
        fixed_sampling: &["doubao-seed-2-0-pro", "doubao-seed-2-0-lite"],
        thinking: &[ThinkingFields { models: &[], off: DISABLED, on: EFFORT, levels: SAME }],
        ..BASE
    },
    // `reasoning_details` are sent back in order and unchanged; usage is reported without being requested.
    // https://openrouter.ai/docs/use-cases/reasoning-tokens
    // https://openrouter.ai/docs/use-cases/usage-accounting
    // https://openrouter.ai/docs/features/structured-outputs
    Dialect {
        name: "openrouter",
        provider: "openrouter",
        hosts: &["openrouter.ai"],
        reasoning: ReasoningEcho::Details,
        stream_usage: false,
        none_choice: true,
        forced: ForcedChoice::Yes,
        parallel_calls: true,
        thinking: &[ThinkingFields {
            models: &[],
            off: r#"{"reasoning":{"effort":"none"}}"#,
            on: r#"{"reasoning":{"effort":"%"}}"#,
            levels: SAME,
        }],
        constraint: RESPONSE_FORMAT,
        ..BASE
    },
    // "property 'reasoning_content' is unsupported" (400)
    // https://github.com/janhq/jan/issues/8136
    Dialect {
        name: "groq",
        hosts: &["api.groq.com"],
        reasoning: ReasoningEcho::Never,
        constraint: RESPONSE_FORMAT,
        ..BASE
    },
    // "extra_forbidden ... reasoning_content" (422)
    // https://github.com/charmbracelet/crush/issues/1590
    Dialect {
        name: "mistral",
        hosts: &["api.mistral.ai"],
        reasoning: ReasoningEcho::Never,
        constraint: RESPONSE_FORMAT,
        ..BASE
    },
    // Newer models support tools only in Responses. The conversation is kept here and not at the service,
    // so reasoning must come encrypted.
    // https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items
    // Models that reason accept no temperature.
    // "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"
    // (400)
    // https://github.com/nspady/google-calendar-mcp/issues/39
    Dialect {
        name: "openai",
        provider: "openai",
        hosts: &["api.openai.com"],
        protocol: WireProtocol::Responses,
        none_choice: true,
        forced: ForcedChoice::Yes,
        parallel_calls: true,
        fixed_sampling: &["gpt-5", "gpt-6", "o1", "o3", "o4"],
        thinking: &[
            ThinkingFields { models: &["gpt-3", "gpt-4", "chatgpt"], off: "", on: "", levels: SAME },
            ThinkingFields { models: &["o1", "o3", "o4"], off: "", on: RESPONSES_EFFORT, levels: SAME },
            ThinkingFields {
                models: &["gpt-5."],
                off: r#"{"reasoning":{"effort":"none"}}"#,
                on: RESPONSES_EFFORT,
                levels: SAME,
            },
            ThinkingFields {
                models: &["gpt-5"],
                off: r#"{"reasoning":{"effort":"minimal"}}"#,
                on: RESPONSES_EFFORT,
                levels: SAME,
            },
            ThinkingFields {
                models: &[],
                off: r#"{"reasoning":{"effort":"none"}}"#,
                on: RESPONSES_EFFORT,
                levels: SAME,
            },
        ],
        schema: ProfileName::PlainRoot,
        always: r#"{"store":false,"include":["reasoning.encrypted_content"]}"#,
        ..BASE
    },
    // Models that reason within a budget, those that decide for themselves, and those of them that cannot do
    // without. Models that decide for themselves accept no temperature and, while they reason, no forced call.
    // https://docs.anthropic.com/en/docs/build-with-claude/adaptive-thinking
    // https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking
    // "input_schema does not support oneOf, allOf, or anyOf at the top level" (400)
    // https://github.com/anthropics/claude-code/issues/5973
    Dialect {
        name: "anthropic",
        provider: "anthropic",
        hosts: &["api.anthropic.com"],
        path: "",
        forced: ForcedChoice::WithoutThinking,
        parallel_calls: true,
        fixed_sampling: &[
            "claude-opus-4-7",
            "claude-opus-4-8",
            "claude-opus-5",
            "claude-sonnet-5",
            "claude-haiku-5",
            "claude-fable",
        ],
        thinking: &[
            ThinkingFields { models: &["claude-3"], off: "", on: "", levels: SAME },
            ThinkingFields {
                models: &[
                    "claude-opus-4-0",
                    "claude-opus-4-1",
                    "claude-opus-4-2",
                    "claude-opus-4-5",
                    "claude-sonnet-4-0",
                    "claude-sonnet-4-2",
                    "claude-sonnet-4-5",
                    "claude-haiku-4-5",
                ],
                off: DISABLED,
                on: r#"{"thinking":{"type":"enabled","budget_tokens":%}}"#,
                levels: BUDGETS,
            },
            ThinkingFields {
                models: &["claude-opus-5-5", "claude-fable"],
                off: "",
                on: ADAPTIVE,
                levels: SAME,
            },
            ThinkingFields {
                models: &["claude-sonnet-5-5"],
                off: r#"{"thinking":{"type":"between_tools"}}"#,
                on: ADAPTIVE,
                levels: SAME,
            },
            ThinkingFields { models: &[], off: DISABLED, on: ADAPTIVE, levels: SAME },
        ],
        schema: ProfileName::PlainRoot,
        ..MESSAGES
    },
    // Google's OpenAI-compatible endpoint gives calls no index and ends tool turns like other answers;
    // users who enter its address get it all the same.
    // https://ai.google.dev/gemini-api/docs/openai
    Dialect {
        name: "gemini-compatible",
        hosts: &["generativelanguage.googleapis.com"],
        path: "/openai",
        ..BASE
    },
    // `parametersJsonSchema` is JSON Schema. https://ai.google.dev/api/caching#FunctionDeclaration
    // https://ai.google.dev/gemini-api/docs/thinking
    Dialect {
        name: "gemini",
        provider: "gemini",
        hosts: &["generativelanguage.googleapis.com"],
        protocol: WireProtocol::GenerateContent,
        key_header: KeyHeader::XGoogApiKey,
        none_choice: true,
        forced: ForcedChoice::Yes,
        thinking: &[
            ThinkingFields { models: &["gemini-1", "gemini-2.0"], off: "", on: "", levels: SAME },
            ThinkingFields {
                models: &["gemini-2.5-flash"],
                off: r#"{"thinkingConfig":{"thinkingBudget":0}}"#,
                on: GEMINI_BUDGET,
                levels: BUDGETS,
            },
            ThinkingFields { models: &["gemini-2"], off: "", on: GEMINI_BUDGET, levels: BUDGETS },
            ThinkingFields {
                models: &[],
                off: "",
                on: r#"{"thinkingConfig":{"thinkingLevel":"%","includeThoughts":true}}"#,
                levels: SAME,
            },
        ],
        schema: ProfileName::Full,
        ..BASE
    },
    // Ollama's OpenAI-compatible API, for users who enter that address: it has no field for the context
    // window.
    // https://github.com/ollama/ollama/blob/main/docs/openai.md
    Dialect {
        name: "ollama-compatible",
        provider: "ollama",
        path: "/v1",
        thinking: &[ThinkingFields { models: &[], off: NO_EFFORT, on: EFFORT, levels: SAME }],
        facts: Some(FactsSource::Show),
        constraint: RESPONSE_FORMAT,
        checks_origin: true,
        ..BASE
    },
    // https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion
    // https://docs.ollama.com/capabilities/structured-outputs
    // https://github.com/ollama/ollama/blob/main/docs/api.md#show-model-information
    Dialect {
        name: "ollama",
        provider: "ollama",
        protocol: WireProtocol::OllamaChat,
        thinking: &[
            ThinkingFields { models: &["gpt-oss"], off: "", on: r#"{"think":"%"}"#, levels: SAME },
            ThinkingFields { models: &[], off: r#"{"think":false}"#, on: r#"{"think":true}"#, levels: SAME },
        ],
        facts: Some(FactsSource::Show),
        constraint: Some(Constraint::Format),
        checks_origin: true,
        ..BASE
    },
    // The browser's own model, which is addressed in the protocol of a local server. It takes a prompt and
    // a constraint for the answer, and knows no tools.
    // https://developer.chrome.com/docs/ai/prompt-api
    Dialect {
        name: "on-device",
        provider: ON_DEVICE,
        protocol: WireProtocol::OllamaChat,
        fixed_sampling: &[""],
        takes_tools: false,
        constraint: Some(Constraint::Format),
        ..BASE
    },
    // A named tool choice is silently treated as `auto`, and with `required` the model may write text
    // first.
    // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
    Dialect {
        name: "llama-server",
        provider: "llama-server",
        none_choice: true,
        parallel_calls: true,
        thinking: &[ThinkingFields { models: &[], off: NO_EFFORT, on: EFFORT, levels: SAME }],
        facts: Some(FactsSource::Props),
        constraint: RESPONSE_FORMAT,
        ..BASE
    },
    // https://lmstudio.ai/docs/developer/openai-compat
    // https://lmstudio.ai/docs/developer/openai-compat/structured-output
    Dialect { name: "lmstudio", provider: "lmstudio", constraint: RESPONSE_FORMAT, ..BASE },
    // https://docs.vllm.ai/en/latest/features/tool_calling.html
    // https://docs.vllm.ai/en/latest/features/reasoning_outputs.html
    // https://docs.vllm.ai/en/latest/features/structured_outputs.html
    Dialect {
        name: "vllm",
        provider: "vllm",
        none_choice: true,
        forced: ForcedChoice::Yes,
        parallel_calls: true,
        thinking: &[ThinkingFields {
            models: &[],
            off: r#"{"chat_template_kwargs":{"enable_thinking":false}}"#,
            on: r#"{"chat_template_kwargs":{"enable_thinking":true}}"#,
            levels: SAME,
        }],
        constraint: RESPONSE_FORMAT,
        ..BASE
    },
    // Zhipu, Moonshot, DeepSeek, MiniMax and Alibaba offer it under such a path.
    // https://api-docs.deepseek.com/guides/anthropic_api
    MESSAGES,
];
