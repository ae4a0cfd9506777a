//! Whether what is named is there, and whether what is written as a pattern is one.

use std::collections::{BTreeMap, BTreeSet};

use super::walk::{self, Checked};
use super::{Findings, key};
use crate::definition::SkillDefinition;
use crate::definition::condition::One;
use crate::definition::locator::At;
use crate::definition::step::StepKind;
use crate::pattern::MatchPattern;
use crate::problem::ReasonCode;
use crate::{rights, word};

/// Maximum depth of locators in one another.
const MOST_DEPTH: usize = 5;

/// What stands outside the steps, and what is named anywhere.
pub(super) fn check(definition: &SkillDefinition, findings: &mut Findings<'_>) {
    patterns(definition, findings);
    let mut used = within(definition, findings);
    walk::definition(definition, &mut |pointer, item| match item {
        Checked::At(At::Named(name), _) => {
            if definition.locators.contains_key(name) {
                used.insert(name.clone());
            } else {
                findings.schema(pointer, word::LOCATOR_UNKNOWN, word::LOCATOR_UNKNOWN_WAY, &[("name", name)]);
            }
        }
        Checked::At(At::Own(locator), _) => {
            if let Some(name) = &locator.within {
                used.insert(name.clone());
                if !definition.locators.contains_key(name) {
                    findings.schema(
                        &format!("{pointer}/in"),
                        word::LOCATOR_UNKNOWN,
                        word::LOCATOR_UNKNOWN_WAY,
                        &[("name", name)],
                    );
                }
            }
        }
        Checked::Condition(one) => condition(one, pointer, findings),
        _ => {}
    });
    walk::pages(definition, &mut |pointer, item| {
        if let Checked::Condition(One { input: Some(input), .. }) = item {
            findings.schema(pointer, word::INPUT_UNKNOWN, word::INPUT_UNKNOWN_WAY, &[("name", input)]);
        }
    });
    for name in definition.locators.keys().filter(|name| !used.contains(*name)) {
        let pointer = format!("/locators/{}", key(name));
        findings.warn(&pointer, ReasonCode::BadSchema, word::UNUSED, word::UNUSED_WAY, &[("name", name)]);
    }
    tools(definition, findings);
}

fn patterns(definition: &SkillDefinition, findings: &mut Findings<'_>) {
    let mut lists: Vec<(String, &[String])> = vec![
        ("/match".to_owned(), &definition.matches),
        ("/exclude".to_owned(), &definition.exclude),
        ("/permissions/sites".to_owned(), &definition.permissions.sites),
    ];
    for (name, page) in &definition.pages {
        lists.push((format!("/pages/{}/match", key(name)), &page.matches));
    }
    for (place, patterns) in lists {
        for (number, pattern) in patterns.iter().enumerate() {
            self::pattern(pattern, &format!("{place}/{number}"), findings);
        }
    }
}

fn pattern(text: &str, pointer: &str, findings: &mut Findings<'_>) {
    if MatchPattern::read(text).is_err() {
        findings.schema(pointer, word::PATTERN_BAD, word::PATTERN_BAD_WAY, &[("pattern", text)]);
    }
}

/// The names of locators in which others are, which have to be there and form no circle.
fn within(definition: &SkillDefinition, findings: &mut Findings<'_>) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (name, locator) in &definition.locators {
        let pointer = format!("/locators/{}/in", key(name));
        let mut next = locator.within.as_ref();
        let mut depth = 1;
        while let Some(outer) = next {
            used.insert(outer.clone());
            let Some(found) = definition.locators.get(outer) else {
                if depth == 1 {
                    findings.schema(
                        &pointer,
                        word::LOCATOR_UNKNOWN,
                        word::LOCATOR_UNKNOWN_WAY,
                        &[("name", outer)],
                    );
                }
                break;
            };
            depth += 1;
            if depth > MOST_DEPTH {
                findings.schema(
                    &pointer,
                    word::LOCATOR_DEEP,
                    word::LOCATOR_DEEP_WAY,
                    &[("most", &MOST_DEPTH.to_string())],
                );
                break;
            }
            next = found.within.as_ref();
        }
    }
    used
}

fn condition(one: &One, pointer: &str, findings: &mut Findings<'_>) {
    let asks_element = one.is.is_some() || one.count.is_some() || one.text.is_some();
    let asks_input = one.given.is_some() || one.equals.is_some();
    let is_whole = one.at.is_some() == asks_element
        && one.input.is_some() == asks_input
        && (asks_element || asks_input || one.url.is_some());
    if !is_whole {
        findings.schema(pointer, word::CONDITION_HALF, word::CONDITION_HALF_WAY, &[]);
    }
    if let Some(url) = &one.url {
        pattern(url, &format!("{pointer}/url"), findings);
    }
}

fn tools(definition: &SkillDefinition, findings: &mut Findings<'_>) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut endpoints: BTreeSet<&str> = BTreeSet::new();
    for (number, tool) in definition.tools.iter().enumerate() {
        let place = format!("/tools/{number}");
        if seen.insert(&tool.name, number).is_some() {
            findings.schema(
                &format!("{place}/name"),
                word::TOOL_TWICE,
                word::TOOL_TWICE_WAY,
                &[("name", &tool.name)],
            );
        }
        for (page_number, page) in tool.pages.iter().enumerate() {
            if !definition.pages.contains_key(page) {
                findings.schema(
                    &format!("{place}/pages/{page_number}"),
                    word::PAGE_UNKNOWN,
                    word::PAGE_UNKNOWN_WAY,
                    &[("name", page)],
                );
            }
        }
        rights::for_each_step(&tool.steps, &mut |step| {
            if let StepKind::Fetch { endpoint, .. } = &step.does {
                endpoints.insert(endpoint);
            }
        });
    }
    for name in definition.endpoints.keys().filter(|name| !endpoints.contains(name.as_str())) {
        let pointer = format!("/endpoints/{}", key(name));
        findings.warn(&pointer, ReasonCode::BadSchema, word::UNUSED, word::UNUSED_WAY, &[("name", name)]);
    }
}
