//! A SKILL in the list: what it is and how it fares, the button that helps, and its details on demand.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::skill::{SkillState, SkillSummary, SkillToolSummary};
use sidecar_ui::dom::focus::stay_near;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::phrases::skill::{level_name, level_words, shown_state, state_name};
use crate::state::skills::install::stage::SkillFocus;
use crate::state::{PanelState, use_state};
use crate::views::skills::details::Details;
use crate::views::skills::report::{CopyReport, has_report};
use crate::views::skills::screen::take_focus;
use crate::views::skills::state_line::{RemedyButton, reason_view, state_chip};
use crate::word;

/// The card. It stays mounted while its SKILL changes.
#[component]
pub fn Card(
    /// The SKILL when the card is made.
    first: SkillSummary,
) -> impl IntoView {
    let words = use_words();
    let PanelState { skills, install, .. } = use_state();
    let id = first.id.clone();
    let (data_id, helped) = (id.clone(), id.clone());
    let skill = {
        let id = id.clone();
        Memo::new(move |before: Option<&SkillSummary>| {
            skills.find(&id).or_else(|| before.cloned()).unwrap_or_else(|| first.clone())
        })
    };
    let state = Memo::new(move |_| skill.with(shown_state));
    let level = Memo::new(move |_| skill.with(|skill| skill.level));
    let fares = Memo::new(move |_| skill.with(|skill| (shown_state(skill), skill.detail.clone())));
    let link = Memo::new(move |_| skill.with(|skill| skill.link.clone()));
    let has_no_tools_on = Memo::new(move |_| {
        skill.with(|skill| {
            matches!(skill.state, SkillState::Ok | SkillState::Worn)
                && !skill.tools.is_empty()
                && skill.tools.iter().all(|SkillToolSummary { is_on, .. }| !is_on)
        })
    });
    let open = RwSignal::new(false);
    let toggle = NodeRef::<html::Button>::new();
    stay_near(toggle);
    take_focus(install, toggle, SkillFocus::Card(id));
    view! {
        <li
            class="skill"
            data-testid="skill-card"
            data-id=data_id
            data-state=Signal::derive(move || state_name(state.get()))
            data-level=Signal::derive(move || level_name(level.get()))
        >
            <button
                type="button"
                class="row skill-toggle"
                data-testid="skill-toggle"
                aria-expanded=Signal::derive(move || open.get().to_string())
                on:click=move |_| open.update(|open| *open = !*open)
                node_ref=toggle
            >
                {icon(Icon::Chevron)}
                <span class="row-main">
                    <span class="row-head">
                        <span class="skill-title">{move || skill.with(|skill| skill.title.clone())}</span>
                        <span class="mark" title=Signal::derive(move || words.get(level_words(level.get()).1))>
                            {Signal::derive(move || words.get(level_words(level.get()).0))}
                        </span>
                        <span class="mark">{move || skill.with(|skill| skill.version.clone())}</span>
                    </span>
                    {move || state_chip(words, state.get())}
                </span>
            </button>
            <div class="skill-help">
                {move || {
                    let (state, detail) = fares.get();
                    reason_view(words, state, detail)
                }}
                <Show when=move || has_no_tools_on.get()>
                    <p data-testid="skill-no-tools-on">{words.text(word::SKILLS_NO_TOOLS_ON)}</p>
                </Show>
                {move || {
                    let link = link.get();
                    is_web(&link).then(|| {
                        view! {
                            <a href=link target="_blank" rel="noopener noreferrer" data-testid="skill-link">
                                {words.text(word::SKILLS_LINK)}
                            </a>
                        }
                        .into_any()
                    })
                }}
                <RemedyButton id=helped state=state.into() />
                <Show when=move || has_report(state.get())>
                    <CopyReport skill=skill />
                </Show>
            </div>
            <Show when=move || open.get()>
                <Details skill=skill />
            </Show>
        </li>
    }
}

/// Whether a link leads to the web: it is of a list that ships, but other schemes are not for links.
fn is_web(link: &str) -> bool {
    link.starts_with("https://") || link.starts_with("http://")
}
