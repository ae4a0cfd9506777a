//! The list of SKILLs: those for the page in front, those for others, and those that do not run.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::skill::SkillSummary;
use sidecar_ui::dom::focus::{Axis, focus, rove, stay_near};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::phrases::skill::{SkillSection, place};
use crate::state::skills::install::stage::{InstallKind, InstallNotice, SkillFocus};
use crate::state::{PanelState, use_state};
use crate::views::page_state::Skeleton;
use crate::views::skills::card::Card;
use crate::views::skills::screen::take_focus;
use crate::word;

/// From how many SKILLs on the list has a filter.
const FILTERED_FROM: usize = 9;

/// From how many SKILLs on those for other sites are folded.
const FOLDED_FROM: usize = 4;

/// The list.
#[component]
pub fn SkillList() -> impl IntoView {
    let words = use_words();
    let PanelState { skills, install, .. } = use_state();
    let filter = RwSignal::new(String::new());
    let add = NodeRef::<html::Button>::new();
    take_focus(install, add, SkillFocus::Add);
    let keys = move |wanted: SkillSection| {
        Memo::new(move |_| {
            let filter = filter.with(|filter| filter.trim().to_lowercase());
            skills.list.with(|list| ids(list, wanted, &filter))
        })
    };
    let (here, elsewhere, stopped) =
        (keys(SkillSection::Here), keys(SkillSection::Elsewhere), keys(SkillSection::Stopped));
    let has_filter = Memo::new(move |_| skills.list.with(|list| list.len() >= FILTERED_FROM));
    let finds_none =
        move || here.with(Vec::is_empty) && elsewhere.with(Vec::is_empty) && stopped.with(Vec::is_empty);
    let is_filtered = move || filter.with(|filter| !filter.trim().is_empty());
    view! {
        <div
            class="skill-list"
            on:keydown=move |event| {
                rove(&event, ".skill-toggle", Axis::List);
            }
        >
            <div class="skill-list-head">
                <h2>{words.text(word::TAB_SKILLS)}</h2>
                <button type="button" data-testid="skill-add" node_ref=add on:click=move |_| install.open()>
                    {icon(Icon::Plus)}
                    {words.text(word::SKILLS_ADD)}
                </button>
            </div>
            <p class="skill-notice" role="status" data-testid="skills-status">
                {move || install.notice.get().map(|notice| said(words, &notice))}
            </p>
            <Show when=move || has_filter.get()>
                <input
                    type="search"
                    data-testid="skills-filter"
                    aria-label=words.text(word::SKILLS_FILTER)
                    placeholder=words.text(word::SKILLS_FILTER)
                    autocomplete="off"
                    prop:value=Signal::derive(move || filter.get())
                    on:input:target=move |event| filter.set(event.target().value())
                />
            </Show>
            <Show when=move || skills.listed.get() fallback=|| view! { <Skeleton /> }>
                <Show when=move || is_filtered() && finds_none()>
                    <p class="drawer-empty" role="status" data-testid="skills-no-match">
                        {Signal::derive(move || words.fill(word::SKILLS_NO_MATCH, &[("text", filter.get().trim())]))}
                    </p>
                </Show>
                <section data-testid="skills-here">
                    <h3>{words.text(word::SKILLS_HERE)}</h3>
                    <Show when=move || here.with(Vec::is_empty) && !is_filtered()>
                        <p class="meta">{words.text(word::SKILLS_HERE_NONE)}</p>
                    </Show>
                    <Cards keys=here />
                </section>
                <Show when=move || !elsewhere.with(Vec::is_empty)>
                    <Elsewhere keys=elsewhere is_filtered=Signal::derive(is_filtered) />
                </Show>
                <Show when=move || !stopped.with(Vec::is_empty)>
                    <section data-testid="skills-stopped">
                        <h3>{words.text(word::SKILLS_STOPPED)}</h3>
                        <Cards keys=stopped />
                    </section>
                </Show>
            </Show>
            <Show when=move || !skills.removed.with(Vec::is_empty)>
                <Undo />
            </Show>
        </div>
    }
}

