//! The list of earlier conversations, over the open view: open, search and manage them.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::history::{QUERY_LIMIT, ThreadMatch};
use sidecar_ui::dom::focus::{focus, stay_near};
use sidecar_ui::icons::Icon;
use sidecar_ui::widgets::button::{IconButton, WordButton};
use sidecar_ui::widgets::long_list::{LongList, LongRows};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::library::LibraryStore;
use crate::state::{PanelState, use_state};
use crate::views::threads::files::Files;
use crate::views::threads::row::Row;
use crate::word;

mod files;
mod row;

/// The list. It takes the focus when it opens, and the composer gets it when it closes.
#[component]
pub fn ThreadList() -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, library, .. } = use_state();
    let state = library.state;
    let close = NodeRef::<html::Button>::new();
    Effect::new(move |_| {
        if let Some(close) = close.get() {
            request_animation_frame(move || focus(&close));
        }
    });
    library.list_threads();
    if !state.query.with_untracked(String::is_empty) {
        library.search();
    }
    let keys = Memo::new(move |_| {
        let found = state.found.with(|found| {
            let found = found.as_ref()?.iter();
            Some(found.map(|found| found.summary.id.to_string()).collect::<Vec<_>>())
        });
        found.unwrap_or_else(|| {
            library.threads.with(|all| all.iter().map(|thread| thread.id.to_string()).collect())
        })
    });
    let list = LongList::new(keys);
    let row =
        move |place: usize| row_at(library, place).map(|first| view! { <Row first=first /> }).into_any();
    let status = move || {
        if state.query.with(|query| query.trim().is_empty()) {
            return if library.listed.get() && keys.with(Vec::is_empty) {
                words.get(word::THREADS_EMPTY).to_owned()
            } else {
                String::new()
            };
        }
        match keys.with(Vec::len) {
            _ if state.searching.get() => words.get(word::THREADS_SEARCHING).to_owned(),
            0 => words.fill(word::THREADS_NO_MATCH, &[("text", state.query.get().trim())]),
            count => {
                let count = u64::try_from(count).unwrap_or_default();
                words.count((word::THREADS_FOUND_ONE, word::THREADS_FOUND_OTHER), count, &[])
            }
        }
    };

    view! {
        <section
            class="drawer"
            data-testid="thread-list"
            aria-labelledby="threads-title"
            node_ref=list.frame
            on:scroll=move |_| list.look()
        >
            <div class="drawer-head">
                <h2 id="threads-title">{words.text(word::THREADS_TITLE)}</h2>
                <IconButton
                    testid="threads-close"
                    sign=Icon::Cross
                    word=word::THREADS_CLOSE
                    node=close
                    press=move |_| navigation.write()
                />
            </div>
            <div class="drawer-search">
                <input
                    type="search"
                    data-testid="thread-search"
                    aria-label=words.text(word::THREADS_SEARCH)
                    placeholder=words.text(word::THREADS_SEARCH)
                    autocomplete="off"
                    maxlength=QUERY_LIMIT.to_string()
                    prop:value=Signal::derive(move || state.query.get())
                    on:input:target=move |event| {
                        state.query.set(event.target().value());
                        library.search();
                    }
                />
            </div>
            <Files />
            <p class="drawer-status" role="status" data-testid="thread-status">
                {status}
            </p>
            <LongRows list=list stop=".thread-row" row=row />
            <Show when=move || !state.deleted.with(Vec::is_empty)>
                <Undo />
            </Show>
        </section>
    }
}

/// The thread in a row, with its search excerpt.
fn row_at(library: LibraryStore, place: usize) -> Option<ThreadMatch> {
    let found = library.state.found.with_untracked(|found| Some(found.as_ref()?.get(place).cloned()));
    found.unwrap_or_else(|| {
        let summary = library.threads.with_untracked(|threads| threads.get(place).cloned())?;
        Some(ThreadMatch { summary, excerpt: None })
    })
}

/// The button that undoes deletions. It takes the focus after each, because the focused row is gone.
#[component]
fn Undo() -> impl IntoView {
    let words = use_words();
    let PanelState { library, .. } = use_state();
    let place = NodeRef::<html::Div>::new();
    stay_near(place);
    let deleted = library.state.deleted;
    Effect::new(move |before: Option<usize>| {
        let Some(place) = place.get() else { return 0 };
        let count = deleted.with(Vec::len);
        if before.is_none_or(|before| count > before) {
            request_animation_frame(move || focus(&place));
        }
        count
    });
    let said = move || {
        deleted.with(|deleted| match deleted.as_slice() {
            [(_, thread)] => {
                let untitled = words.get(word::THREADS_UNTITLED);
                let title = if thread.title.is_empty() { untitled } else { &thread.title };
                words.fill(word::THREADS_DELETED, &[("title", title)])
            }
            more => {
                let count = words.number(u64::try_from(more.len()).unwrap_or_default());
                words.fill(word::THREADS_DELETED_MORE, &[("count", &count)])
            }
        })
    };
    view! {
        <div class="toast" role="status" tabindex="-1" node_ref=place data-testid="thread-deleted">
            <p>{said}</p>
            <WordButton testid="thread-undo" word=word::THREADS_UNDO press=move |_| library.restore_threads() />
        </div>
    }
}
