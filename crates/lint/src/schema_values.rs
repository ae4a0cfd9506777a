//! Rules about the values that a schema lets through.

use std::collections::HashMap;

use serde_json::Value;
use sidecar_schema::{PatternUse, SchemaPart, pattern_use};

use crate::finding::ToolFinding;
use crate::look::{ToolLook, below, in_schema};
use crate::report::ToolReport;
use crate::rule::{LintSeverity, ToolRule};
use crate::wording::word;

/// Maximum number of patterns of a tool that are looked at.
const PATTERNS: usize = 50;

/// Values of `format` that JSON Schema defines (draft 2020-12, "Validation", section 7.3).
const FORMATS: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Keywords of which the first must not be above the second.
const BOUNDS: [(&str, &str); 5] = [
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
];

/// What the patterns of a page are worth: the same ones come again in many tools.
#[derive(Default)]
pub(crate) struct PatternUses(HashMap<String, PatternUse>);

impl PatternUses {
    fn of(&mut self, pattern: &str) -> PatternUse {
        match self.0.get(pattern) {
            Some(known) => *known,
            None => *self.0.entry(pattern.to_owned()).or_insert_with(|| pattern_use(pattern)),
        }
    }
}

pub(crate) fn check(look: &ToolLook<'_>, uses: &mut PatternUses, report: &mut ToolReport<'_>) {
    let Some(schema) = look.schema else { return };
    contradictions(schema, look, report);
    for place in &look.faults.misfits {
        let words = (word::RULE_SCHEMA_CONTRADICTION_VALUE, word::RULE_SCHEMA_CONTRADICTION_VALUE_WAY);
        let value = schema.pointer(place).map(ToString::to_string).unwrap_or_default();
        let finding = ToolFinding::of(ToolRule::SchemaContradiction).at(in_schema(place)).excerpt(&value);
        report.add(finding.worded(words.0, words.1));
    }
    patterns(look, uses, report);
    // The browser puts expressions there when it makes a schema of a form.
    for part in look.parts.iter().filter(|_| !look.is_form()) {
        let format = part.keywords.get("format").and_then(Value::as_str);
        if let Some(format) = format.filter(|format| !FORMATS.contains(format)) {
            let place = in_schema(&below(&part.pointer, "format"));
            report.add(
                ToolFinding::of(ToolRule::FormatUnknown).at(place).excerpt(format).with("format", format),
            );
        }
    }
}

/// Parts that no value satisfies. One that must be there makes the whole schema impossible.
fn contradictions(schema: &Value, look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    let empty = &look.faults.impossible;
    let is_whole = empty.iter().any(String::is_empty);
    let mut told: Vec<&str> = Vec::new();
    let places = empty
        .iter()
        .map(String::as_str)
        .chain(look.parts.iter().filter(|part| is_crossed(part)).map(|part| part.pointer.as_str()));
    for place in places {
        // The innermost place says it.
        if told.iter().any(|inner| inner.starts_with(place)) {
            continue;
        }
        let rule = if is_whole { ToolRule::SchemaImpossible } else { ToolRule::SchemaContradiction };
        let part = schema.pointer(place).map(ToString::to_string).unwrap_or_default();
        report.add(ToolFinding::of(rule).at(in_schema(place)).excerpt(&part));
        told.push(place);
    }
}

/// Whether a lower bound is above its upper bound.
fn is_crossed(part: &SchemaPart<'_>) -> bool {
    let bound = |keyword: &str| part.keywords.get(keyword).and_then(Value::as_f64);
    BOUNDS.iter().any(|(low, high)| bound(low).zip(bound(high)).is_some_and(|(low, high)| low > high))
}

fn patterns(look: &ToolLook<'_>, uses: &mut PatternUses, report: &mut ToolReport<'_>) {
    let found = look.parts.iter().filter_map(|part| Some((part, part.keywords.get("pattern")?.as_str()?)));
    for (part, pattern) in found.take(PATTERNS) {
        let at = || {
            let place = in_schema(&below(&part.pointer, "pattern"));
            ToolFinding::of(ToolRule::SchemaPattern).at(place).excerpt(pattern)
        };
        match uses.of(pattern) {
            PatternUse::Wrong => report.add(at()),
            PatternUse::Unchecked => {
                let words = (word::RULE_SCHEMA_PATTERN_UNCHECKED, word::RULE_SCHEMA_PATTERN_UNCHECKED_WAY);
                report.add(at().severe(LintSeverity::Warning).worded(words.0, words.1));
            }
            PatternUse::Checked if !(pattern.starts_with('^') && pattern.ends_with('$')) => {
                let words = (word::RULE_SCHEMA_PATTERN_OPEN, word::RULE_SCHEMA_PATTERN_OPEN_WAY);
                report.add(at().severe(LintSeverity::Info).worded(words.0, words.1));
            }
            PatternUse::Checked => {}
        }
    }
}
