//! Prompted tool calling, for models without tool calling of their own: the request describes the tools in
//! its prompt, the model writes its call into its text, and [`crate::Decoder`] finds it there like an
//! inline call.
//!
//! One call per answer, as JSON in a fenced block of Markdown: models have seen this form most often, and
//! people understand it when they see the raw text. If the server can constrain an answer to a schema, the
//! whole answer is one JSON object, a call or text for the user, so that even the smallest models write
//! calls that can be read.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::json;
use sidecar_protocol::settings::ToolForm;

use crate::conversation::message::{CallRecord, Message, ToolDefinition};
use crate::dialects::Dialect;
use crate::request::chat_request::ChatRequest;

mod answer_schema;
mod envelope;

pub(crate) use answer_schema::AnswerSchema;
pub(crate) use envelope::Envelope;

/// The entry of [`ChatRequest::leave_out`] that says that an endpoint accepts no tools.
pub const TOOLS: &str = "tools";

/// How a model is told of its tools in a dialect, if these fields are left out.
pub(crate) fn form(dialect: &Dialect, leave_out: &[String]) -> ToolForm {
    let is_taken = |field: &str| !leave_out.iter().any(|name| name == field);
    match dialect.constraint {
        _ if dialect.takes_tools && is_taken(TOOLS) => ToolForm::Native,
        Some(constraint) if is_taken(constraint.field()) => ToolForm::Schema,
        Some(_) | None => ToolForm::Prompted,
    }
}

/// The form of a request. Without tools there is no schema for the answer.
pub(crate) fn form_of(dialect: &Dialect, request: &ChatRequest) -> ToolForm {
    match form(dialect, &request.leave_out) {
        ToolForm::Schema if request.tools.is_empty() => ToolForm::Prompted,
        form => form,
    }
}

/// The request in a form: for prompted tool calling, its tools and the history of calls become text.
pub(crate) fn with_prompted_tools(request: &ChatRequest, form: ToolForm) -> Cow<'_, ChatRequest> {
    let is_constrained = match form {
        ToolForm::Native => return Cow::Borrowed(request),
        ToolForm::Prompted => false,
        ToolForm::Schema => true,
    };
    let mut messages = Vec::new();
    if !request.tools.is_empty() {
        let introduction = if is_constrained { offer_by_schema() } else { offer() };
        messages.push(Message::System { text: introduction + &list(&request.tools) });
    }
    let mut rest = request.messages.iter().peekable();
    while let Some(message) = rest.next() {
        say(&mut messages, prompted_message(message, is_constrained));
        let ends_results = is_result(message) && !rest.peek().is_some_and(|following| is_result(following));
        if is_constrained && ends_results {
            say(&mut messages, Message::User { text: REMINDER.to_owned() });
        }
    }
    Cow::Owned(ChatRequest { messages, tools: Vec::new(), tool_choice: None, ..request.clone() })
}

/// The instructions for calls as fenced JSON.
fn offer() -> String {
    format!(
        "You have tools. To call one, end your answer with one block like this and write nothing behind it:\n\n{}\n\n\
         The result comes in the next message. Call one tool at a time, only when it is needed, and only these \
         tools, each with the arguments that its JSON Schema allows. To answer without a tool, just answer.\n",
        block("TOOL_NAME", &json!({"ARGUMENT": "VALUE"}).to_string()),
    )
}

/// The instructions for answers that are JSON. The smallest models need both examples: a call, and text.
fn offer_by_schema() -> String {
    format!(
        "You have tools. Answer with one JSON object and nothing else. To call a tool:\n\n{}\n\n\
         To say something to the user:\n\n{}\n\n\
         The result of a call comes in the next message. Call one tool at a time, only when it is needed, and only \
         these tools, each with the arguments that its JSON Schema allows.\n\n\
         For example, with a tool `set_light` you would answer \"Switch on the light in the kitchen.\" with\n\n{}\n\n\
         and its result, \"The light is on.\", with\n\n{}\n\nYour tools:\n",
        object("TOOL_NAME", &json!({"ARGUMENT": "VALUE"}).to_string()),
        words("TEXT"),
        object("set_light", &json!({"room": "kitchen"}).to_string()),
        words("The light in the kitchen is on."),
    )
}

/// Follows the results of calls. Without it the smallest models nearly always make the same call again
/// (docs/decisions/0031).
const REMINDER: &str = "Once the tool has run and the task is done, answer the user in words.";

fn is_result(message: &Message) -> bool {
    matches!(message, Message::Tool { .. } | Message::Image { call_id: Some(_), .. })
}

/// The list of tools.
fn list(tools: &[ToolDefinition]) -> String {
    let mut text = String::new();
    for ToolDefinition { name, description, parameters } in tools {
        let _ = write!(text, "\n- `{name}`: {}\n  Arguments: {parameters}", description.trim());
    }
    text
}

