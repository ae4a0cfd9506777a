//! Answers of tools where none runs: each call gets that of the first expected call of its name that is not used yet.

use serde_json::{Value, json};

use crate::expected::{CallNode, Expectation};

/// The answers of a run.
#[derive(Debug, Clone)]
pub struct Mocks<'e> {
    unused: Vec<&'e CallNode>,
}

impl<'e> Mocks<'e> {
    /// Those of a case.
    #[must_use]
    pub fn of(expected: &'e Expectation) -> Self {
        Self { unused: expected.nodes().iter().flat_map(|node| node.calls()).collect() }
    }

    /// The answer to a call; `{}` where there is none.
    pub fn answer(&mut self, name: &str) -> Value {
        self.take(name).unwrap_or_else(|| json!({}))
    }

    /// The answer that the case has for a call.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.unused.iter().position(|call| call.name == name)?;
        self.unused.remove(at).mock_output.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inspector_case_15_answers_of_one_name_come_in_their_order() {
        let expected = Expectation::read(Some(&json!([
            {"unordered": [{"functionName": "a", "mockOutput": 1}, {"functionName": "b", "mockOutput": null}]},
            {"functionName": "a", "mockOutput": [2]},
            {"functionName": "c"},
        ])));
        let mut mocks = Mocks::of(&expected);
        let answers = ["a", "b", "a", "a", "c", "x"].map(|name| mocks.answer(name));
        assert_eq!(answers, [json!(1), json!(null), json!([2]), json!({}), json!({}), json!({})]);
    }
}
