//! Acceptance cases of the rules.

pub(crate) mod clean;
mod documented;
mod fixtures;
mod texts;
