//! Why the active tab offers no tools, for who looks for tools.

use leptos::prelude::*;
use sidecar_protocol::link::PageCommand;
use sidecar_protocol::page_view::PageStatus;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::{Word, use_words};

use crate::phrases::restricted::restricted;
use crate::state::{PanelState, use_state};
use crate::views::offered_skills::OfferedSkills;
use crate::word;

/// Documentation for site authors.
const HOW_SITES_ADD_TOOLS: &str = "https://github.com/webmachinelearning/webmcp";

/// A minimal tool registration. Code is not translated.
const EXAMPLE: &str = "document.modelContext\n  .registerTool({\n    name: \"search\",\n    description: \"Search here\",\n    inputSchema: { … },\n    execute: search,\n  });";

/// The browser's page where WebMCP is switched on. A page cannot link to it.
const NATIVE_FLAG: &str = "chrome://flags/#enable-webmcp-testing";

/// The state of an active tab without tools.
#[component]
pub fn PageState() -> impl IntoView {
    let PanelState { page, .. } = use_state();
    let what = Memo::new(move |_| page.view.with(|page| (page.status, restricted(&page.url))));
    move || match what.get().0 {
        PageStatus::Ready => view! { <NoTools /> }.into_any(),
        PageStatus::Loading => view! { <Loading /> }.into_any(),
        PageStatus::Restricted => {
            let text = what.get().1;
            view! { <EmptyState testid="state-restricted" sign=Icon::Lock title=title(word::RESTRICTED_TITLE) text=text /> }
                .into_any()
        }
        PageStatus::Insecure => view! {
            <EmptyState
                testid="state-insecure"
                sign=Icon::Warning
                title=title(word::INSECURE_TITLE)
                text=word::INSECURE_TEXT
            />
        }
        .into_any(),
        PageStatus::Blocked => view! {
            <EmptyState
                testid="state-blocked"
                sign=Icon::Barred
                title=title(word::BLOCKED_TITLE)
                text=word::BLOCKED_TEXT
            />
        }
        .into_any(),
    }
}

#[component]
fn NoTools() -> impl IntoView {
    let words = use_words();
    view! {
        <EmptyState
            testid="state-no-tools"
            sign=Icon::Tools
            title=Signal::derive(move || words.get(word::NO_TOOLS_TITLE).to_owned())
            text=word::NO_TOOLS_TEXT
        >
            <OfferedSkills />
            <pre tabindex="0">{EXAMPLE}</pre>
            <a
                href=HOW_SITES_ADD_TOOLS
                target="_blank"
                rel="noopener noreferrer"
                data-testid="how-to-add-tools"
            >
                {words.text(word::NO_TOOLS_MORE)}
            </a>
            <p class="meta">{words.text(word::NO_TOOLS_NATIVE)}</p>
            <code class="flag">{NATIVE_FLAG}</code>
        </EmptyState>
    }
}

/// Shown while the page loads. The style sheet delays the steps: a skeleton, then what is being waited for, then what
/// the user can do.
#[component]
pub fn Loading() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, page, .. } = use_state();
    let waiting = move || {
        page.view.with(|page| {
            if page.site.is_empty() {
                words.get(word::LOADING_TITLE).to_owned()
            } else {
                words.fill(word::LOADING_WAITING, &[("site", &page.site)])
            }
        })
    };
    view! {
        <div class="empty" data-testid="state-loading">
            <h2 class="visually-hidden">{words.text(word::LOADING_TITLE)}</h2>
            <Skeleton />
            <p class="after-seconds">{waiting}</p>
            <div class="after-long">
                <p>{words.text(word::LOADING_LONG)}</p>
                <WordButton
                    testid="look-again"
                    word=word::LOADING_AGAIN
                    press=move |_| {
                        connection.send(PageCommand::Refresh);
                    }
                />
            </div>
        </div>
    }
}

#[component]
pub fn Skeleton() -> impl IntoView {
    view! {
        <div class="skeleton after-moment" aria-hidden="true">
            <span></span>
            <span></span>
            <span></span>
        </div>
    }
}

/// A word as a title.
fn title(word: Word) -> Signal<String> {
    let words = use_words();
    Signal::derive(move || words.get(word).to_owned())
}

/// An empty state: what this is, what can be done, and at most one action.
#[component]
pub fn EmptyState(
    /// Its `data-testid`.
    testid: &'static str,
    /// Its icon.
    sign: Icon,
    /// Its title.
    title: Signal<String>,
    /// What can be done here.
    text: Word,
    /// Further content, such as a button.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let words = use_words();
    view! {
        <div class="empty" data-testid=testid>
            {icon(sign)}
            <h2>{title}</h2>
            <p>{words.text(text)}</p>
            {children.map(|children| children())}
        </div>
    }
}
