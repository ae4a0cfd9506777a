//! What endpoints understand, where they differ. Each difference is data with its evidence beside it; the code that
//! builds requests asks the dialect and never a provider's name.

use crate::base_url::BaseUrl;

/// How one service speaks the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// For logs.
    pub name: &'static str,
    /// The preset that speaks it at any address (a proxy, a test server); empty for none.
    pub provider: &'static str,
    /// Hosts that speak it whatever preset was chosen.
    pub hosts: &'static [&'static str],
    /// Whether the model's thoughts go back to it.
    pub reasoning: ReasoningEcho,
}

/// Whether earlier answers carry their thoughts, as `reasoning_content`, when they are sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningEcho {
    /// Every assistant message has the field, `""` where there were no thoughts.
    Always,
    /// The field is there when the model gave thoughts. A model that thinks between tool calls needs them to go on
    /// where it was; a service that knows nothing of thoughts gives none, and so never sees the field.
    WhenGiven,
    /// The service refuses requests that have the field.
    Never,
}

/// The dialects that differ from [`GENERIC`].
const DIALECTS: [Dialect; 4] = [
    // While a DeepSeek model thinks, which is its default, an assistant message without the field is a 400, even
    // where the model itself gave no thoughts. Where the field is not needed it is ignored.
    // https://api-docs.deepseek.com/guides/thinking_mode
    // https://github.com/MoonshotAI/kimi-cli/issues/2141
    Dialect {
        name: "deepseek",
        provider: "deepseek",
        hosts: &["api.deepseek.com"],
        reasoning: ReasoningEcho::Always,
    },
    // "thinking is enabled but reasoning_content is missing in assistant tool call message" (400)
    // https://github.com/continuedev/continue/issues/11600
    Dialect {
        name: "kimi",
        provider: "",
        hosts: &["api.moonshot.ai", "api.moonshot.cn"],
        reasoning: ReasoningEcho::Always,
    },
    // "property 'reasoning_content' is unsupported" (400)
    // https://github.com/janhq/jan/issues/8136
    Dialect { name: "groq", provider: "", hosts: &["api.groq.com"], reasoning: ReasoningEcho::Never },
    // "extra_forbidden ... reasoning_content" (422)
    // https://github.com/charmbracelet/crush/issues/1590
    Dialect { name: "mistral", provider: "", hosts: &["api.mistral.ai"], reasoning: ReasoningEcho::Never },
];

/// Any other OpenAI-compatible service.
pub const GENERIC: Dialect =
    Dialect { name: "generic", provider: "", hosts: &[], reasoning: ReasoningEcho::WhenGiven };

/// The dialect of an endpoint: the host knows best what it speaks, then the preset.
#[must_use]
pub fn of(provider: &str, address: &BaseUrl) -> Dialect {
    let by_host = DIALECTS.into_iter().find(|dialect| dialect.hosts.contains(&address.host()));
    let by_provider =
        || DIALECTS.into_iter().find(|dialect| !provider.is_empty() && dialect.provider == provider);
    by_host.or_else(by_provider).unwrap_or(GENERIC)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base_url::check_base_url;

    #[test]
    fn the_host_decides_then_the_preset() {
        let name = |provider: &str, address: &str| of(provider, &check_base_url(address).unwrap()).name;
        assert_eq!(name("deepseek", "https://api.deepseek.com"), "deepseek");
        assert_eq!(name("deepseek", "http://127.0.0.1:4010"), "deepseek");
        assert_eq!(name("custom", "https://API.DeepSeek.com/v1"), "deepseek");
        assert_eq!(name("deepseek", "https://api.groq.com/openai/v1"), "groq");
        assert_eq!(name("custom", "https://api.moonshot.cn/v1"), "kimi");
        assert_eq!(name("custom", "https://api.deepseek.com.example/v1"), "generic");
        assert_eq!(name("", "https://llm.example/v1"), "generic");
    }
}
