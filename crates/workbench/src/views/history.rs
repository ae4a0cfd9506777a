//! Runs by hand: found again, compared, and taken along.

use std::collections::BTreeSet;

use js_sys::Array;
use leptos::prelude::*;
use sidecar_link::LinkResponse;
use sidecar_protocol::link::{RunsAnswer, RunsCommand};
use sidecar_protocol::tool_run::ToolRun;
use sidecar_runs::export::json_lines;
use sidecar_runs::{RunClass, RunFilter, TakenRun};
use sidecar_ui::dom::download::download;
use sidecar_ui::icons::icon;
use sidecar_ui::text::arguments::digest as beginning;
use sidecar_ui::text::legible::legible;
use sidecar_ui::text::tool_call::{run_line, state_icon, state_name, state_of};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;
use wasm_bindgen::JsValue;

use crate::state::use_workbench;
use crate::views::compared::{Compared, ComparedRuns};
use crate::views::entry::Entry;
use crate::views::sequence::{Sequence, SequenceBar};
use crate::word;

/// How many runs are shown at once.
const SHOWN: usize = 100;

/// Runs that the worker remembers.
#[derive(Debug, Clone, Copy)]
pub struct ListedRuns {
    /// Those of some sites, newest first; absent until they came.
    pub runs: RwSignal<Option<Vec<ToolRun>>>,
    /// How many there are of all sites.
    pub kept: RwSignal<usize>,
    /// Whether others were asked for.
    pub awaited: RwSignal<bool>,
    /// How often they were forgotten.
    cleared: RwSignal<u32>,
}

impl ListedRuns {
    /// None is remembered any more.
    fn clear(self) {
        self.runs.set(Some(Vec::new()));
        self.kept.set(0);
        // An answer from before may be on its way; a later one follows it.
        self.cleared.update(|cleared| *cleared += 1);
    }
}

/// The runs of these origins, or of all if there are none; asked for again when `count` or the origins change.
pub fn listed(count: RwSignal<u32>, origins: Memo<Vec<String>>) -> ListedRuns {
    let bench = use_workbench();
    let all = ListedRuns {
        runs: RwSignal::new(None),
        kept: RwSignal::new(0),
        awaited: RwSignal::new(false),
        cleared: RwSignal::new(0),
    };
    Effect::new(move |_| {
        count.with(|_| ());
        bench.connection.count.with(|_| ());
        all.cleared.with(|_| ());
        all.awaited.set(true);
        let asked = origins.get();
        bench.connection.ask(RunsCommand::ListAll { origins: asked.clone() }, move |response| {
            // The view may be gone, or have asked for others since.
            let is_awaited = origins.try_with_untracked(|origins| *origins == asked).unwrap_or_default();
            if let (LinkResponse::Answer(RunsAnswer::Listed { runs, kept }), true) = (response, is_awaited) {
                all.runs.set(Some(runs));
                all.kept.set(kept);
                all.awaited.set(false);
            }
        });
    });
    all
}

