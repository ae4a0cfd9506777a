//! A tool call: one line with its state, and its details on demand.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::thread::{ItemKind, ToolItem, ToolOutcome, ToolState, ToolStep};
use sidecar_ui::clock::ticking;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::arguments::digest;
use sidecar_ui::text::tool_call::{state_icon, state_name, state_word};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::phrases::skill::brief;
use crate::views::chat::follow::use_follow;
use crate::views::chat::item::approval::Approval;
use crate::views::chat::item::tool_call::details::Details;
use crate::views::chat::item::waiting::{SoonGivenUp, Waiting};
use crate::word;

pub mod details;

/// Interval at which the duration of a running call is updated.
const TICK: Duration = Duration::from_millis(200);

/// The view of a call.
#[component]
pub fn ToolCall(
    /// The call when the view is made.
    first: ToolItem,
    /// The item, as it changes.
    cell: RwSignal<ItemKind>,
) -> impl IntoView {
    let (words, follow) = (use_words(), use_follow());
    let (name, call) = (first.name.clone(), first.call_id.clone());
    let (repaired, in_frame) = (!first.repaired.is_empty(), first.in_frame);
    let skill = first.skill.clone();
    let tool = as_it_is(first, cell);
    let state = Memo::new(move |_| tool.with(|tool| tool.state.clone()));
    let waits_for = Memo::new(move |_| {
        state.with(|state| match state {
            ToolState::Waiting { kind, .. } => Some(*kind),
            _ => None,
        })
    });
    let until = Memo::new(move |_| {
        state.with(|state| match state {
            ToolState::Running { until, .. } => *until,
            _ => None,
        })
    });
    let step = Memo::new(move |_| {
        state.with(|state| match state {
            ToolState::Running { step, .. } => *step,
            _ => None,
        })
    });
    let waits = call.clone();
    let open = RwSignal::new(false);
    let toggle = move |_| {
        follow.hold();
        open.update(|open| *open = !*open);
    };
    let quiet = move || if is_ok(&state.get()) { "visually-hidden" } else { "tool-state" };

    view! {
        <div
            class="item tool"
            data-testid="item-tool"
            data-name=name
            data-state=Signal::derive(move || state.with(state_name))
        >
            <button
                type="button"
                class="tool-line"
                data-testid="tool-toggle"
                aria-expanded=Signal::derive(move || open.get().to_string())
                on:click=toggle
            >
                {icon(Icon::Chevron)}
                <span class="tool-icon">{move || icon(state.with(state_icon))}</span>
                <span class="tool-name">{name.clone()}</span>
                {skill.map(|skill| view! { <span class="tool-state tool-skill" data-testid="tool-skill">{brief(&skill)}</span> }.into_any())}
                {in_frame.then(|| view! { <span class="tool-state" data-testid="tool-in-frame">{words.text(word::TOOL_IN_FRAME)}</span> }.into_any())}
                {repaired.then(|| view! { <span class="tool-state" data-testid="tool-repaired">{words.text(word::TOOL_REPAIRED)}</span> }.into_any())}
                <Show when=move || tool.with(|tool| tool.off_pattern)>
                    <span class="tool-state" data-testid="tool-off-pattern">{words.text(word::TOOL_OFF_PATTERN)}</span>
                </Show>
                <Show when=move || tool.with(|tool| !tool.signals.is_empty())>
                    <span class="tool-state" data-testid="tool-suspicious">{words.text(word::TOOL_SUSPICIOUS)}</span>
                </Show>
                <Show when=move || tool.with(|tool| tool.approval.edited)>
                    <span class="tool-state" data-testid="tool-edited">{words.text(word::TOOL_EDITED)}</span>
                </Show>
                <span class="digest" data-testid="tool-digest">
                    {Signal::derive(move || tool.with(|tool| digest(&tool.arguments)))}
                </span>
                {move || match step.get() {
                    // It says that the tool runs, too.
                    Some(step) => view! { <span class="tool-state" data-testid="tool-step">{step_of(words, step)}</span> }.into_any(),
                    None => {
                        view! { <span class=quiet>{Signal::derive(move || words.get(state.with(state_word)))}</span> }.into_any()
                    }
                }}
                <ToolDuration state=state />
            </button>
            <Show when=move || open.get()>
                <Details tool=tool />
            </Show>
            <Show when=move || state.get() == ToolState::Asking>
                <Approval tool=tool />
            </Show>
            {move || waits_for.get().map(|kind| view! { <Waiting call=waits.clone() kind=kind /> }.into_any())}
            {move || until.get().map(|until| view! { <SoonGivenUp call=call.clone() until=until /> }.into_any())}
        </div>
    }
}

fn step_of(words: Words, ToolStep { number, of }: ToolStep) -> String {
    words.fill(word::TOOL_STEP, &[("number", &number.to_string()), ("count", &of.to_string())])
}

/// How long the call has run or ran; empty for a call that never ran.
#[component]
fn ToolDuration(state: Memo<ToolState>) -> impl IntoView {
    let words = use_words();
    let running = Memo::new(move |_| matches!(state.get(), ToolState::Running { .. }));
    let time = ticking(running, TICK);
    let shown = move || match state.get() {
        ToolState::Queued | ToolState::Asking => String::new(),
        ToolState::Running { since, .. } => words.duration(time.get().saturating_sub(since)),
        ToolState::Waiting { ran_ms, .. } => words.duration(ran_ms),
        ToolState::Finished { duration_ms: 0, ref outcome, .. }
            if !matches!(outcome, ToolOutcome::Ok { .. }) =>
        {
            String::new()
        }
        ToolState::Finished { duration_ms, .. } => words.duration(duration_ms),
    };
    view! {
        <span class="duration" data-testid="tool-duration">
            {shown}
        </span>
    }
}

/// Follows the call of an item; `first` is the call when the view is made.
pub fn as_it_is(first: ToolItem, cell: RwSignal<ItemKind>) -> Memo<ToolItem> {
    Memo::new(move |_| {
        cell.with(|kind| match kind {
            ItemKind::Tool(tool) => tool.clone(),
            ItemKind::User { .. }
            | ItemKind::Assistant { .. }
            | ItemKind::Retry { .. }
            | ItemKind::Guard { .. }
            | ItemKind::LeftOut { .. }
            | ItemKind::Versions { .. }
            | ItemKind::Compacted { .. }
            | ItemKind::TurnEnd { .. } => first.clone(),
        })
    })
}

fn is_ok(state: &ToolState) -> bool {
    matches!(state, ToolState::Finished { outcome: ToolOutcome::Ok { .. }, .. })
}
