//! Rules about the names of tools beside each other.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{Hash, Hasher};

use sidecar_schema::PartRole;

use crate::finding::ToolFinding;
use crate::look::{ToolLook, in_schema};
use crate::page::LintedTool;
use crate::rule::{LintSeverity, ToolRule};
use crate::wording::word;

/// Fewest letters of a name that can be taken for another.
const LETTERS: usize = 4;

/// Maximum number of letters that are compared; model services cut longer names.
const COMPARED: usize = 64;

/// Maximum number of tools that one name is compared with.
const OTHERS: usize = 50;

/// Looks at the names of tools, and at those of their parameters.
pub(crate) fn check(tools: &[LintedTool], parameters: Vec<PlacedName<'_>>, found: &mut Vec<ToolFinding>) {
    duplicates(tools, found);
    shadows(tools, found);
    styles(tools, parameters, found);
}

/// Whether two tools are of one document.
fn is_beside(one: &LintedTool, other: &LintedTool) -> bool {
    (one.frame, &one.origin) == (other.frame, &other.origin)
}

fn duplicates(tools: &[LintedTool], found: &mut Vec<ToolFinding>) {
    let mut first: HashMap<&str, &LintedTool> = HashMap::new();
    for tool in tools {
        let Some(known) = first.get(tool.description.name.as_str()) else {
            first.insert(&tool.description.name, tool);
            continue;
        };
        let finding = ToolFinding::of(ToolRule::DuplicateToolName).about(tool).at("/name");
        found.push(match is_beside(tool, known) {
            true => finding,
            false => {
                let words = (word::RULE_DUPLICATE_TOOL_NAME_FRAMES, word::RULE_DUPLICATE_TOOL_NAME_WAY);
                let finding = finding.severe(LintSeverity::Warning).with("origin", &known.origin);
                finding.worded(words.0, words.1)
            }
        });
    }
}

/// Names of different documents that differ in case, separators or one letter only.
fn shadows(tools: &[LintedTool], found: &mut Vec<ToolFinding>) {
    // Two words at most one edit apart are equal with one letter left out of one of them or of both.
    let mut known: HashMap<u64, Vec<(usize, &LintedTool)>> = HashMap::new();
    for (number, tool) in tools.iter().enumerate() {
        let name = &tool.description.name;
        let letters = letters(name);
        if letters.len() < LETTERS {
            continue;
        }
        let keys: HashSet<u64> = (0..=letters.len()).map(|left_out| key(&letters, left_out)).collect();
        let others = keys.iter().filter_map(|key| known.get(key)).flatten().filter(|(_, other)| {
            let theirs = &other.description.name;
            theirs != name && !is_beside(tool, other) && is_near(&letters, &self::letters(theirs))
        });
        if let Some((_, other)) = others.min_by_key(|(number, _)| *number) {
            let finding = ToolFinding::of(ToolRule::ToolShadowing)
                .about(tool)
                .at("/name")
                .excerpt(&other.description.name);
            found.push(finding.with("other", &other.description.name).with("origin", &other.origin));
        }
        for key in keys {
            let list = known.entry(key).or_default();
            if list.len() < OTHERS {
                list.push((number, tool));
            }
        }
    }
}

fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(COMPARED).collect()
}

/// The letters without one of them; with all if there is none of this number.
fn key(letters: &[char], left_out: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    let kept = letters.iter().enumerate().filter(|(at, _)| *at != left_out);
    kept.for_each(|(_, letter)| letter.hash(&mut hasher));
    hasher.finish()
}

/// Whether two words are equal but for one letter that is another one, or is missing.
fn is_near(one: &[char], other: &[char]) -> bool {
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    let same = long.iter().zip(short).take_while(|(one, other)| one == other).count();
    let rest = &long[(same + 1).min(long.len())..];
    match long.len() - short.len() {
        0 => same == long.len() || rest == &short[same + 1..],
        1 => rest == &short[same..],
        _ => false,
    }
}

/// How the words of a name are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameStyle {
    /// `searchFlights`
    Camel,
    /// `SearchFlights`
    Pascal,
    /// `search_flights`
    Snake,
    /// `search-flights`
    Kebab,
    /// `flights.search`
    Dotted,
}

