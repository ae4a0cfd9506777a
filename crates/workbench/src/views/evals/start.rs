//! The form of the next eval.

use leptos::prelude::*;
use sidecar_evals::report::MOST_RUNS;
use sidecar_evals::run::MOST_STEPS;
use sidecar_evals::tools;
use sidecar_link::{LinkResponse, ask_anew};
use sidecar_protocol::eval::{EvalState, SuiteCheck};
use sidecar_protocol::link::{EvalsAnswer, EvalsCommand};
use sidecar_protocol::lint::NoteWeight;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, use_words};

use crate::state::use_workbench;
use crate::views::evals::draft::EvalDraft;
use crate::views::evals::look::wide;
use crate::views::evals::models::ModelsChoice;
use crate::views::evals::planned::{PlanFault, PlannedEval, limit, whole};
use crate::views::evals::question::EvalQuestion;
use crate::views::evals::stage::StageChoice;
use crate::word;

/// Most notes and findings that are shown.
const MOST_SHOWN: usize = 200;

/// A suite is chosen first; what is asked of it follows.
#[component]
pub fn StartForm() -> impl IntoView {
    let words = use_words();
    let draft = expect_context::<EvalDraft>();
    let has_suite = Memo::new(move |_| draft.suite.with(Option::is_some));
    let asks_models = Memo::new(move |_| draft.asks_models());
    let fault = move || draft.fault.get().map(|fault| fault.sentence(words.language()));
    let pasted = RwSignal::new(String::new());
    let read = move |_| {
        let text = pasted.get_untracked();
        draft.read_suite(word::EVALS_PASTED_NAME.text(untrack(|| words.language())), &text);
    };
    view! {
        <section class="eval-start" data-testid="evals-form">
            <h3>{words.text(word::EVALS_NEW)}</h3>
            <label class="eval-field">
                {words.text(word::EVALS_FILE)}
                <input
                    type="file"
                    accept="application/json,.json"
                    data-testid="evals-file"
                    on:change:target=move |event| draft.choose_suite(&event.target())
                />
            </label>
            <details class="eval-paste">
                <summary data-testid="evals-paste-toggle">{words.text(word::EVALS_PASTE)}</summary>
                <label class="eval-field">
                    {words.text(word::EVALS_PASTED)}
                    <textarea
                        class="code"
                        rows="6"
                        data-testid="evals-paste"
                        spellcheck="false"
                        prop:value=Signal::derive(move || pasted.get())
                        on:input:target=move |event| pasted.set(event.target().value())
                    ></textarea>
                </label>
                <WordButton
                    testid="evals-read"
                    word=word::EVALS_READ
                    disabled=Signal::derive(move || pasted.with(|pasted| pasted.trim().is_empty()))
                    press=Callback::new(read)
                />
            </details>
            <div role="alert">
                {move || {
                    fault().map(|why| view! { <p class="field-faults" data-testid="evals-fault">{why}</p> }.into_any())
                }}
            </div>
            <div role="status">
                <SuiteLine />
            </div>
            <Show when=move || has_suite.get()>
                <SuiteNotes />
                <TagsChoice />
                <StageChoice />
                <Show when=move || asks_models.get()>
                    <ModelsChoice />
                    <Figures />
                </Show>
                <Continue />
            </Show>
        </section>
    }
}

/// The suite's name, and how many cases it has.
#[component]
fn SuiteLine() -> impl IntoView {
    let words = use_words();
    let draft = expect_context::<EvalDraft>();
    move || {
        let read = draft.suite.get()?;
        let (chosen, all) = (draft.cases().len(), read.suite.cases.len());
        let count = words.count((word::EVALS_CASES_ONE, word::EVALS_CASES_OTHER), wide(all), &[]);
        let chosen = (chosen != all).then(|| {
            words.fill(
                word::EVALS_CHOSEN,
                &[("count", &words.number(wide(chosen))), ("all", &words.number(wide(all)))],
            )
        });
        let name = read.name.clone();
        let line = view! {
            <p data-testid="evals-suite"><strong>{name}</strong> " · " {chosen.unwrap_or(count)}</p>
        };
        Some(line.into_any())
    }
}

