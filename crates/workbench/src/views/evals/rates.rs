//! What each model reached, to be seen at a glance: rates as bars with their intervals, and which models differ.

use leptos::prelude::*;
use sidecar_evals::report::pairs::{ModelPair, pairs};
use sidecar_evals::report::summary::ModelSummary;
use sidecar_evals::statistics::Rate;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::state::use_workbench;
use crate::views::evals::look::model_name;
use crate::word;

/// The bars. Whoever does not see them finds the numbers in the table.
#[component]
pub fn RatesPlot(models: Memo<Vec<ModelSummary>>) -> impl IntoView {
    let words = use_words();
    let rates = Memo::new(move |_| {
        let models = models.get();
        models.into_iter().filter_map(|model| Some((model.model, model.rate?))).collect::<Vec<_>>()
    });
    view! {
        <Show when=move || rates.with(|rates| !rates.is_empty())>
            <div class="eval-rates" aria-hidden="true" data-testid="evals-rates">
                {move || rates.get().iter().map(|(model, rate)| bar(words, model, *rate)).collect::<Vec<_>>()}
            </div>
        </Show>
    }
}

/// A bar as long as the rate, and its interval over it.
fn bar(words: Words, model: &str, Rate { value, low, high, .. }: Rate) -> AnyView {
    let percent = |share: f64| format!("{:.1}%", share * 100.0);
    let length = format!("width: {}", percent(value));
    let interval = format!("left: {}; width: {}", percent(low), percent(high - low));
    view! {
        <span class="eval-rate-name">{model_name(words, model)}</span>
        <span class="eval-rate-track">
            <span class="eval-rate-bar" style=length></span>
            <span class="eval-rate-interval" style=interval></span>
        </span>
    }
    .into_any()
}

/// The models beside each other; nothing of one alone.
#[component]
pub fn ModelPairs() -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let pairs = Memo::new(move |_| {
        evals.report.with(|report| report.as_ref().map(|report| pairs(report)).unwrap_or_default())
    });
    let sentence = move |pair: ModelPair| {
        let kind = if pair.is_shown() { "differ" } else { "same" };
        let text = pair.sentence(words.language());
        view! { <li data-testid="evals-pair" data-kind=kind>{text}</li> }.into_any()
    };
    view! {
        <Show when=move || pairs.with(|pairs| !pairs.is_empty())>
            <h3>{words.text(word::EVALS_PAIRS)}</h3>
            <ul class="eval-notes">{move || pairs.get().into_iter().map(sentence).collect::<Vec<_>>()}</ul>
        </Show>
    }
}
