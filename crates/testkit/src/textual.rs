//! Models without tool calling: `textual-flights` plays `flights`, but reads tools and results in the
//! prompt, and writes its calls into its text. If a request constrains the answer to a schema, any model's
//! answer is JSON.

use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::{Value, json};

use crate::answer::ScriptedAnswer;
use crate::refusal::ServiceRefusal;
use crate::request::{EarlierCall, ReceivedMessage, ReceivedRequest};
use crate::scenario::Finish;

/// Prefix of the names of such models.
const PREFIX: &str = "textual-";

static TOOL: LazyLock<Regex> = LazyLock::new(|| Regex::new("(?m)^- `([^`]+)`:").expect("a fixed pattern"));
static RESULT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?m)^Result of `([^`]+)`:\n\n").expect("a fixed pattern"));
/// What follows the results where the answer is held to a schema.
static REMINDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("\n\nOnce the tool has run and the task is done, .*$").expect("a fixed pattern")
});

/// The model that is played without tool calling, if the name has the prefix.
pub(crate) fn plays(model: &str) -> Option<&str> {
    model.strip_prefix(PREFIX)
}

/// The request as such a model understands it: with tools, calls and results read from the text.
///
/// # Errors
/// The refusal of a request with tools.
pub(crate) fn read(request: &ReceivedRequest) -> Result<ReceivedRequest, ServiceRefusal> {
    if !request.tools.is_empty() {
        return Err(ServiceRefusal::bad_request(format!(
            "registry/{} does not support tools",
            request.model
        )));
    }
    let mut tools = Vec::new();
    let mut messages = Vec::new();
    let mut calls_so_far = 0;
    let mut open: Vec<EarlierCall> = Vec::new();
    for message in &request.messages {
        match message {
            ReceivedMessage::System { content } => {
                tools.extend(TOOL.captures_iter(content).map(|found| found[1].to_owned()));
                messages.push(message.clone());
            }
            ReceivedMessage::User { content } => {
                let results = results(content);
                if results.is_empty() {
                    messages.push(message.clone());
                }
                for (name, text) in results {
                    let Some(at) = open.iter().position(|call| call.name == name) else { continue };
                    messages.push(ReceivedMessage::Tool {
                        call_id: open.remove(at).id,
                        content: text.to_owned(),
                    });
                }
            }
            ReceivedMessage::Assistant { content, .. } => {
                open = calls(content, &mut calls_so_far);
                messages.push(ReceivedMessage::Assistant { content: content.clone(), calls: open.clone() });
            }
            ReceivedMessage::Tool { .. } => messages.push(message.clone()),
        }
    }
    Ok(ReceivedRequest { tools, messages, ..request.clone() })
}

/// The results in a message of the user role.
fn results(content: &str) -> Vec<(&str, &str)> {
    let content = &content[..REMINDER.find(content).map_or(content.len(), |found| found.start())];
    let heads: Vec<_> = RESULT.captures_iter(content).collect();
    let begins = heads.iter().filter_map(|head| head.get(0)).map(|head| (head.start(), head.end()));
    let ends = begins.clone().skip(1).map(|(start, _)| start).chain([content.len()]);
    let texts = begins.zip(ends).map(|((_, start), end)| content[start..end].trim_end());
    heads.iter().filter_map(|head| Some(head.get(1)?.as_str())).zip(texts).collect()
}

/// The calls that it wrote earlier.
fn calls(content: &str, so_far: &mut usize) -> Vec<EarlierCall> {
    let objects = content.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let call = |object: Value| {
        let (name, arguments) =
            (object.get("name")?.as_str()?.to_owned(), object.get("arguments")?.to_string());
        *so_far += 1;
        Some(EarlierCall { id: format!("written {so_far}"), name, arguments })
    };
    objects.filter_map(call).collect()
}

/// The answer as such a model writes it: its call in a fenced block at the end.
pub(crate) fn write(answer: ScriptedAnswer) -> ScriptedAnswer {
    let blocks = answer.calls.iter().map(|call| {
        format!("```json\n{{\"name\": {}, \"arguments\": {}}}\n```", json!(call.name), call.arguments)
    });
    let parts: Vec<String> =
        Some(answer.text).filter(|text| !text.is_empty()).into_iter().chain(blocks).collect();
    ScriptedAnswer { text: parts.join("\n\n"), calls: Vec::new(), finish: plain(answer.finish), ..answer }
}

/// The answer constrained to a schema: the first call, otherwise the text.
///
/// # Errors
/// If the schema does not allow it. A real server would make the model say something else.
pub(crate) fn constrain(answer: ScriptedAnswer, schema: &Value) -> Result<ScriptedAnswer, ServiceRefusal> {
    let kinds = schema["anyOf"].as_array().map_or(&[][..], Vec::as_slice);
    let text = match answer.calls.first() {
        Some(call) => {
            let mut names = kinds.iter().map(|kind| &kind["properties"]["name"]["const"]);
            let is_allowed = names.any(|name| *name == *call.name);
            is_allowed
                .then(|| format!("{{\"name\": {}, \"arguments\": {}}}", json!(call.name), call.arguments))
        }
        None => kinds.iter().find_map(|kind| {
            let members = kind["properties"].as_object()?;
            let (word, _) = members.iter().find(|(_, member)| **member == json!({"type": "string"}))?;
            Some(json!({ word: answer.text }).to_string())
        }),
    };
    let text = text.ok_or_else(|| ServiceRefusal {
        message: format!("the schema has no place for the answer: {schema}"),
        ..ServiceRefusal::of_status(500)
    })?;
    Ok(ScriptedAnswer { text, calls: Vec::new(), finish: plain(answer.finish), ..answer })
}

