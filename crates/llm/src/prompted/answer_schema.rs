//! The schema of an answer, for servers that constrain the model: one call of an offered tool, or text for
//! the user.

use serde::Serialize;
use serde_json::Value;

use crate::conversation::message::ToolDefinition;
use crate::tools::parameters;

/// The JSON Schema of an answer. Its members are in the order in which the model has to write them: servers
/// turn schemas into grammars, and a name after its arguments could not decide which they are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AnswerSchema<'a> {
    #[serde(rename = "anyOf")]
    any_of: Vec<ObjectSchema<'a>>,
}

/// An object with exactly these members.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ObjectSchema<'a> {
    r#type: &'static str,
    properties: SchemaMembers<'a>,
    required: &'static [&'static str],
    additional_properties: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum SchemaMembers<'a> {
    Call { name: StringSchema<'a>, arguments: Value },
    Words { answer: StringSchema<'a> },
}

/// A string; a fixed one, if only one is allowed.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct StringSchema<'a> {
    r#type: &'static str,
    #[serde(rename = "const", skip_serializing_if = "Option::is_none")]
    only: Option<&'a str>,
}

impl<'a> AnswerSchema<'a> {
    /// The schema of an answer to a request that offers these tools.
    pub(crate) fn of(tools: &'a [ToolDefinition]) -> Self {
        let call = |tool: &'a ToolDefinition| SchemaMembers::Call {
            name: StringSchema { r#type: "string", only: Some(&tool.name) },
            arguments: parameters::tidy(&tool.parameters),
        };
        let words = SchemaMembers::Words { answer: StringSchema { r#type: "string", only: None } };
        Self { any_of: tools.iter().map(call).chain([words]).map(ObjectSchema::of).collect() }
    }
}

impl<'a> ObjectSchema<'a> {
    fn of(properties: SchemaMembers<'a>) -> Self {
        let required: &[&str] = match properties {
            SchemaMembers::Call { .. } => &["name", "arguments"],
            SchemaMembers::Words { .. } => &["answer"],
        };
        Self { r#type: "object", properties, required, additional_properties: false }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn call_has_its_name_first_and_words_stand_alone() {
        let tool = |name: &str, parameters: Value| ToolDefinition {
            name: name.to_owned(),
            description: String::new(),
            parameters,
        };
        let tools =
            [tool("find", json!({"properties": {"what": {"type": "string"}}})), tool("go", Value::Null)];
        let schema = serde_json::to_string(&AnswerSchema::of(&tools)).unwrap();
        assert!(schema.starts_with(
            r#"{"anyOf":[{"type":"object","properties":{"name":{"type":"string","const":"find"},"arguments":{"#
        ));
        assert_eq!(
            serde_json::from_str::<Value>(&schema).unwrap(),
            json!({"anyOf": [
                {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "const": "find"},
                        "arguments": {"type": "object", "properties": {"what": {"type": "string"}}},
                    },
                    "required": ["name", "arguments"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "const": "go"},
                        "arguments": {"type": "object", "properties": {}},
                    },
                    "required": ["name", "arguments"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": {"answer": {"type": "string"}},
                    "required": ["answer"],
                    "additionalProperties": false,
                },
            ]})
        );
    }
}
