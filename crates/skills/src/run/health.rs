//! Whether a page is as a SKILL expects, before its tools are offered there.

use super::{AskPort, Runner, Stop};
use crate::definition::condition::One;
use crate::definition::locator::At;
use crate::definition::{PageKind, SkillDefinition, SkillTool};
use crate::template::Values;

/// How a SKILL fares on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageHealth {
    /// In a word.
    pub state: HealthState,
    /// What does not hold, as `kind list, probe 2 (rows)`, or which locators are worn; may be empty.
    pub detail: String,
    /// Names of the tools that can be offered.
    pub ready: Vec<String>,
}

/// How a SKILL fares on a page, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthState {
    /// The page is as it expects.
    Ok,
    /// The same, but some elements are found only in other ways.
    Worn,
    /// What it looks for is not there.
    Changed,
    /// The user is not signed in.
    SignedOut,
    /// The page wants the user to prove to be a person.
    Challenge,
    /// It has no tools for this kind of page.
    OtherPage,
    /// The page does not answer.
    Unknown,
}

/// Looks at a page.
pub async fn health<P: AskPort>(port: &P, definition: &SkillDefinition) -> PageHealth {
    let mut runner = Runner::new(port, definition, Values::new());
    runner.health().await.unwrap_or_else(|_| only(HealthState::Unknown))
}

fn only(state: HealthState) -> PageHealth {
    PageHealth { state, detail: String::new(), ready: Vec::new() }
}

impl<P: AskPort> Runner<'_, P> {
    async fn health(&mut self) -> Result<PageHealth, Stop> {
        self.look().await?;
        let (definition, url) = (self.definition, self.page.url.clone());
        if !definition.is_for(&url) {
            return Ok(only(HealthState::OtherPage));
        }
        if self.any_holds(&definition.signals.challenge).await {
            return Ok(only(HealthState::Challenge));
        }
        let kinds: Vec<_> = definition.pages.iter().filter(|(_, kind)| kind.is_at(&url)).collect();
        let (mut sound, mut broken) = (Vec::new(), Vec::new());
        for (name, kind) in &kinds {
            match self.first_missing(kind).await? {
                None => sound.push(name.as_str()),
                Some(probe) => broken.push(format!("{name}: {probe}")),
            }
        }
        let is_ready = |tool: &&SkillTool| {
            tool.pages.is_empty() || tool.pages.iter().any(|page| sound.contains(&page.as_str()))
        };
        let ready: Vec<_> = definition.tools.iter().filter(is_ready).map(|tool| tool.name.clone()).collect();
        if !sound.is_empty() || (kinds.is_empty() && !ready.is_empty()) {
            let detail = self.worn.join(", ");
            let state = if detail.is_empty() { HealthState::Ok } else { HealthState::Worn };
            return Ok(PageHealth { state, detail, ready });
        }
        if kinds.is_empty() {
            return Ok(only(HealthState::OtherPage));
        }
        let is_signed_out = self.any_holds(&definition.signals.signed_out).await;
        let state = if is_signed_out { HealthState::SignedOut } else { HealthState::Changed };
        Ok(PageHealth { state, detail: broken.join("; "), ready })
    }

    /// The first probe of a kind of page that does not hold, unless the page says that there is nothing.
    async fn first_missing(&mut self, kind: &PageKind) -> Result<Option<String>, Stop> {
        let worn = self.worn.len();
        for (number, probe) in kind.probes.iter().enumerate() {
            let holds = match self.one_holds(probe).await {
                Ok(holds) => holds,
                Err(Stop::Failed(sidecar_protocol::ActionOutcome::Navigated)) => {
                    return Err(Stop::Failed(sidecar_protocol::ActionOutcome::Navigated));
                }
                // Alternatives that do not agree, or words of another language.
                Err(_) => false,
            };
            if !holds && !self.any_holds(&kind.empty).await {
                self.worn.truncate(worn);
                return Ok(Some(format!("{} ({})", number + 1, about(probe))));
            }
        }
        Ok(None)
    }
}

/// What a probe is about.
fn about(probe: &One) -> String {
    match (&probe.at, &probe.url) {
        (Some(At::Named(name)), _) => name.clone(),
        (Some(At::Own(_)), _) => "at".to_owned(),
        (None, Some(url)) => url.clone(),
        (None, None) => String::new(),
    }
}
