//! The variables of a scenario for a request.

use std::sync::LazyLock;

use jiff::Zoned;
use minijinja::Value as ScriptValue;
use minijinja::value::Serde;
use regex_lite::Regex;
use serde::Serialize;
use serde_json::{Value, json};

use crate::pieces::is_ideograph;
use crate::request::{EarlierCall, ReceivedMessage, ReceivedRequest};

/// The variables of a scenario file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScenarioView {
    /// The user's last message.
    pub user: String,
    /// All messages of the user, oldest first.
    pub user_texts: Vec<String>,
    /// The system prompt; empty if there is none.
    pub system: String,
    /// `zh` if the user writes Chinese (or writes no words and the system prompt is Chinese), otherwise
    /// `en`.
    pub language: &'static str,
    /// `zh` if the system prompt is Chinese, otherwise `en`.
    pub system_language: &'static str,
    /// Today as `YYYY-MM-DD`: from the system prompt if it says so, otherwise from this computer.
    pub today: String,
    /// Names of the tools offered.
    pub tools: Vec<String>,
    /// Results of the calls made since the user's last message, oldest first.
    pub results: Vec<CallResult>,
    /// Number of answers with calls since the user's last message.
    pub rounds: usize,
    /// Number of messages of the user.
    pub turn: usize,
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallResult {
    /// The tool.
    pub name: String,
    /// Its arguments, as JSON text.
    pub arguments: String,
    /// The result as text.
    pub text: String,
    /// The first JSON object or array in the text; an empty object if there is none.
    pub data: Value,
}

impl ScenarioView {
    /// The variables for this request.
    #[must_use]
    pub fn of(request: &ReceivedRequest) -> Self {
        let mut user_texts = Vec::new();
        let mut system = Vec::new();
        let mut made: Vec<&EarlierCall> = Vec::new();
        let mut results = Vec::new();
        let mut rounds = 0;
        for message in &request.messages {
            match message {
                ReceivedMessage::System { content } => system.push(content.as_str()),
                ReceivedMessage::User { content } => {
                    user_texts.push(words(content).to_owned());
                    made.clear();
                    results.clear();
                    rounds = 0;
                }
                ReceivedMessage::Assistant { calls, .. } => {
                    rounds += usize::from(!calls.is_empty());
                    made.extend(calls);
                }
                ReceivedMessage::Tool { call_id, content } => {
                    let call = made.iter().rev().find(|call| call.id == *call_id);
                    results.extend(call.map(|call| CallResult::new(call, content)));
                }
            }
        }
        let system = system.join("\n\n");
        let user = user_texts.last().cloned().unwrap_or_default();
        let system_language = language_of(&system).unwrap_or("en");
        Self {
            language: language_of(&user).unwrap_or(system_language),
            today: stated_date(&system).unwrap_or_else(|| Zoned::now().date().to_string()),
            turn: user_texts.len(),
            user,
            user_texts,
            system,
            system_language,
            tools: request.tools.clone(),
            results,
            rounds,
        }
    }

    /// The same for the template engine.
    pub(crate) fn variables(&self) -> ScriptValue {
        ScriptValue::from(Serde(self))
    }
}

impl CallResult {
    fn new(call: &EarlierCall, text: &str) -> Self {
        Self {
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            text: unframed(text),
            data: first_json(text).unwrap_or_else(|| json!({})),
        }
    }
}

static FRAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("(?s)<page_data origin=\"[^\"]*\">\n(.*?)\n</page_data>").expect("a fixed pattern")
});

/// A result without the marks of the fence around a page's text.
fn unframed(text: &str) -> String {
    FRAME.replace_all(text, "$1").into_owned()
}

/// The first JSON object or array in a text.
fn first_json(text: &str) -> Option<Value> {
    text.match_indices(['{', '[']).find_map(|(start, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        values.next()?.ok()
    })
}

static DATE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b\d{4}-\d{2}-\d{2}\b").expect("a fixed pattern"));

fn language_of(text: &str) -> Option<&'static str> {
    if text.chars().any(is_ideograph) {
        Some("zh")
    } else if text.chars().any(char::is_alphabetic) {
        Some("en")
    } else {
        None
    }
}

/// The date in the system prompt: from a line about today or the date, otherwise the first one.
fn stated_date(system: &str) -> Option<String> {
    let speaks_of_today = |line: &&str| {
        let line = line.to_lowercase();
        ["today", "date", "今天", "日期", "当前"].iter().any(|word| line.contains(word))
    };
    let stated = system.lines().filter(speaks_of_today).find_map(|line| DATE.find(line));
    stated.or_else(|| DATE.find(system)).map(|found| found.as_str().to_owned())
}

/// The user's own words in a message: the title and address of the page in front stand behind them.
fn words(content: &str) -> &str {
    let page = "\n\n[Title and address of the page that the user is looking at";
    content.find(page).map_or(content, |at| &content[..at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::chat;
    use crate::service::DEEPSEEK;

    fn view(messages: Value) -> ScenarioView {
        let body = json!({"model": "m", "messages": messages});
        ScenarioView::of(&chat::request::read(&DEEPSEEK, &body).unwrap())
    }

    #[test]
    fn sees_the_results_of_this_turn_only() {
        let call = |id: &str, arguments: &str| {
            json!({"role": "assistant", "content": "", "reasoning_content": "", "tool_calls": [
                {"id": id, "type": "function", "function": {"name": "look", "arguments": arguments}}]})
        };
        let view = view(json!([
            {"role": "system", "content": "Notes of 2020-01-01.\nToday is 2026-11-21."},
            {"role": "user", "content": "one"},
            call("a", "{}"),
            {"role": "tool", "tool_call_id": "a", "content": "old"},
            {"role": "assistant", "content": "done", "reasoning_content": ""},
            {"role": "user", "content": "两"},
            call("b", "{\"x\":1}"),
            {"role": "tool", "tool_call_id": "b", "content": "The page says: {\"count\": 2} (untrusted)"},
        ]));
        assert_eq!(
            view,
            ScenarioView {
                user: "两".into(),
                user_texts: vec!["one".into(), "两".into()],
                system: "Notes of 2020-01-01.\nToday is 2026-11-21.".into(),
                language: "zh",
                system_language: "en",
                today: "2026-11-21".into(),
                tools: vec![],
                results: vec![CallResult {
                    name: "look".into(),
                    arguments: "{\"x\":1}".into(),
                    text: "The page says: {\"count\": 2} (untrusted)".into(),
                    data: json!({"count": 2}),
                }],
                rounds: 1,
                turn: 2,
            }
        );
    }

    #[test]
    fn marks_around_data_are_no_part_of_it() {
        let framed = "Error: <page_data origin=\"https://a.example\">\nNo\n$1.\n</page_data>\n[Cut]";
        assert_eq!(unframed(framed), "Error: No\n$1.\n[Cut]");
        assert_eq!(unframed("plain"), "plain");
    }

    #[test]
    fn text_without_words_is_in_the_language_of_the_system_prompt() {
        assert_eq!(
            view(json!([{"role": "system", "content": "你好"}, {"role": "user", "content": "2000?"}]))
                .language,
            "zh"
        );
        assert_eq!(view(json!([{"role": "user", "content": "!"}])).language, "en");
    }
}
