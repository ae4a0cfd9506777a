//! The user's words.

use leptos::prelude::*;

use crate::words::{Word, use_words};

/// The words, as they were typed.
#[component]
pub fn UserWords(text: String) -> impl IntoView {
    let words = use_words();
    view! {
        <div class="item user" data-testid="item-user">
            <span class="visually-hidden">{words.text(Word::ChatYou)}</span>
            <p>{text}</p>
        </div>
    }
}
