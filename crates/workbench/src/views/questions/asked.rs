//! The open question: what the model called, and what it said.

use leptos::html;
use leptos::prelude::*;
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::{RecordedCall, RunRecord};
use sidecar_protocol::eval::{EvalId, EvalState};
use sidecar_protocol::link::PendingApproval;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::evals::EvalSight;
use crate::state::use_workbench;
use crate::views::asking::CallQuestion;
use crate::views::evals::cell::{call_text, clipped, figures, value_text};
use crate::views::evals::look::state_mark;
use crate::views::questions::form::QuestionDraft;
use crate::views::questions::trace::{as_suite, asked_in, trace};
use crate::word;

/// The question that the address names.
#[component]
pub fn OpenedQuestion() -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let sight = Memo::new(move |_| evals.sight.get());
    let body = move || {
        match sight.get() {
        EvalSight::Asked => view! { <p class="meta">{words.text(word::EVALS_OPENING)}</p> }.into_any(),
        EvalSight::Gone => {
            view! { <p class="meta" role="status" data-testid="question-gone">{words.text(word::QUESTION_GONE)}</p> }
                .into_any()
        }
        EvalSight::Here => view! { <WholeQuestion /> }.into_any(),
    }
    };
    view! { <section class="bench-result" data-testid="question-opened">{body}</section> }
}

#[component]
fn WholeQuestion() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let evals = bench.evals;
    let draft = expect_context::<QuestionDraft>();
    let question =
        Memo::new(move |_| evals.plan.with(|plan| plan.as_deref().map(asked_in).unwrap_or_default()));
    let state = Memo::new(move |_| evals.entry.with(|entry| entry.as_ref().map(|entry| entry.state)));
    let is_running = Memo::new(move |_| state.get() == Some(EvalState::Running));
    let model = Memo::new(move |_| {
        evals.entry.with(|entry| entry.as_ref().map(|entry| entry.models.join(", ")).unwrap_or_default())
    });
    let record = Memo::new(move |_| evals.report.with(|report| report.as_ref()?.cells.first().cloned()));
    let has_record = Memo::new(move |_| record.with(Option::is_some));
    let text_of = move |make: fn(&str, &RunRecord) -> String| {
        Signal::derive(move || {
            record
                .with(|record| record.as_ref().map(|record| question.with(|question| make(question, record))))
                .unwrap_or_default()
        })
    };
    let stop = move |_| {
        if let Some(id) = evals.entry.with_untracked(|entry| entry.as_ref().map(|entry| entry.id.clone())) {
            evals.stop(id);
        }
    };
    let again = move |_| {
        draft.text.set(question.get_untracked());
        draft.model.set(Some(model.get_untracked()));
    };
    let heading = NodeRef::<html::H3>::new();
    evals.focus_if_opened(heading);
    view! {
        <h3 tabindex="-1" node_ref=heading class="question-said" data-testid="question-said">{question}</h3>
        <p class="meta run-line" role="status">
            {move || state.get().map(|state| state_mark(words, state))} " " {model}
        </p>
        // Above the calls, so that it stands still while they grow.
        <Show when=move || is_running.get()>
            <Asked />
            <div class="buttons">
                <WordButton testid="question-stop" word=word::RUN_STOP press=Callback::new(stop) />
            </div>
        </Show>
        {move || record.get().map(|record| done(words, &record, is_running.get()))}
        <Show when=move || !is_running.get()>
            <div class="buttons">
                <WordButton testid="question-again" word=word::QUESTION_AGAIN press=Callback::new(again) />
                <Show when=move || has_record.get()>
                    <span class="copied">
                        {words.text(word::QUESTION_COPY)} " "
                        <CopyButton label=word::QUESTION_COPY testid="question-copy" text=text_of(trace) />
                    </span>
                    <span class="copied">
                        {words.text(word::QUESTION_COPY_CASE)} " "
                        <CopyButton label=word::QUESTION_COPY_CASE testid="question-copy-case" text=text_of(as_suite) />
                    </span>
                </Show>
            </div>
        </Show>
    }
}

/// What the user is asked about a call of a question; nothing while there is none.
#[component]
fn Asked() -> impl IntoView {
    let bench = use_workbench();
    let asked = Memo::new(move |_| {
        let is_of_question =
            |one: &&PendingApproval| one.thread_id.is_none() && EvalId::is_of_call(&one.call_id);
        bench.approvals.with(|approvals| approvals.iter().find(is_of_question).cloned())
    });
    move || asked.get().map(|approval| view! { <CallQuestion approval=approval /> }.into_any())
}

/// The calls, what the model said, and what they took.
fn done(words: Words, record: &RunRecord, is_running: bool) -> AnyView {
    let rows = record.calls.iter().map(|call| call_view(words, call)).collect::<Vec<_>>();
    let language = words.language();
    // A question expects nothing: what it did not come to is no reason.
    let is_told = |reason: &&RunReason| match reason {
        RunReason::Stopped => !is_running,
        RunReason::StepLimit { .. }
        | RunReason::NotJudged { .. }
        | RunReason::PageGone { .. }
        | RunReason::NoTools
        | RunReason::TimeLimit { .. }
        | RunReason::Model { .. } => true,
        _ => false,
    };
    let reasons = record.reasons.iter().filter(is_told).map(|reason| {
        let text = reason.sentence(language);
        view! { <li data-testid="question-reason">{text}</li> }.into_any()
    });
    let reasons = reasons.collect::<Vec<_>>();
    let no_call = record.calls.is_empty() && !is_running && reasons.is_empty();
    let text = (!record.text.is_empty()).then(|| {
        let text = clipped(&record.text);
        view! { <p class="question-answer" data-testid="question-answer">{text}</p> }.into_any()
    });
    let figures = (!is_running).then(|| {
        let figures = figures(words, record).join(" · ");
        view! { <p class="meta" data-testid="question-figures">{figures}</p> }.into_any()
    });
    view! {
        <ol class="question-calls" aria-label=words.text(word::EVALS_CALLED)>{rows}</ol>
        {no_call.then(|| view! { <p class="meta">{words.text(word::QUESTION_NO_CALL)}</p> }.into_any())}
        {text}
        {(!reasons.is_empty()).then(|| view! { <ul class="eval-notes">{reasons}</ul> }.into_any())}
        {figures}
    }
    .into_any()
}

fn call_view(words: Words, call: &RecordedCall) -> AnyView {
    let made = call_text(&call.name, Some(&call.arguments));
    let mistake = call.mistake.as_ref().map(|mistake| {
        let mistake = clipped(mistake);
        view! { <p class="meta">{mistake}</p> }.into_any()
    });
    let result = (!call.result.is_null()).then(|| {
        let result = value_text(&call.result);
        view! {
            <p class="meta">{words.text(word::EVALS_RESULT)}</p>
            <pre tabindex="0">{result}</pre>
        }
        .into_any()
    });
    view! {
        <li data-testid="question-call">
            <code class="eval-code">{made}</code>
            {mistake}
            {result}
        </li>
    }
    .into_any()
}
