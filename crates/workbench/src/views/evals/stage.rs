//! Who has the tools of the next eval, and answers their calls.

use leptos::prelude::*;
use sidecar_protocol::Risk;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::state::use_workbench;
use crate::views::evals::draft::{DraftStage, EvalDraft};
use crate::views::evals::look::wide;
use crate::word;

/// The choice.
#[component]
pub fn StageChoice() -> impl IntoView {
    let words = use_words();
    let draft = expect_context::<EvalDraft>();
    let is_simulations = Memo::new(move |_| draft.is_simulations());
    view! {
        <Show when=move || !is_simulations.get()>
            <Stages />
        </Show>
        <Show when=move || is_simulations.get()>
            <fieldset class="eval-group" data-testid="evals-simulation">
                <legend>{words.text(word::EVALS_SIMULATION)}</legend>
                <p class="meta">{words.text(word::EVALS_SIMULATION_WHY)}</p>
                <LivePage held=word::EVALS_SKIPPED_RUNS />
            </fieldset>
        </Show>
    }
}

/// Those of a suite.
#[component]
fn Stages() -> impl IntoView {
    let words = use_words();
    view! {
        <fieldset class="eval-group">
            <legend>{words.text(word::EVALS_STAGE)}</legend>
            <OneStage stage=DraftStage::Suite testid="evals-by-suite" label=word::EVALS_BY_SUITE why=word::EVALS_BY_SUITE_WHY>
                <ToolsFile />
            </OneStage>
            <OneStage stage=DraftStage::Live testid="evals-live" label=word::EVALS_LIVE why=word::EVALS_LIVE_WHY>
                <LivePage held=word::EVALS_HELD />
            </OneStage>
            <OneStage stage=DraftStage::Smoke testid="evals-smoke" label=word::EVALS_SMOKE why=word::EVALS_SMOKE_WHY>
                <LivePage held=word::EVALS_SKIPPED />
            </OneStage>
        </fieldset>
    }
}

/// One stage: its button, what it means, and what it opens.
#[component]
fn OneStage(
    stage: DraftStage,
    /// The `data-testid` of its button.
    testid: &'static str,
    /// What the button says.
    label: Word,
    /// What it means.
    why: Word,
    /// What is to be said once it is chosen.
    children: ChildrenFn,
) -> impl IntoView {
    let words = use_words();
    let draft = expect_context::<EvalDraft>();
    let is_on = Memo::new(move |_| draft.stage() == stage);
    let choose = Callback::new(move |()| draft.chosen_stage.set(Some(stage)));
    view! {
        <EvalRadio group="evals-stage" testid=testid label=label is_on=is_on choose=choose />
        <p class="meta eval-why">{words.text(why)}</p>
        <Show when=move || is_on.get()>{children()}</Show>
    }
}

/// A radio button.
#[component]
fn EvalRadio(
    /// The name of its group.
    group: &'static str,
    /// Its `data-testid`.
    testid: &'static str,
    /// What it says.
    label: Word,
    /// Whether it is chosen.
    #[prop(into)]
    is_on: Signal<bool>,
    /// Chooses it.
    choose: Callback<()>,
) -> impl IntoView {
    let words = use_words();
    view! {
        <label class="field-choice">
            <input type="radio" name=group data-testid=testid prop:checked=is_on on:change=move |_| choose.run(()) />
            <span>{words.text(label)}</span>
        </label>
    }
}

/// Tools for a suite that has none.
#[component]
fn ToolsFile() -> impl IntoView {
    let words = use_words();
    let draft = expect_context::<EvalDraft>();
    let has_own =
        Memo::new(move |_| draft.suite.with(|suite| suite.as_ref().is_some_and(|read| read.tools.is_some())));
    let count = move || {
        let count = wide(draft.tools()?.len());
        let text = words.count((word::EVALS_TOOLS_ONE, word::EVALS_TOOLS_OTHER), count, &[]);
        Some(view! { <p class="meta" data-testid="evals-tools">{text}</p> }.into_any())
    };
    let fault = move || draft.tools_fault.get().map(|fault| fault.sentence(words.language()));
    view! {
        <div class="eval-inner">
            <Show when=move || !has_own.get()>
                <label class="eval-field">
                    {words.text(word::EVALS_TOOLS_FILE)}
                    <input
                        type="file"
                        accept="application/json,.json"
                        data-testid="evals-tools-file"
                        on:change:target=move |event| draft.choose_tools(&event.target())
                    />
                </label>
            </Show>
            <div role="status">{count}</div>
            <div role="alert">
                {move || {
                    fault().map(|why| view! { <p class="field-faults" data-testid="evals-tools-fault">{why}</p> }.into_any())
                }}
            </div>
        </div>
    }
}

/// The page, and what becomes of consequential calls.
#[component]
fn LivePage(
    /// What becomes of calls that do not reach the page.
    held: Word,
) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let draft = expect_context::<EvalDraft>();
    let address = Memo::new(move |_| draft.address());
    let is_bound = Memo::new(move |_| {
        let origin = address.with(|address| web_sys::Url::new(address).ok()).map(|url| url.origin());
        bench.page.with(|page| !page.origin.is_empty() && origin.is_some_and(|origin| origin == page.origin))
    });
    let consequential = Memo::new(move |_| {
        bench.page.with(|page| {
            let tools = page.tools.iter().filter(|tool| tool.risk == Risk::Consequential);
            tools.map(|tool| tool.tool.name().to_owned()).collect::<Vec<_>>()
        })
    });
    let tools = move || match is_bound.get() {
        false => view! { <p class="meta">{words.text(word::EVALS_TOOLS_UNKNOWN)}</p> }.into_any(),
        true if consequential.with(Vec::is_empty) => {
            view! { <p class="meta">{words.text(word::EVALS_NO_CONSEQUENTIAL)}</p> }.into_any()
        }
        true => {
            let rows = consequential.get().into_iter().map(|name| {
                view! { <li class="tool-name" data-testid="evals-consequential-tool">{name}</li> }.into_any()
            });
            view! {
                <p class="meta">{words.text(word::EVALS_CONSEQUENTIAL_HERE)}</p>
                <ul class="eval-tools">{rows.collect::<Vec<_>>()}</ul>
            }
            .into_any()
        }
    };
    view! {
        <div class="eval-inner">
            <label class="eval-field">
                {words.text(word::EVALS_ADDRESS)}
                <input
                    type="url"
                    data-testid="evals-address"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=Signal::derive(move || address.get())
                    on:change:target=move |event| draft.address.set(Some(event.target().value()))
                />
            </label>
            <fieldset class="eval-group" data-testid="evals-consequential">
                <legend>{words.text(word::EVALS_CONSEQUENTIAL)}</legend>
                {tools}
                <EvalRadio
                    group="evals-consequential"
                    testid="evals-held"
                    label=held
                    is_on=Signal::derive(move || !draft.lets_through())
                    choose=Callback::new(move |()| draft.let_through.set(None))
                />
                <EvalRadio
                    group="evals-consequential"
                    testid="evals-let-through"
                    label=word::EVALS_LET_THROUGH
                    is_on=Signal::derive(move || draft.lets_through())
                    choose=Callback::new(move |()| draft.let_through.set(Some(address.get_untracked())))
                />
            </fieldset>
        </div>
    }
}
