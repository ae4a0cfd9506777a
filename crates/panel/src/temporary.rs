//! A conversation that is kept nowhere: the way into it, and the word that says so while it is open. In a private window
//! every one is.

use leptos::prelude::*;
use sidecar_chrome::extension::is_private;
use sidecar_protocol::link::ThreadsCommand;

use crate::button::WordButton;
use crate::icons::{Icon, icon};
use crate::state::use_state;
use crate::when::When;
use crate::words::{Word, use_words};

/// Between the conversation and the place to write.
#[component]
pub fn Temporary() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let is_temporary = Memo::new(move |_| {
        state.thread.with(|thread| thread.as_ref().is_some_and(|thread| thread.temporary))
    });
    let can_begin = Memo::new(move |_| {
        !is_private()
            && state.welcomed.get()
            && state.thread.with(Option::is_none)
            && state.settings.with(|view| view.ready)
    });
    view! {
        <div role="status">
            <When test=is_private>
                <p class="temporary" data-testid="private-window">
                    {icon(Icon::Lock)}
                    <span>{words.text(Word::PrivateText)}</span>
                </p>
            </When>
            <When test=move || is_temporary.get() && !is_private()>
                <p class="temporary" data-testid="temporary">
                    {icon(Icon::Clock)}
                    <span>{words.text(Word::TemporaryText)}</span>
                </p>
            </When>
        </div>
        <When test=move || can_begin.get()>
            <p class="temporary">
                <WordButton
                    testid="new-temporary"
                    word=Word::TemporaryBegin
                    class="quiet"
                    press=move |_| {
                        state.send(ThreadsCommand::NewTemporary);
                        state.write();
                    }
                />
            </p>
        </When>
    }
}
