//! SKILLs as panels show them: those that are there, and one that is about to be installed. All texts of packages are
//! those of their authors; sentences about them are in the language of the panel that asked.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Maximum size of the files that are offered for installation, in bytes.
pub const UPLOAD_LIMIT: usize = 50 * 1024 * 1024;

/// Whose SKILL it is, in the order in which they come first where several have a tool of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SkillLevel {
    /// The user made it.
    Own,
    /// It is a part of the extension.
    Shipped,
    /// It comes from others.
    Imported,
}

/// A version of a SKILL, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillRelease {
    /// Its name.
    pub id: String,
    /// SemVer; empty if an Agent Skill has none.
    pub version: String,
    /// Whose it is.
    pub level: SkillLevel,
}

/// How a SKILL fares on the page that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SkillState {
    /// It is for other pages.
    Elsewhere,
    /// The page is being looked at.
    Checking,
    /// The page is as it expects.
    Ok,
    /// It works, but finds some elements only in other ways.
    Worn,
    /// The page has changed: its tools are not offered.
    Changed,
    /// The user is not signed in.
    SignedOut,
    /// The page wants the user to prove to be a person.
    Challenge,
    /// It has no tools for this kind of page.
    OtherPage,
    /// Its tools found the page changed several times in a row, and are not offered on this site until the user says so.
    Paused,
    /// The user switched it off.
    Off,
    /// The user switched it off on this site.
    OffHere,
    /// It has code, and the browser's switch *Allow User Scripts* is off.
    NeedsSwitch,
    /// It was found to be harmful or broken, and does not run.
    Revoked,
    /// It is written for a later version of the extension.
    Newer,
    /// Its files cannot be read.
    Unreadable,
}

/// A SKILL in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillSummary {
    /// Its name.
    pub id: String,
    /// As its author calls it.
    pub title: String,
    /// What it is for.
    pub summary: String,
    /// SemVer; empty if an Agent Skill has none.
    pub version: String,
    /// SHA-256 of its files; empty for those that ship.
    pub digest: String,
    /// Whose it is.
    pub level: SkillLevel,
    /// The file or the address that it was installed from; empty for those that ship.
    pub source: String,
    /// Pages on which it is of use: match patterns.
    pub sites: Vec<String>,
    /// How it fares on the page that is shown.
    pub state: SkillState,
    /// More about the state: the condition that does not hold, why it was revoked. May be empty.
    pub detail: String,
    /// Where a revocation is explained; may be empty.
    pub link: String,
    /// Whether it is switched on.
    pub is_on: bool,
    /// Whether it is switched on on the site that is shown.
    pub is_on_here: bool,
    /// Whether other agents find its tools in the page.
    pub is_registered: bool,
    /// Its tools; none if it only has instructions for the model.
    pub tools: Vec<SkillToolSummary>,
    /// When somebody last tried it on the live site: a date; empty if nobody has.
    pub verified_on: String,
    /// When a tool of it last succeeded, since the browser was started.
    pub last_success: Option<Timestamp>,
    /// Earlier versions that can be gone back to, the newest first.
    pub earlier: Vec<SkillVersion>,
}

/// A tool of a SKILL in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillToolSummary {
    /// Its name.
    pub name: String,
    /// As the user sees it; may be empty.
    pub title: String,
    /// What it does: one sentence or several.
    pub description: String,
    /// Whether it changes something on the page or its site.
    pub acts: bool,
    /// Whether it is code.
    pub is_code: bool,
    /// Whether it is switched on. Acting tools of imported SKILLs are off at first.
    pub is_on: bool,
    /// The SKILL whose tool of the same name is offered on this page in its place; empty if none is.
    pub shadowed_by: String,
}

/// A version of a SKILL that was installed before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillVersion {
    /// SemVer; may be empty.
    pub version: String,
    /// SHA-256 of its files.
    pub digest: String,
    /// When it was installed.
    pub installed: Timestamp,
}

/// What became of files that were offered for installation. Nothing is installed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SkillOffer {
    /// They hold one SKILL, which can be installed.
    Review(Box<SkillReview>),
    /// They hold several, of which one has to be chosen.
    Choose {
        /// Their folders.
        folders: Vec<String>,
    },
    /// They cannot be installed.
    Refused {
        /// Why, and what to do about it.
        problems: Vec<SkillProblem>,
    },
    /// The address leads to another host. Nothing was requested there.
    LeadsElsewhere {
        /// Where it leads.
        address: String,
    },
    /// The address leads elsewhere, and the browser does not say where. Nothing was requested there.
    Redirected {
        /// The address that was requested.
        address: String,
    },
    /// The address could not be read.
    NotFetched {
        /// Why: a sentence in English, or the HTTP status.
        why: String,
    },
}

