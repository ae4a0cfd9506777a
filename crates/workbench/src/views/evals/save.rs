//! The report of the open eval as files.

use js_sys::Array;
use leptos::prelude::*;
use sidecar_evals::report::html::html;
use sidecar_evals::report::junit::junit;
use sidecar_evals::report::markdown::markdown;
use sidecar_evals::report::upstream::upstream;
use sidecar_evals::saved::suite_of;
use sidecar_ui::dom::download::download;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;
use wasm_bindgen::JsValue;

use crate::state::use_workbench;
use crate::views::evals::compare::EarlierReport;
use crate::word;

/// Longest name of a file, in characters, without its ending.
const MOST_OF_NAME: usize = 80;

/// A name that a file can have anywhere.
fn file_name(name: &str) -> String {
    let safe = |character: char| {
        if character.is_alphanumeric() || "-_.".contains(character) { character } else { '-' }
    };
    let name: String = name.chars().take(MOST_OF_NAME).map(safe).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "eval".to_owned() } else { name.to_owned() }
}

/// A button for each form.
#[component]
pub fn SaveAs(earlier: EarlierReport) -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let models = Memo::new(move |_| {
        evals.entry.with(|entry| entry.as_ref().map(|entry| entry.models.clone()).unwrap_or_default())
    });
    let picked = RwSignal::new(None::<String>);
    let model = Memo::new(move |_| {
        let wanted = picked.get();
        models.with(|models| {
            models.iter().find(|name| Some(*name) == wanted.as_ref()).or(models.first()).cloned()
        })
    });
    let save = move |text: &str, ending: &str, media_type: &str| {
        let name = evals
            .report
            .with_untracked(|report| file_name(report.as_ref().map_or("", |report| &report.suite.name)));
        download(&Array::of1(&JsValue::from_str(text)), &format!("{name}.{ending}"), media_type);
    };
    let report = move || evals.report.get_untracked();
    let compared = move || untrack(|| earlier.comparison());
    let language = move || untrack(|| words.language());
    let save_json = move |_| {
        if let Some(report) = report() {
            save(&report.text(), "report.json", "application/json");
        }
    };
    let save_junit = move |_| {
        if let Some(report) = report() {
            save(&junit(&report, language()), "junit.xml", "application/xml");
        }
    };
    let save_markdown = move |_| {
        if let Some(report) = report() {
            save(&markdown(&report, compared().as_ref(), language()), "md", "text/markdown");
        }
    };
    let save_html = move |_| {
        if let Some(report) = report() {
            save(&html(&report, compared().as_ref(), language()), "html", "text/html");
        }
    };
    let save_upstream = move |_| {
        let (Some(report), Some(plan), Some(model)) =
            (report(), evals.plan.get_untracked(), model.get_untracked())
        else {
            return;
        };
        if let Some(suite) = suite_of(&plan) {
            let shape = upstream(&report, &suite, &model);
            let text = serde_json::to_string_pretty(&shape).unwrap_or_default();
            save(&text, &format!("{}.webmcp-evals.json", file_name(&model)), "application/json");
        }
    };
    let options = move || {
        let one = |name: String| {
            let value = name.clone();
            let is_picked = {
                let name = name.clone();
                Signal::derive(move || model.with(|model| model.as_ref() == Some(&name)))
            };
            view! { <option value=value prop:selected=is_picked>{name}</option> }.into_any()
        };
        models.get().into_iter().map(one).collect::<Vec<_>>()
    };
    view! {
        <section class="eval-save" aria-label=words.text(word::EVALS_SAVE) data-testid="evals-save">
            <h3>{words.text(word::EVALS_SAVE)}</h3>
            <div class="buttons">
                <WordButton testid="evals-save-json" word=word::EVALS_SAVE_JSON press=Callback::new(save_json) />
                <WordButton testid="evals-save-html" word=word::EVALS_SAVE_HTML press=Callback::new(save_html) />
                <WordButton testid="evals-save-markdown" word=word::EVALS_SAVE_MARKDOWN press=Callback::new(save_markdown) />
                <WordButton testid="evals-save-junit" word=word::EVALS_SAVE_JUNIT press=Callback::new(save_junit) />
            </div>
            <div class="eval-line-fields">
                <Show when=move || { models.with(Vec::len) > 1 }>
                    <label>
                        {words.text(word::EVALS_SAVE_MODEL)}
                        <select
                            data-testid="evals-save-model"
                            on:change:target=move |event| picked.set(Some(event.target().value()))
                        >
                            {options}
                        </select>
                    </label>
                </Show>
                <WordButton testid="evals-save-upstream" word=word::EVALS_SAVE_UPSTREAM press=Callback::new(save_upstream) />
            </div>
        </section>
    }
}
