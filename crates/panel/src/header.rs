//! The active tab's site and what can be done there, and the way to other conversations.

use leptos::prelude::*;
use sidecar_protocol::link::{PageCommand, ThreadsCommand};
use sidecar_protocol::page_view::PageStatus;

use crate::address::site_line;
use crate::button::IconButton;
use crate::icons::{Icon, icon};
use crate::state::{View, use_state};
use crate::when::When;
use crate::words::{Word, use_words};

/// The header.
#[component]
pub fn Header() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let status = Memo::new(move |_| state.page.with(|page| page.status));
    let is_ready = move || status.get() == PageStatus::Ready;
    let site = move || {
        state.page.with(|page| {
            if page.site.is_empty() { words.get(Word::HeaderNoPage).to_owned() } else { page.site.clone() }
        })
    };
    let total =
        Memo::new(move |_| state.page.with(|page| u64::try_from(page.total_tools).unwrap_or_default()));
    let count = move || match total.get() {
        0 => words.get(Word::HeaderNoTools).to_owned(),
        count => words.count((Word::HeaderToolsOne, Word::HeaderToolsOther), count, &[]),
    };
    let is_pinned = Memo::new(move |_| {
        state.page.with(|page| page.pinned.iter().any(|pinned| Some(pinned.tab_id) == page.tab_id))
    });
    view! {
        <div class="header">
            <span class="page-status" data-testid="page-status" data-status=Signal::derive(move || status_name(status.get()))>
                {move || icon(status_icon(status.get()))}
                <span class=Signal::derive(move || if is_ready() { "visually-hidden" } else { "" })>
                    {Signal::derive(move || words.get(status_word(status.get())))}
                </span>
            </span>
            <h1 class="site" data-testid="site" title=Signal::derive(move || state.page.with(|page| page.url.clone()))>
                {site_line(site)}
            </h1>
            <When test=is_ready>
                <button
                    type="button"
                    class="quiet count"
                    data-testid="tool-count"
                    data-count=Signal::derive(move || total.get().to_string())
                    title=words.text(Word::HeaderSeeTools)
                    on:click=move |_| state.open(View::Tools)
                >
                    {count}
                </button>
            </When>
            <When test=is_ready>
                <IconButton
                    testid="pin-tab"
                    sign=Icon::Pin
                    word=Word::HeaderPin
                    pressed=is_pinned
                    press=move |_| {
                        if let Some(tab_id) = state.page.with_untracked(|page| page.tab_id) {
                            state.send(PageCommand::PinTab { tab_id, pinned: !is_pinned.get_untracked() });
                        }
                    }
                />
            </When>
            <IconButton
                testid="refresh-tools"
                sign=Icon::Refresh
                word=Word::HeaderRefresh
                press=move |_| {
                    state.send(PageCommand::Refresh);
                }
            />
            <IconButton
                testid="new-chat"
                sign=Icon::Plus
                word=Word::HeaderNewChat
                press=move |_| {
                    state.send(ThreadsCommand::New);
                    state.write();
                }
            />
            <IconButton
                testid="threads"
                sign=Icon::Chats
                word=Word::HeaderThreads
                expanded=state.threads_open
                press=move |_| state.threads_open.update(|open| *open = !*open)
            />
        </div>
    }
}

fn status_name(status: PageStatus) -> &'static str {
    match status {
        PageStatus::Ready => "ready",
        PageStatus::Loading => "loading",
        PageStatus::Restricted => "restricted",
        PageStatus::Insecure => "insecure",
        PageStatus::Blocked => "blocked",
    }
}

fn status_word(status: PageStatus) -> Word {
    match status {
        PageStatus::Ready => Word::PageReady,
        PageStatus::Loading => Word::PageLoading,
        PageStatus::Restricted => Word::PageRestricted,
        PageStatus::Insecure => Word::PageInsecure,
        PageStatus::Blocked => Word::PageBlocked,
    }
}

fn status_icon(status: PageStatus) -> Icon {
    match status {
        PageStatus::Ready => Icon::Mark,
        PageStatus::Loading => Icon::Spinner,
        PageStatus::Restricted => Icon::Lock,
        PageStatus::Insecure => Icon::Warning,
        PageStatus::Blocked => Icon::Barred,
    }
}
