//! What a SKILL says that it may do, beside what it does.

use super::suffixes::is_public_suffix;
use super::{Findings, key};
use crate::definition::{FetchRight, Permissions, SkillDefinition, ToolClass};
use crate::pattern::MatchPattern;
use crate::problem::ReasonCode;
use crate::{rights, word};

/// Less than it does is refused, more is told.
pub(super) fn check(definition: &SkillDefinition, needed: &Permissions, findings: &mut Findings<'_>) {
    let said = &definition.permissions;
    sites(definition, findings);
    for name in &needed.acts {
        if !said.acts.contains(name) {
            less(findings, "/permissions/acts", name);
        }
    }
    for (number, name) in said.acts.iter().enumerate() {
        if !needed.acts.contains(name) {
            more(findings, &format!("/permissions/acts/{number}"), name);
        }
    }
    let methods = |rights: &[FetchRight]| {
        let each =
            rights.iter().flat_map(|right| right.methods.iter().map(move |method| (&right.origin, method)));
        each.map(|(origin, method)| format!("{method} {origin}")).collect::<Vec<_>>()
    };
    let (wanted, given) = (methods(&needed.fetch), methods(&said.fetch));
    wanted
        .iter()
        .filter(|right| !given.contains(right))
        .for_each(|right| less(findings, "/permissions/fetch", right));
    given
        .iter()
        .filter(|right| !wanted.contains(right))
        .for_each(|right| more(findings, "/permissions/fetch", right));
    for (name, needs, says) in [
        ("navigate", needed.navigate, said.navigate),
        ("ownTab", needed.own_tab, said.own_tab),
        ("handOver", needed.hand_over, said.hand_over),
    ] {
        match (needs, says) {
            (true, false) => less(findings, "/permissions", name),
            (false, true) => more(findings, &format!("/permissions/{name}"), name),
            _ => {}
        }
    }
    match needed.code.cmp(&said.code) {
        std::cmp::Ordering::Greater => less(findings, "/permissions", "code"),
        std::cmp::Ordering::Less => more(findings, "/permissions/code", "code"),
        std::cmp::Ordering::Equal => {}
    }
    classes(definition, findings);
}

fn less(findings: &mut Findings<'_>, pointer: &str, what: &str) {
    findings.refuse(
        pointer,
        ReasonCode::UnderDeclared,
        word::RIGHT_LESS,
        word::RIGHT_LESS_WAY,
        &[("right", what)],
    );
}

fn more(findings: &mut Findings<'_>, pointer: &str, what: &str) {
    findings.warn(
        pointer,
        ReasonCode::OverDeclared,
        word::RIGHT_MORE,
        word::RIGHT_MORE_WAY,
        &[("right", what)],
    );
}

/// Where it says that it is, and where it may act.
fn sites(definition: &SkillDefinition, findings: &mut Findings<'_>) {
    let said: Vec<_> =
        definition.permissions.sites.iter().map(|text| MatchPattern::read(text).ok()).collect();
    let matches: Vec<_> = definition.matches.iter().map(|text| MatchPattern::read(text).ok()).collect();
    for (number, (text, pattern)) in definition.matches.iter().zip(&matches).enumerate() {
        let Some(pattern) = pattern else { continue };
        if !said.iter().flatten().any(|site| site.covers(pattern)) {
            findings.refuse(
                &format!("/match/{number}"),
                ReasonCode::UnderDeclared,
                word::SITE_LESS,
                word::SITE_LESS_WAY,
                &[("site", text)],
            );
        }
    }
    for (number, (text, site)) in definition.permissions.sites.iter().zip(&said).enumerate() {
        let Some(site) = site else { continue };
        if !matches.iter().flatten().any(|pattern| site.covers(pattern)) {
            more(findings, &format!("/permissions/sites/{number}"), text);
        }
    }
    let acts = definition.tools.iter().any(|tool| rights::class(definition, tool) >= ToolClass::Acting);
    for (number, (text, pattern)) in definition.matches.iter().zip(&matches).enumerate() {
        let Some(pattern) = pattern else { continue };
        let is_wide = pattern.is_any_site() || pattern.wildcard_base().is_some_and(is_public_suffix);
        let pointer = format!("/match/{number}");
        match (is_wide, acts) {
            (true, true) => {
                findings.refuse(
                    &pointer,
                    ReasonCode::TooWide,
                    word::SITE_WIDE,
                    word::SITE_WIDE_WAY,
                    &[("site", text)],
                );
            }
            (true, false) => {
                findings.warn(
                    &pointer,
                    ReasonCode::TooWide,
                    word::SITE_WIDE_READ,
                    word::SITE_WIDE_READ_WAY,
                    &[("site", text)],
                );
            }
            (false, _) => {}
        }
    }
}

/// What each tool says of itself.
fn classes(definition: &SkillDefinition, findings: &mut Findings<'_>) {
    for (number, tool) in definition.tools.iter().enumerate() {
        let found = rights::found_class(definition, tool);
        let place = format!("/tools/{number}");
        if tool.class < found {
            findings.refuse(
                &format!("{place}/class"),
                ReasonCode::UnderDeclared,
                word::CLASS_LESS,
                word::CLASS_LESS_WAY,
                &[("tool", &tool.name)],
            );
        } else if tool.annotations.read_only_hint == Some(true) && found > ToolClass::Read {
            findings.refuse(
                &format!("{place}/annotations/{}", key("readOnlyHint")),
                ReasonCode::UnderDeclared,
                word::CLASS_LESS,
                word::CLASS_LESS_WAY,
                &[("tool", &tool.name)],
            );
        }
    }
}
