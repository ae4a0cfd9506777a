//! What a run by hand came to.

use leptos::prelude::*;
use sidecar_link::hand_run::{HandRun, RunTarget};
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::tool_run::ToolRun;
use sidecar_ui::icons::icon;
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::text::legible::legible;
use sidecar_ui::text::tool_call::{
    explanation, result_text, run_line, state_icon, state_name, state_of, told,
};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::lint_note::ResultNotes;
use sidecar_ui::words::use_words;

use crate::word;

/// The result.
#[component]
pub fn RunResult(ended: ToolRun, target: StoredValue<RunTarget>, run: HandRun) -> impl IntoView {
    let words = use_words();
    let state = state_of(&ended);
    let text = StoredValue::new(result_text(&state).unwrap_or_default().into_owned());
    let shown = StoredValue::new(ended.clone());
    let is_cut = text.with_value(String::len) < ended.result_bytes;
    // What is not JSON cannot be sent at all.
    let is_refused = matches!(&ended.outcome, ToolOutcome::Failed { code: ToolFailure::BadArguments, .. })
        && sidecar_ui::text::arguments::rows(&ended.arguments).is_some();
    let send_anyway =
        move |_| run.start(target.get_value(), shown.with_value(|run| run.arguments.clone()), true);
    // What was refused by one definition is not sent to another unseen.
    let is_another = target.with_value(|now| now.digest != ended.digest);
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
                        <pre tabindex="0" data-testid="run-text">{text.with_value(|text| pretty(&legible(text)))}</pre>
                    }
                        .into_any()
                })}
            {is_cut.then(|| view! { <p class="meta">{words.text(word::RUN_CUT)}</p> }.into_any())}
            {is_refused
                .then(|| {
                    view! {
                        <WordButton testid="run-anyway" word=word::RUN_ANYWAY disabled=is_another press=Callback::new(send_anyway) />
                    }
                        .into_any()
                })}
            <ResultNotes notes=run.notes />
        </div>
    }
}
