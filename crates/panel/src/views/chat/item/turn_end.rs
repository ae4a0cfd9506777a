//! The end of a turn: quiet when it is done, else with what happened, why, and what to do next.

use leptos::prelude::*;
use sidecar_protocol::ItemId;
use sidecar_protocol::link::ChatCommand;
use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::thread::{Activity, Cost, Omission, TurnEnd, Usage};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::{IconButton, WordButton};
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::phrases;
use crate::phrases::model_error;
use crate::state::conversation::ConversationStore;
use crate::state::{PanelState, use_state};
use crate::word;

/// The end of a turn.
#[component]
pub fn TurnEnd(
    id: ItemId,
    end: TurnEnd,
    asked: Option<ModelChoice>,
    foot: AnyView,
    has_case: bool,
) -> impl IntoView {
    let why = why(&end);
    match end {
        TurnEnd::Done => view! {
            <div class="item rest" data-testid="item-rest" data-why=why>
                <div class="foot-line">
                    {foot} <Again id=id.clone() /> {has_case.then(|| view! { <SaveCase id=id /> }.into_any())}
                </div>
            </div>
        }
        .into_any(),
        TurnEnd::Length
        | TurnEnd::Stopped
        | TurnEnd::CallLimit { .. }
        | TurnEnd::TimeLimit { .. }
        | TurnEnd::Failed { .. }
        | TurnEnd::Stuck { .. }
        | TurnEnd::Interrupted => view! {
            <div class="item rest" data-testid="item-rest" data-why=why>
                <Pause id=id end=end asked=asked />
                {foot}
            </div>
        }
        .into_any(),
    }
}

/// What happened, and buttons to continue. The buttons are shown only at the end of the conversation.
#[component]
fn Pause(id: ItemId, end: TurnEnd, asked: Option<ModelChoice>) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, navigation, settings, conversation, .. } = use_state();
    // Read once: a later setting does not change which provider was asked.
    let address = untrack(|| conversation.address_asked(&id, asked.as_ref()));
    let can_act = can_act(conversation, id);
    let error = match &end {
        TurnEnd::Failed { error } => Some(error.clone()),
        TurnEnd::Done
        | TurnEnd::Length
        | TurnEnd::Stopped
        | TurnEnd::CallLimit { .. }
        | TurnEnd::TimeLimit { .. }
        | TurnEnd::Stuck { .. }
        | TurnEnd::Interrupted => None,
    };
    let failed = error.is_some();
    let can_leave_out = error.as_ref().and_then(|error| model_error::can_leave_out(error.class));
    // There may be nothing left to leave out.
    let without = Memo::new(move |_| can_leave_out.filter(|what| conversation.has_to_leave_out(*what)));
    let needs_settings = error.as_ref().is_some_and(|error| model_error::needs_settings(error.class));
    let opens_settings = move || needs_settings && without.get().is_none();
    let can_continue = end.can_continue();
    let go_on = move |without| {
        connection.send(ChatCommand::Continue { without });
        navigation.focus_composer();
    };
    let details = error.map(|error| {
        let code = error.code();
        let report = {
            let (error, asked, address) = (error.clone(), asked.clone(), address.clone());
            Signal::derive(move || {
                let provider = settings.provider_asked(asked.as_ref(), &address);
                model_error::report(provider, asked.as_ref(), &address, &error)
            })
        };
        view! {
            <p class="meta" data-testid="error-code" data-code=code>
                {(!error.message.is_empty())
                    .then(|| {
                        let message = error.message;
                        view! {
                            <span class="quoted">
                                {Signal::derive(move || words.fill(word::ERROR_WORDS, &[("message", &message)]))}
                            </span>
                            " · "
                        }
                    })}
                <CopyButton label=word::COPY_DETAILS testid="copy-details" text=report />
            </p>
        }
    });
    view! {
        <div class="notice" class:bad=failed>
            {icon(if failed { Icon::Warning } else { Icon::Pause })}
            <div>
                <p>{Signal::derive(move || phrases::item::turn_end(words, &settings.provider_asked(asked.as_ref(), &address), &end))}</p>
                {details}
                <Show when=move || can_act.get()>
                    <div class="buttons">
                        <Show when=move || without.get().is_some()>
                            <WordButton
                                testid="leave-out"
                                word=match can_leave_out {
                                    Some(Omission::PageContent) => word::REST_DROP_PAGE,
                                    Some(Omission::History) | None => word::REST_SHORTEN,
                                }
                                class="primary"
                                press=move |_| go_on(can_leave_out)
                            />
                        </Show>
                        <Show when=opens_settings>
                            <WordButton
                                testid="open-settings"
                                word=word::REST_OPEN_SETTINGS
                                class="primary"
                                press=move |_| navigation.open_settings()
                            />
                        </Show>
                        <Show when=move || can_continue>
                            <WordButton
                                testid="continue"
                                word=if failed { word::REST_TRY_AGAIN } else { word::REST_CONTINUE }
                                class=if needs_settings || can_leave_out.is_some() { "" } else { "primary" }
                                press=move |_| go_on(None)
                            />
                        </Show>
                    </div>
                </Show>
            </div>
        </div>
    }
}