fn prompted_message(message: &Message, is_constrained: bool) -> Message {
    match message {
        Message::Assistant { text, calls, .. } => {
            let text = Some(text.clone()).filter(|text| !text.is_empty());
            let calls = calls.iter().map(|CallRecord { name, arguments, .. }| (name, arguments));
            let text = if is_constrained {
                let calls = calls.map(|(name, arguments)| object(name, arguments));
                text.map(|text| words(&text)).into_iter().chain(calls).collect::<Vec<_>>().join("\n")
            } else {
                let calls = calls.map(|(name, arguments)| block(name, arguments));
                text.into_iter().chain(calls).collect::<Vec<_>>().join("\n\n")
            };
            Message::Assistant { reasoning: String::new(), text, calls: Vec::new(), provider_state: None }
        }
        Message::Tool { name, text, .. } => Message::User { text: format!("Result of `{name}`:\n\n{text}") },
        Message::Image { image, .. } => Message::Image { call_id: None, image: image.clone() },
        Message::System { .. } | Message::User { .. } => message.clone(),
    }
}

/// Appends a message. Consecutive messages of one role are joined, since models of this kind want the roles
/// to alternate.
fn say(messages: &mut Vec<Message>, message: Message) {
    match (messages.last_mut(), message) {
        (Some(Message::System { text }), Message::System { text: more }) => {
            // The rules come first, then the tools.
            *text = format!("{more}\n\n{text}");
        }
        (Some(Message::User { text }), Message::User { text: more }) => {
            text.push_str("\n\n");
            text.push_str(&more);
        }
        (_, message) => messages.push(message),
    }
}

/// A call as the model should write it. Invalid arguments are kept as they are.
fn object(name: &str, arguments: &str) -> String {
    format!("{{\"name\": {}, \"arguments\": {arguments}}}", json!(name))
}

/// The same in a fenced block.
fn block(name: &str, arguments: &str) -> String {
    format!("```json\n{}\n```", object(name, arguments))
}

