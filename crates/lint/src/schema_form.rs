//! Rules about a schema as a whole: is it one, of an object, and small enough?

use std::collections::HashSet;

use serde_json::{Map, Value};
use sidecar_protocol::page::ToolDescription;
use sidecar_schema::{PartRole, Problem, SCHEMA_LIMIT, target};

use crate::finding::ToolFinding;
use crate::look::{ToolLook, below, in_schema};
use crate::report::ToolReport;
use crate::rule::{LintSeverity, ToolRule};
use crate::wording::word;

/// Bytes of a schema from which it is large.
const LARGE: usize = 16 * 1024;

/// Maximum number of objects and arrays around a parameter, its own included.
const DEPTH: usize = 3;

pub(crate) fn check(look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    let Some(text) = look.tool.input_schema.as_deref() else { return };
    if text.len() > LARGE && text.len() <= SCHEMA_LIMIT {
        report.add(sized(look.tool));
    }
    if let Some(problem) = &look.faults.problem {
        of_problem(problem, look, report);
    }
    required(look, report);
    references(look, report);
    let deepest =
        look.parts.iter().filter(|part| matches!(part.role, PartRole::Property(_) | PartRole::Item));
    if let Some(part) = deepest.max_by_key(|part| part.depth).filter(|part| part.depth > DEPTH) {
        report.add(
            ToolFinding::of(ToolRule::SchemaDepth).at(in_schema(&part.pointer)).with("depth", part.depth),
        );
    }
}

fn sized(tool: &ToolDescription) -> ToolFinding {
    let size = tool.input_schema.as_ref().map_or(0, String::len);
    ToolFinding::of(ToolRule::SchemaSize).at(in_schema("")).with("size", size / 1024)
}

/// What keeps arguments from being checked.
fn of_problem(problem: &Problem, look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    let at = |rule, place: &str| ToolFinding::of(rule).at(in_schema(place));
    let said = problem.to_string();
    match problem {
        Problem::TooLarge => {
            let words = (word::RULE_SCHEMA_SIZE_UNCHECKED, word::RULE_SCHEMA_SIZE_WAY);
            report.add(sized(look.tool).severe(LintSeverity::Error).worded(words.0, words.1));
        }
        Problem::TooMuch => {
            let words = (word::RULE_SCHEMA_SIZE_WRITTEN_OUT, word::RULE_SCHEMA_SIZE_WAY);
            report.add(sized(look.tool).severe(LintSeverity::Error).worded(words.0, words.1));
        }
        Problem::NotAnObject | Problem::NotForObjects => {
            report.add(at(ToolRule::SchemaShape, "").excerpt(&said));
        }
        Problem::NotJson(_) | Problem::Draft(_) => report.add(at(ToolRule::SchemaInvalid, "").excerpt(&said)),
        // Patterns have a rule of their own.
        Problem::Keyword { place, .. } if place.ends_with("/pattern") => {}
        Problem::Keyword { place, .. } => report.add(at(ToolRule::SchemaInvalid, place).excerpt(&said)),
        // All of them are found among the parts.
        Problem::LostReference { .. } | Problem::ReferenceToElsewhere { .. } => {}
        Problem::Recursive { place, to } => report.add(at(ToolRule::SchemaRecursive, place).excerpt(to)),
        Problem::Unchecked { place } => {
            let words = (word::RULE_SCHEMA_REF_UNCHECKED, word::RULE_SCHEMA_REF_WAY);
            let finding = at(ToolRule::SchemaRef, place).severe(LintSeverity::Warning);
            report.add(finding.worded(words.0, words.1));
        }
    }
}

/// Names that are required and nowhere defined.
fn required(look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    for part in &look.parts {
        // A branch may require what the part around it defines.
        let is_whole = part.role != PartRole::Branch
            && !["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties"]
                .iter()
                .any(|keyword| part.keywords.contains_key(*keyword));
        let (true, Some(Value::Array(names))) = (is_whole, part.keywords.get("required")) else { continue };
        let empty = Map::new();
        let defined = part.keywords.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        for (at, name) in names.iter().enumerate() {
            let Some(name) = name.as_str().filter(|name| !defined.contains_key(*name)) else { continue };
            let place = in_schema(&format!("{}/required/{at}", part.pointer));
            let words = (word::RULE_SCHEMA_SHAPE_REQUIRED, word::RULE_SCHEMA_SHAPE_REQUIRED_WAY);
            let finding = ToolFinding::of(ToolRule::SchemaShape).at(place).excerpt(name);
            report.add(finding.worded(words.0, words.1).with("name", name));
        }
    }
}

/// References that lead nowhere, or to other documents.
fn references(look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    let mut told: HashSet<&str> = HashSet::new();
    for part in &look.parts {
        let Some(to) = part.keywords.get("$ref").and_then(Value::as_str) else { continue };
        let is_found = look.schema.is_some_and(|schema| target(schema, to).is_some());
        if is_found || !told.insert(to) {
            continue;
        }
        let place = in_schema(&below(&part.pointer, "$ref"));
        let finding = ToolFinding::of(ToolRule::SchemaRef).at(place).excerpt(to).with("to", to);
        report.add(match to.starts_with('#') {
            true => finding,
            false => finding.worded(word::RULE_SCHEMA_REF_ELSEWHERE, word::RULE_SCHEMA_REF_WAY),
        });
    }
}
