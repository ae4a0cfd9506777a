//! The model in use: what its service reports about it, and whether it can be reached.

use sidecar_agent::{Connection, LlmTransport, connection_test};
use sidecar_llm::{ModelAbilities, prompted};
use sidecar_protocol::link::{Answer, SettingsAnswer};
use sidecar_protocol::settings::ModelInfo;

use super::Actor;
use super::code_parts::CodeParts;
use super::replies::Answered;
use crate::browser::ModelTransport;
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
                TurnEvent::learnt(&endpoint, &model, abilities).for_each(|event| browser.post(event));
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
            TurnEvent::learnt(&endpoint, &model, abilities).for_each(|event| browser.post(event));
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
