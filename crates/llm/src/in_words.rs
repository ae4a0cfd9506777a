//! Tools for models that cannot be given any: the request describes them in words, the model writes its call into its
//! text, and [`crate::Decoder`] finds it there as it finds calls that leak.
//!
//! One call an answer, as JSON in a fence of Markdown: that is what models have read most of, and what a person who
//! sees the raw text understands.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::json;

use crate::message::{CallRecord, Message, ToolDefinition};
use crate::request::ChatRequest;

/// The name under which [`ChatRequest::leave_out`] says that an endpoint takes no tools.
pub const TOOLS: &str = "tools";

/// Whether a request is to describe its tools in words.
#[must_use]
pub fn is_wanted(request: &ChatRequest) -> bool {
    request.leave_out.iter().any(|field| field == TOOLS)
}

/// The request with its tools, and all that was said of calls, in words, where that is wanted.
pub(crate) fn worded(request: &ChatRequest) -> Cow<'_, ChatRequest> {
    if !is_wanted(request) {
        return Cow::Borrowed(request);
    }
    let mut messages = Vec::new();
    if !request.tools.is_empty() {
        messages.push(Message::System { text: offer(&request.tools) });
    }
    for message in &request.messages {
        say(&mut messages, worded_message(message));
    }
    Cow::Owned(ChatRequest { messages, tools: Vec::new(), tool_choice: None, ..request.clone() })
}

/// What a model is told of its tools.
fn offer(tools: &[ToolDefinition]) -> String {
    let mut text = String::from(
        "You have tools. To call one, end your answer with one block like this and write nothing behind it:\n\n",
    );
    text.push_str(&block("TOOL_NAME", &json!({"ARGUMENT": "VALUE"}).to_string()));
    text.push_str(
        "\n\nThe result comes in the next message. Call one tool at a time, only when it is needed, and only these \
         tools, each with the arguments that its JSON Schema allows. To answer without a tool, just answer.\n",
    );
    for ToolDefinition { name, description, parameters } in tools {
        let _ = write!(text, "\n- `{name}`: {}\n  Arguments: {parameters}", description.trim());
    }
    text
}

fn worded_message(message: &Message) -> Message {
    match message {
        Message::Assistant { text, calls, .. } => {
            let mut parts: Vec<String> =
                Some(text.clone()).filter(|text| !text.is_empty()).into_iter().collect();
            parts.extend(calls.iter().map(|CallRecord { name, arguments, .. }| block(name, arguments)));
            Message::Assistant {
                reasoning: String::new(),
                text: parts.join("\n\n"),
                calls: Vec::new(),
                echo: None,
            }
        }
        Message::Tool { name, text, .. } => Message::User { text: format!("Result of `{name}`:\n\n{text}") },
        Message::System { .. } | Message::User { .. } => message.clone(),
    }
}

/// Appends a message; what one side says in a row is one message, since models of this kind want the sides to take
/// turns.
fn say(messages: &mut Vec<Message>, message: Message) {
    match (messages.last_mut(), message) {
        (Some(Message::System { text }), Message::System { text: more }) => {
            // The rules first, then the tools.
            *text = format!("{more}\n\n{text}");
        }
        (Some(Message::User { text }), Message::User { text: more }) => {
            text.push_str("\n\n");
            text.push_str(&more);
        }
        (_, message) => messages.push(message),
    }
}

