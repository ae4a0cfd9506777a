//! Temporary chats: the button that begins one, and the notice while one is open. In a private window every chat is
//! temporary.

use leptos::prelude::*;
use sidecar_chrome::extension::is_private;
use sidecar_protocol::link::ThreadsCommand;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;

/// The notice or the button, above the composer.
#[component]
pub fn Temporary() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, navigation, settings, conversation, .. } = use_state();
    let is_temporary = Memo::new(move |_| {
        conversation.thread.with(|thread| thread.as_ref().is_some_and(|thread| thread.temporary))
    });
    let can_begin = Memo::new(move |_| {
        !is_private()
            && connection.welcomed.get()
            && conversation.thread.with(Option::is_none)
            && settings.view.with(|view| view.ready)
    });
    view! {
        <div role="status">
            <Show when=is_private>
                <p class="temporary" data-testid="private-window">
                    {icon(Icon::Lock)}
                    <span>{words.text(word::PRIVATE_TEXT)}</span>
                </p>
            </Show>
            <Show when=move || is_temporary.get() && !is_private()>
                <p class="temporary" data-testid="temporary">
                    {icon(Icon::Clock)}
                    <span>{words.text(word::TEMPORARY_TEXT)}</span>
                </p>
            </Show>
        </div>
        <Show when=move || can_begin.get()>
            <p class="temporary">
                {icon(Icon::Clock)}
                <WordButton
                    testid="new-temporary"
                    word=word::TEMPORARY_BEGIN
                    press=move |_| {
                        connection.send(ThreadsCommand::NewTemporary);
                        navigation.write();
                    }
                />
            </p>
        </Show>
    }
}
