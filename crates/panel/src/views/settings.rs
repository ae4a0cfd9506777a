//! The Settings view. Each setting is saved when it changes; an invalid value is reported and not sent.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_chrome::extension::is_private;
use sidecar_protocol::settings::{LanguageChoice, Limits, Mode, ProviderSettings, Settings, Theme};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::frame::shortcuts::use_shortcuts;
use crate::state::{PanelState, use_state};
use crate::views::choice::{Choice, language_name, language_of, mode_name, mode_of, theme_name, theme_of};
use crate::views::settings::field::Field;
use crate::views::settings::grants::GrantList;
use crate::views::settings::hidden_sites::HiddenList;
use crate::views::settings::model::Model;
use crate::views::settings::prompts::PromptList;
use crate::views::settings::unread::UnreadList;
use crate::word;

pub mod connection;
mod field;
mod grants;
mod hidden_sites;
pub mod key;
pub mod model;
pub mod on_device;
mod prices;
mod prompts;
mod undo;
mod unread;
mod values;

/// How long "Saved" is shown.
const SAVED_SHOWN: Duration = Duration::from_secs(2);

/// Bounds of the limits, as in [`Limits`].
const MOST_CALLS: u32 = 100;
const MOST_TOOL_SECONDS: u32 = 600;
const MOST_TURN_SECONDS: u32 = 3600;
const LEAST_CHARACTERS: u32 = 1_000;
const MOST_CHARACTERS: u32 = 200_000;

/// The Settings view.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let (words, shortcuts) = (use_words(), use_shortcuts());
    view! {
        <div class="page settings">
            <Saved />
            <UnreadList />
            <Show when=is_private>
                <p class="temporary" data-testid="private-settings">
                    {icon(Icon::Lock)}
                    <span>{words.text(word::PRIVATE_SETTINGS)}</span>
                </p>
            </Show>
            <section>
                <h2>{words.text(word::SETTINGS_MODEL)}</h2>
                <Model />
            </section>
            <section>
                <h2>{words.text(word::SETTINGS_BEHAVIOUR)}</h2>
                <Behaviour />
            </section>
            <section>
                <h2>{words.text(word::PROMPTS_TITLE)}</h2>
                <PromptList />
            </section>
            <section>
                <h2>{words.text(word::GRANTS_TITLE)}</h2>
                <GrantList />
            </section>
            <section>
                <h2>{words.text(word::HIDDEN_TITLE)}</h2>
                <HiddenList />
            </section>
            <section>
                <h2>{words.text(word::SETTINGS_LOOK)}</h2>
                <Look />
                <WordButton
                    testid="open-shortcuts"
                    word=word::SHORTCUTS_TITLE
                    class="start"
                    press=move |_| shortcuts.show()
                />
            </section>
        </div>
    }
}

/// A short "Saved" after each save.
#[component]
fn Saved() -> impl IntoView {
    let words = use_words();
    let PanelState { settings, .. } = use_state();
    let (shown, set_shown) = signal(false);
    Effect::new(move |before: Option<u32>| {
        let saves = settings.saves.get();
        if before.is_some_and(|before| before != saves) {
            set_shown.set(true);
            if let Ok(timer) = set_timeout_with_handle(move || set_shown.set(false), SAVED_SHOWN) {
                on_cleanup(move || timer.clear());
            }
        }
        saves
    });
    view! {
        <div class="saved-place" role="status">
            <Show when=move || shown.get()>
                <span class="saved" data-testid="setting-saved">
                    {words.text(word::SETTINGS_SAVED)}
                </span>
            </Show>
        </div>
    }
}