/// The SKILLs for other sites, folded if they are many.
#[component]
fn Elsewhere(keys: Memo<Vec<String>>, is_filtered: Signal<bool>) -> impl IntoView {
    let words = use_words();
    let PanelState { install, .. } = use_state();
    let opened = RwSignal::new(keys.with_untracked(Vec::len) < FOLDED_FROM);
    // A SKILL that was just installed is to be seen.
    Effect::new(move |_| {
        let is_inside = install.focus.with(|focus| match focus {
            SkillFocus::Card(id) => keys.with(|keys| keys.contains(id)),
            SkillFocus::Nothing | SkillFocus::Add | SkillFocus::Title | SkillFocus::Outcome => false,
        });
        if is_inside {
            opened.set(true);
        }
    });
    let is_open = Memo::new(move |_| opened.get() || is_filtered.get());
    let title = move || {
        let count = words.number(u64::try_from(keys.with(Vec::len)).unwrap_or_default());
        words.fill(word::SKILLS_ELSEWHERE, &[("count", &count)])
    };
    view! {
        <section data-testid="skills-elsewhere">
            <h3>
                <button
                    type="button"
                    class="quiet"
                    data-testid="skills-elsewhere-toggle"
                    aria-expanded=Signal::derive(move || is_open.get().to_string())
                    on:click=move |_| opened.set(!is_open.get_untracked())
                >
                    {icon(Icon::Chevron)}
                    {title}
                </button>
            </h3>
            <Show when=move || is_open.get()>
                <Cards keys=keys />
            </Show>
        </section>
    }
}

#[component]
fn Cards(keys: Memo<Vec<String>>) -> impl IntoView {
    let PanelState { skills, .. } = use_state();
    let row = move |place: usize| {
        let id = keys.with_untracked(|keys| keys.get(place).cloned());
        let skill = id.and_then(|id| untrack(|| skills.find(&id)));
        skill.map(|skill| view! { <Card first=skill /> }).into_any()
    };
    view! {
        <ul class="rows">
            <KeyedList keys=keys row=row />
        </ul>
    }
}

/// The button that undoes removals. It takes the focus after each, because the focused card is gone.
#[component]
fn Undo() -> impl IntoView {
    let words = use_words();
    let PanelState { skills, install, .. } = use_state();
    let place = NodeRef::<html::Div>::new();
    stay_near(place);
    Effect::new(move |before: Option<usize>| {
        let Some(place) = place.get() else { return 0 };
        let count = skills.removed.with(Vec::len);
        if before.is_none_or(|before| count > before) {
            request_animation_frame(move || focus(&place));
        }
        count
    });
    let said = move || {
        let titles = skills.removed.with(|removed| {
            removed
                .iter()
                .map(|(_, _, title)| title.clone())
                .collect::<Vec<_>>()
                .join(words.get(word::SKILLS_AND))
        });
        words.fill(word::SKILLS_REMOVED, &[("title", &titles)])
    };
    let undo = move |_| {
        let last = skills.removed.with_untracked(|removed| removed.last().map(|(_, id, _)| id.clone()));
        install.focus.set(last.map_or(SkillFocus::Add, SkillFocus::Card));
        skills.restore();
    };
    view! {
        <div class="toast" role="status" tabindex="-1" node_ref=place data-testid="skill-removed">
            <p>{said}</p>
            <WordButton testid="skill-undo" word=word::SKILLS_UNDO press=undo />
        </div>
    }
}

/// The sentence about an installation.
fn said(words: Words, notice: &InstallNotice) -> String {
    let InstallNotice { kind, title, version } = notice;
    let word: Word = match kind {
        InstallKind::Installed => word::SKILLS_INSTALLED,
        InstallKind::Updated => word::SKILLS_UPDATED,
        InstallKind::Reloaded => word::SKILLS_RELOADED,
        InstallKind::Unchanged => word::SKILLS_UNCHANGED,
    };
    let version = if version.is_empty() { words.get(word::SKILLS_NO_VERSION) } else { version.as_str() };
    words.fill(word, &[("title", title), ("version", version)])
}

/// The ids of the SKILLs of a section that match the filter, in their order. `filter` is in lower case.
fn ids(list: &[SkillSummary], wanted: SkillSection, filter: &str) -> Vec<String> {
    let matches = |skill: &&SkillSummary| {
        let texts = [&skill.title, &skill.id].into_iter().chain(&skill.sites);
        place(skill.state) == wanted && texts.into_iter().any(|text| text.to_lowercase().contains(filter))
    };
    list.iter().filter(matches).map(|skill| skill.id.clone()).collect()
}
