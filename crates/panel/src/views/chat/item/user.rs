//! A message of the user.

use leptos::prelude::*;
use sidecar_protocol::ItemId;
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::thread::Activity;
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::chat::composer::attachments;
use crate::views::chat::thumbnail::SentPictures;
use crate::word;

/// The message as typed, its pictures and attachments, and the button to edit it.
#[component]
pub fn UserWords(
    id: ItemId,
    text: String,
    attached: Vec<Attachment>,
    pictures: Vec<Picture>,
) -> impl IntoView {
    let words = use_words();
    let PanelState { conversation, composer, .. } = use_state();
    let is_edited = {
        let id = id.clone();
        Memo::new(move |_| composer.editing.with(|edited| *edited == id.0))
    };
    view! {
        <div class="item user" class:edited=is_edited data-testid="item-user">
            <span class="visually-hidden">{words.text(word::CHAT_YOU)}</span>
            <p>{text}</p>
            {(!pictures.is_empty()).then(|| view! { <SentPictures pictures=pictures /> }.into_any())}
            {(!attached.is_empty()).then(|| attachments::sent(words, &attached))}
            <IconButton
                testid="edit-message"
                sign=Icon::Pencil
                word=word::EDIT_BUTTON
                class="small"
                disabled=Signal::derive(move || conversation.activity.get() != Activity::Resting)
                press=move |_| composer.edit(&id)
            />
        </div>
    }
}
