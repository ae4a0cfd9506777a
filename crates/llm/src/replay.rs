//! Replays a recorded response: what is decoded from it, and whether that depends on how its bytes were
//! cut.
//!
//! For investigating users' reports, and for tests. The extension does not use it.

use serde::Serialize;
use serde_json::Value;

use crate::conversation::message::CallRecord;
use crate::conversation::provider_state::AnswerSource;
use crate::decode::answer_builder::finish_reason;
use crate::decode::decoder::{Decoder, ModelAnswer};
use crate::decode::event::{FinishReason, ModelEvent};
use crate::errors::classify;
use crate::tools::arguments::is_object;
use crate::wire::WireProtocol;
use crate::{ErrorClass, ModelError};

mod boundaries;
mod expected;

pub use boundaries::{Boundaries, every_boundary};
pub use expected::{Expectations, Expected, ExpectedCall, ExpectedError, ExpectedItem};

/// The protocols with their names on the command line.
pub const PROTOCOLS: [(&str, WireProtocol); 5] = [
    ("openai-chat", WireProtocol::ChatCompletions),
    ("responses", WireProtocol::Responses),
    ("anthropic", WireProtocol::Messages),
    ("gemini", WireProtocol::GenerateContent),
    ("ollama", WireProtocol::OllamaChat),
];

/// The protocol with this name.
#[must_use]
pub fn protocol(name: &str) -> Option<WireProtocol> {
    PROTOCOLS.iter().find(|(known, _)| *known == name).map(|(_, protocol)| *protocol)
}

/// A recorded response, without headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recording<'a> {
    /// The protocol of the response.
    pub protocol: WireProtocol,
    /// An error status means an error body, not a stream.
    pub http_status: u16,
    /// Its bytes.
    pub body: &'a [u8],
    /// The names of the offered tools, for [`Decoder::offering`]; absent if unknown.
    pub offered: Option<&'a [String]>,
}

/// The result of a response. Missing parts are empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// As in [`ModelAnswer::text`]; what had arrived, if the answer failed.
    pub text: String,
    /// As in [`ModelAnswer::reasoning`].
    pub reasoning: String,
    /// As in [`ModelAnswer::refusal`].
    pub refusal: String,
    /// Every call that began, in order.
    pub tool_calls: Vec<ReplayedCall>,
    /// In the service's own word.
    pub finish_reason: String,
    /// The last usage object, unchanged.
    pub usage: Option<Value>,
    /// The error. A content filter shows only in `finish_reason`.
    pub error: Option<ErrorOutcome>,
}

/// One call of an [`Outcome`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayedCall {
    /// As in [`CallRecord::id`].
    pub id: String,
    /// As in [`CallRecord::name`].
    pub name: String,
    /// The parsed arguments; `null` if they are invalid JSON.
    pub arguments: Value,
    /// Whether it may run: it is complete, the answer ended well, and its arguments are an object.
    pub executable: bool,
}

/// The error of an [`Outcome`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorOutcome {
    /// As [`ErrorClass::code`] writes it.
    pub class: &'static str,
    /// The service's own message, or what is wrong with the stream.
    pub message: String,
}

impl Recording<'_> {
    /// A decoder for it.
    #[must_use]
    pub fn decoder(&self) -> Decoder {
        let decoder = Decoder::for_source(AnswerSource { protocol: self.protocol, origin: String::new() });
        match self.offered {
            Some(names) => decoder.offering(names.iter().cloned()),
            None => decoder,
        }
    }

    /// Decodes it in one piece.
    #[must_use]
    pub fn read(&self) -> Outcome {
        self.read_pieces([self.body])
    }

    /// Decodes it in pieces of this many bytes; 0 counts as 1.
    #[must_use]
    pub fn read_chunks(&self, bytes: usize) -> Outcome {
        self.read_pieces(self.body.chunks(bytes.max(1)))
    }

    /// Decodes it in these pieces. An error body is always read whole.
    pub fn read_pieces<'p>(&self, pieces: impl IntoIterator<Item = &'p [u8]>) -> Outcome {
        if !(200..300).contains(&self.http_status) {
            let error = classify(self.http_status, &|_| None, &String::from_utf8_lossy(self.body));
            return Outcome { error: Some(error.into()), ..Outcome::default() };
        }
        let mut decoder = self.decoder();
        let mut heard = Outcome::default();
        for piece in pieces {
            heard.hear(decoder.feed(piece));
        }
        heard.ended(decoder)
    }
}

impl Outcome {
    fn hear(&mut self, events: Vec<ModelEvent>) {
        for event in events {
            match event {
                ModelEvent::Text(piece) => self.text.push_str(&piece),
                ModelEvent::Reasoning(piece) => self.reasoning.push_str(&piece),
                ModelEvent::Refusal(piece) => self.refusal.push_str(&piece),
                ModelEvent::CallOpened { .. }
                | ModelEvent::CallGrew { .. }
                | ModelEvent::CallCompleted { .. }
                | ModelEvent::Alive
                | ModelEvent::Usage(_)
                | ModelEvent::Notice(_)
                | ModelEvent::Finish(_) => {}
            }
        }
    }

