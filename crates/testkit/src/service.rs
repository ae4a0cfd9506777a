//! The services that the server plays, each at its own address: what they require, what they refuse, and
//! how they write.
//!
//! From the services' documentation and from reports of their refusals, not from the product.

use crate::dialect::{CallSupport, ChatDialect, ForcedSupport, Switch, ThoughtForm, UsagePlace};

/// One service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Service {
    /// Its address is `/as/NAME`.
    pub name: &'static str,
    /// The path of its base URL, as its clients know it.
    pub base: &'static str,
    /// Its protocol.
    pub(crate) protocol: Protocol,
    /// How it receives keys.
    pub(crate) key: KeyPlace,
    /// How it writes errors.
    pub(crate) errors: ErrorShape,
    /// Its dialect of Chat Completions, if it speaks them.
    pub(crate) chat: ChatDialect,
}

/// The protocol of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
    /// Gemini `streamGenerateContent`.
    GenerateContent,
    /// Ollama `/api/chat`.
    Ollama,
}

/// How a key is sent to a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyPlace {
    Bearer,
    XApiKey,
    XGoogApiKey,
    /// It needs no key.
    None,
}

/// How a service writes errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorShape {
    /// `{"error":{message,type,param,code}}`
    OpenAi,
    /// `{"error":{code,message}}`; the code is a number of the service's own, as a string.
    Glm,
    /// `{"error":{type,message}}`
    Kimi,
    /// `{"base_resp":{status_code,status_msg}}`, with HTTP 200.
    MiniMax,
    /// `{"error":{code,message}}`; the code is the HTTP status.
    OpenRouter,
    /// `{"object":"error",message,type,code}`
    Vllm,
    /// `{"type":"error","error":{type,message}}`
    Anthropic,
    /// `{"error":{code,message,status,details}}`
    Google,
    /// `{"error":"…"}`
    Ollama,
}

/// DeepSeek, which also answers at the root of the server.
pub(crate) const DEEPSEEK: Service = Service {
    name: "deepseek",
    base: "",
    protocol: Protocol::Chat,
    key: KeyPlace::Bearer,
    errors: ErrorShape::OpenAi,
    chat: ChatDialect {
        switch: Switch::ThinkingType,
        thoughts: ThoughtForm::ReasoningContent,
        wants_thoughts: true,
        forced: ForcedSupport::WithoutThinking,
        calls: CallSupport::Pieces,
        usage: UsagePlace::Last,
        hottest: 20,
        reads_arguments: false,
        sees: false,
        takes_schema: false,
    },
};

const CHAT: ChatDialect =
    ChatDialect { wants_thoughts: false, forced: ForcedSupport::Yes, sees: true, ..DEEPSEEK.chat };

const fn local(name: &'static str, errors: ErrorShape, chat: ChatDialect) -> Service {
    let chat = ChatDialect { takes_schema: true, ..chat };
    Service { name, base: "/v1", key: KeyPlace::None, errors, chat, ..DEEPSEEK }
}

pub(crate) const OPENAI: Service =
    Service { name: "openai", base: "/v1", protocol: Protocol::Responses, ..DEEPSEEK };

pub(crate) const ANTHROPIC: Service = Service {
    name: "anthropic",
    base: "/v1",
    protocol: Protocol::Messages,
    key: KeyPlace::XApiKey,
    errors: ErrorShape::Anthropic,
    ..DEEPSEEK
};

pub(crate) const GEMINI: Service = Service {
    name: "gemini",
    base: "/v1beta",
    protocol: Protocol::GenerateContent,
    key: KeyPlace::XGoogApiKey,
    errors: ErrorShape::Google,
    ..DEEPSEEK
};

pub(crate) const OLLAMA: Service = Service {
    name: "ollama",
    base: "",
    protocol: Protocol::Ollama,
    key: KeyPlace::None,
    errors: ErrorShape::Ollama,
    ..DEEPSEEK
};

/// All of them.
pub(crate) const SERVICES: [Service; 14] = [
    DEEPSEEK,
    Service {
        name: "qwen",
        base: "/compatible-mode/v1",
        chat: ChatDialect {
            switch: Switch::EnableThinking,
            forced: ForcedSupport::WithoutThinking,
            calls: CallSupport::EmptyIds,
            usage: UsagePlace::Own,
            ..CHAT
        },
        ..DEEPSEEK
    },
    Service {
        name: "glm",
        base: "/api/paas/v4",
        errors: ErrorShape::Glm,
        chat: ChatDialect {
            forced: ForcedSupport::No,
            calls: CallSupport::Whole,
            usage: UsagePlace::LastAlways,
            hottest: 10,
            ..CHAT
        },
        ..DEEPSEEK
    },
    Service {
        name: "kimi",
        base: "/v1",
        errors: ErrorShape::Kimi,
        chat: ChatDialect {
            wants_thoughts: true,
            forced: ForcedSupport::WithoutThinking,
            calls: CallSupport::FunctionIds,
            usage: UsagePlace::Choice,
            hottest: 0,
            ..CHAT
        },
        ..DEEPSEEK
    },
    Service {
        name: "minimax",
        base: "/v1",
        errors: ErrorShape::MiniMax,
        chat: ChatDialect {
            thoughts: ThoughtForm::SplitDetails,
            wants_thoughts: true,
            forced: ForcedSupport::Ignored,
            usage: UsagePlace::LastAlways,
            ..CHAT
        },
        ..DEEPSEEK
    },
    Service {
        name: "doubao",
        base: "/api/v3",
        chat: ChatDialect { usage: UsagePlace::Own, ..CHAT },
        ..DEEPSEEK
    },
    OPENAI,
    ANTHROPIC,
    GEMINI,
    Service {
        name: "openrouter",
        base: "/api/v1",
        errors: ErrorShape::OpenRouter,
        chat: ChatDialect {
            switch: Switch::Reasoning,
            thoughts: ThoughtForm::Details,
            wants_thoughts: true,
            usage: UsagePlace::Repeated,
            takes_schema: true,
            ..CHAT
        },
        ..DEEPSEEK
    },
    OLLAMA,
    local(
        "llama-server",
        ErrorShape::OpenAi,
        ChatDialect {
            switch: Switch::ReasoningEffort,
            usage: UsagePlace::Own,
            reads_arguments: true,
            ..CHAT
        },
    ),
    local(
        "lmstudio",
        ErrorShape::OpenAi,
        ChatDialect {
            switch: Switch::ReasoningEffort,
            calls: CallSupport::WholeAtZero,
            usage: UsagePlace::Own,
            ..CHAT
        },
    ),
    local(
        "vllm",
        ErrorShape::Vllm,
        ChatDialect {
            switch: Switch::TemplateArguments,
            thoughts: ThoughtForm::Reasoning,
            calls: CallSupport::EmptyNames,
            usage: UsagePlace::Own,
            reads_arguments: true,
            ..CHAT
        },
    ),
];
