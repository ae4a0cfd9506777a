//! The JSON Schemas of a tool.

use serde_json::Value;
use sidecar_schema::problem;

use super::{Findings, depth};
use crate::definition::SkillTool;
use crate::word;

/// Maximum properties of an input.
const MOST_PROPERTIES: usize = 20;
/// Maximum depth of objects in an input.
const MOST_DEPTH: usize = 3;
/// Maximum depth of a schema's own lists and maps: a property is an object in `properties`.
const MOST_SCHEMA_DEPTH: usize = 4 * MOST_DEPTH;

/// An input is a small object that says all that it takes; a schema is one that can be used.
pub(super) fn check(tool: &SkillTool, place: &str, findings: &mut Findings<'_>) {
    let place_of_input = format!("{place}/inputSchema");
    let input = &tool.input_schema;
    if input["type"] != "object" {
        findings.schema(&place_of_input, word::INPUT_OBJECT, word::INPUT_OBJECT_WAY, &[]);
    }
    if input["additionalProperties"] != Value::Bool(false) {
        findings.schema(&place_of_input, word::INPUT_MORE, word::INPUT_MORE_WAY, &[]);
    }
    if input["properties"].as_object().is_some_and(|properties| properties.len() > MOST_PROPERTIES) {
        let most = MOST_PROPERTIES.to_string();
        findings.schema(&place_of_input, word::INPUT_MANY, word::INPUT_MANY_WAY, &[("most", &most)]);
    }
    if objects_deep(input) > MOST_DEPTH || depth(input) > MOST_SCHEMA_DEPTH {
        let most = MOST_DEPTH.to_string();
        findings.schema(&place_of_input, word::INPUT_DEEP, word::INPUT_DEEP_WAY, &[("most", &most)]);
    }
    let schemas =
        [(place_of_input, Some(input)), (format!("{place}/outputSchema"), tool.output_schema.as_ref())];
    for (place, schema) in schemas {
        if let Some(schema) = schema
            && let Some(problem) = problem(&schema.to_string())
        {
            findings.schema(
                &place,
                word::SCHEMA_BAD,
                word::SCHEMA_BAD_WAY,
                &[("said", &problem.to_string())],
            );
        }
    }
}

/// How deep objects and lists are in one another, by a schema.
fn objects_deep(schema: &Value) -> usize {
    let properties = schema["properties"].as_object().into_iter().flat_map(|all| all.values());
    let inner = properties.chain(schema.get("items")).map(objects_deep).max().unwrap_or(0);
    let is_nested = schema.get("properties").is_some() || schema.get("items").is_some();
    usize::from(is_nested) + inner
}
