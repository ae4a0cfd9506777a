//! The exact verdict: the calls of a run against those that a case expects, as webmcp-evals compares them.
//!
//! It goes from left to right and never back. A wrong call takes the place of the one that was expected, so that an extra
//! call makes all later ones wrong; [`crate::lenient`] is kinder. Each call and each expected call that found no other gets
//! a row.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::expected::{CallNode, Expectation, ExpectedNode};
use crate::matcher::{self, Difference};
use crate::pattern::ExpressionFault;

mod unordered;

pub(crate) use unordered::MOST_CALLS;

/// A call that a model made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallMade {
    /// Name of the tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
    /// What came of it; absent where no tool ran.
    pub result: Option<Value>,
}

/// What one row says.
#[derive(Debug, Clone, PartialEq)]
pub enum RowOutcome {
    /// The call is the one that was expected.
    Pass,
    /// It is not.
    Fail(Wrong),
    /// Nobody can say.
    Error(JudgeFault),
}

/// In which way a call is not the one that was expected.
#[derive(Debug, Clone, PartialEq)]
pub enum Wrong {
    /// Another tool was called.
    Tool,
    /// The arguments differ.
    Arguments(Difference),
    /// The arguments match, and the result differs.
    Result(Difference),
    /// It was not made.
    Missing,
    /// None was expected any more.
    Extra,
}

/// Why nobody can say whether a call is the one that was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JudgeFault {
    /// A pattern of the case.
    #[error(transparent)]
    Pattern(#[from] ExpressionFault),
    /// Too many nodes in groups in any order.
    #[error("a group in any order, with groups in it, may have {most} calls at most; this one has {found}")]
    TooMany {
        /// How many are looked at.
        most: usize,
        /// How many there are.
        found: usize,
    },
}

/// A row of a run: an expected call beside one that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedRow<'e> {
    /// The expected call; absent for one too many.
    pub expected: Option<&'e CallNode>,
    /// Number of the call, from 0; absent for one that is missing.
    pub made: Option<usize>,
    /// What that says.
    pub outcome: RowOutcome,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunOutcome {
    /// All rows pass.
    Pass,
    /// A row fails.
    Fail,
    /// Of a row nobody can say, or the model did not answer.
    Error,
    /// The case was not run.
    Skipped,
    /// The user stopped it.
    Cancelled,
}

/// Judges the calls of a run: one row for each, in the order of what is expected. `None` if the case is incomplete.
#[must_use]
pub fn judge<'e>(expected: &'e Expectation, made: &[CallMade]) -> Option<Vec<JudgedRow<'e>>> {
    let mut rows = Vec::new();
    let mut at = 0;
    match expected {
        Expectation::Incomplete => return None,
        Expectation::NoCall { told } => {
            if *told && made.is_empty() {
                rows.push(JudgedRow { expected: None, made: None, outcome: RowOutcome::Pass });
            }
        }
        Expectation::Calls(nodes) => {
            for node in nodes {
                at = judge_node(node, made, at, &mut rows);
            }
        }
    }
    rows.extend((at..made.len()).map(|call| JudgedRow {
        expected: None,
        made: Some(call),
        outcome: RowOutcome::Fail(Wrong::Extra),
    }));
    Some(rows)
}

/// How a run with these rows ended. One without rows passed: no call was expected, and none made.
#[must_use]
pub fn outcome(rows: &[JudgedRow<'_>]) -> RunOutcome {
    let of = |row: &JudgedRow<'_>| match row.outcome {
        RowOutcome::Pass => RunOutcome::Pass,
        RowOutcome::Fail(_) => RunOutcome::Fail,
        RowOutcome::Error(_) => RunOutcome::Error,
    };
    rows.iter().map(of).max().unwrap_or(RunOutcome::Pass)
}