/// What was read differently, and what is wrong with the suite.
#[component]
fn SuiteNotes() -> impl IntoView {
    let words = use_words();
    let draft = expect_context::<EvalDraft>();
    let notes = Memo::new(move |_| {
        let read = draft.suite.get();
        let language = words.language();
        read.map(|read| read.suite.notes.iter().map(|note| note.sentence(language)).collect::<Vec<_>>())
            .unwrap_or_default()
    });
    let findings = RwSignal::new(Vec::<SuiteCheck>::new());
    let looked_at = Memo::new(move |_| {
        // What can be wrong with simulations was said as they were read.
        if draft.is_simulations() {
            return None;
        }
        let tools = draft.tools().map(|tools| tools::text(&tools));
        let suite = draft.suite.with(|suite| suite.as_ref().map(|read| read.text.clone()))?;
        Some((suite, tools, words.language()))
    });
    ask_anew(
        use_workbench().connection,
        move || looked_at.with(|_| ()),
        move || {
            let (suite, tools, _) = looked_at.get_untracked()?;
            Some(EvalsCommand::Check { suite, tools })
        },
        move |response| {
            let mut found = match response {
                LinkResponse::Answer(EvalsAnswer::Checked { notes }) => notes.unwrap_or_default(),
                LinkResponse::Answer(_)
                | LinkResponse::Done
                | LinkResponse::Refused(_)
                | LinkResponse::Lost => Vec::new(),
            };
            found.sort_by_key(|check| check.weight);
            // The view may be gone.
            let _ = findings.try_set(found);
        },
    );
    let counts = move || {
        let count = |weight| {
            findings.with(|found| {
                let of_it = found.iter().filter(|check| check.weight == weight);
                words.number(wide(of_it.count()))
            })
        };
        let [errors, warnings, infos] = [NoteWeight::Error, NoteWeight::Warning, NoteWeight::Info].map(count);
        words.fill(word::LINT_COUNTS, &[("errors", &errors), ("warnings", &warnings), ("infos", &infos)])
    };
    let finding_rows = move || {
        findings.with(|found| {
            let row = |check: &SuiteCheck| {
                let (name, weight) = match check.weight {
                    NoteWeight::Error => ("error", word::LINT_ERROR),
                    NoteWeight::Warning => ("warning", word::LINT_WARNING),
                    NoteWeight::Info => ("info", word::LINT_INFO),
                };
                let text = check.text.clone();
                view! {
                    <li data-testid="evals-finding" data-weight=name>
                        <span class="mark">{words.text(weight)}</span> " " {text}
                    </li>
                }
                .into_any()
            };
            found.iter().take(MOST_SHOWN).map(row).collect::<Vec<_>>()
        })
    };
    let note_rows = move || {
        let row = |text: String| view! { <li data-testid="evals-note">{text}</li> }.into_any();
        notes.get().into_iter().take(MOST_SHOWN).map(row).collect::<Vec<_>>()
    };
    let note_count = move || {
        let count = wide(notes.with(Vec::len));
        words.count((word::EVALS_NOTES_ONE, word::EVALS_NOTES_OTHER), count, &[])
    };
    view! {
        <Show when=move || notes.with(|notes| !notes.is_empty())>
            <details>
                <summary data-testid="evals-notes">{note_count}</summary>
                <ul class="eval-notes">{note_rows}</ul>
            </details>
        </Show>
        // Those of a suite that was read before are none of simulations.
        <Show when=move || !draft.is_simulations() && findings.with(|found| !found.is_empty())>
            <details>
                <summary data-testid="evals-findings">{words.text(word::EVALS_FINDINGS)} " " {counts}</summary>
                <ul class="eval-notes">{finding_rows}</ul>
            </details>
        </Show>
    }
}

/// The tags of the suite; nothing if it has none.
#[component]
fn TagsChoice() -> impl IntoView {
    let words = use_words();
    let draft = expect_context::<EvalDraft>();
    let tags = Memo::new(move |_| {
        draft.suite.with(|suite| suite.as_ref().map(|read| read.tags.clone()).unwrap_or_default())
    });
    let toggle = move |tag: &str, is_wanted: bool| {
        draft.tags.update(|tags| {
            tags.retain(|known| known != tag);
            if is_wanted {
                tags.push(tag.to_owned());
            }
        });
    };
    let boxes = move || {
        let one = |tag: String| {
            let (name, own) = (tag.clone(), tag.clone());
            let is_on = Signal::derive(move || draft.tags.with(|tags| tags.contains(&own)));
            view! {
                <label class="field-choice">
                    <input
                        type="checkbox"
                        data-testid="evals-tag"
                        data-name=name.clone()
                        prop:checked=is_on
                        on:change:target=move |event| toggle(&tag, event.target().checked())
                    />
                    <span>{name.clone()}</span>
                </label>
            }
            .into_any()
        };
        tags.get().into_iter().map(one).collect::<Vec<_>>()
    };
    view! {
        <Show when=move || tags.with(|tags| !tags.is_empty())>
            <fieldset class="eval-group">
                <legend>{words.text(word::EVALS_TAGS)}</legend>
                <div class="eval-choices">{boxes}</div>
            </fieldset>
        </Show>
    }
}

