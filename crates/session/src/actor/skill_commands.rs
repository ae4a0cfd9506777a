//! Answers panels about SKILLs: the list, switches, and what comes in and goes.

use sidecar_agent::UserCommand;
use sidecar_protocol::history::UNDO_MS;
use sidecar_protocol::link::{Answer, Refusal, SkillsAnswer, SkillsCommand};
use sidecar_protocol::saved::SavedName;
use sidecar_protocol::skill::{SkillLevel, SkillOffer};
use sidecar_skills::exchange::{PackageAnswer, PackageQuestion, UploadedFile};
use sidecar_skills::offer::PlacedTool;
use sidecar_webmcp::Address;

use super::Actor;
use super::code_parts::CodeParts;
use super::replies::Answered;
use crate::browser::{BrowserPort, FileFault, StorageArea};
use crate::event::{Asker, PackageEvent, RequestEvent};
use crate::panels::LinkId;
use crate::pieces::in_pieces;
use crate::refusals;
use crate::skills::choices::{InstalledSkill, MOST_SKILLS, SkillChoices, SkillDecisions};
use crate::skills::packages::{OpenedPackage, RemovedSkill};
use crate::skills::{SkillPlace, reading, store};

const DONE: Answered = Ok(Some(Answer::Done));

impl<B: CodeParts> Actor<B> {
    pub(super) async fn answer_skills(&mut self, asker: Asker, command: SkillsCommand) -> Answered {
        self.know_skills().await;
        match command {
            SkillsCommand::List => self.list_skills(asker.link).await,
            SkillsCommand::Switch { id, on } => self.decide(&id, |decided| decided.on = Some(on)).await,
            SkillsCommand::SwitchHere { id, on } => {
                let origin = self.shown_origin(asker.link).ok_or(Refusal::NoSkill)?;
                self.decide(&id, |decided| _ = decided.switch_on(&origin, on)).await
            }
            SkillsCommand::SwitchTool { id, tool, on } => {
                let known = self.skills.known().and_then(|known| known.named(&id)).ok_or(Refusal::NoSkill)?;
                let mut tools = self.skills.tools(&known.place).iter();
                if !tools.any(|placed| placed.tool.name == tool) {
                    return Err(Refusal::NoSkill);
                }
                self.decide(&id, |decided| _ = decided.tools.insert(tool, on)).await
            }
            SkillsCommand::Register { id, on } => {
                self.decide(&id, |decided| decided.registered = Some(on)).await
            }
            SkillsCommand::Resume { id } => {
                let origin = self.shown_origin(asker.link).ok_or(Refusal::NoSkill)?;
                self.decide(&id, |decided| _ = decided.paused_on.remove(&origin)).await
            }
            SkillsCommand::Upload { text, more } => {
                match self.skills.packages.receive(asker.link, &text, more) {
                    Some(files) => self.open_package(asker, files, None, None),
                    None => DONE,
                }
            }
            SkillsCommand::Fetch { address } => self.fetch_package(asker, address),
            SkillsCommand::Choose { folder } => {
                let last = self.skills.packages.last(asker.link).cloned().ok_or(Refusal::NoSkill)?;
                self.open_package(asker, last.files, Some(folder), Some(last.source))
            }
            SkillsCommand::Install { digest, level } => self.install(asker.link, &digest, level).await,
            SkillsCommand::RollBack { id, digest } => {
                let now = self.browser.now();
                let known = self.skills.known().ok_or(Refusal::NoSkill)?;
                let back = known.choices().earlier(&id, &digest, now).ok_or(Refusal::NoSkill)?;
                let tools = reading::tools(&self.browser, &SkillPlace::Stored(digest)).await;
                let changed = self.changed_tools(&id, &tools).await;
                self.put_in_place(back, false, changed).await
            }
            SkillsCommand::Remove { id } => self.remove_skill(&id).await,
            SkillsCommand::Restore { id } => self.restore_skill(id).await,
            SkillsCommand::Export { id } => self.export_skill(asker, &id),
            SkillsCommand::Trace { id } => {
                let trace = self.skills.trace(&id);
                Ok(Some(Answer::Skills(SkillsAnswer::Traced { trace })))
            }
        }
    }

    /// Reads what is known of all SKILLs, if nobody did yet.
    pub(super) async fn know_skills(&mut self) {
        if self.skills.known().is_none() {
            let texts = reading::texts(&self.browser).await;
            self.skills_known(texts);
        }
    }

