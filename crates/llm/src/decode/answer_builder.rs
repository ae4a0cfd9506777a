//! An answer as it grows, whatever protocol it comes in: the readers of the protocols say what they found, and this
//! keeps it, tells it, and knows in the end what it comes to.

use std::collections::BTreeSet;

use serde_json::Value;
use sidecar_protocol::error::{Cause, ErrorClass, ModelError};
use sidecar_protocol::thread::Usage;

use crate::conversation::message::CallRecord;
use crate::decode::answer::ModelAnswer;
use crate::decode::calls::{CallBuilder, Fragment, TooMany};
use crate::decode::event::{FinishReason, ModelEvent, Notice};
use crate::decode::thoughts::ThoughtSplitter;
use crate::errors;
use crate::inline_calls::filter::{Filter, InlineCall};
use crate::inline_calls::markup::InlineCalls;
use crate::prompted::Envelope;

/// Most bytes of the words of one answer, of its thoughts, and of its calls: of each. The longest answers that models
/// give, of 128,000 tokens, are half of it.
pub(crate) const ANSWER_LIMIT: usize = 1024 * 1024;

/// Most bytes of the opaque pieces of one answer: OpenRouter sends every piece of a thought once more, with its kind.
pub(crate) const OPAQUE_LIMIT: usize = 16 * 1024 * 1024;

/// What an opaque piece takes of that beyond its own text, in bytes: many empty ones must not fill the memory either.
pub(crate) const PIECE_COST: usize = 4096;

/// The answer so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AnswerBuilder {
    /// What was found and not yet told.
    pub(crate) events: Vec<ModelEvent>,
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) refusal: String,
    pub(crate) calls: CallBuilder,
    /// What the text goes through before it is told; absent when it is told as it comes.
    speech: Option<Speech>,
    inline_calls: Option<InlineCalls>,
    usage: Option<Usage>,
    pub(crate) raw_usage: Option<Value>,
    finish: Option<FinishReason>,
    pub(crate) raw_finish: String,
    /// Bytes of what grows.
    size: Size,
    /// A piece of an answer was seen, whatever was in it.
    pub(crate) seen: bool,
    /// The first object that is neither a piece of an answer nor an error.
    foreign: String,
    skipped: usize,
    done: bool,
    /// An error beside a piece of an answer: the reason for a finish that is to come.
    noted: Option<ModelError>,
    pub(crate) failure: Option<ModelError>,
}

/// How large an answer is by now, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    words: usize,
    thoughts: usize,
    calls: usize,
    opaque: usize,
}

/// What a text goes through: its thoughts are told apart, words are taken out of their envelope where one was asked for,
/// then calls are taken out of the rest.
#[derive(Debug, Clone, PartialEq)]
struct Speech {
    thoughts: ThoughtSplitter,
    envelope: Option<Envelope>,
    calls: Filter,
}

impl Speech {
    /// The words for the user in a piece of text that holds no thoughts.
    fn read(&mut self, text: &str) -> String {
        match &mut self.envelope {
            None => self.calls.push(text),
            Some(envelope) => {
                let (words, other) = envelope.push(text);
                words + &self.calls.push(&other)
            }
        }
    }
}

impl AnswerBuilder {
    /// From here on, tells thoughts in the text apart and takes calls of these tools out of it.
    pub(crate) fn offer(&mut self, tools: Vec<String>) {
        self.speech =
            Some(Speech { thoughts: ThoughtSplitter::default(), envelope: None, calls: Filter::new(tools) });
    }

    /// From here on, takes the text for JSON: a call, or words for the user.
    pub(crate) fn constrain(&mut self) {
        if let Some(speech) = &mut self.speech {
            speech.envelope = Some(Envelope::default());
            speech.calls.expect_json();
        }
    }

    /// Whether the rest of the stream is of no interest.
    pub(crate) fn is_closed(&self) -> bool {
        self.done || self.failure.is_some()
    }