/// Judges calls from one on against a node. Returns the number of the next call.
pub(crate) fn judge_node<'e>(
    node: &'e ExpectedNode,
    made: &[CallMade],
    at: usize,
    rows: &mut Vec<JudgedRow<'e>>,
) -> usize {
    match node {
        ExpectedNode::Call(call) => judge_call(call, made, at, rows),
        ExpectedNode::Ordered(nodes) => nodes.iter().fold(at, |at, node| judge_node(node, made, at, rows)),
        ExpectedNode::Unordered(nodes) => unordered::judge(nodes, made, at, rows),
        ExpectedNode::Unknown => at,
    }
}

fn judge_call<'e>(call: &'e CallNode, made: &[CallMade], at: usize, rows: &mut Vec<JudgedRow<'e>>) -> usize {
    let Some(found) = made.get(at) else {
        if !call.is_optional {
            rows.push(missing(call));
        }
        return at;
    };
    let outcome = compare(call, found);
    if call.is_optional && matches!(outcome, RowOutcome::Fail(_)) {
        return at;
    }
    rows.push(JudgedRow { expected: Some(call), made: Some(at), outcome });
    at + 1
}

/// A row for an expected call that was not made.
pub(crate) fn missing(call: &CallNode) -> JudgedRow<'_> {
    JudgedRow { expected: Some(call), made: None, outcome: RowOutcome::Fail(Wrong::Missing) }
}

