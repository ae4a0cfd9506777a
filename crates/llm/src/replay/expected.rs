//! The expected outcomes of recordings, and the differences from them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::{Outcome, Recording, ReplayedCall, every_boundary, protocol};

/// An `expected.json`: the recordings of a folder and their expected outcomes. Other fields are for the
/// reader.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Expectations {
    /// One for each recording.
    pub items: Vec<ExpectedItem>,
}

/// The expected outcome of one recording.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ExpectedItem {
    /// The name of its file.
    pub file: String,
    /// As in [`super::PROTOCOLS`].
    pub protocol: String,
    /// Its HTTP status; a success by default.
    #[serde(default = "ok")]
    pub http_status: u16,
    /// The outcome.
    pub expected: Expected,
}

/// An expected outcome. A missing or `null` field means that there is nothing.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Expected {
    /// Equal to [`Outcome::text`].
    pub text: Option<String>,
    /// Equal to [`Outcome::reasoning`].
    pub reasoning: Option<String>,
    /// Equal to [`Outcome::refusal`].
    pub refusal: Option<String>,
    /// In the same number and order.
    pub tool_calls: Vec<ExpectedCall>,
    /// Equal to [`Outcome::finish_reason`].
    pub finish_reason: Option<String>,
    /// Equal to [`Outcome::usage`].
    pub usage: Option<Value>,
    /// The expected error.
    pub error: Option<ExpectedError>,
}

/// An expected call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ExpectedCall {
    /// Its id; `null` or missing for any that is not empty.
    #[serde(default)]
    pub id: Option<String>,
    /// Its name.
    pub name: String,
    /// The parsed arguments; `null` if they are invalid JSON.
    #[serde(rename = "arguments_json")]
    pub arguments: Value,
    /// Whether it may run.
    pub executable: bool,
}

/// An expected error.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ExpectedError {
    /// Its class; missing for any.
    #[serde(default)]
    pub class: Option<String>,
    /// A part of its message.
    pub message: String,
}

fn ok() -> u16 {
    200
}

impl Expectations {
    /// Compares the recordings of a folder, by file name, with what is expected of them; with every cut, if
    /// wanted. Returns each name, in order, with the differences: none if all is well. A recording that is
    /// not expected is an error, and so is one that is missing or expected twice.
    #[must_use]
    pub fn check(
        &self,
        recordings: &BTreeMap<String, Vec<u8>>,
        every_cut: bool,
    ) -> BTreeMap<String, Vec<String>> {
        let mut found: BTreeMap<_, _> = recordings
            .keys()
            .map(|file| (file.clone(), vec!["nothing is expected of it".to_owned()]))
            .collect();
        let mut seen = BTreeSet::new();
        for item in &self.items {
            let wrong = match recordings.get(&item.file) {
                _ if !seen.insert(&item.file) => vec!["it is expected twice".to_owned()],
                Some(body) => item.check(body, every_cut),
                None => vec!["there is no such file".to_owned()],
            };
            found.insert(item.file.clone(), wrong);
        }
        found
    }
}

impl ExpectedItem {
    fn check(&self, body: &[u8], every_cut: bool) -> Vec<String> {
        let Some(protocol) = protocol(&self.protocol) else {
            return vec![format!("`{}` is no protocol", self.protocol)];
        };
        let recording = Recording { protocol, http_status: self.http_status, body, offered: None };
        if !every_cut {
            return self.expected.differences(&recording.read());
        }
        let boundaries = every_boundary(&recording);
        let mut wrong = self.expected.differences(&boundaries.whole);
        wrong.extend(
            boundaries.differing.iter().map(|at| format!("cut at byte {at} it comes to something else")),
        );
        wrong
    }
}

impl Expected {
    /// The differences of an outcome, one line for each field.
    #[must_use]
    pub fn differences(&self, outcome: &Outcome) -> Vec<String> {
        let mut wrong = Vec::new();
        for (name, expected, found) in [
            ("text", &self.text, &outcome.text),
            ("reasoning", &self.reasoning, &outcome.reasoning),
            ("refusal", &self.refusal, &outcome.refusal),
            ("finish_reason", &self.finish_reason, &outcome.finish_reason),
        ] {
            let expected = expected.as_deref().unwrap_or_default();
            if expected != found {
                wrong.push(format!("{name}: expected {expected:?}, found {found:?}"));
            }
        }
        if self.usage != outcome.usage {
            let [expected, found] =
                [&self.usage, &outcome.usage].map(|usage| usage.clone().unwrap_or_default());
            wrong.push(format!("usage: expected {expected}, found {found}"));
        }
        let (expected, found) = (self.tool_calls.len(), outcome.tool_calls.len());
        if expected != found {
            wrong.push(format!("tool_calls: expected {expected} of them, found {found}"));
        }
        for (index, (expected, found)) in self.tool_calls.iter().zip(&outcome.tool_calls).enumerate() {
            wrong.extend(
                expected.differences(found).into_iter().map(|what| format!("tool_calls[{index}].{what}")),
            );
        }
        wrong.extend(self.error_difference(outcome));
        wrong
    }

