//! The server over real HTTP: what it sends, what it refuses, what can go wrong with it, and what every scenario says.
#![allow(clippy::unwrap_used)] // helpers of tests; clippy knows only the tests themselves

mod client;
mod control;
mod faults;
mod flights;
mod refusals;
mod scenarios;
mod shape;