#[component]
fn Behaviour() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let modes = Signal::derive(move || {
        [(Mode::Automatic, word::SETTINGS_MODE_AUTOMATIC), (Mode::Confirm, word::SETTINGS_MODE_CONFIRM)]
            .map(|(mode, word)| (mode_name(mode).to_owned(), words.get(word).to_owned()))
            .to_vec()
    });
    let limit =
        move |of: fn(&Limits) -> u32| of_settings(state, move |settings| of(&settings.limits).to_string());
    view! {
        <Choice
            testid="setting-mode"
            label=word::SETTINGS_MODE
            choices=modes
            chosen=of_settings(state, |settings| mode_name(settings.mode).to_owned())
            save=|state, value| state.settings.change(|settings| settings.mode = mode_of(value))
        />
        <Field
            testid="setting-limit-calls"
            label=word::SETTINGS_LIMIT_CALLS
            value=limit(|limits| limits.tool_calls)
            inputmode="numeric"
            save=|state, text| {
                let calls = values::whole(text, MOST_CALLS)?;
                state.settings.change(|settings| settings.limits.tool_calls = calls);
                Ok(())
            }
        />
        <Field
            testid="setting-limit-tool-seconds"
            label=word::SETTINGS_LIMIT_TOOL_SECONDS
            value=limit(|limits| limits.tool_seconds)
            inputmode="numeric"
            save=|state, text| {
                let seconds = values::whole(text, MOST_TOOL_SECONDS)?;
                state.settings.change(|settings| settings.limits.tool_seconds = seconds);
                Ok(())
            }
        />
        <Field
            testid="setting-limit-turn-seconds"
            label=word::SETTINGS_LIMIT_TURN_SECONDS
            hint=word::SETTINGS_LIMITS_HINT
            value=limit(|limits| limits.turn_seconds)
            inputmode="numeric"
            save=|state, text| {
                let seconds = values::whole(text, MOST_TURN_SECONDS)?;
                state.settings.change(|settings| settings.limits.turn_seconds = seconds);
                Ok(())
            }
        />
        <Field
            testid="setting-limit-characters"
            label=word::SETTINGS_LIMIT_CHARACTERS
            hint=word::SETTINGS_LIMIT_CHARACTERS_HINT
            value=limit(|limits| limits.result_characters)
            inputmode="numeric"
            save=|state, text| {
                let count = values::whole(text, MOST_CHARACTERS)?;
                if count < LEAST_CHARACTERS {
                    return Err(values::Invalid::Whole(LEAST_CHARACTERS, MOST_CHARACTERS));
                }
                state.settings.change(|settings| settings.limits.result_characters = count);
                Ok(())
            }
        />
        <Field
            testid="setting-calls-kept"
            label=word::SETTINGS_CALLS_KEPT
            hint=word::SETTINGS_CALLS_KEPT_HINT
            value=of_settings(state, |settings| settings.calls_kept.to_string())
            inputmode="numeric"
            save=|state, text| {
                let count = values::whole(text, Settings::MOST_CALLS_KEPT)?;
                state.settings.change(|settings| settings.calls_kept = count);
                Ok(())
            }
        />
    }
}

#[component]
fn Look() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    // Each language is named in itself, so that a user who ended up in a wrong one can find theirs.
    let languages = Signal::derive(move || {
        [
            (LanguageChoice::Browser, words.get(word::SETTINGS_LANGUAGE_BROWSER)),
            (LanguageChoice::English, "English"),
            (LanguageChoice::Chinese, "简体中文"),
        ]
        .map(|(language, text)| (language_name(language).to_owned(), text.to_owned()))
        .to_vec()
    });
    let themes = Signal::derive(move || {
        [
            (Theme::System, word::SETTINGS_THEME_SYSTEM),
            (Theme::Light, word::SETTINGS_THEME_LIGHT),
            (Theme::Dark, word::SETTINGS_THEME_DARK),
        ]
        .map(|(theme, word)| (theme_name(theme).to_owned(), words.get(word).to_owned()))
        .to_vec()
    });
    view! {
        <Choice
            testid="setting-language"
            label=word::SETTINGS_LANGUAGE
            choices=languages
            chosen=of_settings(state, |settings| language_name(settings.language).to_owned())
            save=|state, value| state.settings.change(|settings| settings.language = language_of(value))
        />
        <Choice
            testid="setting-theme"
            label=word::SETTINGS_THEME
            choices=themes
            chosen=of_settings(state, |settings| theme_name(settings.theme).to_owned())
            save=|state, value| state.settings.change(|settings| settings.theme = theme_of(value))
        />
    }
}

fn of_settings(state: PanelState, of: impl Fn(&Settings) -> String + Send + Sync + 'static) -> Memo<String> {
    Memo::new(move |_| state.settings.view.with(|view| of(&view.settings)))
}

pub fn own_mut(settings: &mut Settings) -> &mut ProviderSettings {
    settings.providers.entry(settings.provider.clone()).or_default()
}
