//! A run of the history: what was sent and what came, and what can be done with it.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;
use sidecar_link::LinkResponse;
use sidecar_link::hand_run::RunTarget;
use sidecar_protocol::FrameId;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::tool_run::ToolRun;
use sidecar_runs::code::{page_code, playwright_code};
use sidecar_runs::page_change::line_change;
use sidecar_runs::{TakenRun, append, case, export};
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::text::legible::legible;
use sidecar_ui::text::tool_call::{result_text, state_of};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::definitions::Definitions;
use crate::form::editor::PlannedForm;
use crate::place::{BenchView, ToolName, ToolPart};
use crate::state::{ToolMissing, use_workbench};
use crate::trials::Trials;
use crate::views::changed_lines::ChangedLines;
use crate::views::compared::ComparedRuns;
use crate::whole_tool::WholeTool;
use crate::word;

/// The run.
#[component]
pub fn Entry(
    /// What was sent, and what came.
    run: ToolRun,
    /// Whether it can be compared with another one.
    chooses: bool,
) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let trials = expect_context::<Trials>();
    let comparison = chooses.then(expect_context::<ComparedRuns>);
    let state = state_of(&run);
    let text = result_text(&state).unwrap_or_default().into_owned();
    let has_text = !text.is_empty();
    let result = pretty(&legible(&text));
    let arguments = legible(&run.arguments);
    let frame = run.frame.filter(|frame| *frame != FrameId::TOP).map(|frame| frame.0);
    let run = Arc::new(run);
    let tool = {
        let run = run.clone();
        Memo::new(move |_| bench.tool_of(&run))
    };
    let schema = RwSignal::new(None::<String>);
    let now = RwSignal::new(None::<String>);
    let definitions = expect_context::<Definitions>();
    Effect::new(move |_| {
        let Ok(tool) = tool.get() else { return };
        bench.connection.ask(PageCommand::DescribeTool { tool: tool.tool.clone() }, move |response| {
            if let LinkResponse::Answer(PageAnswer::Tool { details: Some(details) }) = response {
                let _ = schema.try_set(Some(details.schema().to_owned()));
                let text = WholeTool { summary: tool.clone(), details }.definition();
                definitions.keep(&tool.digest, text.clone());
                let _ = now.try_set(Some(text));
            }
        });
    });
    let missing = Memo::new(move |_| tool.with(|tool| tool.as_ref().err().copied()));
    let is_changed = {
        let run = run.clone();
        Memo::new(move |_| tool.with(|tool| tool.as_ref().is_ok_and(|tool| tool.digest != run.digest)))
    };
    let changes = {
        let then = definitions.of(&run.digest);
        move || Some(line_change(then.as_deref()?, &now.get()?))
    };
    let load = {
        let run = run.clone();
        move |starts: bool| {
            let (Ok(tool), Some(schema)) = (tool.get_untracked(), schema.get_untracked()) else { return };
            let name = ToolName::from(&tool);
            let trial = trials.of(&tool.origin, &name);
            if !starts {
                trial.form.load(&PlannedForm::of(&schema).plan, &run.arguments);
                trial.seen.set(tool.digest.clone());
            } else {
                let target = RunTarget { tool: tool.tool, origin: tool.origin, digest: tool.digest };
                // The same text, byte by byte.
                trial.run.start(target, run.arguments.clone(), false);
            }
            bench.place.update(|place| {
                (place.view, place.tool, place.part) = (BenchView::Tools, Some(name), ToolPart::Run);
            });
        }
    };
    let load = StoredValue::new(load);
    let copied = |form: fn(TakenRun<'_>) -> String| {
        let run = run.clone();
        Signal::derive(move || {
            // By the schema it is known what else is secret.
            let schema: Option<Value> = schema.with(|schema| serde_json::from_str(schema.as_ref()?).ok());
            form(TakenRun { run: &run, schema: schema.as_ref() })
        })
    };
    let (as_json, as_code, as_playwright) = (
        copied(export::json),
        copied(|run| page_code(run).unwrap_or_default()),
        copied(|run| playwright_code(run).unwrap_or_default()),
    );
    let cannot = Signal::derive(move || missing.get().is_some() || schema.with(Option::is_none));
    let compare = {
        let run = run.clone();
        move |comparison: ComparedRuns| comparison.toggle(&run)
    };
    view! {
        <div class="details">
            {frame.map(|frame| view! { <p class="meta" data-testid="entry-frame">{words.text(word::FACT_FRAME)} " " {frame}</p> }.into_any())}
            <h3>{words.text(word::RUN_ARGUMENTS)}</h3>
            <pre tabindex="0" data-testid="run-entry-arguments">{arguments}</pre>
            <Show when=move || has_text>
                <h3>{words.text(word::ENTRY_RESULT)}</h3>
                <pre tabindex="0" data-testid="run-entry-result">{result.clone()}</pre>
            </Show>
            {move || {
                let said = match missing.get()? {
                    ToolMissing::Gone => word::ENTRY_GONE,
                    ToolMissing::Several => word::ENTRY_SEVERAL,
                };
                Some(view! { <p class="meta" data-testid="entry-gone">{words.text(said)}</p> }.into_any())
            }}
            <Show when=move || is_changed.get()>
                <p class="meta" data-testid="entry-changed">{words.text(word::ENTRY_CHANGED)}</p>
                {
                    let changes = changes.clone();
                    move || match changes() {
                        Some(changes) => view! { <ChangedLines changes=changes /> }.into_any(),
                        None => view! { <p class="meta">{words.text(word::ENTRY_UNKNOWN)}</p> }.into_any(),
                    }
                }
                <WordButton
                    testid="entry-again-changed"
                    word=word::ENTRY_AGAIN_CHANGED
                    disabled=cannot
                    press=Callback::new(move |_| load.with_value(|load| load(true)))
                />
            </Show>
            <div class="run-buttons">
                <WordButton
                    testid="run-again"
                    word=word::RUN_AGAIN
                    disabled=Signal::derive(move || cannot.get() || is_changed.get())
                    press=Callback::new(move |_| load.with_value(|load| load(true)))
                />
                <WordButton
                    testid="run-edit"
                    word=word::RUN_EDIT
                    disabled=cannot
                    press=Callback::new(move |_| load.with_value(|load| load(false)))
                />
                {comparison
                    .map(|comparison| {
                        let compare = compare.clone();
                        view! {
                            <WordButton
                                testid="entry-compare"
                                word=word::ENTRY_COMPARE
                                press=Callback::new(move |_| compare(comparison))
                            />
                        }
                            .into_any()
                    })}
            </div>
            <div class="run-buttons">
                <Copied label=word::ENTRY_COPY_JSON testid="entry-copy-json" text=as_json />
                <Copied label=word::ENTRY_COPY_CODE testid="entry-copy-code" text=as_code />
                <Copied label=word::ENTRY_COPY_PLAYWRIGHT testid="entry-copy-playwright" text=as_playwright />
            </div>
            <MakeCase run=run schema=schema />
        </div>
    }
}

