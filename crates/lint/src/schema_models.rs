//! Rules about what services of models make of a schema.

use std::collections::BTreeMap;

use serde_json::Value;
use sidecar_protocol::schema::SchemaProfile;
use sidecar_schema::tidy;

use crate::finding::ToolFinding;
use crate::look::{ToolLook, below, in_schema};
use crate::report::ToolReport;
use crate::rule::ToolRule;

/// Keywords that services take, drop or refuse, each in its own way.
const UNSUPPORTED: [&str; 14] = [
    "$ref",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "if",
    "then",
    "else",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "$dynamicRef",
    "$recursiveRef",
];

pub(crate) fn check(look: &ToolLook<'_>, profile: Option<&SchemaProfile>, report: &mut ToolReport<'_>) {
    let Some(schema) = look.schema else { return };
    let mut keywords: BTreeMap<&str, String> = BTreeMap::new();
    for part in &look.parts {
        if part.keywords.contains_key("nullable") {
            report.add(
                ToolFinding::of(ToolRule::NullableKeyword).at(in_schema(&below(&part.pointer, "nullable"))),
            );
        }
        for keyword in UNSUPPORTED.iter().filter(|keyword| part.keywords.contains_key(**keyword)) {
            keywords.entry(keyword).or_insert_with(|| below(&part.pointer, keyword));
        }
    }
    // What the browser makes of a form is not the page's choice.
    if let Some(place) = keywords.values().next().filter(|_| !look.is_form()) {
        let names: Vec<_> = keywords.keys().copied().collect();
        let finding = ToolFinding::of(ToolRule::SchemaUnsupportedKeywords).at(in_schema(place));
        report.add(finding.with("keywords", names.join(", ")));
    }
    if let Some(place) = null_in(schema, &in_schema("")) {
        report.add(ToolFinding::of(ToolRule::SchemaNoNullLiterals).at(place));
    }
    let lost =
        profile.map(|profile| tidy(look.tool.input_schema.as_deref(), profile).notes).unwrap_or_default();
    if let Some(note) = lost.first() {
        let finding = ToolFinding::of(ToolRule::SchemaLossy).at(in_schema("")).excerpt(note);
        report.add(finding.with("count", lost.len()));
    }
}

/// The first `null` of a value.
fn null_in(value: &Value, place: &str) -> Option<String> {
    match value {
        Value::Null => Some(place.to_owned()),
        Value::Array(values) => {
            values.iter().enumerate().find_map(|(at, value)| null_in(value, &format!("{place}/{at}")))
        }
        Value::Object(members) => {
            members.iter().find_map(|(name, value)| null_in(value, &below(place, name)))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
