//! `webmcp/skill.json`: the tools that a SKILL adds to a site. `skills/skill.schema.json` describes each key; what is
//! read here has passed it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub mod condition;
pub mod locator;
pub mod step;
pub mod wording;

use condition::One;
use locator::Locator;
use step::SkillStep;
use wording::ByLanguage;

use crate::pattern::MatchPattern;

/// The format that this version reads.
pub const FORMAT: u64 = 1;

/// The tools that a SKILL adds to a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillDefinition {
    /// Its folder's name.
    pub id: String,
    /// SemVer.
    pub version: String,
    /// As the user sees it.
    pub title: ByLanguage,
    /// What it is for.
    pub summary: ByLanguage,
    /// Pages on which it is of use: match patterns.
    #[serde(rename = "match")]
    pub matches: Vec<String>,
    /// Pages among them on which it is not.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// −100 to 100.
    #[serde(default)]
    pub priority: i32,
    /// When its tools give way to the site's own.
    #[serde(default)]
    pub yields: Yields,
    /// Languages of the site that it knows.
    #[serde(default)]
    pub languages: Vec<String>,
    /// When somebody last tried it on the live site: a date; empty if nobody has.
    #[serde(default)]
    pub verified_on: String,
    /// What it says that it does.
    pub permissions: Permissions,
    /// Locators by name.
    #[serde(default)]
    pub locators: BTreeMap<String, Locator>,
    /// What a page shows in place of what is wanted.
    #[serde(default)]
    pub signals: SiteSignals,
    /// Kinds of pages by name.
    #[serde(default)]
    pub pages: BTreeMap<String, PageKind>,
    /// Endpoints by name.
    #[serde(default)]
    pub endpoints: BTreeMap<String, SkillEndpoint>,
    /// The tools.
    pub tools: Vec<SkillTool>,
    /// What is run when the SKILL begins to be of use on a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_activate: Option<LifecycleCode>,
    /// What is run when it no longer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_deactivate: Option<LifecycleCode>,
}

impl SkillDefinition {
    /// Whether it is of use on a page of this address.
    #[must_use]
    pub fn is_for(&self, url: &str) -> bool {
        let fits = |pattern: &String| MatchPattern::read(pattern).is_ok_and(|pattern| pattern.fits(url));
        self.matches.iter().any(fits) && !self.exclude.iter().any(fits)
    }
}

impl SkillDefinition {
    /// The paths of the files with its code, each once.
    #[must_use]
    pub fn code_files(&self) -> BTreeSet<&str> {
        let of_tools = self.tools.iter().filter_map(|tool| Some(tool.code.as_ref()?.file.as_str()));
        let lifecycle = [&self.on_activate, &self.on_deactivate].into_iter().flatten();
        of_tools.chain(lifecycle.map(|code| code.file.as_str())).collect()
    }
}

impl SkillDefinition {
    /// The kinds of pages on which a tool may begin that a page of this address is of.
    pub(crate) fn kinds<'d>(&'d self, tool: &'d SkillTool, url: &str) -> impl Iterator<Item = &'d PageKind> {
        let kinds = tool.pages.iter().filter_map(|name| self.pages.get(name));
        kinds.filter(move |kind| kind.is_at(url))
    }
}

/// When the tools of a SKILL give way to the site's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Yields {
    /// A word says when.
    Word(YieldsWord),
    /// When the site has a tool of one of these names.
    To(Vec<String>),
}

/// By hand, as [`ByLanguage`] is.
impl<'de> Deserialize<'de> for Yields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrNames;
        impl<'de> Visitor<'de> for WordOrNames {
            type Value = Yields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("same-name, any-native, or names of tools")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Yields, E> {
                match word {
                    "same-name" => Ok(Yields::Word(YieldsWord::SameName)),
                    "any-native" => Ok(Yields::Word(YieldsWord::AnyNative)),
                    _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Yields, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(Yields::To(names))
            }
        }
        deserializer.deserialize_any(WordOrNames)
    }
}

/// When the tools of a SKILL give way, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum YieldsWord {
    /// When the site has a tool of the same name.
    SameName,
    /// When the site has any tool.
    AnyNative,
}

impl Default for Yields {
    fn default() -> Self {
        Self::Word(YieldsWord::SameName)
    }
}

