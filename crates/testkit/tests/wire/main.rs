//! The server over real HTTP: what it sends, what it refuses, its faults, and its scenarios.
#![allow(clippy::unwrap_used)] // helpers of tests; clippy knows only the tests themselves

mod client;
mod control;
mod faults;
mod flights;
mod refusals;
mod scenarios;
mod shape;
