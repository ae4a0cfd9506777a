//! Grants: the user's policies for tools and sites. A policy is kept under a key ([`PolicyKey`]) with the
//! tool's definition at the time: an *allow* holds only while the definition is the same.

use serde::{Deserialize, Serialize};
use sidecar_protocol::Timestamp;
use sidecar_protocol::page::{ToolAnnotations, ToolDescription};
use sidecar_protocol::policy::{
    DefinitionChange, DefinitionPart, Grant, Policy, PolicyKey, takes_test_bridge,
};
use sidecar_webmcp::{Fingerprint, Tool, visible};

use crate::ports::CurrentTool;

/// Maximum number of grants.
pub const MOST_GRANTS: usize = 300;

/// How long a removed grant can be restored, in milliseconds.
pub const UNDO_MS: u64 = 60_000;

/// Maximum characters kept of each text of a definition, to show changes later.
const KEPT: usize = 2_000;

/// Characters shown before and after a change.
const AROUND: usize = 40;

/// All grants, in the order in which they were made. One key may have two: until version 0.1 there was one
/// for each way in which a tool was reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants {
    kept: Vec<KeptGrants>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptGrants {
    #[serde(flatten)]
    grant: Grant,
    /// The tool's digest at the time; absent for a policy that is about no single tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fingerprint: Option<Fingerprint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    definition: Option<Definition>,
    /// When it was removed; it can still be restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taken_back: Option<Timestamp>,
}

/// The parts of a tool's definition that are needed to show a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Definition {
    title: String,
    description: String,
    schema: String,
    hints: String,
}

/// A decision was not kept: its page has an opaque origin, or there are too many decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing can be kept for this tool")]
pub struct NoRoomForGrant;

impl Grants {
    /// Keeps a policy for a tool with its current definition. Replaces an earlier one.
    ///
    /// # Errors
    /// If it cannot be kept. Then nothing is changed.
    pub fn set(&mut self, tool: &Tool, policy: Policy, now: Timestamp) -> Result<(), NoRoomForGrant> {
        let key = tool.own_key().ok_or(NoRoomForGrant)?;
        let fingerprint = Some(tool.fingerprint().clone());
        let definition = Some(Definition::of(&tool.description));
        self.keep(KeptGrants {
            grant: Grant { key, policy, at: now },
            fingerprint,
            definition,
            taken_back: None,
        })
    }

    /// Makes every tool of a site ask, whatever policies they have and however the page renames them.
    ///
    /// # Errors
    /// If it cannot be kept. Then nothing is changed.
    pub fn set_site_asks(&mut self, origin: &str, now: Timestamp) -> Result<(), NoRoomForGrant> {
        let key = PolicyKey::Site { origin: origin.to_owned() };
        let grant = Grant { key, policy: Policy::Ask, at: now };
        self.keep(KeptGrants { grant, fingerprint: None, definition: None, taken_back: None })
    }

    /// Offers the test bridge to the scripts of an origin.
    ///
    /// # Errors
    /// If it cannot be kept, or the origin takes none ([`takes_test_bridge`]). Then nothing is changed.
    pub fn allow_test_bridge(&mut self, origin: &str, now: Timestamp) -> Result<(), NoRoomForGrant> {
        if !takes_test_bridge(origin) {
            return Err(NoRoomForGrant);
        }
        let key = PolicyKey::TestBridge { origin: origin.to_owned() };
        let grant = Grant { key, policy: Policy::Allow, at: now };
        self.keep(KeptGrants { grant, fingerprint: None, definition: None, taken_back: None })
    }

    /// The origins to whose scripts the test bridge is offered.
    #[must_use]
    pub fn test_bridge_origins(&self) -> Vec<String> {
        let allowed = self.list().into_iter().filter(|grant| grant.policy == Policy::Allow);
        let origin = |grant: Grant| {
            if let PolicyKey::TestBridge { origin } = grant.key { Some(origin) } else { None }
        };
        allowed.filter_map(origin).filter(|origin| takes_test_bridge(origin)).collect()
    }

    fn keep(&mut self, kept: KeptGrants) -> Result<(), NoRoomForGrant> {
        if !kept.grant.key.is_lasting() {
            return Err(NoRoomForGrant);
        }
        self.forget_old(kept.grant.at);
        let is_new = !self.kept.iter().any(|known| known.grant.key == kept.grant.key);
        if is_new && self.kept.len() >= MOST_GRANTS {
            // The oldest *allow* is dropped, which costs the user a question. *Ask* and *off* are never
            // dropped.
            let oldest = self.kept.iter().position(|kept| kept.grant.policy == Policy::Allow);
            self.kept.remove(oldest.ok_or(NoRoomForGrant)?);
        }
        self.kept.retain(|known| known.grant.key != kept.grant.key);
        self.kept.push(kept);
        Ok(())
    }

    /// Removes a policy. It can be restored for [`UNDO_MS`].
    pub fn take_back(&mut self, key: &PolicyKey, now: Timestamp) {
        self.forget_old(now);
        for kept in self.kept.iter_mut().filter(|kept| kept.grant.key == *key) {
            kept.taken_back.get_or_insert(now);
        }
    }

