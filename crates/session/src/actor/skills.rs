//! SKILLs on pages: which are of use there, as pages come and go.

use sidecar_protocol::link::{PanelEvent, SkillsEvent};
use sidecar_protocol::skill::SkillRelease;
use sidecar_protocol::{TabId, ToolRef};
use sidecar_skills::offer::PlacedTool;
use sidecar_skills::run::health::PageHealth;
use sidecar_webmcp::Offer;

use super::Actor;
use super::code_parts::CodeParts;
use crate::browser::StorageArea;
use crate::event::WorkEvent;
use crate::key_value::KeyValue as _;
use crate::skills::code::CodeAccess;
use crate::skills::listing::ShownPage;
use crate::skills::on_page::{AGAIN_MS, FIRST_MS, SkillLook};
use crate::skills::past_runs::KeptRuns;
use crate::skills::reading;
use crate::skills::texts::SkillTexts;
use crate::skills::{SkillPlace, SkillRun};

/// How long after the first page's report SKILLs are read, in milliseconds: the page and a panel start this worker at the
/// same time, and the panel comes first.
const FIRST_READING_MS: u64 = 100;

impl<B: CodeParts> Actor<B> {
    /// A tab's page is another, or at another address, or has other tools of its own: the tools of the SKILLs that fit it
    /// join those, once the page was looked at. Returns whether they are others now.
    pub(super) fn match_skills(&mut self, tab: TabId) -> bool {
        let Some(page) = self.page_for_skills(tab) else {
            self.register_skills(tab, Vec::new());
            self.skills.codes.forget_tab(tab);
            self.tabs.set_looking(tab, false);
            return false;
        };
        if self.skills.known().is_none() {
            if self.skills.wants_reading() {
                let browser = self.browser.clone();
                self.browser.spawn(async move {
                    browser.sleep(FIRST_READING_MS).await;
                    let texts = reading::texts(&browser).await;
                    browser.post(WorkEvent::SkillsKnown { texts });
                });
            }
            // A turn that a worker continues must not be told that its tool is gone.
            self.tabs.set_looking(tab, true);
            return false;
        }
        for place in self.skills.unread(&page.url) {
            self.read_tools(place);
        }
        self.look_for_skills(&page, false);
        self.run_lifecycle(&page);
        let tools = self.skills.tools_on(tab, &page.url, &page.own);
        let for_page = self.skills.for_page(&tools.offered, &page.own);
        let is_changed = self.tabs.set_skills(tab, tools.offered);
        self.register_skills(tab, for_page);
        if is_changed {
            self.skills_changed();
        }
        is_changed
    }

    fn read_tools(&mut self, place: SkillPlace) {
        let browser = self.browser.clone();
        self.browser.spawn(async move {
            let tools = reading::tools(&browser, &place).await;
            browser.post(WorkEvent::SkillRead { place, tools });
        });
    }

    /// Has a tab's page looked at, unless it was; `again` in any case.
    fn look_for_skills(&mut self, page: &ShownPage, again: bool) {
        let Some(place) = self.tabs.top_document(page.tab) else { return };
        let patience = if again { AGAIN_MS } else { FIRST_MS };
        if let Some(look) = self.skills.look(page.tab, &place, &page.url, again, patience) {
            let browser = self.browser.clone();
            self.browser.spawn(async move { B::look_at_page(browser, look).await });
        }
        self.tabs.set_looking(page.tab, self.skills.is_unknown(page.tab));
    }

    /// A turn asks for the tools of tabs, or the user wants a page looked at: those that were unfit may be fit by now.
    pub(super) fn look_again(&mut self, tabs: &[TabId]) {
        for tab in tabs {
            if let Some(page) = self.page_for_skills(*tab)
                && (self.skills.has_unfit(*tab) || self.skills.misses_code(&page.url))
            {
                self.look_for_skills(&page, true);
                self.tabs.set_looking(*tab, true);
            }
        }
    }

    /// The page of a tab as SKILLs see it.
    pub(super) fn page_for_skills(&self, tab: TabId) -> Option<ShownPage> {
        let url = self.tabs.skill_page(tab)?;
        Some(ShownPage { tab, url, own: self.tabs.own_tools(tab) })
    }

    pub(super) fn skills_known(&mut self, texts: SkillTexts) {
        let (known, past) = texts.known(self.browser.storage(StorageArea::Choices));
        self.skills.know(known, past);
        self.match_all_skills();
        if self.skills.known().is_some_and(|known| known.unread().is_some()) {
            self.show_unread();
        }
    }

    pub(super) fn skill_read(&mut self, place: SkillPlace, tools: Vec<PlacedTool>) {
        self.skills.know_tools(place, tools);
        self.match_all_skills();
        self.skills_changed();
    }

    pub(super) fn skills_looked(
        &mut self,
        look: &SkillLook,
        found: Vec<(String, PageHealth)>,
        is_over: bool,
    ) {
        if !self.skills.looked(look, found, is_over) {
            return;
        }
        let tab = look.tab;
        if self.match_skills(tab) {
            self.show_page_of(tab);
        }
        self.tabs.set_looking(tab, false);
        self.skills_changed();
    }

    /// Whether the user allows code of SKILLs was found out.
    pub(super) fn code_access_known(&mut self, access: CodeAccess) {
        if self.skills.codes.know(access) {
            self.match_all_skills();
            self.skills_changed();
        }
    }

    /// Runs what SKILLs want to be run when a page becomes theirs, or ceases to be.
    fn run_lifecycle(&mut self, page: &ShownPage) {
        let Some(document) = self.tabs.top_document(page.tab) else { return };
        for queue in self.skills.lifecycle(page.tab, &document, &page.url) {
            let browser = self.browser.clone();
            self.browser.spawn(async move { B::run_lifecycle(browser, queue).await });
        }
    }

    /// A version of a SKILL, as calls of its tools tell it.
    pub(super) fn release_of(&self, id: &str) -> Option<SkillRelease> {
        let known = self.skills.known()?.named(id)?;
        Some(SkillRelease { id: id.to_owned(), version: known.indexed.version.clone(), level: known.level })
    }

    /// Says of tools of SKILLs which they are of.
    pub(super) fn name_skills(&self, offers: &mut [Offer]) {
        for offer in offers {
            if let ToolRef::Skill { skill, .. } = &offer.tool {
                offer.skill = self.release_of(skill);
            }
        }
    }

    /// A tool of a SKILL ended.
    pub(super) async fn skill_ran(&mut self, run: SkillRun) {
        let (id, origin) = (run.id.clone(), run.trace.origin.clone());
        if self.skills.ran(run) {
            // That it cannot be saved is told by the next change of the user.
            let _ = self.decide(&id, |decided| decided.pause(&origin)).await;
        }
        self.keep_past_runs().await;
        self.skills_changed();
    }

    /// Writes down how runs ended. What cannot be kept is known to this worker alone.
    pub(super) async fn keep_past_runs(&self) {
        if !self.browser.is_private() {
            let past = self.skills.past().text();
            let _ = self.browser.storage(StorageArea::Session).set(KeptRuns::KEY, past).await;
        }
    }

    pub(super) fn match_all_skills(&mut self) {
        for tab in self.tabs.with_pages() {
            if self.match_skills(tab) {
                self.show_page_of(tab);
            }
        }
    }

    /// Tells panels that the list of SKILLs is another.
    pub(super) fn skills_changed(&self) {
        self.panels.send_to_all(&PanelEvent::Skills(SkillsEvent::Changed));
    }
}