impl NameStyle {
    /// The style of a name; `None` if it is one word.
    fn of(name: &str) -> Option<Self> {
        let is_upper = name.chars().any(|c| c.is_ascii_uppercase());
        match name.chars().find(|c| matches!(c, '_' | '-' | '.')) {
            Some('_') => Some(Self::Snake),
            Some('-') => Some(Self::Kebab),
            Some(_) => Some(Self::Dotted),
            None if !is_upper || name.chars().all(|c| !c.is_ascii_lowercase()) => None,
            None if name.starts_with(|c: char| c.is_ascii_uppercase()) => Some(Self::Pascal),
            None => Some(Self::Camel),
        }
    }
}

/// A name of a tool or parameter, and where it stands.
pub(crate) struct PlacedName<'t> {
    tool: &'t LintedTool,
    place: String,
    name: String,
}

/// The names of a tool's parameters, as far as their style shows.
pub(crate) fn of_parameters<'t>(tool: &'t LintedTool, look: &ToolLook<'_>) -> Vec<PlacedName<'t>> {
    let names = look.parts.iter().filter_map(|part| match part.role {
        PartRole::Property(name) if NameStyle::of(name).is_some() => {
            Some(PlacedName { tool, place: in_schema(&part.pointer), name: name.to_owned() })
        }
        PartRole::Property(_) | PartRole::Root | PartRole::Item | PartRole::Branch | PartRole::Definition => {
            None
        }
    });
    names.collect()
}

/// Styles of the names of tools, and of parameters, of each origin.
fn styles(tools: &[LintedTool], parameters: Vec<PlacedName<'_>>, found: &mut Vec<ToolFinding>) {
    let of_tool = |tool| PlacedName { tool, place: "/name".to_owned(), name: tool.description.name.clone() };
    for names in [tools.iter().map(of_tool).collect(), parameters] {
        let mut by_origin: BTreeMap<&str, Vec<PlacedName<'_>>> = BTreeMap::new();
        for name in names {
            by_origin.entry(&name.tool.origin).or_default().push(name);
        }
        found.extend(by_origin.values().filter_map(|names| mixed(names)));
    }
}

/// A finding about the first name that is not in the style of most.
fn mixed(names: &[PlacedName<'_>]) -> Option<ToolFinding> {
    let mut counts: BTreeMap<NameStyle, (usize, &str)> = BTreeMap::new();
    for PlacedName { name, .. } in names {
        if let Some(style) = NameStyle::of(name) {
            counts.entry(style).or_insert((0, name)).0 += 1;
        }
    }
    let (most, (_, like)) =
        counts.iter().max_by_key(|(style, (count, _))| (*count, std::cmp::Reverse(**style)))?;
    let is_other = |name: &&PlacedName<'_>| NameStyle::of(&name.name).is_some_and(|style| style != *most);
    let PlacedName { tool, place, name } = names.iter().find(is_other)?;
    let finding = ToolFinding::of(ToolRule::NamingConsistency).about(*tool).at(place.clone()).excerpt(name);
    Some(finding.with("name", name).with("like", like))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_one_edit_apart_are_near() {
        let near = |one: &str, other: &str| is_near(&letters(one), &letters(other));
        for (one, other) in
            [("pay_now", "PayNow"), ("cart", "carts"), ("cart", "card"), ("xcart", "cart"), ("a", "")]
        {
            assert!(near(one, other) && near(other, one), "{one} {other}");
            let keys = |word: &str| {
                (0..=letters(word).len()).map(|at| key(&letters(word), at)).collect::<HashSet<_>>()
            };
            assert!(!keys(one).is_disjoint(&keys(other)), "{one} {other}");
        }
        for (one, other) in [("cart", "cats1"), ("cart", "trac"), ("carts", "car"), ("ab", "ba")] {
            assert!(!near(one, other) && !near(other, one), "{one} {other}");
        }
    }

    #[test]
    fn styles_of_names() {
        for (name, style) in [
            ("searchFlights", Some(NameStyle::Camel)),
            ("SearchFlights", Some(NameStyle::Pascal)),
            ("search_flights", Some(NameStyle::Snake)),
            ("search-flights", Some(NameStyle::Kebab)),
            ("flights.search", Some(NameStyle::Dotted)),
            ("search", None),
            ("URL", None),
            ("", None),
        ] {
            assert_eq!(NameStyle::of(name), style, "{name}");
        }
    }
}
