//! The SKILLs view: which are there and how they fare on the page in front, and how others come in.

use leptos::prelude::*;
use sidecar_protocol::skill::SkillOffer;

use crate::state::skills::install::stage::InstallStage;
use crate::state::{PanelState, use_state};
use crate::views::skills::add::AddScreen;
use crate::views::skills::list::SkillList;
use crate::views::skills::review::ReviewScreen;

mod add;
mod card;
mod changes;
mod details;
mod diff;
mod facts;
mod list;
mod marks;
pub mod offers;
mod outcome;
mod problems;
mod report;
mod review;
mod same_name;
mod screen;
pub mod state_line;
mod trace;
mod versions;

/// What the view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SkillScreen {
    /// The SKILLs.
    List,
    /// The ways to add one.
    Add,
    /// A package before it is installed.
    Review,
}

/// The SKILLs view.
#[component]
pub fn SkillsPage() -> impl IntoView {
    let PanelState { skills, install, .. } = use_state();
    skills.watch();
    let screen = Memo::new(move |_| {
        install.stage.with(|stage| match stage {
            InstallStage::Closed => SkillScreen::List,
            InstallStage::Offered(SkillOffer::Review(_)) => SkillScreen::Review,
            InstallStage::Choosing
            | InstallStage::Reading
            | InstallStage::Offered(_)
            | InstallStage::Failed(_) => SkillScreen::Add,
        })
    });
    view! {
        <div class="skills" data-testid="view-skills">
            {move || {
                let content = match screen.get() {
                    SkillScreen::List => view! { <SkillList /> }.into_any(),
                    SkillScreen::Add => view! { <AddScreen /> }.into_any(),
                    SkillScreen::Review => view! { <ReviewScreen /> }.into_any(),
                };
                // Made anew, so that each begins at its top.
                view! { <div class="page">{content}</div> }.into_any()
            }}
        </div>
    }
}
