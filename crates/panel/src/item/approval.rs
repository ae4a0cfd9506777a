//! The question before a tool acts: why it asks, its real arguments, to be changed, and what may be said to it. The focus
//! comes to the card and to no button, so that an Enter meant for something else decides nothing.

use std::collections::BTreeMap;

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::guard::Flow;
use sidecar_protocol::link::{Decision, PanelCommand};
use sidecar_protocol::policy::{Approval as Asked, Change, Part, Why};
use sidecar_protocol::thread::ToolItem;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::arguments::{self, Field};
use crate::button::WordButton;
use crate::focus::{active_element, focus};
use crate::item::tool::arguments_view;
use crate::state::{State, View, use_state};
use crate::when::When;
use crate::words::{Word, Words, use_words};

/// The card.
#[component]
pub fn Approval(
    /// The call that asks, as it is now.
    tool: Memo<ToolItem>,
) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let card = NodeRef::<html::Div>::new();
    lend_focus(state, card);

    let ToolItem { call_id, name, site, arguments, approval, .. } = tool.get_untracked();
    let (title_id, arguments_id) = (format!("ask-{call_id}"), format!("ask-arguments-{call_id}"));
    let can_allow = approval.can_allow && approval.why.iter().any(Why::ends_with_grant);
    let fields = arguments::fields(&arguments).unwrap_or_default();
    let kept = StoredValue::new((call_id, fields.clone(), BTreeMap::<String, String>::new(), String::new()));

    let decided = RwSignal::new(false);
    let unread = RwSignal::new(String::new());
    let mistake = Memo::new(move |_| tool.with(|tool| tool.approval.mistake.clone()));
    Effect::new(move |_| {
        // Each mistake is an answer: the question is open again. A worker that died may not have heard the decision.
        tool.with(|tool| tool.approval.mistakes);
        state.connection.track();
        decided.set(false);
    });
    let decide = move |decision, allow| {
        if decided.get_untracked() {
            return;
        }
        let (call_id, fields, typed, words) = kept.get_value();
        match arguments::edits(&fields, &typed) {
            Ok(edits) => {
                unread.set(String::new());
                decided.set(state.send(&PanelCommand::Decide { call_id, decision, edits, words, allow }));
            }
            Err(name) => unread.set(name),
        }
    };
    let refuse = move |_| {
        // What was typed into the arguments does not matter any more.
        kept.update_value(|(_, _, typed, _)| typed.clear());
        decide(Decision::Decline, false);
    };
    let title = move || {
        let word = if site.is_empty() { Word::ApprovalTitleNoSite } else { Word::ApprovalTitle };
        words.fill(word, &[("tool", &name), ("site", &site)])
    };
    let error = move || {
        let (unread, mistake) = (unread.get(), mistake.get());
        match unread.is_empty() {
            false => words.fill(Word::ApprovalUnread, &[("name", &unread)]),
            true if mistake.is_empty() => String::new(),
            true => words.sentences(words.get(Word::ApprovalMistake), &mistake),
        }
    };
    let error = Memo::new(move |_| error());

    view! {
        <div
            class="asks"
            data-testid="approval"
            role="group"
            tabindex="-1"
            aria-labelledby=title_id
            aria-describedby=arguments_id
            node_ref=card
        >
            <h3 id=title_id.clone()>{title}</h3>
            {reasons(words, &approval)}
            <div id=arguments_id.clone()>
                {if fields.is_empty() {
                    (move || arguments_view(words, &arguments, Word::ApprovalNone)).into_any()
                } else {
                    let typed = move |name: String, text: String| {
                        kept.update_value(|(_, _, typed, _)| drop(typed.insert(name, text)));
                    };
                    view! { <Fields fields=fields typed=Callback::new(move |(name, text)| typed(name, text)) /> }.into_any()
                }}
            </div>
            <When test=move || !error.with(String::is_empty)>
                <p class="error" role="alert" data-testid="approval-error">
                    {Signal::derive(move || error.get())}
                </p>
            </When>
            <div class="buttons">
                <WordButton
                    testid="approval-run"
                    word=Word::ApprovalRun
                    class="primary"
                    disabled=decided
                    press=move |_| decide(Decision::Run, false)
                />
                <WordButton testid="approval-decline" word=Word::ApprovalDecline disabled=decided press=refuse />
                <When test=move || can_allow>
                    <WordButton
                        testid="approval-always"
                        word=Word::ApprovalAlways
                        class="quiet"
                        disabled=decided
                        press=move |_| decide(Decision::Run, true)
                    />
                </When>
            </div>
            <input
                type="text"
                class="asks-words"
                data-testid="approval-words"
                autocomplete="off"
                maxlength=Asked::MOST_WORDS.to_string()
                aria-label=words.text(Word::ApprovalWords)
                placeholder=words.text(Word::ApprovalWords)
                on:input:target=move |event| {
                    let text = event.target().value();
                    kept.update_value(|(_, _, _, words)| *words = text);
                }
            />
        </div>
    }
}

