//! What a result says. Tools that were written for the Model Context Protocol return its shape,
//! `{"content": [{"type": "text", "text": "…"}], "isError": true}`. The log keeps a result as it came; what is read to
//! models and users is read off it here.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};

/// Characters of a result that a model is given where the log says nothing else; the user keeps the whole.
pub const RESULT_LIMIT: usize = 20_000;

/// The members that tell the shape.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ResultShape {
    content: Value,
    is_error: Value,
}

/// The outcome as it is meant: of a result in that shape the text, or the failure that it tells. Any other is borrowed,
/// as it is.
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

/// The parts of a content, each on lines of its own: texts as they are, others as JSON. `None` when there are none, or
/// what there is has no type.
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
    fn the_shape_of_the_protocol_is_read() {
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
    fn everything_else_stays_as_it_is() {
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
            // The data of a page that a form led to is no tool's.
            ToolOutcome::Ok { content, page },
            ToolOutcome::Declined,
            failed("{}"),
        ] {
            assert!(matches!(read(&outcome), Cow::Borrowed(_)), "{outcome:?}");
        }
    }
}