    fn ended(mut self, mut decoder: Decoder) -> Self {
        self.hear(decoder.close());
        decoder.raw_finish().clone_into(&mut self.finish_reason);
        self.usage = decoder.raw_usage().cloned();
        let begun = decoder.calls();
        let whole = match decoder.end() {
            Ok(ModelAnswer { text, reasoning, refusal, calls, .. }) => {
                self = Self { text, reasoning, refusal, ..self };
                calls
            }
            Err(error) => {
                let is_filtered = finish_reason(&self.finish_reason) == FinishReason::Filter;
                self.error = (!is_filtered).then(|| error.into());
                Vec::new()
            }
        };
        // Inline calls are found only at the end.
        let found = whole.iter().filter(|call| !begun.contains(call)).cloned();
        let calls: Vec<_> = begun.iter().cloned().chain(found).collect();
        self.tool_calls = calls.into_iter().map(|call| ReplayedCall::new(call, &whole)).collect();
        self
    }
}

impl ReplayedCall {
    fn new(call: CallRecord, whole: &[CallRecord]) -> Self {
        Self {
            executable: whole.contains(&call) && is_object(&call.arguments),
            arguments: serde_json::from_str(&call.arguments).unwrap_or_default(),
            id: call.id,
            name: call.name,
        }
    }
}

impl From<ModelError> for ErrorOutcome {
    fn from(ModelError { class, message, .. }: ModelError) -> Self {
        Self { class: ErrorClass::code(class), message }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn recording(protocol: WireProtocol, body: &str) -> Recording<'_> {
        Recording { protocol, http_status: 200, body: body.as_bytes(), offered: None }
    }

    fn value(outcome: &Outcome) -> Value {
        serde_json::to_value(outcome).unwrap()
    }

    #[test]
    fn answer_with_all_that_it_can_have() {
        let body = concat!(
            r#"{"message":{"thinking":"Hm.","content":"Look:","tool_calls":["#,
            r#"{"id":"a","function":{"name":"find","arguments":{"to":"LIS"}}}]},"done":false}"#,
            "\n",
            r#"{"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":2}"#,
        );
        assert_eq!(
            value(&recording(WireProtocol::OllamaChat, body).read()),
            json!({
                "text": "Look:", "reasoning": "Hm.", "refusal": "",
                "tool_calls": [{"id": "a", "name": "find", "arguments": {"to": "LIS"}, "executable": true}],
                "finish_reason": "stop", "usage": {"prompt_eval_count": 5, "eval_count": 2}, "error": null,
            })
        );
    }

    #[test]
    fn calls_that_may_not_run_are_there_all_the_same() {
        let body = |finish: &str| {
            [
                r#"{"choices":[{"delta":{"content":"One moment.","tool_calls":["#,
                r#"{"index":0,"id":"a","function":{"name":"find","arguments":"{}"}},"#,
                r#"{"index":1,"id":"b","function":{"name":"find","arguments":"[1]"}},"#,
                r#"{"index":2,"id":"c","function":{"name":"find","arguments":"{\"to\":"}}]},"#,
                r#""finish_reason":"#,
                finish,
                "}]}",
            ]
            .concat()
        };
        let calls = |finish: &str| {
            let outcome = recording(WireProtocol::ChatCompletions, &format!("data: {}", body(finish))).read();
            let calls = outcome.tool_calls.into_iter().map(|call| (call.arguments, call.executable));
            (calls.collect::<Vec<_>>(), outcome.text, outcome.error.map(|error| error.class))
        };
        let may_run = |first| vec![(json!({}), first), (json!([1]), false), (Value::Null, false)];
        let text = || "One moment.".to_owned();
        assert_eq!(calls(r#""tool_calls""#), (may_run(true), text(), None));
        assert_eq!(calls(r#""length""#), (may_run(true), text(), None));
        assert_eq!(calls("null"), (may_run(false), text(), Some("stream_cut")));
        assert_eq!(calls(r#""content_filter""#), (may_run(false), text(), None));
    }

    #[test]
    fn error_body_is_classified_by_its_status_too() {
        let body = br#"{"error":{"message":"Slow down."}}"#;
        for (http_status, class) in [(429, "rate"), (402, "money"), (503, "overload"), (200, "protocol")] {
            let error = Recording { protocol: WireProtocol::Messages, http_status, body, offered: None }
                .read()
                .error
                .unwrap();
            assert_eq!((error.class, error.message.as_str()), (class, "Slow down."), "{http_status}");
        }
    }

    #[test]
    fn calls_in_the_text_are_found_where_it_is_known_what_was_offered() {
        let body = concat!(
            r#"data: {"choices":[{"delta":{"content":"<tool_call>{\"name\":\"find\",\"arguments\":{\"a\":1}}</tool_call>"},"#,
            r#""finish_reason":"stop"}]}"#,
            "\n\ndata: [DONE]\n\n",
        );
        let plain = recording(WireProtocol::ChatCompletions, body);
        assert!(plain.read().text.starts_with("<tool_call>") && plain.read().tool_calls.is_empty());
        let offered = ["find".to_owned()];
        let found = Recording { offered: Some(&offered), ..plain };
        let outcome = found.read();
        let calls: Vec<_> = outcome
            .tool_calls
            .iter()
            .map(|call| (call.name.as_str(), &call.arguments, call.executable))
            .collect();
        assert_eq!((outcome.text.as_str(), calls), ("", vec![("find", &json!({"a": 1}), true)]));
        assert_eq!(every_boundary(&found).differing, Vec::<usize>::new());
    }

    #[test]
    fn protocols_have_names() {
        for (name, wire) in PROTOCOLS {
            assert_eq!(protocol(name), Some(wire));
        }
        assert_eq!(PROTOCOLS.map(|(_, wire)| wire), WireProtocol::ALL);
        assert_eq!(protocol("grpc"), None);
    }
}
