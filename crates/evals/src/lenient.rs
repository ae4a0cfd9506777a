//! The lenient verdict: the expected calls are among those that were made, in their order, whatever else was called.

use crate::expected::{Expectation, ExpectedNode};
use crate::judged::{CallMade, MOST_CALLS, RowOutcome, compare};

/// Whether all required calls were made in an order that is allowed. `None` if the case is incomplete, or has a group that is
/// too large.
#[must_use]
pub fn passes(expected: &Expectation, made: &[CallMade]) -> Option<bool> {
    match expected {
        Expectation::Incomplete => None,
        Expectation::NoCall { .. } => Some(made.is_empty()),
        Expectation::Calls(nodes) => in_order(nodes, made, 0).ok().map(|end| end.is_some()),
    }
}

/// How many calls are required, and how many of them were made, in whatever order.
#[must_use]
pub fn matched(expected: &Expectation, made: &[CallMade]) -> (u32, u32) {
    let required = expected.nodes().iter().flat_map(ExpectedNode::calls).filter(|call| !call.is_optional);
    let (mut count, mut matched, mut unused) = (0, 0, made.iter().collect::<Vec<_>>());
    for call in required {
        count += 1;
        if let Some(at) = unused.iter().position(|made| compare(call, made) == RowOutcome::Pass) {
            unused.remove(at);
            matched += 1;
        }
    }
    (count, matched)
}

/// A group is too large.
struct TooLarge;

/// The earliest end of calls that these nodes need, from a call on; `None` if they are not all there.
type EndOf = Result<Option<usize>, TooLarge>;

fn in_order(nodes: &[ExpectedNode], made: &[CallMade], from: usize) -> EndOf {
    let mut at = from;
    for node in nodes {
        match end(node, made, at)? {
            Some(end) => at = end,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

fn end(node: &ExpectedNode, made: &[CallMade], from: usize) -> EndOf {
    match node {
        ExpectedNode::Call(call) if call.is_optional => Ok(Some(from)),
        ExpectedNode::Call(call) => {
            Ok((from..made.len()).find(|at| compare(call, &made[*at]) == RowOutcome::Pass).map(|at| at + 1))
        }
        ExpectedNode::Ordered(nodes) => in_order(nodes, made, from),
        ExpectedNode::Unordered(nodes) => in_any_order(nodes, made, from),
        ExpectedNode::Unknown => Ok(Some(from)),
    }
}

/// For each set of nodes the earliest end: that of the one that comes last, after the others.
fn in_any_order(nodes: &[ExpectedNode], made: &[CallMade], from: usize) -> EndOf {
    if nodes.iter().map(ExpectedNode::leaves).sum::<usize>() > MOST_CALLS {
        return Err(TooLarge);
    }
    let mut ends = vec![None; 1 << nodes.len()];
    ends[0] = Some(from);
    for set in 1..ends.len() {
        for (number, node) in nodes.iter().enumerate().filter(|(number, _)| set & (1 << number) != 0) {
            let Some(before) = ends[set & !(1 << number)] else { continue };
            if let Some(end) = end(node, made, before)? {
                ends[set] = Some(ends[set].map_or(end, |best: usize| best.min(end)));
            }
        }
    }
    Ok(ends.pop().flatten())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn made(names: &str) -> Vec<CallMade> {
        names
            .split_whitespace()
            .map(|name| CallMade { name: name.to_owned(), ..CallMade::default() })
            .collect()
    }

    fn passing(expected: serde_json::Value, names: &str) -> Option<bool> {
        passes(&Expectation::read(Some(&expected)), &made(names))
    }

    #[test]
    fn inspector_case_4_extra_calls_do_no_harm() {
        let call = |name: &str| json!({"functionName": name});
        let abc = json!([call("a"), call("b"), call("c")]);
        assert_eq!(passing(abc.clone(), "a x b c x"), Some(true));
        assert_eq!(passing(abc.clone(), "b a c"), Some(false));
        assert_eq!(passing(abc, "a b"), Some(false));
        let optional = json!([call("a"), {"functionName": "b", "optional": true}]);
        assert_eq!(passing(optional, "a"), Some(true));
        assert_eq!(passing(json!(null), ""), Some(true));
        assert_eq!(passing(json!([]), "a"), Some(false));
        assert_eq!(passes(&Expectation::Incomplete, &[]), None);
    }

    #[test]
    fn required_calls_that_were_made_are_counted_in_any_order() {
        let call = |name: &str| json!({"functionName": name});
        let optional = json!({"functionName": "d", "optional": true});
        let expected = json!([call("a"), {"unordered": [call("b"), call("a")]}, optional]);
        let expected = Expectation::read(Some(&expected));
        assert_eq!(matched(&expected, &made("b a x")), (3, 2));
        assert_eq!(matched(&expected, &made("d a a b")), (3, 3));
        assert_eq!(matched(&Expectation::Incomplete, &made("a")), (0, 0));
    }

    #[test]
    fn groups_in_groups_are_too_large_together() {
        let empty = json!({"unordered": vec![json!({"x": 1}); 15]});
        let nested = json!([{"unordered": vec![empty; 15]}]);
        assert_eq!(passing(nested.clone(), "a"), None);
        let expected = Expectation::read(Some(&nested));
        let rows = crate::judge(&expected, &made("a")).unwrap();
        assert_eq!(crate::outcome(&rows), crate::RunOutcome::Error);
    }

    #[test]
    fn groups_may_come_in_any_order_with_others_between() {
        let call = |name: &str| json!({"functionName": name});
        let group = json!([{"unordered": [{"ordered": [call("a"), call("b")]}, call("c")]}, call("d")]);
        assert_eq!(passing(group.clone(), "c x a b d"), Some(true));
        assert_eq!(passing(group.clone(), "a b x c d"), Some(true));
        assert_eq!(passing(group.clone(), "b a c d"), Some(false));
        assert_eq!(passing(group, "a b d c"), Some(false));
        let twice = json!([{"unordered": [call("a"), call("a")]}]);
        assert_eq!(passing(twice.clone(), "a"), Some(false));
        assert_eq!(passing(twice, "a x a"), Some(true));
    }
}
