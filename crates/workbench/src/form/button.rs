//! Buttons of a field.

use leptos::html;
use leptos::prelude::*;
use sidecar_ui::dom::focus::stay_near;
use sidecar_ui::words::{Word, use_words};

/// A small button of a field. A form has hundreds: unlike `WordButton` nothing of it changes.
pub fn small_button<T>(testid: &'static str, word: Word, press: impl Fn() -> T + 'static) -> AnyView {
    button(testid, "small", word, move || _ = press())
}

/// A button of a field that is as large as others.
pub fn plain_button(testid: &'static str, word: Word, press: impl Fn() + 'static) -> AnyView {
    button(testid, "", word, press)
}

fn button(testid: &'static str, class: &'static str, word: Word, press: impl Fn() + 'static) -> AnyView {
    let press: Box<dyn Fn()> = Box::new(press);
    let node = NodeRef::<html::Button>::new();
    stay_near(node);
    view! {
        <button type="button" class=class data-testid=testid on:click=move |_| press() node_ref=node>
            {use_words().get(word)}
        </button>
    }
    .into_any()
}
