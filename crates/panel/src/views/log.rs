//! The log of calls: when, who, which tool, where, with what, and what came of it.

use leptos::html;
use leptos::prelude::*;
use sidecar_protocol::audit::{CallOutcome, CallRow, LoggedCall, OutcomeKind};
use sidecar_protocol::link::CallsCommand;
use sidecar_protocol::tool::Caller;
use sidecar_ui::dom::focus::{Axis, rove};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::address::site_line;
use sidecar_ui::text::arguments::{digest, pretty};
use sidecar_ui::text::arguments_table::arguments_view;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::phrases::tool_call::failure_word;
use crate::state::{State, use_state};
use crate::views::chat::item::tool_call::passed_view;
use crate::views::choice::Choice;
use crate::word;

/// This close to the end older calls are fetched, in CSS pixels.
const NEAR: i32 = 400;

/// The Log view.
#[component]
pub fn Log() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let calls = state.calls;
    state.list_calls();
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
        // Cleared until the answer comes, so that each page is asked for once.
        if near_end && calls.more.get_untracked() {
            calls.more.set(false);
            state.list_older_calls();
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

#[component]
fn Filter() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let filter = state.calls.filter;
    let outcomes = Signal::derive(move || {
        let one = |kind| (kind_name(kind).to_owned(), words.get(kind_word(kind)).to_owned());
        with_all(words, OutcomeKind::ALL.map(one).to_vec())
    });
    let names = move |names: RwSignal<Vec<String>>| {
        Signal::derive(move || {
            let names = names.get().into_iter().map(|name| (name.clone(), name)).collect();
            with_all(words, names)
        })
    };
    view! {
        <div class="log-filter">
            <input
                type="search"
                data-testid="log-search"
                aria-label=words.text(word::LOG_SEARCH)
                placeholder=words.text(word::LOG_SEARCH)
                autocomplete="off"
                prop:value=Signal::derive(move || filter.with(|filter| filter.text.clone()))
                on:input:target=move |event| {
                    let text = event.target().value();
                    state.filter_calls(|filter| filter.text = text);
                }
            />
            <div class="log-choices">
                <Choice
                    testid="log-site"
                    label=word::LOG_SITE
                    choices=names(state.calls.sites)
                    chosen=Memo::new(move |_| filter.with(|filter| filter.site.clone().unwrap_or_default()))
                    save=|state, value| state.filter_calls(|filter| filter.site = chosen(value))
                />
                <Choice
                    testid="log-tool"
                    label=word::LOG_TOOL
                    choices=names(state.calls.tools)
                    chosen=Memo::new(move |_| filter.with(|filter| filter.tool.clone().unwrap_or_default()))
                    save=|state, value| state.filter_calls(|filter| filter.tool = chosen(value))
                />
                <Choice
                    testid="log-outcome"
                    label=word::LOG_OUTCOME
                    choices=outcomes
                    chosen=Memo::new(move |_| {
                        filter.with(|filter| filter.outcome.map(kind_name).unwrap_or_default().to_owned())
                    })
                    save=|state, value| {
                        let kind = OutcomeKind::ALL.into_iter().find(|kind| kind_name(*kind) == value);
                        state.filter_calls(|filter| filter.outcome = kind);
                    }
                />
            </div>
        </div>
    }
}

/// The choices with the one that lets everything through before them.
fn with_all(words: Words, choices: Vec<(String, String)>) -> Vec<(String, String)> {
    let all = (String::new(), words.get(word::LOG_ALL).to_owned());
    std::iter::once(all).chain(choices).collect()
}

fn chosen(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_owned())
}

