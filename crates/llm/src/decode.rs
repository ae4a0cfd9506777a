//! Decodes the bytes of a stream into the model's answer.

pub(crate) mod answer;
pub(crate) mod answer_builder;
pub(crate) mod calls;
pub(crate) mod chunks;
pub(crate) mod decoder;
pub(crate) mod event;
pub(crate) mod thoughts;
pub(crate) mod usage;
