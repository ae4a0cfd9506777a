//! One tool call: a line that tells its state, and all of it on demand.

use std::time::Duration;

use std::borrow::Cow;

use leptos::prelude::*;
use sidecar_protocol::content::{Content, PageEffect, Unread};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::policy::{Approval as Asked, Passed, Why};
use sidecar_protocol::thread::{Cut, ItemKind, ToolFailure, ToolItem, ToolOutcome, ToolState};

use crate::arguments::{digest, pretty};
use crate::button::IconButton;
use crate::clock::ticking;
use crate::copy::CopyButton;
use crate::follow::use_follow;
use crate::icons::{Icon, icon};
use crate::item::approval::Approval;
use crate::item::arguments::arguments_view;
use crate::item::waiting::{SoonGivenUp, Waiting};
use crate::state::use_state;
use crate::when::When;
use crate::words::{Word, Words, use_words};

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
                {in_frame.then(|| view! { <span class="tool-state" data-testid="tool-in-frame">{words.text(Word::ToolInFrame)}</span> }.into_any())}
                {repaired.then(|| view! { <span class="tool-state" data-testid="tool-repaired">{words.text(Word::ToolRepaired)}</span> }.into_any())}
                <When test=move || tool.with(|tool| tool.off_pattern)>
                    <span class="tool-state" data-testid="tool-off-pattern">{words.text(Word::ToolOffPattern)}</span>
                </When>
                <When test=move || tool.with(|tool| !tool.signs.is_empty())>
                    <span class="tool-state" data-testid="tool-suspicious">{words.text(Word::ToolSuspicious)}</span>
                </When>
                <When test=move || tool.with(|tool| tool.approval.edited)>
                    <span class="tool-state" data-testid="tool-edited">{words.text(Word::ToolEdited)}</span>
                </When>
                <span class="digest" data-testid="tool-digest">
                    {Signal::derive(move || tool.with(|tool| digest(&tool.arguments)))}
                </span>
                <span class=quiet>{Signal::derive(move || words.get(state.with(state_word)))}</span>
                <ToolDuration state=state />
            </button>
            <When test=move || open.get()>
                <Details tool=tool />
            </When>
            <When test=move || state.get() == ToolState::Asking>
                <Approval tool=tool />
            </When>
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
            <When test=move || !site().is_empty()>
                <p class="meta">{Signal::derive(move || words.fill(if in_frame { Word::ToolCalledInFrame } else { Word::ToolCalledOn }, &[("site", &site())]))}</p>
            </When>
            <When test=move || tool.with(|tool| !tool.repaired.is_empty())>
                <p class="meta">{words.text(Word::ToolRepairedText)}</p>
            </When>
            <When test=move || tool.with(|tool| tool.off_pattern)>
                <p class="meta">{words.text(Word::ToolOffPatternText)}</p>
            </When>
            {move || tool.with(|tool| decided(words, &tool.approval))}
            <div class="details-head">
                <h3>{words.text(Word::ToolArguments)}</h3>
                <CopyButton label=Word::CopyArguments testid="copy-arguments" text=arguments />
            </div>
            <div data-testid="tool-arguments">{move || tool.with(|tool| arguments_view(words, &tool.arguments, Word::ToolNoArguments))}</div>
            <div class="details-head">
                <h3>{words.text(Word::ToolResult)}</h3>
                <When test=move || !result.with(String::is_empty)>
                    <CopyButton label=Word::CopyResult testid="copy-result" text=result.into() />
                    <IconButton
                        testid="quote-result"
                        sign=Icon::Chat
                        word=Word::QuoteResult
                        class="small"
                        press=move |_| state.quote(&result.with_untracked(|result| pretty(result)))
                    />
                </When>
            </div>
            <div data-testid="tool-result">
                {move || tool.with(|tool| explanation(words, &tool.state)).map(|text| view! { <p>{text}</p> }.into_any())}
                <When test=move || !result.with(String::is_empty)>
                    <pre tabindex="0">{Signal::derive(move || result.with(|result| beginning(&pretty(result))))}</pre>
                </When>
                {move || {
                    tool.with(|tool| tool.cut)
                        .map(|Cut { given, whole }| {
                            let [given, whole] = [given, whole]
                                .map(|count| words.number(u64::try_from(count).unwrap_or_default()));
                            let said = words.fill(Word::ToolGiven, &[("given", &given), ("whole", &whole)]);
                            view! { <p class="meta" data-testid="tool-given">{said}</p> }.into_any()
                        })
                }}
                <When test=move || { result.with(String::len) > SHOWN }>
                    <p class="meta">{words.text(Word::ToolCut)}</p>
                </When>
            </div>
            <details>
                <summary>{words.text(Word::ToolRaw)}</summary>
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
        Passed::ReadOnly => ("readOnly", Word::PassedReadOnly),
        Passed::Mode => ("mode", Word::PassedMode),
        Passed::Grant => ("grant", Word::PassedGrant),
        Passed::User => ("user", Word::PassedUser),
        Passed::Flow => ("flow", Word::PassedFlow),
    };
    view! { <p class="meta" data-testid="tool-passed" data-passed=name>{words.get(word)}</p> }.into_any()
}

