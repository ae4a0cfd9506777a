//! A model's failure in words: what happened and why, and what to do next.

use sidecar_protocol::{ErrorClass, ModelError};

use crate::state::State;
use crate::words::{Word, Words};

/// What happened, and why.
pub fn what(state: State, words: Words, error: &ModelError) -> String {
    let status = error
        .status
        .map(|status| words.fill(Word::ErrorStatus, &[("status", &status.to_string())]))
        .unwrap_or_default();
    words.fill(sentence(error.class), &[("provider", &state.provider()), ("status", &status)])
}

/// What to do next.
pub fn next(words: Words, class: ErrorClass) -> &'static str {
    words.get(match class {
        ErrorClass::NoKey => Word::NextNoKey,
        ErrorClass::Auth => Word::NextAuth,
        ErrorClass::Money => Word::NextMoney,
        ErrorClass::Rate => Word::NextRate,
        ErrorClass::Overload => Word::NextOverload,
        ErrorClass::Context => Word::NextContext,
        ErrorClass::Filter => Word::NextFilter,
        ErrorClass::Protocol => Word::NextProtocol,
        ErrorClass::Network => Word::NextNetwork,
        ErrorClass::StreamCut => Word::NextStreamCut,
    })
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

fn sentence(class: ErrorClass) -> Word {
    match class {
        ErrorClass::NoKey => Word::ErrorNoKey,
        ErrorClass::Auth => Word::ErrorAuth,
        ErrorClass::Money => Word::ErrorMoney,
        ErrorClass::Rate => Word::ErrorRate,
        ErrorClass::Overload => Word::ErrorOverload,
        ErrorClass::Context => Word::ErrorContext,
        ErrorClass::Filter => Word::ErrorFilter,
        ErrorClass::Protocol => Word::ErrorProtocol,
        ErrorClass::Network => Word::ErrorNetwork,
        ErrorClass::StreamCut => Word::ErrorStreamCut,
    }
}
