//! Shards: the parts of a suite that several machines run. Which part a case is in depends on what it says, not on where it
//! stands.

use serde::{Deserialize, Serialize};

use crate::suite::EvalSuite;

/// The most parts.
pub const MOST_SHARDS: usize = 256;

/// A part of a suite, as `2/3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Its number, from 1.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

impl Shard {
    /// Reads `2/3`; `None` if it is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (index, of) = text.split_once('/')?;
        let shard = Self { index: index.parse().ok()?, of: of.parse().ok()? };
        shard.is_sound().then_some(shard)
    }

    /// Whether there can be such a part.
    pub(crate) fn is_sound(self) -> bool {
        (1..=self.of).contains(&self.index) && self.of <= MOST_SHARDS
    }

    /// The numbers of its cases, in the order of the suite.
    #[must_use]
    pub fn cases(self, suite: &EvalSuite) -> Vec<usize> {
        let mut order: Vec<_> =
            suite.cases.iter().enumerate().map(|(number, case)| (case.hash(), number)).collect();
        order.sort();
        let mut cases: Vec<_> =
            order.into_iter().skip(self.index - 1).step_by(self.of).map(|(_, number)| number).collect();
        cases.sort_unstable();
        cases
    }

    /// The name of its report's file.
    #[must_use]
    pub fn file(self) -> String {
        format!("report-{}-of-{}.json", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn shards_are_read() {
        assert_eq!(Shard::read("2/3"), Some(Shard { index: 2, of: 3 }));
        for wrong in ["0/3", "4/3", "1", "a/3", "1/0", "1/257", "-1/3"] {
            assert_eq!(Shard::read(wrong), None, "{wrong}");
        }
        assert_eq!(Shard { index: 2, of: 3 }.file(), "report-2-of-3.json");
    }

    #[test]
    fn inspector_case_69_each_case_is_in_one_shard_wherever_it_stands() {
        let cases: Vec<Value> = (0..10).map(|number| json!({"name": number.to_string()})).collect();
        let of = |cases: &[Value], shard: &str| -> Vec<String> {
            let suite = crate::suite::read(json!(cases).to_string().as_bytes()).unwrap();
            let picked = Shard::read(shard).unwrap().cases(&suite);
            let mut names: Vec<_> =
                picked.iter().map(|number| suite.cases[*number].json()["name"].to_string()).collect();
            names.sort();
            names
        };
        let turned: Vec<_> = cases.iter().rev().cloned().collect();
        let mut all = Vec::new();
        for shard in ["1/3", "2/3", "3/3"] {
            assert_eq!(of(&cases, shard), of(&turned, shard));
            assert!((3..=4).contains(&of(&cases, shard).len()));
            all.extend(of(&cases, shard));
        }
        all.sort();
        assert_eq!(all, of(&cases, "1/1"));
    }
}
