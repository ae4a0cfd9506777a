//! Decodes the bytes of an answer, in any of the protocols.
//!
//! A push decoder: it never waits and never panics, and its result does not depend on how the bytes were
//! cut.

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

/// Decodes one answer. Bytes may arrive in pieces of any size.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decoder {
    chunks: ChunkReader,
    ration: Ration,
    reader: ProtocolReader,
    builder: AnswerBuilder,
    source: Option<AnswerSource>,
}

/// Maximum bytes of a response. The longest answers, with one event per token, are a third of it.
const BODY_LIMIT: usize = 128 * 1024 * 1024;

/// Maximum bytes in a row that add nothing to the answer. Longer than the longest line.
const IDLE_LIMIT: usize = 2 * LINE_LIMIT;

/// Bytes that are read at once. Limits the memory used, however large the pieces are.
const BLOCK: usize = 64 * 1024;

/// Counts the bytes of a response. Checked after every [`BLOCK`], so that it does not matter how the
/// response is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ration {
    read: usize,
    /// Bytes since the answer last grew.
    idle: usize,
    /// Size of the answer at that time.
    size: usize,
}

impl Ration {
    /// Number of bytes until the next check.
    fn left(self) -> usize {
        BLOCK - self.read % BLOCK
    }

    /// Counts bytes. Returns the error if there were too many.
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
    /// A decoder for a Chat Completions stream of an unknown source.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A decoder for a stream from `source`, in its protocol.
    #[must_use]
    pub fn for_source(source: AnswerSource) -> Self {
        Self { reader: ProtocolReader::of(source.protocol), source: Some(source), ..Self::default() }
    }

    /// Sets the prefix of minted call ids, so that they are unique within a thread. Portable ids consist of
    /// letters, digits, `_` and `-`, at most 40 of them.
    #[must_use]
    pub fn with_call_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.builder.calls.set_prefix(prefix.into());
        self
    }

    /// Looks in the text for inline calls of these tools, and for reasoning before it. Neither is emitted
    /// as text. What might be either is held back until it is decided; what is still held at the end is
    /// emitted only if the answer ends well. Without this, text is emitted as it arrives.
    #[must_use]
    pub fn offering(mut self, tools: impl IntoIterator<Item = String>) -> Self {
        self.builder.offer(tools.into_iter().collect());
        self
    }

    /// Reads the text as JSON if `form` requests that ([`ToolForm::Schema`]): text for the user is emitted
    /// as it arrives, without the JSON around it. Call it after [`Decoder::offering`].
    #[must_use]
    pub fn in_form(mut self, form: ToolForm) -> Self {
        match form {
            ToolForm::Native | ToolForm::Prompted => {}
            ToolForm::Schema => self.builder.constrain(),
        }
        self
    }

    /// Decodes the next bytes. After a failure, or after the service said that the answer is complete,
    /// further bytes are ignored.
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

    /// Size in bytes of the answer so far: text, reasoning, calls and opaque items. A service that sends
    /// bytes without making it grow says nothing.
    #[must_use]
    pub fn size(&self) -> usize {
        self.builder.size()
    }

    /// No more bytes will come: decodes an unfinished last line. [`Decoder::end`] does so too, but returns
    /// the answer without events.
    pub fn close(&mut self) -> Vec<ModelEvent> {
        if !self.builder.is_closed() {
            let mut chunks = Vec::new();
            let ended = self.chunks.end(&mut chunks);
            self.take(chunks, ended);
        }
        std::mem::take(&mut self.builder.events)
    }

    /// The error in the stream, as soon as it is seen. Nothing after it is read: the transport can close
    /// the connection.
    #[must_use]
    pub fn failure(&self) -> Option<&ModelError> {
        self.builder.failure.as_ref()
    }

    /// Whether the service said that the answer is complete: the transport can close the connection and
    /// call [`Decoder::end`].
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.builder.is_done()
    }

    /// What has arrived so far, for a stream that was cut or stopped.
    #[must_use]
    pub fn partial(&self) -> Partial {
        let text = if self.builder.text.is_empty() { &self.builder.refusal } else { &self.builder.text };
        Partial { reasoning: self.builder.reasoning.clone(), text: text.clone() }
    }

    /// The finish reason in the service's own word; empty until it arrives.
    #[must_use]
    pub fn raw_finish(&self) -> &str {
        &self.builder.raw_finish
    }

    /// The last usage object, unchanged; if it comes in parts, all of them merged.
    #[must_use]
    pub fn raw_usage(&self) -> Option<&Value> {
        self.builder.raw_usage.as_ref()
    }

    /// The calls that have a name, in the order in which they began, as far as they have arrived.
    /// [`Decoder::end`] decides which of them are complete.
    #[must_use]
    pub fn calls(&self) -> Vec<CallRecord> {
        self.builder.calls.begun()
    }

    /// Ends the stream and returns the answer. If the last line was unfinished, the answer contains more
    /// than the events.
    ///
    /// # Errors
    /// The error in the stream; `Filter` or `Overload` if the finish reason says so; `Protocol` if
    /// the reply was not an answer; `StreamCut` if it ended too early. Then none of its calls may run.
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
                // Some services send empty events as keep-alives.
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

    /// Drops input that will not be read: it would depend on how the bytes were cut.
    fn forget_rest(&mut self) {
        (self.chunks, self.ration) = (ChunkReader::default(), Ration::default());
    }

    fn take_event(&mut self, name: &str, data: &str) {
        // Anthropic, OpenAI Responses, DashScope's own format and some gateways name the event `error`.
        if name == "error" {
            self.builder.refuse(match serde_json::from_str::<Value>(data) {
                Ok(value) => errors::from_json(None, &value),
                Err(_) => errors::from_text(None, data),
            });
        } else {
            self.take_text(name, data);
        }
    }

    /// Reads a text that should be one JSON object. If a gateway omits an empty line, or joins two chunks,
    /// it is several.
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

/// The reader of one protocol.
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

    /// Fast path: reads a text that is one object, if all it does is to extend the answer; `false`
    /// otherwise.
    fn grow(&mut self, text: &str, builder: &mut AnswerBuilder) -> bool {
        match self {
            Self::Chat(stream) => stream.grow(text, builder),
            Self::Responses(_) | Self::Messages(_) | Self::Gemini(_) | Self::Ollama => false,
        }
    }

    /// Reads one object from an event of this name; `false` if it does not belong to the protocol.
    fn take(&mut self, name: &str, object: &Value, builder: &mut AnswerBuilder) -> bool {
        match self {
            Self::Chat(stream) => stream.take(object, builder),
            Self::Responses(stream) => stream.take(name, object, builder),
            Self::Messages(stream) => stream.take(name, object, builder),
            Self::Gemini(stream) => stream.take(object, builder),
            Self::Ollama => ollama::stream::take(object, builder),
        }
    }

    /// Handles `[DONE]`, which ends a stream only in Chat Completions; gateways append it to other streams
    /// too.
    fn take_done(&mut self, builder: &mut AnswerBuilder) {
        match self {
            Self::Chat(_) => builder.finish(),
            Self::Responses(_) | Self::Messages(_) | Self::Gemini(_) | Self::Ollama => {
                builder.events.push(ModelEvent::Alive)
            }
        }
    }

    /// Whether its provider state never contains text, and so stays valid when something was taken out of
    /// the text.
    fn echoes_no_text(&self) -> bool {
        match self {
            Self::Chat(_) | Self::Ollama => true,
            Self::Responses(_) | Self::Messages(_) | Self::Gemini(_) => false,
        }
    }

    /// The provider state of the answer, which in the end has these calls.
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
