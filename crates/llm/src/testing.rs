//! Decodes streams for tests: whole, cut in two at every position, and byte by byte.

use proptest::prelude::*;

use crate::conversation::message::CallRecord;
use crate::conversation::provider_state::AnswerSource;
use crate::decode::decoder::{Decoder, ModelAnswer, Partial};
use crate::decode::event::ModelEvent;
use crate::wire::WireProtocol;
use crate::{Endpoint, ModelError};

/// The events and the result of a decoder.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reading {
    pub(crate) events: Vec<ModelEvent>,
    pub(crate) partial: Partial,
    pub(crate) raw_finish: String,
    pub(crate) result: Result<ModelAnswer, ModelError>,
}

impl Reading {
    #[track_caller]
    pub(crate) fn answer(self) -> ModelAnswer {
        self.result.expect("an answer")
    }

    #[track_caller]
    pub(crate) fn error(self) -> ModelError {
        self.result.expect_err("no answer")
    }
}

pub(crate) fn read_pieces<'a>(mut decoder: Decoder, pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(decoder.feed(piece));
    }
    Reading {
        events,
        partial: decoder.partial(),
        raw_finish: decoder.raw_finish().to_owned(),
        result: decoder.end(),
    }
}

/// Decodes a stream in one piece, and checks that the result is the same in any two pieces and byte by
/// byte.
#[track_caller]
pub(crate) fn read_with(decoder: impl Fn() -> Decoder, stream: &str) -> Reading {
    let bytes = stream.as_bytes();
    let whole = read_pieces(decoder(), [bytes]);
    for at in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(at);
        assert_eq!(read_pieces(decoder(), [head, tail]), whole, "cut at byte {at}");
    }
    assert_eq!(read_pieces(decoder(), bytes.chunks(1)), whole, "byte by byte");
    whole
}

/// Decodes a stream of a protocol.
#[track_caller]
pub(crate) fn read(protocol: WireProtocol, stream: &str) -> Reading {
    read_with(|| decoder(protocol), stream)
}

pub(crate) fn decoder(protocol: WireProtocol) -> Decoder {
    Decoder::for_source(AnswerSource { protocol, origin: "https://llm.example".to_owned() })
}

/// Checks that a stream is incomplete wherever it stops before its end, and that none of its calls is
/// reported as complete. `end` is the position at which the final part begins.
#[track_caller]
pub(crate) fn cut_everywhere(protocol: WireProtocol, stream: &str, end: usize) {
    for at in 0..end {
        let reading = read_pieces(decoder(protocol), [&stream.as_bytes()[..at]]);
        assert_eq!(reading.result.map_err(|error| error.class), Err(crate::ErrorClass::StreamCut), "{at}");
        assert!(!reading.events.iter().any(|event| matches!(event, ModelEvent::CallCompleted { .. })));
    }
}

/// Checks that noise, and streams with a few changed bytes, cause no panic and give the same result however
/// they are cut.
pub(crate) fn withstand(protocol: WireProtocol, streams: &'static [&'static str]) {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:\n\r 0-ed\\".to_vec())];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), byte, 0..3_u8), 0..6);
    let cases = (prop::sample::select(streams), changes, prop::collection::vec(any::<u8>(), 0..200));
    proptest!(ProptestConfig::with_cases(128), |((stream, changes, noise) in cases)| {
        let mut mutated = stream.as_bytes().to_vec();
        for (at, byte, kind) in changes {
            let at = at.index(mutated.len());
            match kind {
                0 => mutated[at] = byte,
                1 => mutated.insert(at, byte),
                _ => mutated.truncate(at + 1),
            }
        }
        for bytes in [mutated, noise] {
            let whole = read_pieces(decoder(protocol), [bytes.as_slice()]);
            prop_assert_eq!(&read_pieces(decoder(protocol), bytes.chunks(1)), &whole);
            prop_assert_eq!(&read_pieces(decoder(protocol), bytes.chunks(7)), &whole);
            let has_call =
                whole.events.iter().any(|event| matches!(event, ModelEvent::CallCompleted { .. }));
            prop_assert!(whole.result.is_ok() || !has_call);
        }
    });
}

pub(crate) fn endpoint(provider: &str, base_url: &str) -> Endpoint {
    Endpoint { provider: provider.to_owned(), base_url: base_url.to_owned() }
}

pub(crate) fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(text.to_owned())
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> CallRecord {
    CallRecord { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}
