//! What a model is offered: a tab's tools under names that every provider accepts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::{Tool, ToolId};

/// Longest name that every provider accepts.
const NAME_LIMIT: usize = 63;

/// Most tools that every provider accepts in one request; with more the whole request is refused.
pub const MOST_TOOLS: usize = 128;

/// A tool as it is offered to a model, with the way back to the page's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// Matches `^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$`; unique in one offer.
    pub model_name: String,
    /// The tool it stands for.
    pub tool: ToolId,
    /// Host (with port) of the page that has it.
    pub site: String,
    /// Whether it counts as read-only.
    pub read_only: bool,
    /// What the model reads about it.
    pub description: String,
    /// JSON Schema of its input, always an object schema.
    pub parameters: Value,
}

/// The offer for these tools, in their order; those beyond [`MOST_TOOLS`] are left out. The same tools in the same order
/// give the same names.
pub fn offer<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> Vec<Offer> {
    let mut taken = BTreeSet::new();
    tools
        .into_iter()
        .take(MOST_TOOLS)
        .map(|tool| Offer {
            model_name: free_name(&tool.id.name, &mut taken),
            tool: tool.id.clone(),
            site: tool.site().to_owned(),
            read_only: tool.read_only,
            description: tool.description.description.clone(),
            parameters: parameters(tool.description.input_schema.as_deref()),
        })
        .collect()
}

fn free_name(page_name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut base: String = page_name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
        .collect();
    if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        base.insert(0, '_');
    }
    base.truncate(NAME_LIMIT);
    // Providers differ in whether case tells names apart, so ours never differ by case alone.
    let mut name = base.clone();
    let mut n = 2;
    while !taken.insert(name.to_ascii_lowercase()) {
        let suffix = format!("_{n}");
        name = format!("{}{suffix}", &base[..base.len().min(NAME_LIMIT - suffix.len())]);
        n += 1;
    }
    name
}

/// The page's schema if it is an object's, else the schema of any object. serde_json's depth limit is the guard
/// against absurd nesting.
fn parameters(schema: Option<&str>) -> Value {
    let any = || serde_json::json!({"type": "object", "properties": {}});
    let Some(Ok(Value::Object(mut schema))) = schema.map(serde_json::from_str) else { return any() };
    schema.remove("$schema");
    schema.remove("$id");
    match schema.get("type") {
        None => {
            schema.insert("type".to_owned(), "object".into());
        }
        Some(kind) if kind == "object" => {}
        Some(_) => return any(),
    }
    schema.entry("properties").or_insert_with(|| serde_json::json!({}));
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Catalogue, Place};
    use sidecar_protocol::page::{Backend, ToolDescription};
    use sidecar_protocol::{FrameId, TabId};

    #[test]
    fn names_fit_every_provider_and_stay_apart() {
        let mut taken = BTreeSet::new();
        let mut name = |page: &str| free_name(page, &mut taken);
        assert_eq!(name("searchFlights"), "searchFlights");
        assert_eq!(name("SEARCHFLIGHTS"), "SEARCHFLIGHTS_2");
        assert_eq!(name("search.flights"), "search_flights");
        assert_eq!(name("search_flights"), "search_flights_2");
        assert_eq!(name("9lives"), "_9lives");
        assert_eq!(name("-x"), "_-x");
        let long = "a".repeat(128);
        assert_eq!(name(&long), "a".repeat(63));
        assert_eq!(name(&long), format!("{}_2", "a".repeat(61)));
    }

    #[test]
    fn schemas_become_object_schemas() {
        let any = serde_json::json!({"type": "object", "properties": {}});
        for (schema, expected) in [
            (None, any.clone()),
            (Some("not json"), any.clone()),
            (Some("[]"), any.clone()),
            (Some(r#"{"type":"string"}"#), any.clone()),
            (Some(r#"{"$schema":"x","$id":"y"}"#), any),
            (
                Some(r#"{"properties":{"a":{"type":"string"}},"required":["a"]}"#),
                serde_json::json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
            ),
        ] {
            assert_eq!(parameters(schema), expected, "{schema:?}");
        }
        let deep = "[".repeat(10_000);
        assert_eq!(parameters(Some(&deep)), serde_json::json!({"type": "object", "properties": {}}));
    }

    #[test]
    fn an_offer_leads_back_to_the_tool() {
        let mut catalogue = Catalogue::default();
        let place = Place {
            tab: TabId(1),
            frame: FrameId(0),
            document: "d".into(),
            origin: "https://flights.example:8443".to_owned(),
        };
        let tool = ToolDescription {
            name: "list.flights".to_owned(),
            title: String::new(),
            description: "Lists.".to_owned(),
            input_schema: None,
            annotations: None,
        };
        catalogue.update(&place, Backend::Native, vec![tool], 1, false);
        let offers = offer(catalogue.tools(TabId(1)));
        assert_eq!(offers[0].model_name, "list_flights");
        assert_eq!(offers[0].site, "flights.example:8443");
        assert!(catalogue.find(&offers[0].tool).is_some());
    }
}
