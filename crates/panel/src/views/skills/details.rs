//! All that is known of a SKILL, its switches, and what can be done with it.

use leptos::prelude::*;
use sidecar_protocol::link::SkillsCommand;
use sidecar_protocol::skill::{SkillLevel, SkillState, SkillSummary, SkillToolSummary};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::phrases::skill::{SkillSection, place};
use crate::state::{PanelState, use_state};
use crate::views::skills::facts::{sites_view, verified};
use crate::views::skills::marks::tool_marks;
use crate::views::skills::trace::LastRun;
use crate::views::skills::versions::Versions;
use crate::views::switch::Switch;
use crate::word;

/// How much of a digest is shown, in characters.
const DIGEST: usize = 12;

/// The classes of a switch of a SKILL.
const SKILL_SWITCH: &str = "site-switch skill-switch";

/// The details.
#[component]
pub fn Details(skill: Memo<SkillSummary>) -> impl IntoView {
    let words = use_words();
    let about = Memo::new(move |_| {
        skill.with(|skill| (skill.summary.clone(), skill.sites.clone(), skill.verified_on.clone()))
    });
    let source = Memo::new(move |_| skill.with(|skill| (skill.source.clone(), skill.digest.clone())));
    let last_success = Memo::new(move |_| skill.with(|skill| skill.last_success));
    view! {
        <div class="details skill-details" data-testid="skill-details">
            {move || {
                let (summary, sites, verified_on) = about.get();
                view! {
                    <p class="description" data-testid="skill-summary">{summary}</p>
                    {sites_view(words, &sites)}
                    <p class="meta" data-testid="skill-verified">{verified(words, &verified_on)}</p>
                }
                .into_any()
            }}
            {move || {
                let moment = words.moment(last_success.get()?);
                let said = words.fill(word::SKILLS_LAST_SUCCESS, &[("time", &moment)]);
                Some(view! { <p class="meta" data-testid="skill-last-success">{said}</p> }.into_any())
            }}
            <Switches skill=skill />
            <Tools skill=skill />
            {move || {
                let (source, digest) = source.get();
                let source = (!source.is_empty()).then(|| {
                    let said = words.fill(word::SKILLS_SOURCE, &[("source", &source)]);
                    view! { <p class="meta" data-testid="skill-source">{said}</p> }.into_any()
                });
                let digest = (!digest.is_empty()).then(|| {
                    let shown: String = digest.chars().take(DIGEST).collect();
                    let said = words.fill(word::SKILLS_DIGEST, &[("digest", &shown)]);
                    view! { <p class="meta" title=digest data-testid="skill-digest">{said}</p> }.into_any()
                });
                view! { {source}{digest} }.into_any()
            }}
            <LastRun skill=skill />
            <Versions skill=skill />
            <Actions skill=skill />
        </div>
    }
}

/// The switches for the SKILL as a whole.
#[component]
fn Switches(skill: Memo<SkillSummary>) -> impl IntoView {
    let words = use_words();
    let PanelState { page, .. } = use_state();
    let id = move || skill.with_untracked(|skill| skill.id.clone());
    let can_run = Memo::new(move |_| skill.with(|skill| place(skill.state) != SkillSection::Stopped));
    let is_here = Memo::new(move |_| {
        skill.with(|skill| skill.state != SkillState::Elsewhere)
            && page.view.with(|page| !page.site.is_empty())
    });
    let has_tools = Memo::new(move |_| skill.with(|skill| !skill.tools.is_empty()));
    let is_off = Signal::derive(move || skill.with(|skill| !skill.is_on));
    let origin = Signal::derive(move || page.view.with(|page| page.origin.clone()));
    let on_site = move || page.view.with(|page| words.fill(word::SKILLS_ON_HERE, &[("site", &page.site)]));
    view! {
        <Show when=move || can_run.get()>
            <div class="skill-switches">
                <Switch
                    testid="skill-on"
                    class=SKILL_SWITCH
                    checked=Signal::derive(move || skill.with(|skill| skill.is_on))
                    command=move |on| SkillsCommand::Switch { id: id(), on }
                >
                    {words.text(word::SKILLS_ON)}
                </Switch>
                <Show when=move || is_here.get()>
                    <Switch
                        testid="skill-on-here"
                        class=SKILL_SWITCH
                        about=origin
                        checked=Signal::derive(move || skill.with(|skill| skill.is_on_here))
                        disabled=is_off
                        command=move |on| SkillsCommand::SwitchHere { id: id(), on }
                    >
                        {on_site}
                    </Switch>
                </Show>
                <Show when=move || has_tools.get()>
                    <Switch
                        testid="skill-registered"
                        class=SKILL_SWITCH
                        checked=Signal::derive(move || skill.with(|skill| skill.is_registered))
                        disabled=is_off
                        command=move |on| SkillsCommand::Register { id: id(), on }
                    >
                        {words.text(word::SKILLS_REGISTERED)}
                    </Switch>
                </Show>
            </div>
        </Show>
    }
}

