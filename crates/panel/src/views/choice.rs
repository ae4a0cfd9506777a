//! A setting with a few choices, and the names of such values in the document.

use leptos::prelude::*;
use sidecar_protocol::policy::Policy;
use sidecar_protocol::settings::{Effort, LanguageChoice, Mode, Theme};
use sidecar_ui::words::{Word, use_words};

use crate::state::{PanelState, use_state};
use crate::word;

/// A label and a native select.
#[component]
pub fn Choice(
    /// Its `data-testid` and id.
    testid: &'static str,
    /// Its label.
    label: Word,
    /// Value and label of each choice.
    choices: Signal<Vec<(String, String)>>,
    /// The chosen value.
    chosen: Memo<String>,
    /// Saves a newly chosen value.
    save: fn(PanelState, &str),
) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let option = move |(value, text): (String, String)| {
        let own = value.clone();
        let is_chosen = Signal::derive(move || chosen.with(|chosen| *chosen == own));
        view! {
            <option value=value prop:selected=is_chosen>
                {text}
            </option>
        }
        .into_any()
    };
    // With no selected option, browsers show the first one and fire no `change` event when the user picks it.
    let none = Memo::new(move |_| {
        let is_known =
            choices.with(|choices| choices.iter().any(|(value, _)| chosen.with(|chosen| value == chosen)));
        (!is_known).then(|| {
            let value = chosen.get();
            let text =
                if value.is_empty() { words.get(word::SETTINGS_CHOOSE).to_owned() } else { value.clone() };
            (value, text)
        })
    });
    view! {
        <div class="field">
            <label for=testid>{words.text(label)}</label>
            <select id=testid data-testid=testid on:change:target=move |event| save(state, &event.target().value())>
                {move || none.get().into_iter().chain(choices.get()).map(option).collect_view()}
            </select>
        </div>
    }
}

/// The option value of a mode.
pub fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Automatic => "automatic",
        Mode::Confirm => "confirm",
    }
}

/// The mode of an option value; [`Mode::Confirm`] if unknown.
pub fn mode_of(name: &str) -> Mode {
    if name == mode_name(Mode::Automatic) { Mode::Automatic } else { Mode::Confirm }
}

/// The option value of a policy; empty if the mode decides.
pub fn policy_name(policy: Option<Policy>) -> &'static str {
    match policy {
        None => "",
        Some(Policy::Allow) => "allow",
        Some(Policy::Ask) => "ask",
        Some(Policy::Off) => "off",
    }
}

/// The policy of an option value; `None` if unknown.
pub fn policy_of(name: &str) -> Option<Policy> {
    [Policy::Allow, Policy::Ask, Policy::Off].into_iter().find(|policy| policy_name(Some(*policy)) == name)
}

/// The option value of an effort; empty for the provider's default.
pub fn effort_name(effort: Option<Effort>) -> &'static str {
    match effort {
        None => "",
        Some(Effort::Off) => "off",
        Some(Effort::Low) => "low",
        Some(Effort::Medium) => "medium",
        Some(Effort::High) => "high",
    }
}

/// The effort of an option value; `None` if unknown.
pub fn effort_of(name: &str) -> Option<Effort> {
    [Effort::Off, Effort::Low, Effort::Medium, Effort::High]
        .into_iter()
        .find(|effort| effort_name(Some(*effort)) == name)
}

/// The option value of a language.
pub fn language_name(language: LanguageChoice) -> &'static str {
    match language {
        LanguageChoice::Browser => "browser",
        LanguageChoice::English => "en",
        LanguageChoice::Chinese => "zh-CN",
    }
}

/// The language of an option value; the browser's if unknown.
pub fn language_of(name: &str) -> LanguageChoice {
    [LanguageChoice::English, LanguageChoice::Chinese]
        .into_iter()
        .find(|language| language_name(*language) == name)
        .unwrap_or_default()
}

/// The option value of a theme.
pub fn theme_name(theme: Theme) -> &'static str {
    match theme {
        Theme::System => "system",
        Theme::Light => "light",
        Theme::Dark => "dark",
    }
}

/// The theme of an option value; the system's if unknown.
pub fn theme_of(name: &str) -> Theme {
    [Theme::Light, Theme::Dark].into_iter().find(|theme| theme_name(*theme) == name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_round_trip_through_their_option_values() {
        for mode in [Mode::Automatic, Mode::Confirm] {
            assert_eq!(mode_of(mode_name(mode)), mode);
        }
        for language in [LanguageChoice::Browser, LanguageChoice::English, LanguageChoice::Chinese] {
            assert_eq!(language_of(language_name(language)), language);
        }
        for theme in [Theme::System, Theme::Light, Theme::Dark] {
            assert_eq!(theme_of(theme_name(theme)), theme);
        }
        for effort in [None, Some(Effort::Off), Some(Effort::Low), Some(Effort::Medium), Some(Effort::High)] {
            assert_eq!(effort_of(effort_name(effort)), effort);
        }
        for policy in [None, Some(Policy::Allow), Some(Policy::Ask), Some(Policy::Off)] {
            assert_eq!(policy_of(policy_name(policy)), policy);
        }
        assert_eq!(mode_of("?"), Mode::Confirm);
    }
}
