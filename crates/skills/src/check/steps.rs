//! The steps of a tool: what each needs, and whether it knows what it names.

use std::collections::BTreeSet;

use serde_json::Value;

use super::walk::{self, Checked};
use super::{Findings, key};
use crate::definition::condition::One;
use crate::definition::locator::{At, Locator};
use crate::definition::step::{
    AnswerForm, DataSource, Extraction, RowField, SkillStep, StepKind, ValueReading, What,
};
use crate::definition::{SkillDefinition, SkillTool, ToolClass};
use crate::pick::Pick;
use crate::problem::listed;
use crate::template::{self, Part};
use crate::word;

/// Maximum number of steps of a tool, with those in steps.
const MOST_STEPS: usize = 60;
/// Maximum depth of steps in steps.
const MOST_DEPTH: usize = 3;

/// A tool has steps or code. Its steps come to an end with what was asked for, and use no name that nobody gave.
pub(super) fn check(
    definition: &SkillDefinition,
    tool: &SkillTool,
    place: &str,
    findings: &mut Findings<'_>,
) {
    if tool.steps.is_empty() == tool.code.is_none() {
        return findings.schema(place, word::TOOL_BODY, word::TOOL_BODY_WAY, &[]);
    }
    if tool.code.is_some() {
        return;
    }
    let mut count = 0;
    crate::rights::for_each_step(&tool.steps, &mut |_| count += 1);
    if count > MOST_STEPS {
        findings.schema(
            &format!("{place}/steps"),
            word::STEPS_MANY,
            word::STEPS_MANY_WAY,
            &[("most", &MOST_STEPS.to_string())],
        );
    }
    let mut returns = false;
    crate::rights::for_each_step(&tool.steps, &mut |step| {
        returns |= matches!(step.does, StepKind::Return { .. });
    });
    if !returns && tool.class == ToolClass::Read {
        findings.schema(&format!("{place}/steps"), word::STEPS_NO_RETURN, word::STEPS_NO_RETURN_WAY, &[]);
    }
    let inputs: BTreeSet<&str> = match tool.input_schema["properties"].as_object() {
        Some(properties) => properties.keys().map(String::as_str).collect(),
        None => BTreeSet::new(),
    };
    let mut reader = StepReader { definition, known: inputs.clone(), inputs, findings };
    reader.steps(&tool.steps, &format!("{place}/steps"), 1, false);
}

struct StepReader<'d, 'f, 's> {
    definition: &'d SkillDefinition,
    inputs: BTreeSet<&'d str>,
    /// Inputs, and results of the steps so far.
    known: BTreeSet<&'d str>,
    findings: &'f mut Findings<'s>,
}

impl<'d> StepReader<'d, '_, '_> {
    fn steps(&mut self, steps: &'d [SkillStep], place: &str, depth: usize, is_in_pages: bool) {
        if depth > MOST_DEPTH {
            return self.findings.schema(
                place,
                word::STEPS_DEEP,
                word::STEPS_DEEP_WAY,
                &[("most", &MOST_DEPTH.to_string())],
            );
        }
        for (number, step) in steps.iter().enumerate() {
            let place = format!("{place}/{number}");
            let mut items = Vec::new();
            walk::step(step, &place, &mut |pointer, item| items.push((pointer.to_owned(), item)));
            for (pointer, item) in items {
                self.item(&pointer, item);
            }
            self.kind(&step.does, &place, is_in_pages);
            let is_pages = matches!(step.does, StepKind::Pages { .. });
            for (inner_place, inner) in walk::inner(step, &place) {
                self.steps(inner, &inner_place, depth + 1, is_in_pages || is_pages);
            }
            if let StepKind::Pages { collect, .. } = &step.does
                && !self.known.contains(collect.as_str())
            {
                self.unknown(&format!("{place}/collect"), collect);
            }
            if let Some(name) = &step.named {
                if self.inputs.contains(name.as_str()) {
                    self.findings.schema(
                        &format!("{place}/as"),
                        word::NAME_TAKEN,
                        word::NAME_TAKEN_WAY,
                        &[("name", name)],
                    );
                }
                match &step.does {
                    StepKind::Read { .. }
                    | StepKind::Extract(_)
                    | StepKind::Data { .. }
                    | StepKind::Fetch { .. }
                    | StepKind::Pages { .. } => _ = self.known.insert(name),
                    _ => self.findings.schema(
                        &format!("{place}/as"),
                        word::NAME_NOTHING,
                        word::NAME_NOTHING_WAY,
                        &[],
                    ),
                }
            }
        }
    }

    fn item(&mut self, pointer: &str, item: Checked<'d>) {
        match item {
            Checked::Template(value) => self.template(value, pointer),
            Checked::Path(path) => {
                self.text(path, pointer);
                if !path.starts_with('/') || path.starts_with("//") || path.contains(['\\', '?', '#']) {
                    self.findings.schema(pointer, word::PATH_FORM, word::PATH_FORM_WAY, &[]);
                }
            }
            Checked::At(at, _) => {
                let locator = match at {
                    At::Named(name) => self.definition.locators.get(name),
                    At::Own(locator) => Some(locator),
                };
                if let Some(locator) = locator {
                    self.locator(locator, pointer, 0);
                }
            }
            Checked::Condition(One { input: Some(input), .. }) if !self.inputs.contains(input.as_str()) => {
                self.findings.schema(
                    pointer,
                    word::INPUT_UNKNOWN,
                    word::INPUT_UNKNOWN_WAY,
                    &[("name", input)],
                );
            }
            Checked::Condition(_) => {}
            Checked::Pick(pick) => {
                if let Err(fault) = Pick::read(pick) {
                    let at = (fault.at + 1).to_string();
                    self.findings.schema(
                        pointer,
                        word::PICK_BAD,
                        word::PICK_BAD_WAY,
                        &[("pick", pick), ("at", &at)],
                    );
                }
            }
            Checked::Reading(reading) => self.reading(reading, pointer),
        }
    }

