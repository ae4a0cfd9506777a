//! A recording cut in two at every place.
//!
//! Reading it anew for each place takes time with the square of its length. So it is read anew only at every
//! [`BLOCK`]th byte. Between two of those places, the decoder that has read as far as the first one reads on to the
//! second, cut at every byte: it must tell the same and be in the same state. From there on all that follows is the
//! same.

use super::{Outcome, Recording};

/// Bytes between the places at which a recording is read anew.
const BLOCK: usize = 256;

/// What cutting a recording came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundaries {
    /// What it comes to in one piece.
    pub whole: Outcome,
    /// How often it was cut. The pieces of one byte each count as one.
    pub cuts: usize,
    /// The bytes before which a cut made a difference, in order; the pieces of one byte each count as a cut at 0.
    pub differing: Vec<usize>,
}

/// Reads a recording in one piece, in two pieces for every place where it can be cut, and byte by byte.
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
    fn every_place_is_tried_and_makes_no_difference() {
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