/// Whether a call is the one that is expected.
pub(crate) fn compare(expected: &CallNode, made: &CallMade) -> RowOutcome {
    let compared = || {
        if expected.name != made.name {
            return Ok(Some(Wrong::Tool));
        }
        if let Some(arguments) = &expected.arguments
            && let Some(difference) = matcher::difference(arguments, Some(&made.arguments))?
        {
            return Ok(Some(Wrong::Arguments(difference)));
        }
        if let Some(result) = &expected.result
            && let Some(difference) = matcher::difference(result, made.result.as_ref())?
        {
            return Ok(Some(Wrong::Result(difference)));
        }
        Ok(None)
    };
    match compared() {
        Ok(None) => RowOutcome::Pass,
        Ok(Some(wrong)) => RowOutcome::Fail(wrong),
        Err(fault) => RowOutcome::Error(JudgeFault::Pattern(fault)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn expected(nodes: Value) -> Expectation {
        Expectation::read(Some(&nodes))
    }

    /// Nodes for calls of these names; one that ends with `?` is optional.
    fn node(name: &str) -> Value {
        match name.strip_suffix('?') {
            Some(name) => json!({"functionName": name, "optional": true}),
            None => json!({"functionName": name}),
        }
    }

    fn nodes(names: &str) -> Vec<Value> {
        names.split_whitespace().map(node).collect()
    }

    fn made(names: &str) -> Vec<CallMade> {
        let call = |name: &str| CallMade { name: name.to_owned(), arguments: json!({}), result: None };
        names.split_whitespace().map(call).collect()
    }

    /// One letter for each row: pass, fail, error.
    fn told(expected: &Expectation, made: &[CallMade]) -> String {
        let letter = |row: &JudgedRow<'_>| match row.outcome {
            RowOutcome::Pass => 'p',
            RowOutcome::Fail(_) => 'f',
            RowOutcome::Error(_) => 'e',
        };
        judge(expected, made).unwrap().iter().map(letter).collect()
    }

    #[test]
    fn inspector_case_4_extra_call_makes_all_later_ones_wrong() {
        let abc = expected(json!(nodes("a b c")));
        assert_eq!(told(&abc, &made("a x b c")), "pfff");
        assert_eq!(told(&abc, &made("a b c")), "ppp");
        let rows = judge(&abc, &made("a x b c")).unwrap();
        assert_eq!(rows[3].outcome, RowOutcome::Fail(Wrong::Extra));
        assert_eq!(outcome(&rows), RunOutcome::Fail);
    }

    #[test]
    fn inspector_case_5_optional_call_takes_its_place_only_if_it_matches() {
        let abc = expected(json!(nodes("a b? c")));
        assert_eq!(told(&abc, &made("a c")), "pp");
        assert_eq!(told(&abc, &made("a b c")), "ppp");
        assert_eq!(told(&abc, &made("a")), "pf");
    }

    #[test]
    fn inspector_case_6_group_in_any_order_takes_as_many_calls_as_it_has() {
        let ab_c = expected(json!([{"unordered": nodes("a b")}, node("c")]));
        assert_eq!(told(&ab_c, &made("b a c")), "ppp");
        assert_eq!(told(&ab_c, &made("a c")), "pff");
        assert_eq!(told(&ab_c, &made("a")), "pff");
        let with_optional = expected(json!([{"unordered": nodes("a b?")}, node("c")]));
        assert_eq!(told(&with_optional, &made("a c")), "pff", "a quirk: the optional one takes a call");
        assert_eq!(told(&expected(json!([{"unordered": nodes("a b?")}])), &made("a")), "p");
    }

    #[test]
    fn inspector_case_7_calls_of_one_name_find_their_places_in_both_orders() {
        let literal = json!({"functionName": "a", "arguments": {"x": 1}});
        let any = json!({"functionName": "a", "arguments": {}});
        let call = |x: i32| CallMade { name: "a".to_owned(), arguments: json!({"x": x}), result: None };
        for nodes in [[&literal, &any], [&any, &literal]] {
            let expected = expected(json!([{"unordered": nodes}]));
            assert_eq!(told(&expected, &[call(1), call(2)]), "pp");
            assert_eq!(told(&expected, &[call(2), call(1)]), "pp");
            assert_eq!(told(&expected, &[call(2), call(3)]), "pf");
        }
    }

    #[test]
    fn inspector_case_8_groups_in_any_order_stay_together() {
        let pairs = json!([{"ordered": nodes("a b")}, {"ordered": nodes("c d")}]);
        let pairs = expected(json!([{"unordered": pairs}]));
        assert_eq!(told(&pairs, &made("a b c d")), "pppp");
        assert_eq!(told(&pairs, &made("c d a b")), "pppp");
        assert_eq!(outcome(&judge(&pairs, &made("a c b d")).unwrap()), RunOutcome::Fail);
        let many: Vec<_> = (0..8).map(|_| json!({"ordered": nodes("a b")})).collect();
        let many = expected(json!([{"unordered": many}]));
        assert_eq!(outcome(&judge(&many, &made("a b")).unwrap()), RunOutcome::Error);
    }

    #[test]
    fn inspector_case_9_no_call_is_told_for_null_and_passes_for_an_empty_list() {
        let (null, empty) = (expected(json!(null)), expected(json!([])));
        assert_eq!((told(&null, &[]), told(&null, &made("a b"))), ("p".to_owned(), "ff".to_owned()));
        assert_eq!((told(&empty, &[]), told(&empty, &made("a"))), (String::new(), "f".to_owned()));
        assert_eq!(outcome(&[]), RunOutcome::Pass);
    }

    #[test]
    fn inspector_case_10_result_is_compared_as_well() {
        let expected = expected(json!([{"functionName": "a", "arguments": {}, "result": {"ok": true}}]));
        let call = |ok: bool| CallMade { result: Some(json!({"ok": ok})), ..made("a").remove(0) };
        assert_eq!(told(&expected, &[call(true)]), "p");
        let rows = judge(&expected, &[call(false)]).unwrap();
        assert!(matches!(&rows[0].outcome, RowOutcome::Fail(Wrong::Result(at)) if at.pointer == "/ok"));
        assert_eq!(told(&expected, &made("a")), "f");
    }

    #[test]
    fn inspector_case_13_case_that_expects_nothing_is_incomplete() {
        assert_eq!(judge(&Expectation::read(None), &[]), None);
    }

    #[test]
    fn error_weighs_more_than_a_fail_and_what_is_not_known_gets_no_row() {
        let bad = json!({"functionName": "a", "arguments": {"x": {"$pattern": "("}}});
        let expected = expected(json!([bad, {"other": 1}, node("b")]));
        let call = CallMade { name: "a".to_owned(), arguments: json!({"x": "y"}), result: None };
        let rows = judge(&expected, &[call]).unwrap();
        assert_eq!((rows.len(), outcome(&rows)), (2, RunOutcome::Error));
    }
}
