//! Runs for which nobody allowed consequential tools: their calls never reach the page.

use serde_json::json;

use crate::expected::{CallNode, ExpectedNode};
use crate::mocks::Mocks;
use crate::page::{ListedTool, PageResult};
use crate::reason::RunReason;
use crate::suite::EvalCase;

/// What the model is told of a call that the case has no answer for.
const NOT_MADE: &str =
    "The call was not made: the tool is consequential, and nobody allowed such calls here.";

/// The calls of a case that are held back.
#[derive(Debug, Clone)]
pub struct HeldCalls<'e> {
    /// What answers them; absent if nothing can.
    mocks: Option<Mocks<'e>>,
    unanswered: Vec<&'e str>,
    consequential: Vec<String>,
}

impl<'e> HeldCalls<'e> {
    /// Those of a case.
    #[must_use]
    pub fn of(case: &'e EvalCase) -> Self {
        let calls = case.expected.nodes().iter().flat_map(ExpectedNode::calls);
        let unanswered = calls.filter(|call| call.mock_output.is_none()).map(|call: &CallNode| &*call.name);
        Self {
            mocks: Some(Mocks::of(&case.expected)),
            unanswered: unanswered.collect(),
            consequential: Vec::new(),
        }
    }

    /// Those of a script, which has no answers.
    #[must_use]
    pub fn without_answers() -> Self {
        Self { mocks: None, unanswered: Vec::new(), consequential: Vec::new() }
    }

    /// Takes note of the tools that the page has now.
    ///
    /// # Errors
    /// If the case cannot be run without consent: it expects a call that is held back, and has no answer for it.
    pub fn listed(&mut self, tools: &[ListedTool]) -> Result<(), RunReason> {
        let consequential = tools.iter().filter(|tool| tool.is_consequential());
        self.consequential = consequential.map(|tool| tool.name().to_owned()).collect();
        let unanswered = self.consequential.iter().find(|name| self.unanswered.contains(&name.as_str()));
        unanswered.map_or(Ok(()), |tool| Err(RunReason::Consequential { tool: tool.clone() }))
    }

    /// Whether calls of a tool are held back.
    #[must_use]
    pub fn holds(&self, name: &str) -> bool {
        self.consequential.iter().any(|held| held == name)
    }

    /// The answer to a call that is held back; `None` for one that may be made. A call that the case does not expect is
    /// refused and judged like any other, so that a model does not lose its fault.
    ///
    /// # Errors
    /// If there are no answers at all: what the page then shows says nothing.
    pub fn answer(&mut self, name: &str) -> Result<Option<PageResult>, RunReason> {
        if !self.holds(name) {
            return Ok(None);
        }
        let consequential = || RunReason::Consequential { tool: name.to_owned() };
        let mock = self.mocks.as_mut().ok_or_else(consequential)?.take(name);
        Ok(Some(PageResult::Answered(mock.unwrap_or_else(|| json!({ "error": NOT_MADE })))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::suite::{EvalSuite, read};

    fn suite(expected: Value) -> EvalSuite {
        read(json!([{"messages": [], "expectedCall": expected}]).to_string().as_bytes()).unwrap()
    }

    fn tools() -> Vec<ListedTool> {
        serde_json::from_value(json!([{"name": "find"}, {"name": "buy"}])).unwrap()
    }

    #[test]
    fn inspector_case_28_mock_answers_a_consequential_call_and_any_other_reaches_the_page() {
        let suite =
            suite(json!([{"functionName": "find"}, {"functionName": "buy", "mockOutput": {"ok": true}}]));
        let mut held = HeldCalls::of(&suite.cases[0]);
        assert_eq!(held.listed(&tools()), Ok(()));
        assert_eq!(held.answer("find"), Ok(None));
        assert_eq!(held.answer("buy"), Ok(Some(PageResult::Answered(json!({"ok": true})))));
        assert_eq!(held.answer("buy"), Ok(Some(PageResult::Answered(json!({"error": NOT_MADE})))));
    }

    #[test]
    fn inspector_case_28_case_without_an_answer_for_a_consequential_call_is_skipped() {
        let expected = suite(json!([{"unordered": [{"functionName": "buy"}]}]));
        let mut held = HeldCalls::of(&expected.cases[0]);
        assert_eq!(held.listed(&tools()), Err(RunReason::Consequential { tool: "buy".to_owned() }));
        let unexpected = suite(json!([{"functionName": "find"}]));
        let mut held = HeldCalls::of(&unexpected.cases[0]);
        assert_eq!(held.listed(&tools()), Ok(()));
        assert!(held.answer("buy").unwrap().is_some(), "what is not expected does not reach the page either");
        let mut scripted = HeldCalls::without_answers();
        assert_eq!(scripted.listed(&tools()), Ok(()));
        assert_eq!(scripted.answer("buy"), Err(RunReason::Consequential { tool: "buy".to_owned() }));
    }
}
