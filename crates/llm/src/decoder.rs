//! From the bytes of an answer to what the model said.
//!
//! A push decoder: it never waits and never panics, and what it finds does not depend on how the bytes were cut.

use serde_json::Value;
use sidecar_protocol::error::{ErrorClass, ModelError};
use sidecar_protocol::thread::Usage;

use crate::calls::{Calls, Fragment, TooMany};
use crate::errors;
use crate::event::{FinishReason, ModelEvent};
use crate::frames::{Frame, Framer, LINE_LIMIT, TooLong};
use crate::message::CallRecord;
use crate::usage;

/// Most bytes of text, reasoning and calls of one answer. The longest answers that models give are a tenth of it.
const ANSWER_LIMIT: usize = 16 * 1024 * 1024;

/// A whole answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The model's thoughts.
    pub reasoning: String,
    /// Its words.
    pub text: String,
    /// The words with which it declined to answer; they come instead of text.
    pub refusal: String,
    /// The calls that are whole, in the order in which they began. Run tools when there are any, whatever `finish`
    /// says.
    pub calls: Vec<CallRecord>,
    /// Tokens, when the provider said.
    pub usage: Option<Usage>,
    /// Why the model stopped; never `Filter` or `Unavailable`, which are errors.
    pub finish: FinishReason,
    /// Calls that were cut by the token limit, or had no name, and are not in `calls`.
    pub dropped_calls: usize,
    /// Pieces of the stream that could not be read and were left out.
    pub skipped_frames: usize,
}

/// What came of an answer so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partial {
    /// The model's thoughts.
    pub reasoning: String,
    /// Its words, or those with which it declined.
    pub text: String,
}

/// Reads one answer. Bytes may come in any pieces.
#[derive(Debug, Default)]
pub struct Decoder {
    framer: Framer,
    chat: Chat,
}

impl Decoder {
    /// A decoder at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins the ids of calls that the model left without one with `prefix`, so that they are unique in a thread.
    /// Portable ids have letters, digits, `_` and `-` only, and at most 40 of them.
    #[must_use]
    pub fn with_call_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.chat.calls.set_prefix(prefix.into());
        self
    }

    /// Takes the next bytes and says what they mean. After a failure, or after the service said that it is done, the
    /// rest is not looked at.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let mut events = Vec::new();
        if !self.chat.is_closed() {
            let mut frames = Vec::new();
            let fed = self.framer.feed(bytes, &mut frames);
            self.chat.take(frames, fed, &mut events);
        }
        events
    }

    /// An error that the stream itself carried, as soon as it is seen. Nothing after it is read: the transport can
    /// hang up.
    #[must_use]
    pub fn failure(&self) -> Option<&ModelError> {
        self.chat.failure.as_ref()
    }

    /// Whether the service said that nothing more will come: the transport can hang up and call [`Decoder::end`].
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.chat.done
    }

    /// What came so far, for a stream that was cut or stopped.
    #[must_use]
    pub fn partial(&self) -> Partial {
        let text = if self.chat.text.is_empty() { &self.chat.refusal } else { &self.chat.text };
        Partial { reasoning: self.chat.reasoning.clone(), text: text.clone() }
    }

    /// The finish reason in the service's own word; empty as long as there is none.
    #[must_use]
    pub fn raw_finish(&self) -> &str {
        &self.chat.raw_finish
    }

    /// The last usage object as it came.
    #[must_use]
    pub fn raw_usage(&self) -> Option<&Value> {
        self.chat.raw_usage.as_ref()
    }

    /// The stream is over: gives the answer. Where the last line had no end, the answer holds what no event told.
    ///
    /// # Errors
    /// The error that the stream carried; `Filter` or `Overload` when the finish reason says so; `Protocol` when the
    /// reply was something else than an answer; `StreamCut` when it ended too early. Then no call of it may run.
    pub fn end(mut self) -> Result<Answer, ModelError> {
        if !self.chat.is_closed() {
            let mut frames = Vec::new();
            let ended = self.framer.end(&mut frames);
            self.chat.take(frames, ended, &mut Vec::new());
        }
        self.chat.end(self.framer.stray())
    }
}

/// The meaning of a Chat Completions stream so far.
#[derive(Debug, Default)]
struct Chat {
    reasoning: String,
    text: String,
    refusal: String,
    calls: Calls,
    usage: Option<Usage>,
    raw_usage: Option<Value>,
    finish: Option<FinishReason>,
    raw_finish: String,
    /// Bytes of all that grows.
    size: usize,
    /// A chunk of an answer was seen, whatever was in it.
    chunk_seen: bool,
    delta_seen: bool,
    /// The first object that is neither chunk nor error.
    foreign: String,
    skipped: usize,
    done: bool,
    /// An error beside a choice: the reason for a finish that is to come.
    noted: Option<ModelError>,
    failure: Option<ModelError>,
}

