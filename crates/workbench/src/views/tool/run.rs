//! Running a tool: its arguments, Run, and what came of it.

use leptos::prelude::*;
use sidecar_link::hand_run::RunTarget;
use sidecar_ui::dom::focus::focus;
use sidecar_ui::text::tool_call::run_line;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::lint_note::ResultNotes;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::form::editor::{ArgumentsEditor, PlannedForm, RAW_ID};
use crate::form::input_id;
use crate::place::ToolName;
use crate::trials::{Trial, Trials};
use crate::views::asking::{Asking, question_of};
use crate::views::result::ResultView;
use crate::whole_tool::WholeTool;
use crate::word;

/// Opens what is folded around an element.
fn unfold(element: &Element) {
    let mut inner = Some(element.clone());
    while let Some(folded) = inner.and_then(|inner| inner.closest("details").ok().flatten()) {
        // Cannot fail for a valid attribute name.
        let _ = folded.set_attribute("open", "");
        inner = folded.parent_element();
    }
}

/// The form of a tool, and the result of its last run.
#[component]
pub fn RunView(tool: WholeTool, is_gone: Memo<bool>) -> impl IntoView {
    let words = use_words();
    let WholeTool { summary, details } = tool;
    let Trial { run, form, seen } = expect_context::<Trials>().of(&summary.origin, &ToolName::from(&summary));
    let target = StoredValue::new(RunTarget {
        tool: summary.tool.clone(),
        origin: summary.origin.clone(),
        digest: summary.digest.clone(),
    });
    let digest = summary.digest;
    let is_another = {
        let digest = digest.clone();
        Memo::new(move |_| seen.with(|seen| !seen.is_empty() && *seen != digest))
    };
    let see = {
        let digest = digest.clone();
        move || seen.set(digest.clone())
    };
    if seen.with_untracked(String::is_empty) {
        see();
    }
    {
        // Whoever types sees the tool as it is.
        let see = see.clone();
        Effect::new(move |before: Option<u32>| {
            let typed = form.revision.get();
            if before.is_some_and(|before| before != typed) {
                see();
            }
            typed
        });
    }
    let can_force = Memo::new(move |_| {
        form.told.with(|_| ());
        form.is_tried.get()
            && form.emitted_anyway().is_some()
            && form.emitted().is_some_and(|done| done.is_err())
    });
    let start = move || match form.emitted() {
        Some(Ok(arguments)) => run.start(target.get_value(), arguments, false),
        Some(Err(_)) => {
            form.note_try();
            // In the next frame the field is there, even if the form was opened just now.
            request_animation_frame(move || {
                let input = form.first_fault().and_then(|id| document().get_element_by_id(&input_id(id)));
                if let Some(input) = input.or_else(|| document().get_element_by_id(RAW_ID)) {
                    unfold(&input);
                    if let Ok(input) = input.dyn_into() {
                        focus(&input);
                    }
                }
            });
        }
        None => {}
    };
    let is_busy = Signal::derive(move || run.is_running.get() || is_another.get() || is_gone.get());
    let question = question_of(run);
    let asks = Memo::new(move |_| question.with(Option::is_some));
    let is_blocked = Memo::new(move |_| {
        form.told.with(|_| ());
        form.is_tried.get() && form.emitted().is_some_and(|done| done.is_err())
    });
    view! {
        <ArgumentsEditor tool=summary.tool planned=PlannedForm::of(details.schema()) store=form />
        <Show when=move || is_another.get()>
            <p class="notice" data-testid="run-changed">{words.text(word::RUN_CHANGED)}</p>
            <WordButton
                testid="run-seen"
                word=word::RUN_SEEN
                press={
                    let see = see.clone();
                    Callback::new(move |_| see())
                }
            />
        </Show>
        <label class="field-choice">
            <input
                type="checkbox"
                data-testid="run-watch"
                prop:checked=Signal::derive(move || run.watches.get())
                on:change:target=move |event| run.watches.set(event.target().checked())
            />
            <span>{words.text(word::RUN_WATCH)}</span>
        </label>
        <div class="run-buttons sticky">
            <WordButton testid="run-start" word=word::RUN_START class="primary" disabled=is_busy press=Callback::new(move |_| start()) />
            <Show when=move || run.is_running.get()>
                <WordButton testid="run-stop" word=word::RUN_STOP press=Callback::new(move |_| run.stop()) />
            </Show>
            <Show when=move || can_force.get()>
                <WordButton
                    testid="run-anyway"
                    word=word::RUN_ANYWAY
                    disabled=is_busy
                    press=Callback::new(move |_| {
                        if let Some(arguments) = form.emitted_anyway() {
                            run.start(target.get_value(), arguments, true);
                        }
                    })
                />
            </Show>
        </div>
        <div role="status" class="run-status">
            <Show when=move || is_blocked.get()>
                <p class="field-faults" data-testid="run-blocked">{words.text(word::FORM_BLOCKED)}</p>
            </Show>
            <Show when=move || run.is_running.get()>
                <p class="meta" data-testid="run-running">{move || words.get(if asks.get() { word::RUN_ASKS } else { word::RUN_RUNNING })}</p>
            </Show>
            <Show when=move || run.is_too_long.get()>
                <p class="meta" data-testid="run-too-long">{words.text(word::RUN_TOO_LONG)}</p>
            </Show>
            <Show when=move || run.is_lost.get()>
                <p class="notice" data-testid="run-lost">{words.text(word::RUN_LOST)}</p>
            </Show>
            <span class="visually-hidden">{move || run.ended.get().map(|ended| run_line(words, &ended))}</span>
        </div>
        <Asking run=run />
        {move || {
            let ended = run.ended.get()?;
            let again = Callback::new(move |arguments: String| run.start(target.get_value(), arguments, true));
            Some(
                view! {
                    <ResultView ended=ended disabled=is_busy anyway=again />
                    <ResultNotes notes=run.notes />
                }
                    .into_any(),
            )
        }}
    }
}