    /// Restores a policy that was removed.
    pub fn restore(&mut self, key: &PolicyKey, now: Timestamp) {
        self.forget_old(now);
        for kept in self.kept.iter_mut().filter(|kept| kept.grant.key == *key) {
            kept.taken_back = None;
        }
    }

    /// The strictest policy of all keys that fit a tool on a page of this origin, whatever the tool's
    /// definition.
    #[must_use]
    pub fn strictest(&self, tool: &Tool, page: &str) -> Option<Policy> {
        self.fitting(tool, page).map(|kept| kept.grant.policy).max()
    }

    /// The current state of a tool on a page of this origin. An *allow* counts only for the definition it
    /// was given for.
    #[must_use]
    pub fn current_tool(&self, tool: &Tool, page: &str) -> CurrentTool {
        let fingerprint = tool.fingerprint().clone();
        let (policy, changes) = match self.strictest(tool, page) {
            Some(Policy::Allow) => {
                let mut all = self.fitting(tool, page);
                let is_same = |kept: &KeptGrants| kept.fingerprint.as_ref() == Some(&fingerprint);
                match all.find(|kept| !is_same(kept)) {
                    None => (Some(Policy::Allow), None),
                    Some(other) => {
                        let now = Definition::of(&tool.description);
                        let changes = other.definition.as_ref().map(|then| then.changes(&now));
                        (None, Some(changes.unwrap_or_default()))
                    }
                }
            }
            policy => (policy, None),
        };
        let schema = tool.description.input_schema.clone();
        CurrentTool { fingerprint, risk: tool.risk, schema, policy, changes, page: None }
    }

    /// All grants in force, the newest first; for each key the strictest.
    #[must_use]
    pub fn list(&self) -> Vec<Grant> {
        let holds =
            || self.kept.iter().rev().filter(|kept| kept.taken_back.is_none()).map(|kept| &kept.grant);
        let is_stricter = |other: &Grant, grant: &Grant| {
            other.key == grant.key && (other.policy, other.at) > (grant.policy, grant.at)
        };
        holds().filter(|grant| !holds().any(|other| is_stricter(other, grant))).cloned().collect()
    }

    /// The policies in force that fit a tool. Stored grants for opaque origins are ignored.
    fn fitting<'k>(&'k self, tool: &Tool, page: &str) -> impl Iterator<Item = &'k KeptGrants> {
        let keys = tool.keys(page);
        self.kept.iter().filter(move |kept| kept.taken_back.is_none() && keys.contains(&kept.grant.key))
    }

    fn forget_old(&mut self, now: Timestamp) {
        self.kept.retain(|kept| kept.taken_back.is_none_or(|at| now.saturating_sub(at) < UNDO_MS));
    }
}

impl Definition {
    fn of(tool: &ToolDescription) -> Self {
        let kept = |text: &str| visible(text).chars().take(KEPT).collect();
        Self {
            title: kept(&tool.title),
            description: kept(&tool.description),
            schema: kept(tool.input_schema.as_deref().unwrap_or_default()),
            hints: hints(tool),
        }
    }

    /// The differences to another definition, as far as the kept texts show them.
    fn changes(&self, now: &Self) -> Vec<DefinitionChange> {
        [
            (DefinitionPart::Title, &self.title, &now.title),
            (DefinitionPart::Description, &self.description, &now.description),
            (DefinitionPart::Schema, &self.schema, &now.schema),
            (DefinitionPart::Hints, &self.hints, &now.hints),
        ]
        .into_iter()
        .filter(|(_, before, after)| before != after)
        .map(|(part, before, after)| change(part, before, after))
        .collect()
    }
}

/// The hints that are set, by their WebMCP names.
fn hints(tool: &ToolDescription) -> String {
    let ToolAnnotations {
        read_only_hint,
        untrusted_content_hint,
        consequential_hint,
        destructive_hint,
        debugging,
    } = tool.annotations.unwrap_or_default();
    let names = [
        (read_only_hint, "readOnlyHint"),
        (untrusted_content_hint, "untrustedContentHint"),
        (consequential_hint, "consequentialHint"),
        (destructive_hint, "destructiveHint"),
        (debugging, "debugging"),
        (tool.form, "form"),
    ];
    names.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}

/// A change, with most of what both texts have in common left out.
fn change(part: DefinitionPart, before: &str, after: &str) -> DefinitionChange {
    let (before, after): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let start = same.saturating_sub(AROUND);
    let rest = before.len().min(after.len()) - same;
    let same_end = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let shown = |text: &[char]| {
        let end = (text.len() - same_end.saturating_sub(AROUND)).min(start + DefinitionChange::MOST - 2);
        let begins = if start > 0 { "…" } else { "" };
        let ends = if end < text.len() { "…" } else { "" };
        format!("{begins}{}{ends}", text[start..end.max(start)].iter().collect::<String>())
    };
    DefinitionChange { part, before: shown(&before), after: shown(&after) }
}

#[cfg(test)]
mod tests;
