//! A conversation, in a form that is independent of any service.

pub(crate) mod image;
pub(crate) mod message;
pub(crate) mod provider_state;
pub(crate) mod steps;