/// Such a server does not know tool calls.
fn plain(finish: Finish) -> Finish {
    match finish {
        Finish::ToolCalls => Finish::Stop,
        Finish::Stop | Finish::Length | Finish::ContentFilter | Finish::InsufficientSystemResource => finish,
    }
}

/// The schema of a constrained answer in Chat Completions.
///
/// # Errors
/// The refusal of an invalid format.
pub(crate) fn response_format(
    body: &serde_json::Map<String, Value>,
) -> Result<Option<Value>, ServiceRefusal> {
    let Some(format) = body.get("response_format").filter(|format| !format.is_null()) else {
        return Ok(None);
    };
    let schema = &format["json_schema"]["schema"];
    match format["type"].as_str() {
        Some("text" | "json_object") => Ok(None),
        Some("json_schema") if schema.is_object() && format["json_schema"]["name"].is_string() => {
            Ok(Some(schema.clone()))
        }
        _ => Err(ServiceRefusal::bad_request("'response_format.type' must be 'json_schema' or 'text'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::MadeCall;

    fn request(messages: Vec<ReceivedMessage>) -> ReceivedRequest {
        ReceivedRequest {
            model: "textual-it".to_owned(),
            messages,
            tools: Vec::new(),
            constraint: None,
            stream: true,
            include_usage: false,
            thinking: false,
            shows_thoughts: false,
            max_tokens: None,
        }
    }

    fn answer(text: &str, calls: &[(&str, &str)]) -> ScriptedAnswer {
        let call = |(name, arguments): &(&str, &str)| MadeCall {
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
        };
        ScriptedAnswer {
            reasoning: String::new(),
            text: text.to_owned(),
            calls: calls.iter().map(call).collect(),
            finish: if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls },
        }
    }

    #[test]
    fn textual_model_reads_tools_and_results_from_the_prompt() {
        let user = |content: &str| ReceivedMessage::User { content: content.to_owned() };
        let read = read(&request(vec![
            ReceivedMessage::System {
                content: "Rules.\n\nTools:\n\n- `find`: Finds.\n  Arguments: {}\n- `go`: Goes.".to_owned(),
            },
            user("Find it."),
            ReceivedMessage::Assistant {
                content: write(answer("I look.", &[("find", r#"{"a":1}"#), ("find", "{}")])).text,
                calls: Vec::new(),
            },
            user(
                "Result of `find`:\n\nOne.\n\nResult of `find`:\n\nTwo.\n\n\
                 Once the tool has run and the task is done, answer the user in words.",
            ),
        ]))
        .unwrap();
        assert_eq!(read.tools, ["find", "go"]);
        let ReceivedMessage::Assistant { calls, .. } = &read.messages[2] else { panic!("an answer") };
        assert_eq!(
            calls.iter().map(|call| call.arguments.as_str()).collect::<Vec<_>>(),
            [r#"{"a":1}"#, "{}"]
        );
        let results = read.messages[3..].iter().filter_map(|message| match message {
            ReceivedMessage::Tool { call_id, content } => Some((call_id.as_str(), content.as_str())),
            _ => None,
        });
        assert_eq!(results.collect::<Vec<_>>(), [("written 1", "One."), ("written 2", "Two.")]);
    }

    #[test]
    fn textual_model_refuses_tools() {
        let given = ReceivedRequest { tools: vec!["find".to_owned()], ..request(Vec::new()) };
        assert_eq!(read(&given).unwrap_err().message, "registry/textual-it does not support tools");
    }

    #[test]
    fn schema_constrains_an_answer_to_one_call_or_text() {
        let object = |properties: Value| json!({"type": "object", "properties": properties});
        let schema = json!({"anyOf": [
            object(json!({"name": {"type": "string", "const": "find"}, "arguments": {"type": "object"}})),
            object(json!({"reply": {"type": "string"}})),
        ]});
        let constrain = |answer| constrain(answer, &schema).map(|answer| (answer.text, answer.finish));
        let call = constrain(answer("I look.", &[("find", r#"{"a":1}"#)])).unwrap();
        assert_eq!(call, (r#"{"name": "find", "arguments": {"a":1}}"#.to_owned(), Finish::Stop));
        assert_eq!(constrain(answer("Hi.", &[])).unwrap().0, r#"{"reply":"Hi."}"#);
        assert_eq!(constrain(answer("", &[("other", "{}")])).unwrap_err().status, 500);
    }
}
