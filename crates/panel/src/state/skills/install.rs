//! The way of a package into the extension: files or an address are read, the user sees what they are, and installs.

use std::collections::HashMap;
use std::sync::Arc;

use futures::lock::Mutex;
use leptos::prelude::*;
use leptos::task::spawn_local;
use sidecar_protocol::link::{Refusal, SkillsCommand};
use sidecar_protocol::skill::{SkillLevel, SkillOffer, SkillReview};
use sidecar_ui::dom::folder::FolderProblem;

use super::upload::{UploadError, UploadFile, offered, upload};
use crate::state::connection::ConnectionStore;
use crate::state::skills::install::own_folder::OwnFolder;
use crate::state::skills::install::stage::{
    InstallFailure, InstallKind, InstallNotice, InstallSource, InstallStage, SkillFocus,
};
use sidecar_link::LinkResponse;

mod own_folder;
pub mod stage;

/// A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct InstallStore {
    /// How far the installation is.
    pub stage: RwSignal<InstallStage>,
    /// How much was sent, in percent; `None` unless files are being sent.
    pub progress: RwSignal<Option<u32>>,
    /// Whether the user says that the package is their own.
    pub is_own: RwSignal<bool>,
    /// Whether the package is being installed.
    pub installing: RwSignal<bool>,
    /// The SKILL that is being read again from its folder; empty if none is.
    pub reloading: RwSignal<String>,
    /// The SKILLs that can be read again from their folders.
    pub reloadable: RwSignal<Vec<String>>,
    /// What happened last.
    pub notice: RwSignal<Option<InstallNotice>>,
    /// What takes the focus.
    pub focus: RwSignal<SkillFocus>,
    /// The text in the field for it.
    pub pasted: RwSignal<String>,
    /// The address in the field for it.
    pub address: RwSignal<String>,
    folders: StoredValue<HashMap<String, OwnFolder>, LocalStorage>,
    /// What was read last.
    source: StoredValue<Option<InstallSource>, LocalStorage>,
    /// Where that is from: an address, or the name of a file or a folder.
    origin: StoredValue<String>,
    /// The folder that the user chose of several in it.
    inner: StoredValue<Option<String>>,
    /// Whether it was begun from the list, to which the way back leads then.
    from_list: StoredValue<bool>,
    /// Number of the last reading; earlier ones no longer matter.
    run: StoredValue<u32>,
    /// Held while files are sent: the worker hears one upload after the other.
    turn: StoredValue<Arc<Mutex<()>>>,
    connection: ConnectionStore,
}

impl InstallStore {
    /// Nothing is being installed.
    pub fn new(connection: ConnectionStore) -> Self {
        Self {
            stage: RwSignal::new(InstallStage::Closed),
            progress: RwSignal::new(None),
            is_own: RwSignal::new(false),
            installing: RwSignal::new(false),
            reloading: RwSignal::new(String::new()),
            reloadable: RwSignal::new(Vec::new()),
            notice: RwSignal::new(None),
            focus: RwSignal::new(SkillFocus::Nothing),
            pasted: RwSignal::new(String::new()),
            address: RwSignal::new(String::new()),
            folders: StoredValue::new_local(HashMap::new()),
            source: StoredValue::new_local(None),
            origin: StoredValue::new(String::new()),
            inner: StoredValue::new(None),
            from_list: StoredValue::new(false),
            run: StoredValue::new(0),
            turn: StoredValue::new(Arc::default()),
            connection,
        }
    }

    /// Lets the user choose what to read.
    pub fn open(self) {
        self.next_run();
        self.from_list.set_value(false);
        self.notice.set(None);
        self.show(InstallStage::Choosing, SkillFocus::Title);
    }

    /// One step back.
    pub fn back(self) {
        self.next_run();
        let is_choosing = self.stage.with_untracked(|stage| *stage == InstallStage::Choosing);
        if is_choosing || self.from_list.get_value() {
            self.close();
        } else {
            self.show(InstallStage::Choosing, SkillFocus::Title);
        }
    }

    /// Back to the list.
    pub fn close(self) {
        self.next_run();
        self.source.set_value(None);
        self.show(InstallStage::Closed, SkillFocus::Add);
    }

    /// Reads what the user chose.
    pub fn read(self, source: InstallSource) {
        self.source.set_value(Some(source));
        self.inner.set_value(None);
        self.is_own.set(false);
        self.read_again();
    }

    /// Reads what is now at the address that a SKILL came from. What it changes is shown before it is installed.
    pub fn look_for_update(self, address: String) {
        self.from_list.set_value(true);
        self.notice.set(None);
        self.read(InstallSource::Address(address));
    }

    /// Where what was read last is from: an address, or the name of a file or a folder.
    pub fn origin(self) -> String {
        self.origin.get_value()
    }

    /// Whether what was read last can be read once more.
    pub fn has_source(self) -> bool {
        self.source.with_value(Option::is_some)
    }

    /// Reads what was read last once more.
    pub fn read_again(self) {
        let Some(source) = self.source.get_value() else { return };
        self.read_offer(async move |run| self.offer(source, run).await);
    }

    /// Reads one of several SKILLs.
    pub fn choose(self, folder: String) {
        self.inner.set_value(Some(folder.clone()));
        self.read_offer(async move |_| self.offer_in(folder).await);
    }

