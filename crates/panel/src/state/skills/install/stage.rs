//! How far an installation is, what was read for it, and what came of it.

use sidecar_protocol::skill::SkillOffer;
use sidecar_ui::dom::folder::{FolderHandle, FolderProblem};

use crate::state::skills::upload::UploadFile;

/// How far an installation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallStage {
    /// There is none: the list is shown.
    Closed,
    /// The user chooses what to read.
    Choosing,
    /// It is being read.
    Reading,
    /// What it is.
    Offered(SkillOffer),
    /// It could not be read or installed.
    Failed(InstallFailure),
}

/// Why nothing was read or installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallFailure {
    /// The connection broke while it was read.
    Lost,
    /// The connection broke while it was installed.
    LostInstalling,
    /// The worker no longer has what was read.
    Gone,
    /// The files are too large.
    TooLarge,
    /// A file cannot be read.
    Unreadable,
    /// The folder is not read.
    Folder(FolderProblem),
    /// There are no files.
    Empty,
}

/// What the user chose to read.
#[derive(Debug, Clone)]
pub enum InstallSource {
    /// Files, or a text as a file.
    Files(Vec<UploadFile>),
    /// A folder.
    Folder(FolderHandle),
    /// An address.
    Address(String),
}

/// What happened, as the list says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallNotice {
    /// What happened.
    pub kind: InstallKind,
    /// The title of the SKILL.
    pub title: String,
    /// Its version; may be empty.
    pub version: String,
}

/// What an installation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallKind {
    /// A SKILL is new.
    Installed,
    /// A SKILL was replaced.
    Updated,
    /// A SKILL was read again from its folder, and replaced.
    Reloaded,
    /// A SKILL was read again from its folder, which has not changed.
    Unchanged,
}

/// What takes the focus as soon as it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillFocus {
    /// Nothing.
    Nothing,
    /// The button that adds a SKILL.
    Add,
    /// The title of a screen.
    Title,
    /// What became of what was read.
    Outcome,
    /// The SKILL with this id.
    Card(String),
}
