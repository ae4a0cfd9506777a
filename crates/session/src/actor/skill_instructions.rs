//! Offers turns the tool with which they read the instructions of SKILLs.

use sidecar_agent::browser_tools::use_skill;
use sidecar_webmcp::Offer;

use super::Actor;
use super::code_parts::CodeParts;
use crate::event::TurnTabs;

impl<B: CodeParts> Actor<B> {
    /// The tool, with the list of those that are of use to a turn; `None` if there are none.
    pub(super) async fn instructions_for(&mut self, tabs: &TurnTabs) -> Option<Offer> {
        // No page may have reported yet.
        self.know_skills().await;
        let tabs = self.pins.of_turn(&tabs.thread, tabs.own);
        let urls: Vec<_> = tabs.into_iter().filter_map(|tab| self.tabs.skill_page(tab)).collect();
        use_skill::offer_of(&self.skills.listings(&urls), self.connection().window)
    }
}