    /// Whether the service said that nothing more will come.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    pub(crate) fn grow_text(&mut self, piece: &str) {
        let fits = fitting(piece, &mut self.size.words);
        match &mut self.speech {
            None => self.tell_text(fits),
            Some(speech) => {
                let (thoughts, text) = speech.thoughts.push(fits);
                let text = speech.read(&text);
                self.tell_reasoning(&thoughts);
                self.tell_text(&text);
            }
        }
        self.check_fit(piece, fits);
    }

    pub(crate) fn grow_reasoning(&mut self, piece: &str) {
        let fits = fitting(piece, &mut self.size.thoughts);
        self.tell_reasoning(fits);
        self.check_fit(piece, fits);
    }

    fn tell_text(&mut self, piece: &str) {
        if !piece.is_empty() {
            self.text.push_str(piece);
            self.events.push(ModelEvent::Text(piece.to_owned()));
        }
    }

    fn tell_reasoning(&mut self, piece: &str) {
        if !piece.is_empty() {
            self.reasoning.push_str(piece);
            self.events.push(ModelEvent::Reasoning(piece.to_owned()));
        }
    }

    pub(crate) fn grow_refusal(&mut self, piece: &str) {
        let fits = fitting(piece, &mut self.size.words);
        if !fits.is_empty() {
            self.refusal.push_str(fits);
            self.events.push(ModelEvent::Refusal(fits.to_owned()));
        }
        self.check_fit(piece, fits);
    }

    /// Ends an answer of whose next piece only the beginning fits.
    fn check_fit(&mut self, piece: &str, fits: &str) {
        if fits.len() < piece.len() {
            self.fail_too_long(format!("more than {} MiB of text", ANSWER_LIMIT >> 20));
        }
    }

    /// Adds a piece of a call and gives the number of the call, unless the piece holds nothing or there is no room.
    pub(crate) fn grow_call(&mut self, fragment: Fragment) -> Option<usize> {
        if !self.make_room_for_call(fragment.size()) {
            return None;
        }
        match self.calls.push(fragment, &mut self.events) {
            Ok(at) => at,
            Err(TooMany) => {
                self.fail("the answer holds too many tool calls");
                None
            }
        }
    }

    /// The arguments of a call as the service gives them in the end; they win over the pieces that came.
    pub(crate) fn settle_call(&mut self, at: usize, id: &str, arguments: &str) {
        // Most of them came in pieces, which were counted.
        let more = arguments.len().saturating_sub(self.calls.arguments_size(at));
        if self.make_room_for_call(more) {
            self.calls.settle(at, id, arguments, &mut self.events);
        }
    }

    /// Tokens so far: the service's own object, and what it comes to.
    pub(crate) fn take_usage(&mut self, raw: Value, usage: Usage) {
        self.usage = Some(usage);
        self.raw_usage = Some(raw);
        self.events.push(ModelEvent::Usage(usage));
    }

    /// Why the model stopped: the service's own word, and what it means.
    pub(crate) fn take_finish(&mut self, word: &str, reason: FinishReason) {
        // Some services repeat the reason, and some add a plain "stop" to a bad one.
        let holds = match &self.finish {
            None | Some(FinishReason::Stop | FinishReason::Tools | FinishReason::Other(_)) => false,
            Some(FinishReason::Length | FinishReason::Filter | FinishReason::Unavailable) => true,
        };
        if !holds && self.finish.as_ref() != Some(&reason) {
            word.clone_into(&mut self.raw_finish);
            self.finish = Some(reason.clone());
            self.events.push(ModelEvent::Finish(reason));
        }
    }

    /// Something that the user may want to know and that changes nothing.
    pub(crate) fn notice(&mut self, notice: Notice) {
        self.events.push(ModelEvent::Notice(notice));
    }

    /// A piece of the stream that could not be read.
    pub(crate) fn skip(&mut self) {
        self.skipped += 1;
        self.notice(Notice::Unreadable);
    }

    /// An object that is neither a piece of an answer nor an error.
    pub(crate) fn take_foreign(&mut self, object: &Value) {
        if self.foreign.is_empty() {
            self.foreign = object.to_string();
        }
    }

    /// The service said that nothing more will come.
    pub(crate) fn finish(&mut self) {
        if self.is_closed() {
            return;
        }
        self.done = true;
        self.settle_text();
        if self.ending().is_ok() {
            for (index, call) in self.whole_calls() {
                self.events.push(ModelEvent::CallCompleted { index, call });
            }
        }
    }

    /// Nothing more will come: tells text that was held back, and makes calls of those that were in it. Of an answer
    /// that does not end well, neither.
    pub(crate) fn settle_text(&mut self) {
        if self.ending().is_err() {
            return;
        }
        let Some(mut speech) = self.speech.take() else { return };
        let (thoughts, text) = std::mem::take(&mut speech.thoughts).end();
        let mut text = speech.read(&text);
        if let Some(envelope) = speech.envelope.take() {
            text.push_str(&speech.calls.push(&envelope.end()));
        }
        let rest = speech.calls.end(self.finish == Some(FinishReason::Length));
        text.push_str(&rest.text);
        self.tell_reasoning(&thoughts);
        self.tell_text(&text);
        if let Some(inline_calls) = rest.inline_calls {
            self.take_inline_calls(inline_calls, &rest.calls);
        }
    }

    fn take_inline_calls(&mut self, mut inline_calls: InlineCalls, calls: &[InlineCall]) {
        match self.calls.adopt(calls, &mut self.events) {
            Ok(true) => inline_calls.taken = calls.len(),
            Ok(false) => inline_calls.left_out += calls.len(),
            Err(TooMany) => self.fail("the answer holds too many tool calls"),
        }
        self.notice(Notice::InlineCalls(inline_calls.clone()));
        self.inline_calls = Some(inline_calls);
    }

    /// Whether the text is not what came.
    pub(crate) fn is_taken_apart(&self) -> bool {
        self.inline_calls.is_some()
    }

    /// An error beside a piece of an answer.
    pub(crate) fn note(&mut self, error: ModelError) {
        self.noted = Some(error);
    }

    /// An error of the service, which ends the stream.
    pub(crate) fn refuse(&mut self, error: ModelError) {
        self.failure.get_or_insert(error);
    }

    /// A fault in the stream, which ends it.
    pub(crate) fn fail(&mut self, message: impl Into<String>) {
        self.refuse(ModelError::new(ErrorClass::Protocol, message));
    }

    /// The service sends more than an answer can hold, which ends the stream.
    pub(crate) fn fail_too_long(&mut self, message: impl Into<String>) {
        let error = ModelError::new(ErrorClass::StreamCut, message);
        self.refuse(ModelError { cause: Some(Cause::TooLong), ..error });
    }

    /// Makes room for another opaque piece of the answer; `false` when there is none left.
    pub(crate) fn make_room(&mut self, bytes: usize) -> bool {
        self.size.opaque = self.size.opaque.saturating_add(bytes);
        if self.size.opaque > OPAQUE_LIMIT {
            self.fail_too_long(format!("more than {} MiB of opaque pieces", OPAQUE_LIMIT >> 20));
        }
        self.failure.is_none()
    }

    fn make_room_for_call(&mut self, bytes: usize) -> bool {
        self.size.calls = self.size.calls.saturating_add(bytes);
        if self.size.calls > ANSWER_LIMIT {
            self.fail_too_long(format!("more than {} MiB of tool calls", ANSWER_LIMIT >> 20));
        }
        self.failure.is_none()
    }

    /// How large the answer is by now, in bytes: what does not change this is nothing of an answer.
    pub(crate) fn size(&self) -> usize {
        let Size { words, thoughts, calls, opaque } = self.size;
        words + thoughts + calls + opaque
    }

    /// How the answer ends. `stray` is what came that was no part of it.
    pub(crate) fn end(&mut self, stray: &str) -> Result<ModelAnswer, ModelError> {
        let finish = match self.ending() {
            Ok(finish) => finish,
            Err(Some(error)) => return Err(error),
            Err(None) => return Err(self.cut(stray)),
        };
        let whole = self.whole_calls();
        let kept: BTreeSet<_> = whole.iter().map(|(number, _)| *number).collect();
        let dropped_calls = self.calls.len() - kept.len();
        Ok(ModelAnswer {
            reasoning: std::mem::take(&mut self.reasoning),
            text: std::mem::take(&mut self.text),
            refusal: std::mem::take(&mut self.refusal),
            calls: whole.into_iter().map(|(_, call)| call).collect(),
            usage: self.usage,
            finish,
            dropped_calls,
            skipped_chunks: self.skipped,
            inline_calls: self.inline_calls.take(),
            provider_state: None,
        })
    }

    /// The calls that may run, by their number.
    pub(crate) fn whole_calls(&self) -> Vec<(usize, CallRecord)> {
        self.calls.whole(self.finish == Some(FinishReason::Length))
    }

    /// The finish reason, or why there is none; `None` where the service did not say.
    fn ending(&self) -> Result<FinishReason, Option<ModelError>> {
        if let Some(failure) = &self.failure {
            return Err(Some(failure.clone()));
        }
        let noted = || self.noted.clone();
        match &self.finish {
            Some(FinishReason::Filter) => {
                let error = ModelError::new(ErrorClass::Filter, self.raw_finish.clone());
                Err(Some(noted().filter(|noted| noted.class == ErrorClass::Filter).unwrap_or(error)))
            }
            Some(FinishReason::Unavailable) => {
                let error = || ModelError::new(ErrorClass::Overload, self.raw_finish.clone());
                Err(Some(noted().unwrap_or_else(error)))
            }
            Some(finish) => Ok(finish.clone()),
            None if self.done && self.noted.is_none() => Ok(FinishReason::Stop),
            None => Err(noted()),
        }
    }

    /// Why a stream without an end has none.
    fn cut(&self, stray: &str) -> ModelError {
        let other = if self.foreign.is_empty() { stray } else { &self.foreign };
        if self.seen || other.is_empty() {
            ModelError::new(ErrorClass::StreamCut, "the connection closed before the answer was complete")
        } else {
            // A page of a web site, a sign-in page of a network, or another kind of API at this address.
            errors::from_text(None, &format!("the reply is not a model's answer; it begins: {other}"))
        }
    }
}

