//! From the bytes of an answer to what the model said, in any of the protocols.
//!
//! A push decoder: it never waits and never panics, and what it finds does not depend on how the bytes were cut.

use serde_json::Value;
use sidecar_protocol::error::ModelError;
use sidecar_protocol::settings::ToolForm;

use crate::conversation::message::CallRecord;
use crate::conversation::provider_state::{AnswerSource, ProviderState};
pub use crate::decode::answer::{ModelAnswer, Partial};
use crate::decode::answer_builder::AnswerBuilder;
use crate::decode::chunks::{Chunk, ChunkReader, LINE_LIMIT, TooLong};
use crate::decode::event::ModelEvent;
use crate::errors;
use crate::protocols::anthropic;
use crate::protocols::chat;
use crate::protocols::gemini;
use crate::protocols::ollama;
use crate::protocols::responses;
use crate::wire::WireProtocol;

/// Reads one answer. Bytes may come in any pieces.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decoder {
    chunks: ChunkReader,
    ration: Ration,
    reader: ProtocolReader,
    builder: AnswerBuilder,
    source: Option<AnswerSource>,
}

/// Most bytes of a whole response. The longest answers, a token an event, are a third of it.
const BODY_LIMIT: usize = 128 * 1024 * 1024;

/// Most bytes in a row of which the answer does not grow. Longer than the longest line.
const IDLE_LIMIT: usize = 2 * LINE_LIMIT;

/// Bytes that are read in one go: what is held of them at once is small, however large the pieces are in which they come.
const BLOCK: usize = 64 * 1024;

/// How much of a response was read. Looked at after every [`BLOCK`] of the response, so that it does not matter how the
/// response is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ration {
    read: usize,
    /// Of these, since the answer last grew.
    idle: usize,
    /// How large the answer was then.
    size: usize,
}

impl Ration {
    /// How many bytes there are until it is looked at next.
    fn left(self) -> usize {
        BLOCK - self.read % BLOCK
    }

    /// Takes note of bytes, and says what is wrong if there were too many.
    fn spend(&mut self, bytes: usize, size: usize) -> Option<String> {
        self.read += bytes;
        if !self.read.is_multiple_of(BLOCK) {
            return None;
        }
        self.idle = if size == self.size { self.idle + BLOCK } else { 0 };
        self.size = size;
        if self.read >= BODY_LIMIT {
            return Some(format!("more than {} MiB in one response", BODY_LIMIT >> 20));
        }
        let is_idle = self.idle >= IDLE_LIMIT;
        is_idle.then(|| format!("{} MiB with nothing of an answer in them", IDLE_LIMIT >> 20))
    }
}

impl Decoder {
    /// A decoder at the start of a Chat Completions stream from nobody in particular.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A decoder at the start of a stream from `source`, in its protocol.
    #[must_use]
    pub fn for_source(source: AnswerSource) -> Self {
        Self { reader: ProtocolReader::of(source.protocol), source: Some(source), ..Self::default() }
    }

