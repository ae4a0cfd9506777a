//! What a run by hand came to.

use leptos::prelude::*;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome, ToolState};
use sidecar_protocol::tool_run::ToolRun;
use sidecar_ui::icons::icon;
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::words::{Words, use_words};

use crate::phrases::tool_call::state_word;
use crate::views::chat::item::tool_call::details::{explanation, result_text};
use crate::views::chat::item::tool_call::{state_icon, state_name};
use crate::views::tools::hand_run::HandRun;
use crate::word;

/// The state of the call that a run was.
pub fn state_of(run: &ToolRun) -> ToolState {
    ToolState::Finished { outcome: run.outcome.clone(), duration_ms: run.duration_ms, raw: None }
}

/// How a run ended, its time, and the size of its result: one line.
pub fn run_line(words: Words, run: &ToolRun) -> String {
    let state = words.get(state_word(&state_of(run)));
    let size = u64::try_from(run.result_bytes).unwrap_or_default();
    let (time, size) = (words.duration(run.duration_ms), words.size(size));
    words.fill(word::RUN_LINE, &[("state", state), ("time", &time), ("size", &size)])
}

/// What is said of a run that was refused: no model made the call.
fn told(words: Words, outcome: &ToolOutcome) -> Option<String> {
    let word = match outcome {
        ToolOutcome::Failed { code: ToolFailure::BadArguments, .. } => word::RUN_REFUSED,
        ToolOutcome::Failed { code: ToolFailure::Changed, .. } => word::RUN_ANOTHER,
        ToolOutcome::Failed { code: ToolFailure::Off, .. } => word::RUN_OFF,
        ToolOutcome::Declined => word::RUN_DECLINED,
        _ => return None,
    };
    Some(words.get(word).to_owned())
}

/// The result.
#[component]
pub fn RunResult(ended: ToolRun, run: HandRun) -> impl IntoView {
    let words = use_words();
    let state = state_of(&ended);
    let text = StoredValue::new(result_text(&state).unwrap_or_default().into_owned());
    let shown = StoredValue::new(ended.clone());
    let is_cut = text.with_value(String::len) < ended.result_bytes;
    // What is not JSON cannot be sent at all.
    let is_refused = matches!(&ended.outcome, ToolOutcome::Failed { code: ToolFailure::BadArguments, .. })
        && sidecar_ui::text::arguments::rows(&ended.arguments).is_some();
    let send_anyway = move |_| run.start(shown.with_value(|run| run.arguments.clone()), true);
    view! {
        <div class="run-result" data-testid="run-result" data-state=state_name(&state)>
            <p class="run-line">
                <span class="tool-icon">{icon(state_icon(&state))}</span>
                {move || shown.with_value(|run| run_line(words, run))}
            </p>
            {told(words, &ended.outcome).or_else(|| explanation(words, &state)).map(|text| view! { <p>{text}</p> }.into_any())}
            {text
                .with_value(|text| !text.is_empty())
                .then(|| {
                    view! {
                        <div class="details-head">
                            <h3>{words.text(word::TOOL_RESULT)}</h3>
                            <CopyButton label=word::COPY_RESULT testid="run-copy" text=Signal::stored(text.get_value()) />
                        </div>
                        <pre tabindex="0" data-testid="run-text">{text.with_value(|text| pretty(text))}</pre>
                    }
                        .into_any()
                })}
            {is_cut.then(|| view! { <p class="meta">{words.text(word::RUN_CUT)}</p> }.into_any())}
            {is_refused
                .then(|| {
                    view! {
                        <WordButton testid="run-anyway" word=word::RUN_ANYWAY press=Callback::new(send_anyway) />
                    }
                        .into_any()
                })}
        </div>
    }
}