/// What is kept here, and what can be done with all of it.
#[component]
fn Foot() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let asks = RwSignal::new(false);
    let hint = move || {
        let kept = state.settings.with(|view| u64::from(view.settings.calls_kept));
        words.count((word::LOG_HINT_ONE, word::LOG_HINT_OTHER), kept, &[])
    };
    let has_calls = Memo::new(move |_| state.calls.total.get().is_some_and(|total| total > 0));
    let has_rows = Memo::new(move |_| state.calls.rows.with(|rows| !rows.is_empty()));
    view! {
        <div class="log-foot">
            <p class="meta">{hint}</p>
            <Show when=move || has_calls.get()>
                <div class="buttons">
                    <WordButton
                        testid="log-export"
                        word=word::LOG_EXPORT
                        disabled=Signal::derive(move || state.history.busy.get() || !has_rows.get())
                        press=move |_| state.export_calls()
                    />
                    <WordButton testid="log-clear" word=word::LOG_CLEAR class="danger" press=move |_| asks.set(true) />
                </div>
                <Show when=move || asks.get()>
                    <div class="ask" role="alert">
                        <p>{words.text(word::LOG_CLEAR_ASK)}</p>
                        <div class="buttons">
                            <WordButton
                                testid="log-clear-yes"
                                word=word::LOG_CLEAR_YES
                                class="danger"
                                press=move |_| {
                                    asks.set(false);
                                    state.send(CallsCommand::Clear);
                                }
                            />
                            <WordButton testid="log-clear-no" word=word::LOG_CLEAR_NO press=move |_| asks.set(false) />
                        </div>
                    </div>
                </Show>
            </Show>
        </div>
    }
}

/// One call: a line, and all that is kept of it on demand.
#[component]
fn Row(row: CallRow) -> impl IntoView {
    let words = use_words();
    let CallRow { call, .. } = row;
    let open = RwSignal::new(false);
    let kind = call.outcome.kind();
    let (at, duration_ms) = (call.at, call.duration_ms);
    let (tool, site, line) = (call.tool.clone(), call.site.clone(), digest(&call.arguments));
    let (name, whole) = (tool.clone(), site.clone());
    let call = StoredValue::new(call);
    view! {
        <li class="call" data-testid="log-row" data-name=name data-outcome=kind_name(kind)>
            <button
                type="button"
                class="row call-toggle"
                data-testid="log-toggle"
                aria-expanded=Signal::derive(move || open.get().to_string())
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {icon(Icon::Chevron)}
                <span class="row-main">
                    <span class="call-head">
                        <span class="tool-icon">{icon(kind_icon(kind))}</span>
                        <span class="tool-name">{tool}</span>
                        <span class="digest">{line}</span>
                        <span class="tool-state">{words.text(kind_word(kind))}</span>
                    </span>
                    <span class="meta row-meta">
                        <span class="row-site" title=whole>{site_line(move || site.clone())}</span>
                        <span class="duration">
                            {Signal::derive(move || if duration_ms > 0 { words.duration(duration_ms) } else { String::new() })}
                        </span>
                        <span>{Signal::derive(move || words.moment(at))}</span>
                    </span>
                </span>
            </button>
            <Show when=move || open.get()>
                <Details call=call />
            </Show>
        </li>
    }
}