    async fn list_skills(&mut self, link: LinkId) -> Answered {
        let places: Vec<_> = {
            let known = self.skills.known().ok_or(Refusal::NoSkill)?;
            known.all().iter().map(|skill| skill.place.clone()).collect()
        };
        for place in places {
            if !self.skills.has_tools(&place) {
                let tools = reading::tools(&self.browser, &place).await;
                self.skills.know_tools(place, tools);
            }
        }
        let access = self.browser.code_access().await;
        self.code_access_known(access);
        let tab = self.tab_of(link);
        let page = tab.and_then(|tab| self.page_for_skills(tab));
        let skills = self.skills.list(page.as_ref(), self.language(link).tag());
        Ok(Some(Answer::Skills(SkillsAnswer::Listed { skills })))
    }

    /// Origin of the page beside a panel.
    fn shown_origin(&self, link: LinkId) -> Option<String> {
        let tab = self.tab_of(link)?;
        let origin = Address::of(&self.tabs.skill_page(tab)?).origin();
        (!origin.is_empty()).then_some(origin)
    }

    /// Changes what is decided about a SKILL.
    pub(super) async fn decide(&mut self, id: &str, change: impl FnOnce(&mut SkillDecisions)) -> Answered {
        let known = self.skills.known().ok_or(Refusal::NoSkill)?;
        if known.named(id).is_none() {
            return Err(Refusal::NoSkill);
        }
        self.save_choices(|choices| {
            let decided = choices.decided.entry(id.to_owned()).or_default();
            change(decided);
            if *decided == SkillDecisions::default() {
                choices.decided.remove(id);
            }
        })
        .await
    }

    /// Changes what is kept of SKILLs, and shows what becomes of that on pages. What cannot be saved changes nothing.
    async fn save_choices(&mut self, change: impl FnOnce(&mut SkillChoices)) -> Answered {
        let known = self.skills.known_mut().ok_or(Refusal::NoSkill)?;
        let mut choices = known.choices().clone();
        change(&mut choices);
        let saved = known.saved().save(choices).await;
        known.arrange();
        self.turns.tell_all(&UserCommand::ToolsDecided);
        self.match_all_skills();
        self.skills_changed();
        saved.map(|()| Some(Answer::Done)).map_err(|error| refusals::not_saved(error, SavedName::Skills))
    }

    /// Has files read that may be a SKILL.
    fn open_package(
        &mut self,
        asker: Asker,
        files: Vec<UploadedFile>,
        folder: Option<String>,
        source: Option<String>,
    ) -> Answered {
        let browser = self.browser.clone();
        let source = source.or_else(|| Some(source_of(&files))).unwrap_or_default();
        let known = self.skills.known().ok_or(Refusal::NoSkill)?;
        let digests: Vec<_> = {
            let installed = known.choices().installed.iter();
            installed.map(|(id, installed)| (id.clone(), installed.digest.clone())).collect()
        };
        let (language, revoked) = (self.language(asker.link), known.revocations().to_vec());
        self.later(asker, async move {
            let question = PackageQuestion::Open { files: files.clone(), folder, revoked, language };
            let (mut offer, kept) = match ask(&browser, &question).await {
                Some(PackageAnswer::Opened { offer, kept }) => (offer, kept),
                _ => return Err(Refusal::NoSkill),
            };
            let package = match (&mut offer, kept) {
                (SkillOffer::Review(review), Some(kept)) => {
                    let before = digests.iter().find(|(id, _)| *id == review.id);
                    if let Some((_, digest)) = before
                        && let Some(before) =
                            reading::package(&browser, &SkillPlace::Stored(digest.clone())).await
                    {
                        let after = kept.package.clone();
                        let question = PackageQuestion::Compare { before, after, language };
                        if let Some(PackageAnswer::Compared { update }) = ask(&browser, &question).await {
                            review.update = Some(update);
                        }
                    }
                    Some(((**review).clone(), kept))
                }
                _ => None,
            };
            let opened = Box::new(OpenedPackage { files, source, package });
            browser.post(RequestEvent::Package(PackageEvent::Opened { link: asker.link, opened }));
            Ok(Answer::Skills(SkillsAnswer::Offered { offer }))
        })
    }

    /// Reads what is at an address. Only that address is requested.
    fn fetch_package(&mut self, asker: Asker, address: String) -> Answered {
        if let Some(address) = archive_of(&address) {
            let offer = SkillOffer::LeadsElsewhere { address };
            return Ok(Some(Answer::Skills(SkillsAnswer::Offered { offer })));
        }
        if !["https://", "http://"].iter().any(|scheme| address.starts_with(scheme)) {
            let offer = SkillOffer::NotFetched { why: "only https:// and http:// are read".to_owned() };
            return Ok(Some(Answer::Skills(SkillsAnswer::Offered { offer })));
        }
        let (browser, replies) = (self.browser.clone(), self.replies(asker));
        self.browser.spawn_awake(async move {
            match browser.fetch_file(&address).await {
                Ok(data) => {
                    let file = UploadedFile { path: name_in(&address), data };
                    browser.post(RequestEvent::Package(PackageEvent::Fetched { asker, file, address }));
                }
                Err(fault) => {
                    let offer = match fault {
                        FileFault::Redirect => SkillOffer::Redirected { address },
                        FileFault::Unread(why) => SkillOffer::NotFetched { why },
                    };
                    replies.end(Ok(Answer::Skills(SkillsAnswer::Offered { offer })));
                }
            }
        });
        Ok(None)
    }

