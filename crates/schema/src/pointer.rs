//! Resolves references within a schema.

use std::borrow::Cow;

use serde_json::Value;

/// The target of a reference (`#`, `#/$defs/leg`): a JSON Pointer in a fragment, RFC 6901 section 6. `None`
/// if it leads nowhere, or is of another kind: an address, or the name of an anchor.
#[must_use]
pub fn target<'s>(schema: &'s Value, reference: &str) -> Option<&'s Value> {
    schema.pointer(&decoded(reference.strip_prefix('#')?)?)
}

/// Appends a name to a pointer, as `/a~1b`.
pub(crate) fn push(pointer: &mut String, name: &str) {
    pointer.push('/');
    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
}

/// A fragment with percent-encoding decoded; `None` if the result is not UTF-8.
fn decoded(fragment: &str) -> Option<Cow<'_, str>> {
    if !fragment.contains('%') {
        return Some(Cow::Borrowed(fragment));
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                bytes.push(digit(*high)? << 4 | digit(*low)?);
                rest = after;
            }
            (b'%', _) => return None,
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_lead_to_parts() {
        let schema = json!({"$defs": {"a b": 1, "ü": 2, "x/y": 3}});
        for (reference, expected) in [
            ("#", Some(schema.clone())),
            ("#/$defs/a%20b", Some(json!(1))),
            ("#/%24defs/%c3%BC", Some(json!(2))),
            ("#/$defs/x~1y", Some(json!(3))),
            ("#/$defs/z", None),
            ("#/$defs/a%2", None),
            ("#/$defs/%zz", None),
            ("#/$defs/%ff", None),
            ("#anchor", None),
            ("other.json#/$defs/a", None),
            ("", None),
        ] {
            assert_eq!(target(&schema, reference), expected.as_ref(), "{reference}");
        }
    }
}
