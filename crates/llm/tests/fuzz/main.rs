//! Random changes to everything that comes from outside: nothing may panic, fill the memory, depend on how
//! bytes were cut, or make a call run that must not.
//!
//! Each test runs for `FUZZ_SECONDS` (2 by default): `cargo xtask fuzz --seconds N`. Failures are minimised
//! and printed; `docs/decisions/0012-fuzzing.md` says why it is done this way.
#![allow(clippy::unwrap_used)] // all of it is a test

mod addresses;
mod arguments;
mod bodies;
mod changes;
mod chunks;
mod decoders;
mod inline_calls;
mod names;
mod seeds;
mod time;
