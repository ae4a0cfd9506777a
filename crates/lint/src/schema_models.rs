//! Rules about what services of models make of a schema.

use std::collections::BTreeMap;

use serde_json::Value;
use sidecar_protocol::schema::SchemaProfile;
use sidecar_schema::tidy;

use crate::finding::ToolFinding;
use crate::look::{ToolLook, below, in_schema, push};
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
        for keyword in part.keywords.keys().filter(|keyword| UNSUPPORTED.contains(&keyword.as_str())) {
            keywords.entry(keyword).or_insert_with(|| below(&part.pointer, keyword));
        }
    }
    // What the browser makes of a form is not the page's choice.
    if let Some(place) = keywords.values().next().filter(|_| !look.is_form()) {
        let names: Vec<_> = keywords.keys().copied().collect();
        let finding = ToolFinding::of(ToolRule::SchemaUnsupportedKeywords).at(in_schema(place));
        report.add(finding.with("keywords", names.join(", ")));
    }
    let mut place = in_schema("");
    if leads_to_null(schema, &mut place) {
        report.add(ToolFinding::of(ToolRule::SchemaNoNullLiterals).at(place));
    }
    let lost =
        profile.map(|profile| tidy(look.tool.input_schema.as_deref(), profile).notes).unwrap_or_default();
    if let Some(note) = lost.first() {
        let finding = ToolFinding::of(ToolRule::SchemaLossy).at(in_schema("")).excerpt(note);
        report.add(finding.with("count", lost.len()));
    }
}

/// Leads a pointer to the first `null` of a value; says whether there is one.
fn leads_to_null(value: &Value, place: &mut String) -> bool {
    let end = place.len();
    let mut is_below = |name: &str, value: &Value| {
        push(place, name);
        let is_found = leads_to_null(value, place);
        if !is_found {
            place.truncate(end);
        }
        is_found
    };
    match value {
        Value::Null => true,
        Value::Array(values) => values.iter().enumerate().any(|(at, value)| is_below(&at.to_string(), value)),
        Value::Object(members) => members.iter().any(|(name, value)| is_below(name, value)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
