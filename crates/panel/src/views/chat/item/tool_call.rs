//! One tool call: a line that tells its state, and all of it on demand.

use std::time::Duration;

use std::borrow::Cow;

use leptos::prelude::*;
use sidecar_protocol::content::{Content, PageEffect, Unread};
use sidecar_protocol::policy::{Approval as Asked, Passed, Why};
use sidecar_protocol::thread::{Cut, ItemKind, ToolItem, ToolOutcome, ToolState};
use sidecar_ui::clock::ticking;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::arguments::{digest, pretty};
use sidecar_ui::text::arguments_table::arguments_view;
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::phrases::tool_call::{failure_word, state_word};
use crate::state::use_state;
use crate::views::chat::follow::use_follow;
use crate::views::chat::item::approval::Approval;
use crate::views::chat::item::waiting::{SoonGivenUp, Waiting};
use crate::word;

/// Characters of a result that are shown; a browser lays out more only slowly.
const SHOWN: usize = 50_000;

/// How often the duration of a running call moves.
const TICK: Duration = Duration::from_millis(200);

/// The call, as it goes on.
#[component]
pub fn ToolCall(
    /// As it is now.
    first: ToolItem,
    /// As it will be.
    cell: RwSignal<ItemKind>,
) -> impl IntoView {
    let (words, follow) = (use_words(), use_follow());
    let (name, call) = (first.name.clone(), first.call_id.clone());
    let (repaired, in_frame) = (!first.repaired.is_empty(), first.in_frame);
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
                {in_frame.then(|| view! { <span class="tool-state" data-testid="tool-in-frame">{words.text(word::TOOL_IN_FRAME)}</span> }.into_any())}
                {repaired.then(|| view! { <span class="tool-state" data-testid="tool-repaired">{words.text(word::TOOL_REPAIRED)}</span> }.into_any())}
                <Show when=move || tool.with(|tool| tool.off_pattern)>
                    <span class="tool-state" data-testid="tool-off-pattern">{words.text(word::TOOL_OFF_PATTERN)}</span>
                </Show>
                <Show when=move || tool.with(|tool| !tool.signs.is_empty())>
                    <span class="tool-state" data-testid="tool-suspicious">{words.text(word::TOOL_SUSPICIOUS)}</span>
                </Show>
                <Show when=move || tool.with(|tool| tool.approval.edited)>
                    <span class="tool-state" data-testid="tool-edited">{words.text(word::TOOL_EDITED)}</span>
                </Show>
                <span class="digest" data-testid="tool-digest">
                    {Signal::derive(move || tool.with(|tool| digest(&tool.arguments)))}
                </span>
                <span class=quiet>{Signal::derive(move || words.get(state.with(state_word)))}</span>
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

/// How long the call runs or ran; nothing for a call that never ran.
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

/// Arguments, result, and both as they really are.
#[component]
fn Details(tool: Memo<ToolItem>) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let result =
        Memo::new(move |_| tool.with(|tool| result_text(&tool.state).unwrap_or_default().into_owned()));
    let arguments = Signal::derive(move || tool.with(|tool| pretty(&tool.arguments)));
    let site = move || tool.with(|tool| tool.site.clone());
    let in_frame = tool.with_untracked(|tool| tool.in_frame);
    view! {
        <div class="details">
            <Show when=move || !site().is_empty()>
                <p class="meta">{Signal::derive(move || words.fill(if in_frame { word::TOOL_CALLED_IN_FRAME } else { word::TOOL_CALLED_ON }, &[("site", &site())]))}</p>
            </Show>
            <Show when=move || tool.with(|tool| !tool.repaired.is_empty())>
                <p class="meta">{words.text(word::TOOL_REPAIRED_TEXT)}</p>
            </Show>
            <Show when=move || tool.with(|tool| tool.off_pattern)>
                <p class="meta">{words.text(word::TOOL_OFF_PATTERN_TEXT)}</p>
            </Show>
            {move || tool.with(|tool| decided(words, &tool.approval))}
            <div class="details-head">
                <h3>{words.text(word::TOOL_ARGUMENTS)}</h3>
                <CopyButton label=word::COPY_ARGUMENTS testid="copy-arguments" text=arguments />
            </div>
            <div data-testid="tool-arguments">{move || tool.with(|tool| arguments_view(words, &tool.arguments, word::TOOL_NO_ARGUMENTS))}</div>
            <div class="details-head">
                <h3>{words.text(word::TOOL_RESULT)}</h3>
                <Show when=move || !result.with(String::is_empty)>
                    <CopyButton label=word::COPY_RESULT testid="copy-result" text=result.into() />
                    <IconButton
                        testid="quote-result"
                        sign=Icon::Chat
                        word=word::QUOTE_RESULT
                        class="small"
                        press=move |_| state.quote(&result.with_untracked(|result| pretty(result)))
                    />
                </Show>
            </div>
            <div data-testid="tool-result">
                {move || tool.with(|tool| explanation(words, &tool.state)).map(|text| view! { <p>{text}</p> }.into_any())}
                <Show when=move || !result.with(String::is_empty)>
                    <pre tabindex="0">{Signal::derive(move || result.with(|result| beginning(&pretty(result))))}</pre>
                </Show>
                {move || {
                    tool.with(|tool| tool.cut)
                        .map(|Cut { given, whole }| {
                            let [given, whole] = [given, whole]
                                .map(|count| words.number(u64::try_from(count).unwrap_or_default()));
                            let said = words.fill(word::TOOL_GIVEN, &[("given", &given), ("whole", &whole)]);
                            view! { <p class="meta" data-testid="tool-given">{said}</p> }.into_any()
                        })
                }}
                <Show when=move || { result.with(String::len) > SHOWN }>
                    <p class="meta">{words.text(word::TOOL_CUT)}</p>
                </Show>
            </div>
            <details>
                <summary>{words.text(word::TOOL_RAW)}</summary>
                <pre tabindex="0" data-testid="tool-raw">
                    {Signal::derive(move || tool.with(raw))}
                </pre>
            </details>
        </div>
    }
}

