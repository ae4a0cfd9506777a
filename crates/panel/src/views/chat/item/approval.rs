//! The question before a tool acts: why it asks, its real arguments, to be changed, and what may be said to it. The focus
//! comes to the card and to no button, and its buttons take no click before the card has stood still in view, so that
//! neither an Enter nor a click meant for something else decides anything. Nothing of the arguments is hidden without a
//! word, and what runs the call waits until their end was in view.

use std::collections::BTreeMap;

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::guard::Flow;
use sidecar_protocol::link::Control;
use sidecar_protocol::policy::{Approval as Asked, Change, Decision, Part, Why};
use sidecar_protocol::thread::ToolItem;
use sidecar_ui::dom::focus::{active_element, focus};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::arguments::{self, Field};
use sidecar_ui::text::arguments_table::{arguments_view, folded};
use sidecar_ui::text::folds::is_plain;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::card::{CardButtons, ROUNDING, view_of};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::state::{State, View, use_state};
use crate::views::chat::follow::use_follow;
use crate::views::chat::item::pending_decision::PendingDecision;
use crate::word;

/// What of the arguments may scroll. The text area of a long one shows again what stands above it.
const SCROLLS: &str = ".asks-fields, .asks-value, .asks-field > textarea, .arguments, pre";

/// Marks what was scrolled to its end.
const SEEN: &str = "data-seen";

/// How far from its end something counts as scrolled to it, in CSS pixels.
const NEAR: i32 = 4;

/// How much of the arguments is in view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    /// How many are shown whole.
    shown: usize,
    /// Whether the end of all that scrolls was in view.
    end: bool,
}

impl Seen {
    /// Before the card was looked at.
    const NOTHING_KNOWN: Self = Self { shown: usize::MAX, end: false };

    /// Whether there is more to see than is shown, of so many.
    fn is_more_than(self, total: usize) -> bool {
        self != Self::NOTHING_KNOWN && (!self.end || self.shown < total)
    }
}

/// The card.
#[component]
pub fn Approval(
    /// The call that asks, as it is now.
    tool: Memo<ToolItem>,
) -> impl IntoView {
    let (words, state, follow) = (use_words(), use_state(), use_follow());
    let card = NodeRef::<html::Div>::new();
    lend_focus(state, card);
    let given = NodeRef::<html::Div>::new();
    let seen = RwSignal::new(Seen::NOTHING_KNOWN);
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

    let ToolItem { call_id, name, site, in_frame, arguments, approval, .. } = tool.get_untracked();
    let (title_id, arguments_id) = (format!("ask-{call_id}"), format!("ask-arguments-{call_id}"));
    let unseen_id = StoredValue::new(format!("ask-unseen-{call_id}"));
    let can_allow_flow = approval.can_allow && Why::flow_from(&approval.why).is_some();
    let can_allow = approval.can_allow && approval.why.iter().any(Why::ends_with_grant);
    let fields = arguments::fields(&arguments).unwrap_or_default();
    let total = fields.len();
    let kept = StoredValue::new((call_id, fields.clone(), BTreeMap::<String, String>::new(), String::new()));

    let unread = RwSignal::new(String::new());
    let mistake = Memo::new(move |_| tool.with(|tool| tool.approval.mistake.clone()));
    let pending = PendingDecision::of(tool);
    let decided = pending.is_given();
    Effect::new(move |_| {
        // Each mistake is an answer: the question is open again.
        tool.with(|tool| tool.approval.mistakes);
        pending.take_back();
        untrack(|| buttons.start_over());
    });
    Effect::new(move |_| {
        state.connection.track();
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
                pending.give(Control::Decide { call_id, decision, edits, words, allow, allow_flow });
            }
            Err(name) => unread.set(name),
        }
    };
    let refuse = move |_| {
        // What was typed into the arguments does not matter any more.
        kept.update_value(|(_, _, typed, _)| typed.clear());
        decide(Decision::Decline, false, false);
    };
    let title = move || {
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
            {reasons(words, &approval)}
            <div id=arguments_id.clone() node_ref=given>
                {if fields.is_empty() {
                    (move || arguments_view(words, &arguments, word::APPROVAL_NONE)).into_any()
                } else {
                    let typed = move |name: String, text: String| {
                        kept.update_value(|(_, _, typed, _)| drop(typed.insert(name, text)));
                    };
                    view! { <Fields fields=fields typed=Callback::new(move |(name, text)| typed(name, text)) /> }.into_any()
                }}
            </div>
            <Show when=move || unfolded.get() || seen.get().is_more_than(total)>
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
                    word=word::APPROVAL_RUN
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
                        word=word::APPROVAL_ALWAYS
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
        .map(|Field { name, text, .. }| match is_plain(&text) {
            true => {
                let label = name.clone();
                view! {
                    <label class="asks-field">
                        <span>{label}</span>
                        {editor(name, text, typed)}
                    </label>
                }
                .into_any()
            }
            false => view! { <LongField name=name text=text typed=typed /> }.into_any(),
        })
        .collect_view();
    view! {
        <div class="asks-fields" role="group" aria-label=words.text(word::APPROVAL_ARGUMENTS)>
            {rows}
        </div>
    }
}

