//! The list of SKILLs for panels.

use std::collections::HashSet;

use sidecar_protocol::TabId;
use sidecar_protocol::skill::{SkillLevel, SkillState, SkillSummary, SkillToolSummary};
use sidecar_skills::definition::wording::ByLanguage;
use sidecar_skills::run::health::{HealthState, PageHealth};
use sidecar_webmcp::{Address, visible};

use super::on_page::SkillTools;
use super::past_runs::PastRuns;
use super::{KnownSkill, KnownSkills, Skills};
use crate::key_value::KeyValue;
use crate::skills::code::CodeAccess;

/// The page that a panel shows beside itself.
#[derive(Debug, Clone)]
pub struct ShownPage {
    /// Its tab.
    pub tab: TabId,
    /// Its address.
    pub url: String,
    /// The names of the tools of the page itself.
    pub own: HashSet<String>,
}

/// Where the browser is too old for code, in English and in Chinese.
const OLD_CHROME: (&str, &str) = ("Chrome 135 or later is needed.", "需要 Chrome 135 或更高版本。");

impl<K: KeyValue> Skills<K> {
    /// All SKILLs for a panel, those for its page first. `language` is a language tag.
    pub fn list(&self, page: Option<&ShownPage>, language: &str) -> Vec<SkillSummary> {
        let Some(known) = self.known() else { return Vec::new() };
        let url = page.map(|page| page.url.as_str()).unwrap_or_default();
        let tools = page.map(|page| self.tools_on(page.tab, url, &page.own)).unwrap_or_default();
        let is_here = |skill: &KnownSkill| skill.fits(url);
        let (here, elsewhere): (Vec<_>, Vec<_>) = known.all().iter().partition(|skill| is_here(skill));
        let all = here.into_iter().chain(elsewhere);
        let past = self.past.read();
        all.map(|skill| self.summary(known, &past, skill, page, &tools, language)).collect()
    }

    /// The title of a tool in this language, if its author gave one.
    pub fn title_of(&self, id: &str, tool: &str, language: &str) -> Option<String> {
        let place = &self.known()?.named(id)?.place;
        let placed = self.tools(place).iter().find(|placed| placed.tool.name == tool)?;
        placed.title.as_ref().map(|title| visible(title.text(language)).into_owned())
    }

    fn summary(
        &self,
        known: &KnownSkills<K>,
        past: &PastRuns,
        skill: &KnownSkill,
        page: Option<&ShownPage>,
        on_page: &SkillTools,
        language: &str,
    ) -> SkillSummary {
        let indexed = &skill.indexed;
        let shown = |text: &ByLanguage| visible(text.text(language)).into_owned();
        let decided = known.decided(skill.id());
        let origin = page.map(|page| Address::of(&page.url).origin()).unwrap_or_default();
        let (state, detail, link) = self.state(known, past, skill, page, language);
        let installed = known.choices().installed.get(skill.id());
        let tools = self.tools(&skill.place).iter().map(|placed| {
            let name = placed.tool.name.clone();
            let shadow = on_page.shadowed.iter().find(|(id, tool, _)| id == skill.id() && *tool == name);
            SkillToolSummary {
                title: placed.title.as_ref().map(shown).unwrap_or_default(),
                description: shown(&placed.description),
                acts: placed.acts,
                is_code: placed.is_code,
                is_on: decided.is_tool_on(skill.level, &name, placed.acts),
                shadowed_by: shadow.map(|(_, _, by)| by.clone()).unwrap_or_default(),
                name,
            }
        });
        SkillSummary {
            id: indexed.id.clone(),
            title: shown(&indexed.title),
            summary: shown(&indexed.summary),
            version: indexed.version.clone(),
            digest: skill.digest().to_owned(),
            level: skill.level,
            source: installed.map(|installed| visible(&installed.source).into_owned()).unwrap_or_default(),
            sites: indexed.matches.clone(),
            state,
            detail,
            link,
            is_on: known.is_on(skill.id()),
            is_on_here: !decided.off_on.contains(&origin),
            is_registered: decided.is_registered(skill.level),
            tools: tools.collect(),
            verified_on: indexed.verified_on.clone(),
            last_success: past.last_success(skill.id()),
            earlier: installed
                .map(|installed| installed.earlier.iter().map(super::choices::EarlierSkill::told).collect())
                .unwrap_or_default(),
        }
    }

    fn state(
        &self,
        known: &KnownSkills<K>,
        past: &PastRuns,
        skill: &KnownSkill,
        page: Option<&ShownPage>,
        language: &str,
    ) -> (SkillState, String, String) {
        let plain = |state| (state, String::new(), String::new());
        if let Some(revocation) = known.revocation(skill) {
            let reason = revocation.reason.text(language).to_owned();
            return (SkillState::Revoked, reason, revocation.link.clone());
        }
        if skill.indexed.is_newer() {
            return plain(SkillState::Newer);
        }
        let is_on = known.is_on(skill.id());
        if skill.indexed.is_instructions {
            return plain(if is_on { SkillState::Ok } else { SkillState::Off });
        }
        let Some(page) = page.filter(|page| skill.fits(&page.url)) else {
            return plain(SkillState::Elsewhere);
        };
        if !is_on {
            return plain(SkillState::Off);
        }
        let decided = known.decided(skill.id());
        let origin = Address::of(&page.url).origin();
        if decided.off_on.contains(&origin) {
            return plain(SkillState::OffHere);
        }
        if decided.paused_on.contains(&origin) {
            return plain(SkillState::Paused);
        }
        match self.health(page.tab, skill.id()) {
            None => plain(SkillState::Checking),
            Some(PageHealth { state, detail, .. }) => {
                let missed = past.missed(skill.id(), &origin).join(", ");
                let state = match state {
                    HealthState::Ok | HealthState::Worn if self.is_without_code(known, skill) => {
                        let detail = if self.codes.access() == CodeAccess::TooOld {
                            if language.starts_with("zh") { OLD_CHROME.1 } else { OLD_CHROME.0 }
                        } else {
                            ""
                        };
                        return (SkillState::NeedsSwitch, detail.to_owned(), String::new());
                    }
                    HealthState::Ok if missed.is_empty() => SkillState::Ok,
                    HealthState::Ok | HealthState::Worn => {
                        let detail = [detail.as_str(), &missed].into_iter().filter(|said| !said.is_empty());
                        return (SkillState::Worn, detail.collect::<Vec<_>>().join(", "), String::new());
                    }
                    HealthState::Changed => SkillState::Changed,
                    HealthState::SignedOut => SkillState::SignedOut,
                    HealthState::Challenge => SkillState::Challenge,
                    HealthState::OtherPage => SkillState::OtherPage,
                    HealthState::Unknown if self.tools(&skill.place).is_empty() => SkillState::Unreadable,
                    HealthState::Unknown => SkillState::Checking,
                };
                (state, detail.clone(), String::new())
            }
        }
    }

    /// Whether a part of a SKILL does not work: its code.
    fn is_without_code(&self, known: &KnownSkills<K>, skill: &KnownSkill) -> bool {
        self.wants_code(known, skill) && !self.runs_code(skill)
    }

    /// The level at which a SKILL is there.
    pub fn level(&self, id: &str) -> Option<SkillLevel> {
        Some(self.known()?.named(id)?.level)
    }
}
