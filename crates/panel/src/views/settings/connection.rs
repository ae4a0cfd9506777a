//! The connection test: its button and its outcome.

use leptos::prelude::*;
use sidecar_protocol::ErrorClass;
use sidecar_protocol::connection_test::{ConnectionCheck, ConnectionTest};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::{Word, Words, use_words};

use crate::phrases::model_error;
use crate::state::settings::PanelSettingsStore;
use crate::state::{PanelState, use_state};
use crate::word;

/// The button and the outcome of the last test.
#[component]
pub fn Connection() -> impl IntoView {
    let PanelState { settings, .. } = use_state();
    let press = move |_| settings.try_connection();
    view! {
        <div class="field">
            <WordButton testid="try-connection" word=word::TRIAL_BUTTON class="start" disabled=settings.trying press=press />
            <Outcome />
        </div>
    }
}

/// The outcome of the last test, or that one is running.
#[component]
pub fn Outcome() -> impl IntoView {
    let words = use_words();
    let PanelState { settings, .. } = use_state();
    view! {
        <div role="status" data-testid="trial">
            {move || {
                if settings.trying.get() {
                    view! { <p class="meta">{words.text(word::TRIAL_RUNNING)}</p> }.into_any()
                } else {
                    settings.trial.get().map_or_else(|| ().into_any(), |trial| outcome(words, settings, &trial))
                }
            }}
        </div>
    }
}

/// Each check with its outcome, and what to do about the one that failed.
fn outcome(words: Words, settings: PanelSettingsStore, trial: &ConnectionTest) -> AnyView {
    let failed = trial.failed;
    // Without a key nothing is sent, so the address was not tested either.
    let was_sent = trial.error.as_ref().is_none_or(|error| error.class != ErrorClass::NoKey);
    let line = move |check: ConnectionCheck| {
        let (sign, outcome, outcome_name) = match failed {
            Some(at) if at == check => (Icon::Cross, word::TRIAL_FAILED, "failed"),
            Some(at) if at < check || !was_sent => (Icon::Clock, word::TRIAL_UNKNOWN, "unknown"),
            Some(_) | None => (Icon::Check, word::TRIAL_PASSED, "passed"),
        };
        view! {
            <li data-outcome=outcome_name>
                {icon(sign)}
                {words.text(name(check))}
                <span class="visually-hidden">": "{words.text(outcome)}</span>
            </li>
        }
        .into_any()
    };
    let advice = match (&trial.error, failed) {
        (Some(error), _) => words.sentences(
            &model_error::what(words, &settings.provider(), error),
            model_error::next(words, error),
        ),
        (None, Some(ConnectionCheck::Streaming)) => words.get(word::TRIAL_NO_STREAM).to_owned(),
        (None, Some(_)) => words.get(word::TRIAL_NO_CALL).to_owned(),
        (None, None) if trial.prompted => {
            words.fill(word::TRIAL_GOOD_IN_WORDS, &[("duration", &words.duration(trial.duration_ms))])
        }
        (None, None) => words.fill(word::TRIAL_GOOD, &[("duration", &words.duration(trial.duration_ms))]),
    };
    let message =
        trial.error.as_ref().map(|error| error.message.clone()).filter(|message| !message.is_empty());
    view! {
        <ul class="checks">{ConnectionCheck::ALL.into_iter().map(line).collect_view()}</ul>
        <p data-testid="trial-advice">{advice}</p>
        {message.map(|message| view! { <p class="meta">{words.fill(word::ERROR_WORDS, &[("message", &message)])}</p> }.into_any())}
    }
    .into_any()
}

fn name(check: ConnectionCheck) -> Word {
    match check {
        ConnectionCheck::Reach => word::TRIAL_REACH,
        ConnectionCheck::Key => word::TRIAL_KEY,
        ConnectionCheck::Model => word::TRIAL_MODEL,
        ConnectionCheck::Streaming => word::TRIAL_STREAMING,
        ConnectionCheck::Tools => word::TRIAL_TOOLS,
    }
}
