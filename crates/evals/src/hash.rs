//! Hashes: two reports speak of the same suite, tools and prompt if these are the same.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// SHA-256 of a text, in hexadecimal.
#[must_use]
pub fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of a value, in hexadecimal. The order of keys does not count.
#[must_use]
pub fn hash_of(value: &Value) -> String {
    hash(&sorted(value))
}

/// The value's text, keys in order.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members.iter().collect();
            let members: Vec<_> = members
                .into_iter()
                .map(|(key, member)| format!("{}:{}", Value::from(key.as_str()), sorted(member)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(sorted).collect();
            format!("[{}]", items.join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_sha_256_and_knows_no_order_of_keys() {
        assert!(hash("abc").starts_with("ba7816bf8f01cfea") && hash("abc").len() == 64);
        let of = |text: &str| hash_of(&serde_json::from_str(text).unwrap());
        assert_eq!(
            of(r#"{"b": [1, {"d": 1, "c": "x"}], "a": null}"#),
            of(r#"{"a":null,"b":[1,{"c":"x","d":1}]}"#)
        );
        assert_ne!(of("[1,2]"), of("[2,1]"));
    }
}
