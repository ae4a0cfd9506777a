//! Where requests go, and what is known of whoever answers there.

use sidecar_protocol::schema::SchemaProfile;
use sidecar_protocol::settings::{Effort, ProviderId, ToolForm};

use crate::conversation::provider_state::AnswerSource;
use crate::dialects::{self, Dialect};
use crate::prompted;
use crate::protocols::ollama;
use crate::providers::base_url::{BaseUrlError, check_base_url};
use crate::providers::window_hint;
use crate::request::chat_request::ChatRequest;
use crate::wire::WireProtocol;

/// Where a request goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The preset that the user chose.
    pub provider: ProviderId,
    /// Up to and without `/chat/completions`, or what stands for it in the service's protocol.
    pub base_url: String,
}

impl Endpoint {
    /// Who answers there, for [`crate::Decoder::for_source`].
    ///
    /// # Errors
    /// [`BaseUrlError`]
    pub fn source(&self) -> Result<AnswerSource, BaseUrlError> {
        let address = check_base_url(&self.base_url)?;
        Ok(dialects::of(&self.provider, &address).source(&address))
    }

    /// How a request tells a model there of its tools.
    #[must_use]
    pub fn form_of(&self, request: &ChatRequest) -> ToolForm {
        self.dialect().map_or_else(ToolForm::default, |dialect| prompted::form_of(dialect, request))
    }

    /// How a model there is told of its tools, where it is not sent these fields ([`ChatRequest::leave_out`]).
    #[must_use]
    pub fn form(&self, leave_out: &[String]) -> ToolForm {
        self.dialect().map_or_else(ToolForm::default, |dialect| prompted::form(dialect, leave_out))
    }

    /// Tokens of a model's window there, where that is known. `listed` is what the service said of it, if it did.
    #[must_use]
    pub fn window(&self, model: &str, listed: Option<u32>) -> Option<u32> {
        let known = listed.or_else(|| window_hint(&self.provider, model));
        match self.dialect().map(|dialect| dialect.protocol) {
            // There it is asked for with each request.
            Some(WireProtocol::OllamaChat) => {
                Some(known.map_or(ollama::DEFAULT_WINDOW, |known| known.min(ollama::DEFAULT_WINDOW)))
            }
            Some(
                WireProtocol::ChatCompletions
                | WireProtocol::Responses
                | WireProtocol::Messages
                | WireProtocol::GenerateContent,
            )
            | None => known,
        }
    }

    /// `None` where the address is none.
    fn dialect(&self) -> Option<&'static Dialect> {
        Some(dialects::of(&self.provider, &check_base_url(&self.base_url).ok()?))
    }

    /// What the service takes of JSON Schema in the parameters of a tool; the least of all where the address is none.
    #[must_use]
    pub fn schema_profile(&self) -> SchemaProfile {
        self.dialect().map_or(SchemaProfile::PORTABLE, |dialect| dialect.schema)
    }
}

/// How a model at an endpoint can be told to think; empty when it cannot be told, or the address is not usable.
#[must_use]
pub fn efforts(endpoint: &Endpoint, model: &str) -> Vec<Effort> {
    endpoint.dialect().map(|dialect| dialect.efforts(model)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::preset;

    #[test]
    fn what_a_model_can_be_told_about_thinking_is_known() {
        let told = |provider: &str, model: &str| {
            let base_url = preset(provider).unwrap().base_url().to_owned();
            efforts(&Endpoint { provider: provider.to_owned(), base_url }, model)
        };
        let all = [Effort::Off, Effort::Low, Effort::Medium, Effort::High];
        assert_eq!(told("deepseek", "deepseek-flash"), all);
        assert_eq!(told("kimi", "kimi-k3"), all[1..]);
        assert_eq!(told("minimax", "MiniMax-M2"), []);
        let nowhere = Endpoint { provider: "custom".to_owned(), base_url: "no address".to_owned() };
        assert_eq!(efforts(&nowhere, "x"), []);
    }
}
