//! The choice of models.

use leptos::prelude::*;
use sidecar_protocol::settings::{ModelChoice, Price};
use sidecar_ui::dom::focus::is_composing;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{Workbench, use_workbench};
use crate::views::evals::draft::{EvalDraft, usable};
use crate::views::evals::look::{price, service};
use crate::word;

/// The price of a model, if the user entered one.
pub fn price_of(bench: Workbench, choice: &ModelChoice) -> Option<Price> {
    bench.settings.with(|view| {
        let prices = &view.settings.providers.get(&choice.provider)?.prices;
        prices.get(&choice.model).filter(|price| !price.is_nothing()).cloned()
    })
}

/// A checkbox for each model that can be asked, and a field for another one.
#[component]
pub fn ModelsChoice() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let draft = expect_context::<EvalDraft>();
    let offered = Memo::new(move |_| draft.offered());
    let chosen = Memo::new(move |_| draft.models());
    let keys = Signal::derive(move || {
        offered.with(|offered| {
            offered.iter().map(|choice| format!("{} {}", choice.provider, choice.model)).collect::<Vec<_>>()
        })
    });
    let row = move |at: usize| {
        let Some(choice) = offered.with_untracked(|offered| offered.get(at).cloned()) else {
            return ().into_any();
        };
        let name = format!("{}:{}", choice.provider, choice.model);
        let (model, provider) = (choice.model.clone(), choice.provider.clone());
        let cost = {
            let choice = choice.clone();
            move || price(words, price_of(bench, &choice).as_ref())
        };
        let is_chosen = {
            let choice = choice.clone();
            Signal::derive(move || chosen.with(|chosen| chosen.contains(&choice)))
        };
        view! {
            <li>
                <label class="field-choice">
                    <input
                        type="checkbox"
                        data-testid="evals-model"
                        data-model=name
                        prop:checked=is_chosen
                        on:change:target=move |event| draft.choose_model(&choice, event.target().checked())
                    />
                    <span>
                        {model} " "
                        <span class="meta">
                            {move || bench.settings.with(|view| service(words, view, &provider))} " · " {cost}
                        </span>
                    </span>
                </label>
            </li>
        }
        .into_any()
    };
    view! {
        <fieldset class="eval-group">
            <legend>{words.text(word::EVALS_MODELS)}</legend>
            <Show when=move || offered.with(Vec::is_empty)>
                <p class="meta" data-testid="evals-no-models">{words.text(word::EVALS_NO_MODELS)}</p>
            </Show>
            <ul>
                <KeyedList keys=keys row=row />
            </ul>
            <AnotherModel />
        </fieldset>
    }
}

#[component]
fn AnotherModel() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let draft = expect_context::<EvalDraft>();
    let (typed, picked) = (RwSignal::new(String::new()), RwSignal::new(None::<String>));
    let services = Memo::new(move |_| {
        bench.settings.with(|view| {
            let named = |id: &String| (id.clone(), service(words, view, id));
            usable(view).map(|preset| named(&preset.id)).collect::<Vec<_>>()
        })
    });
    let provider = Memo::new(move |_| {
        let used = || bench.settings.with(|view| view.settings.provider.clone());
        let wanted = picked.get().unwrap_or_else(used);
        services.with(|services| {
            let found = services.iter().find(|(id, _)| *id == wanted).or(services.first());
            found.map(|(id, _)| id.clone())
        })
    });
    let add = move |_| {
        let model = typed.with_untracked(|typed| typed.trim().to_owned());
        if let Some(provider) = provider.get_untracked().filter(|_| !model.is_empty()) {
            draft.add_model(ModelChoice { provider, model });
            typed.set(String::new());
        }
    };
    let options = move || {
        let one = |(id, name): (String, String)| {
            let value = id.clone();
            let is_picked = Signal::derive(move || provider.with(|provider| provider.as_ref() == Some(&id)));
            view! { <option value=value prop:selected=is_picked>{name}</option> }.into_any()
        };
        services.get().into_iter().map(one).collect::<Vec<_>>()
    };
    view! {
        <Show when=move || services.with(|services| !services.is_empty())>
            <div class="eval-line-fields">
                <label>
                    {words.text(word::EVALS_ANOTHER)}
                    <input
                        data-testid="evals-another"
                        autocomplete="off"
                        spellcheck="false"
                        prop:value=Signal::derive(move || typed.get())
                        on:input:target=move |event| typed.set(event.target().value())
                        on:keydown=move |event| {
                            if event.key() == "Enter" && !is_composing(&event) {
                                event.prevent_default();
                                add(());
                            }
                        }
                    />
                </label>
                <label>
                    {words.text(word::EVALS_SERVICE)}
                    <select
                        data-testid="evals-service"
                        on:change:target=move |event| picked.set(Some(event.target().value()))
                    >
                        {options}
                    </select>
                </label>
                <WordButton
                    testid="evals-add"
                    word=word::EVALS_ADD
                    disabled=Signal::derive(move || typed.with(|typed| typed.trim().is_empty()))
                    press=Callback::new(move |_| add(()))
                />
            </div>
        </Show>
    }
}
