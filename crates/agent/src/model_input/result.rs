//! The text of a tool's result. Tools written for the Model Context Protocol return its shape, `{"content":
//! [{"type": "text", "text": "…"}], "isError": true}`. The log keeps the original result; what models and
//! users read is derived here.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};

/// How many characters of a result the model is given unless the log says otherwise. The user sees the
/// whole.
pub const RESULT_LIMIT: usize = 20_000;

/// The members by which the shape is recognised.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ResultShape {
    content: Value,
    is_error: Value,
}

/// The outcome as meant: for a result in that shape, its text, or a failure if it says so. Any other
/// outcome is borrowed unchanged.
#[must_use]
pub fn read(outcome: &ToolOutcome) -> Cow<'_, ToolOutcome> {
    let ToolOutcome::Ok { content, page: PageEffect::Stayed } = outcome else {
        return Cow::Borrowed(outcome);
    };
    let [Content::Text(result)] = content.as_slice() else { return Cow::Borrowed(outcome) };
    if !result.starts_with('{') {
        return Cow::Borrowed(outcome);
    }
    let ResultShape { content, is_error } = serde_json::from_str(result).unwrap_or_default();
    match (text_of(&content), is_error) {
        (message, Value::Bool(true)) => Cow::Owned(ToolOutcome::Failed {
            code: ToolFailure::Page(FailureCode::Threw),
            message: message.unwrap_or_else(|| result.clone()),
        }),
        (Some(text), _) => Cow::Owned(ToolOutcome::ok(text)),
        (None, _) => Cow::Borrowed(outcome),
    }
}

/// The blocks of a `content` member, each on lines of its own: text as it is, others as JSON. `None` if
/// there are none, or if one has no type.
fn text_of(content: &Value) -> Option<String> {
    let parts = content.as_array().filter(|parts| !parts.is_empty())?;
    let texts: Option<Vec<String>> = parts
        .iter()
        .map(|part| match (part.get("type")?.as_str()?, part.get("text")) {
            ("text", Some(Value::String(text))) => Some(text.clone()),
            _ => Some(part.to_string()),
        })
        .collect();
    Some(texts?.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(result: &str) -> ToolOutcome {
        ToolOutcome::ok(result)
    }

    fn failed(message: &str) -> ToolOutcome {
        ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Threw), message: message.to_owned() }
    }

    #[test]
    fn result_in_the_mcp_shape_is_read() {
        for (result, expected) in [
            (r#"{"content":[{"type":"text","text":"Two flights."}]}"#, ok("Two flights.")),
            (
                r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":false}"#,
                ok("a\nb"),
            ),
            (
                r#"{"content":[{"type":"text","text":"a"},{"data":"AA==","type":"image"},{"type":"text"}]}"#,
                ok("a\n{\"data\":\"AA==\",\"type\":\"image\"}\n{\"type\":\"text\"}"),
            ),
            (r#"{"content":[{"type":"text","text":"No seats."}],"isError":true}"#, failed("No seats.")),
            (r#"{"content":[],"isError":true}"#, failed(r#"{"content":[],"isError":true}"#)),
            (r#"{"isError":true,"why":"full"}"#, failed(r#"{"isError":true,"why":"full"}"#)),
        ] {
            assert_eq!(*read(&ok(result)), expected, "{result}");
        }
    }

    #[test]
    fn result_in_any_other_shape_is_unchanged() {
        for result in [
            "",
            "Two flights.",
            "{",
            "[1,2]",
            r#"{"flights":2}"#,
            r#"{"content":"a"}"#,
            r#"{"content":[]}"#,
            r#"{"content":["a"]}"#,
            r#"{"content":[{"text":"a"}]}"#,
            r#"{"isError":"true"}"#,
            r#" [{"content":[{"type":"text","text":"a"}]}]"#,
        ] {
            assert!(matches!(read(&ok(result)), Cow::Borrowed(_)), "{result}");
        }
        let page = PageEffect::Opened { origin: String::new(), site: String::new() };
        let content = vec![Content::Text(r#"{"content":[],"isError":true}"#.to_owned())];
        for outcome in [
            ToolOutcome::left(),
            // The text of a page to which a form led is not the tool's.
            ToolOutcome::Ok { content, page },
            ToolOutcome::Declined,
            failed("{}"),
        ] {
            assert!(matches!(read(&outcome), Cow::Borrowed(_)), "{outcome:?}");
        }
    }
}
