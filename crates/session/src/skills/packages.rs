//! Packages on their way: read, but not installed yet; removed, but still to be restored.

use std::collections::HashMap;

use sidecar_protocol::Timestamp;
use sidecar_protocol::skill::SkillReview;
use sidecar_skills::exchange::{KeptSkill, UploadedFile};

use super::choices::{InstalledSkill, SkillDecisions};
use crate::panels::LinkId;

/// Maximum characters of an upload: the files of [`sidecar_protocol::skill::UPLOAD_LIMIT`] in base64, and their paths.
const MOST_CHARACTERS: usize = sidecar_protocol::skill::UPLOAD_LIMIT / 3 * 4 + 1_000_000;

/// Packages on their way.
#[derive(Debug, Default)]
pub struct Packages {
    uploads: HashMap<LinkId, String>,
    opened: HashMap<LinkId, OpenedPackage>,
    removed: HashMap<String, RemovedSkill>,
}

/// Files that were read for a panel.
#[derive(Debug, Clone)]
pub struct OpenedPackage {
    /// The files, of which another SKILL may be chosen.
    pub files: Vec<UploadedFile>,
    /// Where they come from.
    pub source: String,
    /// The package, if it can be installed.
    pub package: Option<(SkillReview, KeptSkill)>,
}

/// A SKILL that was removed.
#[derive(Debug, Clone)]
pub struct RemovedSkill {
    /// As it was installed.
    pub installed: InstalledSkill,
    /// What the user had decided about it.
    pub decided: SkillDecisions,
    /// When it was removed.
    pub removed: Timestamp,
}

impl RemovedSkill {
    /// The digests whose files it needs.
    pub fn digests(&self) -> impl Iterator<Item = &String> {
        let earlier = self.installed.earlier.iter().map(|earlier| &earlier.digest);
        [&self.installed.digest].into_iter().chain(earlier)
    }
}

impl Packages {
    /// Adds a piece of an upload. Returns the files if it was the last one; an upload that is too large or cannot be read
    /// has none.
    pub fn receive(&mut self, link: LinkId, text: &str, more: bool) -> Option<Vec<UploadedFile>> {
        let upload = self.uploads.entry(link).or_default();
        if upload.len() + text.len() <= MOST_CHARACTERS {
            upload.push_str(text);
        }
        if more {
            return None;
        }
        let upload = self.uploads.remove(&link).unwrap_or_default();
        Some(serde_json::from_str(&upload).unwrap_or_default())
    }

    /// Files were read for a panel, in place of those before.
    pub fn opened(&mut self, link: LinkId, opened: OpenedPackage) {
        self.opened.insert(link, opened);
    }

    /// The files that were read last for a panel.
    pub fn last(&self, link: LinkId) -> Option<&OpenedPackage> {
        self.opened.get(&link)
    }

    /// What is shown of the package that was read last for a panel, if it has this digest.
    pub fn review(&self, link: LinkId, digest: &str) -> Option<&SkillReview> {
        let (review, _) = self.opened.get(&link)?.package.as_ref()?;
        (review.digest == digest).then_some(review)
    }

    /// Takes the package that was read last for a panel, if it has this digest.
    pub fn take(&mut self, link: LinkId, digest: &str) -> Option<(SkillReview, KeptSkill, String)> {
        self.review(link, digest)?;
        let OpenedPackage { source, package, .. } = self.opened.remove(&link)?;
        let (review, kept) = package?;
        Some((review, kept, source))
    }

    /// The panel was closed.
    pub fn gone(&mut self, link: LinkId) {
        self.uploads.remove(&link);
        self.opened.remove(&link);
    }

    /// A SKILL was removed. Returns one of its name that was removed before and can no longer be restored.
    pub fn removed(&mut self, id: String, removed: RemovedSkill) -> Option<RemovedSkill> {
        self.removed.insert(id, removed)
    }

    /// When the SKILL of this name was removed, if it can be restored.
    pub fn removed_at(&self, id: &str) -> Option<Timestamp> {
        self.removed.get(id).map(|removed| removed.removed)
    }

    /// Whether a SKILL that can be restored needs the files of this digest.
    pub fn needs(&self, digest: &str) -> bool {
        self.removed.values().any(|removed| removed.digests().any(|known| known == digest))
    }

    /// Takes a SKILL that was removed: it is restored, or gone for good.
    pub fn take_removed(&mut self, id: &str) -> Option<RemovedSkill> {
        self.removed.remove(id)
    }
}
