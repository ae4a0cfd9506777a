//! Cases that are written a little differently, made into what webmcp-evals reads.

use serde_json::{Map, Value, json};
use sidecar_locales::fill;
use sidecar_protocol::settings::Language;

use crate::wording::word;

/// Something of a file that was read differently from how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteNote {
    /// Number of the case, from 0; absent if the whole file is meant.
    pub case: Option<usize>,
    /// What it is.
    pub bend: Bend,
}

/// What was read differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bend {
    /// The file begins with a byte order mark.
    ByteOrderMark,
    /// The cases are in an object, under this key.
    Wrapper {
        /// The key.
        key: String,
    },
    /// Messages have no `type`.
    MessageType,
    /// Messages have the role `assistant` for `model`.
    Assistant,
    /// The name stands under another key.
    NameFrom {
        /// The key.
        key: String,
    },
    /// `expectedCall` is one node, not an array.
    SingleNode,
    /// The case was written for another program.
    Converted {
        /// The keys that were converted.
        keys: Vec<String>,
    },
    /// The case wants something that nobody looks at here.
    CannotRun {
        /// The key.
        key: String,
    },
}

impl SuiteNote {
    /// The note: a sentence.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let (word, name, value) = match &self.bend {
            Bend::ByteOrderMark => (word::NOTE_MARK, "", String::new()),
            Bend::Wrapper { key } => (word::NOTE_WRAPPER, "key", format!("{key:?}")),
            Bend::MessageType => (word::NOTE_TYPE, "", String::new()),
            Bend::Assistant => (word::NOTE_ASSISTANT, "", String::new()),
            Bend::NameFrom { key } => (word::NOTE_NAME, "key", format!("{key:?}")),
            Bend::SingleNode => (word::NOTE_SINGLE, "", String::new()),
            Bend::Converted { keys } => (word::NOTE_CONVERTED, "keys", keys.join(", ")),
            Bend::CannotRun { key } => (word::NOTE_NOT_RUN, "key", format!("{key:?}")),
        };
        let note = fill(word.text(language), &[(name, &value)]);
        match self.case {
            Some(case) => {
                fill(word::NOTE_PLACED.text(language), &[("case", &case.to_string()), ("note", &note)])
            }
            None => note,
        }
    }
}

/// What other programs look at, and we do not.
const NOT_RUN: [&str; 7] =
    ["forbiddenCalls", "forbiddenTools", "initialState", "finalState", "state", "oracle", "judge"];

/// Bends a case, with a note for each kind of bend.
pub(super) fn case(json: &mut Map<String, Value>, number: usize, notes: &mut Vec<SuiteNote>) {
    let mut note = |bend| notes.push(SuiteNote { case: Some(number), bend });
    let converted = convert(json);
    if !converted.is_empty() {
        note(Bend::Converted { keys: converted });
    }
    if let Some(Value::Array(messages)) = json.get_mut("messages") {
        let (mut typed, mut renamed) = (false, false);
        for message in messages.iter_mut().filter_map(Value::as_object_mut) {
            typed |= give_type(message);
            renamed |= rename_assistant(message);
        }
        if typed {
            note(Bend::MessageType);
        }
        if renamed {
            note(Bend::Assistant);
        }
    }
    if !json.contains_key("name") {
        let named = ["id", "description"]
            .into_iter()
            .find_map(|key| Some((key, json.get(key)?.as_str()?.to_owned())));
        if let Some((key, name)) = named {
            json.insert("name".to_owned(), name.into());
            note(Bend::NameFrom { key: key.to_owned() });
        }
    }
    if json.get("expectedCall").is_some_and(Value::is_object) {
        let node = json.remove("expectedCall");
        json.insert("expectedCall".to_owned(), node.into_iter().collect());
        note(Bend::SingleNode);
    }
    for key in NOT_RUN.into_iter().filter(|key| json.contains_key(*key)) {
        note(Bend::CannotRun { key: key.to_owned() });
    }
}

fn give_type(message: &mut Map<String, Value>) -> bool {
    if message.contains_key("type") {
        return false;
    }
    let kind = match (message.contains_key("name"), message.contains_key("response")) {
        (true, true) => "functionresponse",
        (true, false) if message.contains_key("arguments") => "functioncall",
        (true | false, _) => "message",
    };
    message.insert("type".to_owned(), kind.into());
    true
}

fn rename_assistant(message: &mut Map<String, Value>) -> bool {
    let is_assistant = message.get("role").is_some_and(|role| role == "assistant");
    if is_assistant {
        message.insert("role".to_owned(), "model".into());
    }
    is_assistant
}

/// Makes messages of a prompt, and nodes of the lists of other programs. Returns the keys that it took.
fn convert(json: &mut Map<String, Value>) -> Vec<String> {
    let mut keys = Vec::new();
    if !json.contains_key("messages")
        && let Some(key) =
            ["prompt", "input"].into_iter().find(|key| json.get(*key).is_some_and(Value::is_string))
    {
        let said = json.remove(key).unwrap_or_default();
        let message = json!({"role": "user", "type": "message", "content": said});
        json.insert("messages".to_owned(), json!([message]));
        keys.push(key.to_owned());
    }
    if json.contains_key("expectedCall") {
        return keys;
    }
    if json.get("expectedTool").is_some_and(Value::is_string) {
        let mut node =
            Map::from_iter([("functionName".to_owned(), json.remove("expectedTool").unwrap_or_default())]);
        if let Some(arguments) = json.remove("expectedArguments") {
            node.insert("arguments".to_owned(), arguments);
        }
        json.insert("expectedCall".to_owned(), json!([node]));
        keys.push("expectedTool".to_owned());
        return keys;
    }
    for key in ["expectedCalls", "expectedCallSequence"] {
        let nodes = json
            .get(key)
            .and_then(Value::as_array)
            .and_then(|list| list.iter().map(node).collect::<Option<Vec<_>>>());
        if let Some(nodes) = nodes {
            json.remove(key);
            json.insert("expectedCall".to_owned(), nodes.into());
            keys.push(key.to_owned());
            break;
        }
    }
    keys
}

/// A node of a call as other programs write it: a name, or an object.
fn node(call: &Value) -> Option<Value> {
    if let Some(name) = call.as_str() {
        return Some(json!({"functionName": name}));
    }
    let name = ["name", "tool"].into_iter().find_map(|key| call.get(key)?.as_str())?;
    let mut node = json!({"functionName": name});
    if let Some(arguments) = ["arguments", "args"].into_iter().find_map(|key| call.get(key)) {
        node["arguments"] = arguments.clone();
    }
    Some(node)
}
