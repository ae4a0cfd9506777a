//! Long texts on their way to a panel.

use sidecar_protocol::history::PIECE_LIMIT;

/// Hands over a long text in parts of a size that travels in one message.
pub fn in_pieces(text: &str, piece: &impl Fn(String)) {
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(PIECE_LIMIT).map_or(rest.len(), |(end, _)| end);
        let (first, behind) = rest.split_at(end);
        piece(first.to_owned());
        rest = behind;
    }
}
