//! Where the agent rests: quietly when it is done, else with what happened, why, and what to do next.

use leptos::prelude::*;
use sidecar_protocol::ItemId;
use sidecar_protocol::link::PanelCommand;
use sidecar_protocol::thread::{Activity, Rest, Stuck, Usage};

use crate::button::WordButton;
use crate::failure;
use crate::icons::{Icon, icon};
use crate::state::{State, use_state};
use crate::when::When;
use crate::words::{Word, Words, use_words};

/// The end of a turn, or its pause.
#[component]
pub fn AtRest(id: ItemId, rest: Rest, usage: Option<Usage>, duration_ms: u64) -> impl IntoView {
    let why = why(&rest);
    let foot = view! { <Foot usage=usage duration_ms=duration_ms /> };
    match rest {
        Rest::Done => view! {
            <div class="item rest" data-testid="item-rest" data-why=why>
                {foot}
            </div>
        }
        .into_any(),
        Rest::Length
        | Rest::Stopped
        | Rest::CallLimit { .. }
        | Rest::TimeLimit { .. }
        | Rest::Failed { .. }
        | Rest::Stuck { .. }
        | Rest::Interrupted => view! {
            <div class="item rest" data-testid="item-rest" data-why=why>
                <Pause id=id rest=rest />
                {foot}
            </div>
        }
        .into_any(),
    }
}

/// What happened, and the buttons that go on. They are there only where the conversation ends.
#[component]
fn Pause(id: ItemId, rest: Rest) -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let is_last = Memo::new(move |_| {
        state.timeline.with(|timeline| timeline.entries().last().is_some_and(|entry| entry.id == id))
    });
    let can_act = move || is_last.get() && state.activity.get() == Activity::Resting;
    let error = match &rest {
        Rest::Failed { error } => Some(error.clone()),
        Rest::Done
        | Rest::Length
        | Rest::Stopped
        | Rest::CallLimit { .. }
        | Rest::TimeLimit { .. }
        | Rest::Stuck { .. }
        | Rest::Interrupted => None,
    };
    let failed = error.is_some();
    let needs_settings = error.as_ref().is_some_and(|error| failure::needs_settings(error.class));
    let can_continue = rest.can_continue();
    let details = error.map(|error| {
        let code = error.code();
        view! {
            <p class="meta">
                {(!error.message.is_empty())
                    .then(|| {
                        let message = error.message;
                        view! {
                            <span class="quoted">
                                {Signal::derive(move || words.fill(Word::ErrorWords, &[("message", &message)]))}
                            </span>
                            " · "
                        }
                    })}
                <code data-testid="error-code" title=Signal::derive(move || words.fill(Word::ErrorCode, &[("code", code)]))>
                    {code}
                </code>
            </p>
        }
    });
    view! {
        <div class="notice" class:bad=failed>
            {icon(if failed { Icon::Warning } else { Icon::Pause })}
            <div>
                <p>{Signal::derive(move || sentence(state, words, &rest))}</p>
                {details}
                <When test=can_act>
                    <div class="buttons">
                        <When test=move || needs_settings>
                            <WordButton
                                testid="open-settings"
                                word=Word::RestOpenSettings
                                class="primary"
                                press=move |_| state.open_settings()
                            />
                        </When>
                        <When test=move || can_continue>
                            <WordButton
                                testid="continue"
                                word=if failed { Word::RestTryAgain } else { Word::RestContinue }
                                class=if needs_settings { "" } else { "primary" }
                                press=move |_| {
                                    state.send(&PanelCommand::Continue);
                                }
                            />
                        </When>
                    </div>
                </When>
            </div>
        </div>
    }
}

/// Time and tokens: there on hover and focus.
#[component]
fn Foot(usage: Option<Usage>, duration_ms: u64) -> impl IntoView {
    let words = use_words();
    let line = move || {
        let mut parts = vec![words.duration(duration_ms)];
        if let Some(usage) = usage {
            let (input, output) = (words.number(usage.input), words.number(usage.output));
            parts.push(words.fill(Word::UsageTokens, &[("input", &input), ("output", &output)]));
            for (count, word) in [(usage.cached, Word::UsageCached), (usage.reasoning, Word::UsageReasoning)]
            {
                if count > 0 {
                    parts.push(words.fill(word, &[("count", &words.number(count))]));
                }
            }
        }
        parts.join(" · ")
    };
    view! {
        <p class="foot" tabindex="0" data-testid="usage">
            {line}
        </p>
    }
}

/// What happened, why, and what to do next.
pub fn sentence(state: State, words: Words, rest: &Rest) -> String {
    match rest {
        Rest::Done => words.get(Word::RestDone).to_owned(),
        Rest::Length => words.get(Word::RestLength).to_owned(),
        Rest::Stopped => words.get(Word::RestStopped).to_owned(),
        Rest::CallLimit { limit } => {
            words.count((Word::RestCallLimitOne, Word::RestCallLimitOther), u64::from(*limit), &[])
        }
        Rest::TimeLimit { limit_ms } => {
            words.fill(Word::RestTimeLimit, &[("duration", &words.rough_duration(*limit_ms))])
        }
        Rest::Failed { error } => {
            words.sentences(&failure::what(state, words, error), failure::next(words, error))
        }
        Rest::Stuck { how } => words
            .get(match how {
                Stuck::Silent => Word::RestSilent,
                Stuck::Repeating => Word::RestRepeating,
                Stuck::Mistaken => Word::RestMistaken,
            })
            .to_owned(),
        Rest::Interrupted => words.get(Word::RestInterrupted).to_owned(),
    }
}

fn why(rest: &Rest) -> &'static str {
    match rest {
        Rest::Done => "done",
        Rest::Length => "length",
        Rest::Stopped => "stopped",
        Rest::CallLimit { .. } => "callLimit",
        Rest::TimeLimit { .. } => "timeLimit",
        Rest::Failed { .. } => "failed",
        Rest::Stuck { .. } => "stuck",
        Rest::Interrupted => "interrupted",
    }
}
