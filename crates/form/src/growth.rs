//! The schema of a value as it is: with the branches that were picked, and what applies by what is there.

use std::sync::Arc;

use crate::field::{BranchAdds, FormField, UnionPicker};
use crate::fits::{Fit, SchemaFits};
use crate::json::Json;
use crate::planner::FieldPlanner;
use crate::source::SchemaPlace;
use crate::subschema::SubSchema;

/// How often something more may come to apply.
const ROUNDS: usize = 16;

/// Which branch of a union was picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnionPick {
    /// The picker's place.
    pub at: SchemaPlace,
    /// The branch, by its position.
    pub branch: usize,
}

/// A schema with all that applies, its field, and the picks that led there.
#[derive(Debug, Clone)]
pub(crate) struct Grown {
    pub sub: SubSchema,
    pub field: Arc<FormField>,
    pub picks: Vec<UnionPick>,
}

/// Who picks the branches that the user did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Picking {
    /// Nobody; of several types the first one is taken.
    Types,
    /// The value that is there.
    Value,
    /// Always the first.
    First,
}

/// Adds what applies to a value, until no more comes.
pub(crate) fn grow(
    planner: &mut FieldPlanner,
    sub: &SubSchema,
    picks: &[UnionPick],
    value: &Json,
    picking: Picking,
) -> Grown {
    let mut grown = Grown { sub: sub.clone(), field: planner.open(sub), picks: picks.to_vec() };
    for _ in 0..ROUNDS {
        let mut next = grown.sub.clone();
        let source = planner.source();
        let fits = SchemaFits::new(source);
        for condition in &grown.field.conditions {
            condition.apply(&fits, value, &mut next);
        }
        for picker in &grown.field.pickers {
            let picked = grown.picks.iter().find(|pick| pick.at == picker.at).map(|pick| pick.branch);
            let branch = picked.or_else(|| pick(&fits, picker, value, picking));
            let Some(chosen) = branch.and_then(|branch| picker.branches.get(branch)) else { continue };
            match &chosen.adds {
                BranchAdds::Part(place) => next.add(place),
                BranchAdds::Type(known) => next.narrowed = Some(*known),
            }
            if let (None, Some(branch)) = (picked, branch) {
                grown.picks.push(UnionPick { at: picker.at.clone(), branch });
            }
        }
        if next == grown.sub {
            break;
        }
        grown.field = planner.open(&next);
        grown.sub = next;
    }
    let pickers = &grown.field.pickers;
    grown.picks.retain(|pick| pickers.iter().any(|picker| picker.at == pick.at));
    grown
}

/// The branch of a union: the first that fits, else one that may, of those the one with most constants in common.
fn pick(fits: &SchemaFits<'_>, picker: &UnionPicker, value: &Json, picking: Picking) -> Option<usize> {
    let is_of_types = picker.branches.iter().all(|branch| matches!(branch.adds, BranchAdds::Type(_)));
    match picking {
        Picking::First => return Some(0),
        Picking::Types => return is_of_types.then_some(0),
        Picking::Value => {}
    }
    let mut best: Option<((bool, usize), usize)> = None;
    for (number, branch) in picker.branches.iter().enumerate() {
        let (fit, constants) = match &branch.adds {
            BranchAdds::Type(known) if known.has(value) => (Fit::Yes, 0),
            BranchAdds::Type(_) => (Fit::No, 0),
            BranchAdds::Part(place) => (fits.at(place, value), fits.constants(place, value)),
        };
        let score = match fit {
            Fit::Yes => return Some(number),
            Fit::Unknown => (true, constants),
            Fit::No => (false, constants),
        };
        let is_useful = fit == Fit::Unknown || constants > 0;
        if is_useful && best.is_none_or(|(known, _)| score > known) {
            best = Some((score, number));
        }
    }
    best.map(|(_, number)| number).or(is_of_types.then_some(0))
}
