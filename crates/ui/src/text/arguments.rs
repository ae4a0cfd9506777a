//! Formats a call's arguments: in one line, and as rows of a table. They come from a model, so they may be anything.

use std::collections::BTreeMap;

use serde_json::Value;

/// Most characters of a digest; more than the widest panel shows in a line.
const DIGEST_LIMIT: usize = 140;

/// Pairs of names that are shown as `from → to`.
const WAYS: [(&str, &str); 6] = [
    ("from", "to"),
    ("origin", "destination"),
    ("start", "end"),
    ("departure", "arrival"),
    ("source", "target"),
    ("min", "max"),
];

/// A summary in one line: strings as they are, other values with their names. Invalid JSON is returned as it is.
pub fn digest(arguments: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(arguments) else { return clip(arguments.trim()) };
    let Value::Object(object) = &value else { return clip(&short(&value)) };
    let mut entries: Vec<(&String, &Value)> = object.iter().collect();
    let mut parts = Vec::new();
    for (from, to) in WAYS {
        if let (Some(a), Some(b)) = (text(object.get(from)), text(object.get(to))) {
            parts.push(format!("{a} → {b}"));
            entries.retain(|(name, _)| *name != from && *name != to);
        }
    }
    for (name, value) in entries {
        match value {
            Value::String(text) => parts.push(text.clone()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                parts.push(format!("{name}: {}", short(value)));
            }
        }
    }
    clip(&parts.join(", "))
}

/// Name and value of each argument; `None` if they are not a JSON object, which can only be shown as text.
pub fn rows(arguments: &str) -> Option<Vec<(String, String)>> {
    let Value::Object(object) = serde_json::from_str(arguments).ok()? else { return None };
    Some(object.into_iter().map(|(name, value)| (name, cell(value))).collect())
}

/// An editable argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The value to edit: a string as it is, anything else as JSON.
    pub text: String,
    /// Whether the value is a string, and so stays one.
    pub is_text: bool,
}

/// The editable arguments; `None` if they are not a JSON object.
pub fn fields(arguments: &str) -> Option<Vec<Field>> {
    let Value::Object(object) = serde_json::from_str(arguments).ok()? else { return None };
    let field = |(name, value)| match value {
        Value::String(text) => Field { name, text, is_text: true },
        other => {
            Field { name, text: serde_json::to_string_pretty(&other).unwrap_or_default(), is_text: false }
        }
    };
    Some(object.into_iter().map(field).collect())
}

/// Returns the edited arguments as the JSON text of an object; `None` if there are none.
///
/// # Errors
/// The name of an argument that was not a string and is no valid JSON now.
pub fn edits(fields: &[Field], typed: &BTreeMap<String, String>) -> Result<Option<String>, String> {
    let mut edits = serde_json::Map::new();
    for (name, text) in typed {
        let is_text = fields.iter().any(|field| field.name == *name && field.is_text);
        let value = match is_text {
            true => Value::String(text.clone()),
            false => serde_json::from_str(text).map_err(|_| name.clone())?,
        };
        edits.insert(name.clone(), value);
    }
    Ok((!edits.is_empty()).then(|| Value::Object(edits).to_string()))
}

/// Indents JSON; other text is returned as it is.
pub fn pretty(text: &str) -> String {
    serde_json::from_str::<Value>(text)
        .ok()
        .and_then(|value| serde_json::to_string_pretty(&value).ok())
        .unwrap_or_else(|| text.to_owned())
}

/// Formats a value for a table. A string that could be read as JSON keeps its quotes, so that `"2"` and `2` differ.
fn cell(value: Value) -> String {
    match value {
        Value::String(text) if serde_json::from_str::<Value>(&text).is_ok() || text.is_empty() => {
            Value::String(text).to_string()
        }
        Value::String(text) => text,
        Value::Array(_) | Value::Object(_) => serde_json::to_string_pretty(&value).unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(list) => {
            let inner: Vec<String> = list.iter().take(8).map(short).collect();
            format!("[{}{}]", inner.join(", "), if list.len() > 8 { ", …" } else { "" })
        }
        Value::Object(object) if object.is_empty() => "{}".to_owned(),
        Value::Object(_) => "{…}".to_owned(),
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn clip(text: &str) -> String {
    let mut words = String::with_capacity(text.len().min(4 * DIGEST_LIMIT));
    for (count, word) in text.split_whitespace().enumerate() {
        if count > 0 {
            words.push(' ');
        }
        words.push_str(word);
        if words.len() > 4 * DIGEST_LIMIT {
            break;
        }
    }
    match words.char_indices().nth(DIGEST_LIMIT) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_shows_values_in_one_line() {
        assert_eq!(digest(r#"{"date":"2026-11-22","from":"PEK","to":"SHA"}"#), "PEK → SHA, 2026-11-22");
        assert_eq!(digest(r#"{"maxPrice":2000,"nonstop":true}"#), "maxPrice: 2000, nonstop: true");
        assert_eq!(digest(r#"{"deep":{"x":1},"ids":["a","b"]}"#), "deep: {…}, ids: [a, b]");
        assert_eq!(digest("{}"), "");
        assert_eq!(digest(""), "");
    }

    #[test]
    fn arguments_are_shown_verbatim_when_not_an_object() {
        assert_eq!(digest("{\"from\": \"PE"), "{\"from\": \"PE");
        assert_eq!(digest("[1,2]"), "[1, 2]");
        assert_eq!(rows("{\"from\": \"PE"), None);
        assert_eq!(rows("[1]"), None);
    }

    #[test]
    fn digest_is_cut_when_too_long() {
        let long = format!(r#"{{"text":"{}"}}"#, "长\\n".repeat(500));
        let digest = digest(&long);
        assert_eq!(digest.chars().count(), DIGEST_LIMIT + 1);
        assert!(!digest.contains('\n') && digest.ends_with('…'));
    }

    #[test]
    fn rows_distinguish_a_number_from_a_string() {
        let expected = [("a", "2"), ("b", "\"2\""), ("c", "two"), ("d", "\"\""), ("e", "[\n  1\n]")];
        let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(rows(r#"{"a":2,"b":"2","c":"two","d":"","e":[1]}"#), Some(expected));
    }

    #[test]
    fn edits_keep_text_as_text_and_json_as_json() {
        let fields = fields(r#"{"seats":2,"code":"2","legs":[1]}"#).unwrap();
        let text = |name: &str| fields.iter().find(|field| field.name == name).unwrap().text.clone();
        assert_eq!((text("seats"), text("code"), text("legs")), ("2".into(), "2".into(), "[\n  1\n]".into()));
        let edits = |typed: &[(&str, &str)]| {
            let typed = typed.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
            edits(&fields, &typed.collect())
        };
        assert_eq!(edits(&[]), Ok(None));
        let both = edits(&[("code", "3\n"), ("seats", "3")]).unwrap().unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&both).unwrap(),
            serde_json::json!({"code": "3\n", "seats": 3})
        );
        for broken in ["", "three", "[1"] {
            assert_eq!(edits(&[("code", "x"), ("seats", broken)]), Err("seats".to_owned()));
        }
        assert_eq!(super::fields("[1]"), None);
    }

    #[test]
    fn pretty_changes_nothing_when_not_json() {
        assert_eq!(pretty(r#"{"a":1}"#), "{\n  \"a\": 1\n}");
        assert_eq!(pretty("3 flights found"), "3 flights found");
    }
}
