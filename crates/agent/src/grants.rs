//! What the user said of tools, once and for all. A word is kept for a tool of an origin, with the definition that it had:
//! what was allowed is allowed only while the tool is still that.

use serde::{Deserialize, Serialize};
use sidecar_protocol::Timestamp;
use sidecar_protocol::page::{ToolAnnotations, ToolDescription};
use sidecar_protocol::policy::{Change, Grant, Part, Policy, ToolKey, is_lasting};
use sidecar_webmcp::{Fingerprint, Tool, visible};

use crate::policy::Standing;

/// Most tools of which something is kept.
pub const MOST_GRANTS: usize = 300;

/// How long a grant that was taken back can be given again as it was, in milliseconds.
pub const UNDO_MS: u64 = 60_000;

/// Most characters that are kept of one text of a definition, to show later in what it changed.
const KEPT: usize = 2_000;

/// Characters that are shown before and behind what changed.
const AROUND: usize = 40;

/// All of it, in the order in which it was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants {
    kept: Vec<Kept>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    #[serde(flatten)]
    grant: Grant,
    fingerprint: Fingerprint,
    definition: Definition,
    /// When it was taken back, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taken_back: Option<Timestamp>,
}

/// What a tool's definition was, as far as is needed to say what changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Definition {
    title: String,
    description: String,
    schema: String,
    hints: String,
}

/// A word could not be kept: its page has no origin of its own, or there are [`MOST_GRANTS`] tools that are off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing can be kept for this tool")]
pub struct NotKept;

/// The key under which a tool's policy is kept.
#[must_use]
pub fn key(tool: &Tool) -> ToolKey {
    ToolKey { origin: tool.origin.clone(), name: tool.id.name.clone(), source: tool.backend }
}

impl Grants {
    /// Keeps the user's word for a tool as it is now, in place of the one before.
    ///
    /// # Errors
    /// When it cannot be kept. Nothing is changed then.
    pub fn set(&mut self, tool: &Tool, policy: Policy, now: Timestamp) -> Result<(), NotKept> {
        let key = key(tool);
        if !is_lasting(&key.origin) {
            return Err(NotKept);
        }
        self.forget_old(now);
        let is_new = !self.kept.iter().any(|kept| kept.grant.key == key);
        if is_new && self.kept.len() >= MOST_GRANTS {
            // The oldest goes, which costs a question; what is off stays off.
            let oldest = self.kept.iter().position(|kept| kept.grant.policy != Policy::Off).ok_or(NotKept)?;
            self.kept.remove(oldest);
        }
        self.kept.retain(|kept| kept.grant.key != key);
        self.kept.push(Kept {
            grant: Grant { key, policy, at: now },
            fingerprint: Fingerprint::of(&tool.description),
            definition: Definition::of(&tool.description),
            taken_back: None,
        });
        Ok(())
    }

    /// Takes a word back: from now on the mode decides about the tool. For [`UNDO_MS`] it can be given again.
    pub fn take_back(&mut self, key: &ToolKey, now: Timestamp) {
        self.forget_old(now);
        if let Some(kept) = self.kept.iter_mut().find(|kept| kept.grant.key == *key) {
            kept.taken_back.get_or_insert(now);
        }
    }

    /// Gives a word that was taken back again, as it was.
    pub fn restore(&mut self, key: &ToolKey, now: Timestamp) {
        self.forget_old(now);
        if let Some(kept) = self.kept.iter_mut().find(|kept| kept.grant.key == *key) {
            kept.taken_back = None;
        }
    }

    /// What the user said of this tool, for whatever definition of it.
    #[must_use]
    pub fn policy(&self, key: &ToolKey) -> Option<Policy> {
        self.find(key).map(|kept| kept.grant.policy)
    }

    /// What holds of a tool now.
    #[must_use]
    pub fn standing(&self, tool: &Tool) -> Standing {
        let fingerprint = Fingerprint::of(&tool.description);
        let kept = self.find(&key(tool)).filter(|kept| is_lasting(&kept.grant.key.origin));
        let (policy, changes) = match kept {
            Some(kept) if kept.grant.policy == Policy::Allow && kept.fingerprint != fingerprint => {
                (None, Some(kept.definition.changes(&Definition::of(&tool.description))))
            }
            Some(kept) => (Some(kept.grant.policy), None),
            None => (None, None),
        };
        let schema = tool.description.input_schema.clone();
        Standing { fingerprint, risk: tool.risk, schema, policy, changes }
    }

