//! Decodes a stream the way a turn does.

use sidecar_llm::{AnswerSource, Decoder, WireProtocol};

/// The lengths of an answer's text, reasoning and arguments, in bytes.
pub fn lengths(pieces: impl Iterator<Item = Vec<u8>>) -> Result<[usize; 3], String> {
    let source =
        AnswerSource { protocol: WireProtocol::ChatCompletions, origin: "https://llm.example".to_owned() };
    let mut decoder = Decoder::for_source(source).offering(["write_report".to_owned()]);
    for piece in pieces {
        // A turn sends the events to panels, which is not measured here.
        drop(decoder.feed(&piece));
    }
    let answer = decoder.end().map_err(|error| error.message)?;
    let arguments = answer.calls.iter().map(|call| call.arguments.len()).sum();
    Ok([answer.text.len(), answer.reasoning.len(), arguments])
}