    /// Deals with what work with packages came to.
    pub fn deal_with_package(&mut self, event: PackageEvent) {
        match event {
            PackageEvent::Opened { link, opened } => self.skills.packages.opened(link, *opened),
            // It is read as if it was uploaded.
            PackageEvent::Fetched { asker, file, address } => {
                let answered = self.open_package(asker, vec![file], None, Some(address));
                self.reply(asker.link, asker.request, answered);
            }
            PackageEvent::Gone { id, removed } => {
                if self.skills.packages.removed_at(&id) == Some(removed) {
                    let gone = self.skills.packages.take_removed(&id);
                    self.forget_files(gone.iter().flat_map(RemovedSkill::digests).cloned().collect());
                }
            }
        }
    }

    /// Installs the package that a panel was shown.
    async fn install(&mut self, link: LinkId, digest: &str, level: SkillLevel) -> Answered {
        let review = self.skills.packages.review(link, digest).ok_or(Refusal::NoSkill)?;
        let known = self.skills.known().ok_or(Refusal::NoSkill)?;
        let is_new = !known.choices().installed.contains_key(&review.id);
        if level == SkillLevel::Shipped {
            return Err(Refusal::NoSkill);
        }
        // Only what the user made themselves takes the place of one that ships.
        if is_new && known.ships(&review.id) && level != SkillLevel::Own {
            return Err(Refusal::SkillShips);
        }
        if is_new && known.choices().installed.len() >= MOST_SKILLS {
            return Err(Refusal::ManySkills);
        }
        let (review, kept, source) = self.skills.packages.take(link, digest).ok_or(Refusal::NoSkill)?;
        let new = InstalledSkill {
            indexed: kept.indexed.clone(),
            level,
            source,
            digest: digest.to_owned(),
            installed: self.browser.now(),
            earlier: Vec::new(),
        };
        let is_draft = review.made_of.is_some();
        let area = self.browser.storage(StorageArea::Choices);
        let changed = self.changed_tools(&review.id, &kept.tools).await;
        if let Err(error) = store::keep(&area, digest, kept).await {
            self.forget_files(vec![digest.to_owned()]);
            return Err(refusals::storage(error));
        }
        let saved = self.put_in_place(new, is_draft && is_new, changed).await;
        if saved.is_err() {
            self.forget_files(vec![digest.to_owned()]);
        }
        saved
    }

    /// The tools that are others in the package that takes the place of the one of its name: what the user switched on was
    /// another tool.
    async fn changed_tools(&self, id: &str, after: &[PlacedTool]) -> Vec<String> {
        let Some(before) = self.skills.known().and_then(|known| known.named(id)) else {
            return Vec::new();
        };
        let before = reading::tools(&self.browser, &before.place).await;
        let is_same = |name: &str| {
            let find = |tools: &[PlacedTool]| {
                tools.iter().find(|placed| placed.tool.name == name).map(|placed| placed.tool.clone())
            };
            find(&before) == find(after)
        };
        let names = before.iter().map(|placed| placed.tool.name.clone());
        names.filter(|name| !is_same(name)).collect()
    }

    /// Puts a package in the place of the one of its name, switched off if it is said. These tools are others than before.
    async fn put_in_place(&mut self, skill: InstalledSkill, is_off: bool, changed: Vec<String>) -> Answered {
        let id = skill.indexed.id.clone();
        let mut unneeded = Vec::new();
        self.skills.forget_health(&id);
        self.keep_past_runs().await;
        let saved = self
            .save_choices(|choices| {
                unneeded = choices.install(skill);
                if is_off {
                    choices.decided.entry(id.clone()).or_default().on = Some(false);
                }
                if let Some(decided) = choices.decided.get_mut(&id) {
                    decided.tools.retain(|tool, _| !changed.contains(tool));
                    decided.paused_on.clear();
                }
            })
            .await;
        if saved.is_ok() {
            self.forget_files(unneeded);
        }
        saved
    }

