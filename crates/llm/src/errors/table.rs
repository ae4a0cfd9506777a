//! Codes and messages of services, by class.

use sidecar_protocol::error::ErrorClass;

/// Codes and types in error bodies, in lower case, in order of precedence. Numbers must match the whole
/// code; names may match a part of it, since some services append what exactly was exceeded.
pub(super) const CODES: [(ErrorClass, &[&str]); 6] = [
    (
        ErrorClass::Money,
        &[
            "insufficient_quota",           // OpenAI
            "exceeded_current_quota_error", // Kimi
            "insufficient_balance",
            "arrearage",           // DashScope
            "billing_error",       // Anthropic
            "quotaexceeded",       // Ark
            "accountoverdueerror", // Ark
            // GLM, all with 429: no balance; the quota of the day or the plan is used up, which no short
            // delay helps.
            "1113",
            "1304",
            "1308",
            "1309",
            "1310",
            "1311",
            "1312",
            "1313",
        ],
    ),
    (
        ErrorClass::Context,
        &[
            "context_length_exceeded",   // OpenAI and most gateways
            "exceed_context_size_error", // llama-server
            "request_too_large",
            "1261", // GLM
        ],
    ),
    (
        ErrorClass::Filter,
        &[
            "content_filter", // Azure, Kimi
            "content_policy_violation",
            "flagged_input",          // OpenRouter
            "data_inspection_failed", // DashScope, in two spellings
            "datainspectionfailed",
            "sensitivecontentdetected", // Ark, with the kind of content before or after it
            "1301",                     // GLM
        ],
    ),
    (
        ErrorClass::Overload,
        &[
            "overloaded", // engine_overloaded_error, ServerOverloaded, overloaded_error
            "insufficient_system_resource",
            "network_error",
            "server_error",
            "service_unavailable",
            "1234", // GLM: network, overload
            "1305",
        ],
    ),
    (
        ErrorClass::Rate,
        &[
            "rate_limit",
            "ratelimitexceeded",   // Ark
            "requestbursttoofast", // Ark
            "throttling",          // DashScope
            "limit_requests",      // DashScope
            "too_many_requests",
            "resource_exhausted", // Google
            "1302",               // GLM: concurrency, frequency
            "1303",
        ],
    ),
    (
        ErrorClass::Auth,
        &[
            "authentication", // authentication_error, AuthenticationError, invalid_authentication_error
            "invalid_api_key",
            "incorrect_api_key",
            "api_key_invalid", // Google, with 400
            "permission_error",
            "permission_denied",
            "1000", // GLM
            "1001",
            "1002",
            "1003",
            "1004",
        ],
    ),
];

/// How services without a code for it say that a conversation is too long.
pub(super) const TOO_LONG: [&str; 9] = [
    "maximum context length",                 // DeepSeek, OpenAI, vLLM
    "prompt is too long",                     // Anthropic
    "exceeds the context window",             // OpenAI
    "exceeded model token limit",             // Kimi
    "input token length too long",            // Kimi
    "range of input length",                  // DashScope
    "exceeds the available context size",     // llama-server
    "input token count exceeds",              // Google
    "longer than the model's context length", // SGLang
];