    /// Begins the ids of calls that the model left without one with `prefix`, so that they are unique in a thread.
    /// Portable ids have letters, digits, `_` and `-` only, and at most 40 of them.
    #[must_use]
    pub fn with_call_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.builder.calls.set_prefix(prefix.into());
        self
    }

    /// Looks for calls of these tools in the text, where no service made calls of them, and for thoughts in front of
    /// it. Neither is told as text then, and what might be either is held back until it is known; the rest of that is
    /// told when the answer ends well. Without this the text is told as it comes.
    #[must_use]
    pub fn offering(mut self, tools: impl IntoIterator<Item = String>) -> Self {
        self.builder.offer(tools.into_iter().collect());
        self
    }

    /// Reads the text as the JSON that a request in this form asks for ([`ToolForm::Schema`]), if it does: words for the
    /// user are told as they come, without what is around them. To be said after [`Decoder::offering`].
    #[must_use]
    pub fn in_form(mut self, form: ToolForm) -> Self {
        match form {
            ToolForm::Native | ToolForm::Prompted => {}
            ToolForm::Schema => self.builder.constrain(),
        }
        self
    }

    /// Takes the next bytes and says what they mean. After a failure, or after the service said that it is done, the
    /// rest is not looked at.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let mut rest = bytes;
        while !rest.is_empty() && !self.builder.is_closed() {
            let (block, after) = rest.split_at(self.ration.left().min(rest.len()));
            let mut chunks = Vec::new();
            let fed = self.chunks.feed(block, &mut chunks);
            self.take(chunks, fed);
            rest = after;
            if !self.builder.is_closed()
                && let Some(excess) = self.ration.spend(block.len(), self.builder.size())
            {
                self.builder.fail_too_long(excess);
                self.forget_rest();
            }
        }
        std::mem::take(&mut self.builder.events)
    }

    /// How many bytes of an answer have come: words, thoughts, calls, and what is opaque. Whoever sends bytes of which this
    /// does not grow says nothing.
    #[must_use]
    pub fn size(&self) -> usize {
        self.builder.size()
    }

    /// No more bytes will come: reads what the last line holds, if it had no end, and says what that means.
    /// [`Decoder::end`] does so too, but gives the answer and tells no events.
    pub fn close(&mut self) -> Vec<ModelEvent> {
        if !self.builder.is_closed() {
            let mut chunks = Vec::new();
            let ended = self.chunks.end(&mut chunks);
            self.take(chunks, ended);
        }
        std::mem::take(&mut self.builder.events)
    }

    /// An error that the stream itself carried, as soon as it is seen. Nothing after it is read: the transport can
    /// hang up.
    #[must_use]
    pub fn failure(&self) -> Option<&ModelError> {
        self.builder.failure.as_ref()
    }

    /// Whether the service said that nothing more will come: the transport can hang up and call [`Decoder::end`].
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.builder.is_done()
    }

    /// What came so far, for a stream that was cut or stopped.
    #[must_use]
    pub fn partial(&self) -> Partial {
        let text = if self.builder.text.is_empty() { &self.builder.refusal } else { &self.builder.text };
        Partial { reasoning: self.builder.reasoning.clone(), text: text.clone() }
    }

    /// The finish reason in the service's own word; empty as long as there is none.
    #[must_use]
    pub fn raw_finish(&self) -> &str {
        &self.builder.raw_finish
    }

    /// The last usage object as it came; where it comes in parts, all of them in one.
    #[must_use]
    pub fn raw_usage(&self) -> Option<&Value> {
        self.builder.raw_usage.as_ref()
    }

    /// The calls that began and have a name, in the order in which they began, as far as they came. Which of them are
    /// whole, the answer says.
    #[must_use]
    pub fn calls(&self) -> Vec<CallRecord> {
        self.builder.calls.begun()
    }

    /// The stream is over: gives the answer. Where the last line had no end, the answer holds what no event told.
    ///
    /// # Errors
    /// The error that the stream carried; `Filter` or `Overload` when the finish reason says so; `Protocol` when the
    /// reply was something else than an answer; `StreamCut` when it ended too early. Then no call of it may run.
    pub fn end(mut self) -> Result<ModelAnswer, ModelError> {
        self.close();
        self.builder.settle_text();
        let calls = self.builder.whole_calls();
        let is_as_it_came = !self.builder.is_taken_apart();
        let mut answer = self.builder.end(self.chunks.stray())?;
        if let Some(source) = self.source {
            let items = if is_as_it_came || self.reader.echoes_no_text() {
                self.reader.provider_state(&calls)
            } else {
                Vec::new()
            };
            answer.provider_state = Some(ProviderState { source, items });
        }
        Ok(answer)
    }

    fn take(&mut self, chunks: Vec<Chunk>, framed: Result<(), TooLong>) {
        for chunk in chunks {
            if self.builder.is_closed() {
                break;
            }
            match chunk {
                Chunk::Alive => self.builder.events.push(ModelEvent::Alive),
                // Some services keep a connection alive with events that hold nothing.
                Chunk::Event { data, .. } if data.trim().is_empty() => {
                    self.builder.events.push(ModelEvent::Alive);
                }
                Chunk::Event { data, .. } if data == "[DONE]" => self.reader.take_done(&mut self.builder),
                Chunk::Event { name, data } => self.take_event(&name, &data),
                Chunk::Object(text) => self.take_text("", &text),
            }
        }
        if framed == Err(TooLong) && !self.builder.is_closed() {
            self.builder.fail_too_long(format!("a line of more than {} MiB", LINE_LIMIT >> 20));
        }
        if self.builder.is_closed() {
            self.forget_rest();
        }
    }

    /// What is held of bytes that are not looked at is of no interest, and would depend on how they were cut.
    fn forget_rest(&mut self) {
        (self.chunks, self.ration) = (ChunkReader::default(), Ration::default());
    }

    fn take_event(&mut self, name: &str, data: &str) {
        // Anthropic, OpenAI Responses, DashScope's own form, and some gateways: the event's name says that its data is
        // the error.
        if name == "error" {
            self.builder.refuse(match serde_json::from_str::<Value>(data) {
                Ok(value) => errors::from_json(None, &value),
                Err(_) => errors::from_text(None, data),
            });
        } else {
            self.take_text(name, data);
        }
    }

    /// Takes a text that should be one JSON object. A gateway that forgets an empty line, or glues two chunks
    /// together, makes it several.
    fn take_text(&mut self, name: &str, text: &str) {
        if self.reader.grow(text, &mut self.builder) {
            self.builder.seen = true;
            return;
        }
        for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
            match value {
                Ok(object @ Value::Object(_)) => self.take_object(name, &object),
                Ok(_) | Err(_) => self.builder.skip(),
            }
            if self.builder.is_closed() {
                return;
            }
        }
    }

    fn take_object(&mut self, name: &str, object: &Value) {
        if self.reader.take(name, object, &mut self.builder) {
            self.builder.seen = true;
        } else {
            self.builder.take_foreign(object);
        }
    }
}