#[component]
fn Details(call: StoredValue<LoggedCall>) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let line =
        Signal::derive(move || call.with_value(|call| serde_json::to_string(call).unwrap_or_default()));
    let facts = move || {
        call.with_value(|call| {
            let caller = words.get(match &call.caller {
                Caller::Agent => word::LOG_BY_AGENT,
                Caller::User => word::LOG_BY_USER,
                Caller::Page { .. } => word::LOG_BY_PAGE,
                Caller::Eval => word::LOG_BY_EVAL,
                Caller::Client { .. } => word::LOG_BY_CLIENT,
                Caller::WebChat { .. } => word::LOG_BY_WEB_CHAT,
            });
            words.fill(word::LOG_FACTS, &[("caller", caller), ("time", &words.exact_moment(call.at))])
        })
    };
    view! {
        <div class="details" data-testid="log-details">
            <p class="meta">{facts}</p>
            <div class="details-head">
                <h3>{words.text(word::TOOL_ARGUMENTS)}</h3>
                <CopyButton label=word::LOG_COPY testid="log-copy" text=line />
            </div>
            <div data-testid="log-arguments">
                {move || call.with_value(|call| arguments_view(words, &call.arguments, word::TOOL_NO_ARGUMENTS))}
            </div>
            <Show when=move || call.with_value(|call| call.masked)>
                <p class="meta" data-testid="log-masked">
                    {words.text(word::LOG_MASKED)}
                </p>
            </Show>
            <h3>{words.text(word::LOG_OUTCOME)}</h3>
            <p>{move || call.with_value(|call| explanation(words, &call.outcome))}</p>
            {move || call.with_value(|call| call.passed).map(|passed| passed_view(words, passed))}
            {move || call.with_value(|call| message(&call.outcome)).map(|text| view! { <pre tabindex="0">{pretty(&text)}</pre> }.into_any())}
            <WordButton
                testid="log-only-tool"
                word=word::LOG_ONLY_TOOL
                class="start"
                press=move |_| only_tool(state, call)
            />
        </div>
    }
}

fn only_tool(state: State, call: StoredValue<LoggedCall>) {
    let (tool, site) = call.with_value(|call| (call.tool.clone(), call.site.clone()));
    state.filter_calls(|filter| {
        filter.tool = Some(tool);
        filter.site = chosen(&site);
    });
}

fn message(outcome: &CallOutcome) -> Option<String> {
    match outcome {
        CallOutcome::Failed { message, .. } if !message.is_empty() => Some(message.clone()),
        CallOutcome::Failed { .. }
        | CallOutcome::Ok
        | CallOutcome::Declined
        | CallOutcome::Interrupted
        | CallOutcome::TimedOut
        | CallOutcome::Cancelled
        | CallOutcome::Repeated => None,
    }
}

fn explanation(words: Words, outcome: &CallOutcome) -> &'static str {
    words.get(match outcome {
        CallOutcome::Ok => word::LOG_OK,
        CallOutcome::Failed { code, .. } => failure_word(*code),
        CallOutcome::Declined => word::LOG_DECLINED,
        CallOutcome::Interrupted => word::TOOL_INTERRUPTED_TEXT,
        CallOutcome::TimedOut => word::LOG_TIMED_OUT,
        CallOutcome::Cancelled => word::TOOL_CANCELLED_TEXT,
        CallOutcome::Repeated => word::TOOL_REPEATED_TEXT,
    })
}

fn kind_name(kind: OutcomeKind) -> &'static str {
    match kind {
        OutcomeKind::Ok => "ok",
        OutcomeKind::Failed => "failed",
        OutcomeKind::Declined => "declined",
        OutcomeKind::Interrupted => "interrupted",
        OutcomeKind::TimedOut => "timedOut",
        OutcomeKind::Cancelled => "cancelled",
        OutcomeKind::Repeated => "repeated",
    }
}

fn kind_word(kind: OutcomeKind) -> Word {
    match kind {
        OutcomeKind::Ok => word::TOOL_OK,
        OutcomeKind::Failed => word::TOOL_FAILED,
        OutcomeKind::Declined => word::TOOL_DECLINED,
        OutcomeKind::Interrupted => word::TOOL_INTERRUPTED,
        OutcomeKind::TimedOut => word::TOOL_TIMED_OUT,
        OutcomeKind::Cancelled => word::TOOL_CANCELLED,
        OutcomeKind::Repeated => word::TOOL_REPEATED,
    }
}

fn kind_icon(kind: OutcomeKind) -> Icon {
    match kind {
        OutcomeKind::Ok | OutcomeKind::Repeated => Icon::Check,
        OutcomeKind::Failed => Icon::Cross,
        OutcomeKind::Declined | OutcomeKind::Cancelled => Icon::Barred,
        OutcomeKind::Interrupted => Icon::Warning,
        OutcomeKind::TimedOut => Icon::Clock,
    }
}
