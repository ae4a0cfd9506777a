//! The rules of lint that the user switched off for an origin.

use std::collections::{BTreeMap, BTreeSet};

use sidecar_protocol::lint::LintNote;

use crate::key_value::KeyValue;

const KEY: &str = "lintRulesOff";

/// Maximum number of origins, and of rules of one.
const MOST_ORIGINS: usize = 300;
const MOST_RULES: usize = 100;

/// Longest id of a rule, in bytes.
const LONGEST_RULE: usize = 60;

type RulesOff = BTreeMap<String, BTreeSet<String>>;

/// The rules that are off. They are read at their first use.
#[derive(Debug)]
pub struct LintRules<K> {
    store: K,
    known: Option<RulesRead>,
}

/// What was read.
#[derive(Debug)]
enum RulesRead {
    Here(RulesOff),
    /// It cannot be read, and is not overwritten.
    Unread,
}

/// A rule was not switched: there are too many, the origin is opaque, or it cannot be saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleNotKept;

impl<K: KeyValue> LintRules<K> {
    /// Those in this store.
    pub fn new(store: K) -> Self {
        Self { store, known: None }
    }

    /// The rules that are off for an origin.
    pub async fn off(&mut self, origin: &str) -> Vec<String> {
        match self.known().await {
            RulesRead::Here(off) => off.get(origin).into_iter().flatten().cloned().collect(),
            RulesRead::Unread => Vec::new(),
        }
    }

    /// Switches a rule for an origin.
    ///
    /// # Errors
    /// [`RuleNotKept`]; nothing is changed then.
    pub async fn switch(&mut self, origin: &str, rule: &str, is_off: bool) -> Result<(), RuleNotKept> {
        let RulesRead::Here(known) = self.known().await else { return Err(RuleNotKept) };
        let mut off = known.clone();
        let rules = off.entry(origin.to_owned()).or_default();
        if is_off {
            rules.insert(rule.to_owned());
        } else {
            rules.remove(rule);
        }
        let is_full = rules.len() > MOST_RULES;
        off.retain(|_, rules| !rules.is_empty());
        if is_full || off.len() > MOST_ORIGINS || origin.is_empty() || rule.len() > LONGEST_RULE {
            return Err(RuleNotKept);
        }
        let text = serde_json::to_string(&off).map_err(|_| RuleNotKept)?;
        self.store.set(KEY, &text).await.map_err(|_| RuleNotKept)?;
        self.known = Some(RulesRead::Here(off));
        Ok(())
    }

    async fn known(&mut self) -> &mut RulesRead {
        if self.known.is_none() {
            let read = match self.store.get(KEY).await {
                Ok(None) => Some(RulesOff::new()),
                Ok(Some(text)) => serde_json::from_str(&text).ok(),
                Err(_) => None,
            };
            self.known = Some(read.map_or(RulesRead::Unread, RulesRead::Here));
        }
        self.known.get_or_insert(RulesRead::Unread)
    }
}

/// The notes without those of rules that are off.
pub fn without(notes: Vec<LintNote>, off: &[String]) -> Vec<LintNote> {
    notes.into_iter().filter(|note| !off.contains(&note.rule)).collect()
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::testing::Memory;

    #[test]
    fn inspector_case_60_rules_are_off_for_their_origin_alone_and_stay_so() {
        let memory = Memory::default();
        let mut rules = LintRules::new(memory.clone());
        let switch = |rules: &mut LintRules<Memory>, rule: &str, is_off| {
            block_on(rules.switch("https://a.example", rule, is_off))
        };
        assert_eq!(switch(&mut rules, "param-count", true), Ok(()));
        assert_eq!(switch(&mut rules, "tool-churn", true), Ok(()));
        let mut next = LintRules::new(memory.clone());
        assert_eq!(block_on(next.off("https://a.example")), ["param-count", "tool-churn"]);
        assert_eq!(block_on(next.off("https://b.example")), [""; 0]);
        assert_eq!(switch(&mut next, "param-count", false), Ok(()));
        assert_eq!(switch(&mut next, "tool-churn", false), Ok(()));
        assert_eq!(memory.text(KEY), "{}");
        assert_eq!(block_on(next.switch("", "tool-churn", true)), Err(RuleNotKept));
        assert_eq!(switch(&mut next, &"x".repeat(61), true), Err(RuleNotKept));
    }

    #[test]
    fn what_cannot_be_read_is_not_overwritten() {
        let memory = Memory::with(KEY, "{\"https://a.example\": 7}");
        let mut rules = LintRules::new(memory.clone());
        assert_eq!(block_on(rules.off("https://a.example")), [""; 0]);
        assert_eq!(block_on(rules.switch("https://a.example", "tool-churn", true)), Err(RuleNotKept));
        assert_eq!(memory.text(KEY), "{\"https://a.example\": 7}");
    }
}
