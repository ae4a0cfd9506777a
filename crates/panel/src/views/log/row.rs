//! A call in the log: one line, and all that is stored of it on demand.

use leptos::prelude::*;
use sidecar_protocol::call_log::{CallOutcome, CallRow, LoggedCall};
use sidecar_protocol::tool::Caller;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::text::address::site_line;
use sidecar_ui::text::arguments::{digest, pretty};
use sidecar_ui::text::arguments_table::arguments_view;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::state::call_log::CallLogStore;
use crate::state::{PanelState, use_state};
use crate::views::chat::item::tool_call::details::allowed_by_view;
use crate::views::log::outcome::{kind_icon, kind_name, kind_word};
use crate::word;
use sidecar_ui::text::tool_call::failure_word;

/// A call in the log: one line, and all that is stored of it on demand.
#[component]
pub fn Row(row: CallRow) -> impl IntoView {
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
    let words = use_words();
    let PanelState { log, .. } = use_state();
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
            {move || call.with_value(|call| call.allowed_by).map(|allowed_by| allowed_by_view(words, allowed_by))}
            {move || call.with_value(|call| message(&call.outcome)).map(|text| view! { <pre tabindex="0">{pretty(&text)}</pre> }.into_any())}
            <WordButton
                testid="log-only-tool"
                word=word::LOG_ONLY_TOOL
                class="start"
                press=move |_| only_tool(log, call)
            />
        </div>
    }
}

fn only_tool(log: CallLogStore, call: StoredValue<LoggedCall>) {
    let (tool, site) = call.with_value(|call| (call.tool.clone(), call.site.clone()));
    log.filter_calls(|filter| {
        filter.tool = Some(tool);
        filter.site = (!site.is_empty()).then_some(site);
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
        CallOutcome::Interrupted => word::OUTCOME_INTERRUPTED,
        CallOutcome::TimedOut => word::LOG_TIMED_OUT,
        CallOutcome::Cancelled => word::TOOL_CANCELLED_TEXT,
        CallOutcome::Repeated => word::TOOL_REPEATED_TEXT,
    })
}
