//! The browser's own model, which is asked, and answers, in the protocol of Ollama: what of a request it takes, and its
//! words as lines of that protocol.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sidecar_protocol::error::{Cause, ErrorClass, ModelError};

/// What of a request the browser's model takes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct DevicePrompt {
    /// What was said, the last of which it answers.
    messages: Vec<DeviceMessage>,
    /// The JSON Schema of its answer, if it is held to one.
    pub format: Option<Value>,
}

/// A message as the browser's model takes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceMessage {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The words of the message.
    pub content: String,
}

impl DevicePrompt {
    /// The prompt in the body of a request.
    ///
    /// # Errors
    /// `Protocol` when it is no request of Ollama's protocol.
    pub fn read(body: &str) -> Result<Self, ModelError> {
        serde_json::from_str(body).map_err(|error| ModelError::new(ErrorClass::Protocol, error.to_string()))
    }

    /// The words that the model answers, and the messages before them.
    #[must_use]
    pub fn last(&self) -> (&str, &[DeviceMessage]) {
        match self.messages.split_last() {
            Some((last, before)) => (&last.content, before),
            None => ("", &[]),
        }
    }
}

/// The line of an answer with these words.
#[must_use]
pub fn words(text: &str) -> String {
    line(&json!({"message": {"content": text}, "done": false}))
}

/// The last line of an answer.
#[must_use]
pub fn end() -> String {
    line(&json!({"done": true, "done_reason": "stop"}))
}

/// The line of an answer that breaks off.
#[must_use]
pub fn failure(error: &ModelError) -> String {
    line(&json!({"error": error.message}))
}

fn line(object: &Value) -> String {
    format!("{object}\n")
}

/// What the model says when the browser has none for this device, or not yet.
#[must_use]
pub fn is_missing() -> ModelError {
    not_on_device(String::new())
}

/// What an exception of the browser means. <https://webidl.spec.whatwg.org/#idl-DOMException-error-names>
#[must_use]
pub fn exception(name: Option<&str>, message: String) -> ModelError {
    match name {
        Some("QuotaExceededError") => {
            ModelError::new(ErrorClass::Context, format!("context_length_exceeded: {message}"))
        }
        Some("NotAllowedError" | "InvalidStateError") => not_on_device(message),
        Some(name) => ModelError::new(ErrorClass::Protocol, format!("{name}: {message}")),
        None => ModelError::new(ErrorClass::Protocol, message),
    }
}

fn not_on_device(message: String) -> ModelError {
    ModelError { cause: Some(Cause::NotOnDevice), ..ModelError::new(ErrorClass::Network, message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_is_the_last_message_and_what_was_said_before_it() {
        let body = r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},
            {"role":"user","content":"Hello"}],"format":{"type":"object"},"stream":true}"#;
        let prompt = DevicePrompt::read(body).unwrap();
        let before = DeviceMessage { role: "system".to_owned(), content: "Be brief.".to_owned() };
        assert_eq!(prompt.last(), ("Hello", &[before][..]));
        assert_eq!(prompt.format, Some(json!({"type": "object"})));
        assert_eq!(DevicePrompt::read(r#"{"messages":[]}"#).unwrap().last(), ("", &[][..]));
        assert_eq!(DevicePrompt::read("[]").unwrap_err().class, ErrorClass::Protocol);
    }

    #[test]
    fn answer_is_lines_that_end_with_done() {
        // The order of members is that of a map, which differs with what else is built.
        let line = |text: String| {
            let line = text.strip_suffix('\n').filter(|line| !line.contains('\n')).unwrap();
            serde_json::from_str::<Value>(line).unwrap()
        };
        assert_eq!(line(words("Two\nseats")), json!({"message": {"content": "Two\nseats"}, "done": false}));
        assert_eq!(line(end()), json!({"done": true, "done_reason": "stop"}));
        let gone = ModelError::new(ErrorClass::Network, "gone");
        assert_eq!(line(failure(&gone)), json!({"error": "gone"}));
    }

    #[test]
    fn exception_says_whether_there_is_a_model_or_no_room() {
        let of = |name| {
            let error = exception(name, "words".to_owned());
            (error.class, error.cause, error.message)
        };
        let context = "context_length_exceeded: words".to_owned();
        assert_eq!(of(Some("QuotaExceededError")), (ErrorClass::Context, None, context));
        for name in ["NotAllowedError", "InvalidStateError"] {
            let missing = (ErrorClass::Network, Some(Cause::NotOnDevice), "words".to_owned());
            assert_eq!(of(Some(name)), missing, "{name}");
        }
        assert_eq!(of(Some("AbortError")), (ErrorClass::Protocol, None, "AbortError: words".to_owned()));
        assert_eq!(of(None), (ErrorClass::Protocol, None, "words".to_owned()));
    }
}