    /// Removes an installed SKILL; its files stay until it can no longer be restored.
    async fn remove_skill(&mut self, id: &str) -> Answered {
        let known = self.skills.known().ok_or(Refusal::NoSkill)?;
        let installed = known.choices().installed.get(id).cloned().ok_or(Refusal::NoSkill)?;
        let decided = known.decided(id);
        self.skills.forget_health(id);
        self.keep_past_runs().await;
        let saved = self
            .save_choices(|choices| {
                choices.installed.remove(id);
                choices.decided.remove(id);
            })
            .await;
        if saved.is_ok() {
            let removed = self.browser.now();
            let before =
                self.skills.packages.removed(id.to_owned(), RemovedSkill { installed, decided, removed });
            self.forget_files(before.iter().flat_map(RemovedSkill::digests).cloned().collect());
            let (browser, id) = (self.browser.clone(), id.to_owned());
            self.browser.spawn(async move {
                browser.sleep(UNDO_MS).await;
                browser.post(RequestEvent::Package(PackageEvent::Gone { id, removed }));
            });
        }
        saved
    }

    /// Restores a SKILL that was removed, unless another one of its name is there meanwhile.
    async fn restore_skill(&mut self, id: String) -> Answered {
        let known = self.skills.known().ok_or(Refusal::NoSkill)?;
        if known.choices().installed.contains_key(&id) {
            return Err(Refusal::NoSkill);
        }
        let RemovedSkill { installed, decided, .. } =
            self.skills.packages.take_removed(&id).ok_or(Refusal::NoSkill)?;
        self.save_choices(|choices| {
            choices.installed.insert(id.clone(), installed);
            choices.decided.insert(id, decided);
        })
        .await
    }

    /// Deletes the files of packages that nothing refers to any more.
    fn forget_files(&self, digests: Vec<String>) {
        let Some(known) = self.skills.known() else { return };
        let is_used = |digest: &String| {
            known.choices().installed.values().any(|installed| {
                installed.digest == *digest
                    || installed.earlier.iter().any(|earlier| earlier.digest == *digest)
            })
        };
        let is_needed = |digest: &String| is_used(digest) || self.skills.packages.needs(digest);
        let unused: Vec<_> = digests.into_iter().filter(|digest| !is_needed(digest)).collect();
        let area = self.browser.storage(StorageArea::Choices);
        self.browser.spawn(async move {
            for digest in unused {
                store::forget(&area, &digest).await;
            }
        });
    }

    fn export_skill(&self, asker: Asker, id: &str) -> Answered {
        let known = self.skills.known().and_then(|known| known.named(id)).ok_or(Refusal::NoSkill)?;
        let (browser, replies, place) = (self.browser.clone(), self.replies(asker), known.place.clone());
        self.later(asker, async move {
            let package = reading::package(&browser, &place).await.ok_or(Refusal::NoSkill)?;
            in_pieces(&package, &|text| replies.part(Answer::Skills(SkillsAnswer::Piece { text })));
            Ok(Answer::Done)
        })
    }
}

async fn ask<B: BrowserPort>(browser: &B, question: &PackageQuestion) -> Option<PackageAnswer> {
    let question = serde_json::to_string(question).ok()?;
    serde_json::from_str(&browser.read_package(&question).await?).ok()
}

/// Maximum characters of what is told of a source.
const MOST_OF_SOURCE: usize = 200;

/// Where files come from: the name of the one, or of their folder.
fn source_of(files: &[UploadedFile]) -> String {
    let path = files.first().map(|file| file.path.as_str()).unwrap_or_default();
    let name = if files.len() > 1 { path.split('/').next().unwrap_or_default() } else { path };
    name.chars().take(MOST_OF_SOURCE).collect()
}

/// The name of what is at an address.
fn name_in(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default().chars().take(MOST_OF_SOURCE).collect()
}

/// The archive of a repository's page on GitHub, which is at another host.
fn archive_of(address: &str) -> Option<String> {
    let path = address.strip_prefix("https://github.com/")?;
    let mut parts = path.trim_end_matches('/').split('/');
    let (owner, name) = (parts.next()?, parts.next()?.trim_end_matches(".git"));
    let branch = match (parts.next(), parts.next()) {
        (None, _) => "HEAD",
        (Some("tree"), Some(branch)) => branch,
        _ => return None,
    };
    Some(format!("https://codeload.github.com/{owner}/{name}/zip/{branch}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_of_a_repository_leads_to_its_archive() {
        let archive = |address| archive_of(address);
        assert_eq!(
            archive("https://github.com/someone/tools").as_deref(),
            Some("https://codeload.github.com/someone/tools/zip/HEAD")
        );
        assert_eq!(
            archive("https://github.com/someone/tools.git/tree/v2/skills/a").as_deref(),
            Some("https://codeload.github.com/someone/tools/zip/v2")
        );
        assert_eq!(archive("https://github.com/someone/tools/releases/download/1/a.zip"), None);
        assert_eq!(archive("https://example.com/a.zip"), None);
        assert_eq!(name_in("https://example.com/skills/a.zip?raw=1"), "a.zip");
    }
}