/// A call as the model is to write it. Arguments that are no JSON stay as they were written.
fn block(name: &str, arguments: &str) -> String {
    format!("```json\n{{\"name\": {}, \"arguments\": {arguments}}}\n```", json!(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::endpoint;
    use crate::{Decoder, build};

    fn request() -> ChatRequest {
        let call = |id: &str, name: &str, arguments: &str| CallRecord {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        let result = |id: &str, name: &str, text: &str| Message::Tool {
            call_id: id.to_owned(),
            name: name.to_owned(),
            text: text.to_owned(),
        };
        let answer = |text: &str, calls: Vec<CallRecord>| Message::Assistant {
            reasoning: "thoughts".to_owned(),
            text: text.to_owned(),
            calls,
            echo: None,
        };
        ChatRequest {
            model: "m".to_owned(),
            messages: vec![
                Message::System { text: "Be helpful.".to_owned() },
                Message::User { text: "Find two.".to_owned() },
                answer(
                    "I look.",
                    vec![call("1", "find", r#"{"what":"a"}"#), call("2", "find", r#"{"what":"b"}"#)],
                ),
                result("1", "find", "A."),
                result("2", "find", "B."),
                answer("Both are there.", Vec::new()),
                Message::User { text: "Thanks.".to_owned() },
            ],
            tools: vec![ToolDefinition {
                name: "find".to_owned(),
                description: "Finds.".to_owned(),
                parameters: json!({"type": "object", "properties": {"what": {"type": "string"}}}),
            }],
            leave_out: vec![TOOLS.to_owned()],
            ..ChatRequest::default()
        }
    }

    #[test]
    fn tools_calls_and_results_are_said_in_words() {
        let request = request();
        let worded = worded(&request);
        assert!(worded.tools.is_empty());
        let Message::System { text } = &worded.messages[0] else { panic!("the rules come first") };
        assert!(text.starts_with("Be helpful.\n\nYou have tools."));
        assert!(text.ends_with(
            "- `find`: Finds.\n  Arguments: {\"properties\":{\"what\":{\"type\":\"string\"}},\"type\":\"object\"}"
        ) || text.ends_with(
            "- `find`: Finds.\n  Arguments: {\"type\":\"object\",\"properties\":{\"what\":{\"type\":\"string\"}}}"
        ));
        let said: Vec<String> = worded.messages[1..]
            .iter()
            .map(|message| match message {
                Message::User { text } => format!("user: {text}"),
                Message::Assistant { text, reasoning, calls, .. } => {
                    assert!(reasoning.is_empty() && calls.is_empty());
                    format!("assistant: {text}")
                }
                other => panic!("nothing else is said: {other:?}"),
            })
            .collect();
        let find = |what: &str| {
            format!("```json\n{{\"name\": \"find\", \"arguments\": {{\"what\":\"{what}\"}}}}\n```")
        };
        assert_eq!(
            said,
            [
                "user: Find two.".to_owned(),
                format!("assistant: I look.\n\n{}\n\n{}", find("a"), find("b")),
                "user: Result of `find`:\n\nA.\n\nResult of `find`:\n\nB.".to_owned(),
                "assistant: Both are there.".to_owned(),
                "user: Thanks.".to_owned(),
            ]
        );
    }

    #[test]
    fn no_service_is_sent_a_tool_or_told_of_one_otherwise() {
        for (provider, base_url) in [
            ("custom", "https://llm.example/v1"),
            ("openai", "https://api.openai.com/v1"),
            ("anthropic", "https://api.anthropic.com"),
            ("gemini", "https://generativelanguage.googleapis.com/v1beta"),
            ("ollama", "http://localhost:11434"),
        ] {
            let body = build(&endpoint(provider, base_url), &request()).unwrap().body;
            let body: serde_json::Value = serde_json::from_str(&body).unwrap();
            for field in ["tools", "tool_choice", "toolConfig"] {
                assert!(body.get(field).is_none(), "{provider}: {field}");
            }
            assert!(body.to_string().contains("You have tools."), "{provider}");
        }
        let native = ChatRequest { leave_out: Vec::new(), ..request() };
        assert!(matches!(worded(&native), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_asked_for_is_what_is_found() {
        let answer = format!("I look.\n\n{}", block("find", r#"{"what":"a"}"#));
        let stream = format!(
            "data: {}\n\ndata: [DONE]\n\n",
            json!({"choices": [{"delta": {"content": answer}, "finish_reason": "stop"}]})
        );
        let mut decoder = Decoder::new().offering(["find".to_owned()]);
        decoder.feed(stream.as_bytes());
        let answer = decoder.end().unwrap();
        assert_eq!((answer.text.trim(), answer.calls[0].name.as_str()), ("I look.", "find"));
        assert_eq!(answer.calls[0].arguments, r#"{"what":"a"}"#);
    }
}
