//! The SKILLs that are there, and which of them are of use on a page.
//!
//! What is known of all of them is read when the first page reports; the tools of a SKILL when a page fits it; its steps
//! when that page is looked at, and when a tool is called. Pages that none fits cost the comparison of their address.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use sidecar_protocol::saved::UnreadValue;
use sidecar_protocol::skill::{SkillLevel, SkillTrace};
use sidecar_protocol::{DocumentId, TabId, Timestamp};
use sidecar_skills::offer::{IndexedSkill, PlacedTool};
use sidecar_skills::revoked::{Revocation, revoked};
use sidecar_skills::{MatchPattern, PageAddress};
use sidecar_webmcp::Address;

use crate::key_value::KeyValue;
use crate::saved::Saved;
use choices::{InstalledSkill, SkillChoices, SkillDecisions};
use lifecycle::SkillCodes;
use on_page::SkillsOnPage;
use packages::Packages;
use past_runs::KeptRuns;

pub mod choices;
pub mod code;
pub mod instructions;
pub mod lifecycle;
pub mod listing;
pub mod on_page;
pub mod packages;
pub mod past_runs;
pub mod reading;
pub mod store;
pub mod texts;

/// The SKILLs that are there.
#[derive(Debug)]
pub struct Skills<K> {
    /// `None` until they were read.
    known: Option<KnownSkills<K>>,
    /// Whether somebody reads them.
    is_asked: bool,
    /// The tools of those that were read, by the place of their files; none where that failed.
    tools: HashMap<SkillPlace, Vec<PlacedTool>>,
    /// Those whose tools somebody reads.
    asked_tools: HashSet<SkillPlace>,
    /// What is known of the pages of tabs.
    pages: HashMap<TabId, SkillsOnPage>,
    /// Number of looks at pages.
    looks: u64,
    /// What the last run of a SKILL did.
    traces: HashMap<String, SkillTrace>,
    /// How its runs ended.
    past: KeptRuns,
    /// Their code.
    pub codes: SkillCodes,
    /// Packages that are about to be installed, or can be restored.
    pub packages: Packages,
}

impl<K> Default for Skills<K> {
    fn default() -> Self {
        Self {
            known: None,
            is_asked: false,
            tools: HashMap::new(),
            asked_tools: HashSet::new(),
            pages: HashMap::new(),
            looks: 0,
            traces: HashMap::new(),
            past: KeptRuns::default(),
            codes: SkillCodes::default(),
            packages: Packages::default(),
        }
    }
}

/// All SKILLs, and what the user decided about them.
#[derive(Debug)]
pub struct KnownSkills<K> {
    choices: Saved<SkillChoices, K>,
    shipped: Vec<IndexedSkill>,
    revocations: Vec<Revocation>,
    /// The first comes first where several have a tool of one name.
    order: Vec<KnownSkill>,
}

/// A SKILL with what is derived of it.
#[derive(Debug)]
pub struct KnownSkill {
    /// Titles, pages.
    pub indexed: IndexedSkill,
    /// Whose it is.
    pub level: SkillLevel,
    /// Where its files are.
    pub place: SkillPlace,
    matches: Vec<MatchPattern>,
    exclude: Vec<MatchPattern>,
}

/// Where the files of a SKILL are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SkillPlace {
    /// In the extension, by its name.
    Shipped(String),
    /// In storage, by its digest.
    Stored(String),
}

impl KnownSkill {
    fn new(indexed: IndexedSkill, level: SkillLevel, place: SkillPlace) -> Self {
        let read = |patterns: &[String]| {
            patterns.iter().filter_map(|pattern| MatchPattern::read(pattern).ok()).collect()
        };
        let (matches, exclude) = (read(&indexed.matches), read(&indexed.exclude));
        Self { indexed, level, place, matches, exclude }
    }

    fn installed(installed: &InstalledSkill) -> Self {
        let place = SkillPlace::Stored(installed.digest.clone());
        Self::new(installed.indexed.clone(), installed.level, place)
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.indexed.id
    }

    /// SHA-256 of its files; empty for those that ship.
    pub fn digest(&self) -> &str {
        match &self.place {
            SkillPlace::Shipped(_) => "",
            SkillPlace::Stored(digest) => digest,
        }
    }