/// A copy button with its name in words.
#[component]
fn Copied(label: sidecar_ui::words::Word, testid: &'static str, text: Signal<String>) -> impl IntoView {
    let words = use_words();
    view! {
        <span class="copied">
            {words.text(label)} " " <CopyButton label=label testid=testid text=text />
        </span>
    }
}

/// Makes a case of a suite of a run.
#[component]
fn MakeCase(run: Arc<ToolRun>, schema: RwSignal<Option<String>>) -> impl IntoView {
    let words = use_words();
    let (said, suite) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let made = Memo::new(move |_| {
        let schema: Option<Value> = schema.with(|schema| serde_json::from_str(schema.as_ref()?).ok());
        let taken = TakenRun { run: &run, schema: schema.as_ref() };
        let case = said.with(|said| case("", said, &[taken]));
        case.and_then(|case| suite.with(|suite| append(suite, &case)))
            .map_err(|fault| fault.sentence(words.language()))
    });
    let is_asked = Memo::new(move |_| said.with(|said| !said.trim().is_empty()));
    let text = Signal::derive(move || made.get().unwrap_or_default());
    view! {
        <details class="make-case">
            <summary data-testid="entry-case">{words.text(word::CASE_MAKE)}</summary>
            <label>
                {words.text(word::CASE_WORDS)}
                <textarea
                    rows="2"
                    data-testid="case-words"
                    prop:value=Signal::derive(move || said.get())
                    on:input:target=move |event| said.set(event.target().value())
                ></textarea>
            </label>
            <label>
                {words.text(word::CASE_SUITE)}
                <textarea
                    class="code"
                    rows="2"
                    data-testid="case-suite"
                    spellcheck="false"
                    prop:value=Signal::derive(move || suite.get())
                    on:input:target=move |event| suite.set(event.target().value())
                ></textarea>
            </label>
            <Show when=move || is_asked.get()>
                {move || match made.get() {
                    Ok(text) => view! { <pre tabindex="0" data-testid="case-made">{text}</pre> }.into_any(),
                    Err(why) => view! { <p class="field-faults" role="alert">{why}</p> }.into_any(),
                }}
                <Copied label=word::CASE_COPY testid="case-copy" text=text />
            </Show>
        </details>
    }
}
