//! Groups in any order.

use std::collections::HashMap;

use super::{CallMade, JudgeFault, JudgedRow, RowOutcome, Wrong, compare, judge_node, missing};
use crate::expected::{CallNode, ExpectedNode};

/// Maximum number of calls in a group that has groups in it.
pub(crate) const MOST_CALLS: usize = 15;

/// Judges calls from one on against a group in any order. Returns the number of the next call.
pub(crate) fn judge<'e>(
    nodes: &'e [ExpectedNode],
    made: &[CallMade],
    at: usize,
    rows: &mut Vec<JudgedRow<'e>>,
) -> usize {
    let plain: Option<Vec<_>> = nodes
        .iter()
        .map(|node| match node {
            ExpectedNode::Call(call) => Some(&**call),
            ExpectedNode::Unordered(_) | ExpectedNode::Ordered(_) | ExpectedNode::Unknown => None,
        })
        .collect();
    if let Some(calls) = plain {
        return judge_calls(&calls, made, at, rows);
    }
    let found = nodes.iter().map(ExpectedNode::leaves).sum();
    if found > MOST_CALLS {
        let outcome = RowOutcome::Error(JudgeFault::TooMany { most: MOST_CALLS, found });
        rows.push(JudgedRow { expected: None, made: None, outcome });
        return at;
    }
    let mut best = HashMap::new();
    let all = (1_u32 << nodes.len()) - 1;
    let order = Orders { nodes, made }.best(all, at, &mut best).order;
    order.into_iter().fold(at, |at, number| judge_node(&nodes[number], made, at, rows))
}

/// Plain calls take as many of those that were made as there are, and each the one that is best for all together.
fn judge_calls<'e>(
    expected: &[&'e CallNode],
    made: &[CallMade],
    at: usize,
    rows: &mut Vec<JudgedRow<'e>>,
) -> usize {
    let end = (at + expected.len()).min(made.len());
    let outcomes: Vec<Vec<_>> = expected
        .iter()
        .map(|call| made[at..end].iter().map(|found| compare(call, found)).collect())
        .collect();
    let fits = |call: usize, place: usize| outcomes[call][place] == RowOutcome::Pass;
    let places = matching(expected.len(), end - at, fits);
    let taken: Vec<Option<usize>> =
        (0..end - at).map(|place| places.iter().position(|taken| *taken == Some(place))).collect();
    let mut left: Vec<_> = (0..expected.len()).filter(|call| places[*call].is_none()).collect();
    for (place, call) in taken.into_iter().enumerate() {
        let (call, outcome) = match call {
            Some(call) => (Some(call), RowOutcome::Pass),
            None if left.is_empty() => (None, RowOutcome::Fail(Wrong::Extra)),
            // What is most alike stands beside it.
            None => {
                let alike = |call: &usize| expected[*call].name == made[at + place].name;
                let call = left.remove(left.iter().position(alike).unwrap_or(0));
                (Some(call), outcomes[call][place].clone())
            }
        };
        rows.push(JudgedRow { expected: call.map(|call| expected[call]), made: Some(at + place), outcome });
    }
    rows.extend(left.into_iter().map(|call| expected[call]).filter(|call| !call.is_optional).map(missing));
    end
}

/// The best assignment of places: for each call the place that it takes.
pub(crate) fn matching(
    calls: usize,
    places: usize,
    fits: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    fn find(
        call: usize,
        fits: &impl Fn(usize, usize) -> bool,
        taken: &mut [Option<usize>],
        seen: &mut [bool],
    ) -> bool {
        for place in 0..taken.len() {
            if seen[place] || !fits(call, place) {
                continue;
            }
            seen[place] = true;
            if taken[place].is_none_or(|other| find(other, fits, taken, seen)) {
                taken[place] = Some(call);
                return true;
            }
        }
        false
    }
    let mut taken = vec![None; places];
    for call in 0..calls {
        find(call, &fits, &mut taken, &mut vec![false; places]);
    }
    (0..calls).map(|call| taken.iter().position(|taken| *taken == Some(call))).collect()
}

/// Orders of a group's nodes.
struct Orders<'o> {
    nodes: &'o [ExpectedNode],
    made: &'o [CallMade],
}

/// An order of nodes, and how it fares.
#[derive(Debug, Clone, Default)]
struct Order {
    passes: usize,
    fails: usize,
    order: Vec<usize>,
}

impl Orders<'_> {
    /// The order with the most rows that pass, of the nodes of a set, from a call on.
    fn best(&self, set: u32, at: usize, known: &mut HashMap<(u32, usize), Order>) -> Order {
        if set == 0 {
            return Order::default();
        }
        if let Some(best) = known.get(&(set, at)) {
            return best.clone();
        }
        let mut best: Option<Order> = None;
        for number in (0..self.nodes.len()).filter(|number| set & (1 << number) != 0) {
            let mut rows = Vec::new();
            let next = judge_node(&self.nodes[number], self.made, at, &mut rows);
            let passes = rows.iter().filter(|row| row.outcome == RowOutcome::Pass).count();
            let rest = self.best(set & !(1 << number), next, known);
            let order = Order {
                passes: passes + rest.passes,
                fails: rows.len() - passes + rest.fails,
                order: [number].into_iter().chain(rest.order).collect(),
            };
            let key = |order: &Order| (order.passes, std::cmp::Reverse(order.fails));
            if best.as_ref().is_none_or(|best| key(&order) > key(best)) {
                best = Some(order);
            }
        }
        let best = best.unwrap_or_default();
        known.insert((set, at), best.clone());
        best
    }
}