    /// All that holds, the last said first.
    #[must_use]
    pub fn list(&self) -> Vec<Grant> {
        let holds = self.kept.iter().rev().filter(|kept| kept.taken_back.is_none());
        holds.map(|kept| kept.grant.clone()).collect()
    }

    fn find(&self, key: &ToolKey) -> Option<&Kept> {
        self.kept.iter().find(|kept| kept.grant.key == *key && kept.taken_back.is_none())
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

    /// In what another definition differs, as far as that is in what was kept.
    fn changes(&self, now: &Self) -> Vec<Change> {
        [
            (Part::Title, &self.title, &now.title),
            (Part::Description, &self.description, &now.description),
            (Part::Schema, &self.schema, &now.schema),
            (Part::Hints, &self.hints, &now.hints),
        ]
        .into_iter()
        .filter(|(_, before, after)| before != after)
        .map(|(part, before, after)| change(part, before, after))
        .collect()
    }
}

/// The hints that are on, by their names in WebMCP.
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

/// A change, its texts without most of what they have in common.
fn change(part: Part, before: &str, after: &str) -> Change {
    let (before, after): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let start = same.saturating_sub(AROUND);
    let rest = before.len().min(after.len()) - same;
    let same_end = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let shown = |text: &[char]| {
        let end = (text.len() - same_end.saturating_sub(AROUND)).min(start + Change::MOST - 2);
        let begins = if start > 0 { "…" } else { "" };
        let ends = if end < text.len() { "…" } else { "" };
        format!("{begins}{}{ends}", text[start..end.max(start)].iter().collect::<String>())
    };
    Change { part, before: shown(&before), after: shown(&after) }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::page::Backend;

    use super::*;
    use crate::testing::tool_id;

    fn tool(origin: &str, name: &str, description: &str) -> Tool {
        let description = ToolDescription {
            name: name.to_owned(),
            title: String::new(),
            description: description.to_owned(),
            input_schema: Some(r#"{"type":"object"}"#.to_owned()),
            annotations: None,
            form: false,
        };
        Tool {
            id: tool_id(name),
            origin: origin.to_owned(),
            backend: Backend::Native,
            risk: sidecar_webmcp::risk::of(&description),
            description,
            schema_problem: String::new(),
        }
    }

    const SHOP: &str = "https://shop.example";

    #[test]
    fn a_word_is_for_one_tool_of_one_origin_reached_in_one_way() {
        let mut grants = Grants::default();
        let order = tool(SHOP, "order", "Orders.");
        grants.set(&order, Policy::Allow, 1).unwrap();
        assert_eq!(grants.standing(&order).policy, Some(Policy::Allow));
        let elsewhere = tool("https://evil.example", "order", "Orders.");
        let polyfilled = Tool { backend: Backend::Polyfill, ..order.clone() };
        for other in [elsewhere, polyfilled, tool(SHOP, "order2", "Orders.")] {
            assert_eq!(grants.standing(&other).policy, None, "{other:?}");
        }
        grants.set(&order, Policy::Off, 2).unwrap();
        assert_eq!(grants.list(), [Grant { key: key(&order), policy: Policy::Off, at: 2 }]);
    }

    #[test]
    fn what_was_allowed_is_not_what_it_became_and_the_change_is_shown() {
        let mut grants = Grants::default();
        grants.set(&tool(SHOP, "order", "Puts it into the cart."), Policy::Allow, 1).unwrap();
        let changed = tool(SHOP, "order", "Puts it into the cart and pays.");
        let standing = grants.standing(&changed);
        assert_eq!(standing.policy, None);
        let change = Change {
            part: Part::Description,
            before: "Puts it into the cart.".to_owned(),
            after: "Puts it into the cart and pays.".to_owned(),
        };
        assert_eq!(standing.changes, Some(vec![change]));
        grants.set(&changed, Policy::Allow, 2).unwrap();
        assert_eq!(grants.standing(&changed).policy, Some(Policy::Allow));
    }

    #[test]
    fn what_is_off_or_asks_stays_so_whatever_the_tool_becomes() {
        for policy in [Policy::Off, Policy::Ask] {
            let mut grants = Grants::default();
            grants.set(&tool(SHOP, "order", "Orders."), policy, 1).unwrap();
            let standing = grants.standing(&tool(SHOP, "order", "Lists."));
            assert_eq!((standing.policy, standing.changes), (Some(policy), None));
        }
    }

    #[test]
    fn a_change_beyond_what_was_kept_is_a_change_all_the_same() {
        let long = "x".repeat(KEPT + 10);
        let mut grants = Grants::default();
        grants.set(&tool(SHOP, "order", &format!("{long}a")), Policy::Allow, 1).unwrap();
        let standing = grants.standing(&tool(SHOP, "order", &format!("{long}b")));
        assert_eq!((standing.policy, standing.changes), (None, Some(Vec::new())));
    }

    #[test]
    fn a_long_change_is_cut_to_what_differs_and_shows_what_is_hidden() {
        let filler = "a".repeat(1_000);
        let mut grants = Grants::default();
        grants.set(&tool(SHOP, "order", &format!("{filler}old{filler}")), Policy::Allow, 1).unwrap();
        let new = format!("{filler}n\u{202e}w{filler}");
        let changes = grants.standing(&tool(SHOP, "order", &new)).changes.unwrap();
        let around = "a".repeat(AROUND);
        // What was kept ends before the text did, so its end is no longer the same.
        assert!(changes[0].before.starts_with(&format!("…{around}old")), "{changes:?}");
        assert!(changes[0].after.starts_with(&format!("…{around}n⟨U+202E⟩w")), "{changes:?}");
        assert!(changes[0].before.chars().count() <= Change::MOST);
    }

    #[test]
    fn a_word_taken_back_can_be_given_again_for_a_minute() {
        let mut grants = Grants::default();
        let order = tool(SHOP, "order", "Orders.");
        grants.set(&order, Policy::Allow, 1).unwrap();
        grants.take_back(&key(&order), 1_000);
        assert_eq!((grants.standing(&order).policy, grants.list()), (None, Vec::new()));
        let text = serde_json::to_string(&grants).unwrap();
        grants = serde_json::from_str(&text).unwrap();
        grants.restore(&key(&order), 2_000);
        assert_eq!(grants.standing(&order).policy, Some(Policy::Allow));
        grants.take_back(&key(&order), 3_000);
        grants.restore(&key(&order), 3_000 + UNDO_MS);
        assert_eq!(grants.list(), Vec::new());
    }

    #[test]
    fn nothing_is_kept_for_an_origin_that_is_none() {
        let mut grants = Grants::default();
        assert_eq!(grants.set(&tool("null", "order", "Orders."), Policy::Allow, 1), Err(NotKept));
        // Nor is it believed when it stands in storage.
        let real = serde_json::to_string(&{
            grants.set(&tool(SHOP, "order", "Orders."), Policy::Allow, 1).unwrap();
            grants
        });
        let forged: Grants = serde_json::from_str(&real.unwrap().replace(SHOP, "null")).unwrap();
        assert_eq!(forged.standing(&tool("null", "order", "Orders.")).policy, None);
    }

    #[test]
    fn the_oldest_goes_when_there_are_too_many_but_what_is_off_stays_off() {
        let mut grants = Grants::default();
        let nth = |n: usize| tool(SHOP, &format!("t{n}"), "Orders.");
        grants.set(&nth(0), Policy::Off, 0).unwrap();
        for n in 1..=MOST_GRANTS {
            grants.set(&nth(n), Policy::Allow, 1).unwrap();
        }
        assert_eq!(grants.list().len(), MOST_GRANTS);
        assert_eq!(grants.policy(&key(&nth(0))), Some(Policy::Off));
        assert_eq!(grants.policy(&key(&nth(1))), None);
        for n in 0..=MOST_GRANTS {
            let _ = grants.set(&nth(n), Policy::Off, 2);
        }
        assert_eq!(grants.set(&nth(MOST_GRANTS + 1), Policy::Off, 3), Err(NotKept));
    }
}