impl Chat {
    fn is_closed(&self) -> bool {
        self.done || self.failure.is_some()
    }

    fn take(&mut self, frames: Vec<Frame>, framed: Result<(), TooLong>, events: &mut Vec<ModelEvent>) {
        for frame in frames {
            if self.is_closed() {
                return;
            }
            match frame {
                Frame::Alive => events.push(ModelEvent::Alive),
                // Some services keep a connection alive with events that hold nothing.
                Frame::Event { data, .. } if data.trim().is_empty() => events.push(ModelEvent::Alive),
                Frame::Event { data, .. } if data == "[DONE]" => self.done = true,
                Frame::Event { name, data } => self.take_event(&name, &data, events),
                Frame::Object(text) => self.take_text(&text, events),
            }
        }
        if framed == Err(TooLong) && !self.is_closed() {
            self.fail(format!("a line of the answer is longer than {} MiB", LINE_LIMIT >> 20));
        }
    }

    fn take_event(&mut self, name: &str, data: &str, events: &mut Vec<ModelEvent>) {
        // DashScope's own form, and some gateways: the event's name says that its data is the error.
        if name == "error" {
            self.failure = Some(match serde_json::from_str::<Value>(data) {
                Ok(value) => errors::from_json(None, &value),
                Err(_) => errors::from_text(None, data),
            });
        } else {
            self.take_text(data, events);
        }
    }

    /// Takes a text that should be one JSON object. A gateway that forgets an empty line, or glues two chunks
    /// together, makes it several.
    fn take_text(&mut self, text: &str, events: &mut Vec<ModelEvent>) {
        for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
            match value {
                Ok(chunk @ Value::Object(_)) => self.take_chunk(&chunk, events),
                Ok(_) | Err(_) => self.skipped += 1,
            }
            if self.is_closed() {
                return;
            }
        }
    }

    fn take_chunk(&mut self, chunk: &Value, events: &mut Vec<ModelEvent>) {
        let choices = chunk.get("choices").and_then(Value::as_array);
        let error = errors::find(chunk);
        if choices.is_none_or(Vec::is_empty)
            && let Some(error) = error
        {
            self.failure = Some(error);
            return;
        }
        // Several choices come only if asked for; a choice without an index is the first.
        let choice = choices.and_then(|choices| {
            choices.iter().find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0)
        });
        let usage = usage::find(chunk, choice);
        if choices.is_none() && usage.is_none() {
            if self.foreign.is_empty() {
                self.foreign = chunk.to_string();
            }
            return;
        }
        self.chunk_seen = true;
        if error.is_some() {
            self.noted = error;
        }
        if let Some(choice) = choice {
            self.take_choice(choice, events);
        }
        if let Some(raw) = usage {
            let usage = usage::read(raw);
            self.usage = Some(usage);
            self.raw_usage = Some(raw.clone());
            events.push(ModelEvent::Usage(usage));
        }
    }

    fn take_choice(&mut self, choice: &Value, events: &mut Vec<ModelEvent>) {
        let object = |name: &str| choice.get(name).filter(|value| value.is_object());
        match (object("delta"), object("message")) {
            (Some(delta), _) => {
                self.delta_seen = true;
                self.take_delta(delta, events);
            }
            // One whole answer although a stream was asked for. After deltas it would be all of them again.
            (None, Some(message)) if !self.delta_seen => {
                self.take_delta(message, events);
                self.done = true;
            }
            (None, _) => {}
        }
        let word = |name: &str| {
            choice.get(name).and_then(Value::as_str).map(str::trim).filter(|word| !word.is_empty())
        };
        // OpenRouter leaves the common field empty when it does not know the upstream's word.
        if let Some(word) = word("finish_reason").or_else(|| word("native_finish_reason")) {
            self.take_finish(word, events);
        }
    }

    fn take_delta(&mut self, delta: &Value, events: &mut Vec<ModelEvent>) {
        let (text, thoughts) = content(delta.get("content"));
        let reasoning = if thoughts.is_empty() { reasoning(delta) } else { thoughts };
        if !reasoning.is_empty() && self.grow(reasoning.len()) {
            self.reasoning.push_str(&reasoning);
            events.push(ModelEvent::Reasoning(reasoning));
        }
        if !text.is_empty() && self.grow(text.len()) {
            self.text.push_str(&text);
            events.push(ModelEvent::Text(text));
        }
        let refusal = delta.get("refusal").and_then(Value::as_str).unwrap_or_default();
        if !refusal.is_empty() && self.grow(refusal.len()) {
            self.refusal.push_str(refusal);
            events.push(ModelEvent::Refusal(refusal.to_owned()));
        }
        for value in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let fragment = Fragment::read(value);
            if self.grow(fragment.size()) && self.calls.push(fragment, events) == Err(TooMany) {
                self.fail("the answer holds too many tool calls".to_owned());
            }
        }
    }

    fn take_finish(&mut self, word: &str, events: &mut Vec<ModelEvent>) {
        let reason = finish_reason(word);
        // Some services repeat the reason, and some add a plain "stop" to a bad one.
        let holds = match &self.finish {
            None | Some(FinishReason::Stop | FinishReason::Tools | FinishReason::Other(_)) => false,
            Some(FinishReason::Length | FinishReason::Filter | FinishReason::Unavailable) => true,
        };
        if !holds && self.finish.as_ref() != Some(&reason) {
            word.clone_into(&mut self.raw_finish);
            self.finish = Some(reason.clone());
            events.push(ModelEvent::Finish(reason));
        }
    }

    /// Makes room for more of the answer; `false` when there is none left.
    fn grow(&mut self, bytes: usize) -> bool {
        self.size += bytes;
        if self.size > ANSWER_LIMIT {
            self.fail(format!("the answer is longer than {} MiB", ANSWER_LIMIT >> 20));
        }
        self.failure.is_none()
    }

    fn fail(&mut self, message: String) {
        self.failure.get_or_insert_with(|| ModelError::new(ErrorClass::Protocol, message));
    }

    fn end(self, stray: &str) -> Result<Answer, ModelError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let finish = match self.finish {
            Some(FinishReason::Filter) => {
                let error = ModelError::new(ErrorClass::Filter, self.raw_finish);
                return Err(self.noted.filter(|noted| noted.class == ErrorClass::Filter).unwrap_or(error));
            }
            Some(FinishReason::Unavailable) => {
                return Err(self.noted.unwrap_or(ModelError::new(ErrorClass::Overload, self.raw_finish)));
            }
            Some(finish) => finish,
            None if self.done && self.noted.is_none() => FinishReason::Stop,
            None => return Err(self.noted.unwrap_or_else(|| cut(self.chunk_seen, &self.foreign, stray))),
        };
        let (calls, dropped_calls) = self.calls.finish(finish == FinishReason::Length);
        Ok(Answer {
            reasoning: self.reasoning,
            text: self.text,
            refusal: self.refusal,
            calls,
            usage: self.usage,
            finish,
            dropped_calls,
            skipped_frames: self.skipped,
        })
    }
}

