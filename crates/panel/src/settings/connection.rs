//! A trial of the connection: one button, and what it found.

use leptos::prelude::*;
use sidecar_protocol::ErrorClass;
use sidecar_protocol::trial::{Check, Trial};

use crate::button::WordButton;
use crate::failure;
use crate::icons::{Icon, icon};
use crate::state::{State, use_state};
use crate::words::{Word, Words, use_words};

/// The button, and the checks of the last trial, until anything about the model changes.
#[component]
pub fn Connection() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let about = Memo::new(move |_| format!("{} {} {}", state.base_url(), state.model(), state.has_key()));
    Effect::new(move |_| {
        about.track();
        state.trying.set(false);
        state.trial.set(None);
    });
    let press = move |_| {
        state.trial.set(None);
        state.try_connection();
    };
    view! {
        <div class="field">
            <WordButton testid="try-connection" word=Word::TrialButton class="start" disabled=state.trying press=press />
            <div role="status" data-testid="trial">
                {move || {
                    if state.trying.get() {
                        view! { <p class="meta">{words.text(Word::TrialRunning)}</p> }.into_any()
                    } else {
                        state.trial.get().map_or_else(|| ().into_any(), |trial| outcome(words, state, &trial))
                    }
                }}
            </div>
        </div>
    }
}

/// Every check with its outcome, and what to do about the one that failed.
fn outcome(words: Words, state: State, trial: &Trial) -> AnyView {
    let failed = trial.failed;
    // Without a key nothing is sent, so nothing is known of the address either.
    let was_sent = trial.error.as_ref().is_none_or(|error| error.class != ErrorClass::NoKey);
    let line = move |check: Check| {
        let (sign, outcome, spelt) = match failed {
            Some(at) if at == check => (Icon::Cross, Word::TrialFailed, "failed"),
            Some(at) if at < check || !was_sent => (Icon::Clock, Word::TrialUnknown, "unknown"),
            Some(_) | None => (Icon::Check, Word::TrialPassed, "passed"),
        };
        view! {
            <li data-outcome=spelt>
                {icon(sign)}
                {words.text(name(check))}
                <span class="visually-hidden">": "{words.text(outcome)}</span>
            </li>
        }
        .into_any()
    };
    let advice = match (&trial.error, failed) {
        (Some(error), _) => {
            words.sentences(&failure::what(words, &state.provider(), error), failure::next(words, error))
        }
        (None, Some(Check::Streaming)) => words.get(Word::TrialNoStream).to_owned(),
        (None, Some(_)) => words.get(Word::TrialNoCall).to_owned(),
        (None, None) if trial.in_words => {
            words.fill(Word::TrialGoodInWords, &[("duration", &words.duration(trial.duration_ms))])
        }
        (None, None) => words.fill(Word::TrialGood, &[("duration", &words.duration(trial.duration_ms))]),
    };
    let message =
        trial.error.as_ref().map(|error| error.message.clone()).filter(|message| !message.is_empty());
    view! {
        <ul class="checks">{Check::ALL.into_iter().map(line).collect_view()}</ul>
        <p data-testid="trial-advice">{advice}</p>
        {message.map(|message| view! { <p class="meta">{words.fill(Word::ErrorWords, &[("message", &message)])}</p> }.into_any())}
    }
    .into_any()
}

fn name(check: Check) -> Word {
    match check {
        Check::Reach => Word::TrialReach,
        Check::Key => Word::TrialKey,
        Check::Model => Word::TrialModel,
        Check::Streaming => Word::TrialStreaming,
        Check::Tools => Word::TrialTools,
    }
}
