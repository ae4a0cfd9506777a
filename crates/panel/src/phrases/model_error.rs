//! Phrases for model errors: what happened and why, and what to do next.

use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::thread::Omission;
use sidecar_protocol::{Cause, ErrorClass, ModelError};
use sidecar_ui::words::{Word, Words};

use crate::word;

/// What happened, and why.
pub fn what(words: Words, provider: &str, error: &ModelError) -> String {
    let status = error
        .status
        .map(|status| words.fill(word::ERROR_STATUS, &[("status", &status.to_string())]))
        .unwrap_or_default();
    let field = error.refused_field().unwrap_or_default();
    words.fill(sentence(error), &[("provider", provider), ("status", &status), ("field", field)])
}

/// What to do next.
pub fn next(words: Words, error: &ModelError) -> &'static str {
    words.get(match (&error.cause, error.class) {
        (Some(Cause::OtherPlatform), _) => word::NEXT_OTHER_PLATFORM,
        (Some(Cause::Origin), _) => word::NEXT_ORIGIN,
        (Some(Cause::Model), _) => word::NEXT_MODEL,
        (Some(Cause::NoTools), _) => word::NEXT_NO_TOOLS,
        (Some(Cause::NotOnDevice), _) => word::NEXT_NOT_ON_DEVICE,
        (Some(Cause::TooLong), _) => word::NEXT_TOO_LONG,
        (Some(Cause::Field(_)), _) | (None, ErrorClass::Protocol) => word::NEXT_PROTOCOL,
        (None, ErrorClass::NoKey) => word::NEXT_NO_KEY,
        (None, ErrorClass::Auth) => word::NEXT_AUTH,
        (None, ErrorClass::Money) => word::NEXT_MONEY,
        (None, ErrorClass::Rate) => word::NEXT_RATE,
        (None, ErrorClass::Overload) => word::NEXT_OVERLOAD,
        (None, ErrorClass::Context) => word::NEXT_CONTEXT,
        (None, ErrorClass::Filter) => word::NEXT_FILTER,
        (None, ErrorClass::Network) => word::NEXT_NETWORK,
        (None, ErrorClass::StreamCut) => word::NEXT_STREAM_CUT,
    })
}

/// What the user can leave out of the request so that it may succeed.
pub fn can_leave_out(class: ErrorClass) -> Option<Omission> {
    match class {
        ErrorClass::Context => Some(Omission::History),
        ErrorClass::Filter => Some(Omission::PageContent),
        ErrorClass::NoKey
        | ErrorClass::Auth
        | ErrorClass::Money
        | ErrorClass::Rate
        | ErrorClass::Overload
        | ErrorClass::Protocol
        | ErrorClass::Network
        | ErrorClass::StreamCut => None,
    }
}

/// A JSON report of the error for whoever is asked for help, without a key. `provider` is the provider's name;
/// `address` is empty if unknown.
pub fn report(provider: String, asked: Option<&ModelChoice>, address: &str, error: &ModelError) -> String {
    let about = [
        ("extension", env!("CARGO_PKG_VERSION").to_owned()),
        ("provider", provider),
        ("address", address.to_owned()),
        ("model", asked.map(|asked| asked.model.clone()).unwrap_or_default()),
        ("code", error.code().to_owned()),
        ("class", error.class.code().to_owned()),
        ("status", error.status.map(|status| status.to_string()).unwrap_or_default()),
        ("message", error.message.clone()),
    ];
    let line = |(name, value): &(&str, String)| {
        format!("  \"{name}\": {}", serde_json::to_string(value).unwrap_or_default())
    };
    format!("{{\n{}\n}}", about.iter().map(line).collect::<Vec<_>>().join(",\n"))
}

/// Whether the next step is in Settings.
pub fn needs_settings(class: ErrorClass) -> bool {
    match class {
        ErrorClass::NoKey
        | ErrorClass::Auth
        | ErrorClass::Money
        | ErrorClass::Overload
        | ErrorClass::Context
        | ErrorClass::Protocol
        | ErrorClass::Network => true,
        ErrorClass::Rate | ErrorClass::Filter | ErrorClass::StreamCut => false,
    }
}

fn sentence(error: &ModelError) -> Word {
    match (&error.cause, error.class) {
        (Some(Cause::Origin), _) => word::ERROR_ORIGIN,
        (Some(Cause::Field(_)), _) => word::ERROR_FIELD,
        (Some(Cause::Model), _) => word::ERROR_MODEL,
        (Some(Cause::NoTools), _) => word::ERROR_NO_TOOLS,
        (Some(Cause::NotOnDevice), _) => word::ERROR_NOT_ON_DEVICE,
        (Some(Cause::TooLong), _) => word::ERROR_TOO_LONG,
        (_, ErrorClass::NoKey) => word::ERROR_NO_KEY,
        (_, ErrorClass::Auth) => word::ERROR_AUTH,
        (_, ErrorClass::Money) => word::ERROR_MONEY,
        (_, ErrorClass::Rate) => word::ERROR_RATE,
        (_, ErrorClass::Overload) => word::ERROR_OVERLOAD,
        (_, ErrorClass::Context) => word::ERROR_CONTEXT,
        (_, ErrorClass::Filter) => word::ERROR_FILTER,
        (_, ErrorClass::Protocol) => word::ERROR_PROTOCOL,
        (_, ErrorClass::Network) => word::ERROR_NETWORK,
        (_, ErrorClass::StreamCut) => word::ERROR_STREAM_CUT,
    }
}
