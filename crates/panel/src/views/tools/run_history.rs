//! The runs of a tool by hand, as far as they are remembered.

use leptos::prelude::*;
use sidecar_protocol::link::{RunsAnswer, RunsCommand};
use sidecar_protocol::tool_run::ToolRun;
use sidecar_ui::icons::icon;
use sidecar_ui::text::arguments::{digest as beginning, pretty};
use sidecar_ui::text::legible::legible;
use sidecar_ui::text::tool_call::{result_text, run_line, state_icon, state_name, state_of};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::tools::hand_runs::TypedRun;
use crate::word;
use sidecar_link::LinkResponse;
use sidecar_link::hand_run::RunTarget;

/// How many are shown.
const SHOWN: usize = 20;

/// The runs, newest first.
#[component]
pub fn RunHistory(target: StoredValue<RunTarget>, typed: TypedRun) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, .. } = use_state();
    let runs = RwSignal::new(None::<Vec<ToolRun>>);
    Effect::new(move |_| {
        // A worker that died may not have received the request.
        connection.count.with(|_| ());
        typed.run.count.with(|_| ());
        let tool = target.with_value(|target| target.tool.clone());
        connection.ask(RunsCommand::List { tool }, move |response| {
            if let LinkResponse::Answer(RunsAnswer::Listed { runs: listed, .. }) = response {
                runs.set(Some(listed));
            }
        });
    });
    let clear = move |_| {
        connection.send(RunsCommand::Clear);
        runs.set(Some(Vec::new()));
    };
    let is_empty = move || runs.with(|runs| runs.as_ref().is_some_and(Vec::is_empty));
    view! {
        <div class="run-history" data-testid="tool-history">
            <Show when=is_empty>
                <p class="meta" data-testid="history-empty">{words.text(word::RUN_NONE)}</p>
            </Show>
            <Show when=move || runs.with(|runs| runs.as_ref().is_some_and(|runs| !runs.is_empty()))>
                <ul class="rows">
                    {move || {
                        let listed = runs.get().unwrap_or_default().into_iter().take(SHOWN);
                        listed
                            .map(|entry| view! { <Entry entry=entry target=target typed=typed /> }.into_any())
                            .collect::<Vec<_>>()
                    }}
                </ul>
                <p class="meta">{words.text(word::RUN_KEPT)}</p>
                <WordButton testid="history-clear" word=word::RUN_CLEAR press=Callback::new(clear) />
            </Show>
        </div>
    }
}

/// One run.
#[component]
fn Entry(entry: ToolRun, target: StoredValue<RunTarget>, typed: TypedRun) -> impl IntoView {
    let words = use_words();
    let state = state_of(&entry);
    let is_changed = target.with_value(|now| now.digest != entry.digest);
    let text = result_text(&state).unwrap_or_default().into_owned();
    let (name, sign) = (state_name(&state), state_icon(&state));
    let (at, line) = (entry.at, run_line(words, &entry));
    let arguments = StoredValue::new(entry.arguments);
    let (begins, written) = arguments.with_value(|text| (beginning(&legible(text)), legible(text)));
    view! {
        <li class="run-entry" data-testid="run-entry" data-state=name>
            <p class="run-line">
                <span class="tool-icon">{icon(sign)}</span>
                <time title=words.exact_moment(at)>{words.moment(at)}</time>
                " "
                {line}
            </p>
            <details>
                <summary data-testid="run-entry-toggle">{begins}</summary>
                <pre tabindex="0" data-testid="run-entry-arguments">{written}</pre>
                {(!text.is_empty()).then(|| view! { <pre tabindex="0">{pretty(&legible(&text))}</pre> }.into_any())}
            </details>
            {is_changed.then(|| view! { <p class="meta">{words.text(word::RUN_CHANGED)}</p> }.into_any())}
            <div class="run-buttons">
                <WordButton
                    testid="run-again"
                    word=word::RUN_AGAIN
                    disabled=Signal::derive(move || is_changed || typed.run.is_running.get())
                    press=Callback::new(move |_| typed.run.start(target.get_value(), arguments.get_value(), false))
                />
                <WordButton
                    testid="run-edit"
                    word=word::RUN_EDIT
                    press=Callback::new(move |_| {
                        target.with_value(|now| typed.edit(&arguments.get_value(), &now.digest));
                    })
                />
            </div>
        </li>
    }
}
