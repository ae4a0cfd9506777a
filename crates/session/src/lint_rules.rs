//! The rules of lint that the user switched off for an origin, and those that are off at first and were switched on.

use std::collections::{BTreeMap, BTreeSet};

use sidecar_protocol::lint::LintNote;

use crate::key_value::KeyValue;

const OFF: &str = "lintRulesOff";
const ON: &str = "lintRulesOn";

/// Maximum number of origins, and of rules of one.
const MOST_ORIGINS: usize = 300;
const MOST_RULES: usize = 100;

/// Longest id of a rule, in bytes.
const LONGEST_RULE: usize = 60;

type RulesOfSites = BTreeMap<String, BTreeSet<String>>;

/// The rules that were switched.
#[derive(Debug)]
pub struct LintRules<K> {
    off: RuleList<K>,
    on: RuleList<K>,
}

/// Rules by origin. They are read at their first use.
#[derive(Debug)]
struct RuleList<K> {
    store: K,
    key: &'static str,
    known: Option<RulesRead>,
}

/// What was read.
#[derive(Debug)]
enum RulesRead {
    Here(RulesOfSites),
    /// It cannot be read, and is not overwritten.
    Unread,
}

/// A rule was not switched: there are too many, the origin is opaque, or it cannot be saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleNotKept;

impl<K: KeyValue + Clone> LintRules<K> {
    /// Those in this store.
    pub fn new(store: K) -> Self {
        let list = |key| RuleList { store: store.clone(), key, known: None };
        Self { off: list(OFF), on: list(ON) }
    }

    /// The rules that were switched off for an origin.
    pub async fn off(&mut self, origin: &str) -> Vec<String> {
        self.off.of(origin).await
    }

    /// The rules of [`LintNote::OFF_AT_FIRST`] that were switched on for an origin.
    pub async fn on(&mut self, origin: &str) -> Vec<String> {
        self.on.of(origin).await
    }

    /// Switches a rule for an origin.
    ///
    /// # Errors
    /// [`RuleNotKept`]; nothing is changed then.
    pub async fn switch(&mut self, origin: &str, rule: &str, is_off: bool) -> Result<(), RuleNotKept> {
        match LintNote::OFF_AT_FIRST.contains(&rule) {
            true => self.on.set(origin, rule, !is_off).await,
            false => self.off.set(origin, rule, is_off).await,
        }
    }
}

impl<K: KeyValue> RuleList<K> {
    async fn of(&mut self, origin: &str) -> Vec<String> {
        match self.known().await {
            RulesRead::Here(known) => known.get(origin).into_iter().flatten().cloned().collect(),
            RulesRead::Unread => Vec::new(),
        }
    }

    async fn set(&mut self, origin: &str, rule: &str, has_it: bool) -> Result<(), RuleNotKept> {
        let RulesRead::Here(known) = self.known().await else { return Err(RuleNotKept) };
        let mut known = known.clone();
        let rules = known.entry(origin.to_owned()).or_default();
        if has_it {
            rules.insert(rule.to_owned());
        } else {
            rules.remove(rule);
        }
        let is_full = rules.len() > MOST_RULES;
        known.retain(|_, rules| !rules.is_empty());
        if is_full || known.len() > MOST_ORIGINS || origin.is_empty() || rule.len() > LONGEST_RULE {
            return Err(RuleNotKept);
        }
        let text = serde_json::to_string(&known).map_err(|_| RuleNotKept)?;
        self.store.set(self.key, &text).await.map_err(|_| RuleNotKept)?;
        self.known = Some(RulesRead::Here(known));
        Ok(())
    }

    async fn known(&mut self) -> &mut RulesRead {
        if self.known.is_none() {
            let read = match self.store.get(self.key).await {
                Ok(None) => Some(RulesOfSites::new()),
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
        assert_eq!(memory.text(OFF), "{}");
        assert_eq!(block_on(next.switch("", "tool-churn", true)), Err(RuleNotKept));
        assert_eq!(switch(&mut next, &"x".repeat(61), true), Err(RuleNotKept));
    }

    #[test]
    fn inspector_case_60_rule_that_is_off_at_first_is_on_for_its_origin_alone_beside_what_was_switched_before()
     {
        let memory = Memory::with(OFF, r#"{"https://a.example":["param-count"]}"#);
        let switch = |is_off| {
            let mut rules = LintRules::new(memory.clone());
            block_on(rules.switch("https://a.example", "tool-title-missing", is_off)).unwrap();
        };
        let known = |origin| {
            let mut rules = LintRules::new(memory.clone());
            (block_on(rules.off(origin)), block_on(rules.on(origin)))
        };
        let list = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
        switch(false);
        assert_eq!(known("https://a.example"), (list(&["param-count"]), list(&["tool-title-missing"])));
        assert_eq!(known("https://b.example"), (vec![], vec![]));
        switch(true);
        assert_eq!(known("https://a.example"), (list(&["param-count"]), vec![]));
        assert_eq!(memory.text(OFF), r#"{"https://a.example":["param-count"]}"#);
    }

    #[test]
    fn what_cannot_be_read_is_not_overwritten() {
        let memory = Memory::with(OFF, "{\"https://a.example\": 7}");
        let mut rules = LintRules::new(memory.clone());
        assert_eq!(block_on(rules.off("https://a.example")), [""; 0]);
        assert_eq!(block_on(rules.switch("https://a.example", "tool-churn", true)), Err(RuleNotKept));
        assert_eq!(memory.text(OFF), "{\"https://a.example\": 7}");
    }
}
