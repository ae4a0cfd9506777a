//! Rights as sentences for the user.

use sidecar_locales::{Word, fill};
use sidecar_protocol::settings::Language;

use crate::definition::{CodeWorld, Permissions};
use crate::word;

/// Maximum number of names in a sentence.
const MOST_NAMES: usize = 6;

/// What rights allow, one sentence a right. `places` are the pages on which it is so.
pub(super) fn rights(rights: &Permissions, places: &[String], language: Language) -> Vec<String> {
    let on = sites(places, language);
    let say = |word: Word, values: &[(&str, &str)]| fill(word.text(language), values);
    let mut said = Vec::new();
    if !rights.sites.is_empty() {
        said.push(say(word::CAN_READ, &[("sites", &sites(&rights.sites, language))]));
    }
    if !rights.acts.is_empty() {
        said.push(say(word::CAN_ACT, &[("sites", &on), ("tools", &names(&rights.acts, language))]));
    }
    for right in &rights.fetch {
        let methods = names(&right.methods, language);
        said.push(say(word::CAN_REQUEST, &[("origin", &right.origin), ("methods", &methods)]));
    }
    for (is_right, word) in [
        (rights.navigate, word::CAN_NAVIGATE),
        (rights.own_tab, word::CAN_OWN_TAB),
        (rights.hand_over, word::CAN_HAND_OVER),
        (rights.code >= CodeWorld::Isolated, word::CAN_CODE),
        (rights.code == CodeWorld::Main, word::CAN_CODE_MAIN),
    ] {
        if is_right {
            said.push(say(word, &[("sites", &on)]));
        }
    }
    said
}

/// Match patterns as people read them.
pub(super) fn sites(patterns: &[String], language: Language) -> String {
    let mut sites: Vec<String> = patterns.iter().map(|pattern| site(pattern, language)).collect();
    sites.dedup();
    names(&sites, language)
}

fn site(pattern: &str, language: Language) -> String {
    if matches!(pattern, "<all_urls>" | "*://*/*" | "https://*/*" | "http://*/*") {
        return word::CAN_EVERYWHERE.text(language).to_owned();
    }
    let rest = pattern.strip_prefix("https://").or_else(|| pattern.strip_prefix("*://")).unwrap_or(pattern);
    rest.strip_suffix("/*").unwrap_or(rest).to_owned()
}

/// Names in a row, the first of them if there are many.
pub(super) fn names(all: &[String], language: Language) -> String {
    let between = match language {
        Language::English => ", ",
        Language::Chinese => "、",
    };
    let shown = all.iter().take(MOST_NAMES).map(String::as_str).collect::<Vec<_>>().join(between);
    match all.len().checked_sub(MOST_NAMES) {
        None | Some(0) => shown,
        Some(more) => {
            fill(word::NAMES_MORE.text(language), &[("names", &shown), ("more", &more.to_string())])
        }
    }
}
