//! A conversation in the list: opens it, and offers further actions on demand.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::ThreadId;
use sidecar_protocol::history::{Excerpt, ExportForm, TITLE_LIMIT, ThreadMatch};
use sidecar_protocol::link::ThreadsCommand;
use sidecar_protocol::thread::ThreadSummary;
use sidecar_ui::dom::focus::{focus, is_composing, stay_near};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::address::site_line;
use sidecar_ui::widgets::button::{IconButton, WordButton};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};
use web_sys::KeyboardEvent;

use crate::state::library::LibraryStore;
use crate::state::{PanelState, use_state};
use crate::word;

/// The row. It stays mounted while its content changes.
#[component]
pub fn Row(
    /// The thread when the row is made.
    first: ThreadMatch,
) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, navigation, conversation, library, .. } = use_state();
    let id = first.summary.id.clone();
    let now = {
        let id = id.clone();
        Memo::new(move |before: Option<&ThreadMatch>| {
            find(library, &id).or_else(|| before.cloned()).unwrap_or_else(|| first.clone())
        })
    };
    let is_open = {
        let id = id.clone();
        Memo::new(move |_| conversation.thread.with(|open| open.as_ref().is_some_and(|open| open.id == id)))
    };
    let is_pinned = Memo::new(move |_| now.with(|found| found.summary.pinned));
    let (more, renaming) = (RwSignal::new(false), RwSignal::new(false));
    let data_thread = id.to_string();
    let open = move |_| {
        if !is_open.get_untracked() {
            connection.send(ThreadsCommand::Open { thread_id: id.clone() });
        }
        navigation.write();
    };
    let title = Signal::derive(move || {
        now.with(|found| match found.summary.title.as_str() {
            "" => words.get(word::THREADS_UNTITLED).to_owned(),
            title => title.to_owned(),
        })
    });
    view! {
        <div class="thread">
            <div class="thread-line">
                <button
                    type="button"
                    class="row thread-row"
                    data-testid="thread-row"
                    data-thread=data_thread
                    aria-current=Signal::derive(move || is_open.get().then_some("true"))
                    on:click=open
                >
                    <span class="row-title">
                        <Show when=move || is_pinned.get()>
                            <span class="pin" data-testid="thread-pinned">
                                {icon(Icon::Pin)}
                                <span class="visually-hidden">{words.text(word::THREADS_PINNED)}</span>
                            </span>
                        </Show>
                        {title}
                    </span>
                    {move || now.with(|found| found.excerpt.clone()).map(excerpt)}
                    <span class="meta row-meta">
                        <span class="row-site">{site_line(move || now.with(|found| found.summary.site.clone()))}</span>
                        <Show when=move || is_open.get()>
                            <span>{words.text(word::THREADS_OPEN)}</span>
                        </Show>
                        <span>{Signal::derive(move || words.moment(now.with(|found| found.summary.updated)))}</span>
                    </span>
                </button>
                <IconButton
                    testid="thread-more"
                    sign=Icon::More
                    word=word::THREADS_MORE
                    expanded=more
                    press=move |_| {
                        renaming.set(false);
                        more.update(|more| *more = !*more);
                    }
                />
            </div>
            <Show when=move || more.get()>
                <Show when=move || renaming.get() fallback=move || view! { <Actions now=now renaming=renaming /> }>
                    <Rename now=now renaming=renaming />
                </Show>
            </Show>
        </div>
    }
}

/// The current thread, with its search excerpt.
fn find(library: LibraryStore, id: &ThreadId) -> Option<ThreadMatch> {
    let found = library.state.found.with(|found| {
        found.as_ref().and_then(|found| found.iter().find(|found| found.summary.id == *id).cloned())
    });
    // The list is updated; search results stay as they were found.
    let listed = library.threads.with(|threads| threads.iter().find(|thread| thread.id == *id).cloned());
    match (found, listed) {
        (found, Some(summary)) => {
            Some(ThreadMatch { summary, excerpt: found.and_then(|found| found.excerpt) })
        }
        (found, None) => found,
    }
}

fn excerpt(Excerpt { before, matched, after }: Excerpt) -> AnyView {
    view! {
        <span class="excerpt" data-testid="thread-excerpt">
            {before}
            <mark>{matched}</mark>
            {after}
        </span>
    }
    .into_any()
}

/// Test id and label of the pin button.
struct PinButton {
    testid: &'static str,
    word: Word,
}

const PIN: PinButton = PinButton { testid: "thread-pin", word: word::THREADS_PIN };
const UNPIN: PinButton = PinButton { testid: "thread-unpin", word: word::THREADS_UNPIN };

/// The actions for the thread.
#[component]
fn Actions(now: Memo<ThreadMatch>, renaming: RwSignal<bool>) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, library, .. } = use_state();
    let summary = move || now.with_untracked(|found| found.summary.clone());
    let is_pinned = Memo::new(move |_| now.with(|found| found.summary.pinned));
    let pin = move |_| {
        let pinned = !is_pinned.get_untracked();
        connection.send(ThreadsCommand::Pin { thread_id: summary().id, pinned });
    };
    let button = move || if is_pinned.get() { UNPIN } else { PIN };
    let export = move |form| {
        let ThreadSummary { id, title, .. } = summary();
        library.export_threads(Some((id, title)), form);
    };
    view! {
        <div class="buttons thread-actions">
            <WordButton testid="thread-rename" word=word::THREADS_RENAME press=move |_| renaming.set(true) />
            <button type="button" data-testid=Signal::derive(move || button().testid) on:click=pin>
                {Signal::derive(move || words.get(button().word))}
            </button>
            <WordButton
                testid="thread-export-json"
                word=word::THREADS_JSON
                disabled=library.state.busy
                press=move |_| export(ExportForm::Json)
            />
            <WordButton
                testid="thread-export-markdown"
                word=word::THREADS_MARKDOWN
                disabled=library.state.busy
                press=move |_| export(ExportForm::Markdown)
            />
            <WordButton
                testid="thread-delete"
                word=word::THREADS_DELETE
                class="danger"
                press=move |_| library.delete_thread(summary())
            />
        </div>
    }
}

/// The input that renames the thread.
#[component]
fn Rename(now: Memo<ThreadMatch>, renaming: RwSignal<bool>) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, .. } = use_state();
    let (place, input) = (NodeRef::<html::Div>::new(), NodeRef::<html::Input>::new());
    stay_near(place);
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            focus(&input);
            input.select();
        }
    });
    let save = move || {
        let title = input.get_untracked().map(|input| input.value().trim().to_owned()).unwrap_or_default();
        if !title.is_empty() {
            let thread_id = now.with_untracked(|found| found.summary.id.clone());
            connection.send(ThreadsCommand::Rename { thread_id, title });
        }
        renaming.set(false);
    };
    let pressed = move |event: KeyboardEvent| {
        // Arrow keys move in the text, and Escape leaves the input, not the list.
        event.stop_propagation();
        match event.key().as_str() {
            _ if is_composing(&event) => {}
            "Enter" => save(),
            "Escape" => renaming.set(false),
            _ => {}
        }
    };
    view! {
        <div class="input-row thread-actions" node_ref=place>
            <input
                type="text"
                data-testid="thread-title"
                aria-label=words.text(word::THREADS_NAME)
                autocomplete="off"
                maxlength=TITLE_LIMIT.to_string()
                prop:value=now.with_untracked(|found| found.summary.title.clone())
                node_ref=input
                on:keydown=pressed
            />
            <WordButton testid="thread-rename-save" word=word::THREADS_SAVE class="primary" press=move |_| save() />
        </div>
    }
}
