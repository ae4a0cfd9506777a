//! Notices about saved values that cannot be read: what they are, what applies meanwhile, and how to discard them.

use leptos::prelude::*;
use sidecar_protocol::link::SettingsCommand;
use sidecar_protocol::saved::{SavedName, UnreadValue};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::phrases::setting::setting_word;
use crate::state::settings::PanelSettingsStore;
use crate::state::{PanelState, use_state};
use crate::views::confirm::Confirm;
use crate::word;

/// A notice for each value.
#[component]
pub fn UnreadList() -> impl IntoView {
    let PanelState { policies, .. } = use_state();
    let keys = Signal::derive(move || {
        policies.unread.with(|values| values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>())
    });
    let row = move |place: usize| {
        let value = policies.unread.with_untracked(|values| values.get(place).cloned());
        value.map(|value| view! { <Notice value=value /> }).into_any()
    };
    view! { <KeyedList keys=keys row=row /> }
}

#[component]
fn Notice(value: UnreadValue) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, settings, .. } = use_state();
    let asking = RwSignal::new(false);
    let name = value.name;
    let sentence = words.text(sentence(&value));
    let shown = value.clone();
    let places = Signal::derive(move || places(words, settings, &shown));
    view! {
        <div class="notice bad" role="group" data-testid="unread" data-value=testid(name)>
            {icon(Icon::Warning)}
            <div>
                <p>{sentence}</p>
                <Show when=move || places.with(|places| !places.is_empty())>
                    <p class="meta" data-testid="unread-places">{places}</p>
                </Show>
                <Show
                    when=move || asking.get()
                    fallback=move || {
                        view! {
                            <WordButton
                                testid="unread-give-up"
                                word=word::UNREAD_GIVE_UP
                                class="start"
                                press=move |_| asking.set(true)
                            />
                        }
                    }
                >
                    <Confirm
                        asking=asking
                        question=word::UNREAD_GIVE_UP_ASK
                        yes_testid="unread-give-up-yes"
                        yes=word::UNREAD_GIVE_UP_YES
                        no_testid="unread-give-up-no"
                        no=word::UNREAD_GIVE_UP_NO
                        act=move |()| {
                            connection.send(SettingsCommand::GiveUpUnread { value: name });
                        }
                    />
                </Show>
            </div>
        </div>
    }
}

fn testid(name: SavedName) -> &'static str {
    match name {
        SavedName::Settings => "settings",
        SavedName::Keys => "keys",
        SavedName::Queue => "queue",
        SavedName::Grants => "grants",
        SavedName::HiddenSites => "hidden-sites",
        SavedName::Skills => "skills",
    }
}

fn sentence(value: &UnreadValue) -> Word {
    match (value.name, value.is_whole) {
        (SavedName::Settings, false) => word::UNREAD_SETTINGS,
        (SavedName::Settings, true) => word::UNREAD_SETTINGS_WHOLE,
        (SavedName::Keys, false) => word::UNREAD_KEYS,
        (SavedName::Keys, true) => word::UNREAD_KEYS_WHOLE,
        (SavedName::Queue, false) => word::UNREAD_QUEUE,
        (SavedName::Queue, true) => word::UNREAD_QUEUE_WHOLE,
        (SavedName::Grants, false) => word::UNREAD_GRANTS,
        (SavedName::Grants, true) => word::UNREAD_GRANTS_WHOLE,
        (SavedName::HiddenSites, false) => word::UNREAD_HIDDEN,
        (SavedName::HiddenSites, true) => word::UNREAD_HIDDEN_WHOLE,
        (SavedName::Skills, false) => word::UNREAD_SKILLS,
        (SavedName::Skills, true) => word::UNREAD_SKILLS_WHOLE,
    }
}

/// The names of the settings or providers that cannot be read. The places of other values mean nothing to a user.
fn places(words: Words, settings: PanelSettingsStore, value: &UnreadValue) -> String {
    let setting = |place: &String| match setting_word(place) {
        Some(word) => format!("{} ({place})", words.get(word)),
        None => place.clone(),
    };
    let provider = |place: &String| {
        let name = settings.name_of(place);
        if name.is_empty() { place.clone() } else { name }
    };
    let named: Vec<String> = match value.name {
        SavedName::Settings => value.places.iter().map(setting).collect(),
        SavedName::Keys => value.places.iter().map(provider).collect(),
        SavedName::Queue | SavedName::Grants | SavedName::HiddenSites | SavedName::Skills => Vec::new(),
    };
    named.join(", ")
}
