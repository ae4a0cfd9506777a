//! What is said to a model and what it answered before, in no service's form.

pub(crate) mod message;
pub(crate) mod provider_state;
pub(crate) mod steps;
