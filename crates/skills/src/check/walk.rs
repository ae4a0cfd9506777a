//! Everything in a definition that has to be checked, with its place as a JSON Pointer.

use std::collections::BTreeMap;

use serde_json::Value;

use super::key;
use crate::definition::SkillDefinition;
use crate::definition::condition::{Condition, One};
use crate::definition::locator::At;
use crate::definition::step::{Extraction, RowField, SkillStep, StepKind, Then, ValueReading, WaitedFor};

/// A thing at a place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Checked<'d> {
    /// An element that is looked for.
    At(&'d At, Use),
    /// A condition.
    Condition(&'d One),
    /// A value in which texts are templates.
    Template(&'d Value),
    /// A path with templates.
    Path(&'d str),
    /// A part of JSON.
    Pick(&'d str),
    /// A text or an attribute that is read.
    Reading(&'d ValueReading),
}

/// What an element is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// To read it.
    Read,
    /// To do something with it: there has to be one, and just the right one.
    Act,
}

/// Calls for what is found.
pub(super) type See<'s, 'd> = &'s mut dyn FnMut(&str, Checked<'d>);

/// What is in the kinds of pages and the signals.
pub(super) fn pages<'d>(definition: &'d SkillDefinition, see: See<'_, 'd>) {
    let signals = &definition.signals;
    let lists = [("/signals/signedOut", &signals.signed_out), ("/signals/challenge", &signals.challenge)];
    for (place, conditions) in lists {
        each_one(conditions, place, see);
    }
    for (name, page) in &definition.pages {
        let place = format!("/pages/{}", key(name));
        each_one(&page.probes, &format!("{place}/probes"), see);
        each_one(&page.empty, &format!("{place}/empty"), see);
    }
}

fn each_one<'d>(conditions: &'d [One], place: &str, see: See<'_, 'd>) {
    for (number, condition) in conditions.iter().enumerate() {
        one(condition, &format!("{place}/{number}"), see);
    }
}

/// What is in a whole definition.
pub(super) fn definition<'d>(definition: &'d SkillDefinition, see: See<'_, 'd>) {
    pages(definition, see);
    for (number, tool) in definition.tools.iter().enumerate() {
        steps(&tool.steps, &format!("/tools/{number}/steps"), see);
    }
}

fn steps<'d>(list: &'d [SkillStep], place: &str, see: See<'_, 'd>) {
    for (number, step) in list.iter().enumerate() {
        let place = format!("{place}/{number}");
        self::step(step, &place, see);
        for (inner_place, inner) in inner(step, &place) {
            steps(inner, &inner_place, see);
        }
    }
}

/// The lists of steps in a step, with their places.
pub(super) fn inner<'d>(step: &'d SkillStep, place: &str) -> Vec<(String, &'d [SkillStep])> {
    let name = |number: usize| match &step.does {
        StepKind::Either { .. } => format!("{place}/branches/{number}/steps"),
        _ => format!("{place}/steps"),
    };
    step.does.inner().into_iter().enumerate().map(|(number, inner)| (name(number), inner)).collect()
}

