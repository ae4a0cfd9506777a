//! The service of a model.

use super::*;

/// The writing end of an answer's body.
pub type AnswerBody = UnboundedSender<Result<Vec<u8>, String>>;

/// A model's service. Clones share its state.
#[derive(Debug, Clone, Default)]
pub struct FakeModel {
    /// The bodies of all answers so far, each open until the test closes it.
    pub answers: Rc<RefCell<Vec<AnswerBody>>>,
    pub models: Rc<RefCell<Vec<ModelInfo>>>,
    keys: Keys,
}

impl LlmTransport for FakeModel {
    type Body = UnboundedReceiver<Result<Vec<u8>, String>>;

    fn keys(&self) -> &Keys {
        &self.keys
    }

    async fn post(&self, _request: HttpRequest) -> Result<Response<Self::Body>, ModelError> {
        let (answer, body) = unbounded();
        self.answers.borrow_mut().push(answer);
        Ok(Response { status: 200, headers: Vec::new(), body })
    }

    async fn abilities(&self, _endpoint: &Endpoint, _model: &str) -> ModelAbilities {
        ModelAbilities::default()
    }
}

impl ModelTransport for FakeModel {
    async fn models(&self, _endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelError> {
        Ok(self.models.borrow().clone())
    }
}
