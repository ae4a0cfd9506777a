//! A run of a tool by hand: its arguments, what it came to, and the runs before.

use futures::FutureExt;
use leptos::prelude::*;
use sidecar_protocol::ToolRef;
use sidecar_protocol::link::{RunsAnswer, RunsCommand};
use sidecar_protocol::thread::ToolItem;
use sidecar_ui::parts::when_loaded;
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;
use wasm_split_helpers::wasm_split;

use crate::link::LinkResponse;
use crate::state::{PanelState, use_state};
use crate::views::chat::direct::{card, load_card};
use crate::views::tools::drafts::{Drafts, RunDraft};
use crate::views::tools::hand_run::HandRun;
use crate::views::tools::run_history::RunHistory;
use crate::views::tools::run_result::{RunResult, run_line};
use crate::word;

/// The part of a tool's details in which it is run; `draft` is its [`Drafts::key`].
#[wasm_split(views, preload(load_run))]
pub fn run_tool(
    tool: StoredValue<ToolRef>,
    digest: StoredValue<String>,
    origin: StoredValue<String>,
    draft: StoredValue<String>,
) -> AnyView {
    view! { <RunTool tool=tool digest=digest origin=origin draft=draft /> }.into_any()
}

#[component]
fn RunTool(
    tool: StoredValue<ToolRef>,
    digest: StoredValue<String>,
    origin: StoredValue<String>,
    draft: StoredValue<String>,
) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, conversation, .. } = use_state();
    let drafts = use_context::<Drafts>();
    let typed = drafts.map(|drafts| draft.with_value(|key| drafts.of(key))).unwrap_or_default();
    let run = HandRun::new(connection, tool, digest, origin, typed);
    Effect::new(move |_| {
        // What the user has not looked at yet is still for the tool as it was.
        let digest = if run.is_another.get() { "?".to_owned() } else { digest.get_value() };
        let kept = RunDraft { arguments: run.arguments.get(), is_open: run.is_open.get(), digest };
        if let Some(drafts) = drafts {
            draft.with_value(|key| drafts.keep(key, kept));
        }
    });
    let (open, remembers) = (run.is_open, RwSignal::new(false));
    let fill_in = move |is_asked_for: bool| {
        connection.ask(RunsCommand::Example { tool: tool.get_value() }, move |response| {
            // What was typed meanwhile stays.
            if let LinkResponse::Answer(RunsAnswer::Example { arguments: Some(arguments) }) = response
                && (is_asked_for || run.arguments.with_untracked(String::is_empty))
            {
                run.arguments.set(pretty(&arguments));
            }
        });
    };
    let toggle = move |_| {
        open.update(|open| *open = !*open);
        if open.get_untracked() && run.arguments.with_untracked(String::is_empty) {
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
                        prop:value=Signal::derive(move || run.arguments.get())
                        on:input:target=move |event| {
                            run.arguments.set(event.target().value());
                            run.is_another.set(false);
                        }
                    ></textarea>
                </label>
                <Show when=move || run.is_another.get()>
                    <p class="meta" data-testid="run-changed">{words.text(word::RUN_CHANGED)}</p>
                    <WordButton testid="run-seen" word=word::RUN_SEEN press=Callback::new(move |_| run.is_another.set(false)) />
                </Show>
                <div class="run-buttons">
                    <WordButton
                        testid="run-start"
                        word=word::RUN_START
                        class="primary"
                        disabled=Signal::derive(move || run.is_running.get() || run.is_another.get())
                        press=Callback::new(move |_| run.start(run.arguments.get_untracked(), false))
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
            <Show when=move || run.is_lost.get()>
                <p class="meta" data-testid="run-lost">{words.text(word::RUN_LOST)}</p>
            </Show>
            <span class="visually-hidden">{move || run.ended.get().map(|ended| run_line(words, &ended))}</span>
        </div>
        {move || run.ended.get().map(|ended| view! { <RunResult ended=ended run=run /> }.into_any())}
        <Show when=move || remembers.get()>
            <RunHistory tool=tool digest=digest run=run />
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