/// Its tools, each with a switch.
#[component]
fn Tools(skill: Memo<SkillSummary>) -> impl IntoView {
    let words = use_words();
    let keys = Memo::new(move |_| {
        skill.with(|skill| skill.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>())
    });
    let row = move |place: usize| {
        let tool = skill.with_untracked(|skill| skill.tools.get(place).cloned());
        tool.map(|tool| view! { <Tool skill=skill first=tool /> }).into_any()
    };
    view! {
        <h3>{words.text(word::SKILLS_TOOLS)}</h3>
        <Show
            when=move || !keys.with(Vec::is_empty)
            fallback=move || view! { <p class="meta">{words.text(word::SKILLS_ONLY_INSTRUCTIONS)}</p> }
        >
            <ul class="skill-tools">
                <KeyedList keys=keys row=row />
            </ul>
        </Show>
    }
}

/// A tool. It stays mounted while it changes.
#[component]
fn Tool(
    skill: Memo<SkillSummary>,
    /// The tool when the view is made.
    first: SkillToolSummary,
) -> impl IntoView {
    let words = use_words();
    let (name, data_name, shown) = (first.name.clone(), first.name.clone(), first.name.clone());
    let tool = {
        let name = name.clone();
        Memo::new(move |before: Option<&SkillToolSummary>| {
            let now = skill.with(|skill| skill.tools.iter().find(|tool| tool.name == name).cloned());
            now.or_else(|| before.cloned()).unwrap_or_else(|| first.clone())
        })
    };
    let about = Memo::new(move |_| SkillToolSummary { is_on: true, ..tool.get() });
    let switch = move |on| {
        let (id, tool) = (skill.with_untracked(|skill| skill.id.clone()), name.clone());
        SkillsCommand::SwitchTool { id, tool, on }
    };
    view! {
        <li
            class="skill-tool"
            data-testid="skill-tool"
            data-name=data_name
            data-acts=Signal::derive(move || about.with(|tool| tool.acts.to_string()))
            data-code=Signal::derive(move || about.with(|tool| tool.is_code.to_string()))
        >
            <div class="row-head">
                <Switch
                    testid="skill-tool-on"
                    class=SKILL_SWITCH
                    checked=Signal::derive(move || tool.with(|tool| tool.is_on))
                    command=switch
                >
                    <span class="tool-name">{shown}</span>
                </Switch>
                {move || about.with(|tool| tool_marks(words, tool))}
            </div>
            {move || {
                let SkillToolSummary { title, description, shadowed_by, .. } = about.get();
                let title = (!title.is_empty()).then(|| view! { <p>{title}</p> }.into_any());
                let shadowed = (!shadowed_by.is_empty()).then(|| {
                    let said = words.fill(word::SKILLS_SHADOWED, &[("skill", &shadowed_by)]);
                    view! { <p class="meta" data-testid="skill-tool-shadowed">{said}</p> }.into_any()
                });
                view! {
                    {title}
                    <p class="meta description">{description}</p>
                    {shadowed}
                }
                .into_any()
            }}
        </li>
    }
}

/// Reload, look for an update, export, remove.
#[component]
fn Actions(skill: Memo<SkillSummary>) -> impl IntoView {
    let PanelState { skills, install, .. } = use_state();
    let id = Memo::new(move |_| skill.with(|skill| skill.id.clone()));
    let level = Memo::new(move |_| skill.with(|skill| skill.level));
    let can_reload = move || {
        level.get() == SkillLevel::Own && install.reloadable.with(|ids| id.with(|id| ids.contains(id)))
    };
    let address = Memo::new(move |_| {
        let source = skill.with(|skill| skill.source.clone());
        ["https://", "http://"].iter().any(|scheme| source.starts_with(scheme)).then_some(source)
    });
    let look_for_update = move |_| {
        if let Some(address) = address.get_untracked() {
            install.look_for_update(address);
        }
    };
    let is_reloading = Signal::derive(move || install.reloading.with(|now| !now.is_empty()));
    let remove = move |_| {
        let (id, title) = skill.with_untracked(|skill| (skill.id.clone(), skill.title.clone()));
        skills.remove(id, title);
    };
    view! {
        <div class="buttons">
            <Show when=can_reload>
                <WordButton
                    testid="skill-reload"
                    word=word::SKILLS_RELOAD
                    disabled=is_reloading
                    press=move |_| install.reload(id.get_untracked())
                />
            </Show>
            <Show when=move || address.with(Option::is_some)>
                <WordButton testid="skill-update-look" word=word::SKILLS_UPDATE_LOOK press=look_for_update />
            </Show>
            <WordButton
                testid="skill-export"
                word=word::SKILLS_EXPORT
                press=move |_| skill.with_untracked(|skill| skills.export(skill))
            />
            <Show when=move || level.get() != SkillLevel::Shipped>
                <WordButton testid="skill-remove" word=word::SKILLS_REMOVE class="danger" press=remove />
            </Show>
        </div>
    }
}
