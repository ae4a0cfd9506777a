//! What became of files or an address that were read, where that is no package to install.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::skill::{SkillOffer, UPLOAD_LIMIT};
use sidecar_ui::dom::folder::{FolderProblem, MOST_DEPTH, MOST_FILES};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::{Word, Words, use_words};

use crate::state::skills::install::InstallStore;
use crate::state::skills::install::stage::{InstallFailure, InstallSource, InstallStage, SkillFocus};
use crate::state::{PanelState, use_state};
use crate::views::skills::problems::problem_list;
use crate::views::skills::screen::take_focus;
use crate::word;

/// The outcome; nothing while the user chooses.
#[component]
pub fn Outcome() -> impl IntoView {
    let words = use_words();
    let PanelState { install, .. } = use_state();
    view! {
        <div role="status">
            {move || install.stage.with(|stage| *stage == InstallStage::Reading).then(|| reading(words, install))}
        </div>
        {move || match install.stage.get() {
            InstallStage::Closed
            | InstallStage::Choosing
            | InstallStage::Reading
            | InstallStage::Offered(SkillOffer::Review(_)) => ().into_any(),
            InstallStage::Failed(failure) => {
                let text = sentence(words, failure);
                let again = can_try_again(failure).then(|| retry(install));
                boxed(words, install, "failed", word::SKILLS_FAILED, view! { <p>{text}</p> {again} }.into_any())
            }
            InstallStage::Offered(SkillOffer::Refused { problems }) => {
                let list = problem_list(words, &problems);
                boxed(words, install, "refused", word::SKILLS_REFUSED, list)
            }
            InstallStage::Offered(SkillOffer::Choose { folders }) => {
                boxed(words, install, "choose", word::SKILLS_SEVERAL, choices(install, folders))
            }
            InstallStage::Offered(SkillOffer::LeadsElsewhere { address }) => {
                boxed(words, install, "elsewhere", word::SKILLS_LEADS, leads(words, install, address))
            }
            InstallStage::Offered(SkillOffer::Redirected { address }) => {
                boxed(words, install, "redirected", word::SKILLS_REDIRECTED, redirected(words, address))
            }
            InstallStage::Offered(SkillOffer::NotFetched { why }) => {
                let text = view! { <p class="meta">{why}</p> {retry(install)} }.into_any();
                boxed(words, install, "notFetched", word::SKILLS_NOT_FETCHED, text)
            }
        }}
    }
}

fn boxed(words: Words, install: InstallStore, name: &'static str, title: Word, content: AnyView) -> AnyView {
    let node = NodeRef::<html::Section>::new();
    take_focus(install, node, SkillFocus::Outcome);
    let is_bad = !matches!(name, "choose" | "elsewhere");
    view! {
        <section
            class="notice"
            class:bad=is_bad
            tabindex="-1"
            aria-labelledby="skill-outcome-title"
            data-testid="skill-outcome"
            data-outcome=name
            node_ref=node
        >
            {icon(if is_bad { Icon::Warning } else { Icon::Question })}
            <div>
                <h3 id="skill-outcome-title">{words.text(title)}</h3>
                {content}
            </div>
        </section>
    }
    .into_any()
}

fn reading(words: Words, install: InstallStore) -> AnyView {
    let percent = move || {
        let percent = install.progress.get().filter(|percent| *percent < 100)?;
        Some(words.fill(word::SKILLS_PERCENT, &[("percent", &words.number(u64::from(percent)))]))
    };
    view! {
        <div class="notice" data-testid="skill-reading">
            {icon(Icon::Spinner)}
            <p>
                {words.text(word::SKILLS_READING)}
                " "
                // Read aloud, it would be a stream of numbers.
                <span class="countdown" aria-hidden="true">{percent}</span>
            </p>
        </div>
    }
    .into_any()
}

fn retry(install: InstallStore) -> Option<AnyView> {
    install.has_source().then(|| {
        let press = move |_| install.read_again();
        view! { <WordButton testid="skill-retry" word=word::SKILLS_RETRY press=press /> }.into_any()
    })
}

/// The folders of several SKILLs.
fn choices(install: InstallStore, folders: Vec<String>) -> AnyView {
    let choice = move |folder: String| {
        let (data_folder, name) =
            (folder.clone(), if folder.is_empty() { "/".to_owned() } else { folder.clone() });
        view! {
            <li data-testid="skill-choice" data-folder=data_folder>
                <WordButton testid="skill-choose" word=name press=move |_| install.choose(folder.clone()) />
            </li>
        }
        .into_any()
    };
    view! { <ul class="skill-choices">{folders.into_iter().map(choice).collect_view()}</ul> }.into_any()
}

fn leads(words: Words, install: InstallStore, address: String) -> AnyView {
    let shown = address.clone();
    let press = move |_| install.read(InstallSource::Address(address.clone()));
    view! {
        <p><code>{shown}</code></p>
        <p class="meta">{words.text(word::SKILLS_LEADS_TEXT)}</p>
        <WordButton testid="skill-follow" word=word::SKILLS_FOLLOW press=press />
    }
    .into_any()
}

/// Where it leads, only a tab shows. Reading the same once more would not help.
fn redirected(words: Words, address: String) -> AnyView {
    let shown = address.clone();
    view! {
        <p><code>{shown}</code></p>
        <p class="meta">{words.text(word::SKILLS_REDIRECTED_TEXT)}</p>
        <p>{words.text(word::SKILLS_REDIRECTED_HELP)}</p>
        <a href=address target="_blank" rel="noopener noreferrer" data-testid="skill-open-address">
            {words.text(word::SKILLS_OPEN_ADDRESS)}
        </a>
    }
    .into_any()
}

/// Whether reading the same once more may help.
fn can_try_again(failure: InstallFailure) -> bool {
    match failure {
        InstallFailure::Lost
        | InstallFailure::LostInstalling
        | InstallFailure::Gone
        | InstallFailure::Unreadable
        | InstallFailure::Folder(_)
        | InstallFailure::Empty => true,
        InstallFailure::TooLarge => false,
    }
}

fn sentence(words: Words, failure: InstallFailure) -> String {
    let count = |count: usize| words.number(u64::try_from(count).unwrap_or_default());
    let word = match failure {
        InstallFailure::Lost => word::SKILLS_FAILED_LOST,
        InstallFailure::LostInstalling => word::SKILLS_FAILED_LOST_INSTALLING,
        InstallFailure::Gone => word::SKILLS_FAILED_GONE,
        InstallFailure::Unreadable => word::SKILLS_FAILED_UNREADABLE,
        InstallFailure::Empty => word::SKILLS_FAILED_EMPTY,
        InstallFailure::TooLarge => {
            let limit = count(UPLOAD_LIMIT / (1024 * 1024));
            return words.fill(word::SKILLS_FAILED_TOO_LARGE, &[("limit", &limit)]);
        }
        InstallFailure::Folder(FolderProblem::ManyFiles) => {
            return words.fill(word::SKILLS_FOLDER_MANY, &[("limit", &count(MOST_FILES))]);
        }
        InstallFailure::Folder(FolderProblem::TooDeep) => {
            return words.fill(word::SKILLS_FOLDER_DEEP, &[("limit", &count(MOST_DEPTH))]);
        }
        InstallFailure::Folder(FolderProblem::TooLarge) => word::SKILLS_FOLDER_LARGE,
        InstallFailure::Folder(FolderProblem::Unreadable) => word::SKILLS_FOLDER_UNREADABLE,
    };
    words.get(word).to_owned()
}
