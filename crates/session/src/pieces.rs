//! Splits long texts into messages for a panel.

use sidecar_protocol::history::PIECE_LIMIT;

/// Passes a text to `piece` in parts of at most [`PIECE_LIMIT`] characters.
pub fn in_pieces(text: &str, piece: &impl Fn(String)) {
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(PIECE_LIMIT).map_or(rest.len(), |(end, _)| end);
        let (first, behind) = rest.split_at(end);
        piece(first.to_owned());
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn text_is_split_into_pieces_by_characters() {
        let text = "世".repeat(2 * PIECE_LIMIT) + "!";
        let pieces = RefCell::new(Vec::new());
        in_pieces(&text, &|piece| pieces.borrow_mut().push(piece));
        let pieces = pieces.into_inner();
        let lengths: Vec<_> = pieces.iter().map(|piece| piece.chars().count()).collect();
        assert_eq!((lengths, pieces.concat()), (vec![PIECE_LIMIT, PIECE_LIMIT, 1], text));
    }

    #[test]
    fn empty_text_has_no_pieces() {
        in_pieces("", &|piece| panic!("{piece:?}"));
    }
}
