//! The contract of the site's tools: a snapshot for the site's repository, and what has changed since an earlier one.

use js_sys::{Array, Date};
use leptos::prelude::*;
use leptos::task::spawn_local;
use sidecar_link::{LinkResponse, ask_anew};
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::lint::{ContractNote, ContractView as Contract, ContractWeight};
use sidecar_ui::dom::download::download;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use crate::state::{has_tools, tools_as_they_are, use_workbench};
use crate::views::no_tools::NoTools;
use crate::word;

/// Longest earlier snapshot, in bytes ([`Contract::MOST_BYTES`]).
const MOST_BYTES: f64 = 4_194_304.0;

/// Most changes that are shown.
const MOST_SHOWN: usize = 300;

/// The view.
#[component]
pub fn ContractView() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let has_tools = has_tools(bench);
    let before = RwSignal::new(None::<(String, String)>);
    let (contract, is_failed) = (RwSignal::new(None::<Contract>), RwSignal::new(false));
    let tools = tools_as_they_are(bench);
    let is_large = RwSignal::new(false);
    ask_anew(
        bench.connection,
        move || {
            tools.with(|_| ());
            before.with(|_| ());
            bench.settings.with(|_| ());
        },
        move || {
            if !has_tools.get() {
                // They may come later.
                contract.set(None);
                return None;
            }
            let before = before.with_untracked(|before| before.as_ref().map(|(_, text)| text.clone()));
            Some(PageCommand::Contract { taken: String::from(Date::new_0().to_iso_string()), before })
        },
        move |response| {
            let told = match response {
                LinkResponse::Answer(PageAnswer::Contract { view }) => view,
                LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => return,
                LinkResponse::Refused(_) => None,
            };
            // The view may be gone.
            let _ = is_failed.try_set(told.is_none());
            let _ = contract.try_set(told);
        },
    );
    let save = move |_| {
        let Some(text) =
            contract.with_untracked(|contract| contract.as_ref().map(|one| one.snapshot.clone()))
        else {
            return;
        };
        let site: String = bench.page.with_untracked(|page| page.site.replace(':', "-"));
        let parts = Array::of1(&JsValue::from_str(&text));
        download(&parts, &format!("{site}.webmcp-contract.json"), "application/json");
    };
    let choose = move |input: web_sys::HtmlInputElement| {
        let Some(file) = input.files().and_then(|files| files.item(0)) else { return };
        is_large.set(file.size() > MOST_BYTES);
        if is_large.get_untracked() {
            return;
        }
        spawn_local(async move {
            let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
            let _ = before.try_set(text.map(|text| (file.name(), text)));
        });
    };
    let changes =
        move || contract.with(|contract| contract.as_ref().and_then(|contract| contract.changes.clone()));
    view! {
        <div class="bench-page-view" data-testid="contract-view">
            <h2>{words.text(word::BENCH_CONTRACT)}</h2>
            <p>{words.text(word::CONTRACT_ABOUT)}</p>
            <Show when=move || has_tools.get() fallback=|| view! { <NoTools /> }>
                <div class="buttons">
                    <WordButton
                        testid="contract-save"
                        word=word::CONTRACT_SAVE
                        disabled=Signal::derive(move || contract.with(Option::is_none))
                        press=Callback::new(save)
                    />
                </div>
                <label class="field-label" for="contract-before">{words.text(word::CONTRACT_COMPARE)}</label>
                <input
                    type="file"
                    id="contract-before"
                    accept="application/json,.json"
                    data-testid="contract-before"
                    on:change:target=move |event| choose(event.target())
                />
                <div role="status">
                    <Show when=move || is_large.get()>
                        <p class="notice" data-testid="contract-large">{words.text(word::CONTRACT_TOO_LARGE)}</p>
                    </Show>
                    <Show when=move || is_failed.get()>
                        <p class="notice" data-testid="contract-failed">{words.text(word::CONTRACT_FAILED)}</p>
                    </Show>
                    {move || changes().map(|changes| match changes {
                        Err(why) => view! { <p class="notice" data-testid="contract-unread">{why}</p> }.into_any(),
                        Ok(notes) if notes.is_empty() => {
                            view! { <p class="meta" data-testid="contract-same">{words.text(word::CONTRACT_SAME)}</p> }.into_any()
                        }
                        Ok(notes) => listed(notes),
                    })}
                </div>
            </Show>
        </div>
    }
}

fn listed(notes: Vec<ContractNote>) -> AnyView {
    let words = use_words();
    let is_cut = notes.len() > MOST_SHOWN;
    let rows = notes.into_iter().take(MOST_SHOWN).map(|ContractNote { weight, text }| {
        let (name, word) = looks(weight);
        view! {
            <li class="contract-change" data-testid="contract-change" data-weight=name>
                <span class="mark">{words.text(word)}</span> " " {text}
            </li>
        }
        .into_any()
    });
    view! {
        <ul class="rows">{rows.collect::<Vec<_>>()}</ul>
        {is_cut.then(|| view! { <p class="meta">{words.text(word::CONTRACT_CUT)}</p> }.into_any())}
    }
    .into_any()
}

fn looks(weight: ContractWeight) -> (&'static str, Word) {
    match weight {
        ContractWeight::Breaking => ("breaking", word::CONTRACT_BREAKING),
        ContractWeight::Safety => ("safety", word::CONTRACT_SAFETY),
        ContractWeight::Behavioural => ("behavioural", word::CONTRACT_BEHAVIOURAL),
        ContractWeight::Compatible => ("compatible", word::CONTRACT_COMPATIBLE),
    }
}
