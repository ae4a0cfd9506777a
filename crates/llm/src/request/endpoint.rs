//! The endpoint of a model, and what is known of it.

use sidecar_protocol::schema::{ProfileName, SchemaProfile};
use sidecar_protocol::settings::{Effort, ProviderId, ToolForm};

use crate::conversation::provider_state::AnswerSource;
use crate::dialects::{self, Dialect};
use crate::prompted;
use crate::protocols::ollama;
use crate::providers::base_url::{BaseUrlError, check_base_url};
use crate::providers::window_hint;
use crate::request::chat_request::ChatRequest;
use crate::wire::WireProtocol;

/// Where requests are sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The id of the chosen preset.
    pub provider: ProviderId,
    /// Up to and without `/chat/completions`, or the equivalent in the service's protocol.
    pub base_url: String,
}

impl Endpoint {
    /// The source of its answers, for [`crate::Decoder::for_source`].
    ///
    /// # Errors
    /// [`BaseUrlError`]
    pub fn source(&self) -> Result<AnswerSource, BaseUrlError> {
        let address = check_base_url(&self.base_url)?;
        Ok(dialects::of(&self.provider, &address).source(&address))
    }

    /// How a request tells the model of its tools.
    #[must_use]
    pub fn form_of(&self, request: &ChatRequest) -> ToolForm {
        self.dialect().map_or_else(ToolForm::default, |dialect| prompted::form_of(dialect, request))
    }

    /// How the model is told of its tools if these fields are left out ([`ChatRequest::leave_out`]).
    #[must_use]
    pub fn form(&self, leave_out: &[String]) -> ToolForm {
        self.dialect().map_or_else(ToolForm::default, |dialect| prompted::form(dialect, leave_out))
    }

    /// A model's context window in tokens, if known. `listed` is what the service's list of models says.
    #[must_use]
    pub fn window(&self, model: &str, listed: Option<u32>) -> Option<u32> {
        let known = listed.or_else(|| window_hint(&self.provider, model));
        match self.dialect().map(|dialect| dialect.protocol) {
            // Ollama is told the window with each request.
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

    /// `None` if the address is invalid.
    fn dialect(&self) -> Option<&'static Dialect> {
        Some(dialects::of(&self.provider, &check_base_url(&self.base_url).ok()?))
    }

    /// The subset of JSON Schema that the service accepts for a tool's parameters; the smallest one if the
    /// address is invalid.
    #[must_use]
    pub fn schema_profile(&self) -> SchemaProfile {
        self.profile_name().profile()
    }

    /// The name of [`Self::schema_profile`].
    #[must_use]
    pub fn profile_name(&self) -> ProfileName {
        self.dialect().map_or(ProfileName::Portable, |dialect| dialect.schema)
    }
}

/// The reasoning efforts that can be requested from a model; empty if there are none, or the address is
/// invalid.
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