/// What let the call pass, and what the user said about it.
fn decided(words: Words, approval: &Asked) -> Vec<AnyView> {
    let Asked { why, passed, words: said, edited, flow_allowed, .. } = approval;
    let passed = passed.map(|passed| passed_view(words, passed));
    let flow = Why::flow_from(why).filter(|_| *flow_allowed).map(|from| {
        let said = words.fill(Word::ToolFlowAllowed, &[("from", from)]);
        view! { <p class="meta" data-testid="tool-flow-allowed">{said}</p> }.into_any()
    });
    let edited = edited.then(|| view! { <p class="meta">{words.get(Word::ToolEditedText)}</p> }.into_any());
    let said = (!said.is_empty()).then(|| {
        let said = words.fill(Word::ToolSaid, &[("words", said)]);
        view! { <p class="meta">{said}</p> }.into_any()
    });
    [passed, flow, edited, said].into_iter().flatten().collect()
}

/// The word for a state, as it stands in the call's line.
pub fn state_word(state: &ToolState) -> Word {
    match state {
        ToolState::Queued => Word::ToolQueued,
        ToolState::Asking => Word::ToolAsking,
        ToolState::Running { .. } => Word::ToolRunning,
        ToolState::Waiting { .. } => Word::ToolWaiting,
        ToolState::Finished { outcome, .. } => match outcome {
            ToolOutcome::Ok { .. } => Word::ToolOk,
            ToolOutcome::Failed {
                code:
                    ToolFailure::UnknownTool | ToolFailure::BadArguments | ToolFailure::Changed | ToolFailure::Off,
                ..
            } => Word::ToolRefused,
            ToolOutcome::Failed { code: ToolFailure::Page(_) | ToolFailure::Unreachable, .. } => {
                Word::ToolFailed
            }
            ToolOutcome::Declined => Word::ToolDeclined,
            ToolOutcome::Interrupted => Word::ToolInterrupted,
            ToolOutcome::TimedOut { .. } => Word::ToolTimedOut,
            ToolOutcome::Cancelled => Word::ToolCancelled,
            ToolOutcome::Repeated { .. } => Word::ToolRepeated,
        },
    }
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
        ToolState::Queued => Word::ToolQueuedText,
        ToolState::Asking | ToolState::Running { .. } | ToolState::Waiting { .. } => Word::ToolRunningText,
        ToolState::Finished { outcome, .. } => match outcome {
            ToolOutcome::Ok { page: PageEffect::Opened { site, .. }, .. } => {
                return Some(words.fill(Word::ToolPageRead, &[("site", site)]));
            }
            ToolOutcome::Ok { page: PageEffect::Left { unread }, .. } => match unread {
                None => Word::ToolNavigated,
                Some(Unread::Hidden) => Word::ToolPageHidden,
                Some(Unread::Insecure) => Word::ToolPageInsecure,
                Some(Unread::Restricted) => Word::ToolPageRestricted,
                Some(Unread::Missing) => Word::ToolPageMissing,
            },
            ToolOutcome::Ok { content, page: PageEffect::Stayed } => {
                return Content::texts(content).is_empty().then(|| words.get(Word::ToolEmpty).to_owned());
            }
            ToolOutcome::Failed { code, .. } => failure_word(*code),
            ToolOutcome::Declined => Word::ToolDeclinedText,
            ToolOutcome::Interrupted => Word::ToolInterruptedText,
            ToolOutcome::TimedOut { limit_ms } => {
                let limit = words.duration(*limit_ms);
                return Some(words.fill(Word::ToolTimedOutText, &[("duration", &limit)]));
            }
            ToolOutcome::Cancelled => Word::ToolCancelledText,
            ToolOutcome::Repeated { .. } => Word::ToolRepeatedText,
        },
    };
    Some(words.get(word).to_owned())
}

/// What a failure means.
pub fn failure_word(code: ToolFailure) -> Word {
    match code {
        ToolFailure::Page(code) => match code {
            FailureCode::Threw => Word::FailureThrew,
            FailureCode::NotFound => Word::FailureNotFound,
            FailureCode::BadArguments => Word::FailureBadArguments,
            FailureCode::TooLarge => Word::FailureTooLarge,
            FailureCode::Cancelled => Word::FailureCancelled,
            FailureCode::Navigated => Word::FailureNavigated,
            FailureCode::Blocked => Word::FailureBlocked,
        },
        ToolFailure::UnknownTool => Word::FailureUnknownTool,
        ToolFailure::BadArguments => Word::FailureModelArguments,
        ToolFailure::Changed => Word::FailureChanged,
        ToolFailure::Off => Word::FailureOff,
        ToolFailure::Unreachable => Word::FailureUnreachable,
    }
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
