//! The model in use: what its service reports about it, and whether it can be reached.

use sidecar_agent::{Connection, LlmTransport, connection_test};
use sidecar_llm::{Endpoint, ModelAbilities, prompted};
use sidecar_protocol::link::{Answer, SettingsAnswer};
use sidecar_protocol::settings::ModelInfo;

use super::Actor;
use super::code_parts::CodeParts;
use super::replies::Answered;
use crate::browser::{BrowserPort, ModelTransport};
use crate::event::{Asker, TurnEvent};

impl<B: CodeParts> Actor<B> {
    pub(super) fn list_models(&self, asker: Asker) -> Answered {
        let Connection { endpoint, model, .. } = self.connection();
        let transport = self.browser.transport(self.settings.access(&endpoint.provider));
        let browser = self.browser.clone();
        self.ask_about_model();
        self.later(asker, async move {
            let (models, error) = match transport.models(&endpoint).await {
                Ok(models) => (models, None),
                Err(error) => (Vec::new(), Some(error)),
            };
            let listed = models.iter().find(|listed| listed.id == model);
            if let Some(window) = listed.and_then(|listed| listed.window) {
                let (endpoint, model) = (endpoint.clone(), model.clone());
                browser.post(TurnEvent::WindowKnown { endpoint, model, window });
            }
            if let Some(ModelInfo { tools, sees, .. }) = listed {
                let abilities = ModelAbilities { takes_tools: *tools, sees: *sees };
                post_abilities(&browser, &endpoint, &model, abilities);
            }
            Ok(Answer::Settings(SettingsAnswer::Models { provider: endpoint.provider, models, error }))
        })
    }

    /// Asks the server of the model in use what it can do. The server may have been restarted with
    /// other options, or with another model under the same name.
    pub(super) fn ask_about_model(&self) {
        let Connection { endpoint, model, .. } = self.connection();
        let transport = self.browser.transport(self.settings.access(&endpoint.provider));
        let browser = self.browser.clone();
        self.browser.spawn(async move {
            let abilities = transport.abilities(&endpoint, &model).await;
            post_abilities(&browser, &endpoint, &model, abilities);
        });
    }

    pub(super) fn try_connection(&self, asker: Asker) -> Answered {
        let mut connection = self.connection();
        let transport = self.browser.transport(self.settings.access(&connection.endpoint.provider));
        let browser = self.browser.clone();
        let wants_prompted_tools = self.settings.wants_prompted_tools(&connection.endpoint.provider);
        self.later(asker, async move {
            // What is remembered of the model may be outdated, so the test tries tools again.
            connection.leave_out.retain(|field| wants_prompted_tools || field != prompted::TOOLS);
            let trial = connection_test::try_connection(&transport, &browser, &connection).await;
            let Connection { endpoint, model, .. } = connection;
            let provider = endpoint.provider.clone();
            if trial.failed.is_none() && !wants_prompted_tools {
                browser.post(TurnEvent::ToolsKnown { endpoint, model, takes_tools: !trial.prompted });
            }
            Ok(Answer::Settings(SettingsAnswer::Tried { provider, trial }))
        })
    }
}

/// Posts what is known of a model to the actor, which remembers it.
pub(super) fn post_abilities(
    browser: &impl BrowserPort,
    endpoint: &Endpoint,
    model: &str,
    ModelAbilities { takes_tools, sees }: ModelAbilities,
) {
    let (endpoint, model) = (endpoint.clone(), model.to_owned());
    if let Some(sees) = sees {
        browser.post(TurnEvent::SightKnown { endpoint: endpoint.clone(), model: model.clone(), sees });
    }
    if let Some(takes_tools) = takes_tools {
        browser.post(TurnEvent::ToolsKnown { endpoint, model, takes_tools });
    }
}