/// Gives a card that asks the focus, and gives it back to what had it when the view that is made now goes away.
pub fn lend_focus(state: State, card: NodeRef<html::Div>) {
    let before = StoredValue::new_local(active_element());
    Effect::new(move |_| {
        if let Some(card) = card.get()
            && state.view.get_untracked() == View::Chat
        {
            focus(&card);
        }
    });
    on_cleanup(move || {
        let (card, before) = (card.get_untracked().map(Element::from), before.get_value());
        request_animation_frame(move || {
            // Somebody who has gone elsewhere meanwhile is left there.
            if active_element().is_some_and(|active| Some(active) != card) {
                return;
            }
            match before.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
                Some(element) if element.is_connected() => focus(&element),
                _ => state.focus_composer(),
            }
        });
    });
}

/// The arguments, each to be changed.
#[component]
fn Fields(fields: Vec<Field>, typed: Callback<(String, String)>) -> impl IntoView {
    let words = use_words();
    let rows = fields
        .into_iter()
        .map(|Field { name, text, .. }| {
            let label = name.clone();
            view! {
                <label class="asks-field">
                    <span>{label}</span>
                    <textarea
                        rows="1"
                        spellcheck="false"
                        data-testid="approval-argument"
                        data-name=name.clone()
                        prop:value=text
                        on:input:target=move |event| typed.run((name.clone(), event.target().value()))
                    ></textarea>
                </label>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <div class="asks-fields" role="group" aria-label=words.text(Word::ApprovalArguments)>
            {rows}
        </div>
    }
}

/// Why the call asks.
fn reasons(words: Words, approval: &Asked) -> AnyView {
    let reasons = approval
        .why
        .iter()
        .map(|why| {
            let (name, word) = named(why);
            let details: Vec<AnyView> = match why {
                Why::Changed { changes } => {
                    changes.iter().map(|change| changed(words, change.clone())).collect()
                }
                Why::Flow { flows } => flows.iter().map(|flow| flowing(words, flow.clone())).collect(),
                Why::Mode | Why::Consequential | Why::Policy | Why::Repaired | Why::Guard => Vec::new(),
            };
            view! {
                <li data-testid="approval-why" data-why=name>
                    {words.text(word)}
                    {details}
                </li>
            }
            .into_any()
        })
        .collect_view();
    view! { <ul class="asks-why">{reasons}</ul> }.into_any()
}

/// How a reason is spelt, and what is said of it.
fn named(why: &Why) -> (&'static str, Word) {
    match why {
        Why::Mode => ("mode", Word::ApprovalWhyMode),
        Why::Consequential => ("consequential", Word::ApprovalWhyConsequential),
        Why::Policy => ("policy", Word::ApprovalWhyPolicy),
        Why::Repaired => ("repaired", Word::ApprovalWhyRepaired),
        Why::Changed { .. } => ("changed", Word::ApprovalWhyChanged),
        Why::Guard => ("guard", Word::ApprovalWhyGuard),
        Why::Flow { .. } => ("flow", Word::ApprovalWhyFlow),
    }
}

/// Data of another origin: from where, and in which argument it stands.
fn flowing(words: Words, Flow { site, tool, argument, data }: Flow) -> AnyView {
    let word = if tool.is_empty() { Word::FlowAttached } else { Word::FlowFrom };
    let from = move || words.fill(word, &[("site", &site), ("tool", &tool), ("argument", &argument)]);
    view! {
        <div class="change" data-testid="approval-flow">
            <span>{from}</span>
            <q>{data}</q>
        </div>
    }
    .into_any()
}

/// One part of a definition: what it was, and what it is.
fn changed(words: Words, Change { part, before, after }: Change) -> AnyView {
    let part = match part {
        Part::Title => Word::ChangeTitle,
        Part::Description => Word::ChangeDescription,
        Part::Schema => Word::ChangeSchema,
        Part::Hints => Word::ChangeHints,
    };
    let text = move |word, text: String| {
        let shown = move || match text.is_empty() {
            true => words.get(Word::ChangeNothing).to_owned(),
            false => text.clone(),
        };
        view! {
            <div>
                <dt>{words.text(word)}</dt>
                <dd>{shown}</dd>
            </div>
        }
        .into_any()
    };
    view! {
        <div class="change" data-testid="approval-change">
            <span>{words.text(part)}</span>
            <dl>{text(Word::ChangeBefore, before)} {text(Word::ChangeAfter, after)}</dl>
        </div>
    }
    .into_any()
}
