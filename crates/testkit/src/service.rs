//! The services that the server can be, each at addresses of its own: what they want, what they refuse, and how they
//! write.
//!
//! From the services' documentation and from reports of what they refuse, and from nothing that the product has.

use crate::dialect::{Calls, ChatDialect, Forced, Switch, Thoughts, UsagePlace};

/// One service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Service {
    /// It is at `/as/NAME`.
    pub name: &'static str,
    /// Behind that: the path of its base URL, as its clients know it.
    pub base: &'static str,
    /// What it speaks.
    pub(crate) protocol: Protocol,
    /// How it takes keys.
    pub(crate) key: KeyHeader,
    /// How it writes errors.
    pub(crate) errors: ErrorShape,
    /// How it speaks Chat Completions, if it does.
    pub(crate) chat: ChatDialect,
}

/// What a service speaks.
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
pub(crate) enum KeyHeader {
    Bearer,
    XApiKey,
    XGoogApiKey,
    /// It takes anybody.
    None,
}

/// How a service writes errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorShape {
    /// `{"error":{message,type,param,code}}`
    OpenAi,
    /// `{"error":{code,message}}`; the code is a number of the service's own, as text.
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

/// DeepSeek, which is also what answers at the root of the server.
pub(crate) const DEEPSEEK: Service = Service {
    name: "deepseek",
    base: "",
    protocol: Protocol::Chat,
    key: KeyHeader::Bearer,
    errors: ErrorShape::OpenAi,
    chat: ChatDialect {
        switch: Switch::ThinkingType,
        thoughts: Thoughts::ReasoningContent,
        wants_thoughts: true,
        forced: Forced::WithoutThinking,
        calls: Calls::Pieces,
        usage: UsagePlace::Last,
        hottest: 20,
        reads_arguments: false,
        takes_schema: false,
    },
};

const CHAT: ChatDialect = ChatDialect { wants_thoughts: false, forced: Forced::Yes, ..DEEPSEEK.chat };

const fn local(name: &'static str, errors: ErrorShape, chat: ChatDialect) -> Service {
    let chat = ChatDialect { takes_schema: true, ..chat };
    Service { name, base: "/v1", key: KeyHeader::None, errors, chat, ..DEEPSEEK }
}

pub(crate) const OPENAI: Service =
    Service { name: "openai", base: "/v1", protocol: Protocol::Responses, ..DEEPSEEK };

pub(crate) const ANTHROPIC: Service = Service {
    name: "anthropic",
    base: "/v1",
    protocol: Protocol::Messages,
    key: KeyHeader::XApiKey,
    errors: ErrorShape::Anthropic,
    ..DEEPSEEK
};

pub(crate) const GEMINI: Service = Service {
    name: "gemini",
    base: "/v1beta",
    protocol: Protocol::GenerateContent,
    key: KeyHeader::XGoogApiKey,
    errors: ErrorShape::Google,
    ..DEEPSEEK
};

pub(crate) const OLLAMA: Service = Service {
    name: "ollama",
    base: "",
    protocol: Protocol::Ollama,
    key: KeyHeader::None,
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
            forced: Forced::WithoutThinking,
            calls: Calls::EmptyIds,
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
            forced: Forced::No,
            calls: Calls::Whole,
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
            forced: Forced::WithoutThinking,
            calls: Calls::FunctionIds,
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
            thoughts: Thoughts::SplitDetails,
            wants_thoughts: true,
            forced: Forced::Ignored,
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
            thoughts: Thoughts::Details,
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
            calls: Calls::WholeAtZero,
            usage: UsagePlace::Own,
            ..CHAT
        },
    ),
    local(
        "vllm",
        ErrorShape::Vllm,
        ChatDialect {
            switch: Switch::TemplateArguments,
            thoughts: Thoughts::Reasoning,
            calls: Calls::EmptyNames,
            usage: UsagePlace::Own,
            reads_arguments: true,
            ..CHAT
        },
    ),
];
