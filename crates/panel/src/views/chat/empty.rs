//! What the Chat view shows for an empty conversation.

use leptos::prelude::*;
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::page_state::{EmptyState, PageState, Skeleton};
use crate::word;

/// The state before the first message: loading, first run, or what the page offers.
#[component]
pub fn Empty() -> impl IntoView {
    let PanelState { connection, settings, .. } = use_state();
    let ready = Memo::new(move |_| settings.view.with(|view| view.ready));
    let welcomed = move || connection.welcomed.get();
    view! {
        <Show when=welcomed fallback=|| view! { <Skeleton /> }>
            <Show when=move || ready.get() fallback=|| view! { <Welcome /> }>
                <PageState />
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
        let word = if settings.has_key() { word::NO_KEY_INCOMPLETE } else { word::NO_KEY_TEXT };
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

/// The welcome on the first run.
#[component]
fn Welcome() -> impl IntoView {
    let words = use_words();
    view! {
        <EmptyState testid="state-welcome" sign=Icon::Mark title=Signal::derive(move || words.get(word::WELCOME_TITLE).to_owned()) text=word::WELCOME_TEXT>
            <NoKey />
        </EmptyState>
    }
}
