//! The log of calls: one line for each call, without secrets.

pub(crate) mod mask;
mod recorder;

pub use recorder::{DirectCallEnd, Recorder};
