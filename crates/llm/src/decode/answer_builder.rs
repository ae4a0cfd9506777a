//! Builds an answer from a stream, in any protocol: the protocol readers report what they find, and the
//! builder stores it, emits events, and decides how the answer ends.

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

/// Maximum bytes of an answer's text, of its reasoning, and of its calls, each. The longest answers of
/// models, of 128,000 tokens, are half of it.
pub(crate) const ANSWER_LIMIT: usize = 1024 * 1024;

/// Maximum bytes of an answer's opaque items: OpenRouter repeats every piece of reasoning with its type.
pub(crate) const OPAQUE_LIMIT: usize = 16 * 1024 * 1024;

/// Bytes that an opaque item counts in addition to its text, so that many empty ones cannot fill the memory
/// either.
pub(crate) const PIECE_COST: usize = 4096;

/// The answer so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AnswerBuilder {
    /// Events that were not returned yet.
    pub(crate) events: Vec<ModelEvent>,
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) refusal: String,
    pub(crate) calls: CallBuilder,
    /// Processes the text before it is emitted; absent if text is emitted as it arrives.
    speech: Option<Speech>,
    inline_calls: Option<InlineCalls>,
    usage: Option<Usage>,
    pub(crate) raw_usage: Option<Value>,
    finish: Option<FinishReason>,
    pub(crate) raw_finish: String,
    /// Size of the answer.
    size: Size,
    /// Whether a chunk of an answer was seen, whatever it contained.
    pub(crate) seen: bool,
    /// The first object that is neither a chunk nor an error.
    foreign: String,
    skipped: usize,
    done: bool,
    /// An error beside a chunk: the reason for a finish that follows.
    noted: Option<ModelError>,
    pub(crate) failure: Option<ModelError>,
}

/// Size of the answer so far, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    words: usize,
    thoughts: usize,
    calls: usize,
    opaque: usize,
}

/// The stages of text: reasoning is split off, text is unwrapped from its JSON envelope if one was
/// requested, and inline calls are filtered out.
#[derive(Debug, Clone, PartialEq)]
struct Speech {
    thoughts: ThoughtSplitter,
    envelope: Option<Envelope>,
    calls: Filter,
}

impl Speech {
    /// The text for the user in a piece that contains no reasoning.
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
    /// From here on, splits reasoning off the text and filters out calls of these tools.
    pub(crate) fn offer(&mut self, tools: Vec<String>) {
        self.speech =
            Some(Speech { thoughts: ThoughtSplitter::default(), envelope: None, calls: Filter::new(tools) });
    }

    /// From here on, expects the text to be JSON: a call, or text for the user.
    pub(crate) fn constrain(&mut self) {
        if let Some(speech) = &mut self.speech {
            speech.envelope = Some(Envelope::default());
            speech.calls.expect_json();
        }
    }

    /// Whether the rest of the stream can be ignored.
    pub(crate) fn is_closed(&self) -> bool {
        self.done || self.failure.is_some()
    }

    /// Whether the service said that the answer is complete.
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

    /// Ends the answer if a piece did not fit completely.
    fn check_fit(&mut self, piece: &str, fits: &str) {
        if fits.len() < piece.len() {
            self.fail_too_long(format!("more than {} MiB of text", ANSWER_LIMIT >> 20));
        }
    }

    /// Adds a fragment of a call. Returns the call's number, or `None` if the fragment is empty or there is
    /// no room.
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

    /// Sets the final arguments of a call, which replace the pieces that arrived.
    pub(crate) fn settle_call(&mut self, at: usize, id: &str, arguments: &str) {
        // The pieces were counted already.
        let more = arguments.len().saturating_sub(self.calls.arguments_size(at));
        if self.make_room_for_call(more) {
            self.calls.settle(at, id, arguments, &mut self.events);
        }
    }

    /// Sets the tokens so far: the service's own object, and its meaning.
    pub(crate) fn take_usage(&mut self, raw: Value, usage: Usage) {
        self.usage = Some(usage);
        self.raw_usage = Some(raw);
        self.events.push(ModelEvent::Usage(usage));
    }

    /// Sets the finish reason: the service's own word, and its meaning.
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

    /// Reports something that does not change the answer.
    pub(crate) fn notice(&mut self, notice: Notice) {
        self.events.push(ModelEvent::Notice(notice));
    }