/// Why a stream without an end has none.
fn cut(chunk_seen: bool, foreign: &str, stray: &str) -> ModelError {
    let other = if foreign.is_empty() { stray } else { foreign };
    if chunk_seen || other.is_empty() {
        ModelError::new(ErrorClass::StreamCut, "the connection closed before the answer was complete")
    } else {
        // A page of a web site, a sign-in page of a network, or another kind of API at this address.
        errors::from_text(None, &format!("the reply is not a chat completion; it begins: {other}"))
    }
}

/// Text and thoughts of a `content` field: mostly a string or null; Mistral sends an array of typed parts, whose
/// thoughts hold parts again.
fn content(value: Option<&Value>) -> (String, String) {
    let (mut text, mut thoughts) = (String::new(), String::new());
    match value {
        Some(Value::String(whole)) => text.push_str(whole),
        Some(Value::Array(parts)) => {
            for part in parts {
                if let Some(piece) = part.as_str().or_else(|| part.get("text")?.as_str()) {
                    text.push_str(piece);
                } else if let Some(thinking) = part.get("thinking") {
                    thoughts.push_str(&content(Some(thinking)).0);
                }
            }
        }
        _ => {}
    }
    (text, thoughts)
}

/// The thoughts of a delta. Gateways often send the same ones under two names, so one name only is read.
fn reasoning(delta: &Value) -> String {
    let named = ["reasoning_content", "reasoning"]
        .into_iter()
        .find_map(|name| delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()));
    match named {
        Some(text) => text.to_owned(),
        // MiniMax, when its thoughts are split off, has this alone.
        None => delta
            .get("reasoning_details")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|detail| detail.get("text").or_else(|| detail.get("summary"))?.as_str())
            .collect(),
    }
}

/// What the words of all services for the end of an answer come to.
fn finish_reason(word: &str) -> FinishReason {
    match word.to_ascii_lowercase().as_str() {
        "stop" | "end" | "eos" | "end_turn" | "stop_sequence" => FinishReason::Stop,
        "length" | "max_tokens" | "model_length" | "max_output_tokens" | "model_context_window_exceeded" => {
            FinishReason::Length
        }
        "tool_calls" | "function_call" | "tool_use" => FinishReason::Tools,
        // `sensitive` is GLM's.
        "content_filter" | "sensitive" | "safety" | "refusal" => FinishReason::Filter,
        // DeepSeek's, GLM's and OpenRouter's.
        "insufficient_system_resource" | "network_error" | "error" => FinishReason::Unavailable,
        _ => FinishReason::Other(word.to_owned()),
    }
}

#[cfg(test)]
mod tests;