/// Text for the user as the model should write it if its answer is JSON.
fn words(text: &str) -> String {
    format!("{{\"answer\": {}}}", json!(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::endpoint;
    use crate::{Decoder, ModelEvent, build};

    fn said(prompted: &ChatRequest) -> Vec<String> {
        let message = |message: &Message| match message {
            Message::User { text } => format!("user: {text}"),
            Message::Assistant { text, reasoning, calls, .. } => {
                assert!(reasoning.is_empty() && calls.is_empty());
                format!("assistant: {text}")
            }
            other => panic!("nothing else is said: {other:?}"),
        };
        prompted.messages[1..].iter().map(message).collect()
    }

    /// An answer whose text arrives in these pieces, with this finish reason.
    fn heard(form: ToolForm, pieces: &[&str], finish: &str) -> (Vec<String>, crate::ModelAnswer) {
        let chunk = |delta: serde_json::Value, finish: Option<&str>| {
            format!("data: {}\n\n", json!({"choices": [{"delta": delta, "finish_reason": finish}]}))
        };
        let mut decoder = Decoder::new().offering(["find".to_owned()]).in_form(form);
        let mut told = Vec::new();
        let chunks = pieces.iter().map(|piece| chunk(json!({"content": piece}), None));
        for chunk in chunks.chain([chunk(json!({}), Some(finish)), "data: [DONE]\n\n".to_owned()]) {
            told.extend(decoder.feed(chunk.as_bytes()).into_iter().filter_map(|event| match event {
                ModelEvent::Text(text) => Some(text),
                _ => None,
            }));
        }
        (told, decoder.end().unwrap())
    }

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
            provider_state: None,
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
    fn tools_calls_and_results_become_prompt_text() {
        let request = request();
        let prompted = with_prompted_tools(&request, ToolForm::Prompted);
        assert!(prompted.tools.is_empty());
        let Message::System { text } = &prompted.messages[0] else { panic!("the rules come first") };
        assert!(text.starts_with("Be helpful.\n\nYou have tools."));
        assert!(text.ends_with(
            "- `find`: Finds.\n  Arguments: {\"properties\":{\"what\":{\"type\":\"string\"}},\"type\":\"object\"}"
        ) || text.ends_with(
            "- `find`: Finds.\n  Arguments: {\"type\":\"object\",\"properties\":{\"what\":{\"type\":\"string\"}}}"
        ));
        let find = |what: &str| {
            format!("```json\n{{\"name\": \"find\", \"arguments\": {{\"what\":\"{what}\"}}}}\n```")
        };
        assert_eq!(
            said(&prompted),
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
    fn prompted_request_has_no_tools_field() {
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
        assert!(matches!(with_prompted_tools(&native, ToolForm::Native), Cow::Borrowed(_)));
    }

    #[test]
    fn prompted_calls_are_found_in_the_requested_form() {
        let (_, answer) =
            heard(ToolForm::Prompted, &["I look.\n\n", &block("find", r#"{"what":"a"}"#)], "stop");
        assert_eq!((answer.text.trim(), answer.calls[0].name.as_str()), ("I look.", "find"));
        assert_eq!(answer.calls[0].arguments, r#"{"what":"a"}"#);
    }

    #[test]
    fn history_is_json_when_the_answer_has_a_schema() {
        let request = request();
        let prompted = with_prompted_tools(&request, ToolForm::Schema);
        let Message::System { text } = &prompted.messages[0] else { panic!("the rules come first") };
        assert!(
            text.starts_with("Be helpful.\n\nYou have tools. Answer with one JSON object and nothing else.")
        );
        assert!(text.contains("Your tools:\n\n- `find`: Finds.\n  Arguments: {"));
        assert_eq!(
            said(&prompted),
            [
                "user: Find two.",
                "assistant: {\"answer\": \"I look.\"}\n\
                 {\"name\": \"find\", \"arguments\": {\"what\":\"a\"}}\n\
                 {\"name\": \"find\", \"arguments\": {\"what\":\"b\"}}",
                "user: Result of `find`:\n\nA.\n\nResult of `find`:\n\nB.\n\n\
                 Once the tool has run and the task is done, answer the user in words.",
                "assistant: {\"answer\": \"Both are there.\"}",
                "user: Thanks.",
            ]
        );
    }

    #[test]
    fn answer_schema_is_sent_in_the_servers_field() {
        let form = |provider: &str, base_url: &str, request: &ChatRequest| {
            let body = build(&endpoint(provider, base_url), request).unwrap().body;
            let body: serde_json::Value = serde_json::from_str(&body).unwrap();
            let schemas = [&body["response_format"]["json_schema"]["schema"], &body["format"]];
            let are_right = schemas.iter().all(|schema| schema.is_null() || schema["anyOf"][1].is_object());
            assert!(are_right && body["response_format"]["type"] != json!("json_object"), "{provider}");
            assert_eq!(
                endpoint(provider, base_url).form_of(request) == ToolForm::Schema,
                schemas.iter().any(|schema| schema.is_object()),
                "{provider}"
            );
            schemas.map(serde_json::Value::is_object)
        };
        for (provider, base_url, expected) in [
            ("custom", "https://llm.example/v1", [true, false]),
            ("llama-server", "http://localhost:8080/v1", [true, false]),
            ("lmstudio", "http://localhost:1234/v1", [true, false]),
            ("vllm", "http://localhost:8000/v1", [true, false]),
            ("ollama", "http://localhost:11434/v1", [true, false]),
            ("ollama", "http://localhost:11434", [false, true]),
            ("deepseek", "https://api.deepseek.com", [false, false]),
            ("anthropic", "https://api.anthropic.com", [false, false]),
        ] {
            assert_eq!(form(provider, base_url, &request()), expected, "{provider} {base_url}");
            let without_tools = ChatRequest { tools: Vec::new(), ..request() };
            let native = ChatRequest { leave_out: Vec::new(), ..request() };
            let field = ["response_format", "format"][usize::from(expected[1])].to_owned();
            let refused = ChatRequest { leave_out: vec![TOOLS.to_owned(), field], ..request() };
            for other in [without_tools, native, refused] {
                assert_eq!(form(provider, base_url, &other), [false, false], "{provider} {base_url}");
            }
        }
    }

    #[test]
    fn json_answer_shows_its_text_only() {
        let (told, answer) =
            heard(ToolForm::Schema, &["{\"ans", "wer\": \"Both", " are there.\"", "}"], "stop");
        assert_eq!(told, ["Both", " are there."]);
        assert_eq!(
            (answer.text.as_str(), answer.calls.len(), answer.inline_calls),
            ("Both are there.", 0, None)
        );

        let call = object("find", r#"{"what":"a"}"#);
        let (told, answer) = heard(ToolForm::Schema, &[&call[..7], &call[7..]], "stop");
        assert_eq!((told.len(), answer.text.as_str()), (0, ""));
        assert_eq!(
            (answer.calls[0].name.as_str(), answer.calls[0].arguments.as_str()),
            ("find", r#"{"what":"a"}"#)
        );

        // Text and a call, which a model without a constraint may imitate from the history.
        let (told, answer) = heard(ToolForm::Schema, &[&words("I look."), "\n", &call], "stop");
        assert_eq!((told, answer.calls.len()), (vec!["I look.".to_owned()], 1));
    }

    #[test]
    fn cut_call_is_dropped_and_cut_text_stays() {
        let call = object("find", r#"{"what":"a"}"#);
        for end in 1..call.len() {
            let (told, answer) = heard(ToolForm::Schema, &[&call[..end]], "length");
            assert_eq!((told.concat(), answer.calls.len()), (String::new(), 0), "{}", &call[..end]);
        }
        let (told, _) = heard(ToolForm::Schema, &["{\"answer\": \"Both are"], "length");
        assert_eq!(told, ["Both are"]);
    }

    #[test]
    fn answer_is_read_when_the_server_ignores_the_schema() {
        let fenced = block("find", "{}");
        for (text, shown, calls) in [
            ("Just words.", "Just words.", 0),
            (r#"{"flights": 3}"#, r#"{"flights": 3}"#, 0),
            (fenced.as_str(), "", 1),
            ("```json\n{\"answer\": \"Here.\"}\n```", "Here.", 0),
        ] {
            let (told, answer) = heard(ToolForm::Schema, &[text], "stop");
            assert_eq!((told.concat().as_str(), answer.calls.len()), (shown, calls), "{text}");
        }
    }
}