/// The view.
#[component]
pub fn HistoryView() -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let sequence = expect_context::<Sequence>();
    let (text, class) = (RwSignal::new(String::new()), RwSignal::new(None::<RunClass>));
    let own_site = RwSignal::new(true);
    // None for those of every site. Always in the same order.
    let origins = Memo::new(move |_| {
        let of_page = bench.page.with(|page| match page.origin.is_empty() {
            true => BTreeSet::new(),
            false => page.tools.iter().map(|tool| &tool.origin).chain([&page.origin]).cloned().collect(),
        });
        if own_site.get() { of_page.into_iter().collect::<Vec<_>>() } else { Vec::new() }
    });
    let listed = listed(sequence.run.count, origins);
    let ListedRuns { runs, kept, awaited, .. } = listed;
    let shown = Memo::new(move |_| {
        let filter = RunFilter { text: text.get(), class: class.get(), tool: None };
        let origins = origins.get();
        // Those that are there may be of more sites than those that were just asked for.
        let is_own = |run: &ToolRun| origins.is_empty() || origins.contains(&run.origin);
        runs.with(|runs| {
            let all = runs.iter().flatten();
            all.filter(|run| is_own(run) && filter.keeps(run)).cloned().collect::<Vec<_>>()
        })
    });
    let few = Memo::new(move |_| shown.with(|shown| shown.iter().take(SHOWN).cloned().collect::<Vec<_>>()));
    let compared = expect_context::<ComparedRuns>();
    let export = move |_| {
        let lines =
            shown.with_untracked(|runs| json_lines(runs.iter().map(|run| TakenRun { run, schema: None })));
        download(&Array::of1(&JsValue::from_str(&lines)), "runs.jsonl", "application/jsonl");
    };
    let clear = move |_| {
        if bench.connection.send(RunsCommand::Clear) {
            compared.clear();
            sequence.clear();
            listed.clear();
        }
    };
    let choices = std::iter::once(None).chain(RunClass::ALL.map(Some)).map(|choice| {
        let name = move || match choice {
            None => words.get(word::LINT_ALL),
            Some(class) => class.text(words.language()),
        };
        view! {
            <button
                type="button"
                class="segment"
                data-testid="history-class"
                aria-pressed=Signal::derive(move || (class.get() == choice).to_string())
                on:click=move |_| class.set(choice)
            >
                {name}
            </button>
        }
        .into_any()
    });
    view! {
        <div class="bench-page-view" data-testid="history-view">
            <h2>{words.text(word::BENCH_HISTORY)}</h2>
            <p class="meta">{words.text(word::RUN_KEPT)}</p>
            <div class="bench-filters">
                <div class="segments" role="group" aria-label=words.text(word::HISTORY_OUTCOMES)>{choices.collect::<Vec<_>>()}</div>
                <input
                    type="search"
                    data-testid="history-filter"
                    aria-label=words.text(word::HISTORY_FILTER)
                    placeholder=words.text(word::HISTORY_FILTER)
                    on:input:target=move |event| text.set(event.target().value())
                />
                <label class="field-choice">
                    <input
                        type="checkbox"
                        data-testid="history-own"
                        prop:checked=Signal::derive(move || own_site.get())
                        on:change:target=move |event| own_site.set(event.target().checked())
                    />
                    {words.text(word::HISTORY_OWN)}
                </label>
            </div>
            <div class="buttons">
                <WordButton
                    testid="history-export"
                    word=word::HISTORY_EXPORT
                    disabled=Signal::derive(move || awaited.get() || shown.with(Vec::is_empty))
                    press=Callback::new(export)
                />
                <WordButton
                    testid="history-clear"
                    word=word::RUN_CLEAR
                    disabled=Signal::derive(move || kept.get() == 0)
                    press=Callback::new(clear)
                />
            </div>
            <SequenceBar />
            <Compared />
            <p role="status" class="meta" data-testid="history-count">
                {move || {
                    match u64::try_from(shown.with(Vec::len)).unwrap_or_default() {
                        0 if runs.with(Option::is_some) && kept.get() == 0 => words.get(word::HISTORY_NONE).to_owned(),
                        0 if runs.with(Option::is_some) && !awaited.get() => words.get(word::HISTORY_NO_MATCH).to_owned(),
                        count => words.count((word::HISTORY_COUNT_ONE, word::HISTORY_COUNT_OTHER), count, &[]),
                    }
                }}
            </p>
            <Entries runs=few chooses=true />
            <Show when=move || { shown.with(Vec::len) > SHOWN }>
                <p class="meta">{words.text(word::HISTORY_CUT)}</p>
            </Show>
        </div>
    }
}

/// Runs as a list.
#[component]
pub fn Entries(
    /// The runs.
    runs: Memo<Vec<ToolRun>>,
    /// Whether they can be chosen, to be compared or run again in their order.
    chooses: bool,
) -> impl IntoView {
    let words = use_words();
    let sequence = chooses.then(expect_context::<Sequence>);
    let keys = Signal::derive(move || {
        runs.with(|runs| runs.iter().map(|run| run.call_id.0.clone()).collect::<Vec<_>>())
    });
    let row = move |at: usize| {
        let Some(run) = runs.with_untracked(|runs| runs.get(at).cloned()) else { return ().into_any() };
        let state = state_of(&run);
        let (name, sign, line) = (state_name(&state), state_icon(&state), run_line(words, &run));
        let (at, tool, begins) = (run.at, run.tool.clone(), beginning(&legible(&run.arguments)));
        let is_open = RwSignal::new(false);
        let run = StoredValue::new(run);
        let choice = sequence.map(|sequence| {
            let (what, begins) = (run.with_value(|run| run.tool.clone()), begins.clone());
            view! {
                <input
                    type="checkbox"
                    class="run-choice"
                    data-testid="run-choice"
                    aria-label=move || words.fill(word::SEQUENCE_CHOOSE, &[("run", &format!("{what} {begins}"))])
                    prop:checked=Signal::derive(move || run.with_value(|run| sequence.has(run)))
                    disabled=Signal::derive(move || sequence.is_busy())
                    on:change=move |_| run.with_value(|run| sequence.toggle(run))
                />
            }
            .into_any()
        });
        view! {
            <li class="run-entry" data-testid="run-entry" data-state=name>
                {choice}
                <button
                    type="button"
                    class="row"
                    data-testid="run-entry-toggle"
                    aria-expanded=Signal::derive(move || is_open.get().to_string())
                    on:click=move |_| is_open.update(|open| *open = !*open)
                >
                    <span class="row-main">
                        <span class="run-line">
                            <span class="tool-icon">{icon(sign)}</span>
                            <span class="tool-name">{tool}</span>
                            <time title=words.exact_moment(at)>{words.moment(at)}</time>
                        </span>
                        <span class="meta">{line}</span>
                        <span class="digest">{begins}</span>
                    </span>
                </button>
                <Show when=move || is_open.get()>
                    <Entry run=run.get_value() chooses=chooses />
                </Show>
            </li>
        }
        .into_any()
    };
    view! {
        <ul class="rows">
            <KeyedList keys=keys row=row />
        </ul>
    }
}
