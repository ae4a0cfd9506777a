//! A question of the agent: its text, choices and a free answer. Afterwards, the answer that was given.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::CallId;
use sidecar_protocol::content::Content;
use sidecar_protocol::link::Control;
use sidecar_protocol::policy::{Approval, Decision};
use sidecar_protocol::thread::{ItemKind, ToolItem, ToolOutcome, ToolState};
use sidecar_ui::dom::focus::is_composing;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::tool_call::state_name;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::card::CardButtons;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::chat::item::card_focus::lend_focus;
use crate::views::chat::item::pending_decision::PendingDecision;
use crate::views::chat::item::tool_call::as_it_is;
use crate::word;

/// The card.
#[component]
pub fn Question(
    /// The call when the view is made.
    first: ToolItem,
    /// The item, as it changes.
    cell: RwSignal<ItemKind>,
) -> impl IntoView {
    let words = use_words();
    let (call, question) = (first.call_id.clone(), first.question.clone().unwrap_or_default());
    let tool = as_it_is(first, cell);
    let state = Memo::new(move |_| tool.with(|tool| tool.state.clone()));
    let title_id = format!("question-{call}");
    let labelled = title_id.clone();
    let choices = StoredValue::new((call, question.choices));
    let card = NodeRef::new();
    let body = move || match state.get() {
        ToolState::Asking => view! { <Answer tool=tool asked=choices card=card /> }.into_any(),
        ToolState::Finished { outcome: ToolOutcome::Ok { content, .. }, .. } => view! {
            <p class="said" data-testid="question-answered">{Content::texts(&content).into_owned()}</p>
        }
        .into_any(),
        ToolState::Finished { .. } => {
            view! { <p class="meta">{words.text(word::QUESTION_UNANSWERED)}</p> }.into_any()
        }
        ToolState::Queued | ToolState::Running { .. } | ToolState::Waiting { .. } => ().into_any(),
    };
    view! {
        <div
            class="item asks question"
            role="group"
            tabindex="-1"
            data-testid="item-question"
            data-state=Signal::derive(move || state.with(state_name))
            aria-labelledby=labelled
            node_ref=card
        >
            <h3 id=title_id>{icon(Icon::Question)} <span data-testid="question-text">{question.text}</span></h3>
            {body}
        </div>
    }
}

/// The choices, the free answer, and the button to skip.
#[component]
fn Answer(
    /// The current call.
    tool: Memo<ToolItem>,
    /// The call's id and its choices.
    asked: StoredValue<(CallId, Vec<String>)>,
    /// The card that holds the buttons.
    card: NodeRef<html::Div>,
) -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, .. } = use_state();
    lend_focus(navigation, card);
    let buttons = CardButtons::of(card, |_| ());
    let own = RwSignal::new(String::new());
    let pending = PendingDecision::of(tool, false);
    let decided = pending.is_given();
    let decide = move |decision, words: String| {
        let call_id = asked.with_value(|(call, _)| call.clone());
        pending.give(Control::Decide {
            call_id,
            decision,
            edits: None,
            words,
            allow: false,
            allow_flow: false,
        });
    };
    let send = move || {
        let answer = own.get_untracked().trim().to_owned();
        if !answer.is_empty() {
            decide(Decision::Run, answer);
        }
    };
    let choices = asked.with_value(|(_, choices)| choices.clone());
    let choices = choices
        .into_iter()
        .map(|choice| {
            let answer = choice.clone();
            view! {
                <WordButton
                    testid="question-choice"
                    word=choice
                    disabled=decided
                    card=buttons
                    press=move |_| decide(Decision::Run, answer.clone())
                />
            }
            .into_any()
        })
        .collect_view();
    view! {
        <div
            class="buttons choices"
            data-testid="question-choices"
            data-ready=Signal::derive(move || buttons.ready.get().to_string())
        >
            {choices}
        </div>
        <input
            type="text"
            data-testid="question-words"
            maxlength=Approval::MOST_WORDS.to_string()
            aria-label=words.text(word::QUESTION_WORDS)
            placeholder=words.text(word::QUESTION_WORDS)
            prop:value=own
            on:input=move |event| own.set(event_target_value(&event))
            on:keydown=move |event| {
                if event.key() == "Enter" && !is_composing(&event) {
                    event.prevent_default();
                    send();
                }
            }
        />
        <div class="buttons">
            <WordButton
                testid="question-answer"
                word=word::QUESTION_ANSWER
                class="primary"
                disabled=Signal::derive(move || decided.get() || own.with(|own| own.trim().is_empty()))
                card=buttons
                press=move |_| send()
            />
            <WordButton
                testid="question-skip"
                word=word::QUESTION_SKIP
                disabled=decided
                card=buttons
                press=move |_| decide(Decision::Decline, String::new())
            />
        </div>
    }
}
