//! The approval card: why the call asks, its arguments, which can be edited, and a reason for declining. The card takes
//! the focus, not one of its buttons, and the buttons ignore clicks until the card has stood still in view, so that no
//! Enter or click meant for something else decides. Folded whitespace in arguments is marked as such, and the call can
//! run only after the end of the arguments was in view.

use std::collections::BTreeMap;

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::link::Control;
use sidecar_protocol::policy::{Approval as Asked, AskReason, Decision};
use sidecar_protocol::thread::ToolItem;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::arguments;
use sidecar_ui::text::arguments_table::arguments_view;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::card::CardButtons;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::phrases::skill::of_skill;
use crate::state::{PanelState, use_state};
use crate::views::chat::follow::use_follow;
use crate::views::chat::item::approval::fields::Fields;
use crate::views::chat::item::approval::in_view::{InView, counted, look_at};
use crate::views::chat::item::approval::reasons::reasons;
use crate::views::chat::item::card_focus::lend_focus;
use crate::views::chat::item::pending_decision::PendingDecision;
use crate::word;

mod action;
mod fields;
mod in_view;
mod reasons;

/// The card.
#[component]
pub fn Approval(
    /// The call that asks.
    tool: Memo<ToolItem>,
    /// Whether it is one of no turn.
    #[prop(optional)]
    direct: bool,
) -> impl IntoView {
    let (words, follow) = (use_words(), use_follow());
    let PanelState { connection, navigation, .. } = use_state();
    let card = NodeRef::<html::Div>::new();
    // A page must not take the focus from the user.
    if !direct {
        lend_focus(navigation, card);
    }
    let given = NodeRef::<html::Div>::new();
    let seen = RwSignal::new(InView::NOTHING_KNOWN);
    let buttons = CardButtons::of(card, move |_| {
        if let Some(given) = given.try_get_untracked().flatten() {
            let now = look_at(&given, seen.get_untracked().end);
            if now != seen.get_untracked() {
                seen.set(now);
            }
        }
    });
    let unseen = Memo::new(move |_| !seen.get().end);
    let unfolded = RwSignal::new(false);

    let ToolItem { call_id, name, site, in_frame, skill, arguments, approval, .. } = tool.get_untracked();
    let (title_id, arguments_id) = (format!("ask-{call_id}"), format!("ask-arguments-{call_id}"));
    let unseen_id = StoredValue::new(format!("ask-unseen-{call_id}"));
    let is_in_other_frame = AskReason::card_in(&approval.why).is_some_and(|card| !card.frame.is_empty());
    let can_allow_flow =
        approval.can_allow && AskReason::flow_from(&approval.why).is_some() && !is_in_other_frame;
    let can_allow = approval.can_allow
        && AskReason::can_end(&approval.why)
        && approval.why.iter().any(AskReason::ends_with_grant);
    let is_action = AskReason::card_in(&approval.why).is_some();
    let asks_access = action::wanted_access(&approval.why).is_some();
    let by_user = AskReason::card_in(&approval.why).is_some_and(|card| card.by_user.is_some());
    let mut fields = arguments::fields(&arguments).unwrap_or_default();
    // What the model would have typed into a field of the user's is no matter.
    fields.retain(|field| !(by_user || (is_action || asks_access) && action::is_target(&field.name)));
    let total = fields.len();
    let kept = StoredValue::new((call_id, fields.clone(), BTreeMap::<String, String>::new(), String::new()));

    let unread = RwSignal::new(String::new());
    let mistake = Memo::new(move |_| tool.with(|tool| tool.approval.mistake.clone()));
    let pending = PendingDecision::of(tool, direct);
    let decided = pending.is_given();
    Effect::new(move |_| {
        // Each mistake answers the last decision: the user can decide again.
        tool.with(|tool| tool.approval.mistakes);
        pending.take_back();
        untrack(|| buttons.start_over());
    });
    Effect::new(move |_| {
        connection.count.with(|_| ());
        untrack(|| buttons.start_over());
    });
    let decide = move |decision, allow, allow_flow| {
        if decided.get_untracked() {
            return;
        }
        let (call_id, fields, typed, words) = kept.get_value();
        match arguments::edits(&fields, &typed) {
            Ok(edits) => {
                unread.set(String::new());
                // A reason is sent only with a refusal.
                let words = if decision == Decision::Decline { words } else { String::new() };
                pending.give(Control::Decide { call_id, decision, edits, words, allow, allow_flow });
            }
            Err(name) => unread.set(name),
        }
    };
    let refuse = move |_| {
        // A declined call needs no edited arguments, and they may be invalid.
        kept.update_value(|(_, _, typed, _)| typed.clear());
        decide(Decision::Decline, false, false);
    };
    let access = action::wanted_access(&approval.why);
    let (run_word, always_word) = match access {
        Some(_) => (word::APPROVAL_ACCESS_ONCE, word::APPROVAL_ACCESS_ALWAYS),
        None if by_user => (word::APPROVAL_DONE, word::APPROVAL_ALWAYS),
        None if is_action => (word::APPROVAL_DO, word::APPROVAL_ALWAYS),
        None => (word::APPROVAL_RUN, word::APPROVAL_ALWAYS),
    };
    let asked = approval.why.clone();
    let title = move || {
        if let Some(title) = action::title(words, &asked, &site) {
            return title;
        }
        let word = match in_frame {
            _ if site.is_empty() => word::APPROVAL_TITLE_NO_SITE,
            true => word::APPROVAL_TITLE_IN_FRAME,
            false => word::APPROVAL_TITLE,
        };
        words.fill(word, &[("tool", &name), ("site", &site)])
    };
    let error = move || {
        let (unread, mistake) = (unread.get(), mistake.get());
        match unread.is_empty() {
            false => words.fill(word::APPROVAL_UNREAD, &[("name", &unread)]),
            true if mistake.is_empty() => String::new(),
            true => words.sentences(words.get(word::APPROVAL_MISTAKE), &mistake),
        }
    };
    let error = Memo::new(move |_| error());

    view! {
        <div
            class="asks"
            data-testid="approval"
            data-ready=Signal::derive(move || buttons.ready.get().to_string())
            data-unseen=Signal::derive(move || unseen.get().to_string())
            class:unfolded=unfolded
            role="group"
            tabindex="-1"
            aria-labelledby=title_id
            aria-describedby=arguments_id
            node_ref=card
        >
            <h3 id=title_id.clone()>{title}</h3>
            {skill.map(|skill| of_skill(words, &skill))}
            {reasons(words, &approval)}
            <div id=arguments_id.clone() node_ref=given>
                {if access.is_some() || is_action && fields.is_empty() {
                    ().into_any()
                } else if fields.is_empty() {
                    (move || arguments_view(words, &arguments, word::APPROVAL_NONE)).into_any()
                } else {
                    let typed = move |name: String, text: String| {
                        kept.update_value(|(_, _, typed, _)| drop(typed.insert(name, text)));
                    };
                    view! { <Fields fields=fields typed=Callback::new(move |(name, text)| typed(name, text)) decided=decided /> }.into_any()
                }}
            </div>
            <Show when=move || access.is_none() && (unfolded.get() || seen.get().is_more_than(total))>
                <p class="asks-more">
                    <Show when=move || { total > 0 }>
                        <span data-testid="approval-count">{Signal::derive(move || counted(words, total, seen.get().shown))}</span>
                    </Show>
                    <button
                        type="button"
                        class="small"
                        data-testid="approval-show-all"
                        aria-expanded=Signal::derive(move || unfolded.get().to_string())
                        on:click=move |_| {
                            follow.hold();
                            unfolded.update(|unfolded| *unfolded = !*unfolded);
                        }
                    >
                        {icon(Icon::Chevron)}
                        {words.text(word::APPROVAL_SHOW_ALL)}
                    </button>
                </p>
            </Show>
            <Show when=move || unseen.get() && seen.get().is_more_than(total)>
                <p id=unseen_id.get_value() class="meta" data-testid="approval-unseen">
                    {words.text(word::APPROVAL_UNSEEN)}
                </p>
            </Show>
            <Show when=move || !error.with(String::is_empty)>
                <p class="error" role="alert" data-testid="approval-error">
                    {Signal::derive(move || error.get())}
                </p>
            </Show>
            <div class="buttons">
                <WordButton
                    testid="approval-run"
                    word=run_word
                    class="primary"
                    disabled=decided
                    card=buttons
                    waits=unseen
                    why=unseen_id
                    press=move |_| decide(Decision::Run, false, false)
                />
                <WordButton testid="approval-decline" word=word::APPROVAL_DECLINE disabled=decided card=buttons press=refuse />
                <Show when=move || can_allow>
                    <WordButton
                        testid="approval-always"
                        word=always_word
                        class="quiet"
                        disabled=decided
                        card=buttons
                        waits=unseen
                        why=unseen_id
                        press=move |_| decide(Decision::Run, true, false)
                    />
                </Show>
                <Show when=move || can_allow_flow>
                    <WordButton
                        testid="approval-flow-allow"
                        word=word::APPROVAL_FLOW_ALLOW
                        class="quiet"
                        disabled=decided
                        card=buttons
                        waits=unseen
                        why=unseen_id
                        press=move |_| decide(Decision::Run, false, true)
                    />
                </Show>
            </div>
            <input
                type="text"
                class="asks-words"
                data-testid="approval-words"
                prop:readOnly=decided
                autocomplete="off"
                maxlength=Asked::MOST_WORDS.to_string()
                aria-label=words.text(word::APPROVAL_WORDS)
                placeholder=words.text(word::APPROVAL_WORDS)
                on:input:target=move |event| {
                    let text = event.target().value();
                    kept.update_value(|(_, _, _, words)| *words = text);
                }
            />
        </div>
    }
}
