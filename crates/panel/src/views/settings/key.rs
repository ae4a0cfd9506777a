//! The API key of the provider in use. It goes from the input to the worker and nowhere else: no signal, store or
//! attribute holds it.

use leptos::html;
use leptos::prelude::*;
use sidecar_ui::dom::focus::focus;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{host, use_state};
use crate::views::confirm::Confirm;
use crate::word;

/// Enters, shows the state of, and deletes the key.
#[component]
pub fn Key() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let input = NodeRef::<html::Input>::new();
    let (typed, set_typed) = signal(false);
    let asking = RwSignal::new(false);
    let is_bad = RwSignal::new(false);
    let saved =
        Memo::new(move |_| state.settings.view.with(|view| view.keys.contains(&view.settings.provider)));
    let optional = Memo::new(move |_| state.settings.preset().is_some_and(|preset| preset.key_optional));
    // Another provider has another key: clear the input.
    let provider = Memo::new(move |_| state.settings.view.with(|view| view.settings.provider.clone()));
    Effect::new(move |_| {
        // Read, not only tracked: a memo that nobody reads notifies of no change.
        provider.with(|_| ());
        asking.set(false);
        set_typed.set(false);
        is_bad.set(false);
        if let Some(input) = input.get_untracked() {
            input.set_value("");
        }
    });

    Effect::new(move |_| {
        if let Some(input) = input.get()
            && state.navigation.wants_key.get_untracked()
        {
            state.navigation.wants_key.set(false);
            focus(&input);
        }
    });

    let save = move || {
        let Some(input) = input.get_untracked() else { return };
        let key = input.value().trim().to_owned();
        // A key is sent as a header value, which is visible ASCII.
        is_bad.set(!key.bytes().all(|byte| byte.is_ascii_graphic()));
        if !key.is_empty() && !is_bad.get_untracked() {
            state.settings.save_key(key);
            input.set_value("");
            set_typed.set(false);
        }
    };
    let forget = move |()| {
        state.settings.save_key(String::new());
        if let Some(input) = input.get_untracked() {
            focus(&input);
        }
    };
    let key_state = move || {
        words.get(match (saved.get(), optional.get()) {
            (true, _) => word::SETTINGS_KEY_SAVED,
            (false, true) => word::SETTINGS_KEY_OPTIONAL,
            (false, false) => word::SETTINGS_KEY_NONE,
        })
    };
    let where_kept = move || match host(&state.settings.base_url()) {
        Some(host) => words.fill(word::SETTINGS_KEY_WHERE, &[("host", host)]),
        None => words.get(word::SETTINGS_KEY_WHERE_NO_HOST).to_owned(),
    };
    let key_page = Memo::new(move |_| {
        let platforms = state.settings.preset().map(|preset| preset.platforms).unwrap_or_default();
        let base_url = state.settings.base_url();
        let own = platforms.iter().find(|platform| platform.base_url == base_url);
        own.or(platforms.first()).map(|platform| platform.key_page.clone()).unwrap_or_default()
    });

    view! {
        <form
            class="field"
            on:submit=move |event| {
                event.prevent_default();
                save();
            }
        >
            <label for="setting-key">{words.text(word::SETTINGS_KEY)}</label>
            <div class="input-row">
                <input
                    type="password"
                    id="setting-key"
                    data-testid="setting-key"
                    autocomplete="off"
                    spellcheck="false"
                    aria-describedby="key-state key-where"
                    aria-invalid=Signal::derive(move || is_bad.get().to_string())
                    on:input:target=move |event| set_typed.set(!event.target().value().trim().is_empty())
                    node_ref=input
                />
                <button type="submit" data-testid="save-key" disabled=Signal::derive(move || !typed.get())>
                    {words.text(word::SETTINGS_KEY_SAVE)}
                </button>
            </div>
            <Show when=move || is_bad.get()>
                <p class="error" role="alert" data-testid="setting-error">
                    {words.text(word::SETTINGS_KEY_BAD)}
                </p>
            </Show>
            <p id="key-state" class="key-state" data-testid="key-state" data-saved=Signal::derive(move || saved.get().to_string())>
                {key_state}
            </p>
            <p id="key-where" class="meta">
                {where_kept}
            </p>
            <Show when=move || !key_page.with(String::is_empty)>
                <p class="meta">
                    <a
                        href=Signal::derive(move || key_page.get())
                        target="_blank"
                        rel="noopener noreferrer"
                        data-testid="key-page"
                    >
                        {Signal::derive(move || words.fill(word::SETTINGS_KEY_PAGE, &[("provider", &state.settings.provider())]))}
                    </a>
                </p>
            </Show>
            <Show when=move || saved.get()>
                <Show
                    when=move || asking.get()
                    fallback=move || {
                        view! {
                            <WordButton
                                testid="forget-key"
                                word=word::SETTINGS_KEY_FORGET
                                class="start"
                                press=move |_| asking.set(true)
                            />
                        }
                    }
                >
                    <Confirm
                        asking=asking
                        question=word::SETTINGS_KEY_FORGET_ASK
                        yes_testid="forget-key-yes"
                        yes=word::SETTINGS_KEY_FORGET_YES
                        no_testid="forget-key-no"
                        no=word::SETTINGS_KEY_FORGET_NO
                        act=forget
                    />
                </Show>
            </Show>
        </form>
    }
}
