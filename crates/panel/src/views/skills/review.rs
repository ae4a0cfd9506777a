//! The install screen: what a package is, what it can do, and what it changes, before anything of it is active.

use leptos::prelude::*;
use sidecar_protocol::skill::{
    ForeignForm, SkillFile, SkillOffer, SkillProblem, SkillReview, SkillToolSummary,
};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::{Words, use_words};

use crate::state::skills::install::InstallStore;
use crate::state::skills::install::stage::InstallStage;
use crate::state::{PanelState, use_state};
use crate::views::skills::changes::changes_view;
use crate::views::skills::facts::{sites_view, verified};
use crate::views::skills::marks::tool_marks;
use crate::views::skills::problems::problem_list;
use crate::views::skills::same_name::{SAME_NAME, same_name, same_name_view};
use crate::views::skills::screen::{ScreenTitle, leave_on_escape};
use crate::word;

/// The screen.
#[component]
pub fn ReviewScreen() -> impl IntoView {
    let PanelState { install, .. } = use_state();
    move || match install.stage.get() {
        InstallStage::Offered(SkillOffer::Review(review)) => Some(view! { <Review review=*review /> }),
        InstallStage::Closed
        | InstallStage::Choosing
        | InstallStage::Reading
        | InstallStage::Offered(_)
        | InstallStage::Failed(_) => None,
    }
}

#[component]
fn Review(review: SkillReview) -> impl IntoView {
    let words = use_words();
    let PanelState { skills, install, .. } = use_state();
    let same = same_name(skills, install, &review);
    let same_view = same_name_view(words, install, &review, same);
    let is_barred =
        Signal::derive(move || same.with(|same| same.as_ref().is_some_and(|(_, same)| same.is_barred)));
    let title = Signal::stored(review.title.clone());
    let update = review.update.as_ref();
    let is_update = update.is_some();
    let (data_id, verified_on) = (review.id.clone(), review.verified_on.clone());
    view! {
        <section
            class="skill-screen"
            data-testid="skill-review"
            data-id=data_id
            data-update=is_update.to_string()
            tabindex="-1"
            aria-label=title
            on:keydown=leave_on_escape(install)
        >
            <ScreenTitle title=title />
            <p class="meta">{move || facts(words, &review.id, &review.version, &review.license)}</p>
            <p class="description">{review.summary}</p>
            {same_view}
            {update.map(|update| changes_view(words, update))}
            {can(words, &review.can)}
            {warnings(words, &review.warnings)}
            {made_of(words, review.made_of)}
            {tools(words, &review.tools)}
            {sites_view(words, &review.sites)}
            <p class="meta" data-testid="skill-verified">{move || verified(words, &verified_on)}</p>
            {files(words, &review.files)}
            {told(words, &review.told)}
            <Decision install=install is_update=is_update is_barred=is_barred />
        </section>
    }
}

/// Whose it is, and the last click.
#[component]
fn Decision(
    install: InstallStore,
    is_update: bool,
    /// Whether it cannot be installed as it is, because of its name.
    is_barred: Signal<bool>,
) -> impl IntoView {
    let words = use_words();
    let why = StoredValue::new(SAME_NAME.to_owned());
    let word = if is_update { word::SKILLS_UPDATE } else { word::SKILLS_INSTALL };
    view! {
        <label class="site-switch skill-switch">
            <input
                type="checkbox"
                data-testid="skill-own"
                prop:checked=Signal::derive(move || install.is_own.get())
                on:change:target=move |event| install.is_own.set(event.target().checked())
            />
            <span>{words.text(word::SKILLS_IS_OWN)}</span>
        </label>
        <div class="buttons">
            <WordButton testid="skill-cancel" word=word::SKILLS_CANCEL press=move |_| install.close() />
            <WordButton
                testid="skill-install"
                word=word
                class="primary"
                disabled=install.installing
                waits=is_barred
                why=why
                press=move |_| install.install()
            />
        </div>
    }
}

/// `city-library · 0.1.0 · MIT`
fn facts(words: Words, id: &str, version: &str, license: &str) -> String {
    let version = if version.is_empty() { words.get(word::SKILLS_NO_VERSION) } else { version };
    let license = if license.is_empty() { words.get(word::SKILLS_NO_LICENSE) } else { license };
    [id, version, license].join(" · ")
}