    fn template(&mut self, value: &Value, pointer: &str) {
        match value {
            Value::String(text) => self.text(text, pointer),
            Value::Array(list) => {
                list.iter()
                    .enumerate()
                    .for_each(|(number, value)| self.template(value, &format!("{pointer}/{number}")));
            }
            Value::Object(map) => {
                map.iter()
                    .for_each(|(name, value)| self.template(value, &format!("{pointer}/{}", key(name))));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, text: &str, pointer: &str) {
        let Some(parts) = template::parts(text) else {
            return self.findings.schema(pointer, word::TEMPLATE_BAD, word::TEMPLATE_BAD_WAY, &[]);
        };
        for part in parts {
            if let Part::Name(name) = part
                && !self.known.contains(name)
            {
                self.unknown(pointer, name);
            }
        }
    }

    fn unknown(&mut self, pointer: &str, name: &str) {
        let known = listed(&self.known.iter().copied().collect::<Vec<_>>());
        self.findings.schema(
            pointer,
            word::NAME_UNKNOWN,
            word::NAME_UNKNOWN_WAY,
            &[("name", name), ("known", &known)],
        );
    }

    /// The names in a locator and in those around it.
    fn locator(&mut self, locator: &Locator, pointer: &str, depth: usize) {
        for link in locator.any.iter().flat_map(|alternative| alternative.links()) {
            for text in link.templates() {
                self.text(text, pointer);
            }
        }
        if let Some(outer) = locator.within.as_ref().and_then(|name| self.definition.locators.get(name))
            && depth < MOST_STEPS
        {
            self.locator(outer, pointer, depth + 1);
        }
    }

    fn reading(&mut self, reading: &ValueReading, pointer: &str) {
        if reading.attr.is_some() != (reading.what == What::Attr) {
            self.findings.schema(pointer, word::READ_ATTR, word::READ_ATTR_WAY, &[]);
        }
        let is_text = matches!(reading.what, What::Text | What::Attr | What::Value);
        if !is_text && (reading.r#type.is_some() || reading.map.is_some()) {
            self.findings.schema(pointer, word::READ_TYPE, word::READ_TYPE_WAY, &[]);
        }
        if reading.r#type.is_some() && reading.map.is_some() {
            self.findings.schema(pointer, word::READ_TYPE, word::READ_TYPE_WAY, &[]);
        }
    }

    fn kind(&mut self, kind: &'d StepKind, place: &str, is_in_pages: bool) {
        match kind {
            StepKind::Data { from, at, .. } if (*from == DataSource::Script) != at.is_some() => {
                self.findings.schema(place, word::DATA_AT, word::DATA_AT_WAY, &[]);
            }
            StepKind::Extract(Extraction { fields, .. }) if fields.values().any(has_lists_in_list) => {
                self.findings.schema(&format!("{place}/fields"), word::LISTS_DEEP, word::LISTS_DEEP_WAY, &[]);
            }
            StepKind::Fetch { .. } => self.fetch(kind, place),
            StepKind::Pages { .. } if is_in_pages => {
                self.findings.schema(place, word::PAGES_IN_PAGES, word::PAGES_IN_PAGES_WAY, &[])
            }
            StepKind::Either { branches } => {
                let last = branches.len().saturating_sub(1);
                for number in (0..last).filter(|number| branches[*number].when.is_none()) {
                    self.findings.schema(
                        &format!("{place}/branches/{number}"),
                        word::BRANCH_WHEN,
                        word::BRANCH_WHEN_WAY,
                        &[],
                    );
                }
            }
            _ => {}
        }
    }

    fn fetch(&mut self, kind: &'d StepKind, place: &str) {
        let StepKind::Fetch { endpoint: name, path, form, json, read, pick, extract, .. } = kind else {
            return;
        };
        let Some(endpoint) = self.definition.endpoints.get(name) else {
            return self.findings.schema(
                &format!("{place}/endpoint"),
                word::ENDPOINT_UNKNOWN,
                word::ENDPOINT_UNKNOWN_WAY,
                &[("name", name)],
            );
        };
        let wanted: BTreeSet<&str> = placeholders(&endpoint.path).collect();
        let given: BTreeSet<&str> = path.keys().map(String::as_str).collect();
        if wanted != given {
            let wanted = wanted.into_iter().collect::<Vec<_>>().join(", ");
            self.findings.schema(place, word::ENDPOINT_PATH, word::ENDPOINT_PATH_WAY, &[("names", &wanted)]);
        }
        let has_body = form.is_some() || json.is_some();
        if (form.is_some() && json.is_some()) || (endpoint.method == "GET" && has_body) {
            self.findings.schema(place, word::ENDPOINT_BODY, word::ENDPOINT_BODY_WAY, &[]);
        }
        let is_html = *read == AnswerForm::Html;
        if is_html != extract.is_some() || (is_html && pick.is_some()) {
            self.findings.schema(place, word::ENDPOINT_ANSWER, word::ENDPOINT_ANSWER_WAY, &[]);
        }
        if is_html && endpoint.origin.is_some() {
            self.findings.schema(place, word::ENDPOINT_HTML, word::ENDPOINT_HTML_WAY, &[]);
        }
    }
}

/// Whether a list in a row has lists in its rows.
fn has_lists_in_list(field: &RowField) -> bool {
    match field {
        RowField::List { fields, .. } => fields.values().any(|inner| matches!(inner, RowField::List { .. })),
        RowField::Value { .. } => false,
    }
}

/// The names of the segments that an endpoint's path leaves open.
fn placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}
