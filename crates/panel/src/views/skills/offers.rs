//! SKILLs for the page in front that give it no tools, each with its state and what helps.

use leptos::prelude::*;
use sidecar_protocol::skill::SkillSummary;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::use_words;

use crate::phrases::skill::{is_offered, remedy, state_name};
use crate::state::{PanelState, PanelView, use_state};
use crate::views::skills::state_line::{RemedyButton, state_chip};
use crate::word;

/// How many are shown.
const MOST: usize = 3;

/// The SKILLs, and the way to all.
#[component]
pub fn SkillOffers() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, skills, .. } = use_state();
    let shown = Memo::new(move |_| skills.list.with(|list| offered(list)));
    let row = move |SkillSummary { id, title, state, .. }: SkillSummary| {
        let data_id = id.clone();
        view! {
            <li class="skill-offer" data-testid="skill-offer" data-id=data_id data-state=state_name(state)>
                <p>
                    <span class="skill-title">{title}</span>
                    {state_chip(words, state)}
                </p>
                <RemedyButton id=id state=Signal::stored(state) />
            </li>
        }
        .into_any()
    };
    view! {
        <section class="skill-offers" data-testid="skill-offers" aria-labelledby="skill-offers-title">
            <h3 id="skill-offers-title">{words.text(word::SKILLS_OFFERS)}</h3>
            <ul>{move || shown.get().into_iter().map(row).collect_view()}</ul>
            <WordButton
                testid="skill-offers-all"
                word=word::SKILLS_ALL
                class="small"
                press=move |_| navigation.open(PanelView::Skills)
            />
        </section>
    }
}

/// Those to show: first those that the user can help.
fn offered(list: &[SkillSummary]) -> Vec<SkillSummary> {
    let mut offered: Vec<_> = list.iter().filter(|skill| is_offered(skill)).collect();
    offered.sort_by_key(|skill| remedy(skill.state).is_none());
    offered.into_iter().take(MOST).cloned().collect()
}
