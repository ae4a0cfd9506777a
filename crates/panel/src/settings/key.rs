//! The key of the provider in use. It goes from the input to the worker and nowhere else: no signal, no store, no
//! attribute ever holds it.

use leptos::html;
use leptos::prelude::*;

use crate::button::WordButton;
use crate::focus::focus;
use crate::state::{host, use_state};
use crate::when::When;
use crate::words::{Word, use_words};

/// Entry, state and end of a key.
#[component]
pub fn Key() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let input = NodeRef::<html::Input>::new();
    let (typed, set_typed) = signal(false);
    let asking = RwSignal::new(false);
    let saved = Memo::new(move |_| state.settings.with(|view| view.keys.contains(&view.settings.provider)));
    let optional = Memo::new(move |_| state.preset().is_some_and(|preset| preset.key_optional));
    // Another provider's key is another matter.
    let provider = Memo::new(move |_| state.settings.with(|view| view.settings.provider.clone()));
    Effect::new(move |_| {
        provider.track();
        asking.set(false);
        set_typed.set(false);
        if let Some(input) = input.get_untracked() {
            input.set_value("");
        }
    });

    Effect::new(move |_| {
        if let Some(input) = input.get()
            && state.wants_key.get_untracked()
        {
            state.wants_key.set(false);
            focus(&input);
        }
    });

    let save = move || {
        let Some(input) = input.get_untracked() else { return };
        let key = input.value().trim().to_owned();
        if !key.is_empty() {
            state.save_key(key);
            input.set_value("");
            set_typed.set(false);
        }
    };
    let forget = move |_| {
        state.save_key(String::new());
        asking.set(false);
        if let Some(input) = input.get_untracked() {
            focus(&input);
        }
    };
    let key_state = move || {
        words.get(match (saved.get(), optional.get()) {
            (true, _) => Word::SettingsKeySaved,
            (false, true) => Word::SettingsKeyOptional,
            (false, false) => Word::SettingsKeyNone,
        })
    };
    let where_kept = move || match host(&state.base_url()) {
        Some(host) => words.fill(Word::SettingsKeyWhere, &[("host", host)]),
        None => words.get(Word::SettingsKeyWhereNoHost).to_owned(),
    };
    let key_page = Memo::new(move |_| {
        let platforms = state.preset().map(|preset| preset.platforms).unwrap_or_default();
        let base_url = state.base_url();
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
            <label for="setting-key">{words.text(Word::SettingsKey)}</label>
            <div class="input-row">
                <input
                    type="password"
                    id="setting-key"
                    data-testid="setting-key"
                    autocomplete="off"
                    spellcheck="false"
                    aria-describedby="key-state key-where"
                    on:input:target=move |event| set_typed.set(!event.target().value().trim().is_empty())
                    node_ref=input
                />
                <button type="submit" data-testid="save-key" disabled=Signal::derive(move || !typed.get())>
                    {words.text(Word::SettingsKeySave)}
                </button>
            </div>
            <p id="key-state" class="key-state" data-testid="key-state" data-saved=Signal::derive(move || saved.get().to_string())>
                {key_state}
            </p>
            <p id="key-where" class="meta">
                {where_kept}
            </p>
            <When test=move || !key_page.with(String::is_empty)>
                <p class="meta">
                    <a
                        href=Signal::derive(move || key_page.get())
                        target="_blank"
                        rel="noopener noreferrer"
                        data-testid="key-page"
                    >
                        {Signal::derive(move || words.fill(Word::SettingsKeyPage, &[("provider", &state.provider())]))}
                    </a>
                </p>
            </When>
            <When test=move || saved.get()>
                <When
                    test=move || asking.get()
                    fallback=move || {
                        view! {
                            <WordButton
                                testid="forget-key"
                                word=Word::SettingsKeyForget
                                class="start"
                                press=move |_| asking.set(true)
                            />
                        }
                    }
                >
                    <div class="ask" role="group" aria-labelledby="forget-ask">
                        <p id="forget-ask" role="alert">
                            {words.text(Word::SettingsKeyForgetAsk)}
                        </p>
                        <div class="buttons">
                            <WordButton
                                testid="forget-key-yes"
                                word=Word::SettingsKeyForgetYes
                                class="danger"
                                press=forget
                            />
                            <WordButton
                                testid="forget-key-no"
                                word=Word::SettingsKeyForgetNo
                                press=move |_| asking.set(false)
                            />
                        </div>
                    </div>
                </When>
            </When>
        </form>
    }
}