    /// Counts a chunk that could not be read.
    pub(crate) fn skip(&mut self) {
        self.skipped += 1;
        self.notice(Notice::Unreadable);
    }

    /// Keeps the first object that is neither a chunk nor an error.
    pub(crate) fn take_foreign(&mut self, object: &Value) {
        if self.foreign.is_empty() {
            self.foreign = object.to_string();
        }
    }

    /// The service said that the answer is complete.
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

    /// The stream has ended: emits text that was held back, and adopts the inline calls in it. Does neither
    /// if the answer does not end well.
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

    /// Whether something was taken out of the text.
    pub(crate) fn is_taken_apart(&self) -> bool {
        self.inline_calls.is_some()
    }

    /// Notes an error beside a chunk.
    pub(crate) fn note(&mut self, error: ModelError) {
        self.noted = Some(error);
    }

    /// Ends the stream with an error of the service.
    pub(crate) fn refuse(&mut self, error: ModelError) {
        self.failure.get_or_insert(error);
    }

    /// Ends the stream with a protocol error.
    pub(crate) fn fail(&mut self, message: impl Into<String>) {
        self.refuse(ModelError::new(ErrorClass::Protocol, message));
    }

    /// Ends the stream because the service sends more than an answer can hold.
    pub(crate) fn fail_too_long(&mut self, message: impl Into<String>) {
        let error = ModelError::new(ErrorClass::StreamCut, message);
        self.refuse(ModelError { cause: Some(Cause::TooLong), ..error });
    }

    /// Reserves room for another opaque item; `false` if there is none left.
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

    /// Size of the answer so far, in bytes. Input that does not change it is no part of an answer.
    pub(crate) fn size(&self) -> usize {
        let Size { words, thoughts, calls, opaque } = self.size;
        words + thoughts + calls + opaque
    }

    /// Ends the answer. `stray` is input that was no part of it.
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

    /// The calls that may run, with their numbers.
    pub(crate) fn whole_calls(&self) -> Vec<(usize, CallRecord)> {
        self.calls.whole(self.finish == Some(FinishReason::Length))
    }

    /// The finish reason, or the error that replaces it; `None` inside if the service gave no reason.
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

    /// The error of a stream that ended too early.
    fn cut(&self, stray: &str) -> ModelError {
        let other = if self.foreign.is_empty() { stray } else { &self.foreign };
        if self.seen || other.is_empty() {
            ModelError::new(ErrorClass::StreamCut, "the connection closed before the answer was complete")
        } else {
            // A web page, a login page of the network, or an API of another kind at this address.
            errors::from_text(None, &format!("the reply is not a model's answer; it begins: {other}"))
        }
    }
}

/// The part of a piece that still fits. Counts it.
fn fitting<'a>(piece: &'a str, size: &mut usize) -> &'a str {
    let room = ANSWER_LIMIT.saturating_sub(*size).min(piece.len());
    let end = (0..=room).rev().find(|end| piece.is_char_boundary(*end)).unwrap_or_default();
    *size += end;
    &piece[..end]
}

/// The meaning of a finish reason in any service's words.
pub(crate) fn finish_reason(word: &str) -> FinishReason {
    match word.to_ascii_lowercase().as_str() {
        "stop" | "end" | "eos" | "end_turn" | "stop_sequence" | "completed" => FinishReason::Stop,
        "length" | "max_tokens" | "model_length" | "max_output_tokens" | "model_context_window_exceeded" => {
            FinishReason::Length
        }
        "tool_calls" | "function_call" | "tool_use" => FinishReason::Tools,
        // `sensitive` is GLM's; `safety` and what follows are Gemini's.
        "content_filter" | "sensitive" | "refusal" | "safety" | "recitation" | "blocklist"
        | "prohibited_content" | "spii" | "image_safety" => FinishReason::Filter,
        // From DeepSeek, GLM, OpenRouter, Gemini (two of them), and from Anthropic for a turn that it
        // interrupts.
        "insufficient_system_resource"
        | "network_error"
        | "error"
        | "malformed_function_call"
        | "unexpected_tool_call"
        | "pause_turn" => FinishReason::Unavailable,
        _ => FinishReason::Other(word.to_owned()),
    }
}
