//! Addresses in recordings.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

/// Maximum characters of a path.
const MOST_PATH: usize = 1_000;
/// Maximum number of parameters.
const MOST_PARAMETERS: usize = 30;
/// Maximum characters of a parameter's value.
const MOST_VALUE: usize = 4_000;

/// An address that a step can lead to.
pub(super) struct RecordedAddress {
    /// Scheme, host and port.
    pub origin: String,
    /// Its path.
    pub path: String,
    /// Its parameters.
    pub query: Map<String, Value>,
    /// Whether something of the query or a fragment is lost.
    pub lost_parameters: bool,
}

impl RecordedAddress {
    /// Reads an address of the web; `None` if it is none, or has a user's name in it.
    pub(super) fn read(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        if !matches!(scheme, "http" | "https") {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, rest) = rest.split_at(end);
        let is_host =
            |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | ':' | '[' | ']');
        if host.is_empty() || !host.chars().all(is_host) {
            return None;
        }
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let path = if path.is_empty() { "/" } else { path };
        let is_plain =
            !path.starts_with("//") && !path.contains(['\\', '{', '}']) && path.chars().count() <= MOST_PATH;
        if !is_plain || path.chars().any(char::is_control) {
            return None;
        }
        let mut lost_parameters = !fragment.is_empty();
        let mut parameters = Map::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match (decoded(name), decoded(value)) {
                (Some(name), Some(value))
                    if is_name(&name)
                        && parameters.len() < MOST_PARAMETERS
                        && !parameters.contains_key(&name)
                        && value.chars().count() <= MOST_VALUE
                        && !value.contains("{{") =>
                {
                    parameters.insert(name, Value::String(value));
                }
                _ => lost_parameters = true,
            }
        }
        let origin = format!("{scheme}://{}", host.to_ascii_lowercase());
        Some(Self { origin, path: path.to_owned(), query: parameters, lost_parameters })
    }
}

fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

fn is_name(name: &str) -> bool {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '[' | ']' | '-');
    (1..=64).contains(&name.len()) && name.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn address_is_taken_apart() {
        let read = |url: &str| {
            let address = RecordedAddress::read(url)?;
            Some((address.origin, address.path, Value::Object(address.query), address.lost_parameters))
        };
        let some = |origin: &str, path: &str, query: Value, lost| {
            Some((origin.to_owned(), path.to_owned(), query, lost))
        };
        let origin = "https://a.example";
        assert_eq!(read("https://A.example"), some(origin, "/", json!({}), false));
        assert_eq!(
            read("https://a.example/b%20c/?q=a+b%26&x%5B%5D=1"),
            some(origin, "/b%20c/", json!({"q": "a b&", "x[]": "1"}), false)
        );
        assert_eq!(read("https://a.example/?a=1&a=2#top"), some(origin, "/", json!({"a": "1"}), true));
        assert_eq!(read("https://a.example/?q={{x}}"), some(origin, "/", json!({}), true));
        for none in [
            "",
            "chrome://newtab/",
            "https://",
            "https://me@a.example/",
            "https://a.example//b",
            "https://a.example/{{x}}",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
