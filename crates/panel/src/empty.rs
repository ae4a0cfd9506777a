//! What stands where nothing is yet: what this is for, what can be done here, one thing to do.

use leptos::prelude::*;
use sidecar_protocol::link::PageCommand;
use sidecar_protocol::page_view::PageStatus;

use crate::button::WordButton;
use crate::icons::{Icon, icon};
use crate::state::{View, use_state};
use crate::when::When;
use crate::words::{Word, use_words};

/// Where site authors read how to add tools.
const HOW_SITES_ADD_TOOLS: &str = "https://github.com/webmachinelearning/webmcp";

/// The smallest tool a site can add. Code is not translated.
const EXAMPLE: &str = "document.modelContext\n  .registerTool({\n    name: \"search\",\n    description: \"Search here\",\n    inputSchema: { … },\n    execute: search,\n  });";

/// Before the first words of a conversation.
#[component]
pub fn Empty() -> impl IntoView {
    let state = use_state();
    let ready = Memo::new(move |_| state.settings.with(|view| view.ready));
    let welcomed = move || state.welcomed.get();
    view! {
        <When test=welcomed fallback=|| view! { <Skeleton /> }>
            <When test=move || ready.get() fallback=|| view! { <Welcome /> }>
                <PageState />
            </When>
        </When>
    }
}

/// What can be done on the page.
#[component]
pub fn PageState() -> impl IntoView {
    let state = use_state();
    let what = Memo::new(move |_| state.page.with(|page| (page.status, page.tools.is_empty())));
    move || match what.get() {
        (PageStatus::Ready, false) => view! { <HasTools /> }.into_any(),
        (PageStatus::Ready, true) => view! { <NoTools /> }.into_any(),
        (PageStatus::Loading, _) => view! { <Loading /> }.into_any(),
        (PageStatus::Restricted, _) => view! {
            <Told
                testid="state-restricted"
                sign=Icon::Lock
                title=Word::RestrictedTitle
                text=Word::RestrictedText
            />
        }
        .into_any(),
        (PageStatus::Insecure, _) => view! {
            <Told
                testid="state-insecure"
                sign=Icon::Warning
                title=Word::InsecureTitle
                text=Word::InsecureText
            />
        }
        .into_any(),
        (PageStatus::Blocked, _) => view! {
            <Told
                testid="state-blocked"
                sign=Icon::Barred
                title=Word::BlockedTitle
                text=Word::BlockedText
            />
        }
        .into_any(),
    }
}

/// There is no key, or no address, or no model.
#[component]
pub fn NoKey() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let sentence = move || {
        let word = if state.has_key() { Word::NoKeyIncomplete } else { Word::NoKeyText };
        words.fill(word, &[("provider", &state.provider())])
    };
    view! {
        <div class="no-key" data-testid="state-no-key">
            <p>{sentence}</p>
            <WordButton
                testid="add-key"
                word=Word::NoKeyButton
                class="primary"
                press=move |_| state.open_settings()
            />
        </div>
    }
}

/// The first run.
#[component]
fn Welcome() -> impl IntoView {
    let words = use_words();
    view! {
        <div class="empty" data-testid="state-welcome">
            {icon(Icon::Mark)}
            <h2>{words.text(Word::WelcomeTitle)}</h2>
            <p>{words.text(Word::WelcomeText)}</p>
            <NoKey />
        </div>
    }
}

/// The page has tools: the panel is ready.
#[component]
fn HasTools() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let title = move || {
        state.page.with(|page| {
            let count = u64::try_from(page.total_tools).unwrap_or_default();
            words.count((Word::ReadyTitleOne, Word::ReadyTitleOther), count, &[("site", &page.site)])
        })
    };
    view! {
        <div class="empty" data-testid="state-ready">
            {icon(Icon::Tools)}
            <h2>{title}</h2>
            <p>{words.text(Word::ReadyText)}</p>
            <WordButton testid="see-tools" word=Word::ReadyButton press=move |_| state.open(View::Tools) />
        </div>
    }
}

#[component]
fn NoTools() -> impl IntoView {
    let words = use_words();
    view! {
        <div class="empty" data-testid="state-no-tools">
            {icon(Icon::Tools)}
            <h2>{words.text(Word::NoToolsTitle)}</h2>
            <p>{words.text(Word::NoToolsText)}</p>
            <pre tabindex="0">{EXAMPLE}</pre>
            <a
                href=HOW_SITES_ADD_TOOLS
                target="_blank"
                rel="noopener noreferrer"
                data-testid="how-to-add-tools"
            >
                {words.text(Word::NoToolsMore)}
            </a>
        </div>
    }
}

/// What is said comes with time, by the style sheet: a skeleton soon, then what is being waited for, then a way out.
#[component]
fn Loading() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let waiting = move || {
        state.page.with(|page| {
            if page.site.is_empty() {
                words.get(Word::LoadingTitle).to_owned()
            } else {
                words.fill(Word::LoadingWaiting, &[("site", &page.site)])
            }
        })
    };
    view! {
        <div class="empty" data-testid="state-loading">
            <h2 class="visually-hidden">{words.text(Word::LoadingTitle)}</h2>
            <Skeleton />
            <p class="after-seconds">{waiting}</p>
            <div class="after-long">
                <p>{words.text(Word::LoadingLong)}</p>
                <WordButton
                    testid="look-again"
                    word=Word::LoadingAgain
                    press=move |_| {
                        state.send(PageCommand::Refresh);
                    }
                />
            </div>
        </div>
    }
}

#[component]
fn Skeleton() -> impl IntoView {
    view! {
        <div class="skeleton after-moment" aria-hidden="true">
            <span></span>
            <span></span>
            <span></span>
        </div>
    }
}

#[component]
fn Told(testid: &'static str, sign: Icon, title: Word, text: Word) -> impl IntoView {
    let words = use_words();
    view! {
        <div class="empty" data-testid=testid>
            {icon(sign)}
            <h2>{words.text(title)}</h2>
            <p>{words.text(text)}</p>
        </div>
    }
}
