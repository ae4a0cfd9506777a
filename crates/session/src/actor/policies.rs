//! The user's decisions about tools and sites.

use sidecar_agent::UserCommand;
use sidecar_protocol::link::{Answer, PanelEvent, PoliciesCommand, PoliciesEvent};
use sidecar_protocol::{PageAccess, ToolRef};

use sidecar_protocol::policy::{Policy, PolicyKey};

use super::Actor;
use super::code_parts::CodeParts;
use super::replies::Answered;
use crate::event::Asker;
use crate::grants::NotKept;
use crate::refusals;

impl<B: CodeParts> Actor<B> {
    pub(super) async fn policies(&mut self, asker: Asker, command: PoliciesCommand) -> Answered {
        match &command {
            PoliciesCommand::Set { key: PolicyKey::Action { origin, action }, policy, .. }
                if PageAccess::named(action).is_some() && *policy != Some(Policy::Allow) =>
            {
                self.access.take_back(origin).await;
            }
            PoliciesCommand::HideSite { origin, hidden: true } => self.access.take_back(origin).await,
            PoliciesCommand::TakeBackAll => self.access.clear().await,
            PoliciesCommand::Set { .. }
            | PoliciesCommand::AllowPages { .. }
            | PoliciesCommand::HideSite { .. }
            | PoliciesCommand::Restore { .. } => {}
        }
        let kept = match command {
            // What is set in a private window holds there alone, and the browser keeps its scripts for all windows.
            PoliciesCommand::Set { key: PolicyKey::TestBridge { .. }, policy: Some(_), .. }
                if self.browser.is_private() =>
            {
                Err(NotKept::Refused)
            }
            PoliciesCommand::Set { key, policy, digest } => {
                let tab = self.tab_of(asker.link);
                self.tabs.set_policy(tab, &key, policy, digest.as_deref(), self.browser.now()).await
            }
            PoliciesCommand::AllowPages { access } => {
                let tab = self.tab_of(asker.link);
                match tab.and_then(|tab| self.tabs.action_page(tab, None, &self.access)) {
                    Some(page) => self.tabs.give_access(&page.origin, access, self.browser.now()).await,
                    None => Err(NotKept::Refused),
                }
            }
            PoliciesCommand::HideSite { origin, hidden } => {
                self.tabs.grants.hide(&origin, hidden, self.browser.now()).await
            }
            PoliciesCommand::TakeBackAll => {
                let PoliciesEvent::Changed { grants, .. } = self.tabs.grants.told();
                let mut kept = Ok(());
                for grant in grants {
                    kept = kept.and(self.tabs.grants.take_back(&grant.key, self.browser.now()).await);
                }
                kept
            }
            PoliciesCommand::Restore { key } => self.tabs.grants.restore(&key, self.browser.now()).await,
        };
        self.policies_kept(kept).await
    }

    /// Whether the user has switched a tool off, on a site or everywhere. What is only gone is not.
    pub(super) fn is_switched_off(&self, tool: &ToolRef, origin: &str) -> bool {
        if self.tabs.grants.hidden().hides(origin) {
            return true;
        }
        let is_skill_off = match tool {
            ToolRef::Skill { skill, name, .. } => self.skills.is_switched_off(skill, name, origin),
            ToolRef::Page(_) | ToolRef::Browser { .. } | ToolRef::Mcp { .. } => false,
        };
        is_skill_off || self.tabs.is_off(tool)
    }

    /// Sends all panels the decisions and their pages, whose tools show them; then answers the request.
    pub(super) async fn policies_kept(&mut self, kept: Result<(), NotKept>) -> Answered {
        self.offer_test_bridge().await;
        self.panels.send_to_all(&PanelEvent::Policies(self.tabs.grants.told()));
        self.turns.tell_all(&UserCommand::ToolsDecided);
        // Other agents no longer find what is off.
        self.match_all_skills();
        self.show_pages();
        kept.map(|()| Some(Answer::Done)).map_err(refusals::not_kept)
    }

    /// Has the browser offer the test bridge where the user allows it.
    pub(super) async fn offer_test_bridge(&self) {
        if self.browser.is_private() {
            return;
        }
        let origins = self.tabs.grants.test_bridge_origins();
        if let Err(error) = self.browser.offer_test_bridge(&origins).await {
            self.browser
                .warn(&format!("The browser does not offer the test bridge as the user wants: {error}"));
        }
    }
}