/// A package that can be installed: what the user has to know before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillReview {
    /// Its name.
    pub id: String,
    /// As its author calls it.
    pub title: String,
    /// What it is for.
    pub summary: String,
    /// SemVer; may be empty.
    pub version: String,
    /// SHA-256 of its files.
    pub digest: String,
    /// The licence that it names; may be empty.
    pub license: String,
    /// Pages on which it is of use: match patterns.
    pub sites: Vec<String>,
    /// What it can do, and where: sentences.
    pub can: Vec<String>,
    /// What should make one hesitate: sentences.
    pub warnings: Vec<String>,
    /// Its tools; none if it only has instructions for the model.
    pub tools: Vec<SkillToolSummary>,
    /// Its files.
    pub files: Vec<SkillFile>,
    /// What was mended, left out or is not as it should be.
    pub told: Vec<SkillProblem>,
    /// When somebody last tried it on the live site: a date; empty if nobody has.
    pub verified_on: String,
    /// The other form of which it was made, if it is a draft: it comes in switched off.
    pub made_of: Option<ForeignForm>,
    /// What it changes, if it is installed already.
    pub update: Option<SkillUpdate>,
}

/// A form of other programs of which a SKILL is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ForeignForm {
    /// A recording of the browser's developer tools.
    Recording,
    /// A JavaScript module that exports `skill`.
    Module,
}

/// A file of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillFile {
    /// Its path.
    pub path: String,
    /// Its size, in bytes.
    pub size: u64,
}

/// What is wrong with a package, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillProblem {
    /// Whether it keeps the package from being installed.
    pub is_error: bool,
    /// Why, for programs (`badPath`).
    pub code: String,
    /// The file's path in the package; empty for the package as a whole.
    pub file: String,
    /// The line in it, from 1.
    pub line: Option<u32>,
    /// The place in the file's data (`tools[0].steps[2].at`); may be empty.
    pub place: String,
    /// What is wrong: a sentence.
    pub why: String,
    /// What to do about it: a sentence.
    pub way_out: String,
}

/// What a package changes of the one that is installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillUpdate {
    /// The version that is installed.
    pub from: String,
    /// Whether the files are the same.
    pub is_same: bool,
    /// Whether it may do more than before: other sites, acting tools, code.
    pub is_wider: bool,
    /// What it may do that it could not before: sentences.
    pub gains: Vec<String>,
    /// What it no longer can: sentences.
    pub loses: Vec<String>,
    /// Tools that are new, gone or do something else.
    pub tools: Vec<ToolChange>,
    /// Texts that the model sees.
    pub texts: Vec<TextChange>,
    /// Other files that changed: paths.
    pub files: Vec<String>,
}

/// A tool that an update changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolChange {
    /// Its name.
    pub name: String,
    /// How.
    pub kind: ToolChangeKind,
    /// Whether it acts after the update.
    pub acts: bool,
}

/// How an update changes a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its steps, its code or its schema are others.
    Changed,
}

/// A text that an update changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextChange {
    /// Whose: a tool's name, or the file of the instructions.
    pub of: String,
    /// Its lines.
    pub lines: Vec<ChangedLine>,
}

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangedLine {
    /// In both.
    Same(String),
    /// Only in the installed one.
    Removed(String),
    /// Only in the new one.
    Added(String),
}

/// What a step of a tool's last run did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TracedStep {
    /// The step (`steps[2]`).
    pub step: String,
    /// What it does (`click`).
    pub does: String,
    /// The name of its locator; may be empty.
    pub locator: String,
    /// Which alternative was used, from 1.
    pub alternative: Option<u32>,
    /// The value that it came to: JSON text, shortened; may be empty.
    pub value: String,
    /// The outcome, as a word (`ok`, `changed`).
    pub outcome: String,
}

/// A tool's last run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillTrace {
    /// The tool.
    pub tool: String,
    /// Origin of the page on which it began.
    pub origin: String,
    /// When it began.
    pub began: Timestamp,
    /// Its steps, in the order in which they were done.
    pub steps: Vec<TracedStep>,
    /// The outcome of the whole.
    pub outcome: String,
}
