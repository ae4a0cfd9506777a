//! The message that waits until a service can take it.

use leptos::prelude::*;
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::word;

/// The held message, with a button to take it back.
#[component]
pub fn Held() -> impl IntoView {
    let words = use_words();
    let PanelState { composer, .. } = use_state();
    let text = Memo::new(move |_| composer.held.with(|held| held.as_ref().map(|held| held.text.clone())));
    view! {
        <Show when=move || text.with(Option::is_some)>
            <div class="queue" role="group" aria-label=words.text(word::HELD_TITLE) data-testid="held">
                <div class="composer-note meta">{words.text(word::HELD_TITLE)}</div>
                <div class="composer-note">
                    <p class="line">{Signal::derive(move || text.get().unwrap_or_default())}</p>
                    <IconButton
                        testid="held-take-back"
                        sign=Icon::Pencil
                        word=word::QUEUE_TAKE_BACK
                        class="small"
                        press=move |_| composer.take_back_held()
                    />
                </div>
            </div>
        </Show>
    }
}
