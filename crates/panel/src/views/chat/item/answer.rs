//! An answer of the model: its reasoning, collapsed, and its text.

use leptos::prelude::*;
use sidecar_protocol::thread::{AnswerState, ItemKind};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::markdown::parts::Parts;
use sidecar_ui::text::long_text::LongText;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::chat::follow::use_follow;
use crate::word;

/// Most characters of the latest reasoning shown beside "Thinking…".
const GLIMPSE: usize = 120;

/// One second in milliseconds; shorter reasoning is called brief.
const SECOND: u64 = 1_000;

/// An answer, which may still be growing.
#[component]
pub fn Answer(cell: RwSignal<ItemKind>) -> impl IntoView {
    let words = use_words();
    let state = Memo::new(move |_| {
        cell.with(|kind| match kind {
            ItemKind::Assistant { state, .. } => *state,
            ItemKind::User { .. }
            | ItemKind::Tool(_)
            | ItemKind::Retry { .. }
            | ItemKind::Guard { .. }
            | ItemKind::LeftOut { .. }
            | ItemKind::Versions { .. }
            | ItemKind::Compacted { .. }
            | ItemKind::TurnEnd { .. } => AnswerState::Done,
        })
    });
    let has_thoughts = part(cell, |reasoning, _| !reasoning.is_empty());
    let has_text = part(cell, |_, text| !text.is_empty());
    let is_waiting =
        Memo::new(move |_| state.get() == AnswerState::Waiting && !has_thoughts.get() && !has_text.get());
    let note = move || match state.get() {
        AnswerState::Waiting | AnswerState::Streaming | AnswerState::Done => None,
        AnswerState::Stopped => Some(words.get(word::ANSWER_STOPPED)),
        AnswerState::Cut => Some(words.get(word::ANSWER_CUT)),
    };
    let was_whole =
        state.get_untracked() != AnswerState::Waiting && state.get_untracked() != AnswerState::Streaming;

    view! {
        <div class="item answer" data-testid="item-assistant" data-state=Signal::derive(move || state_name(state.get()))>
            <Show when=move || has_thoughts.get()>
                <Thoughts cell=cell />
            </Show>
            <Show when=move || is_waiting.get()>
                <Waiting />
            </Show>
            <Show when=move || has_text.get()>
                <div class="prose" data-testid="answer">
                    {long_text(cell, text, was_whole, true)}
                </div>
            </Show>
            {move || note().map(|note| view! { <p class="note">{note}</p> }.into_any())}
        </div>
    }
}

/// The reasoning: one line that expands to all of it.
#[component]
fn Thoughts(cell: RwSignal<ItemKind>) -> impl IntoView {
    let (words, follow) = (use_words(), use_follow());
    let open = RwSignal::new(false);
    let time = Memo::new(move |_| cell.with(thinking_time));
    let glimpse = part(cell, |reasoning, _| glimpse(reasoning));
    let label = move || match time.get() {
        ThinkingTime::Now => words.get(word::ANSWER_THINKING).to_owned(),
        ThinkingTime::Took(Some(ms)) if ms < SECOND => words.get(word::ANSWER_THOUGHT_BRIEFLY).to_owned(),
        ThinkingTime::Took(Some(ms)) => {
            words.fill(word::ANSWER_THOUGHT_FOR, &[("duration", &words.rough_duration(ms))])
        }
        ThinkingTime::Took(None) => words.get(word::ANSWER_THOUGHT).to_owned(),
    };
    let toggle = move |_| {
        follow.hold();
        open.update(|open| *open = !*open);
    };
    view! {
        <button
            type="button"
            class="thoughts-line"
            data-testid="reasoning-toggle"
            aria-expanded=Signal::derive(move || open.get().to_string())
            on:click=toggle
        >
            {icon(Icon::Chevron)}
            <span>{label}</span>
            <Show when=move || time.get() == ThinkingTime::Now && !open.get()>
                <span class="glimpse" aria-hidden="true">
                    {glimpse}
                </span>
            </Show>
        </button>
        <Show when=move || open.get()>
            <div class="thoughts" data-testid="reasoning">
                {long_text(cell, reasoning, cell.with_untracked(|kind| thinking_time(kind) != ThinkingTime::Now), false)}
            </div>
        </Show>
    }
}

