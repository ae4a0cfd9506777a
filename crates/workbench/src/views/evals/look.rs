//! How states, outcomes, models and money of evals are named and shown.

use leptos::prelude::*;
use sidecar_evals::RunOutcome;
use sidecar_evals::smoke;
use sidecar_evals::statistics::Rate;
use sidecar_protocol::eval::EvalState;
use sidecar_protocol::settings::{Price, SettingsView};
use sidecar_protocol::thread::Cost;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::words::{Word, Words};

use crate::word;

/// The name in the document, the icon and the word of a state.
pub fn state_look(state: EvalState) -> (&'static str, Icon, Word) {
    match state {
        EvalState::Running => ("running", Icon::Spinner, word::EVALS_RUNNING),
        EvalState::Stopped => ("stopped", Icon::Pause, word::EVALS_STOPPED),
        EvalState::Done => ("done", Icon::Check, word::EVALS_DONE),
    }
}

/// A state as icon and word.
pub fn state_mark(words: Words, state: EvalState) -> AnyView {
    let (name, sign, text) = state_look(state);
    view! { <span class="mark eval-state" data-state=name>{icon(sign)} {words.text(text)}</span> }.into_any()
}

/// The name in the document, the icon and the word of how a run ended.
pub fn outcome_look(outcome: RunOutcome) -> (&'static str, Icon, Word) {
    match outcome {
        RunOutcome::Pass => ("pass", Icon::Check, word::EVALS_PASS),
        RunOutcome::Fail => ("fail", Icon::Cross, word::EVALS_FAIL),
        RunOutcome::Error => ("error", Icon::Warning, word::EVALS_ERROR),
        RunOutcome::Skipped => ("skipped", Icon::Barred, word::EVALS_NOT_RUN),
        RunOutcome::Cancelled => ("cancelled", Icon::Pause, word::EVALS_STOPPED),
    }
}

/// How a run ended, as icon and word.
pub fn outcome_mark(words: Words, outcome: RunOutcome) -> AnyView {
    let (name, sign, text) = outcome_look(outcome);
    view! { <span class="eval-outcome" data-look=name>{icon(sign)} {words.text(text)}</span> }.into_any()
}

/// The name of a model; of a smoke run, what there was in its stead.
pub fn model_name(words: Words, name: &str) -> String {
    if name == smoke::MODEL { words.get(word::EVALS_PAGE_ALONE).to_owned() } else { name.to_owned() }
}

/// The names of models; nothing of a smoke run.
pub fn model_names(names: &[String]) -> String {
    names.iter().filter(|name| *name != smoke::MODEL).cloned().collect::<Vec<_>>().join(", ")
}

/// A rate with its interval: `85 % (66–100 %, n = 12)`; a dash without one.
pub fn percent(rate: Option<Rate>) -> String {
    rate.map_or_else(|| "–".to_owned(), |rate| rate.to_string())
}

/// Amounts in all their currencies; a dash if nothing is known.
pub fn costs(words: Words, costs: &[Cost]) -> String {
    if costs.is_empty() {
        return "–".to_owned();
    }
    costs.iter().map(|cost| words.cost(&cost.currency, cost.amount)).collect::<Vec<_>>().join(", ")
}

/// A price per million tokens, or that none is known.
pub fn price(words: Words, price: Option<&Price>) -> String {
    let Some(price) = price else { return words.get(word::EVALS_NO_PRICE).to_owned() };
    let (input, output) =
        (words.cost(&price.currency, price.input), words.cost(&price.currency, price.output));
    words.fill(word::EVALS_PRICE, &[("input", &input), ("output", &output)])
}

/// The name of a service.
pub fn service(words: Words, settings: &SettingsView, provider: &str) -> String {
    let preset = settings.presets.iter().find(|preset| preset.id == provider);
    match preset {
        Some(preset) if !preset.name.is_empty() => preset.name.clone(),
        Some(_) => words.get(word::EVALS_CUSTOM).to_owned(),
        None => provider.to_owned(),
    }
}

/// A count as a number for [`Words`].
pub fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or_default()
}
