//! Everything that comes from outside, changed at random: nothing may panic, fill the memory, depend on how bytes were
//! cut, or let a call run that must not.
//!
//! Each test goes on for `FUZZ_SECONDS` (2 unless set): `cargo xtask fuzz --seconds N`. What it finds it makes small and
//! prints; `docs/decisions/0012-fuzzing.md` says why it is done so.
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
