//! Bytes as base64 and back.

const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What fills up the last group of four.
const FILL: u8 = b'=';

/// Appends bytes to a text. Only the last part of a file may have a length that three does not divide.
pub fn encode(bytes: &[u8], text: &mut String) {
    for group in bytes.chunks(3) {
        let bits =
            (0..3).fold(0, |bits, place| bits << 8 | usize::from(group.get(place).copied().unwrap_or(0)));
        for place in 0..4 {
            let sign = if place <= group.len() { SIGNS[bits >> (18 - 6 * place) & 63] } else { FILL };
            text.push(char::from(sign));
        }
    }
}

/// Appends the bytes of a text. It may consist of several that were made one by one. `None` if it is no base64.
pub fn decode(text: &str, bytes: &mut Vec<u8>) -> Option<()> {
    for group in text.as_bytes().chunks(4) {
        let signs = group.iter().take_while(|sign| **sign != FILL).count();
        if group.len() < 4 || signs < 2 || group[signs..].iter().any(|sign| *sign != FILL) {
            return None;
        }
        let mut bits = 0;
        for sign in &group[..signs] {
            bits = bits << 6 | value(*sign)?;
        }
        bits <<= 6 * (4 - signs);
        let [_, all @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(&all[..signs - 1]);
    }
    Some(())
}

fn value(sign: u8) -> Option<u32> {
    let (base, first) = match sign {
        b'A'..=b'Z' => (0, b'A'),
        b'a'..=b'z' => (26, b'a'),
        b'0'..=b'9' => (52, b'0'),
        b'+' => return Some(62),
        b'/' => return Some(63),
        _ => return None,
    };
    Some(base + u32::from(sign - first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(bytes: &[u8]) -> String {
        let mut text = String::new();
        encode(bytes, &mut text);
        text
    }

    fn decoded(text: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        decode(text, &mut bytes).map(|()| bytes)
    }

    #[test]
    fn bytes_are_written_as_base64() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foobar", "Zm9vYmFy"),
            (&[0xfb, 0xff, 0xfe], "+//+"),
        ] {
            assert_eq!(encoded(bytes), text);
            assert_eq!(decoded(text).as_deref(), Some(bytes));
        }
    }

    #[test]
    fn every_byte_survives_in_every_place() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).chain([7]).collect();
        assert_eq!(decoded(&encoded(&bytes)), Some(bytes));
    }

    #[test]
    fn texts_made_one_by_one_are_read_as_one() {
        assert_eq!(decoded("Zg==Zm8=").as_deref(), Some(&b"ffo"[..]));
    }

    #[test]
    fn other_texts_are_no_base64() {
        for text in ["Zg=", "Zg", "Z===", "====", "Z=g=", "Zm9v\n", "Zm9?"] {
            assert_eq!(decoded(text), None, "{text}");
        }
    }
}