/// The reader of the protocol that is spoken.
#[derive(Debug, Clone, PartialEq)]
enum ProtocolReader {
    Chat(chat::stream::ChatStream),
    Responses(responses::stream::ResponsesStream),
    Messages(anthropic::stream::AnthropicStream),
    Gemini(gemini::stream::GeminiStream),
    Ollama,
}

impl Default for ProtocolReader {
    fn default() -> Self {
        Self::of(WireProtocol::default())
    }
}

impl ProtocolReader {
    fn of(protocol: WireProtocol) -> Self {
        match protocol {
            WireProtocol::ChatCompletions => Self::Chat(chat::stream::ChatStream::default()),
            WireProtocol::Responses => Self::Responses(responses::stream::ResponsesStream::default()),
            WireProtocol::Messages => Self::Messages(anthropic::stream::AnthropicStream::default()),
            WireProtocol::GenerateContent => Self::Gemini(gemini::stream::GeminiStream::default()),
            WireProtocol::OllamaChat => Self::Ollama,
        }
    }

    /// Takes a text that is one object, if the reader knows at sight that it lets the answer grow and nothing more.
    fn grow(&mut self, text: &str, builder: &mut AnswerBuilder) -> bool {
        match self {
            Self::Chat(stream) => stream.grow(text, builder),
            Self::Responses(_) | Self::Messages(_) | Self::Gemini(_) | Self::Ollama => false,
        }
    }

    /// Takes one object, which came in an event of this name; `false` when it is none of the protocol.
    fn take(&mut self, name: &str, object: &Value, builder: &mut AnswerBuilder) -> bool {
        match self {
            Self::Chat(stream) => stream.take(object, builder),
            Self::Responses(stream) => stream.take(name, object, builder),
            Self::Messages(stream) => stream.take(name, object, builder),
            Self::Gemini(stream) => stream.take(object, builder),
            Self::Ollama => ollama::stream::take(object, builder),
        }
    }

    /// Takes `[DONE]`, which is an end in Chat Completions alone; gateways hang it on other streams too.
    fn take_done(&mut self, builder: &mut AnswerBuilder) {
        match self {
            Self::Chat(_) => builder.finish(),
            Self::Responses(_) | Self::Messages(_) | Self::Gemini(_) | Self::Ollama => {
                builder.events.push(ModelEvent::Alive)
            }
        }
    }

    /// Whether words have no place in its provider state: then that is right for a text that was taken apart, too.
    fn echoes_no_text(&self) -> bool {
        match self {
            Self::Chat(_) | Self::Ollama => true,
            Self::Responses(_) | Self::Messages(_) | Self::Gemini(_) => false,
        }
    }

    /// What goes back with the answer that was read, of which these calls are left.
    fn provider_state(self, calls: &[(usize, CallRecord)]) -> Vec<Value> {
        match self {
            Self::Chat(stream) => stream.provider_state(calls),
            Self::Responses(stream) => stream.provider_state(calls),
            Self::Messages(stream) => stream.provider_state(calls),
            Self::Gemini(stream) => stream.provider_state(calls),
            Self::Ollama => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
