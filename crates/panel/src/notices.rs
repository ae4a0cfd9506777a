//! What the user must know whatever they look at: a lost connection, a command that was refused.

use leptos::prelude::*;
use sidecar_protocol::attachment::{Attachment, NotRead};
use sidecar_protocol::error::StorageTrouble;
use sidecar_protocol::link::Refusal;
use sidecar_protocol::link::chat::MESSAGE_LIMIT;
use sidecar_protocol::saved::SavedName;

use crate::button::IconButton;
use crate::icons::{Icon, icon};
use crate::state::{Alert, use_state};
use crate::when::When;
use crate::words::{Word, Words, use_words};

/// The notices, one under the other.
#[component]
pub fn Notices() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    view! {
        <div role="status">
            <When test=move || state.disconnected.get()>
                <div class="notice bar" data-testid="state-disconnected">
                    {icon(Icon::Spinner)}
                    <div>
                        <p>{words.text(Word::DisconnectedText)}</p>
                        <p class="after-long">{words.text(Word::DisconnectedLong)}</p>
                    </div>
                </div>
            </When>
        </div>
        {move || {
            state
                .alert
                .get()
                .map(|alert| {
                    view! {
                        <div class="notice bar bad" data-testid="alert" role="alert">
                            {icon(Icon::Warning)}
                            <p>{move || sentence(words, &alert)}</p>
                            <IconButton
                                testid="alert-close"
                                sign=Icon::Cross
                                word=Word::AlertClose
                                press=move |_| {
                                    state.alert.set(None);
                                    state.focus_composer();
                                }
                            />
                        </div>
                    }
                    .into_any()
                })
        }}
    }
}

fn sentence(words: Words, alert: &Alert) -> String {
    let refusal = match alert {
        Alert::Unsure => return words.get(Word::RefusedUnsure).to_owned(),
        Alert::NotRead(why) => return words.get(not_read(*why)).to_owned(),
        Alert::TooManyAttached => {
            let most = words.number(u64::try_from(Attachment::MOST).unwrap_or_default());
            return words.fill(Word::AttachedTooMany, &[("count", &most)]);
        }
        Alert::Unread => return words.get(Word::UnreadAlert).to_owned(),
        Alert::Refused(refusal) => refusal,
    };
    match refusal {
        Refusal::Busy => words.get(Word::RefusedBusy).to_owned(),
        Refusal::BadMessage => {
            let limit = words.number(u64::try_from(MESSAGE_LIMIT).unwrap_or_default());
            words.fill(Word::RefusedTooLong, &[("limit", &limit)])
        }
        Refusal::BadSetting { field } => {
            let name = setting_word(field).map_or(field.as_str(), |word| words.get(word));
            words.fill(Word::RefusedSetting, &[("field", name)])
        }
        Refusal::NoThread => words.get(Word::RefusedNoThread).to_owned(),
        Refusal::NewerThread => words.get(Word::RefusedNewerThread).to_owned(),
        Refusal::DamagedThread => words.get(Word::RefusedDamagedThread).to_owned(),
        Refusal::Storage { message, trouble } => match trouble {
            StorageTrouble::Full => words.get(Word::RefusedFull).to_owned(),
            StorageTrouble::Newer => words.get(Word::RefusedNewer).to_owned(),
            StorageTrouble::Blocked => words.get(Word::RefusedBlocked).to_owned(),
            StorageTrouble::Other => words.fill(Word::RefusedStorage, &[("message", message)]),
        },
        Refusal::NotKept => words.get(Word::RefusedNotKept).to_owned(),
        Refusal::Unread { value } => words
            .get(match value {
                SavedName::Queue => Word::RefusedUnreadQueue,
                SavedName::Settings | SavedName::Keys | SavedName::Grants | SavedName::HiddenSites => {
                    Word::RefusedUnread
                }
            })
            .to_owned(),
        Refusal::ManyTabs => words.get(Word::RefusedManyTabs).to_owned(),
        Refusal::TemporaryOver => words.get(Word::RefusedTemporaryOver).to_owned(),
        Refusal::Version => words.get(Word::RefusedVersion).to_owned(),
    }
}

fn not_read(why: NotRead) -> Word {
    match why {
        NotRead::NothingSelected => Word::NotReadNothingSelected,
        NotRead::Empty => Word::NotReadEmpty,
        NotRead::Loading => Word::NotReadLoading,
        NotRead::Silent => Word::NotReadSilent,
        NotRead::Restricted => Word::NotReadRestricted,
        NotRead::Hidden => Word::NotReadHidden,
    }
}

/// The name that a setting has on the screen.
pub fn setting_word(field: &str) -> Option<Word> {
    Some(match field.rsplit('.').next()? {
        "mode" => Word::SettingsMode,
        "theme" => Word::SettingsTheme,
        "language" => Word::SettingsLanguage,
        "effort" => Word::SettingsEffort,
        "provider" => Word::SettingsProvider,
        "recent" => Word::SettingsModelName,
        "prices" => Word::SettingsPrices,
        "baseUrl" => Word::SettingsBaseUrl,
        "model" => Word::SettingsModelName,
        "key" => Word::SettingsKey,
        "temperature" => Word::SettingsTemperature,
        "maxTokens" => Word::SettingsMaxTokens,
        "toolCalls" => Word::SettingsLimitCalls,
        "toolSeconds" => Word::SettingsLimitToolSeconds,
        "callsKept" => Word::SettingsCallsKept,
        "turnSeconds" => Word::SettingsLimitTurnSeconds,
        "resultCharacters" => Word::SettingsLimitCharacters,
        _ if field.starts_with("providers.") => Word::SettingsProvider,
        _ => return None,
    })
}