/// What let a call pass.
pub fn passed_view(words: Words, passed: Passed) -> AnyView {
    let (name, word) = match passed {
        Passed::ReadOnly => ("readOnly", word::PASSED_READ_ONLY),
        Passed::Mode => ("mode", word::PASSED_MODE),
        Passed::Grant => ("grant", word::PASSED_GRANT),
        Passed::User => ("user", word::PASSED_USER),
        Passed::Flow => ("flow", word::PASSED_FLOW),
    };
    view! { <p class="meta" data-testid="tool-passed" data-passed=name>{words.get(word)}</p> }.into_any()
}

/// What let the call pass, and what the user said about it.
fn decided(words: Words, approval: &Asked) -> Vec<AnyView> {
    let Asked { why, passed, words: said, edited, flow_allowed, .. } = approval;
    let passed = passed.map(|passed| passed_view(words, passed));
    let flow = Why::flow_from(why).filter(|_| *flow_allowed).map(|from| {
        let said = words.fill(word::TOOL_FLOW_ALLOWED, &[("from", from)]);
        view! { <p class="meta" data-testid="tool-flow-allowed">{said}</p> }.into_any()
    });
    let edited = edited.then(|| view! { <p class="meta">{words.get(word::TOOL_EDITED_TEXT)}</p> }.into_any());
    let said = (!said.is_empty()).then(|| {
        let said = words.fill(word::TOOL_SAID, &[("words", said)]);
        view! { <p class="meta">{said}</p> }.into_any()
    });
    [passed, flow, edited, said].into_iter().flatten().collect()
}

/// The call as it is now.
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
            | ItemKind::Rest { .. } => first.clone(),
        })
    })
}

