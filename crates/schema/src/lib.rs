//! The input schemas of tools, as pages write them (JSON Schema, drafts 06 to 2020-12).
//!
//! A schema has two readers. A call's arguments are checked against it before the page sees them, and a mistake is put
//! into words that a model can act on ([`Validators`]). The model itself reads it first, in a form that its service
//! takes ([`tidy`]). What is wrong with a schema is for its developer ([`problem`]), and blocks no tool.
//!
//! Pure, and the only user of `jsonschema`. A schema is a page's, so it may be broken or made to cost: nothing here
//! panics, and all work is bounded.

mod cost;
mod explain;
mod keyword;
mod limit;
mod pointer;
mod problem;
mod schema;
#[cfg(test)]
mod testing;
pub mod tidy;
mod validators;

pub use explain::Mistake;
pub use limit::SCHEMA_LIMIT;
pub use problem::Problem;
pub use schema::problem;
pub use sidecar_protocol::schema::SchemaProfile;
pub use tidy::{Tidied, tidy};
pub use validators::Validators;
