//! The tools of a suite, as one model is told of them.

use serde_json::{Value, json};
use sidecar_llm::{ToolDefinition, names};
use sidecar_protocol::schema::SchemaProfile;
use sidecar_schema::tidy;

use crate::hash::hash_of;
use crate::tools::SuiteTool;

/// Maximum characters of a name that every service accepts.
const MOST_NAME: usize = 63;

/// Tools on offer to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalOffer {
    tools: Vec<SuiteTool>,
    definitions: Vec<ToolDefinition>,
    /// What their schemas lost on the way to the model, each as `tool: place: what`.
    pub lost: Vec<String>,
}

impl EvalOffer {
    /// Offers tools to a model whose service accepts this much of JSON Schema. `told` makes the description that the
    /// model reads of that of the tool.
    #[must_use]
    pub fn new(tools: &[SuiteTool], profile: &SchemaProfile, told: impl Fn(&str) -> String) -> Self {
        let (mut definitions, mut lost) = (Vec::<ToolDefinition>::new(), Vec::new());
        for tool in tools {
            let schema = (!tool.input_schema.is_null()).then(|| tool.input_schema.to_string());
            let tidied = tidy(schema.as_deref(), profile);
            lost.extend(tidied.notes.iter().map(|note| format!("{}: {note}", tool.name)));
            let name = free_name(&tool.name, &definitions);
            definitions.push(ToolDefinition {
                name,
                description: told(&tool.description),
                parameters: tidied.schema,
            });
        }
        Self { tools: tools.to_vec(), definitions, lost }
    }

    /// What the model is told.
    #[must_use]
    pub fn definitions(&self) -> &[ToolDefinition] {
        &self.definitions
    }

    /// The tool that a model means by a name.
    #[must_use]
    pub fn find(&self, written: &str) -> Option<&SuiteTool> {
        let offered = self.definitions.iter().map(|definition| definition.name.as_str());
        let name = names::resolve(written, offered)?;
        let at = self.definitions.iter().position(|definition| definition.name == name)?;
        self.tools.get(at)
    }

    /// Whether a model wrote a name as it was told.
    #[must_use]
    pub fn is_exact(&self, written: &str) -> bool {
        self.definitions.iter().any(|definition| definition.name == written)
    }

    /// SHA-256 of what the model is told, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        hash_of(&json!(self.definitions))
    }
}

/// SHA-256 of tools as they stand in the file, in hexadecimal.
#[must_use]
pub fn tools_hash(tools: &[SuiteTool]) -> String {
    let listed = tools.iter().map(|tool| json!([tool.name, tool.description, tool.input_schema]));
    hash_of(&listed.collect::<Value>())
}

/// A name that every service accepts, and that no other tool has.
fn free_name(name: &str, taken: &[ToolDefinition]) -> String {
    let allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let mut plain: String = name.chars().map(|char| if allowed(char) { char } else { '_' }).collect();
    if !plain.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') {
        plain.insert(0, '_');
    }
    let named = |number: usize| {
        let end = if number == 1 { String::new() } else { format!("_{number}") };
        format!("{}{end}", &plain[..plain.len().min(MOST_NAME - end.len())])
    };
    let is_free = |name: &String| taken.iter().all(|tool| tool.name != *name);
    (1..).map(named).find(is_free).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, input_schema: Value) -> SuiteTool {
        SuiteTool { name: name.to_owned(), description: "d".to_owned(), input_schema }
    }

    #[test]
    fn each_tool_has_a_name_that_services_accept_and_is_found_by_it() {
        let tools =
            ["find.flights", "find flights", "搜索", &"x".repeat(70)].map(|name| tool(name, json!(null)));
        let offer = EvalOffer::new(&tools, &SchemaProfile::PORTABLE, |text| format!("<{text}>"));
        let names: Vec<_> = offer.definitions().iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["find_flights", "find_flights_2", "__", &"x".repeat(63)]);
        assert_eq!(offer.find("functions.find_flights_2").unwrap().name, "find flights");
        assert_eq!((offer.find("book"), offer.definitions()[0].description.as_str()), (None, "<d>"));
    }

    #[test]
    fn what_a_schema_loses_is_named() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}});
        let offer = EvalOffer::new(&[tool("book", schema)], &SchemaProfile::PORTABLE, str::to_owned);
        assert_eq!(offer.lost, ["book: properties/a: at least 1"]);
        let other = EvalOffer::new(&[tool("book", json!({}))], &SchemaProfile::PORTABLE, str::to_owned);
        assert_ne!(offer.hash(), other.hash());
        assert_ne!(tools_hash(&offer.tools), tools_hash(&other.tools));
    }
}