/// An argument that does not go into one glance: what is folded and how long it is, and the text itself to be changed.
#[component]
fn LongField(name: String, text: String, typed: Callback<(String, String)>) -> impl IntoView {
    let words = use_words();
    let now = RwSignal::new(text.clone());
    let edits = RwSignal::new(false);
    let heard = Callback::new(move |(name, text): (String, String)| {
        now.set(text.clone());
        typed.run((name, text));
    });
    let length = move || {
        let length = now.with(|now| u64::try_from(now.chars().count()).unwrap_or_default());
        words.count((word::APPROVAL_LENGTH_ONE, word::APPROVAL_LENGTH_OTHER), length, &[])
    };
    let (called, shown, group) = (name.clone(), name.clone(), name.clone());
    let label = name.clone();
    let before = StoredValue::new((name, text));
    let edit_name = move || words.fill(word::APPROVAL_EDIT_NAME, &[("name", &called)]);
    view! {
        <div class="asks-field" role="group" aria-label=group>
            <span>{label}</span>
            <div>
                <div class="asks-value" tabindex="0" data-testid="approval-value" data-name=shown>
                    {move || now.with(|now| folded(words, now))}
                </div>
                <p class="asks-more">
                    <span data-testid="approval-length">{length}</span>
                    <Show when=move || !edits.get()>
                        <button
                            type="button"
                            class="small"
                            data-testid="approval-edit"
                            aria-label=Signal::derive(edit_name.clone())
                            on:click=move |_| edits.set(true)
                        >
                            {words.text(word::APPROVAL_EDIT)}
                        </button>
                    </Show>
                </p>
                <Show when=move || edits.get()>
                    {before.with_value(|(name, text)| editor(name.clone(), text.clone(), heard))}
                </Show>
            </div>
        </div>
    }
}

/// Where an argument is changed.
fn editor(name: String, text: String, typed: Callback<(String, String)>) -> AnyView {
    view! {
        <textarea
            rows="1"
            spellcheck="false"
            aria-label=name.clone()
            data-testid="approval-argument"
            data-name=name.clone()
            prop:value=text
            on:input:target=move |event| typed.run((name.clone(), event.target().value()))
        ></textarea>
    }
    .into_any()
}

/// How much of the arguments is in view, and whether their end is now or `was` before. Of a card that is larger than the
/// view, the end of all of them need not be there.
fn look_at(given: &HtmlElement, was: bool) -> Seen {
    let all = |selector: &str| -> Vec<Element> {
        let Ok(found) = given.query_selector_all(selector) else { return Vec::new() };
        (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
    };
    let is_at_end = |it: &Element| it.scroll_height() - it.scroll_top() - it.client_height() <= NEAR;
    let scrolling = all(SCROLLS);
    let (view, bottom) = (view_of(given), given.get_bounding_client_rect().bottom());
    let ends_in_view = bottom > view.top() && bottom <= view.bottom() + ROUNDING;
    for it in scrolling.iter().filter(|it| ends_in_view && it.client_height() > 0 && is_at_end(it)) {
        // Fails for no attribute name used here.
        let _ = it.set_attribute(SEEN, "");
    }
    let end = was || ends_in_view && scrolling.iter().all(|it| it.has_attribute(SEEN));
    let is_whole = |field: &Element| {
        let value = field.query_selector(".asks-value, textarea").ok().flatten();
        let fits = value.is_none_or(|value| value.scroll_height() - value.client_height() <= NEAR);
        let frame = field.parent_element().map(|frame| frame.get_bounding_client_rect());
        let it = field.get_bounding_client_rect();
        let is_in = frame.is_none_or(|frame| {
            it.top() >= frame.top() - ROUNDING && it.bottom() <= frame.bottom() + ROUNDING
        });
        fits && is_in
    };
    let fields = all(".asks-field");
    let shown = if scrolling.iter().all(|it| it.scroll_height() - it.client_height() <= NEAR) {
        fields.len()
    } else {
        fields.iter().filter(|field| is_whole(field)).count()
    };
    Seen { shown, end }
}

/// How many arguments there are, and how many are shown whole.
fn counted(words: Words, total: usize, shown: usize) -> String {
    let [total, shown] = [total, shown.min(total)].map(|count| u64::try_from(count).unwrap_or_default());
    let shown = words.number(shown);
    words.count((word::APPROVAL_COUNT_ONE, word::APPROVAL_COUNT_OTHER), total, &[("shown", &shown)])
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
                Why::Mode | Why::Consequential | Why::Policy | Why::Repaired | Why::Repeated | Why::Guard => {
                    Vec::new()
                }
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
        Why::Mode => ("mode", word::APPROVAL_WHY_MODE),
        Why::Consequential => ("consequential", word::APPROVAL_WHY_CONSEQUENTIAL),
        Why::Policy => ("policy", word::APPROVAL_WHY_POLICY),
        Why::Repaired => ("repaired", word::APPROVAL_WHY_REPAIRED),
        Why::Changed { .. } => ("changed", word::APPROVAL_WHY_CHANGED),
        Why::Repeated => ("repeated", word::APPROVAL_WHY_REPEATED),
        Why::Guard => ("guard", word::APPROVAL_WHY_GUARD),
        Why::Flow { .. } => ("flow", word::APPROVAL_WHY_FLOW),
    }
}

/// Data of another origin: from where, and in which argument it stands.
fn flowing(words: Words, Flow { origin: _, site, tool, argument, data }: Flow) -> AnyView {
    let word = if tool.is_empty() { word::FLOW_ATTACHED } else { word::FLOW_FROM };
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
        Part::Title => word::CHANGE_TITLE,
        Part::Description => word::CHANGE_DESCRIPTION,
        Part::Schema => word::CHANGE_SCHEMA,
        Part::Hints => word::CHANGE_HINTS,
    };
    let text = move |word, text: String| {
        let shown = move || match text.is_empty() {
            true => words.get(word::CHANGE_NOTHING).to_owned(),
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
            <dl>{text(word::CHANGE_BEFORE, before)} {text(word::CHANGE_AFTER, after)}</dl>
        </div>
    }
    .into_any()
}
