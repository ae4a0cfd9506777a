//! How a SKILL fares: an icon with words, a sentence, and the button that helps.

use leptos::prelude::*;
use leptos::task::spawn_local;
use sidecar_chrome::extension::show_details;
use sidecar_chrome::user_scripts::ask_permission;
use sidecar_protocol::link::{PageCommand, SkillsCommand};
use sidecar_protocol::skill::SkillState;
use sidecar_ui::icons::icon;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::{Word, Words};

use crate::phrases::skill::{Remedy, reason, remedy, state_icon, state_name, state_word};
use crate::state::connection::ConnectionStore;
use crate::state::{PanelState, use_state};
use crate::word;

/// An icon with the state in a few words.
pub fn state_chip(words: Words, state: SkillState) -> AnyView {
    view! {
        <span class="skill-state" data-state=state_name(state)>
            {icon(state_icon(state))}
            {words.text(state_word(state))}
        </span>
    }
    .into_any()
}

/// What the state means, and what the worker says of it.
pub fn reason_view(words: Words, state: SkillState, detail: String) -> AnyView {
    let reason = reason(state)
        .map(|reason| view! { <p data-testid="skill-reason">{words.text(reason)}</p> }.into_any());
    let detail = (!detail.is_empty())
        .then(|| view! { <p class="meta" data-testid="skill-detail">{detail}</p> }.into_any());
    view! { {reason}{detail} }.into_any()
}

/// Test id and label of the button.
struct RemedyLabel {
    testid: &'static str,
    word: Word,
}

fn label(remedy: Remedy) -> RemedyLabel {
    match remedy {
        Remedy::SwitchOn => RemedyLabel { testid: "skill-switch-on", word: word::SKILLS_SWITCH_ON },
        Remedy::SwitchOnHere => {
            RemedyLabel { testid: "skill-switch-on-here", word: word::SKILLS_SWITCH_ON_HERE }
        }
        Remedy::Resume => RemedyLabel { testid: "skill-resume", word: word::SKILLS_RESUME },
        Remedy::CheckAgain => RemedyLabel { testid: "skill-check-again", word: word::SKILLS_CHECK_AGAIN },
        Remedy::AllowScripts => {
            RemedyLabel { testid: "skill-allow-scripts", word: word::SKILLS_ALLOW_SCRIPTS }
        }
    }
}

/// The button that helps in this state; none if nothing does.
#[component]
pub fn RemedyButton(
    /// The SKILL.
    #[prop(into)]
    id: String,
    /// Its state as shown.
    state: Signal<SkillState>,
) -> impl IntoView {
    let PanelState { connection, .. } = use_state();
    let helps = Memo::new(move |_| remedy(state.get()));
    move || {
        let (helps, id) = (helps.get()?, id.clone());
        let RemedyLabel { testid, word } = label(helps);
        let press = move |_| help(connection, helps, id.clone());
        Some(view! { <WordButton testid=testid word=word class="start" press=press /> })
    }
}

fn help(connection: ConnectionStore, helps: Remedy, id: String) {
    let command = match helps {
        Remedy::SwitchOn => SkillsCommand::Switch { id, on: true },
        Remedy::SwitchOnHere => SkillsCommand::SwitchHere { id, on: true },
        Remedy::Resume => SkillsCommand::Resume { id },
        Remedy::CheckAgain => {
            connection.send(PageCommand::Refresh);
            return;
        }
        Remedy::AllowScripts => {
            // The sentence beside the button says where the switch is, should the page not open.
            return spawn_local(async {
                drop(ask_permission().await);
                drop(show_details().await);
            });
        }
    };
    connection.send(command);
}
