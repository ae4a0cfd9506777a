//! Notices above every view: a lost connection, a refused command.

use leptos::prelude::*;
use sidecar_protocol::attachment::{Attachment, NotRead};
use sidecar_protocol::error::StorageTrouble;
use sidecar_protocol::link::Refusal;
use sidecar_protocol::link::chat::MESSAGE_LIMIT;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::saved::SavedName;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::phrases::setting::{setting_rule, setting_word};
use crate::state::{Alert, PanelState, use_state};
use crate::word;

/// All notices, one below the other.
#[component]
pub fn Notices() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, navigation, .. } = use_state();
    view! {
        <div role="status">
            <Show when=move || connection.disconnected.get()>
                <div class="notice bar" data-testid="state-disconnected">
                    {icon(Icon::Spinner)}
                    <div>
                        <p>{words.text(word::DISCONNECTED_TEXT)}</p>
                        <p class="after-long">{words.text(word::DISCONNECTED_LONG)}</p>
                    </div>
                </div>
            </Show>
        </div>
        {move || {
            connection.alert
                .get()
                .map(|alert| {
                    view! {
                        <div class="notice bar bad" data-testid="alert" role="alert">
                            {icon(Icon::Warning)}
                            <p>{move || sentence(words, &alert)}</p>
                            <IconButton
                                testid="alert-close"
                                sign=Icon::Cross
                                word=word::ALERT_CLOSE
                                press=move |_| {
                                    connection.alert.set(None);
                                    navigation.focus_composer();
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
        Alert::Unsure => return words.get(word::REFUSED_UNSURE).to_owned(),
        Alert::NotRead(why) => return words.get(not_read(*why)).to_owned(),
        Alert::TooManyAttached => {
            let most = words.number(u64::try_from(Attachment::MOST).unwrap_or_default());
            return words.fill(word::ATTACHED_TOO_MANY, &[("count", &most)]);
        }
        Alert::NoPicture => return words.get(word::PICTURE_NOT_READ).to_owned(),
        Alert::TooManyPictures => {
            let most = words.number(u64::try_from(Picture::MOST).unwrap_or_default());
            return words.fill(word::PICTURE_TOO_MANY, &[("count", &most)]);
        }
        Alert::Unread => return words.get(word::UNREAD_ALERT).to_owned(),
        Alert::Refused(refusal) => refusal,
    };
    match refusal {
        Refusal::Busy => words.get(word::REFUSED_BUSY).to_owned(),
        Refusal::BadMessage => {
            let limit = words.number(u64::try_from(MESSAGE_LIMIT).unwrap_or_default());
            words.fill(word::REFUSED_TOO_LONG, &[("limit", &limit)])
        }
        Refusal::BadSetting { field } => {
            let name = setting_word(field).map_or(field.as_str(), |word| words.get(word));
            words.fill(word::REFUSED_SETTING, &[("field", name), ("why", &setting_rule(words, field))])
        }
        Refusal::NoThread => words.get(word::REFUSED_NO_THREAD).to_owned(),
        Refusal::NewerThread => words.get(word::REFUSED_NEWER_THREAD).to_owned(),
        Refusal::DamagedThread => words.get(word::REFUSED_DAMAGED_THREAD).to_owned(),
        Refusal::Storage { message, trouble } => match trouble {
            StorageTrouble::Full => words.get(word::REFUSED_FULL).to_owned(),
            StorageTrouble::Newer => words.get(word::REFUSED_NEWER).to_owned(),
            StorageTrouble::Blocked => words.get(word::REFUSED_BLOCKED).to_owned(),
            StorageTrouble::Other => words.fill(word::REFUSED_STORAGE, &[("message", message)]),
        },
        Refusal::NotKept => words.get(word::REFUSED_NOT_KEPT).to_owned(),
        Refusal::Unread { value } => words
            .get(match value {
                SavedName::Queue => word::REFUSED_UNREAD_QUEUE,
                SavedName::Skills => word::REFUSED_UNREAD_SKILLS,
                SavedName::Settings | SavedName::Keys | SavedName::Grants | SavedName::HiddenSites => {
                    word::REFUSED_UNREAD
                }
            })
            .to_owned(),
        Refusal::ManyPictures => words.get(word::REFUSED_MANY_PICTURES).to_owned(),
        Refusal::ManyTabs => words.get(word::REFUSED_MANY_TABS).to_owned(),
        Refusal::NoSkill => words.get(word::REFUSED_NO_SKILL).to_owned(),
        Refusal::ManySkills => words.get(word::REFUSED_MANY_SKILLS).to_owned(),
        Refusal::SkillShips => words.get(word::REFUSED_SKILL_SHIPS).to_owned(),
        // Evals are the workbench's.
        Refusal::NoEval | Refusal::EvalRunning | Refusal::PrivateEval => String::new(),
        Refusal::TemporaryOver => words.get(word::REFUSED_TEMPORARY_OVER).to_owned(),
        Refusal::Version => words.get(word::REFUSED_VERSION).to_owned(),
    }
}

fn not_read(why: NotRead) -> Word {
    match why {
        NotRead::NothingSelected => word::NOT_READ_NOTHING_SELECTED,
        NotRead::Empty => word::NOT_READ_EMPTY,
        NotRead::Loading => word::NOT_READ_LOADING,
        NotRead::Silent => word::NOT_READ_SILENT,
        NotRead::Restricted => word::NOT_READ_RESTRICTED,
        NotRead::Hidden => word::NOT_READ_HIDDEN,
    }
}
