//! A run of a tool by hand: its arguments, what it came to, and the runs before.

use futures::FutureExt;
use leptos::prelude::*;
use sidecar_protocol::link::{RunsAnswer, RunsCommand};
use sidecar_protocol::thread::ToolItem;
use sidecar_ui::parts::when_loaded;
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::text::tool_call::run_line;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;
use wasm_split_helpers::wasm_split;

use crate::state::{PanelState, use_state};
use crate::views::chat::direct::{card, load_card};
use crate::views::tools::hand_runs::{HandRuns, TypedRun};
use crate::views::tools::run_history::RunHistory;
use crate::views::tools::run_result::RunResult;
use crate::word;
use sidecar_link::LinkResponse;
use sidecar_link::hand_run::RunTarget;

/// The part of a tool's details in which it is run; `key` is its [`HandRuns::key`].
#[wasm_split(views, preload(load_run))]
pub fn run_tool(target: StoredValue<RunTarget>, key: StoredValue<String>) -> AnyView {
    view! { <RunTool target=target key=key /> }.into_any()
}

#[component]
fn RunTool(target: StoredValue<RunTarget>, key: StoredValue<String>) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, conversation, .. } = use_state();
    let typed = key.with_value(|key| expect_context::<HandRuns>().of(key));
    let TypedRun { run, arguments, typed_for, is_open: open } = typed;
    let remembers = RwSignal::new(false);
    let digest = move || target.with_value(|target| target.digest.clone());
    // Whether the page has changed the tool since the arguments were typed, and the user has not said that this was seen.
    let is_another =
        Memo::new(move |_| typed_for.with(|typed_for| !typed_for.is_empty() && *typed_for != digest()));
    let fill_in = move |is_asked_for: bool| {
        let tool = target.with_value(|target| target.tool.clone());
        connection.ask(RunsCommand::Example { tool }, move |response| {
            // What was typed meanwhile stays.
            if let LinkResponse::Answer(RunsAnswer::Example { arguments: Some(example) }) = response
                && (is_asked_for || arguments.with_untracked(String::is_empty))
            {
                typed.edit(&pretty(&example), &digest());
            }
        });
    };
    let toggle = move |_| {
        open.update(|open| *open = !*open);
        if open.get_untracked() && arguments.with_untracked(String::is_empty) {
            fill_in(false);
        }
    };
    let item = Memo::new(move |_| -> Option<ToolItem> {
        let call = run.call.get()?;
        conversation.approvals.with(|approvals| {
            let one = approvals.iter().find(|one| one.call_id == call)?;
            one.item.as_deref().cloned()
        })
    });
    let asks = Memo::new(move |_| item.with(Option::is_some));
    let expanded = move |open: RwSignal<bool>| Signal::derive(move || open.get().to_string());
    view! {
        <div class="run-heads">
            <button type="button" data-testid="tool-run-toggle" aria-expanded=expanded(open) on:click=toggle>
                {words.text(word::RUN_OPEN)}
            </button>
            <button
                type="button"
                data-testid="tool-history-toggle"
                aria-expanded=expanded(remembers)
                on:click=move |_| remembers.update(|open| *open = !*open)
            >
                {words.text(word::RUN_HISTORY)}
            </button>
        </div>
        <Show when=move || open.get()>
            <div class="run" data-testid="tool-run">
                <label>
                    {words.text(word::RUN_ARGUMENTS)}
                    <textarea
                        data-testid="run-arguments"
                        rows="6"
                        spellcheck="false"
                        autocomplete="off"
                        prop:value=Signal::derive(move || arguments.get())
                        on:input:target=move |event| {
                            arguments.set(event.target().value());
                            typed_for.set(digest());
                        }
                    ></textarea>
                </label>
                <Show when=move || is_another.get()>
                    <p class="meta" data-testid="run-changed">{words.text(word::RUN_CHANGED)}</p>
                    <WordButton testid="run-seen" word=word::RUN_SEEN press=Callback::new(move |_| typed_for.set(digest())) />
                </Show>
                <div class="run-buttons">
                    <WordButton
                        testid="run-start"
                        word=word::RUN_START
                        class="primary"
                        disabled=Signal::derive(move || run.is_running.get() || is_another.get())
                        press=Callback::new(move |_| run.start(target.get_value(), arguments.get_untracked(), false))
                    />
                    <Show when=move || run.is_running.get()>
                        <WordButton testid="run-stop" word=word::RUN_STOP press=Callback::new(move |_| run.stop()) />
                    </Show>
                    <WordButton testid="run-example" word=word::RUN_EXAMPLE press=Callback::new(move |_| fill_in(true)) />
                </div>
            </div>
        </Show>
        <Asking item=item asks=asks />
        <div role="status" class="run-status">
            <Show when=move || run.is_running.get()>
                <p class="meta">{move || words.get(if asks.get() { word::RUN_ASKS } else { word::RUN_RUNNING })}</p>
            </Show>
            <Show when=move || run.is_too_long.get()>
                <p class="meta" data-testid="run-too-long">{words.text(word::RUN_TOO_LONG)}</p>
            </Show>
            <Show when=move || run.is_lost.get()>
                <p class="meta" data-testid="run-lost">{words.text(word::RUN_LOST)}</p>
            </Show>
            <span class="visually-hidden">{move || run.ended.get().map(|ended| run_line(words, &ended))}</span>
        </div>
        {move || run.ended.get().map(|ended| view! { <RunResult ended=ended target=target run=run /> }.into_any())}
        <Show when=move || remembers.get()>
            <RunHistory target=target typed=typed />
        </Show>
    }
}

/// The card of a run that asks the user all the same.
#[component]
fn Asking(item: Memo<Option<ToolItem>>, asks: Memo<bool>) -> impl IntoView {
    move || {
        let first = asks.get().then(|| item.get_untracked()).flatten()?;
        // What is shown stays as it was until the card goes.
        let tool = Memo::new(move |_| item.get().unwrap_or_else(|| first.clone()));
        let view = view! {
            <Show when=when_loaded(
                load_card(),
            )>{card(tool).now_or_never()}</Show>
        };
        Some(view.into_any())
    }
}
