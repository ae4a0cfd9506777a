//! The user's words.

use leptos::prelude::*;
use sidecar_protocol::ItemId;
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::thread::Activity;

use crate::attachments;
use crate::button::IconButton;
use crate::icons::Icon;
use crate::state::use_state;
use crate::words::{Word, use_words};

/// The words, as they were typed, what went with them, and the way to change them.
#[component]
pub fn UserWords(id: ItemId, text: String, attached: Vec<Attachment>) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let is_edited = {
        let id = id.clone();
        Memo::new(move |_| state.editing.with(|edited| *edited == id.0))
    };
    view! {
        <div class="item user" class:edited=is_edited data-testid="item-user">
            <span class="visually-hidden">{words.text(Word::ChatYou)}</span>
            <p>{text}</p>
            {(!attached.is_empty()).then(|| attachments::sent(words, &attached))}
            <IconButton
                testid="edit-message"
                sign=Icon::Pencil
                word=Word::EditButton
                class="small"
                disabled=Signal::derive(move || state.activity.get() != Activity::Resting)
                press=move |_| state.edit(&id)
            />
        </div>
    }
}