/// The button that asks for a new answer.
#[component]
fn Again(id: ItemId) -> impl IntoView {
    let PanelState { connection, navigation, conversation, .. } = use_state();
    let can_act = can_act(conversation, id);
    view! {
        <Show when=move || can_act.get()>
            <IconButton
                testid="answer-again"
                sign=Icon::Refresh
                word=word::REST_AGAIN
                class="small"
                press=move |_| {
                    connection.send(ChatCommand::AnswerAgain);
                    navigation.focus_composer();
                }
            />
        </Show>
    }
}

/// The button that saves the turn as a case of an eval, and what was left out of it.
#[component]
fn SaveCase(id: ItemId) -> impl IntoView {
    let conversation = use_state().conversation;
    let told = RwSignal::new(String::new());
    view! {
        <IconButton
            testid="turn-case"
            sign=Icon::Down
            word=word::REST_CASE
            class="small"
            press=move |_| conversation.save_case(id.clone(), told)
        />
        <span class="meta" role="status" data-testid="turn-case-told">
            {told}
        </span>
    }
}

/// Whether the conversation ends with this item and the agent rests, so that it can continue from here.
fn can_act(conversation: ConversationStore, id: ItemId) -> Memo<bool> {
    let is_last = Memo::new(move |_| conversation.is_last(&id));
    Memo::new(move |_| is_last.get() && conversation.activity.get() == Activity::Resting)
}

/// Marks the point from which the model no longer gets earlier content.
#[component]
pub fn LeftOut(what: Omission) -> impl IntoView {
    let words = use_words();
    view! {
        <p class="item meta" data-testid="item-left-out">
            {words.text(phrases::item::left_out(what))}
        </p>
    }
}

/// Duration, tokens and cost; visible on hover and focus.
#[component]
pub fn Foot(usage: Option<Usage>, costs: Vec<Cost>, duration_ms: u64) -> impl IntoView {
    let words = use_words();
    let line = move || {
        let mut parts = vec![words.duration(duration_ms)];
        if let Some(usage) = usage {
            let (input, output) = (words.number(usage.input), words.number(usage.output));
            parts.push(words.fill(word::USAGE_TOKENS, &[("input", &input), ("output", &output)]));
            for (count, word) in
                [(usage.cached, word::USAGE_CACHED), (usage.reasoning, word::USAGE_REASONING)]
            {
                if count > 0 {
                    parts.push(words.fill(word, &[("count", &words.number(count))]));
                }
            }
        }
        parts.extend(costs.iter().map(|cost| words.cost(&cost.currency, cost.amount)));
        parts.join(" · ")
    };
    view! {
        <p class="foot" tabindex="0" data-testid="usage">
            {line}
        </p>
    }
}

fn why(end: &TurnEnd) -> &'static str {
    match end {
        TurnEnd::Done => "done",
        TurnEnd::Length => "length",
        TurnEnd::Stopped => "stopped",
        TurnEnd::CallLimit { .. } => "callLimit",
        TurnEnd::TimeLimit { .. } => "timeLimit",
        TurnEnd::Failed { .. } => "failed",
        TurnEnd::Stuck { .. } => "stuck",
        TurnEnd::Interrupted => "interrupted",
    }
}
