//! The input schemas of tools, as pages write them (JSON Schema, drafts 06 to 2020-12).
//!
//! A schema has two uses. A call's arguments are checked against it before the page sees them, and mistakes
//! are explained to the model ([`Validators`]). Before that the model reads it, in a form that its service
//! accepts ([`tidy`]). What is wrong with a schema is for its developer ([`problem`], [`misfits()`], [`impossible`],
//! or [`faults()`] for many) and blocks no tool; so is what a new version refuses ([`narrowing()`]).
//!
//! Pure, and the only user of `jsonschema`. Schemas come from pages, so they may be broken or expensive on
//! purpose: nothing here panics, and all work is bounded.

mod bundle;
mod constraints;
mod cost;
mod deviation;
mod explain;
mod expression;
mod faults;
mod keyword;
mod limit;
mod meta;
mod misfits;
mod narrowing;
mod parts;
mod pointer;
mod problem;
mod schema;
#[cfg(test)]
mod testing;
pub mod tidy;
mod validators;
mod witness;

pub use constraints::constraints;
pub use deviation::{Deviation, DeviationKind, FileSchema};
pub use explain::Mistake;
pub use expression::{PatternUse, pattern_use};
pub use faults::{SchemaFaults, faults};
pub use limit::SCHEMA_LIMIT;
pub use misfits::{is_of_type, misfits};
pub use narrowing::{Narrowing, impossible, narrowing};
pub use parts::{PartRole, SchemaPart, parts};
pub use pointer::target;
pub use problem::Problem;
pub use schema::problem;
pub use sidecar_protocol::schema::SchemaProfile;
pub use tidy::{Tidied, tidy};
pub use validators::Validators;
