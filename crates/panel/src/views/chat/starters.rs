//! What the Chat view shows beside a page before the first message: where the user is, and starters, which are buttons
//! that send or begin a message. No model makes them.

use leptos::prelude::*;
use sidecar_protocol::page_view::{PageStatus, PageView};
use sidecar_protocol::policy::Policy;
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::phrases::tool_starter::tool_starters;
use crate::state::{PanelState, PanelView, use_state};
use crate::views::chat::site_access::SiteAccess;
use crate::views::offered_skills::OfferedSkills;
use crate::views::page_state::{EmptyState, Loading, PageState};
use crate::word;

/// What a reader asks of any page. Each is sent with the text of the page.
const ABOUT_THE_PAGE: [(&str, Word); 3] =
    [("summary", word::STARTER_SUMMARY), ("points", word::STARTER_POINTS), ("simply", word::STARTER_SIMPLY)];

/// The state of the page in front, for a reader.
#[component]
pub fn Starters() -> impl IntoView {
    let PanelState { page, .. } = use_state();
    let what = Memo::new(move |_| page.view.with(|page| (page.status, page.tools.is_empty())));
    move || match what.get() {
        (PageStatus::Ready, false) => view! { <WithTools /> }.into_any(),
        (PageStatus::Ready, true) => view! { <ForReader testid="state-no-tools" /> }.into_any(),
        // WebMCP does not work there, but the page can be read.
        (PageStatus::Insecure, _) => view! { <ForReader testid="state-insecure" /> }.into_any(),
        (PageStatus::Blocked, _) => view! { <ForReader testid="state-blocked" /> }.into_any(),
        (PageStatus::Loading, _) => view! { <Loading /> }.into_any(),
        (PageStatus::Restricted, _) => view! { <PageState /> }.into_any(),
    }
}

/// Beside a page with tools: starters made from their titles, then those for a reader.
#[component]
fn WithTools() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, page, policies, composer, .. } = use_state();
    let title = move || {
        page.view.with(|page| {
            let count = u64::try_from(page.total_tools).unwrap_or_default();
            words.count((word::READY_TITLE_ONE, word::READY_TITLE_OTHER), count, &[("site", &page.site)])
        })
    };
    let offered = Memo::new(move |_| {
        let is_off = |key: &Option<_>| key.as_ref().and_then(|key| policies.policy(key)) == Some(Policy::Off);
        page.view.with(|PageView { tools, .. }| {
            tool_starters(tools.iter().filter(|tool| tool.frame.is_empty() && !is_off(&tool.key)))
        })
    });
    let starter = move |title: String| {
        let text = title.clone();
        view! { <WordButton testid="tool-starter" word=title class="starter" press=move |_| composer.begin_with(&text) /> }
            .into_any()
    };
    view! {
        <EmptyState testid="state-ready" sign=Icon::Tools title=Signal::derive(title) text=word::READY_TEXT>
            <Show when=move || !policies.is_page_hidden()>
                <div class="starters" role="group" aria-label=words.text(word::STARTERS_LABEL)>
                    {move || offered.get().into_iter().map(starter).collect_view()}
                    <PageStarters most=1 />
                </div>
            </Show>
            <WordButton
                testid="see-tools"
                word=word::READY_BUTTON
                class="small"
                press=move |_| navigation.open(PanelView::Tools)
            />
        </EmptyState>
    }
}

/// Beside a page without tools.
#[component]
fn ForReader(testid: &'static str) -> impl IntoView {
    let words = use_words();
    let PanelState { policies, .. } = use_state();
    view! {
        <EmptyState
            testid=testid
            sign=Icon::Chat
            title=Signal::derive(move || words.get(word::READER_TITLE).to_owned())
            text=word::READER_TEXT
        >
            <Show when=move || !policies.is_page_hidden()>
                <div class="starters" role="group" aria-label=words.text(word::STARTERS_LABEL)>
                    <PageStarters most=ABOUT_THE_PAGE.len() />
                </div>
                <OfferedSkills />
                <SiteAccess />
            </Show>
        </EmptyState>
    }
}

/// The starters that send the text of the page.
#[component]
fn PageStarters(
    /// How many to show.
    most: usize,
) -> impl IntoView {
    let words = use_words();
    let PanelState { composer, .. } = use_state();
    ABOUT_THE_PAGE
        .into_iter()
        .take(most)
        .map(|(name, word)| {
            view! {
                <button
                    type="button"
                    class="starter"
                    data-testid="starter"
                    data-name=name
                    disabled=Signal::derive(move || composer.reading.get())
                    on:click=move |_| composer.ask_about_page(words.get(word).to_owned())
                >
                    {words.text(word)}
                </button>
            }
            .into_any()
        })
        .collect_view()
}