    fn error_difference(&self, outcome: &Outcome) -> Option<String> {
        let said = outcome.error.as_ref().map(|error| format!("{}, {:?}", error.class, error.message));
        match (&self.error, &outcome.error) {
            (None, None) => None,
            (None, Some(_)) => Some(format!("error: expected none, found {}", said.unwrap_or_default())),
            (Some(expected), Some(found))
                if found.message.contains(&expected.message)
                    && expected.class.as_ref().is_none_or(|class| class == found.class) =>
            {
                None
            }
            (Some(ExpectedError { class, message }), _) => Some(format!(
                "error: expected {}, {message:?}, found {}",
                class.as_deref().unwrap_or("any class"),
                said.as_deref().unwrap_or("none")
            )),
        }
    }
}

impl ExpectedCall {
    fn differences(&self, found: &ReplayedCall) -> Vec<String> {
        let mut wrong = Vec::new();
        let is_its = self.id.as_ref().map_or(!found.id.is_empty(), |id| *id == found.id);
        if !is_its {
            wrong.push(format!("id: expected {}, found {:?}", self.id.as_deref().unwrap_or("any"), found.id));
        }
        if self.name != found.name {
            wrong.push(format!("name: expected {:?}, found {:?}", self.name, found.name));
        }
        if self.arguments != found.arguments {
            wrong.push(format!("arguments: expected {}, found {}", self.arguments, found.arguments));
        }
        if self.executable != found.executable {
            wrong.push(format!("executable: expected {}, found {}", self.executable, found.executable));
        }
        wrong
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BODY: &str = concat!(
        r#"data: {"choices":[{"delta":{"reasoning_content":"Hm.","content":"Hi","tool_calls":["#,
        r#"{"index":0,"function":{"name":"find","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}],"#,
        r#""usage":{"prompt_tokens":1}}"#,
        "\n\ndata: [DONE]\n\n",
    );

    fn expected() -> Value {
        json!({
            "text": "Hi", "reasoning": "Hm.", "refusal": null, "finish_reason": "tool_calls",
            "usage": {"prompt_tokens": 1},
            "tool_calls": [{"id": null, "name": "find", "arguments_json": {"a": 1}, "executable": true}],
        })
    }

    fn check(files: &[&str], items: &Value) -> BTreeMap<String, Vec<String>> {
        let expectations: Expectations = serde_json::from_value(json!({ "items": items })).unwrap();
        let recordings = files.iter().map(|file| ((*file).to_owned(), BODY.as_bytes().to_vec())).collect();
        expectations.check(&recordings, true)
    }

    fn item(expected: &Value) -> Value {
        json!({"file": "a.txt", "protocol": "openai-chat", "expected": expected})
    }

    #[test]
    fn recording_passes_when_as_expected() {
        let found = check(&["a.txt"], &json!([item(&expected())]));
        assert_eq!(found, [("a.txt".to_owned(), vec![])].into());
    }

    #[test]
    fn each_field_is_compared() {
        for (path, other) in [
            ("/text", json!("Ho")),
            ("/text", Value::Null),
            ("/reasoning", json!("")),
            ("/refusal", json!("No.")),
            ("/finish_reason", json!("stop")),
            ("/usage", json!({"prompt_tokens": 2})),
            ("/usage", Value::Null),
            ("/tool_calls", json!([])),
            ("/tool_calls/0/id", json!("call_9")),
            ("/tool_calls/0/name", json!("found")),
            ("/tool_calls/0/arguments_json", json!({"a": 2})),
            ("/tool_calls/0/executable", json!(false)),
        ] {
            let mut expected = expected();
            *expected.pointer_mut(path).unwrap() = other;
            let found = check(&["a.txt"], &json!([item(&expected)]));
            let field = path.rsplit('/').next().unwrap().trim_end_matches("_json");
            assert!(matches!(&found["a.txt"][..], [one] if one.contains(field)), "{path}: {found:?}");
        }
    }

    #[test]
    fn errors_are_compared_by_class_and_part_of_the_message() {
        let wrong = |status: u16, error: Value| {
            let items = json!([{"file": "a.txt", "protocol": "openai-chat", "http_status": status,
                                "expected": {"error": error}}]);
            let expectations: Expectations = serde_json::from_value(json!({ "items": items })).unwrap();
            let body = br#"{"error":{"message":"The key is wrong."}}"#.to_vec();
            expectations.check(&[("a.txt".to_owned(), body)].into(), false)["a.txt"].len()
        };
        assert_eq!(wrong(401, json!({"class": "auth", "message": "key"})), 0);
        assert_eq!(wrong(401, json!({"message": "The key is wrong."})), 0);
        assert_eq!(wrong(401, json!({"class": "money", "message": "key"})), 1);
        assert_eq!(wrong(401, json!({"message": "other"})), 1);
        assert_eq!(wrong(401, Value::Null), 1);
        assert_eq!(wrong(500, json!({"class": "auth", "message": "key"})), 1);
    }

    #[test]
    fn missing_and_unexpected_recordings_are_errors() {
        let known = item(&expected());
        for (files, items) in [
            (vec!["a.txt", "b.txt"], json!([known])),
            (vec![], json!([known])),
            (vec!["a.txt"], json!([known, known])),
            (vec!["a.txt"], json!([{"file": "a.txt", "protocol": "morse", "expected": {}}])),
        ] {
            let found = check(&files, &items);
            assert_eq!(found.values().filter(|wrong| !wrong.is_empty()).count(), 1, "{found:?}");
        }
    }
}
