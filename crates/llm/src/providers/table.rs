//! The providers that are known.

use super::{ModelHint, ON_DEVICE, Provider, ProviderPlatform};

pub(super) static PROVIDERS: [Provider; 15] = [
    // https://api-docs.deepseek.com
    Provider {
        id: "deepseek",
        name: "DeepSeek",
        platforms: &[at("", "https://api.deepseek.com", "https://platform.deepseek.com/api_keys")],
        key_optional: false,
        has_free_keys: false,
        models: &[hint("deepseek-flash", 1_048_576), hint("deepseek-v4-pro", 1_048_576)],
    },
    // https://www.alibabacloud.com/help/en/model-studio/regions
    Provider {
        id: "qwen",
        name: "Qwen",
        platforms: &[
            at(
                "cn",
                "https://dashscope.aliyuncs.com/compatible-mode/v1",
                "https://bailian.console.aliyun.com/?tab=model#/api-key",
            ),
            at(
                "intl",
                "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
                "https://modelstudio.console.alibabacloud.com/?tab=dashboard#/api-key",
            ),
            at(
                "us",
                "https://dashscope-us.aliyuncs.com/compatible-mode/v1",
                "https://modelstudio.console.alibabacloud.com/?tab=dashboard#/api-key",
            ),
        ],
        key_optional: false,
        has_free_keys: false,
        models: &[hint("qwen3.7-plus", 1_000_000), hint("qwen-plus", 1_000_000), hint("qwen3-max", 262_144)],
    },
    // https://docs.bigmodel.cn, https://docs.z.ai
    Provider {
        id: "glm",
        name: "GLM",
        platforms: &[
            at(
                "cn",
                "https://open.bigmodel.cn/api/paas/v4",
                "https://open.bigmodel.cn/usercenter/proj-mgmt/apikeys",
            ),
            at("intl", "https://api.z.ai/api/paas/v4", "https://z.ai/manage-apikey/apikey-list"),
            at(
                "cn-plan",
                "https://open.bigmodel.cn/api/coding/paas/v4",
                "https://open.bigmodel.cn/usercenter/proj-mgmt/apikeys",
            ),
            at("intl-plan", "https://api.z.ai/api/coding/paas/v4", "https://z.ai/manage-apikey/apikey-list"),
        ],
        key_optional: false,
        has_free_keys: false,
        models: &[
            hint("glm-5.3", 1_000_000),
            hint("glm-5.2", 1_000_000),
            hint("glm-5", 200_000),
            hint("glm-4.7", 200_000),
        ],
    },
    // https://platform.moonshot.ai/docs
    Provider {
        id: "kimi",
        name: "Kimi",
        platforms: &[
            at("cn", "https://api.moonshot.cn/v1", "https://platform.moonshot.cn/console/api-keys"),
            at("intl", "https://api.moonshot.ai/v1", "https://platform.moonshot.ai/console/api-keys"),
        ],
        key_optional: false,
        has_free_keys: false,
        models: &[hint("kimi-k3", 1_048_576), hint("kimi-k2.6", 262_144), hint("kimi-k2.7-code", 262_144)],
    },
    // https://platform.minimax.io/docs, https://platform.minimaxi.com/docs
    Provider {
        id: "minimax",
        name: "MiniMax",
        platforms: &[
            at(
                "cn",
                "https://api.minimaxi.com/v1",
                "https://platform.minimaxi.com/user-center/basic-information/interface-key",
            ),
            at(
                "intl",
                "https://api.minimax.io/v1",
                "https://platform.minimax.io/user-center/basic-information/interface-key",
            ),
        ],
        key_optional: false,
        has_free_keys: false,
        models: &[
            hint("MiniMax-M3.1-Flash", 1_000_000),
            hint("MiniMax-M3", 1_000_000),
            hint("MiniMax-M2", 204_800),
        ],
    },
    // https://www.volcengine.com/docs/82379. A model may also be the user's own endpoint, `ep-…`.
    Provider {
        id: "doubao",
        name: "豆包",
        platforms: &[
            at(
                "",
                "https://ark.cn-beijing.volces.com/api/v3",
                "https://console.volcengine.com/ark/region:ark+cn-beijing/apiKey",
            ),
            at(
                "plan",
                "https://ark.cn-beijing.volces.com/api/coding/v3",
                "https://console.volcengine.com/ark/region:ark+cn-beijing/apiKey",
            ),
        ],
        key_optional: false,
        has_free_keys: false,
        models: &[hint("doubao-seed-2-0", 262_144)],
    },
    // https://platform.openai.com/docs/models
    Provider {
        id: "openai",
        name: "OpenAI",
        platforms: &[at("", "https://api.openai.com/v1", "https://platform.openai.com/api-keys")],
        key_optional: false,
        has_free_keys: false,
        models: &[hint("gpt-6.1-sol", 1_050_000), hint("gpt-6", 1_050_000), hint("gpt-5.6", 1_050_000)],
    },
    // https://docs.anthropic.com/en/docs/about-claude/models/overview
    Provider {
        id: "anthropic",
        name: "Anthropic",
        platforms: &[at("", "https://api.anthropic.com", "https://console.anthropic.com/settings/keys")],
        key_optional: false,
        has_free_keys: false,
        models: &[
            hint("claude-sonnet-5-5", 1_000_000),
            hint("claude-opus-5-5", 1_000_000),
            hint("claude-haiku-5-5", 1_000_000),
            hint("claude-sonnet-4-5", 200_000),
            hint("claude-haiku-4-5", 200_000),
        ],
    },
    // https://ai.google.dev/gemini-api/docs/models, https://ai.google.dev/gemini-api/docs/pricing
    Provider {
        id: "gemini",
        name: "Gemini",
        platforms: &[at(
            "",
            "https://generativelanguage.googleapis.com/v1beta",
            "https://aistudio.google.com/apikey",
        )],
        key_optional: false,
        has_free_keys: true,
        models: &[
            hint("gemini-3.8-flash", 1_048_576),
            hint("gemini-3", 1_048_576),
            hint("gemini-2.5", 1_048_576),
        ],
    },
    // https://openrouter.ai/docs. Its models whose names end in `:free` cost nothing.
    Provider {
        id: "openrouter",
        name: "OpenRouter",
        platforms: &[at("", "https://openrouter.ai/api/v1", "https://openrouter.ai/keys")],
        key_optional: false,
        has_free_keys: true,
        models: &[],
    },
    // https://github.com/ollama/ollama/blob/main/docs/api.md
    Provider {
        id: "ollama",
        name: "Ollama",
        platforms: &[at("", "http://localhost:11434", "")],
        key_optional: true,
        has_free_keys: false,
        models: &[],
    },
    // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
    Provider {
        id: "llama-server",
        name: "llama.cpp",
        platforms: &[at("", "http://localhost:8080/v1", "")],
        key_optional: true,
        has_free_keys: false,
        models: &[],
    },
    // https://lmstudio.ai/docs/developer/openai-compat
    Provider {
        id: "lmstudio",
        name: "LM Studio",
        platforms: &[at("", "http://localhost:1234/v1", "")],
        key_optional: true,
        has_free_keys: false,
        models: &[],
    },
    // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
    Provider {
        id: "vllm",
        name: "vLLM",
        platforms: &[at("", "http://localhost:8000/v1", "")],
        key_optional: true,
        has_free_keys: false,
        models: &[],
    },
    // https://developer.chrome.com/docs/ai/prompt-api. Each browser has one model and does not say which.
    Provider {
        id: ON_DEVICE,
        name: "Prompt API",
        platforms: &[at("", "https://on-device.invalid", "")],
        key_optional: true,
        has_free_keys: false,
        models: &[hint("on-device", 9_216)],
    },
];

const fn at(id: &'static str, base_url: &'static str, key_page: &'static str) -> ProviderPlatform {
    ProviderPlatform { id, base_url, key_page }
}

const fn hint(id: &'static str, window: u32) -> ModelHint {
    ModelHint { id, window }
}