/// What it can do, in sentences of the worker.
fn can(words: Words, all: &[String]) -> Option<AnyView> {
    let item = |text: &String| view! { <li>{text.clone()}</li> }.into_any();
    (!all.is_empty()).then(|| {
        view! {
            <div data-testid="skill-can">
                <h3>{words.text(word::SKILLS_CAN)}</h3>
                <ul class="skill-sentences">{all.iter().map(item).collect_view()}</ul>
            </div>
        }
        .into_any()
    })
}

fn warnings(words: Words, all: &[String]) -> Option<AnyView> {
    let item = |text: &String| view! { <p>{text.clone()}</p> }.into_any();
    (!all.is_empty()).then(|| {
        view! {
            <div class="notice bad" role="group" aria-label=words.text(word::SKILLS_WARNINGS) data-testid="skill-warnings">
                {icon(Icon::Warning)}
                <div>{all.iter().map(item).collect_view()}</div>
            </div>
        }
        .into_any()
    })
}

fn made_of(words: Words, form: Option<ForeignForm>) -> Option<AnyView> {
    let (name, word) = match form? {
        ForeignForm::Recording => ("recording", word::SKILLS_MADE_OF_RECORDING),
        ForeignForm::Module => ("module", word::SKILLS_MADE_OF_MODULE),
    };
    Some(view! { <p data-testid="skill-made-of" data-form=name>{words.text(word)}</p> }.into_any())
}

fn tools(words: Words, all: &[SkillToolSummary]) -> AnyView {
    let item = |tool: &SkillToolSummary| {
        let SkillToolSummary { name, title, description, acts, is_code, .. } = tool.clone();
        view! {
            <li
                class="skill-tool"
                data-testid="skill-review-tool"
                data-name=name.clone()
                data-acts=acts.to_string()
                data-code=is_code.to_string()
            >
                <div class="row-head">
                    <span class="tool-name">{name.clone()}</span>
                    {tool_marks(words, tool)}
                </div>
                {(!title.is_empty()).then(|| view! { <p>{title}</p> }.into_any())}
                <p class="meta description">{description}</p>
            </li>
        }
        .into_any()
    };
    let (acts, is_empty) = (all.iter().any(|tool| tool.acts), all.is_empty());
    let note = |word| view! { <p class="meta">{words.text(word)}</p> }.into_any();
    view! {
        <div>
            <h3>{words.text(word::SKILLS_TOOLS)}</h3>
            {is_empty.then(|| note(word::SKILLS_ONLY_INSTRUCTIONS))}
            {acts.then(|| note(word::SKILLS_ACTING_OFF))}
            <ul class="skill-tools">{all.iter().map(item).collect_view()}</ul>
        </div>
    }
    .into_any()
}

fn files(words: Words, all: &[SkillFile]) -> AnyView {
    let count = u64::try_from(all.len()).unwrap_or_default();
    let item = |SkillFile { path, size }: &SkillFile| {
        let size = *size;
        view! {
            <li>
                <code>{path.clone()}</code>
                " "
                <span class="meta">{move || words.size(size)}</span>
            </li>
        }
        .into_any()
    };
    let title = move || words.count((word::SKILLS_FILES_ONE, word::SKILLS_FILES_OTHER), count, &[]);
    view! {
        <details class="fold" data-testid="skill-files">
            <summary>{title}</summary>
            <ul class="skill-files">{all.iter().map(item).collect_view()}</ul>
        </details>
    }
    .into_any()
}

/// What was mended, left out or is not as it should be.
fn told(words: Words, all: &[SkillProblem]) -> Option<AnyView> {
    let count = u64::try_from(all.len()).unwrap_or_default();
    let title = move || words.count((word::SKILLS_TOLD_ONE, word::SKILLS_TOLD_OTHER), count, &[]);
    (!all.is_empty()).then(|| {
        view! {
            <details class="fold" data-testid="skill-told">
                <summary>{title}</summary>
                {problem_list(words, all)}
            </details>
        }
        .into_any()
    })
}
