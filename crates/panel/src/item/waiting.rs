//! A call whose page waits for the user: what to do there, and the way to it.

use leptos::prelude::*;
use sidecar_protocol::CallId;
use sidecar_protocol::link::PanelCommand;
use sidecar_protocol::page::InteractionKind;

use crate::button::WordButton;
use crate::state::use_state;
use crate::words::{Word, use_words};

/// The card.
#[component]
pub fn Waiting(call: CallId, kind: InteractionKind) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let word = match kind {
        InteractionKind::Callback => Word::WaitingCallback,
        InteractionKind::Form => Word::WaitingForm,
    };
    view! {
        <div class="asks" data-testid="waiting">
            <p>{words.text(word)}</p>
            <div class="buttons">
                <WordButton
                    testid="waiting-show"
                    word=Word::WaitingShow
                    class="primary"
                    press=move |_| {
                        state.send(&PanelCommand::ShowPage { call_id: call.clone() });
                    }
                />
            </div>
        </div>
    }
}
