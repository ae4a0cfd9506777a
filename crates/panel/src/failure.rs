//! A model's failure in words: what happened and why, and what to do next.

use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::thread::Without;
use sidecar_protocol::{Cause, ErrorClass, ModelError};

use crate::state::State;
use crate::words::{Word, Words};

/// What happened, and why.
pub fn what(words: Words, provider: &str, error: &ModelError) -> String {
    let status = error
        .status
        .map(|status| words.fill(Word::ErrorStatus, &[("status", &status.to_string())]))
        .unwrap_or_default();
    let field = error.refused_field().unwrap_or_default();
    words.fill(sentence(error), &[("provider", provider), ("status", &status), ("field", field)])
}

/// What to do next.
pub fn next(words: Words, error: &ModelError) -> &'static str {
    words.get(match (&error.cause, error.class) {
        (Some(Cause::OtherPlatform), _) => Word::NextOtherPlatform,
        (Some(Cause::Origin), _) => Word::NextOrigin,
        (Some(Cause::Model), _) => Word::NextModel,
        (Some(Cause::NoTools), _) => Word::NextNoTools,
        (Some(Cause::NotOnDevice), _) => Word::NextNotOnDevice,
        (Some(Cause::TooLong), _) => Word::NextTooLong,
        (Some(Cause::Field(_)), _) | (None, ErrorClass::Protocol) => Word::NextProtocol,
        (None, ErrorClass::NoKey) => Word::NextNoKey,
        (None, ErrorClass::Auth) => Word::NextAuth,
        (None, ErrorClass::Money) => Word::NextMoney,
        (None, ErrorClass::Rate) => Word::NextRate,
        (None, ErrorClass::Overload) => Word::NextOverload,
        (None, ErrorClass::Context) => Word::NextContext,
        (None, ErrorClass::Filter) => Word::NextFilter,
        (None, ErrorClass::Network) => Word::NextNetwork,
        (None, ErrorClass::StreamCut) => Word::NextStreamCut,
    })
}

/// What it may help to leave out of what the model is told.
pub fn can_leave_out(class: ErrorClass) -> Option<Without> {
    match class {
        ErrorClass::Context => Some(Without::History),
        ErrorClass::Filter => Some(Without::PageContent),
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

/// Everything that is known of it, for whoever is asked for help: JSON, without a key. `address` is empty where it is not
/// known.
pub fn report(state: State, asked: Option<&ModelChoice>, address: &str, error: &ModelError) -> String {
    let about = [
        ("extension", env!("CARGO_PKG_VERSION").to_owned()),
        ("provider", state.provider_asked(asked, address)),
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
        (Some(Cause::Origin), _) => Word::ErrorOrigin,
        (Some(Cause::Field(_)), _) => Word::ErrorField,
        (Some(Cause::Model), _) => Word::ErrorModel,
        (Some(Cause::NoTools), _) => Word::ErrorNoTools,
        (Some(Cause::NotOnDevice), _) => Word::ErrorNotOnDevice,
        (Some(Cause::TooLong), _) => Word::ErrorTooLong,
        (_, ErrorClass::NoKey) => Word::ErrorNoKey,
        (_, ErrorClass::Auth) => Word::ErrorAuth,
        (_, ErrorClass::Money) => Word::ErrorMoney,
        (_, ErrorClass::Rate) => Word::ErrorRate,
        (_, ErrorClass::Overload) => Word::ErrorOverload,
        (_, ErrorClass::Context) => Word::ErrorContext,
        (_, ErrorClass::Filter) => Word::ErrorFilter,
        (_, ErrorClass::Protocol) => Word::ErrorProtocol,
        (_, ErrorClass::Network) => Word::ErrorNetwork,
        (_, ErrorClass::StreamCut) => Word::ErrorStreamCut,
    }
}
