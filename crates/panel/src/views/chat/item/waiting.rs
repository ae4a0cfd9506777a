//! Cards below a running call: its page waits for the user, or the call will soon time out.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_protocol::link::Control;
use sidecar_protocol::page::InteractionKind;
use sidecar_protocol::{CallId, Timestamp};
use sidecar_ui::clock::ticking;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;

/// The card of a call whose page waits for the user, with a button that brings the page to the front.
#[component]
pub fn Waiting(call: CallId, kind: InteractionKind) -> impl IntoView {
    let words = use_words();
    let PanelState { conversation, .. } = use_state();
    let word = match kind {
        InteractionKind::Callback => word::WAITING_CALLBACK,
        InteractionKind::Form => word::WAITING_FORM,
    };
    view! {
        <div class="asks" data-testid="waiting">
            <p>{words.text(word)}</p>
            <div class="buttons">
                <WordButton
                    testid="waiting-show"
                    word=word::WAITING_SHOW
                    class="primary"
                    press=move |_| {
                        conversation.show_call(call.clone());
                    }
                />
            </div>
        </div>
    }
}

/// The card of a call that will soon time out, with a button to wait longer.
#[component]
pub fn SoonGivenUp(call: CallId, until: Timestamp) -> impl IntoView {
    let words = use_words();
    let PanelState { conversation, .. } = use_state();
    let time = ticking(Memo::new(|_| true), Duration::from_secs(1));
    let line = move || {
        let left = words.rough_duration(until.saturating_sub(time.get()));
        words.fill(word::WAITING_GIVEN_UP, &[("duration", &left)])
    };
    view! {
        <div class="asks" data-testid="soon-given-up">
            <p>{line}</p>
            <div class="buttons">
                <WordButton
                    testid="wait-longer"
                    word=word::WAITING_LONGER
                    press=move |_| {
                        conversation.control(Control::WaitLonger { call_id: call.clone() });
                    }
                />
            </div>
        </div>
    }
}
