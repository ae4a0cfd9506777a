//! Runs of the history that are run again one after the other, until one fails.

use leptos::prelude::*;
use sidecar_link::hand_run::{HandRun, RunTarget};
use sidecar_protocol::TabId;
use sidecar_protocol::tool_run::ToolRun;
use sidecar_runs::RunClass;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::state::Workbench;
use crate::views::asking::Asking;
use crate::word;

/// The chosen runs, and how far they got. A handle.
#[derive(Clone, Copy)]
pub struct Sequence {
    bench: Workbench,
    /// The run under way.
    pub run: HandRun,
    /// The oldest first.
    chosen: RwSignal<Vec<ToolRun>>,
    /// The tab in which it was started.
    tab: StoredValue<Option<TabId>>,
    /// How many of them were run again.
    done: RwSignal<usize>,
    state: RwSignal<SequenceState>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SequenceState {
    Resting,
    Running,
    Done,
    /// It stopped at this tool.
    Stopped(String),
    /// The page has no such tool now, or another one of that name.
    Missing(String),
}

impl Sequence {
    /// Makes it known below.
    pub fn provide(bench: Workbench) {
        let sequence = Self {
            bench,
            run: HandRun::new(bench.connection),
            chosen: RwSignal::new(Vec::new()),
            tab: StoredValue::new(None),
            done: RwSignal::new(0),
            state: RwSignal::new(SequenceState::Resting),
        };
        provide_context(sequence);
        Effect::new(move |before: Option<u32>| {
            let over = sequence.run.count.get();
            if before.is_some_and(|before| before != over) {
                untrack(|| sequence.go_on());
            }
            over
        });
    }

    /// Whether a run is chosen.
    pub fn has(self, run: &ToolRun) -> bool {
        self.chosen.with(|chosen| chosen.iter().any(|known| known.call_id == run.call_id))
    }

    /// Whether a run is under way: nothing can be chosen meanwhile.
    pub fn is_busy(self) -> bool {
        self.state.get() == SequenceState::Running || self.run.is_running.get()
    }

    /// Gives up all.
    pub fn clear(self) {
        self.chosen.set(Vec::new());
    }

    /// Chooses a run, or gives it up.
    pub fn toggle(self, run: &ToolRun) {
        if untrack(|| self.is_busy()) {
            return;
        }
        self.state.set(SequenceState::Resting);
        self.chosen.update(|chosen| {
            match chosen.iter().position(|known| known.call_id == run.call_id) {
                Some(at) => _ = chosen.remove(at),
                None => chosen.push(run.clone()),
            }
            chosen.sort_by_key(|run| run.at);
        });
    }

    fn start(self) {
        if untrack(|| self.is_busy()) {
            return;
        }
        self.tab.set_value(self.bench.page.with_untracked(|page| page.tab_id));
        self.done.set(0);
        self.state.set(SequenceState::Running);
        self.next();
    }

    /// The run under way is over.
    fn go_on(self) {
        if self.state.get_untracked() != SequenceState::Running {
            return;
        }
        let ended = self.run.ended.get_untracked();
        let is_ok = ended.as_ref().is_some_and(|run| RunClass::of(&run.outcome) == RunClass::Ok);
        if is_ok {
            self.done.update(|done| *done += 1);
            self.next();
        } else {
            let tool = self.current().map(|run| run.tool).unwrap_or_default();
            self.state.set(SequenceState::Stopped(tool));
        }
    }

    fn current(self) -> Option<ToolRun> {
        let done = self.done.get_untracked();
        self.chosen.with_untracked(|chosen| chosen.get(done).cloned())
    }

    fn next(self) {
        let Some(run) = self.current() else { return self.state.set(SequenceState::Done) };
        // What was begun in one tab does not go on in another.
        let is_here = self.bench.page.with_untracked(|page| page.tab_id) == self.tab.get_value();
        let found = untrack(|| self.bench.tool_of(&run));
        let tool = found.ok().filter(|tool| is_here && tool.digest == run.digest);
        match tool {
            Some(tool) => {
                let target = RunTarget { tool: tool.tool, origin: tool.origin, digest: tool.digest };
                self.run.start(target, run.arguments, false);
                if !self.run.is_running.get_untracked() {
                    self.state.set(SequenceState::Stopped(run.tool));
                }
            }
            None => self.state.set(SequenceState::Missing(run.tool)),
        }
    }

    fn stop(self) {
        // Before all else: the run under way may be over already.
        let tool = self.current().map(|run| run.tool).unwrap_or_default();
        self.state.set(SequenceState::Stopped(tool));
        self.run.stop();
    }
}

/// What is chosen, and how far it got; nothing until a run is chosen.
#[component]
pub fn SequenceBar() -> impl IntoView {
    let words = use_words();
    let sequence = expect_context::<Sequence>();
    let Sequence { chosen, done, state, .. } = sequence;
    let is_running = Memo::new(move |_| sequence.is_busy());
    let number = |count: usize| u64::try_from(count).unwrap_or_default();
    let said = move || {
        let (done, all) = (words.number(number(done.get())), words.number(number(chosen.with(Vec::len))));
        let counts = [("done", done.as_str()), ("all", all.as_str())];
        match state.get() {
            SequenceState::Resting => words.count(
                (word::SEQUENCE_CHOSEN_ONE, word::SEQUENCE_CHOSEN_OTHER),
                number(chosen.with(Vec::len)),
                &[],
            ),
            SequenceState::Running | SequenceState::Done => words.fill(word::SEQUENCE_DONE, &counts),
            SequenceState::Stopped(tool) => {
                words.fill(word::SEQUENCE_STOPPED, &[counts[0], counts[1], ("tool", &tool)])
            }
            SequenceState::Missing(tool) => {
                words.fill(word::SEQUENCE_MISSING, &[counts[0], counts[1], ("tool", &tool)])
            }
        }
    };
    view! {
        <Show when=move || chosen.with(|chosen| !chosen.is_empty())>
            <div class="sequence" data-testid="sequence">
                <p role="status" data-testid="sequence-status">{said}</p>
                <WordButton
                    testid="sequence-run"
                    word=word::SEQUENCE_RUN
                    disabled=Signal::derive(move || is_running.get())
                    press=Callback::new(move |_| sequence.start())
                />
                <Show when=move || is_running.get()>
                    <WordButton testid="sequence-stop" word=word::RUN_STOP press=Callback::new(move |_| sequence.stop()) />
                </Show>
                <WordButton
                    testid="sequence-clear"
                    word=word::SEQUENCE_CLEAR
                    disabled=Signal::derive(move || is_running.get())
                    press=Callback::new(move |_| sequence.clear())
                />
            </div>
            <Asking run=sequence.run />
        </Show>
    }
}
