//! The filter of the Log view.

use leptos::prelude::*;
use sidecar_protocol::call_log::OutcomeKind;
use sidecar_ui::words::{Words, use_words};

use crate::state::use_state;
use crate::views::choice::Choice;
use crate::views::log::outcome::{kind_name, kind_word};
use crate::word;

#[component]
pub fn Filter() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let filter = state.log.calls.filter;
    let outcomes = Signal::derive(move || {
        let one = |kind| (kind_name(kind).to_owned(), words.get(kind_word(kind)).to_owned());
        with_all(words, OutcomeKind::ALL.map(one).to_vec())
    });
    let names = move |names: RwSignal<Vec<String>>| {
        Signal::derive(move || {
            let names = names.get().into_iter().map(|name| (name.clone(), name)).collect();
            with_all(words, names)
        })
    };
    view! {
        <div class="log-filter">
            <input
                type="search"
                data-testid="log-search"
                aria-label=words.text(word::LOG_SEARCH)
                placeholder=words.text(word::LOG_SEARCH)
                autocomplete="off"
                prop:value=Signal::derive(move || filter.with(|filter| filter.text.clone()))
                on:input:target=move |event| {
                    let text = event.target().value();
                    state.log.filter_calls(|filter| filter.text = text);
                }
            />
            <div class="log-choices">
                <Choice
                    testid="log-site"
                    label=word::LOG_SITE
                    choices=names(state.log.calls.sites)
                    chosen=Memo::new(move |_| filter.with(|filter| filter.site.clone().unwrap_or_default()))
                    save=|state, value| state.log.filter_calls(|filter| filter.site = chosen(value))
                />
                <Choice
                    testid="log-tool"
                    label=word::LOG_TOOL
                    choices=names(state.log.calls.tools)
                    chosen=Memo::new(move |_| filter.with(|filter| filter.tool.clone().unwrap_or_default()))
                    save=|state, value| state.log.filter_calls(|filter| filter.tool = chosen(value))
                />
                <Choice
                    testid="log-outcome"
                    label=word::LOG_OUTCOME
                    choices=outcomes
                    chosen=Memo::new(move |_| {
                        filter.with(|filter| filter.outcome.map(kind_name).unwrap_or_default().to_owned())
                    })
                    save=|state, value| {
                        let kind = OutcomeKind::ALL.into_iter().find(|kind| kind_name(*kind) == value);
                        state.log.filter_calls(|filter| filter.outcome = kind);
                    }
                />
            </div>
        </div>
    }
}

/// Prepends the choice that matches everything.
fn with_all(words: Words, choices: Vec<(String, String)>) -> Vec<(String, String)> {
    let all = (String::new(), words.get(word::LOG_ALL).to_owned());
    std::iter::once(all).chain(choices).collect()
}

fn chosen(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_owned())
}
