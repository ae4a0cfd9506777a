//! Locators as the page takes them: names filled in, and the words of its language.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_protocol::ActionOutcome;

use super::{AskPort, Runner, Stop};
use crate::definition::SkillDefinition;
use crate::definition::locator::{At, Locator, LocatorLink};
use crate::template::{self, Values};

/// Maximum depth of locators in one another.
const MOST_DEPTH: usize = 5;

/// What the page found.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Found {
    /// How many elements.
    pub count: u32,
    /// Number of the alternative, of those that the page was told.
    pub n: Option<usize>,
    /// Whether the alternatives that match find the same.
    pub agrees: bool,
    /// Something that cannot be parsed.
    pub fault: Option<String>,
    /// There are more elements than this, which were not looked at.
    pub most: Option<u32>,
    /// The element's ref, if it is one.
    pub r#ref: Option<String>,
}

/// A locator for the page, and what it is called.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PageLocator {
    pub json: Value,
    /// Its name; empty for a step's own.
    pub name: String,
}

/// Why there is no locator for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoLocator {
    /// The SKILL does not know the page's language.
    Language,
    /// A value is missing that it is made of.
    Value,
    /// Its name is not known, or it is nested too deeply.
    Name,
}

impl From<NoLocator> for Stop {
    fn from(none: NoLocator) -> Self {
        Self::Failed(match none {
            NoLocator::Language | NoLocator::Name => ActionOutcome::Changed,
            NoLocator::Value => ActionOutcome::BadInput,
        })
    }
}

/// Makes a locator for a page in a language. `is_acting` wants a visible element.
pub(super) fn resolve(
    definition: &SkillDefinition,
    at: &At,
    values: &Values,
    language: &str,
    is_acting: bool,
) -> Result<PageLocator, NoLocator> {
    let (locator, name) = match at {
        At::Named(name) => (definition.locators.get(name).ok_or(NoLocator::Name)?, name.clone()),
        At::Own(locator) => (locator, String::new()),
    };
    let mut json = made(definition, locator, values, language, 0)?;
    if is_acting {
        json["visible"] = json!(true);
    }
    Ok(PageLocator { json, name })
}

fn made(
    definition: &SkillDefinition,
    locator: &Locator,
    values: &Values,
    language: &str,
    depth: usize,
) -> Result<Value, NoLocator> {
    if depth >= MOST_DEPTH {
        return Err(NoLocator::Name);
    }
    let mut alternatives = Vec::new();
    let mut why = NoLocator::Language;
    for alternative in &locator.any {
        let links: Result<Vec<_>, _> =
            alternative.links().iter().map(|link| self::link(link, values, language)).collect();
        match links {
            Ok(links) => alternatives.push(json!({"n": alternatives.len(), "links": links})),
            Err(none) => why = none,
        }
    }
    if alternatives.is_empty() {
        return Err(why);
    }
    let mut json = json!({"any": alternatives, "visible": locator.visible.unwrap_or(false)});
    if let Some(outer) = &locator.within {
        let outer = definition.locators.get(outer).ok_or(NoLocator::Name)?;
        json["in"] = made(definition, outer, values, language, depth + 1)?;
    }
    Ok(json)
}

fn link(link: &LocatorLink, values: &Values, language: &str) -> Result<Value, NoLocator> {
    let value_of = |name: &str| template::filled_text(&Value::String(format!("{{{{{name}}}}}")), values);
    let text =
        |text: &str| template::filled_text(&Value::String(text.to_owned()), values).ok_or(NoLocator::Value);
    let words = || match link.wording() {
        None => Ok(Vec::new()),
        Some(wording) => wording.on(language).ok_or(NoLocator::Language)?.into_iter().map(text).collect(),
    };
    Ok(match link {
        LocatorLink::Css { css } => json!({"css": template::css(css, value_of).ok_or(NoLocator::Value)?}),
        LocatorLink::TestId { testid } => json!({"testid": text(testid)?}),
        LocatorLink::Role { role, name: None } => json!({"role": role}),
        LocatorLink::Role { role, .. } => json!({"role": role, "names": words()?}),
        LocatorLink::Label { .. } => json!({"label": words()?}),
        LocatorLink::Placeholder { .. } => json!({"placeholder": words()?}),
        LocatorLink::Text { .. } => json!({"text": words()?}),
    })
}

impl<P: AskPort> Runner<'_, P> {
    /// A locator for the page as it is.
    pub(super) fn locator(&self, at: &At, is_acting: bool) -> Result<PageLocator, Stop> {
        Ok(resolve(self.definition, at, &self.values, &self.page.language, is_acting)?)
    }

    /// Takes what was found: a fault or alternatives that do not agree end the tool, a later alternative is told.
    pub(super) fn take(&mut self, found: &Found, locator: &PageLocator) -> Result<(), Stop> {
        if let Some(n) = found.n {
            self.found_last = Some((locator.name.clone(), n));
        }
        if found.fault.is_some() || (found.count > 0 && !found.agrees) {
            return Err(ActionOutcome::Changed.into());
        }
        if found.most.is_some() {
            return Err(ActionOutcome::TooLarge.into());
        }
        if found.n.is_some_and(|n| n > 0) {
            self.is_worn(&locator.name);
        }
        Ok(())
    }

    /// A locator's first alternative finds nothing any more.
    pub(super) fn is_worn(&mut self, name: &str) {
        let name = if name.is_empty() { "at" } else { name };
        if !self.worn.iter().any(|known| known == name) {
            self.worn.push(name.to_owned());
        }
    }
}

/// The values by the names in a map of templates; those that are missing are left out.
pub(super) fn filled(templates: &BTreeMap<String, Value>, values: &Values) -> Values {
    let filled =
        templates.iter().filter_map(|(key, value)| Some((key.clone(), template::filled(value, values)?)));
    filled.collect()
}
