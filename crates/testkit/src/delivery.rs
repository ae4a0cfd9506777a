//! How an answer is sent: its pace and its faults.

use minijinja::{Error, ErrorKind, Value};
use serde::Deserialize;

use crate::text::Expression;

/// How an answer is sent. Everything is optional: what a step leaves open is taken from the scenario, then
/// from the defaults.
///
/// An event is one `data:` frame, counted from 1; comments do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Delivery {
    /// Tokens (a word, two Chinese characters, a sign) per event; default 1.
    pub tokens_per_event: Option<Amount>,
    /// Pause before each event, in milliseconds; default 0.
    pub delay_ms: Option<Amount>,
    /// `: keep-alive` comments before the first event; default 1.
    pub keep_alives: Option<Amount>,
    /// Send every byte in a chunk of its own.
    pub byte_by_byte: Option<bool>,
    /// Stop after this event until the test releases the answer.
    pub hold_after_event: Option<Amount>,
    /// Lose the connection after this event.
    pub cut_after_event: Option<Amount>,
    /// Lose the connection after this many bytes of the body.
    pub cut_at_byte: Option<Amount>,
    /// End the body in an orderly way, as a proxy does, instead of losing the connection.
    pub cut_cleanly: Option<bool>,
    /// Send an error object after this event, and end there.
    pub error_after_event: Option<Amount>,
}

/// A number, or an expression that computes it from the request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// The number.
    Number(u64),
    /// What to work out.
    Expression(Expression),
}

/// A [`Delivery`] with every number computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeliveryPlan {
    pub(crate) tokens_per_event: usize,
    pub(crate) delay_ms: u64,
    pub(crate) keep_alives: u64,
    pub(crate) byte_by_byte: bool,
    pub(crate) hold_after_event: Option<u64>,
    pub(crate) cut: Option<StreamCut>,
    pub(crate) error_after_event: Option<u64>,
}

/// Where and how a stream is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamCut {
    pub(crate) place: CutPlace,
    pub(crate) cleanly: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutPlace {
    AfterEvent(u64),
    AtByte(u64),
}

impl Delivery {
    /// This delivery, completed by the other.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        let other = other.clone();
        Self {
            tokens_per_event: self.tokens_per_event.or(other.tokens_per_event),
            delay_ms: self.delay_ms.or(other.delay_ms),
            keep_alives: self.keep_alives.or(other.keep_alives),
            byte_by_byte: self.byte_by_byte.or(other.byte_by_byte),
            hold_after_event: self.hold_after_event.or(other.hold_after_event),
            cut_after_event: self.cut_after_event.or(other.cut_after_event),
            cut_at_byte: self.cut_at_byte.or(other.cut_at_byte),
            cut_cleanly: self.cut_cleanly.or(other.cut_cleanly),
            error_after_event: self.error_after_event.or(other.error_after_event),
        }
    }

    pub(crate) fn plan(&self, context: &Value) -> Result<DeliveryPlan, Error> {
        let number =
            |amount: &Option<Amount>| amount.as_ref().map(|amount| amount.value(context)).transpose();
        let after_event = number(&self.cut_after_event)?.map(CutPlace::AfterEvent);
        let at_byte = number(&self.cut_at_byte)?.map(CutPlace::AtByte);
        let cleanly = self.cut_cleanly.unwrap_or(false);
        Ok(DeliveryPlan {
            tokens_per_event: number(&self.tokens_per_event)?
                .and_then(|tokens| usize::try_from(tokens).ok())
                .unwrap_or(1)
                .max(1),
            delay_ms: number(&self.delay_ms)?.unwrap_or(0),
            keep_alives: number(&self.keep_alives)?.unwrap_or(1),
            byte_by_byte: self.byte_by_byte.unwrap_or(false),
            hold_after_event: number(&self.hold_after_event)?,
            cut: after_event.or(at_byte).map(|place| StreamCut { place, cleanly }),
            error_after_event: number(&self.error_after_event)?,
        })
    }
}

impl Amount {
    fn value(&self, context: &Value) -> Result<u64, Error> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Expression(expression) => u64::try_from(expression.value(context)?).map_err(|why| {
                Error::new(ErrorKind::InvalidOperation, format!("`{expression}` is no count: {why}"))
            }),
        }
    }
}
