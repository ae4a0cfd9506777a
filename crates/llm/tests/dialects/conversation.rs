//! A conversation with tools, for any endpoint.

use serde_json::Value;
use sidecar_llm::{
    CallRecord, ChatRequest, Decoder, Effort, Endpoint, Message, ModelAnswer, ToolForm, build,
};

use crate::server::{send, tools};

pub fn answer(endpoint: &Endpoint, request: &ChatRequest) -> Result<ModelAnswer, String> {
    let built = build(endpoint, request).unwrap();
    let (status, body) = send(&built, &built.body);
    let words = String::from_utf8_lossy(&body);
    if status != 200 {
        return Err(format!("{}, {:?}: {status} {words}\n{}", endpoint.provider, request.effort, built.body));
    }
    let prefix = format!("c{}_", request.messages.len());
    let mut decoder = Decoder::for_source(endpoint.source().unwrap()).with_call_prefix(prefix);
    let form = endpoint.form_of(request);
    if form != ToolForm::Native {
        decoder = decoder.offering(request.tools.iter().map(|tool| tool.name.clone())).in_form(form);
    }
    body.chunks(11).for_each(|piece| drop(decoder.feed(piece)));
    decoder.end().map_err(|error| format!("{}: {error:?}\n{words}", endpoint.provider))
}

/// A conversation so far, and what the model sent in it.
#[derive(Debug, Clone)]
pub struct TestConversation {
    pub request: ChatRequest,
    pub answers: Vec<ModelAnswer>,
}

impl TestConversation {
    pub fn new(model: &str, effort: Option<Effort>) -> Self {
        let system = Message::System { text: "Help with flights.".to_owned() };
        let request = ChatRequest {
            model: model.to_owned(),
            messages: vec![system],
            tools: tools(),
            effort,
            max_tokens: Some(20_000),
            temperature: Some(0.5),
            parallel_calls: Some(true),
            ..ChatRequest::default()
        };
        Self { request, answers: Vec::new() }
    }

    /// The user sends a message, and tools run until the model needs none.
    pub fn turn(&mut self, endpoint: &Endpoint, text: &str) -> String {
        self.request.messages.push(Message::User { text: text.to_owned() });
        loop {
            let answer = answer(endpoint, &self.request).unwrap_or_else(|why| panic!("{why}"));
            self.answers.push(answer.clone());
            let ModelAnswer { reasoning, text, calls, usage, provider_state, .. } = answer;
            assert!(usage.is_some_and(|usage| usage.input > 0 && usage.output > 0), "{}", endpoint.provider);
            let message =
                Message::Assistant { reasoning, text: text.clone(), calls: calls.clone(), provider_state };
            self.request.messages.push(message);
            if calls.is_empty() {
                return text;
            }
            for CallRecord { id, name, arguments } in calls {
                let text = format!("<{name} {}>", serde_json::from_str::<Value>(&arguments).unwrap());
                self.request.messages.push(Message::Tool { call_id: id, name, text });
            }
        }
    }
}
