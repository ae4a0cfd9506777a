//! Locators that will not last, or that may find the wrong element.

use sidecar_locales::Word;

use super::walk::{self, Checked, Use};
use super::{Findings, key};
use crate::definition::SkillDefinition;
use crate::definition::locator::{Alternative, At, Locator, LocatorLink};
use crate::problem::ReasonCode;
use crate::selector::{self, Compound};
use crate::{template, word};

/// Digits in a row with which an id is a number that a page made.
const DIGITS: usize = 4;
/// Bare elements in a row with which a chain goes by the page's structure alone.
const BARE: usize = 3;

/// Looks at every locator of a SKILL.
pub(super) fn check(definition: &SkillDefinition, findings: &mut Findings<'_>) {
    for (name, own) in &definition.locators {
        locator(own, &format!("/locators/{}", key(name)), findings);
    }
    walk::definition(definition, &mut |pointer, item| {
        let Checked::At(at, used) = item else { return };
        let found = match at {
            At::Named(name) => definition.locators.get(name),
            At::Own(own) => {
                locator(own, pointer, findings);
                Some(own)
            }
        };
        if used == Use::Act && found.is_some_and(|found| found.any.iter().all(is_text_alone)) {
            findings.refuse(pointer, ReasonCode::BadLocator, word::LOCATOR_TEXT, word::LOCATOR_TEXT_WAY, &[]);
        }
    });
}

fn is_text_alone(alternative: &Alternative) -> bool {
    alternative.links().iter().all(|link| matches!(link, LocatorLink::Text { .. }))
}

fn locator(locator: &Locator, pointer: &str, findings: &mut Findings<'_>) {
    for (number, alternative) in locator.any.iter().enumerate() {
        let chain = matches!(alternative, Alternative::Chain(_));
        for (link_number, link) in alternative.links().iter().enumerate() {
            let pointer = match chain {
                true => format!("{pointer}/any/{number}/{link_number}"),
                false => format!("{pointer}/any/{number}"),
            };
            if let LocatorLink::Css { css } = link {
                self::css(css, &pointer, findings);
            }
        }
    }
}

fn css(css: &str, pointer: &str, findings: &mut Findings<'_>) {
    faults(css, &mut |why, way, values| {
        findings.refuse(&format!("{pointer}/css"), ReasonCode::BadLocator, why, way, values);
    });
}

/// Whether a selector may stand in a locator.
pub(crate) fn lasts(css: &str) -> bool {
    let mut lasts = true;
    faults(css, &mut |_, _, _| lasts = false);
    lasts
}

/// Calls with each reason why a selector may not stand in a locator, and the way out.
fn faults(css: &str, refuse: &mut impl FnMut(Word, Word, &[(&'static str, &str)])) {
    let Some(plain) = template::css(css, |_| Some(String::new())) else {
        return refuse(word::LOCATOR_TEMPLATE, word::LOCATOR_TEMPLATE_WAY, &[]);
    };
    for part in plain.split(">>") {
        let Some(lists) = selector::read(part.trim()) else {
            return refuse(word::LOCATOR_SYNTAX, word::LOCATOR_SYNTAX_WAY, &[("css", css)]);
        };
        for compounds in &lists {
            for compound in compounds {
                self::compound(compound, refuse);
            }
            if compounds.windows(BARE).any(|row| row.iter().all(Compound::is_bare)) {
                refuse(word::LOCATOR_BARE, word::LOCATOR_BARE_WAY, &[("css", css)]);
            }
        }
    }
}

fn compound(compound: &Compound<'_>, refuse: &mut impl FnMut(Word, Word, &[(&'static str, &str)])) {
    if compound.is_any {
        refuse(word::LOCATOR_ANY, word::LOCATOR_ANY_WAY, &[]);
    }
    let in_table = matches!(compound.tag, "td" | "th" | "tr" | "col" | "tbody" | "thead" | "tfoot");
    if let Some(name) = compound.pseudo.iter().find(|name| name.starts_with("nth-"))
        && !in_table
    {
        refuse(word::LOCATOR_NUMBER, word::LOCATOR_NUMBER_WAY, &[("name", name)]);
    }
    if let Some(class) = compound.classes.iter().find(|class| is_hashed(class)) {
        refuse(word::LOCATOR_CLASS, word::LOCATOR_CLASS_WAY, &[("name", class)]);
    }
    if let Some(id) = compound.ids.iter().find(|id| has_digits(id)) {
        refuse(word::LOCATOR_ID, word::LOCATOR_ID_WAY, &[("name", id)]);
    }
}

fn has_digits(id: &str) -> bool {
    id.split(|char: char| !char.is_ascii_digit()).any(|run| run.len() >= DIGITS)
}

/// Whether a class was made by a tool, which makes another one with the next build: `css-1x2y3z`, `sc-bdVaJa`,
/// `Button_root__3xYzW`, `jss123`.
fn is_hashed(class: &str) -> bool {
    let tail = ["css-", "sc-", "emotion-", "jsx-", "svelte-", "makeStyles-"]
        .iter()
        .find_map(|start| class.strip_prefix(start))
        .or_else(|| class.rsplit_once("__").map(|(_, tail)| tail));
    let is_mixed = |text: &str| {
        let has = |is: fn(&char) -> bool| text.chars().any(|char| is(&char));
        let kinds =
            [char::is_ascii_lowercase as fn(&char) -> bool, char::is_ascii_uppercase, char::is_ascii_digit];
        text.len() >= 4 && kinds.into_iter().filter(|is| has(*is)).count() >= 2
    };
    let is_numbered = |start: &str| {
        class
            .strip_prefix(start)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    tail.is_some_and(is_mixed) || is_numbered("jss") || is_numbered("c-") || is_long_mix(class)
}

/// Eight or more characters in which digits and letters change places three times.
fn is_long_mix(class: &str) -> bool {
    let changes = class.as_bytes().windows(2).filter(|pair| {
        pair[0].is_ascii_alphanumeric()
            && pair[1].is_ascii_alphanumeric()
            && pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
    });
    class.len() >= 8 && changes.count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_build_tools_are_known_from_words() {
        for class in
            ["css-1x2y3z", "sc-bdVaJa", "Button_root__3xYzW", "jss123", "svelte-1tyzq4", "a1b2c3d4e5"]
        {
            assert!(is_hashed(class), "{class}");
        }
        for class in [
            "titleline",
            "css-grid",
            "sc-button",
            "block__element",
            "col-md-6",
            "h2-title",
            "Box-row",
            "rating_num",
        ] {
            assert!(!is_hashed(class), "{class}");
        }
    }

    #[test]
    fn numbers_of_pages_are_known() {
        assert!(has_digits("item-123456") && !has_digits("section-12"));
    }
}
