//! The header: the active tab's site and status, and buttons for its tools, a new chat and earlier chats.

use leptos::prelude::*;
use sidecar_protocol::link::{PageCommand, ThreadsCommand};
use sidecar_protocol::page_view::PageStatus;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::address::site_line;
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::state::{PanelState, PanelView, use_state};
use crate::word;

/// The header.
#[component]
pub fn Header() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, navigation, page, .. } = use_state();
    let status = Memo::new(move |_| page.view.with(|page| page.status));
    let is_ready = move || status.get() == PageStatus::Ready;
    let site = move || {
        page.view.with(|page| {
            if page.site.is_empty() { words.get(word::HEADER_NO_PAGE).to_owned() } else { page.site.clone() }
        })
    };
    let total =
        Memo::new(move |_| page.view.with(|page| u64::try_from(page.total_tools).unwrap_or_default()));
    let count = move || match total.get() {
        0 => words.get(word::HEADER_NO_TOOLS).to_owned(),
        count => words.count((word::HEADER_TOOLS_ONE, word::HEADER_TOOLS_OTHER), count, &[]),
    };
    let is_pinned = Memo::new(move |_| {
        page.view.with(|page| page.pinned.iter().any(|pinned| Some(pinned.tab_id) == page.tab_id))
    });
    view! {
        <div class="header">
            <span class="page-status" data-testid="page-status" data-status=Signal::derive(move || status_name(status.get()))>
                {move || icon(status_icon(status.get()))}
                <span class=Signal::derive(move || if is_ready() { "visually-hidden" } else { "" })>
                    {Signal::derive(move || words.get(status_word(status.get())))}
                </span>
            </span>
            <h1 class="site" data-testid="site" title=Signal::derive(move || page.view.with(|page| page.url.clone()))>
                {site_line(site)}
            </h1>
            <Show when=is_ready>
                <button
                    type="button"
                    class="quiet count"
                    data-testid="tool-count"
                    data-count=Signal::derive(move || total.get().to_string())
                    title=words.text(word::HEADER_SEE_TOOLS)
                    on:click=move |_| navigation.open(PanelView::Tools)
                >
                    {count}
                </button>
            </Show>
            <Show when=is_ready>
                <IconButton
                    testid="pin-tab"
                    sign=Icon::Pin
                    word=word::HEADER_PIN
                    pressed=is_pinned
                    press=move |_| {
                        if let Some(tab_id) = page.view.with_untracked(|page| page.tab_id) {
                            connection.send(PageCommand::PinTab { tab_id, pinned: !is_pinned.get_untracked() });
                        }
                    }
                />
            </Show>
            <IconButton
                testid="refresh-tools"
                sign=Icon::Refresh
                word=word::HEADER_REFRESH
                press=move |_| {
                    connection.send(PageCommand::Refresh);
                }
            />
            <IconButton
                testid="new-chat"
                sign=Icon::Plus
                word=word::HEADER_NEW_CHAT
                press=move |_| {
                    connection.send(ThreadsCommand::New);
                    navigation.write();
                }
            />
            <IconButton
                testid="threads"
                sign=Icon::Chats
                word=word::HEADER_THREADS
                expanded=navigation.threads_open
                press=move |_| navigation.threads_open.update(|open| *open = !*open)
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
        PageStatus::Ready => word::PAGE_READY,
        PageStatus::Loading => word::PAGE_LOADING,
        PageStatus::Restricted => word::PAGE_RESTRICTED,
        PageStatus::Insecure => word::PAGE_INSECURE,
        PageStatus::Blocked => word::PAGE_BLOCKED,
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