/// The text or the reasoning of an answer. `whole`: it was complete when first shown.
fn long_text(cell: RwSignal<ItemKind>, of: fn(&ItemKind) -> &str, whole: bool, markdown: bool) -> AnyView {
    let follow = use_follow();
    let parts = Memo::new(move |old: Option<&Parts>| cell.with(|kind| Parts::of(of(kind), old)));
    let opening = move |()| match whole {
        true => follow.hold(),
        false => follow.keep_place(),
    };
    view! { <LongText parts=parts whole=whole markdown=markdown opening=Callback::new(opening) /> }.into_any()
}

/// Shown until the first token. The style sheet delays the steps: a spinner, then what is being waited for, then what
/// the user can do.
#[component]
fn Waiting() -> impl IntoView {
    let words = use_words();
    let PanelState { settings, .. } = use_state();
    let say = move |word| words.fill(word, &[("model", &settings.model())]);
    view! {
        <div class="waiting">
            <span class="after-moment">{icon(Icon::Spinner)}</span>
            <span class="after-seconds until-long">{Signal::derive(move || say(word::ANSWER_WAITING))}</span>
            <span class="after-long">{Signal::derive(move || say(word::ANSWER_WAITING_LONG))}</span>
        </div>
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingTime {
    Now,
    Took(Option<u64>),
}

fn thinking_time(kind: &ItemKind) -> ThinkingTime {
    match kind {
        ItemKind::Assistant { reasoning_ms: Some(ms), .. } => ThinkingTime::Took(Some(*ms)),
        ItemKind::Assistant { text, state: AnswerState::Waiting | AnswerState::Streaming, .. }
            if text.is_empty() =>
        {
            ThinkingTime::Now
        }
        ItemKind::Assistant { .. }
        | ItemKind::User { .. }
        | ItemKind::Tool(_)
        | ItemKind::Retry { .. }
        | ItemKind::Guard { .. }
        | ItemKind::LeftOut { .. }
        | ItemKind::Versions { .. }
        | ItemKind::Compacted { .. }
        | ItemKind::TurnEnd { .. } => ThinkingTime::Took(None),
    }
}

/// The end of the last non-empty line.
fn glimpse(reasoning: &str) -> String {
    let near = reasoning.len().saturating_sub(8 * GLIMPSE);
    let near = (near..=reasoning.len()).find(|at| reasoning.is_char_boundary(*at)).unwrap_or_default();
    let line = reasoning[near..].trim_end().rsplit('\n').next().unwrap_or_default().trim();
    let skip = line.chars().count().saturating_sub(GLIMPSE);
    line.chars().skip(skip).collect()
}

fn part<T: Clone + PartialEq + Send + Sync + 'static>(
    cell: RwSignal<ItemKind>,
    of: fn(&str, &str) -> T,
) -> Memo<T> {
    Memo::new(move |_| cell.with(|kind| of(reasoning(kind), text(kind))))
}

fn reasoning(kind: &ItemKind) -> &str {
    words_of(kind).0
}

fn text(kind: &ItemKind) -> &str {
    words_of(kind).1
}

/// Reasoning and text of an answer; empty for other items.
fn words_of(kind: &ItemKind) -> (&str, &str) {
    match kind {
        ItemKind::Assistant { reasoning, text, .. } => (reasoning.trim(), text),
        ItemKind::User { .. }
        | ItemKind::Tool(_)
        | ItemKind::Retry { .. }
        | ItemKind::Guard { .. }
        | ItemKind::LeftOut { .. }
        | ItemKind::Versions { .. }
        | ItemKind::Compacted { .. }
        | ItemKind::TurnEnd { .. } => ("", ""),
    }
}

fn state_name(state: AnswerState) -> &'static str {
    match state {
        AnswerState::Waiting => "waiting",
        AnswerState::Streaming => "streaming",
        AnswerState::Done => "done",
        AnswerState::Stopped => "stopped",
        AnswerState::Cut => "cut",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glimpse_is_the_end_of_the_last_line() {
        assert_eq!(glimpse("First.\nThen the second.\n\n"), "Then the second.");
        assert_eq!(glimpse(""), "");
        assert_eq!(glimpse(&"x".repeat(500)).len(), GLIMPSE);
    }
}