    /// Whether it is of use on a page of this address.
    pub fn fits(&self, url: &str) -> bool {
        PageAddress::of(url).is_some_and(|address| self.fits_address(&address))
    }

    fn fits_address(&self, address: &PageAddress<'_>) -> bool {
        self.matches.iter().any(|pattern| pattern.fits_address(address))
            && !self.exclude.iter().any(|pattern| pattern.fits_address(address))
    }

    /// How narrow the narrowest of its patterns is that fits an address.
    fn specificity(&self, address: &PageAddress<'_>) -> usize {
        let fitting = self.matches.iter().filter(|pattern| pattern.fits_address(address));
        fitting.map(MatchPattern::specificity).max().unwrap_or_default()
    }

    /// What comes first of SKILLs with one tool.
    fn rank(&self) -> (Reverse<i32>, SkillLevel) {
        (Reverse(self.indexed.priority), self.level)
    }
}

impl<K: KeyValue> KnownSkills<K> {
    /// Of what was read.
    pub fn new(
        choices: Saved<SkillChoices, K>,
        shipped: Vec<IndexedSkill>,
        revocations: Vec<Revocation>,
    ) -> Self {
        let mut known = Self { choices, shipped, revocations, order: Vec::new() };
        known.arrange();
        known
    }

    /// What is installed and decided.
    pub fn choices(&self) -> &SkillChoices {
        self.choices.value()
    }

    /// The same, to be saved.
    pub fn saved(&mut self) -> &mut Saved<SkillChoices, K> {
        &mut self.choices
    }

    /// What cannot be read of it.
    pub fn unread(&self) -> Option<UnreadValue> {
        self.choices.unread()
    }

    /// All, the first first.
    pub fn all(&self) -> &[KnownSkill] {
        &self.order
    }

    /// The one with this name.
    pub fn named(&self, id: &str) -> Option<&KnownSkill> {
        self.order.iter().find(|skill| skill.id() == id)
    }

    /// Whether a SKILL of this name ships.
    pub fn ships(&self, id: &str) -> bool {
        self.shipped.iter().any(|skill| skill.id == id)
    }

    /// What the user decided about a SKILL.
    pub fn decided(&self, id: &str) -> SkillDecisions {
        self.choices().decided.get(id).cloned().unwrap_or_default()
    }

    /// Whether it is on: it is, but for drafts, unless the user says otherwise.
    pub fn is_on(&self, id: &str) -> bool {
        self.choices().decided.get(id).and_then(|decided| decided.on).unwrap_or(true)
    }

    /// The list of those that may not run, or come in.
    pub fn revocations(&self) -> &[Revocation] {
        &self.revocations
    }

    /// Why it may not run, if so.
    pub fn revocation(&self, skill: &KnownSkill) -> Option<&Revocation> {
        revoked(&self.revocations, skill.id(), &skill.indexed.version, skill.digest())
    }

    /// Its tools may be offered on a page of this address, as far as the user and the list of revocations say.
    fn may_run(&self, skill: &KnownSkill, origin: &str) -> bool {
        let decided = self.choices().decided.get(skill.id());
        let is_off_here = decided
            .is_some_and(|decided| decided.off_on.contains(origin) || decided.paused_on.contains(origin));
        self.is_on(skill.id()) && !is_off_here && self.revocation(skill).is_none()
    }

    /// Arranges them anew, after an installation.
    pub fn arrange(&mut self) {
        let installed: Vec<_> = self.choices.value().installed.values().map(KnownSkill::installed).collect();
        let is_replaced = |id: &str| installed.iter().any(|skill| skill.id() == id);
        let shipped = self.shipped.iter().filter(|skill| !is_replaced(&skill.id)).map(|indexed| {
            let place = SkillPlace::Shipped(indexed.id.clone());
            KnownSkill::new(indexed.clone(), SkillLevel::Shipped, place)
        });
        let mut order: Vec<_> = shipped.collect();
        order.extend(installed);
        order.sort_by(|a, b| a.rank().cmp(&b.rank()).then_with(|| a.id().cmp(b.id())));
        self.order = order;
    }
}

