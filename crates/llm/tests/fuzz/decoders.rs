//! Streams of every protocol, nearly valid.

use std::fmt;

use proptest::prelude::*;
use sidecar_llm::{
    AnswerSource, Decoder, ErrorClass, ModelAnswer, ModelError, ModelEvent, Partial, WireProtocol,
};

use crate::changes::{apply, changes};
use crate::seeds::{Seed, streams};
use crate::time::spend;

/// Maximum bytes that a decoder may emit for each byte read: text comes as an event and again in the
/// answer, an invalid byte becomes a character of three bytes, and a call's arguments are emitted as they
/// arrive and when complete.
const TOLD_LIMIT: usize = 12;

/// A body; prints as text.
#[derive(Clone)]
pub struct FuzzBody(pub Vec<u8>);

impl fmt::Debug for FuzzBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Streams of a protocol with some changes.
fn changed(protocol: WireProtocol) -> impl Strategy<Value = FuzzBody> {
    let seeds = streams(protocol);
    // Lines of another protocol are mixed in: an address may belong to another kind of service.
    let other = WireProtocol::ALL.into_iter().find(|other| *other != protocol).unwrap_or_default();
    let texts: Vec<_> = seeds.iter().chain(&streams(other)).map(text).collect();
    (prop::sample::select(seeds), changes(&texts))
        .prop_map(|(seed, changes)| FuzzBody(apply(&seed.body, &changes)))
}

fn text(seed: &Seed) -> String {
    String::from_utf8_lossy(&seed.body).into_owned()
}

/// Everything that a decoder returns.
#[derive(Debug, PartialEq)]
struct FuzzReading {
    events: Vec<ModelEvent>,
    partial: Partial,
    finish: String,
    usage: Option<serde_json::Value>,
    result: Result<ModelAnswer, ModelError>,
}

fn read<'a>(protocol: WireProtocol, pieces: impl IntoIterator<Item = &'a [u8]>) -> FuzzReading {
    let mut decoder =
        Decoder::for_source(AnswerSource { protocol, origin: "https://llm.example".to_owned() });
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(decoder.feed(piece));
    }
    events.extend(decoder.close());
    FuzzReading {
        events,
        partial: decoder.partial(),
        finish: decoder.raw_finish().to_owned(),
        usage: decoder.raw_usage().cloned(),
        result: decoder.end(),
    }
}

/// Whether a stream could contain something that marks its answer as complete. Decided without decoding.
fn could_end(protocol: WireProtocol, body: &[u8]) -> bool {
    if protocol == WireProtocol::Messages && has_line(body, b"event:message") {
        return true;
    }
    let bytes: Vec<u8> = body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let text = String::from_utf8_lossy(&bytes);
    let words: &[&str] = match protocol {
        WireProtocol::ChatCompletions => &["[DONE]", "finish_reason", "\"message\""],
        WireProtocol::Responses => &["\"status\""],
        WireProtocol::Messages => &["stop_reason", "message_stop", "\"type\":\"message\""],
        WireProtocol::GenerateContent => &["finishReason"],
        WireProtocol::OllamaChat => &["\"done\":true"],
    };
    words.iter().any(|word| text.contains(word))
}

/// Whether a line is exactly this, apart from white space.
fn has_line(body: &[u8], line: &[u8]) -> bool {
    let mut lines = body.split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.any(|found| found.iter().filter(|byte| !byte.is_ascii_whitespace()).eq(line))
}

fn told(reading: &FuzzReading) -> usize {
    let events = reading.events.iter().map(|event| match event {
        ModelEvent::Text(piece) | ModelEvent::Reasoning(piece) | ModelEvent::Refusal(piece) => piece.len(),
        ModelEvent::CallOpened { name, .. } => name.len(),
        ModelEvent::CallGrew { arguments, .. } => arguments.len(),
        ModelEvent::CallCompleted { call, .. } => call.name.len() + call.arguments.len(),
        ModelEvent::Alive | ModelEvent::Usage(_) | ModelEvent::Notice(_) | ModelEvent::Finish(_) => 0,
    });
    let answer = reading.result.as_ref().map_or(0, |answer| {
        let calls = answer.calls.iter().map(|call| call.name.len() + call.arguments.len());
        answer.text.len() + answer.reasoning.len() + answer.refusal.len() + calls.sum::<usize>()
    });
    events.sum::<usize>() + answer
}

fn withstands(protocol: WireProtocol) {
    let cases = (changed(protocol), 2..40_usize);
    spend(&cases, |(FuzzBody(body), size)| {
        let whole = read(protocol, [body.as_slice()]);
        prop_assert_eq!(&read(protocol, body.chunks(1)), &whole, "byte by byte");
        prop_assert_eq!(&read(protocol, body.chunks(size)), &whole, "in pieces of {}", size);

        let completed = whole.events.iter().filter(|event| matches!(event, ModelEvent::CallCompleted { .. }));
        let completed = completed.count();
        match &whole.result {
            Ok(answer) => {
                prop_assert!(could_end(protocol, &body), "an answer without an end: {:?}", answer);
                prop_assert!(completed == 0 || completed == answer.calls.len(), "{:?}", answer);
                let mut ids: Vec<_> = answer.calls.iter().map(|call| &call.id).collect();
                ids.sort();
                ids.dedup();
                prop_assert_eq!(ids.len(), answer.calls.len(), "every call has an id of its own");
            }
            Err(error) => {
                prop_assert_eq!(completed, 0, "a call may run although the answer failed");
                prop_assert!(error.message.chars().count() <= 2_000, "{}", error.message.len());
                prop_assert!(!matches!(error.class, ErrorClass::NoKey | ErrorClass::Network));
            }
        }
        let most = TOLD_LIMIT * body.len();
        prop_assert!(told(&whole) <= most, "{} bytes told of {}", told(&whole), body.len());
        prop_assert!(whole.events.len() <= 2 * body.len() + 2, "{} events", whole.events.len());
        Ok(())
    });
}

#[test]
fn chat_completions() {
    withstands(WireProtocol::ChatCompletions);
}

#[test]
fn responses() {
    withstands(WireProtocol::Responses);
}

#[test]
fn messages() {
    withstands(WireProtocol::Messages);
}

#[test]
fn generate_content() {
    withstands(WireProtocol::GenerateContent);
}

#[test]
fn ollama_chat() {
    withstands(WireProtocol::OllamaChat);
}

/// No call of a stream may run if the stream breaks off before its end.
#[test]
fn streams_that_break_off() {
    let seeds: Vec<_> = WireProtocol::ALL.into_iter().flat_map(streams).collect();
    let cases = (prop::sample::select(seeds), any::<prop::sample::Index>());
    spend(&cases, |(seed, at)| {
        let body = &seed.body[..at.index(seed.body.len() + 1)];
        let reading = read(seed.protocol, [body]);
        if !could_end(seed.protocol, body) {
            prop_assert!(reading.result.is_err(), "{:?}", FuzzBody(body.to_vec()));
            let ran = reading.events.iter().any(|event| matches!(event, ModelEvent::CallCompleted { .. }));
            prop_assert!(!ran, "{:?}", FuzzBody(body.to_vec()));
        }
        Ok(())
    });
}
