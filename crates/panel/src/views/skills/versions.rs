//! Earlier versions of a SKILL, and the way back to one.

use leptos::prelude::*;
use sidecar_protocol::link::SkillsCommand;
use sidecar_protocol::skill::{SkillSummary, SkillVersion};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::confirm::Confirm;
use crate::word;

/// The versions; nothing if there are none.
#[component]
pub fn Versions(skill: Memo<SkillSummary>) -> impl IntoView {
    let words = use_words();
    let keys = Memo::new(move |_| {
        skill.with(|skill| skill.earlier.iter().map(|version| format!("{version:?}")).collect::<Vec<_>>())
    });
    let row = move |place: usize| {
        let version =
            skill.with_untracked(|skill| Some((skill.id.clone(), skill.earlier.get(place)?.clone())));
        version.map(|(id, version)| view! { <Version id=id version=version /> }).into_any()
    };
    view! {
        <Show when=move || !keys.with(Vec::is_empty)>
            <h3>{words.text(word::SKILLS_EARLIER)}</h3>
            <ul data-testid="skill-versions">
                <KeyedList keys=keys row=row />
            </ul>
        </Show>
    }
}

#[component]
fn Version(id: String, version: SkillVersion) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, .. } = use_state();
    let SkillVersion { version, digest, installed } = version;
    let asking = RwSignal::new(false);
    let name = version.clone();
    let said = move || {
        let version = if version.is_empty() { words.get(word::SKILLS_NO_VERSION) } else { version.as_str() };
        words.fill(word::SKILLS_VERSION_LINE, &[("version", version), ("time", &words.moment(installed))])
    };
    let roll_back = move |()| {
        connection.send(SkillsCommand::RollBack { id: id.clone(), digest: digest.clone() });
    };
    view! {
        <li class="skill-version" data-testid="skill-version" data-version=name>
            <span class="meta">{said}</span>
            <Show
                when=move || asking.get()
                fallback=move || {
                    view! {
                        <WordButton
                            testid="skill-roll-back"
                            word=word::SKILLS_ROLL_BACK
                            class="small"
                            press=move |_| asking.set(true)
                        />
                    }
                }
            >
                <Confirm
                    asking=asking
                    question=word::SKILLS_ROLL_BACK_ASK
                    yes_testid="skill-roll-back-yes"
                    yes=word::SKILLS_ROLL_BACK
                    no_testid="skill-roll-back-no"
                    no=word::SKILLS_ROLL_BACK_NO
                    act=roll_back.clone()
                />
            </Show>
        </li>
    }
}
