//! The conversation and the place to write.

use leptos::prelude::*;

use crate::composer::Composer;
use crate::empty::NoKey;
use crate::state::use_state;
use crate::transcript::Transcript;
use crate::words::{Word, use_words};

/// The Chat view. It stays while other views are open, so that nothing in it is lost.
#[component]
pub fn Chat() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let lacks_key = Memo::new(move |_| {
        state.welcomed.get()
            && !state.settings.with(|view| view.ready)
            && !state.timeline.with(|timeline| timeline.entries().is_empty())
    });
    view! {
        <div class="chat">
            <h2 class="visually-hidden">{move || words.get(Word::ChatTranscript)}</h2>
            <Transcript />
            <Show when=move || lacks_key.get()>
                <NoKey />
            </Show>
            <Composer />
        </div>
    }
}