pub fn state_name(state: &ToolState) -> &'static str {
    match state {
        ToolState::Queued => "queued",
        ToolState::Asking => "asking",
        ToolState::Running { .. } => "running",
        ToolState::Waiting { .. } => "waiting",
        ToolState::Finished { outcome, .. } => match outcome {
            ToolOutcome::Ok { .. } => "ok",
            ToolOutcome::Failed { .. } => "failed",
            ToolOutcome::Declined => "declined",
            ToolOutcome::Interrupted => "interrupted",
            ToolOutcome::TimedOut { .. } => "timedOut",
            ToolOutcome::Cancelled => "cancelled",
            ToolOutcome::Repeated { .. } => "repeated",
        },
    }
}

fn state_icon(state: &ToolState) -> Icon {
    match state {
        ToolState::Queued => Icon::Clock,
        ToolState::Asking | ToolState::Waiting { .. } => Icon::Question,
        ToolState::Running { .. } => Icon::Spinner,
        ToolState::Finished { outcome, .. } => match outcome {
            ToolOutcome::Ok { .. } | ToolOutcome::Repeated { .. } => Icon::Check,
            ToolOutcome::Failed { .. } => Icon::Cross,
            ToolOutcome::Declined | ToolOutcome::Cancelled => Icon::Barred,
            ToolOutcome::Interrupted => Icon::Warning,
            ToolOutcome::TimedOut { .. } => Icon::Clock,
        },
    }
}

fn is_ok(state: &ToolState) -> bool {
    matches!(state, ToolState::Finished { outcome: ToolOutcome::Ok { .. }, .. })
}

/// What the tool, or the page, said.
fn result_text(state: &ToolState) -> Option<Cow<'_, str>> {
    match state {
        ToolState::Queued | ToolState::Asking | ToolState::Running { .. } | ToolState::Waiting { .. } => None,
        ToolState::Finished { outcome, .. } => outcome.text(),
    }
}

/// What we have to say about it.
fn explanation(words: Words, state: &ToolState) -> Option<String> {
    let word = match state {
        ToolState::Queued => word::TOOL_QUEUED_TEXT,
        ToolState::Asking | ToolState::Running { .. } | ToolState::Waiting { .. } => word::TOOL_RUNNING_TEXT,
        ToolState::Finished { outcome, .. } => match outcome {
            ToolOutcome::Ok { page: PageEffect::Opened { site, .. }, .. } => {
                return Some(words.fill(word::TOOL_PAGE_READ, &[("site", site)]));
            }
            ToolOutcome::Ok { page: PageEffect::Left { unread }, .. } => match unread {
                None => word::TOOL_NAVIGATED,
                Some(Unread::Hidden) => word::TOOL_PAGE_HIDDEN,
                Some(Unread::Insecure) => word::TOOL_PAGE_INSECURE,
                Some(Unread::Restricted) => word::TOOL_PAGE_RESTRICTED,
                Some(Unread::Missing) => word::TOOL_PAGE_MISSING,
            },
            ToolOutcome::Ok { content, page: PageEffect::Stayed } => {
                return Content::texts(content).is_empty().then(|| words.get(word::TOOL_EMPTY).to_owned());
            }
            ToolOutcome::Failed { code, .. } => failure_word(*code),
            ToolOutcome::Declined => word::TOOL_DECLINED_TEXT,
            ToolOutcome::Interrupted => word::TOOL_INTERRUPTED_TEXT,
            ToolOutcome::TimedOut { limit_ms } => {
                let limit = words.duration(*limit_ms);
                return Some(words.fill(word::TOOL_TIMED_OUT_TEXT, &[("duration", &limit)]));
            }
            ToolOutcome::Cancelled => word::TOOL_CANCELLED_TEXT,
            ToolOutcome::Repeated { .. } => word::TOOL_REPEATED_TEXT,
        },
    };
    Some(words.get(word).to_owned())
}

/// The call as it was recorded.
fn raw(tool: &ToolItem) -> String {
    let mut tool = tool.clone();
    if let ToolState::Finished { outcome, raw, .. } = &mut tool.state {
        if let ToolOutcome::Ok { .. } = outcome {
            *outcome = outcome.clone().map_text(beginning);
        }
        *raw = raw.as_deref().map(beginning);
    }
    serde_json::to_string_pretty(&tool).unwrap_or_default()
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
