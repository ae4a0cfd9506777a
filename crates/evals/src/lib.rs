//! Evals: does a model call the right tools of a site?
//!
//! A suite is a file in the format of webmcp-evals (GoogleChromeLabs/webmcp-tools), which sites keep in their repositories.
//! This crate reads such files, judges what a model called, exactly as that runner does and also more leniently, and says
//! what the verdicts are worth. Pure: no browser, no network, no clock.

pub mod expected;
pub mod judged;
pub mod lenient;
pub mod lint;
pub mod matcher;
pub mod mocks;
pub mod pattern;
pub mod simulation;
pub mod statistics;
pub mod suite;
pub mod tools;
mod wording;

pub use expected::{CallNode, Expectation, ExpectedNode};
pub use judged::{CallMade, JudgedRow, RowOutcome, RunOutcome, judge, outcome};
pub use suite::{EvalCase, EvalSuite, SuiteFault, SuiteNote, read};
