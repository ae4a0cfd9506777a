//! The panel's plain buttons: each has a name, a `data-testid` and one thing it does. When one that has the focus goes away,
//! the focus stays near.

use leptos::html;
use leptos::prelude::*;
use web_sys::MouseEvent;

use crate::dom::focus::stay_near;
use crate::icons::{Icon, icon};
use crate::widgets::card::CardButtons;
use crate::words::{Word, use_words};

/// What a button says.
#[derive(Debug, Clone)]
pub enum Label {
    /// A word of ours.
    Word(Word),
    /// The words of somebody else.
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

/// A button that says what it does.
#[component]
pub fn WordButton(
    /// Its `data-testid`.
    testid: &'static str,
    /// What it says.
    #[prop(into)]
    word: Label,
    /// How it looks, when not like any other.
    #[prop(optional)]
    class: &'static str,
    /// Whether it can be pressed.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// The card whose button it is, which may not take clicks yet.
    #[prop(optional, into)]
    card: Option<CardButtons>,
    /// Whether it waits for something else than its card.
    #[prop(optional, into)]
    waits: Signal<bool>,
    /// The id of what says why it waits.
    #[prop(optional, into)]
    why: Option<StoredValue<String>>,
    /// What it does.
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

/// A button that shows a sign. Its word is its name and its tooltip.
#[component]
pub fn IconButton(
    /// Its `data-testid`.
    testid: &'static str,
    /// What it shows.
    sign: Icon,
    /// Its name.
    word: Word,
    /// How it looks.
    #[prop(default = "quiet")]
    class: &'static str,
    /// Whether it can be pressed.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// Whether what it opens is open, if it opens something.
    #[prop(optional, into)]
    expanded: Option<Signal<bool>>,
    /// Whether it is pressed, if it stays so.
    #[prop(optional, into)]
    pressed: Option<Signal<bool>>,
    /// For who wants to focus it.
    #[prop(optional)]
    node: NodeRef<html::Button>,
    /// What it does.
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