/// The beginning of a piece for which there is still room, which it takes.
fn fitting<'a>(piece: &'a str, size: &mut usize) -> &'a str {
    let room = ANSWER_LIMIT.saturating_sub(*size).min(piece.len());
    let end = (0..=room).rev().find(|end| piece.is_char_boundary(*end)).unwrap_or_default();
    *size += end;
    &piece[..end]
}

/// What the words of all services for the end of an answer come to.
pub(crate) fn finish_reason(word: &str) -> FinishReason {
    match word.to_ascii_lowercase().as_str() {
        "stop" | "end" | "eos" | "end_turn" | "stop_sequence" | "completed" => FinishReason::Stop,
        "length" | "max_tokens" | "model_length" | "max_output_tokens" | "model_context_window_exceeded" => {
            FinishReason::Length
        }
        "tool_calls" | "function_call" | "tool_use" => FinishReason::Tools,
        // `sensitive` is GLM's; those from `safety` on are Gemini's.
        "content_filter" | "sensitive" | "refusal" | "safety" | "recitation" | "blocklist"
        | "prohibited_content" | "spii" | "image_safety" => FinishReason::Filter,
        // DeepSeek's, GLM's, OpenRouter's, two of Gemini's, and Anthropic's for a turn that it interrupts.
        "insufficient_system_resource"
        | "network_error"
        | "error"
        | "malformed_function_call"
        | "unexpected_tool_call"
        | "pause_turn" => FinishReason::Unavailable,
        _ => FinishReason::Other(word.to_owned()),
    }
}
