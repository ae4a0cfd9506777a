//! Settings. Each is saved as it is changed; what is not valid is said and not sent.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_chrome::extension::is_private;
use sidecar_protocol::settings::{LanguageChoice, Limits, Mode, ProviderSettings, Settings, Theme};

use crate::button::WordButton;
use crate::hidden::HiddenList;
use crate::icons::{Icon, icon};
use crate::settings::choice::{Choice, language_name, language_of, mode_name, mode_of, theme_name, theme_of};
use crate::settings::field::Field;
use crate::settings::grants::GrantList;
use crate::settings::model::Model;
use crate::settings::unread::UnreadList;
use crate::shortcuts::use_shortcuts;
use crate::state::{State, use_state};
use crate::when::When;
use crate::words::{Word, use_words};

pub mod choice;
mod connection;
mod field;
mod grants;
mod key;
pub mod model;
mod on_device;
mod prices;
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
            <When test=is_private>
                <p class="temporary" data-testid="private-settings">
                    {icon(Icon::Lock)}
                    <span>{words.text(Word::PrivateSettings)}</span>
                </p>
            </When>
            <section>
                <h2>{words.text(Word::SettingsModel)}</h2>
                <Model />
            </section>
            <section>
                <h2>{words.text(Word::SettingsBehaviour)}</h2>
                <Behaviour />
            </section>
            <section>
                <h2>{words.text(Word::GrantsTitle)}</h2>
                <GrantList />
            </section>
            <section>
                <h2>{words.text(Word::HiddenTitle)}</h2>
                <HiddenList />
            </section>
            <section>
                <h2>{words.text(Word::SettingsLook)}</h2>
                <Look />
                <WordButton
                    testid="open-shortcuts"
                    word=Word::ShortcutsTitle
                    class="start"
                    press=move |_| shortcuts.show()
                />
            </section>
        </div>
    }
}

/// A quiet word when something was saved.
#[component]
fn Saved() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let (shown, set_shown) = signal(false);
    Effect::new(move |before: Option<u32>| {
        let saves = state.saves.get();
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
            <When test=move || shown.get()>
                <span class="saved" data-testid="setting-saved">
                    {words.text(Word::SettingsSaved)}
                </span>
            </When>
        </div>
    }
}

#[component]
fn Behaviour() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let modes = Signal::derive(move || {
        [(Mode::Automatic, Word::SettingsModeAutomatic), (Mode::Confirm, Word::SettingsModeConfirm)]
            .map(|(mode, word)| (mode_name(mode).to_owned(), words.get(word).to_owned()))
            .to_vec()
    });
    let limit =
        move |of: fn(&Limits) -> u32| of_settings(state, move |settings| of(&settings.limits).to_string());
    view! {
        <Choice
            testid="setting-mode"
            label=Word::SettingsMode
            choices=modes
            chosen=of_settings(state, |settings| mode_name(settings.mode).to_owned())
            save=|state, value| state.change(|settings| settings.mode = mode_of(value))
        />
        <Field
            testid="setting-limit-calls"
            label=Word::SettingsLimitCalls
            value=limit(|limits| limits.tool_calls)
            inputmode="numeric"
            save=|state, text| {
                let calls = values::whole(text, MOST_CALLS)?;
                state.change(|settings| settings.limits.tool_calls = calls);
                Ok(())
            }
        />
        <Field
            testid="setting-limit-tool-seconds"
            label=Word::SettingsLimitToolSeconds
            value=limit(|limits| limits.tool_seconds)
            inputmode="numeric"
            save=|state, text| {
                let seconds = values::whole(text, MOST_TOOL_SECONDS)?;
                state.change(|settings| settings.limits.tool_seconds = seconds);
                Ok(())
            }
        />
        <Field
            testid="setting-limit-turn-seconds"
            label=Word::SettingsLimitTurnSeconds
            hint=Word::SettingsLimitsHint
            value=limit(|limits| limits.turn_seconds)
            inputmode="numeric"
            save=|state, text| {
                let seconds = values::whole(text, MOST_TURN_SECONDS)?;
                state.change(|settings| settings.limits.turn_seconds = seconds);
                Ok(())
            }
        />
        <Field
            testid="setting-limit-characters"
            label=Word::SettingsLimitCharacters
            hint=Word::SettingsLimitCharactersHint
            value=limit(|limits| limits.result_characters)
            inputmode="numeric"
            save=|state, text| {
                let count = values::whole(text, MOST_CHARACTERS)?;
                if count < LEAST_CHARACTERS {
                    return Err(values::Invalid::Whole(LEAST_CHARACTERS, MOST_CHARACTERS));
                }
                state.change(|settings| settings.limits.result_characters = count);
                Ok(())
            }
        />
        <Field
            testid="setting-calls-kept"
            label=Word::SettingsCallsKept
            hint=Word::SettingsCallsKeptHint
            value=of_settings(state, |settings| settings.calls_kept.to_string())
            inputmode="numeric"
            save=|state, text| {
                let count = values::whole(text, Settings::MOST_CALLS_KEPT)?;
                state.change(|settings| settings.calls_kept = count);
                Ok(())
            }
        />
    }
}

#[component]
fn Look() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    // A language is written in itself, so that whoever landed in a wrong one finds out.
    let languages = Signal::derive(move || {
        [
            (LanguageChoice::Browser, words.get(Word::SettingsLanguageBrowser)),
            (LanguageChoice::English, "English"),
            (LanguageChoice::Chinese, "简体中文"),
        ]
        .map(|(language, text)| (language_name(language).to_owned(), text.to_owned()))
        .to_vec()
    });
    let themes = Signal::derive(move || {
        [
            (Theme::System, Word::SettingsThemeSystem),
            (Theme::Light, Word::SettingsThemeLight),
            (Theme::Dark, Word::SettingsThemeDark),
        ]
        .map(|(theme, word)| (theme_name(theme).to_owned(), words.get(word).to_owned()))
        .to_vec()
    });
    view! {
        <Choice
            testid="setting-language"
            label=Word::SettingsLanguage
            choices=languages
            chosen=of_settings(state, |settings| language_name(settings.language).to_owned())
            save=|state, value| state.change(|settings| settings.language = language_of(value))
        />
        <Choice
            testid="setting-theme"
            label=Word::SettingsTheme
            choices=themes
            chosen=of_settings(state, |settings| theme_name(settings.theme).to_owned())
            save=|state, value| state.change(|settings| settings.theme = theme_of(value))
        />
    }
}

fn of_settings(state: State, of: impl Fn(&Settings) -> String + Send + Sync + 'static) -> Memo<String> {
    Memo::new(move |_| state.settings.with(|view| of(&view.settings)))
}

fn own_mut(settings: &mut Settings) -> &mut ProviderSettings {
    settings.providers.entry(settings.provider.clone()).or_default()
}
