//! The Log view: every tool call with its time, caller, tool, site, arguments and outcome.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::link::CallsCommand;
use sidecar_ui::dom::focus::{Axis, rove};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::confirm::Confirm;
use crate::views::log::filter::Filter;
use crate::views::log::row::Row;
use crate::word;

mod filter;
mod outcome;
mod row;

/// Distance from the end at which older calls are requested, in CSS pixels.
const NEAR: i32 = 400;

/// The Log view.
#[component]
pub fn Log() -> impl IntoView {
    let words = use_words();
    let PanelState { log, .. } = use_state();
    let calls = log.calls;
    log.list_calls();
    let list = NodeRef::<html::Div>::new();
    let keys = Signal::derive(move || {
        calls.rows.with(|rows| rows.iter().map(|row| row.place.to_string()).collect())
    });
    let row = move |place: usize| {
        let row = calls.rows.with_untracked(|rows| rows.get(place).cloned());
        row.map(|row| view! { <Row row=row /> }).into_any()
    };
    let scrolled = move |_| {
        let near_end = list
            .get_untracked()
            .is_some_and(|list| list.scroll_height() - list.scroll_top() - list.client_height() < NEAR);
        // Cleared until the reply arrives, so that each page is requested once.
        if near_end && calls.more.get_untracked() {
            calls.more.set(false);
            log.list_older_calls();
        }
    };
    let is_empty = Memo::new(move |_| calls.total.get() == Some(0));
    let finds_nothing = Memo::new(move |_| {
        calls.total.get().is_some_and(|total| total > 0) && calls.rows.with(Vec::is_empty)
    });
    view! {
        <div class="log" node_ref=list on:scroll=scrolled>
            <h2 class="visually-hidden">{words.text(word::TAB_LOG)}</h2>
            <Filter />
            <Show when=move || is_empty.get()>
                <p class="drawer-empty" data-testid="log-empty">
                    {words.text(word::LOG_EMPTY)}
                </p>
            </Show>
            <Show when=move || finds_nothing.get()>
                <p class="drawer-empty" role="status" data-testid="log-no-match">
                    {words.text(word::LOG_NO_MATCH)}
                </p>
            </Show>
            <ul
                class="rows"
                on:keydown=move |event| {
                    rove(&event, ".call-toggle", Axis::List);
                }
            >
                <KeyedList keys=keys row=row />
            </ul>
            <Foot />
        </div>
    }
}

/// What the log keeps, and buttons to export and clear it.
#[component]
fn Foot() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, settings, library, log, .. } = use_state();
    let asks = RwSignal::new(false);
    let hint = move || {
        let kept = settings.view.with(|view| u64::from(view.settings.calls_kept));
        words.count((word::LOG_HINT_ONE, word::LOG_HINT_OTHER), kept, &[])
    };
    let has_calls = Memo::new(move |_| log.calls.total.get().is_some_and(|total| total > 0));
    let has_rows = Memo::new(move |_| log.calls.rows.with(|rows| !rows.is_empty()));
    view! {
        <div class="log-foot">
            <p class="meta">{hint}</p>
            <Show when=move || has_calls.get()>
                <div class="buttons">
                    <WordButton
                        testid="log-export"
                        word=word::LOG_EXPORT
                        disabled=Signal::derive(move || library.state.busy.get() || !has_rows.get())
                        press=move |_| log.export_calls()
                    />
                    <WordButton testid="log-clear" word=word::LOG_CLEAR class="danger" press=move |_| asks.set(true) />
                </div>
                <Show when=move || asks.get()>
                    <Confirm
                        asking=asks
                        question=word::LOG_CLEAR_ASK
                        yes_testid="log-clear-yes"
                        yes=word::LOG_CLEAR_YES
                        no_testid="log-clear-no"
                        no=word::LOG_CLEAR_NO
                        act=move |()| {
                            connection.send(CallsCommand::Clear);
                        }
                    />
                </Show>
            </Show>
        </div>
    }
}
