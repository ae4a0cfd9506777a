//! One setting that is chosen from a few, and how its choices are spelt in the document.

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
    /// Its name.
    label: Word,
    /// Value and text of each choice.
    choices: Signal<Vec<(String, String)>>,
    /// The value of the chosen one.
    chosen: Memo<String>,
    /// Saves another.
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
    // A browser shows the first choice where none is chosen, and tells of no change when the user takes just that one.
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

/// How a mode is spelt.
pub fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Automatic => "automatic",
        Mode::Confirm => "confirm",
    }
}

/// The mode that is spelt so. An unknown one is the careful one.
pub fn mode_of(name: &str) -> Mode {
    if name == mode_name(Mode::Automatic) { Mode::Automatic } else { Mode::Confirm }
}

/// How a policy is spelt; where the mode decides it is empty.
pub fn policy_name(policy: Option<Policy>) -> &'static str {
    match policy {
        None => "",
        Some(Policy::Allow) => "allow",
        Some(Policy::Ask) => "ask",
        Some(Policy::Off) => "off",
    }
}

/// The policy that is spelt so.
pub fn policy_of(name: &str) -> Option<Policy> {
    [Policy::Allow, Policy::Ask, Policy::Off].into_iter().find(|policy| policy_name(Some(*policy)) == name)
}

/// How an effort is spelt; the provider's own is empty.
pub fn effort_name(effort: Option<Effort>) -> &'static str {
    match effort {
        None => "",
        Some(Effort::Off) => "off",
        Some(Effort::Low) => "low",
        Some(Effort::Medium) => "medium",
        Some(Effort::High) => "high",
    }
}

/// The effort that is spelt so.
pub fn effort_of(name: &str) -> Option<Effort> {
    [Effort::Off, Effort::Low, Effort::Medium, Effort::High]
        .into_iter()
        .find(|effort| effort_name(Some(*effort)) == name)
}

/// How a language is spelt.
pub fn language_name(language: LanguageChoice) -> &'static str {
    match language {
        LanguageChoice::Browser => "browser",
        LanguageChoice::English => "en",
        LanguageChoice::Chinese => "zh-CN",
    }
}

/// The language that is spelt so.
pub fn language_of(name: &str) -> LanguageChoice {
    [LanguageChoice::English, LanguageChoice::Chinese]
        .into_iter()
        .find(|language| language_name(*language) == name)
        .unwrap_or_default()
}

/// How a theme is spelt.
pub fn theme_name(theme: Theme) -> &'static str {
    match theme {
        Theme::System => "system",
        Theme::Light => "light",
        Theme::Dark => "dark",
    }
}

/// The theme that is spelt so.
pub fn theme_of(name: &str) -> Theme {
    [Theme::Light, Theme::Dark].into_iter().find(|theme| theme_name(*theme) == name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_round_trip_through_their_spelling() {
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