/// Runs, answers, the prompt and the cost limit.
#[component]
fn Figures() -> impl IntoView {
    let words = use_words();
    let draft = expect_context::<EvalDraft>();
    view! {
        <div class="eval-line-fields">
            <FigureField
                testid="evals-runs"
                label=word::EVALS_RUNS
                value=Signal::derive(move || draft.runs())
                is_bad=Signal::derive(move || whole(&draft.runs(), MOST_RUNS).is_none())
                set=Callback::new(move |text| draft.runs.set(Some(text)))
            />
            <FigureField
                testid="evals-steps"
                label=word::EVALS_STEPS
                value=Signal::derive(move || draft.steps.get())
                is_bad=Signal::derive(move || draft.steps.with(|steps| whole(steps, MOST_STEPS).is_none()))
                set=Callback::new(move |text| draft.steps.set(text))
            />
            <FigureField
                testid="evals-cost"
                label=word::EVALS_COST
                value=Signal::derive(move || draft.cost.get())
                is_bad=Signal::derive(move || draft.cost.with(|cost| limit(cost).is_none()))
                set=Callback::new(move |text| draft.cost.set(text))
            />
        </div>
        <p class="meta">{words.text(word::EVALS_COST_WHY)}</p>
        <label class="field-choice">
            <input
                type="checkbox"
                data-testid="evals-bare"
                prop:checked=Signal::derive(move || draft.is_bare.get())
                on:change:target=move |event| draft.is_bare.set(event.target().checked())
            />
            <span>{words.text(word::EVALS_BARE)}</span>
        </label>
    }
}

/// A field for a number.
#[component]
fn FigureField(
    /// Its `data-testid`.
    testid: &'static str,
    /// Its name.
    label: Word,
    /// What is typed.
    value: Signal<String>,
    /// Whether that is no number that it takes.
    is_bad: Signal<bool>,
    /// Takes what is typed.
    set: Callback<String>,
) -> impl IntoView {
    let words = use_words();
    view! {
        <label>
            {words.text(label)}
            <input
                inputmode="decimal"
                autocomplete="off"
                data-testid=testid
                aria-invalid=Signal::derive(move || is_bad.get().to_string())
                aria-describedby="evals-faults"
                prop:value=value
                on:input:target=move |event| set.run(event.target().value())
            />
        </label>
    }
}

/// What is still missing, and the last question.
#[component]
fn Continue() -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let draft = expect_context::<EvalDraft>();
    let planned = Memo::new(move |_| PlannedEval::of(draft));
    let asked = RwSignal::new(None::<PlannedEval>);
    // What is asked is what is started.
    Effect::new(move |_| {
        planned.with(|_| ());
        asked.set(None);
    });
    let ready = move || planned.with(|planned| matches!(planned, Some(Ok(_))));
    let faults = move || {
        planned.with(|planned| {
            let faults = planned.as_ref().and_then(|planned| planned.as_ref().err());
            let row = |fault: &PlanFault| view! { <li>{fault.sentence(words)}</li> }.into_any();
            faults.into_iter().flatten().map(row).collect::<Vec<_>>()
        })
    };
    let is_other_running = move || {
        [evals.list, evals.questions].into_iter().any(|list| {
            list.with(|list| list.iter().flatten().any(|entry| entry.state == EvalState::Running))
        })
    };
    let ask = move |_| asked.set(planned.get_untracked().and_then(Result::ok));
    view! {
        <div role="status">
            <ul id="evals-faults" class="field-faults" data-testid="evals-faults">{faults}</ul>
            <Show when=is_other_running>
                <p class="meta" data-testid="evals-other-running">{words.text(word::EVALS_OTHER_RUNNING)}</p>
            </Show>
        </div>
        <div class="buttons">
            <WordButton
                testid="evals-continue"
                word=word::EVALS_CONTINUE
                disabled=Signal::derive(move || !ready() || is_other_running() || asked.with(Option::is_some))
                press=Callback::new(ask)
            />
        </div>
        {move || {
            asked.get().map(|planned| view! { <EvalQuestion planned=planned close=Callback::new(move |()| asked.set(None)) /> }.into_any())
        }}
    }
}
