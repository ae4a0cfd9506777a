//! Rules about every text of a tool: orders to the model, and what nobody sees.

use std::collections::HashSet;

use serde_json::Value;
use sidecar_agent::signals;
use sidecar_protocol::guard::{InjectionSignal, SignalKind};

use crate::finding::ToolFinding;
use crate::look::{ToolLook, in_schema, push};
use crate::report::ToolReport;
use crate::rule::{LintSeverity, ToolRule};
use crate::wording::hidden;

/// A text with fewer bytes holds no order.
const LEAST: usize = 6;

/// Maximum bytes of a text that is remembered.
const REMEMBERED: usize = 200;

/// Texts of a page in which nothing was found: keywords and descriptions come again in many tools.
#[derive(Default)]
pub(crate) struct CleanTexts(HashSet<String>);

pub(crate) fn check(look: &ToolLook<'_>, clean: &mut CleanTexts, report: &mut ToolReport<'_>) {
    let tool = look.tool;
    each_text([&tool.name, &tool.title, &tool.description], look.schema, &mut |place, text| {
        if clean.0.contains(text) {
            return;
        }
        let hidden = hidden(text);
        let found = orders(text);
        if hidden.is_none() && found.is_empty() && text.len() <= REMEMBERED {
            clean.0.insert(text.to_owned());
        }
        if let Some(excerpt) = hidden {
            report.add(ToolFinding::of(ToolRule::HiddenCharacters).at(place).excerpt(&excerpt));
        }
        if let Some(first) = found.first() {
            // One doubtful sign alone may be an honest sentence.
            let severity =
                if signals::is_suspicious(&found) { LintSeverity::Error } else { LintSeverity::Warning };
            let finding = ToolFinding::of(ToolRule::DescriptionInjection).at(place).excerpt(&first.excerpt);
            report.add(finding.severe(severity));
        }
    });
}

/// The signs in a text that it instructs the model. That it hides something is another matter.
pub(crate) fn orders(text: &str) -> Vec<InjectionSignal> {
    if text.len() < LEAST {
        return Vec::new();
    }
    let mut found = signals::find(text);
    found.retain(|one| one.kind != SignalKind::Hidden);
    found
}

/// Visits every text of a tool with its place: name, title, description, and whatever is a text in its schema.
pub(crate) fn each_text(texts: [&str; 3], schema: Option<&Value>, visit: &mut impl FnMut(&str, &str)) {
    for (place, text) in ["/name", "/title", "/description"].into_iter().zip(texts) {
        visit(place, text);
    }
    if let Some(schema) = schema {
        in_value(schema, &mut in_schema(""), visit);
    }
}

fn in_value(value: &Value, place: &mut String, visit: &mut impl FnMut(&str, &str)) {
    let end = place.len();
    match value {
        Value::String(text) => visit(place, text),
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                push(place, &at.to_string());
                in_value(value, place, visit);
                place.truncate(end);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                push(place, name);
                visit(place, name);
                in_value(value, place, visit);
                place.truncate(end);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
