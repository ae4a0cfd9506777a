//! What a refusal means.

use sidecar_protocol::error::ModelError;

/// Reads a response that is no success: status, headers by lower-case name, and body.
#[must_use]
pub fn classify(_status: u16, _headers: &dyn Fn(&str) -> Option<String>, _body: &str) -> ModelError {
    unimplemented!()
}