/// What is in a step, without the steps in it.
pub(super) fn step<'d>(step: &'d SkillStep, place: &str, see: See<'_, 'd>) {
    let under = |name: &str| format!("{place}/{name}");
    if let Some(when) = &step.when {
        condition(when, &under("when"), see);
    }
    match &step.does {
        StepKind::Expect { that } => condition(that, &under("that"), see),
        StepKind::Wait { r#for: WaitedFor::Condition(waited) } => condition(waited, &under("for"), see),
        StepKind::Wait { r#for: WaitedFor::Stable(_) } | StepKind::Fail { .. } => {}
        StepKind::Read { at, reading } => {
            see(&under("at"), Checked::At(at, Use::Read));
            see(place, Checked::Reading(reading));
        }
        StepKind::Extract(extraction) => self::extraction(extraction, place, see),
        StepKind::Data { at, pick, .. } => {
            if let Some(at) = at {
                see(&under("at"), Checked::At(at, Use::Read));
            }
            if let Some(pick) = pick {
                see(&under("pick"), Checked::Pick(pick));
            }
        }
        StepKind::Fetch { path, query, form, json, pick, extract, .. } => {
            for (name, values) in [("path", Some(path)), ("query", Some(query)), ("form", form.as_ref())] {
                if let Some(values) = values {
                    templates(values, &under(name), see);
                }
            }
            if let Some(json) = json {
                see(&under("json"), Checked::Template(json));
            }
            if let Some(pick) = pick {
                see(&under("pick"), Checked::Pick(pick));
            }
            if let Some(extract) = extract {
                extraction(extract, &under("extract"), see);
            }
        }
        StepKind::Navigate { path, query, .. } => {
            see(&under("path"), Checked::Path(path));
            templates(query, &under("query"), see);
        }
        StepKind::Scroll { at, .. } => see(&under("at"), Checked::At(at, Use::Read)),
        StepKind::Click { at, then, .. } => {
            see(&under("at"), Checked::At(at, Use::Act));
            match then {
                Then::Word(_) => {}
                Then::Appears { appears } => see(&under("then/appears"), Checked::At(appears, Use::Read)),
                Then::Gone { gone } => see(&under("then/gone"), Checked::At(gone, Use::Read)),
            }
        }
        StepKind::Fill { at, value } => {
            see(&under("at"), Checked::At(at, Use::Act));
            see(&under("value"), Checked::Template(value));
        }
        StepKind::Choose { at, option } => {
            see(&under("at"), Checked::At(at, Use::Act));
            see(&under("option"), Checked::Template(option));
        }
        StepKind::Check { at, on } => {
            see(&under("at"), Checked::At(at, Use::Act));
            see(&under("on"), Checked::Template(on));
        }
        StepKind::Hover { at } | StepKind::Press { at: Some(at), .. } => {
            see(&under("at"), Checked::At(at, Use::Act));
        }
        StepKind::Press { at: None, .. } => {}
        StepKind::Either { branches } => {
            for (number, branch) in branches.iter().enumerate() {
                if let Some(when) = &branch.when {
                    condition(when, &format!("{place}/branches/{number}/when"), see);
                }
            }
        }
        StepKind::Pages { next, .. } => see(&under("next"), Checked::At(next, Use::Act)),
        StepKind::HandOver { until, .. } => condition(until, &under("until"), see),
        StepKind::Return { value } => see(&under("value"), Checked::Template(value)),
    }
}

fn templates<'d>(values: &'d BTreeMap<String, Value>, place: &str, see: See<'_, 'd>) {
    for (name, value) in values {
        see(&format!("{place}/{}", key(name)), Checked::Template(value));
    }
}

fn extraction<'d>(extraction: &'d Extraction, place: &str, see: See<'_, 'd>) {
    see(&format!("{place}/each"), Checked::At(&extraction.each, Use::Read));
    fields(&extraction.fields, &format!("{place}/fields"), see);
}

fn fields<'d>(all: &'d BTreeMap<String, RowField>, place: &str, see: See<'_, 'd>) {
    for (name, field) in all {
        let place = format!("{place}/{}", key(name));
        match field {
            RowField::List { each, fields: inner } => {
                see(&format!("{place}/each"), Checked::At(each, Use::Read));
                fields(inner, &format!("{place}/fields"), see);
            }
            RowField::Value { at, reading } => {
                if let Some(at) = at {
                    see(&format!("{place}/at"), Checked::At(at, Use::Read));
                }
                see(&place, Checked::Reading(reading));
            }
        }
    }
}

fn condition<'d>(condition: &'d Condition, place: &str, see: See<'_, 'd>) {
    match condition {
        Condition::All { all } => each_one(all, &format!("{place}/all"), see),
        Condition::Any { any } => each_one(any, &format!("{place}/any"), see),
        Condition::One(single) => one(single, place, see),
    }
}

fn one<'d>(one: &'d One, place: &str, see: See<'_, 'd>) {
    see(place, Checked::Condition(one));
    if let Some(at) = &one.at {
        see(&format!("{place}/at"), Checked::At(at, Use::Read));
    }
}
