//! Details of a tool call: arguments, result, and the raw data.

use leptos::prelude::*;
use sidecar_protocol::picture::Picture;
use sidecar_protocol::policy::{AllowedBy, Approval as Asked, AskReason};
use sidecar_protocol::thread::{ResultCut, ToolItem, ToolOutcome, ToolState};
use sidecar_ui::icons::Icon;
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::text::arguments_table::arguments_view;
use sidecar_ui::text::tool_call::{explanation, result_text};
use sidecar_ui::widgets::button::IconButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::phrases::skill::of_skill;
use crate::state::{PanelState, use_state};
use crate::views::chat::thumbnail::SentPictures;
use crate::word;

/// Most characters of a result that are shown: laying out more is slow.
const SHOWN: usize = 50_000;

/// Arguments, result and raw data of a call.
#[component]
pub fn Details(tool: Memo<ToolItem>) -> impl IntoView {
    let words = use_words();
    let PanelState { composer, .. } = use_state();
    let result =
        Memo::new(move |_| tool.with(|tool| result_text(&tool.state).unwrap_or_default().into_owned()));
    let pictures = Memo::new(move |_| {
        let pictures = tool.with(|tool| pictures_of(&tool.state));
        (!pictures.is_empty()).then_some(pictures)
    });
    let arguments = Signal::derive(move || tool.with(|tool| pretty(&tool.arguments)));
    let site = move || tool.with(|tool| tool.site.clone());
    let in_frame = tool.with_untracked(|tool| tool.in_frame);
    view! {
        <div class="details">
            <Show when=move || !site().is_empty()>
                <p class="meta">{Signal::derive(move || words.fill(if in_frame { word::TOOL_CALLED_IN_FRAME } else { word::TOOL_CALLED_ON }, &[("site", &site())]))}</p>
            </Show>
            {tool.with_untracked(|tool| tool.skill.clone()).map(|skill| of_skill(words, &skill))}
            <Show when=move || tool.with(|tool| !tool.repaired.is_empty())>
                <p class="meta">{words.text(word::TOOL_REPAIRED_TEXT)}</p>
            </Show>
            <Show when=move || tool.with(|tool| tool.off_pattern)>
                <p class="meta">{words.text(word::TOOL_OFF_PATTERN_TEXT)}</p>
            </Show>
            {move || tool.with(|tool| decided(words, &tool.approval))}
            <div class="details-head">
                <h3>{words.text(word::TOOL_ARGUMENTS)}</h3>
                <CopyButton label=word::COPY_ARGUMENTS testid="copy-arguments" text=arguments />
            </div>
            <div data-testid="tool-arguments">{move || tool.with(|tool| arguments_view(words, &tool.arguments, word::TOOL_NO_ARGUMENTS))}</div>
            <div class="details-head">
                <h3>{words.text(word::TOOL_RESULT)}</h3>
                <Show when=move || !result.with(String::is_empty)>
                    <CopyButton label=word::COPY_RESULT testid="copy-result" text=result.into() />
                    <IconButton
                        testid="quote-result"
                        sign=Icon::Chat
                        word=word::QUOTE_RESULT
                        class="small"
                        press=move |_| composer.quote(&result.with_untracked(|result| pretty(result)))
                    />
                </Show>
            </div>
            <div data-testid="tool-result">
                {move || tool.with(|tool| explanation(words, &tool.state)).map(|text| view! { <p>{text}</p> }.into_any())}
                <Show when=move || !result.with(String::is_empty)>
                    <pre tabindex="0">{Signal::derive(move || result.with(|result| beginning(&pretty(result))))}</pre>
                </Show>
                {move || pictures.get().map(|pictures| view! { <SentPictures pictures=pictures /> }.into_any())}
                {move || {
                    tool.with(|tool| tool.cut)
                        .map(|ResultCut { given, whole }| {
                            let [given, whole] = [given, whole]
                                .map(|count| words.number(u64::try_from(count).unwrap_or_default()));
                            let said = words.fill(word::TOOL_GIVEN, &[("given", &given), ("whole", &whole)]);
                            view! { <p class="meta" data-testid="tool-given">{said}</p> }.into_any()
                        })
                }}
                <Show when=move || { result.with(String::len) > SHOWN }>
                    <p class="meta">{words.text(word::TOOL_CUT)}</p>
                </Show>
            </div>
            <details>
                <summary>{words.text(word::TOOL_RAW)}</summary>
                <pre tabindex="0" data-testid="tool-raw">
                    {Signal::derive(move || tool.with(raw))}
                </pre>
            </details>
        </div>
    }
}

/// The pictures of a result.
fn pictures_of(state: &ToolState) -> Vec<Picture> {
    match state {
        ToolState::Finished { outcome, .. } => outcome.pictures().cloned().collect(),
        ToolState::Queued | ToolState::Asking | ToolState::Running { .. } | ToolState::Waiting { .. } => {
            Vec::new()
        }
    }
}

/// The sentence about what let the call pass.
pub fn allowed_by_view(words: Words, allowed_by: AllowedBy) -> AnyView {
    let (name, word) = match allowed_by {
        AllowedBy::ReadOnly => ("readOnly", word::PASSED_READ_ONLY),
        AllowedBy::Mode => ("mode", word::PASSED_MODE),
        AllowedBy::Grant => ("grant", word::PASSED_GRANT),
        AllowedBy::User => ("user", word::PASSED_USER),
        AllowedBy::Flow => ("flow", word::PASSED_FLOW),
    };
    view! { <p class="meta" data-testid="tool-passed" data-passed=name>{words.get(word)}</p> }.into_any()
}

/// What let the call pass, and what the user allowed, edited or wrote.
fn decided(words: Words, approval: &Asked) -> Vec<AnyView> {
    let Asked { why, allowed_by, words: said, edited, flow_allowed, .. } = approval;
    let allowed_by = allowed_by.map(|allowed_by| allowed_by_view(words, allowed_by));
    let flow = AskReason::flow_from(why).filter(|_| *flow_allowed).map(|from| {
        let said = words.fill(word::TOOL_FLOW_ALLOWED, &[("from", from)]);
        view! { <p class="meta" data-testid="tool-flow-allowed">{said}</p> }.into_any()
    });
    let edited = edited.then(|| view! { <p class="meta">{words.get(word::TOOL_EDITED_TEXT)}</p> }.into_any());
    let said = (!said.is_empty()).then(|| {
        let said = words.fill(word::TOOL_SAID, &[("words", said)]);
        view! { <p class="meta">{said}</p> }.into_any()
    });
    [allowed_by, flow, edited, said].into_iter().flatten().collect()
}

/// The call as JSON, with long texts shortened.
fn raw(tool: &ToolItem) -> String {
    let mut tool = tool.clone();
    if let ToolState::Finished { outcome, raw, .. } = &mut tool.state {
        if let ToolOutcome::Ok { .. } = outcome {
            *outcome = outcome.clone().map_text(beginning);
        }
        *raw = raw.as_deref().map(beginning);
    }
    serde_json::to_string_pretty(&tool).unwrap_or_default()
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
