//! Evals: does a model call the right tools of a site?
//!
//! A suite is a file in the format of webmcp-evals (GoogleChromeLabs/webmcp-tools), which sites keep in their repositories.
//! This crate reads such files, leads a model through a case, judges what it called, exactly as that runner does and also
//! more leniently, and says what the verdicts are worth. Pure: no browser, no network, no clock.

pub mod consent;
pub mod exchange;
pub mod expected;
pub mod extras;
mod fault;
pub mod hash;
pub mod judged;
pub mod lead;
pub mod lenient;
pub mod lint;
mod masked;
pub mod matcher;
pub mod mocks;
pub mod offer;
pub mod page;
pub mod pattern;
pub mod prompt;
pub mod reason;
pub mod record;
pub mod report;
pub mod run;
pub mod saved;
pub mod scripted;
pub mod shard;
pub mod simulation;
pub mod smoke;
pub mod statistics;
pub mod suite;
pub mod tools;
pub mod verdict;
mod wording;

pub use expected::{CallNode, Expectation, ExpectedNode};
pub use judged::{CallMade, JudgedRow, RowOutcome, RunOutcome, judge, outcome};
pub use suite::{EvalCase, EvalSuite, SuiteFault, SuiteNote, read};
