//! What can go wrong with a model, in classes by what the user can do about it.

use serde::{Deserialize, Serialize};

/// Why a model did not answer. The panel has one sentence and one next step for each, in each language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ErrorClass {
    /// The provider needs a key, and none is saved.
    NoKey,
    /// 401 or 403: the key was refused.
    Auth,
    /// 402 and the like: no balance or no quota. Never retried.
    Money,
    /// 429: too many requests. Retried, honouring `Retry-After`.
    Rate,
    /// 500, 502, 503, 504, 529: the service is in trouble. Retried.
    Overload,
    /// The conversation is longer than the model's window.
    Context,
    /// The provider's content filter refused.
    Filter,
    /// Any other refusal of the request; the provider's own text is shown.
    Protocol,
    /// Nothing answered: no network, a wrong address, a refused connection.
    Network,
    /// The answer broke off. What arrived is kept, and none of its tool calls runs.
    StreamCut,
}

impl ErrorClass {
    /// Every class, for tables and tests.
    pub const ALL: [Self; 10] = [
        Self::NoKey,
        Self::Auth,
        Self::Money,
        Self::Rate,
        Self::Overload,
        Self::Context,
        Self::Filter,
        Self::Protocol,
        Self::Network,
        Self::StreamCut,
    ];

    /// A stable short code: shown beside the sentence, logged, and part of `data-testid`s.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NoKey => "no_key",
            Self::Auth => "auth",
            Self::Money => "money",
            Self::Rate => "rate",
            Self::Overload => "overload",
            Self::Context => "context",
            Self::Filter => "filter",
            Self::Protocol => "protocol",
            Self::Network => "network",
            Self::StreamCut => "stream_cut",
        }
    }

    /// Whether waiting and asking again may help without the user doing anything.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        match self {
            Self::Rate | Self::Overload => true,
            Self::NoKey
            | Self::Auth
            | Self::Money
            | Self::Context
            | Self::Filter
            | Self::Protocol
            | Self::Network
            | Self::StreamCut => false,
        }
    }
}

/// The exact problem, where more is known than its class.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cause {
    /// The key was refused, and may belong to another region or plan of the same service, which is refused
    /// with the same message.
    OtherPlatform,
    /// The server does not accept requests from a browser extension until it is configured to (CORS).
    Origin,
    /// This field is unknown or not allowed, and a request can do without it.
    Field(String),
    /// There is no such model, or the key may not use it.
    Model,
    /// The model, or its server as it was started, does not support tool calls.
    NoTools,
    /// The browser's own model is not on this device, or not yet.
    NotOnDevice,
    /// The service sent more than an answer can hold. What came before is kept, and none of its tool calls
    /// runs.
    TooLong,
}

impl Cause {
    /// A stable short code, as [`ErrorClass::code`] is.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::OtherPlatform => "other_platform",
            Self::Origin => "origin",
            Self::Field(_) => "field",
            Self::Model => "model",
            Self::NoTools => "no_tools",
            Self::NotOnDevice => "not_on_device",
            Self::TooLong => "too_long",
        }
    }
}

/// One failure of a model, as it is logged and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelError {
    /// What kind of failure.
    pub class: ErrorClass,
    /// HTTP status, where there was an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The provider's own message (untrusted, at most 2,000 characters), or a technical detail; may be
    /// empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// How long the service asked us to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The exact problem, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

impl ModelError {
    /// An error of a class with a detail; nothing else is known.
    #[must_use]
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, status: None, message: message.into(), retry_after_ms: None, cause: None }
    }

    /// The field that the service refused and a request can do without.
    #[must_use]
    pub fn refused_field(&self) -> Option<&str> {
        match &self.cause {
            Some(Cause::Field(field)) => Some(field),
            // Tools can be described in the prompt instead.
            Some(Cause::NoTools) => Some("tools"),
            Some(
                Cause::OtherPlatform | Cause::Origin | Cause::Model | Cause::NotOnDevice | Cause::TooLong,
            )
            | None => None,
        }
    }

    /// The code of the cause if there is one, otherwise that of the class.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.cause.as_ref().map_or(self.class.code(), Cause::code)
    }
}

/// What is wrong with the storage on this computer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StorageTrouble {
    /// Anything else: see the browser's own message.
    #[default]
    Other,
    /// The disk or the browser's quota is full.
    Full,
    /// A later version of the extension has upgraded the database; this version does not touch it.
    Newer,
    /// Another part of the extension still holds the database open in its old version.
    Blocked,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_codes_are_stable() {
        let causes = [
            Cause::OtherPlatform,
            Cause::Origin,
            Cause::Field("think".to_owned()),
            Cause::Model,
            Cause::NoTools,
            Cause::NotOnDevice,
            Cause::TooLong,
        ];
        let codes = causes.each_ref().map(Cause::code);
        assert_eq!(
            codes,
            ["other_platform", "origin", "field", "model", "no_tools", "not_on_device", "too_long"]
        );
        let error = ModelError::new(ErrorClass::Auth, "");
        assert_eq!(error.code(), "auth");
        assert_eq!(ModelError { cause: Some(Cause::OtherPlatform), ..error }.code(), "other_platform");
    }
}