    /// Shows why a folder is not read.
    pub fn refuse_folder(self, problem: FolderProblem) {
        self.source.set_value(None);
        self.fail(InstallError::Shown(InstallFailure::Folder(problem)));
    }

    /// Installs the package that is shown.
    pub fn install(self) {
        let InstallStage::Offered(SkillOffer::Review(review)) = self.stage.get_untracked() else { return };
        let kind = if review.update.is_some() { InstallKind::Updated } else { InstallKind::Installed };
        if !self.installing.get_untracked() {
            self.installing.set(true);
            spawn_local(async move {
                self.install_as(*review, kind).await;
                self.installing.set(false);
            });
        }
    }

    fn read_offer(self, offer: impl AsyncFnOnce(u32) -> Result<SkillOffer, InstallError> + 'static) {
        let run = self.next_run();
        self.stage.set(InstallStage::Reading);
        spawn_local(async move {
            let offer = offer(run).await;
            if self.is_current(run) {
                self.progress.set(None);
                self.take(offer);
            }
        });
    }

    async fn offer(self, source: InstallSource, run: u32) -> Result<SkillOffer, InstallError> {
        let files = match source {
            InstallSource::Files(files) => files,
            InstallSource::Folder(folder) => {
                let files = folder.files().await;
                let files = files.map_err(|why| InstallError::Shown(InstallFailure::Folder(why)))?;
                files.into_iter().map(UploadFile::from).collect()
            }
            InstallSource::Address(address) => {
                self.origin.set_value(address.clone());
                return Ok(offered(self.connection.response(SkillsCommand::Fetch { address }).await)?);
            }
        };
        let Some(first) = files.first() else {
            return Err(InstallError::Shown(InstallFailure::Empty));
        };
        // A folder may have been read while something else was chosen.
        if self.is_current(run) {
            self.origin.set_value(first.top().to_owned());
        }
        let goes_on = move |percent| {
            if self.is_current(run) {
                self.progress.set(Some(percent));
            }
            self.is_current(run)
        };
        let turn = self.turn.get_value();
        let _held = turn.lock().await;
        Ok(upload(self.connection, &files, goes_on).await?)
    }

    async fn offer_in(self, folder: String) -> Result<SkillOffer, InstallError> {
        Ok(offered(self.connection.response(SkillsCommand::Choose { folder }).await)?)
    }

    fn take(self, offer: Result<SkillOffer, InstallError>) {
        match offer {
            Ok(offer @ SkillOffer::Review(_)) => {
                self.show(InstallStage::Offered(offer), SkillFocus::Title);
            }
            Ok(offer) => self.show(InstallStage::Offered(offer), SkillFocus::Outcome),
            Err(error) => self.fail(error),
        }
    }

    async fn install_as(self, review: SkillReview, kind: InstallKind) {
        let level = if self.is_own.get_untracked() { SkillLevel::Own } else { SkillLevel::Imported };
        let digest = review.digest.clone();
        match self.connection.response(SkillsCommand::Install { digest, level }).await {
            LinkResponse::Done | LinkResponse::Answer(_) => {
                self.keep_folder(&review.id, level);
                self.tell(&review, kind);
                self.next_run();
                self.source.set_value(None);
                self.pasted.set(String::new());
                self.address.set(String::new());
                self.show(InstallStage::Closed, SkillFocus::Card(review.id));
            }
            LinkResponse::Refused(Refusal::NoSkill) => {
                self.fail(InstallError::Shown(InstallFailure::Gone));
            }
            LinkResponse::Refused(why) => self.connection.refused(why),
            LinkResponse::Lost => self.fail(InstallError::Shown(InstallFailure::LostInstalling)),
        }
    }

    fn tell(self, review: &SkillReview, kind: InstallKind) {
        let (title, version) = (review.title.clone(), review.version.clone());
        self.notice.set(Some(InstallNotice { kind, title, version }));
    }

    fn fail(self, error: InstallError) {
        match error {
            InstallError::Shown(failure) => {
                self.show(InstallStage::Failed(failure), SkillFocus::Outcome);
            }
            InstallError::Refused(why) => {
                self.connection.refused(why);
                let stage =
                    if self.from_list.get_value() { InstallStage::Closed } else { InstallStage::Choosing };
                self.stage.set(stage);
            }
            InstallError::Cancelled => {}
        }
    }

    fn show(self, stage: InstallStage, focus: SkillFocus) {
        self.stage.set(stage);
        self.focus.set(focus);
    }

    fn next_run(self) -> u32 {
        self.run.update_value(|run| *run += 1);
        self.progress.set(None);
        self.reloading.set(String::new());
        self.run.get_value()
    }

    fn is_current(self, run: u32) -> bool {
        self.run.get_value() == run
    }
}

/// Why there is no offer.
#[derive(Debug)]
enum InstallError {
    /// The screen says so.
    Shown(InstallFailure),
    /// A notice says so.
    Refused(Refusal),
    /// The user no longer wants it.
    Cancelled,
}

impl From<UploadError> for InstallError {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::TooLarge => Self::Shown(InstallFailure::TooLarge),
            UploadError::Unreadable => Self::Shown(InstallFailure::Unreadable),
            UploadError::Lost => Self::Shown(InstallFailure::Lost),
            UploadError::Refused(Refusal::NoSkill) => Self::Shown(InstallFailure::Gone),
            UploadError::Refused(why) => Self::Refused(why),
            UploadError::Cancelled => Self::Cancelled,
        }
    }
}
