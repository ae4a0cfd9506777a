//! Folders of SKILLs that the user makes: such a SKILL can be read again, to try what was changed.

use leptos::prelude::*;
use leptos::task::spawn_local;
use sidecar_protocol::skill::{SkillLevel, SkillOffer, SkillReview};
use sidecar_ui::dom::folder::FolderHandle;

use super::InstallStore;
use super::stage::{InstallKind, InstallSource};

/// The folder of a SKILL of the user's own.
#[derive(Debug, Clone)]
pub struct OwnFolder {
    handle: FolderHandle,
    /// The folder in it, if it holds several SKILLs.
    inner: Option<String>,
}

impl InstallStore {
    /// Reads a SKILL of the user's own again from its folder, and installs it unless it may do more than before.
    pub fn reload(self, id: String) {
        let Some(OwnFolder { handle, inner }) = self.folders.with_value(|folders| folders.get(&id).cloned())
        else {
            return;
        };
        let run = self.next_run();
        self.notice.set(None);
        self.reloading.set(id.clone());
        let source = InstallSource::Folder(handle);
        self.source.set_value(Some(source.clone()));
        self.inner.set_value(inner.clone());
        self.from_list.set_value(true);
        self.is_own.set(true);
        spawn_local(async move {
            let mut offer = self.offer(source, run).await;
            if let (Ok(SkillOffer::Choose { .. }), Some(inner)) = (&offer, inner) {
                offer = self.offer_in(inner).await;
            }
            if !self.is_current(run) {
                return;
            }
            match offer {
                Ok(SkillOffer::Review(review)) if is_known(&review, &id) => {
                    if review.update.as_ref().is_some_and(|update| update.is_same) {
                        self.tell(&review, InstallKind::Unchanged);
                    } else {
                        self.install_as(*review, InstallKind::Reloaded).await;
                    }
                }
                offer => self.take(offer),
            }
            self.reloading.set(String::new());
        });
    }

    /// Keeps the folder of a package of the user's own, and forgets that of any other.
    pub(super) fn keep_folder(self, id: &str, level: SkillLevel) {
        let folder = match self.source.get_value() {
            Some(InstallSource::Folder(handle)) if level == SkillLevel::Own => {
                Some(OwnFolder { handle, inner: self.inner.get_value() })
            }
            _ => None,
        };
        self.folders.update_value(|folders| match folder {
            Some(folder) => drop(folders.insert(id.to_owned(), folder)),
            None => drop(folders.remove(id)),
        });
        self.reloadable.set(self.folders.with_value(|folders| folders.keys().cloned().collect()));
    }
}

/// Whether a package takes the place of this SKILL and may do no more than it.
fn is_known(review: &SkillReview, id: &str) -> bool {
    review.id == id && review.update.as_ref().is_some_and(|update| !update.is_wider)
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::skill::SkillUpdate;

    use super::*;

    fn review(id: &str, wider: Option<bool>) -> SkillReview {
        let update = |is_wider| SkillUpdate {
            from: "1.0.0".to_owned(),
            is_same: false,
            is_wider,
            gains: Vec::new(),
            loses: Vec::new(),
            tools: Vec::new(),
            texts: Vec::new(),
            files: Vec::new(),
        };
        SkillReview {
            id: id.to_owned(),
            title: String::new(),
            summary: String::new(),
            version: "1.1.0".to_owned(),
            digest: String::new(),
            license: String::new(),
            sites: Vec::new(),
            can: Vec::new(),
            warnings: Vec::new(),
            tools: Vec::new(),
            files: Vec::new(),
            told: Vec::new(),
            verified_on: String::new(),
            made_of: None,
            update: wider.map(update),
        }
    }

    #[test]
    fn package_is_reloaded_at_once_only_if_it_replaces_its_own_and_is_no_wider() {
        assert!(is_known(&review("a", Some(false)), "a"));
        assert!(!is_known(&review("a", Some(true)), "a"), "wider");
        assert!(!is_known(&review("a", None), "a"), "new");
        assert!(!is_known(&review("b", Some(false)), "a"), "another");
    }
}
