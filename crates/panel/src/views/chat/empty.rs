//! What the Chat view shows for an empty conversation.

use leptos::prelude::*;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, PanelView, use_state};
use crate::views::chat::first_run::FirstRun;
use crate::views::chat::starters::Starters;
use crate::views::page_state::Skeleton;
use crate::word;

/// The state before the first message: loading, first run, or what the page offers.
#[component]
pub fn Empty() -> impl IntoView {
    let PanelState { connection, navigation, settings, .. } = use_state();
    let is_set_up = Memo::new(move |_| settings.view.with(|view| view.ready) && !settings.setting_up.get());
    let welcomed = move || connection.welcomed.get();
    // Settings has the same fields.
    let is_open = move || navigation.view.get() == PanelView::Chat;
    let first_run = move || {
        view! {
            <Show when=is_open>
                <FirstRun />
            </Show>
        }
    };
    view! {
        <Show when=welcomed fallback=|| view! { <Skeleton /> }>
            <Show when=move || is_set_up.get() fallback=first_run>
                <Starters />
            </Show>
        </Show>
    }
}

/// A notice that the provider's key, address or model is missing.
#[component]
pub fn NoKey() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, settings, .. } = use_state();
    let sentence = move || {
        let word = match settings.preset() {
            None => word::NO_KEY_NO_SERVICE,
            Some(_) if settings.has_key() => word::NO_KEY_INCOMPLETE,
            Some(_) => word::NO_KEY_TEXT,
        };
        words.fill(word, &[("provider", &settings.provider())])
    };
    view! {
        <div class="no-key" data-testid="state-no-key">
            <p>{sentence}</p>
            <WordButton
                testid="add-key"
                word=word::NO_KEY_BUTTON
                class="primary"
                press=move |_| navigation.open_settings()
            />
        </div>
    }
}
