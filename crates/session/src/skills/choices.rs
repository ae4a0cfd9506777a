//! What is kept of SKILLs: which are installed, and what the user decided about each.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sidecar_protocol::Timestamp;
use sidecar_protocol::saved::SavedName;
use sidecar_protocol::skill::{SkillLevel, SkillVersion};
use sidecar_skills::offer::IndexedSkill;

use crate::saved::Persistent;

/// Maximum number of installed SKILLs.
pub const MOST_SKILLS: usize = 500;
/// How many versions of a SKILL are kept, with the installed one.
pub const KEPT_VERSIONS: usize = 3;
/// Maximum number of sites on which a SKILL can be switched off or paused.
const MOST_SITES: usize = 1_000;

/// The installed SKILLs, and the user's decisions about all of them, by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillChoices {
    /// Those that are installed.
    pub installed: BTreeMap<String, InstalledSkill>,
    /// Decisions, also about those that ship.
    pub decided: BTreeMap<String, SkillDecisions>,
}

/// An installed SKILL. Its files are kept under its digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstalledSkill {
    /// Titles, pages.
    pub indexed: IndexedSkill,
    /// Whose it is.
    pub level: SkillLevel,
    /// The file or the address that it came from.
    pub source: String,
    /// SHA-256 of its files.
    pub digest: String,
    /// When this version was installed.
    pub installed: Timestamp,
    /// Earlier versions, the newest first.
    #[serde(default)]
    pub earlier: Vec<EarlierSkill>,
}

/// A version that was installed before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlierSkill {
    /// As it was.
    pub indexed: IndexedSkill,
    /// Where it came from.
    pub source: String,
    /// SHA-256 of its files.
    pub digest: String,
    /// When it was installed.
    pub installed: Timestamp,
    /// Whose it was; absent of those that were kept before that was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<SkillLevel>,
}

impl EarlierSkill {
    /// As panels list it.
    pub fn told(&self) -> SkillVersion {
        let Self { indexed, digest, installed, .. } = self;
        SkillVersion { version: indexed.version.clone(), digest: digest.clone(), installed: *installed }
    }
}

/// What the user decided about a SKILL. What is absent is as it is for its level.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SkillDecisions {
    /// Whether it is switched on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Origins on which it is off.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub off_on: BTreeSet<String>,
    /// Origins on which it found the page changed too often.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub paused_on: BTreeSet<String>,
    /// Whether other agents find its tools in pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registered: Option<bool>,
    /// Its tools that were switched.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, bool>,
}

impl SkillDecisions {
    /// Whether a tool is on. Acting tools of others are off until the user switches them on.
    pub fn is_tool_on(&self, level: SkillLevel, tool: &str, acts: bool) -> bool {
        self.tools.get(tool).copied().unwrap_or(!(acts && level == SkillLevel::Imported))
    }

    /// Whether other agents find its tools in pages.
    pub fn is_registered(&self, level: SkillLevel) -> bool {
        self.registered.unwrap_or(level != SkillLevel::Imported)
    }

    /// Switches it on or off on a site. Returns whether there is room for that.
    pub fn switch_on(&mut self, origin: &str, on: bool) -> bool {
        if on {
            self.off_on.remove(origin);
            return true;
        }
        let has_room = self.off_on.len() < MOST_SITES;
        if has_room {
            self.off_on.insert(origin.to_owned());
        }
        has_room
    }

    /// Pauses it on a site.
    pub fn pause(&mut self, origin: &str) {
        if self.paused_on.len() < MOST_SITES {
            self.paused_on.insert(origin.to_owned());
        }
    }
}

impl Persistent for SkillChoices {
    const NAME: SavedName = SavedName::Skills;
    const KEY: &'static str = "skills";
}

impl SkillChoices {
    /// Installs a package, in place of the one of its name, which is kept. A package of a later digest that was there
    /// before is there once. Returns the digests whose files are no longer needed.
    pub fn install(&mut self, new: InstalledSkill) -> Vec<String> {
        let id = new.indexed.id.clone();
        let mut new = new;
        if let Some(before) = self.installed.remove(&id) {
            let InstalledSkill { indexed, level, source, digest, installed, earlier } = before;
            let before = EarlierSkill { indexed, source, digest, installed, level: Some(level) };
            let all = [before].into_iter().chain(earlier);
            new.earlier = all.filter(|earlier| earlier.digest != new.digest).collect();
        }
        let unneeded = new.earlier.split_off(new.earlier.len().min(KEPT_VERSIONS - 1));
        self.installed.insert(id, new);
        unneeded.into_iter().map(|earlier| earlier.digest).collect()
    }

