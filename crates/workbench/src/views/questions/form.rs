//! The next question.

use leptos::prelude::*;
use serde_json::json;
use sidecar_evals::run::MOST_STEPS;
use sidecar_protocol::ToolRef;
use sidecar_protocol::eval::{EvalEntry, EvalPlan, EvalStage, EvalState, PlannedCase};
use sidecar_protocol::page_view::ToolSummary;
use sidecar_protocol::settings::ModelChoice;
use sidecar_ui::dom::focus::is_composing;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::use_workbench;
use crate::views::evals::draft::EvalDraft;
use crate::views::evals::look::service;
use crate::views::evals::planned::browser;
use crate::views::no_tools::NoTools;
use crate::word;

/// Most characters of a question.
const MOST_CHARACTERS: usize = 20_000;

/// Most characters of a question that name it in a list.
const MOST_OF_NAME: usize = 80;

/// What is typed, as long as the workbench is open.
#[derive(Clone, Copy)]
pub struct QuestionDraft {
    /// The question.
    pub text: RwSignal<String>,
    /// The model, as `provider:model`; absent until the user has chosen.
    pub model: RwSignal<Option<String>>,
}

impl QuestionDraft {
    /// Makes it known below.
    pub fn provide() {
        provide_context(Self { text: RwSignal::new(String::new()), model: RwSignal::new(None) });
    }
}

/// A model as it is named.
fn named(choice: &ModelChoice) -> String {
    format!("{}:{}", choice.provider, choice.model)
}

/// The form.
#[component]
pub fn QuestionForm() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let draft = expect_context::<QuestionDraft>();
    let models = expect_context::<EvalDraft>();
    let offered = Memo::new(move |_| models.offered());
    let chosen = Memo::new(move |_| {
        let wanted = draft.model.get();
        let found = offered.with(|offered| {
            offered.iter().find(|choice| wanted.as_ref().is_some_and(|name| named(choice) == *name)).cloned()
        });
        found.or_else(|| models.models().into_iter().next())
    });
    // Those of the page itself: of frames and SKILLs the model is not told.
    let has_tools = Memo::new(move |_| {
        let is_own = |tool: &ToolSummary| tool.frame.is_empty() && matches!(tool.tool, ToolRef::Page(_));
        bench.page.with(|page| page.tools.iter().any(is_own))
    });
    let runs =
        |list: &Option<Vec<EvalEntry>>| list.iter().flatten().any(|entry| entry.state == EvalState::Running);
    let is_eval_running = Memo::new(move |_| bench.evals.list.with(runs));
    let is_running = Memo::new(move |_| is_eval_running.get() || bench.evals.questions.with(runs));
    let is_ready = Memo::new(move |_| {
        has_tools.get()
            && !is_running.get()
            && chosen.with(Option::is_some)
            && draft.text.with(|text| !text.trim().is_empty())
    });
    let ask = move |()| {
        let Some(model) = chosen.get_untracked().filter(|_| is_ready.get_untracked()) else { return };
        let page = bench.page.get_untracked();
        let Some(tab) = page.tab_id else { return };
        let text = draft.text.with_untracked(|text| text.trim().to_owned());
        let said = json!({"role": "user", "type": "message", "content": text});
        // Without expectations there would be no run; what comes of these is not shown.
        let case = json!([{"messages": [said], "expectedCall": []}]).to_string();
        bench.evals.start(EvalPlan {
            name: text.chars().take(MOST_OF_NAME).collect(),
            suite: case.clone(),
            cases: vec![PlannedCase { number: 0, suite: case }],
            stage: EvalStage::Shown { tab, url: page.url },
            models: vec![model],
            runs: 1,
            max_steps: MOST_STEPS,
            language: untrack(|| words.language()),
            browser: browser(),
            ..EvalPlan::default()
        });
    };
    let options = move || {
        let one = |choice: ModelChoice| {
            let value = named(&choice);
            let is_chosen = {
                let value = value.clone();
                Signal::derive(move || {
                    chosen.with(|chosen| chosen.as_ref().map(named).as_ref() == Some(&value))
                })
            };
            let provider = bench.settings.with(|view| service(words, view, &choice.provider));
            view! { <option value=value prop:selected=is_chosen>{format!("{} · {provider}", choice.model)}</option> }
                .into_any()
        };
        offered.get().into_iter().map(one).collect::<Vec<_>>()
    };
    view! {
        <Show when=move || has_tools.get() fallback=|| view! { <NoTools /> }>
            <section class="eval-start" data-testid="question-form">
                <label class="eval-field">
                    {words.text(word::QUESTION_TEXT)}
                    <textarea
                        rows="3"
                        maxlength=MOST_CHARACTERS.to_string()
                        data-testid="question-text"
                        prop:value=Signal::derive(move || draft.text.get())
                        on:input:target=move |event| draft.text.set(event.target().value())
                        on:keydown=move |event| {
                            if event.key() == "Enter" && !event.shift_key() && !is_composing(&event) {
                                event.prevent_default();
                                ask(());
                            }
                        }
                    ></textarea>
                </label>
                <Show
                    when=move || offered.with(|offered| !offered.is_empty())
                    fallback=move || {
                        view! { <p class="meta" data-testid="question-no-models">{words.text(word::EVALS_NO_MODELS)}</p> }
                    }
                >
                    <label class="eval-field">
                        {words.text(word::QUESTION_MODEL)} " "
                        <select
                            data-testid="question-model"
                            on:change:target=move |event| draft.model.set(Some(event.target().value()))
                        >
                            {options}
                        </select>
                    </label>
                </Show>
                <Show when=move || is_eval_running.get()>
                    <p class="meta" role="status">{words.text(word::EVALS_OTHER_RUNNING)}</p>
                </Show>
                <div class="buttons">
                    <WordButton
                        testid="question-ask"
                        class="primary"
                        word=word::BENCH_ASK
                        disabled=Signal::derive(move || !is_ready.get())
                        press=Callback::new(move |_| ask(()))
                    />
                </div>
            </section>
        </Show>
    }
}
