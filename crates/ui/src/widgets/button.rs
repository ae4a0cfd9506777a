//! Buttons: each has a name, a `data-testid` and one action. When a focused button is removed, the focus stays near.

use leptos::html;
use leptos::prelude::*;
use web_sys::MouseEvent;

use crate::dom::focus::stay_near;
use crate::icons::{Icon, icon};
use crate::widgets::card::CardButtons;
use crate::words::{Word, use_words};

/// A button's label.
#[derive(Debug, Clone)]
pub enum Label {
    /// One of the extension's own words.
    Word(Word),
    /// A text of a model or a page.
    Text(String),
}

impl From<Word> for Label {
    fn from(word: Word) -> Self {
        Self::Word(word)
    }
}

impl From<String> for Label {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A button with a text label.
#[component]
pub fn WordButton(
    /// Its `data-testid`.
    testid: &'static str,
    /// Its label.
    #[prop(into)]
    word: Label,
    /// Its CSS class, if it differs from other buttons.
    #[prop(optional)]
    class: &'static str,
    /// Whether it is disabled.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// The card it belongs to, which may not accept clicks yet.
    #[prop(optional, into)]
    card: Option<CardButtons>,
    /// Whether it does not accept clicks yet for another reason.
    #[prop(optional, into)]
    waits: Signal<bool>,
    /// Element id of the text that says why it `waits`.
    #[prop(optional, into)]
    why: Option<StoredValue<String>>,
    /// Its action.
    #[prop(into)]
    press: Callback<MouseEvent>,
) -> impl IntoView {
    let words = use_words();
    let node = NodeRef::new();
    stay_near(node);
    let takes_none = move || (waits.get() || card.is_some_and(|card| !card.ready.get())).then_some("true");
    let described = move || why.filter(|_| waits.get()).map(|why| why.get_value());
    let click = move |event: MouseEvent| {
        if card.is_none_or(|card| card.takes(&event)) && !waits.get_untracked() {
            press.run(event);
        }
    };
    view! {
        <button
            type="button"
            class=class
            data-testid=testid
            disabled=disabled
            aria-disabled=Signal::derive(takes_none)
            aria-describedby=Signal::derive(described)
            on:click=click
            node_ref=node
        >
            {match word {
                Label::Word(word) => words.text(word).into_any(),
                Label::Text(text) => text.into_any(),
            }}
        </button>
    }
}

/// A button with an icon. Its word is its accessible name and its tooltip.
#[component]
pub fn IconButton(
    /// Its `data-testid`.
    testid: &'static str,
    /// Its icon.
    sign: Icon,
    /// Its name.
    word: Word,
    /// Its CSS class.
    #[prop(default = "quiet")]
    class: &'static str,
    /// Whether it is disabled.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// Whether what it opens is open, for a button that opens something.
    #[prop(optional, into)]
    expanded: Option<Signal<bool>>,
    /// Whether it is pressed, for a toggle button.
    #[prop(optional, into)]
    pressed: Option<Signal<bool>>,
    /// Reference to its element, to focus it.
    #[prop(optional)]
    node: NodeRef<html::Button>,
    /// Its action.
    #[prop(into)]
    press: Callback<MouseEvent>,
) -> impl IntoView {
    let words = use_words();
    stay_near(node);
    view! {
        <button
            type="button"
            class=class
            data-testid=testid
            aria-label=words.text(word)
            aria-pressed=Signal::derive(move || pressed.map(|pressed| pressed.get().to_string()))
            aria-expanded=Signal::derive(move || expanded.map(|expanded| expanded.get().to_string()))
            title=words.text(word)
            disabled=disabled
            on:click=move |event| press.run(event)
            node_ref=node
        >
            {icon(sign)}
        </button>
    }
}
