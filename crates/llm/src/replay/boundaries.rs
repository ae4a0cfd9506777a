//! Cuts a recording in two at every position.
//!
//! Decoding it from the start for each position would take quadratic time. So that is done only at every
//! [`BLOCK`]th byte. Between two of those positions, the decoder that has read up to the first one reads on
//! to the second, cut at every byte: it must emit the same events and reach the same state. Then everything
//! after that is the same too.

use super::{Outcome, Recording};

/// Number of bytes between positions from which a recording is decoded anew.
const BLOCK: usize = 256;

/// The result of cutting a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundaries {
    /// The outcome in one piece.
    pub whole: Outcome,
    /// Number of cuts that were tried. Decoding byte by byte counts as one.
    pub cuts: usize,
    /// The positions at which a cut made a difference, in order; a difference when decoding byte by byte
    /// counts as position 0.
    pub differing: Vec<usize>,
}

/// Decodes a recording in one piece, in two pieces for every position, and byte by byte.
#[must_use]
pub fn every_boundary(recording: &Recording<'_>) -> Boundaries {
    let whole = recording.read();
    let body = recording.body;
    let mut differing = Vec::new();
    if recording.read_chunks(1) != whole {
        differing.push(0);
    }
    let mut decoder = recording.decoder();
    for (number, block) in body.chunks(BLOCK).enumerate() {
        let start = number * BLOCK;
        let (head, tail) = body.split_at(start);
        if start > 0 && recording.read_pieces([head, tail]) != whole {
            differing.push(start);
        }
        let before = decoder.clone();
        let told = decoder.feed(block);
        for at in 1..block.len() {
            let (first, second) = block.split_at(at);
            let mut cut = before.clone();
            let mut events = cut.feed(first);
            events.extend(cut.feed(second));
            if events != told || cut != decoder {
                differing.push(start + at);
            }
        }
    }
    Boundaries { whole, cuts: body.len().max(1), differing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WireProtocol;

    fn stream(words: usize) -> String {
        let piece = |word: usize| {
            format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"é{word} \"}}}}]}}\r\n\r\n")
        };
        (0..words).map(piece).collect::<String>() + "data: [DONE]\r\n\r\nleft over"
    }

    #[test]
    fn boundaries_try_every_cut() {
        let stream = stream(40);
        let recording = Recording {
            protocol: WireProtocol::ChatCompletions,
            http_status: 200,
            body: stream.as_bytes(),
            offered: None,
        };
        let boundaries = every_boundary(&recording);
        assert_eq!(boundaries.whole.text.split_whitespace().count(), 40);
        assert_eq!((boundaries.cuts, boundaries.differing), (stream.len(), vec![]));
    }
}
