//! Forms from schemas: the fields of a tool's arguments, their values, and examples of them.
//!
//! A page's schema becomes a [`FormPlan`], which plans fields one level at a time, so that recursion has no end and needs
//! none. [`FormState`] holds what the user typed, drafts included, and gives the JSON text that a tool is called with:
//! numbers as they were typed, keys in their order. [`example`] fills a form in. Schemas come from pages, so they may be
//! broken or expensive on purpose: nothing here panics, and all work is bounded. Whether arguments fit is for others to
//! say. Pure: no browser, no network, no clock.

mod condition;
mod decimal;
pub mod example;
pub mod fact;
pub mod field;
mod fits;
mod growth;
pub mod json;
mod json_type;
mod key_pattern;
pub mod moment;
pub mod plan;
mod planner;
pub mod reason;
pub mod sets;
mod source;
pub mod state;
mod subschema;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod union;
mod witness;
mod wording;

pub use example::{Fill, FormExample, example};
pub use fact::{FactKind, FieldFact};
pub use field::{FormField, Widget};
pub use growth::UnionPick;
pub use json::{Json, JsonFault};
pub use json_type::JsonType;
pub use plan::{FormPlan, plan};
pub use reason::RawReason;
pub use sets::{ArgumentSet, SetAim, sets};
pub use source::SchemaPlace;
pub use state::{FieldId, FieldValue, FormNode, FormState};
pub use subschema::SubSchema;
