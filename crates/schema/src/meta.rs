//! Schemas checked against the schema of their draft.
//!
//! Without threads `jsonschema` builds the schema of a draft again for each schema that it reads, which takes longer than
//! all else. Here it is built once.

use std::cell::OnceCell;

use jsonschema::Draft;
use jsonschema::meta::MetaValidator;
use serde_json::Value;

use crate::problem::Problem;
use crate::schema::keyword_problem;

thread_local! {
    static BUILT: [OnceCell<MetaValidator<'static>>; 4] = const { [const { OnceCell::new() }; 4] };
}

/// The draft of a schema; `None` if `$schema` is not exactly the address of one.
pub(crate) fn draft(schema: &Value) -> Option<Draft> {
    let draft = Draft::default().detect(schema);
    place(draft).map(|_| draft)
}

/// The first keyword whose value the draft does not allow. `None` too if the draft is unknown.
pub(crate) fn problem(schema: &Value, draft: Draft) -> Option<Problem> {
    let (at, build) = place(draft)?;
    BUILT.with(|built| built[at].get_or_init(build).validate(schema).err().as_ref().map(keyword_problem))
}

fn place(draft: Draft) -> Option<(usize, fn() -> MetaValidator<'static>)> {
    match draft {
        Draft::Draft6 => Some((0, jsonschema::draft6::meta::validator)),
        Draft::Draft7 => Some((1, jsonschema::draft7::meta::validator)),
        Draft::Draft201909 => Some((2, jsonschema::draft201909::meta::validator)),
        Draft::Draft202012 => Some((3, jsonschema::draft202012::meta::validator)),
        _ => None,
    }
}
