//! The list of earlier conversations, over the open view.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::link::PanelCommand;
use sidecar_protocol::thread::ThreadSummary;

use crate::button::IconButton;
use crate::focus::{Axis, focus, rove};
use crate::icons::Icon;
use crate::rows::Rows;
use crate::state::{View, use_state};
use crate::when::When;
use crate::words::{Word, use_words};

/// The list. It takes the focus when it opens and gives it to the composer when it closes.
#[component]
pub fn ThreadList() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let close = NodeRef::<html::Button>::new();
    Effect::new(move |_| {
        if let Some(close) = close.get() {
            request_animation_frame(move || focus(&close));
        }
    });
    state.send(&PanelCommand::ListThreads);
    let is_empty = move || state.threads.with(Vec::is_empty);
    let keys = Signal::derive(move || state.threads.with(|threads| threads.iter().map(key).collect()));
    let row = move |place: usize| {
        let thread = state.threads.with_untracked(|threads| threads.get(place).cloned());
        thread.map(|thread| view! { <Row thread=thread /> }).into_any()
    };

    view! {
        <section class="drawer" data-testid="thread-list" aria-labelledby="threads-title">
            <div class="drawer-head">
                <h2 id="threads-title">{words.text(Word::ThreadsTitle)}</h2>
                <IconButton
                    testid="threads-close"
                    sign=Icon::Cross
                    word=Word::ThreadsClose
                    node=close
                    press=move |_| state.write()
                />
            </div>
            <When test=is_empty>
                <p class="drawer-empty">{words.text(Word::ThreadsEmpty)}</p>
            </When>
            <ul
                class="rows"
                on:keydown=move |event| {
                    rove(&event, "button", Axis::List);
                }
            >
                <Rows keys=keys row=row />
            </ul>
        </section>
    }
}

/// Another when what is shown of the thread is.
fn key(ThreadSummary { id, title, updated, .. }: &ThreadSummary) -> String {
    format!("{id} {updated} {title}")
}

#[component]
fn Row(thread: ThreadSummary) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let ThreadSummary { id, title, site, created: _, updated } = thread;
    let is_open = {
        let id = id.clone();
        Memo::new(move |_| state.thread.with(|open| open.as_ref().is_some_and(|open| open.id == id)))
    };
    let data_thread = id.to_string();
    let open = move |_| {
        if !is_open.get_untracked() {
            state.send(&PanelCommand::OpenThread { thread_id: id.clone() });
        }
        state.view.set(View::Chat);
        state.write();
    };
    let untitled = title.is_empty();
    view! {
        <li>
            <button
                type="button"
                class="row thread-row"
                data-testid="thread-row"
                data-thread=data_thread
                aria-current=Signal::derive(move || is_open.get().then_some("true"))
                on:click=open
            >
                <span class="row-title">
                    {Signal::derive(move || if untitled { words.get(Word::ThreadsUntitled).to_owned() } else { title.clone() })}
                </span>
                <span class="meta row-meta">
                    <span class="row-site">{site}</span>
                    <When test=move || is_open.get()>
                        <span>{words.text(Word::ThreadsOpen)}</span>
                    </When>
                    <span>{Signal::derive(move || words.moment(updated))}</span>
                </span>
            </button>
        </li>
    }
}
