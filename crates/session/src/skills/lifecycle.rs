//! Code of SKILLs: whether it may run, and what is run when a page becomes theirs and ceases to be.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use sidecar_protocol::skill::SkillLevel;
use sidecar_protocol::{DocumentId, TabId};

use super::{KnownSkill, KnownSkills, SkillPlace, Skills};
use crate::key_value::KeyValue;
use crate::skills::code::CodeAccess;

/// What is run in a document of a SKILL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifecyclePhase {
    /// It became the SKILL's.
    Activate,
    /// It is no longer.
    Deactivate,
}

/// What is to be run, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifecycleStep {
    /// The tab.
    pub tab: TabId,
    /// Its document.
    pub document: DocumentId,
    /// Where the SKILL's files are.
    pub place: SkillPlace,
    /// What is run.
    pub phase: LifecyclePhase,
}

/// What is to be run of a SKILL in a tab, one after the other.
pub type LifecycleQueue = Rc<RefCell<VecDeque<LifecycleStep>>>;

/// The code of SKILLs: whether it may run, and where it was told to begin.
#[derive(Debug, Default)]
pub struct SkillCodes {
    access: CodeAccess,
    active: HashMap<(TabId, String), ActiveSkill>,
}

/// A SKILL in a tab.
#[derive(Debug)]
struct ActiveSkill {
    document: DocumentId,
    place: SkillPlace,
    is_active: bool,
    queue: LifecycleQueue,
}

impl ActiveSkill {
    /// Puts a step into the queue. Returns the queue if nobody works on it.
    fn push(&mut self, tab: TabId, phase: LifecyclePhase) -> Option<LifecycleQueue> {
        self.is_active = phase == LifecyclePhase::Activate;
        let step = LifecycleStep { tab, document: self.document.clone(), place: self.place.clone(), phase };
        let mut queue = self.queue.borrow_mut();
        queue.push_back(step);
        (queue.len() == 1).then(|| self.queue.clone())
    }
}

impl SkillCodes {
    /// Whether the user allows code, as far as is known.
    pub fn access(&self) -> CodeAccess {
        self.access
    }

    /// Whether the user allows code was found out. Returns whether that is news.
    pub fn know(&mut self, access: CodeAccess) -> bool {
        std::mem::replace(&mut self.access, access) != access
    }

    /// A tab was closed, or its page is nobody's any more.
    pub fn forget_tab(&mut self, tab: TabId) {
        self.active.retain(|(of, _), _| *of != tab);
    }
}

impl<K: KeyValue> Skills<K> {
    /// Whether the code of a SKILL runs now. Those that ship have none.
    pub(super) fn runs_code(&self, skill: &KnownSkill) -> bool {
        self.codes.access == CodeAccess::On && matches!(skill.place, SkillPlace::Stored(_))
    }

    /// Whether a SKILL has code that would run if the browser's switch was on.
    pub(super) fn wants_code(&self, known: &KnownSkills<K>, skill: &KnownSkill) -> bool {
        matches!(skill.place, SkillPlace::Stored(_))
            && (self.has_code_tool_on(known, skill) || self.has_lifecycle(known, skill))
    }

    fn has_code_tool_on(&self, known: &KnownSkills<K>, skill: &KnownSkill) -> bool {
        let decided = known.decided(skill.id());
        let mut code = self.tools(&skill.place).iter().filter(|placed| placed.is_code);
        code.any(|placed| decided.is_tool_on(skill.level, &placed.tool.name, placed.acts))
    }

    /// Whether a SKILL is told of its pages: of those of others only what the user switched a tool with code on of.
    fn has_lifecycle(&self, known: &KnownSkills<K>, skill: &KnownSkill) -> bool {
        let may = match skill.level {
            SkillLevel::Own => true,
            SkillLevel::Imported => self.has_code_tool_on(known, skill),
            SkillLevel::Shipped => false,
        };
        skill.indexed.has_lifecycle && may
    }

    /// Whether a SKILL for a page of this address has code, which the browser does not run.
    pub fn misses_code(&self, url: &str) -> bool {
        let Some(known) = self.known() else { return false };
        self.codes.access != CodeAccess::On
            && self.fitting(url).into_iter().any(|skill| self.wants_code(known, skill))
    }

    /// What is to be run in a tab's document of this address now: queues at which nobody works yet.
    pub fn lifecycle(&mut self, tab: TabId, document: &DocumentId, url: &str) -> Vec<LifecycleQueue> {
        let mut codes = std::mem::take(&mut self.codes);
        codes.active.retain(|(of, _), active| *of != tab || active.document == *document);
        let access = codes.access;
        self.codes.access = access;
        let fitting = self.fitting(url);
        let may = |skill: &&&KnownSkill| {
            self.runs_code(skill) && self.known().is_some_and(|known| self.has_lifecycle(known, skill))
        };
        let allowed: Vec<&KnownSkill> = fitting.iter().filter(may).copied().collect();
        let mut begun = Vec::new();
        for ((of, id), active) in &mut codes.active {
            let is_theirs = |skill: &&KnownSkill| skill.id() == id && skill.place == active.place;
            if *of == tab && active.is_active && !allowed.iter().any(is_theirs) {
                begun.extend(active.push(tab, LifecyclePhase::Deactivate));
            }
        }
        for skill in allowed {
            if self.health(tab, skill.id()).is_none_or(|health| health.ready.is_empty()) {
                continue;
            }
            let key = (tab, skill.id().to_owned());
            let active = codes.active.entry(key).or_insert_with(|| ActiveSkill {
                document: document.clone(),
                place: skill.place.clone(),
                is_active: false,
                queue: LifecycleQueue::default(),
            });
            if !active.is_active {
                active.place = skill.place.clone();
                begun.extend(active.push(tab, LifecyclePhase::Activate));
            }
        }
        self.codes = codes;
        begun
    }
}
