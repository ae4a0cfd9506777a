//! Code of SKILLs: whether it may run, and a run of it.

use sidecar_protocol::{DocumentId, TabId};

/// Whether code of SKILLs may run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CodeAccess {
    /// The user does not allow it.
    #[default]
    Off,
    /// The user allows it.
    On,
    /// The browser is too old for it.
    TooOld,
}

/// Code that is run in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeRun {
    /// The tab.
    pub tab: TabId,
    /// The document; in another one nothing is run.
    pub document: DocumentId,
    /// The name of the world that only this SKILL has: at most 256 bytes.
    pub world_id: String,
    /// Whether it runs there. Otherwise it runs in the page's world.
    pub is_alone: bool,
    /// What is run.
    pub sources: Vec<String>,
}

/// Why code did not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeFault {
    /// The user does not allow it, or the browser is too old.
    Off,
    /// The document is gone, or lets no code in.
    Gone,
}
