//! Whether and when to ask again.

use sidecar_protocol::error::ModelError;

/// Most requests for one answer: the first, and four more.
pub const MAX_ATTEMPTS: u32 = 5;

/// How long to wait after attempt number `attempt` (from 1) failed, in milliseconds; `None` when asking again is of
/// no use. `jitter` is a random number from 0 to 1.
#[must_use]
pub fn retry_delay_ms(_error: &ModelError, _attempt: u32, _jitter: f64) -> Option<u64> {
    unimplemented!()
}
