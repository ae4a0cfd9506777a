//! How far the open eval is, and what stops it or lets it go on.

use leptos::prelude::*;
use sidecar_protocol::eval::{EvalEntry, EvalStage, EvalState};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::use_workbench;
use crate::views::evals::look::{costs, state_look, state_mark, wide};
use crate::word;

/// The time that is left, in milliseconds, as far as the runs until now tell.
fn left(entry: &EvalEntry) -> Option<u64> {
    let made = wide(entry.made);
    let missing = wide(entry.all).checked_sub(made).filter(|missing| *missing > 0)?;
    entry.ms.checked_div(made).map(|one| one.saturating_mul(missing))
}

/// State, progress and buttons.
#[component]
pub fn EvalProgress() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let evals = bench.evals;
    let entry = Memo::new(move |_| evals.entry.get().unwrap_or_default());
    let state = Memo::new(move |_| entry.with(|entry| entry.state));
    let counts = Memo::new(move |_| entry.with(|entry| (entry.made, entry.all)));
    let made = move || {
        let (made, all) = counts.get();
        words
            .fill(word::EVALS_MADE, &[("made", &words.number(wide(made))), ("all", &words.number(wide(all)))])
    };
    let width = move || {
        let (made, all) = counts.get();
        format!("inline-size:{}%", (made * 100).checked_div(all).unwrap_or_default().min(100))
    };
    let spent = move || {
        let spent = entry.with(|entry| (!entry.costs.is_empty()).then(|| costs(words, &entry.costs)))?;
        Some(format!(" · {}", words.fill(word::EVALS_SPENT, &[("cost", &spent)])))
    };
    let time = move || {
        let (ms, left) = entry.with(|entry| (entry.ms, left(entry)));
        match left.filter(|_| state.get() == EvalState::Running) {
            Some(left) => words.fill(word::EVALS_LEFT, &[("time", &words.rough_duration(left))]),
            None => words.duration(ms),
        }
    };
    let through = move || {
        evals.plan.with(|plan| match &plan.as_ref()?.stage {
            EvalStage::Page { url, allow_consequential: true }
            | EvalStage::Simulation { url, allow_consequential: true }
            | EvalStage::Smoke { url, allow_consequential: true } => Some(url.clone()),
            EvalStage::Page { .. }
            | EvalStage::Simulation { .. }
            | EvalStage::Smoke { .. }
            | EvalStage::Shown { .. }
            | EvalStage::Suite { .. } => None,
        })
    };
    let id = move || entry.with_untracked(|entry| entry.id.clone());
    // Until the worker has done it, a button does not take a second click.
    let is_told = RwSignal::new(false);
    Effect::new(move |_| {
        state.with(|_| ());
        bench.connection.count.with(|_| ());
        bench.refusal.with(|_| ());
        is_told.set(false);
    });
    view! {
        <div class="eval-progress" data-testid="evals-state" data-state=Signal::derive(move || state_look(state.get()).0)>
            <span role="status">{move || state_mark(words, state.get())}</span>
            <span data-testid="evals-made">{made}</span>
            <span class="meta">{time} {spent}</span>
            <Show when=move || state.get() == EvalState::Running>
                <WordButton
                    testid="evals-stop"
                    word=word::RUN_STOP
                    disabled=is_told
                    press=Callback::new(move |_| {
                        is_told.set(true);
                        evals.stop(id());
                    })
                />
            </Show>
            <Show when=move || state.get() == EvalState::Stopped>
                {move || {
                    // The click is the yes again.
                    through()
                        .map(|address| {
                            let text = words.fill(word::EVALS_RESUME_THROUGH, &[("address", &address)]);
                            view! { <span class="meta" data-testid="evals-resume-through">{text}</span> }.into_any()
                        })
                }}
                <WordButton
                    testid="evals-resume"
                    word=word::EVALS_RESUME
                    disabled=is_told
                    press=Callback::new(move |_| {
                        is_told.set(true);
                        evals.resume(id());
                    })
                />
            </Show>
        </div>
        <div
            class="eval-bar"
            role="progressbar"
            data-testid="evals-progress"
            aria-label=words.text(word::EVALS_PROGRESS)
            aria-valuemin="0"
            aria-valuemax=Signal::derive(move || counts.get().1.to_string())
            aria-valuenow=Signal::derive(move || counts.get().0.to_string())
            aria-valuetext=Signal::derive(made)
        >
            <div style=Signal::derive(width)></div>
        </div>
    }
}