    /// The earlier version with a digest, as it would be installed again.
    pub fn earlier(&self, id: &str, digest: &str, now: Timestamp) -> Option<InstalledSkill> {
        let installed = self.installed.get(id)?;
        let EarlierSkill { indexed, source, digest, level, .. } =
            installed.earlier.iter().find(|earlier| earlier.digest == digest)?.clone();
        Some(InstalledSkill {
            indexed,
            source,
            digest,
            level: level.unwrap_or(installed.level),
            installed: now,
            earlier: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn installed(version: &str) -> InstalledSkill {
        let indexed = serde_json::from_value(json!({
            "id": "shop", "version": version, "title": "Shop", "summary": "s", "match": ["https://shop.example/*"],
        }));
        InstalledSkill {
            indexed: indexed.unwrap(),
            level: SkillLevel::Imported,
            source: "shop.zip".to_owned(),
            digest: format!("d{version}"),
            installed: 1,
            earlier: Vec::new(),
        }
    }

    #[test]
    fn three_versions_are_kept_and_one_can_be_gone_back_to() {
        let mut choices = SkillChoices::default();
        for version in ["1", "2", "3"] {
            assert_eq!(choices.install(installed(version)), Vec::<String>::new());
        }
        assert_eq!(choices.install(installed("4")), ["d1"]);
        let kept = |choices: &SkillChoices| {
            let shop = &choices.installed["shop"];
            let earlier = shop.earlier.iter().map(|earlier| earlier.digest.clone());
            [shop.digest.clone()].into_iter().chain(earlier).collect::<Vec<_>>()
        };
        assert_eq!(kept(&choices), ["d4", "d3", "d2"]);
        let back = choices.earlier("shop", "d2", 9).unwrap();
        assert_eq!(choices.install(back), Vec::<String>::new(), "nothing is lost by going back");
        assert_eq!(kept(&choices), ["d2", "d4", "d3"]);
        assert_eq!(choices.earlier("shop", "d1", 9), None);
    }

    #[test]
    fn version_that_is_gone_back_to_is_again_whose_it_was() {
        let mut choices = SkillChoices::default();
        choices.install(installed("1"));
        choices.install(InstalledSkill { level: SkillLevel::Own, ..installed("2") });
        let back = choices.earlier("shop", "d1", 9).unwrap();
        assert_eq!(back.level, SkillLevel::Imported, "it is not the user's own because another one is");
        choices.install(back);
        assert_eq!(choices.earlier("shop", "d2", 9).unwrap().level, SkillLevel::Own);
        let mut kept = serde_json::to_value(&choices).unwrap();
        kept["installed"]["shop"]["earlier"][0].as_object_mut().unwrap().remove("level");
        let older: SkillChoices = serde_json::from_value(kept).unwrap();
        assert_eq!(
            older.earlier("shop", "d2", 9).unwrap().level,
            SkillLevel::Imported,
            "as the installed one"
        );
    }

    #[test]
    fn acting_tools_of_others_are_off_until_they_are_switched_on() {
        let mut decisions = SkillDecisions::default();
        let on = |decisions: &SkillDecisions, level| decisions.is_tool_on(level, "buy", true);
        assert!(on(&decisions, SkillLevel::Own) && on(&decisions, SkillLevel::Shipped));
        assert!(!on(&decisions, SkillLevel::Imported));
        assert!(decisions.is_tool_on(SkillLevel::Imported, "read", false));
        decisions.tools.insert("buy".to_owned(), true);
        assert!(on(&decisions, SkillLevel::Imported));
        assert!(!decisions.is_registered(SkillLevel::Imported) && decisions.is_registered(SkillLevel::Own));
    }

    #[test]
    fn decisions_take_no_room_where_there_are_none() {
        assert_eq!(serde_json::to_string(&SkillDecisions::default()).unwrap(), "{}");
    }
}
