//! The selectors of a recorded step as alternatives of a locator.

use serde_json::{Value, json};

use super::identifier;
use crate::check::lasts;
use crate::selector;

/// Maximum number of alternatives of a locator.
const MOST_ALTERNATIVES: usize = 6;
/// Maximum number of selectors of a step that are read.
const MOST_READ: usize = 30;
/// Maximum characters of a selector and of a text.
const MOST_CSS: usize = 500;
const MOST_WORDS: usize = 200;

/// What a step is about.
#[derive(Default)]
pub(super) struct RecordedTarget {
    css: Vec<String>,
    named: Vec<Value>,
    text: Vec<Value>,
    /// Whether an XPath, or a selector that goes by the page's structure, was left out.
    pub dropped_paths: bool,
    /// Whether it is a list of options.
    pub is_choice: bool,
    /// A name for it.
    pub name: Option<String>,
}

impl RecordedTarget {
    /// Reads the selectors of a step. Each is a text, or a chain of them through shadow roots.
    pub(super) fn read(selectors: &Value, is_field: bool) -> Self {
        let chains: Vec<Vec<&str>> =
            selectors.as_array().into_iter().flatten().take(MOST_READ).map(chain).collect();
        let tag = chains.iter().find_map(|chain| tag(chain.last()?));
        let mut target = Self { is_choice: tag == Some("select"), ..Self::default() };
        let mut pierced = Vec::new();
        for chain in &chains {
            target.add(chain, tag, is_field, &mut pierced);
        }
        // It goes through shadow roots, which a selector of ours does only where it is told.
        if target.css.is_empty() {
            target.css = pierced;
        }
        target
    }

    fn add(&mut self, chain: &[&str], tag: Option<&str>, is_field: bool, pierced: &mut Vec<String>) {
        let Some((last, around)) = chain.split_last() else { return };
        if let Some(name) = last.strip_prefix("aria/") {
            self.add_name(name, tag, is_field);
        } else if let Some(text) = last.strip_prefix("text/") {
            if is_words(text) {
                self.text.push(json!({"text": text}));
            }
        } else if last.starts_with("xpath/") {
            self.dropped_paths = true;
        } else {
            let is_pierced = last.starts_with("pierce/");
            let css = |part: &&str| part.strip_prefix("pierce/").unwrap_or(part).trim().to_owned();
            // A chain with other kinds around: what is inside is not enough to find it.
            if around
                .iter()
                .any(|part| ["aria/", "text/", "xpath/"].iter().any(|kind| part.starts_with(kind)))
            {
                return;
            }
            let css = chain.iter().map(css).collect::<Vec<_>>().join(" >> ");
            if css.is_empty() || css.len() > MOST_CSS || css.contains("{{") || !lasts(&css) {
                self.dropped_paths = true;
                return;
            }
            if self.name.is_none() {
                self.name = attribute(&css, "[name=").or_else(|| id(&css)).and_then(identifier);
            }
            let list = if is_pierced { pierced } else { &mut self.css };
            if !list.contains(&css) {
                list.push(css);
            }
        }
    }

    /// By its accessible name, with the role that the recording or the element's tag says.
    fn add_name(&mut self, text: &str, tag: Option<&str>, is_field: bool) {
        let role = attribute(text, "[role=");
        let name = text.split_once("[role=").map_or(text, |(name, _)| name).trim();
        if !is_words(name) {
            return;
        }
        if self.name.is_none() {
            self.name = identifier(name);
        }
        let is_role = |role: &&str| {
            (3..=30).contains(&role.len()) && role.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        let by_role = |role: &str| json!({"role": role, "name": name});
        let link = match (role.filter(is_role), tag) {
            (Some(role), _) => by_role(role),
            (None, _) if is_field => json!({"label": name}),
            (None, Some("button")) => by_role("button"),
            (None, Some("a")) => by_role("link"),
            (None, Some("input" | "textarea" | "select")) => json!({"label": name}),
            (None, _) => return self.text.push(json!({"text": name})),
        };
        if !self.named.contains(&link) {
            self.named.push(link);
        }
    }

    /// Alternatives of a locator, the best first. A text counts only where nothing else is left: it may be the text of an
    /// element inside, and alternatives have to agree.
    pub(super) fn alternatives(&self, acts: bool) -> Vec<Value> {
        let css = self.css.iter().map(|css| json!({"css": css}));
        let mut all: Vec<Value> = css.chain(self.named.iter().cloned()).collect();
        if all.is_empty() && !acts {
            all.extend(self.text.iter().take(1).cloned());
        }
        all.truncate(MOST_ALTERNATIVES);
        all
    }
}

fn chain(selector: &Value) -> Vec<&str> {
    match selector {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_words(text: &str) -> bool {
    let length = text.chars().count();
    (1..=MOST_WORDS).contains(&length) && !text.contains("{{") && !text.trim().is_empty()
}

/// The name of the element that a selector finds.
fn tag(css: &str) -> Option<&str> {
    if css.contains('/') {
        return None;
    }
    let lists = selector::read(css)?;
    let tag = lists.last()?.last()?.tag;
    (!tag.is_empty()).then_some(tag)
}

/// The value in `[name="q"]`.
fn attribute<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    let rest = rest.trim_start_matches(['"', '\'']);
    let value = &rest[..rest.find(['"', '\'', ']'])?];
    (!value.is_empty()).then_some(value)
}

/// The last id in a selector.
fn id(css: &str) -> Option<&str> {
    let (_, rest) = css.rsplit_once('#')?;
    let end =
        rest.find(|char: char| !(char.is_alphanumeric() || char == '-' || char == '_')).unwrap_or(rest.len());
    (end > 0).then_some(&rest[..end])
}