/// What a SKILL may do. As a package says it, or as the checker found it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Permissions {
    /// Where: match patterns.
    pub sites: Vec<String>,
    /// Names of tools that act.
    pub acts: Vec<String>,
    /// Other origins that it requests.
    pub fetch: Vec<FetchRight>,
    /// Whether it leads the tab elsewhere on the site.
    pub navigate: bool,
    /// Whether it opens a tab of its own.
    pub own_tab: bool,
    /// Whether it asks the user to do something.
    pub hand_over: bool,
    /// Code, and where it runs.
    pub code: CodeWorld,
}

/// Another origin that a SKILL requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FetchRight {
    /// The origin.
    pub origin: String,
    /// HTTP methods.
    pub methods: Vec<String>,
}

/// Where a SKILL's code runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CodeWorld {
    /// It has none.
    #[default]
    None,
    /// In a world of its own.
    Isolated,
    /// In the page's world.
    Main,
}

/// What a page shows when the user is not signed in, or has to prove to be a person. One of each is enough.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SiteSignals {
    /// Signed out.
    pub signed_out: Vec<One>,
    /// A challenge.
    pub challenge: Vec<One>,
}

/// A kind of page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageKind {
    /// Where it is: match patterns.
    #[serde(rename = "match")]
    pub matches: Vec<String>,
    /// What has to hold on it.
    pub probes: Vec<One>,
    /// What says that there is nothing. One is enough.
    #[serde(default)]
    pub empty: Vec<One>,
}

impl PageKind {
    /// Whether a page of this address is of this kind.
    #[must_use]
    pub fn is_at(&self, url: &str) -> bool {
        self.matches.iter().any(|pattern| MatchPattern::read(pattern).is_ok_and(|pattern| pattern.fits(url)))
    }
}

/// An address that `fetch` may request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillEndpoint {
    /// HTTP method.
    #[serde(default = "get")]
    pub method: String,
    /// Another origin; without it, that of the page.
    #[serde(default)]
    pub origin: Option<String>,
    /// Its path. `{name}` is one segment.
    pub path: String,
    /// Headers with fixed values.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

fn get() -> String {
    "GET".to_owned()
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillTool {
    /// As the model calls it.
    pub name: String,
    /// As the user sees it.
    #[serde(default)]
    pub title: Option<ByLanguage>,
    /// What it does and when to use it.
    pub description: ByLanguage,
    /// JSON Schema of its input.
    pub input_schema: Value,
    /// JSON Schema of its value.
    #[serde(default)]
    pub output_schema: Option<Value>,
    /// What it says of itself.
    #[serde(default)]
    pub annotations: SkillAnnotations,
    /// Kinds of pages on which it may start; without any, all.
    #[serde(default)]
    pub pages: Vec<String>,
    /// What it does. Checked against its steps.
    pub class: ToolClass,
    /// Its steps, unless it is code.
    #[serde(default)]
    pub steps: Vec<SkillStep>,
    /// Its code, unless it has steps.
    #[serde(default)]
    pub code: Option<Code>,
    /// What the model is told of an outcome, by the outcome's name.
    #[serde(default)]
    pub outcomes: BTreeMap<String, ByLanguage>,
}

/// What a tool says of itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SkillAnnotations {
    /// It changes nothing.
    pub read_only_hint: Option<bool>,
    /// Its result is text of others.
    pub untrusted_content_hint: Option<bool>,
}

/// What a tool does at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolClass {
    /// It reads.
    Read,
    /// It changes something on the page or on its site.
    Acting,
    /// What it changes cannot be taken back: it is asked for every time.
    Sensitive,
}

/// A function body in place of steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// Its path in the package.
    pub file: String,
    /// Where it runs.
    pub world: CodeWorld,
}

/// A function body that is run when a SKILL begins or ceases to be of use on a page, in a world of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifecycleCode {
    /// Its path in the package.
    pub file: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yields_is_a_word_or_a_list() {
        for (json, yields) in [
            (json!("same-name"), Yields::default()),
            (json!("any-native"), Yields::Word(YieldsWord::AnyNative)),
            (json!(["search"]), Yields::To(vec!["search".to_owned()])),
        ] {
            assert_eq!(serde_json::from_value::<Yields>(json.clone()).unwrap(), yields);
            assert_eq!(serde_json::to_value(&yields).unwrap(), json);
        }
        assert!(serde_json::from_value::<Yields>(json!("never")).is_err());
    }
}
