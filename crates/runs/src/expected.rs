//! What is expected of a call, so that the call itself passes: exactly what can only be said in one way, and of wording
//! what the user said.

use serde_json::Value;
use sidecar_form::Json;
use sidecar_protocol::secret::is_secret_name;
use sidecar_protocol::thread::ToolOutcome;

use crate::masked::masked_text;
use crate::own_words::OwnWords;
use crate::schema_at::SchemaAt;
use crate::secrets::KnownSecrets;

/// Maximum characters of a result that becomes the answer of a call without a tool.
pub(crate) const MOST_MOCK: usize = 2_000;

/// How deep objects and arrays are expected in one another; of deeper ones only that they are there. A suite has 64 levels
/// at most, its own included.
const DEPTH: usize = 40;

/// A call that was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CaseCall<'c> {
    pub(crate) tool: &'c str,
    pub(crate) arguments: &'c Json,
    /// The input schema of its tool; absent if the tool is gone.
    pub(crate) schema: Option<&'c Value>,
    pub(crate) outcome: &'c ToolOutcome,
}

/// What is known of a conversation in which calls were made.
#[derive(Clone, Copy)]
pub(crate) struct CallContext<'w> {
    /// The user's words, secrets masked.
    pub(crate) words: &'w OwnWords<'w>,
    /// The secrets of all calls.
    pub(crate) secrets: &'w KnownSecrets,
}

impl CallContext<'_> {
    /// The call as a node of `expectedCall`.
    pub(crate) fn node(self, call: CaseCall<'_>) -> Json {
        let expected = self.expected(call.arguments, &SchemaAt::root(call.schema), DEPTH);
        let mock = mock(call.outcome, self.secrets);
        let members =
            [("functionName", Some(text(call.tool))), ("arguments", Some(expected)), ("mockOutput", mock)];
        let members = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Json::Object(members.collect())
    }

    /// What is expected in the place of a value. It passes the value itself.
    fn expected(self, value: &Json, schema: &SchemaAt<'_>, depth: usize) -> Json {
        if schema.is_secret() {
            return any();
        }
        match value {
            Json::Null | Json::Bool(_) => value.clone(),
            Json::Number(number) if self.secrets.are_in(number) => any(),
            // Others cannot read a number that is too large.
            Json::Number(number) if number.parse::<f64>().is_ok_and(f64::is_finite) => value.clone(),
            Json::Number(_) => operator("$type", text("number")),
            Json::Text(said) => self.expected_text(said, schema),
            Json::Array(_) if depth == 0 => operator("$type", text("array")),
            Json::Array(items) => {
                let item = |(number, item)| self.expected(item, &schema.item(number), depth - 1);
                Json::Array(items.iter().enumerate().map(item).collect())
            }
            // These keys alone would be operators.
            Json::Object(members)
                if depth == 0
                    || !members.is_empty() && members.iter().all(|(key, _)| key.starts_with('$')) =>
            {
                operator("$type", text("object"))
            }
            Json::Object(members) => {
                let member = |(key, value): &(String, Json)| {
                    let value = match is_secret_name(key) {
                        true => any(),
                        false => self.expected(value, &schema.key(key), depth - 1),
                    };
                    (key.clone(), value)
                };
                // What is secret cannot be a key: then nothing is expected of it.
                let is_open = |(key, _): &&(String, Json)| !self.secrets.are_in(key);
                Json::Object(members.iter().filter(is_open).map(member).collect())
            }
        }
    }

    /// A text is expected exactly if there is no other way to say it: one of a list, or an id that the user said.
    fn expected_text(self, value: &str, schema: &SchemaAt<'_>) -> Json {
        let is_id = || {
            value.contains(char::is_numeric) && !value.contains(char::is_whitespace) && self.words.say(value)
        };
        if self.secrets.are_in(value) {
            any()
        } else if schema.lists(value) || is_id() {
            text(value)
        } else {
            match self.words.shared(value) {
                Some(shared) => operator("$contains", text(shared)),
                None => operator("$type", text("string")),
            }
        }
    }
}

/// What the call is answered where no tool runs: a short result.
pub(crate) fn mock(outcome: &ToolOutcome, secrets: &KnownSecrets) -> Option<Json> {
    if !matches!(outcome, ToolOutcome::Ok { content, .. } if !content.is_empty()) {
        return None;
    }
    let result = outcome.text()?;
    if result.chars().nth(MOST_MOCK).is_some() { None } else { Some(answer(&result, secrets)) }
}

/// A result without secrets; as text if others could not read it.
pub(crate) fn answer(result: &str, secrets: &KnownSecrets) -> Json {
    let answer = secrets.hidden(masked_text(result, &SchemaAt::root(None)));
    let is_read = depth(&answer) <= DEPTH && serde_json::from_str::<Value>(&answer.write()).is_ok();
    if is_read { answer } else { text(&answer.write()) }
}

/// How deep objects and arrays are in one another.
fn depth(value: &Json) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => 0,
    }
}

pub(crate) fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

pub(crate) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.map(|(key, value)| (key.to_owned(), value)).into())
}

/// What the user says, as a message of a case.
pub(crate) fn user_message(said: &str) -> Json {
    object([("role", text("user")), ("type", text("message")), ("content", text(said))])
}

fn operator(name: &str, operand: Json) -> Json {
    object([(name, operand)])
}

/// That something is there.
fn any() -> Json {
    operator("$any", Json::Bool(true))
}