impl<K: KeyValue> Skills<K> {
    /// All of them, once they were read.
    pub fn known(&self) -> Option<&KnownSkills<K>> {
        self.known.as_ref()
    }

    /// The same, to be changed.
    pub fn known_mut(&mut self) -> Option<&mut KnownSkills<K>> {
        self.known.as_mut()
    }

    /// Whether they have to be read; said once.
    pub fn wants_reading(&mut self) -> bool {
        self.known.is_none() && !std::mem::replace(&mut self.is_asked, true)
    }

    /// They were read, with how their runs ended. Of two readings the first counts.
    pub fn know(&mut self, known: KnownSkills<K>, past: KeptRuns) {
        if self.known.is_none() {
            (self.known, self.past) = (Some(known), past);
        }
    }

    /// The SKILLs for a page of this address that may run there, the first first: of equal ones that with the narrower
    /// pattern.
    pub fn fitting(&self, url: &str) -> Vec<&KnownSkill> {
        let (Some(known), Some(address)) = (&self.known, PageAddress::of(url)) else { return Vec::new() };
        let origin = Address::of(url).origin();
        let may_run = |skill: &&KnownSkill| skill.fits_address(&address) && known.may_run(skill, &origin);
        let mut fitting: Vec<_> = known.order.iter().filter(may_run).collect();
        fitting.sort_by_cached_key(|skill| (skill.rank(), Reverse(skill.specificity(&address))));
        fitting
    }

    /// The places of the SKILLs for a page whose tools have to be read; each is said once.
    pub fn unread(&mut self, url: &str) -> Vec<SkillPlace> {
        let fitting = self.fitting(url).into_iter().map(|skill| &skill.place);
        let unread: Vec<_> = fitting
            .filter(|place| !self.tools.contains_key(place) && !self.asked_tools.contains(place))
            .cloned()
            .collect();
        self.asked_tools.extend(unread.iter().cloned());
        unread
    }

    /// The tools of a SKILL were read; none if they could not be.
    pub fn know_tools(&mut self, place: SkillPlace, tools: Vec<PlacedTool>) {
        self.tools.insert(place, tools);
    }

    /// Whether the tools of a SKILL were read.
    pub fn has_tools(&self, place: &SkillPlace) -> bool {
        self.tools.contains_key(place)
    }

    /// The tools of a SKILL, as far as they were read.
    pub fn tools(&self, place: &SkillPlace) -> &[PlacedTool] {
        self.tools.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the user has switched a tool of a SKILL off, or the whole of it, on a site or everywhere.
    pub fn is_switched_off(&self, id: &str, tool: &str, origin: &str) -> bool {
        let Some(known) = &self.known else { return false };
        let Some(skill) = known.named(id) else { return true };
        let decided = known.decided(id);
        let acts = self.tools(&skill.place).iter().any(|placed| placed.tool.name == tool && placed.acts);
        !known.is_on(id) || decided.off_on.contains(origin) || !decided.is_tool_on(skill.level, tool, acts)
    }

    /// A tool of a SKILL ended on a document of a site. Returns whether the SKILL is paused there now.
    pub fn ran(&mut self, ended: SkillRun) -> bool {
        let is_paused = self.past.change(|past| past.add(&ended));
        self.traces.insert(ended.id, ended.trace);
        is_paused
    }

    /// How runs ended, for the next worker.
    pub fn past(&self) -> &KeptRuns {
        &self.past
    }

    /// What the last run of a tool of a SKILL did.
    pub fn trace(&self, id: &str) -> Option<SkillTrace> {
        self.traces.get(id).cloned()
    }
}

/// A tool of a SKILL that ended.
#[derive(Debug, Clone)]
pub struct SkillRun {
    /// The SKILL.
    pub id: String,
    /// The first document that answered; `None` if none did.
    pub document: Option<DocumentId>,
    /// Whether it has a result.
    pub is_ok: bool,
    /// Whether it found the page changed.
    pub is_changed: bool,
    /// What its steps did.
    pub trace: SkillTrace,
    /// When it ended.
    pub now: Timestamp,
}

#[cfg(test)]
mod tests;
