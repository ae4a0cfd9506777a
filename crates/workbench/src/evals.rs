//! The evals that are kept, and the one that is open. Fed by the worker's events.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use leptos::html::ElementType;
use leptos::prelude::*;
use serde_json::Value;
use sidecar_evals::report::EvalReport;
use sidecar_evals::saved;
use sidecar_link::{LinkConnection, LinkResponse};
use sidecar_protocol::eval::{EvalEntry, EvalId, EvalPlan, EvalStage, SavedEval};
use sidecar_protocol::link::{EvalsAnswer, EvalsCommand, EvalsEvent, Refusal};
use sidecar_ui::dom::focus::focus;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::place::{BenchPlace, BenchView};

/// How long runs are collected before the report is made anew: of few runs, and of many.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(2)];

/// So many runs are many.
const MANY: usize = 300;

/// Version of the product, for reports.
const PRODUCT: &str = env!("CARGO_PKG_VERSION");

/// What is known of the open eval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EvalSight {
    /// It was asked for.
    #[default]
    Asked,
    /// There is no such eval.
    Gone,
    /// It is here.
    Here,
}

/// The evals. A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct EvalsStore {
    connection: LinkConnection,
    place: RwSignal<BenchPlace>,
    refusal: RwSignal<Option<Refusal>>,
    /// Those that are kept, newest first; absent until that is known.
    pub list: RwSignal<Option<Vec<EvalEntry>>>,
    /// The questions that are kept, likewise.
    pub questions: RwSignal<Option<Vec<EvalEntry>>>,
    /// What is known of the open one.
    pub sight: RwSignal<EvalSight>,
    /// How far the open one is.
    pub entry: RwSignal<Option<EvalEntry>>,
    /// What it runs.
    pub plan: RwSignal<Option<Arc<EvalPlan>>>,
    /// What came of it until now.
    pub report: RwSignal<Option<Arc<EvalReport>>>,
    /// Whether the user has just opened it, so that the focus goes there.
    wants_focus: StoredValue<bool>,
    saved: StoredValue<Option<SavedEval>>,
    /// Whether runs are being collected.
    is_waiting: StoredValue<bool>,
    /// Whether the open one is on its way.
    is_asking: StoredValue<bool>,
    /// Whether it grew meanwhile.
    has_grown: StoredValue<bool>,
}

impl EvalsStore {
    /// Without evals.
    pub fn new(
        connection: LinkConnection,
        place: RwSignal<BenchPlace>,
        refusal: RwSignal<Option<Refusal>>,
    ) -> Self {
        Self {
            connection,
            place,
            refusal,
            list: RwSignal::new(None),
            questions: RwSignal::new(None),
            sight: RwSignal::new(EvalSight::default()),
            entry: RwSignal::new(None),
            plan: RwSignal::new(None),
            report: RwSignal::new(None),
            wants_focus: StoredValue::new(false),
            saved: StoredValue::new(None),
            is_waiting: StoredValue::new(false),
            is_asking: StoredValue::new(false),
            has_grown: StoredValue::new(false),
        }
    }

    /// Asks for what the address names, whenever that changes and whenever there is another worker.
    pub fn follow(self) {
        let shown = Memo::new(move |_| {
            let shows = |view| matches!(view, BenchView::Evals | BenchView::Ask);
            self.place.with(|place| shows(place.view).then(|| place.eval.clone()))
        });
        Effect::new(move |_| {
            if self.connection.count.get() == 0 {
                return;
            }
            // What was on its way to another worker is lost.
            self.is_asking.set_value(false);
            let shown = shown.get();
            untrack(|| {
                if shown.is_some() {
                    self.ask_for_list();
                }
                match shown.flatten() {
                    Some(id) => self.ask_for(id),
                    None => self.close(),
                }
            });
        });
    }

    /// Opens an eval, or closes the one that is open.
    pub fn open(self, eval: Option<EvalId>) {
        self.open_in(BenchView::Evals, eval);
    }

    /// Opens an eval or a question in its view, or closes the one that is open.
    pub fn open_in(self, view: BenchView, eval: Option<EvalId>) {
        self.wants_focus.set_value(eval.is_some());
        self.place.update(|place| {
            place.view = view;
            place.eval = eval;
        });
    }

    /// Moves the focus to the heading of what is open, if the user has just opened it.
    pub fn focus_if_opened<E>(self, heading: NodeRef<E>)
    where
        E: ElementType,
        E::Output: JsCast + Clone + Deref<Target = HtmlElement> + 'static,
    {
        Effect::new(move |_| {
            if let Some(heading) = heading.get()
                && self.wants_focus.get_value()
            {
                self.wants_focus.set_value(false);
                focus(&heading);
            }
        });
    }

    /// Runs a suite, or asks a question, and opens it.
    pub fn start(self, plan: EvalPlan) {
        let view =
            if matches!(plan.stage, EvalStage::Shown { .. }) { BenchView::Ask } else { BenchView::Evals };
        self.connection.ask(EvalsCommand::Start { plan: Box::new(plan) }, move |response| match response {
            LinkResponse::Answer(EvalsAnswer::Started { id }) => self.open_in(view, Some(id)),
            LinkResponse::Refused(why) => self.refusal.set(Some(why)),
            LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
        });
    }

    /// Stops an eval.
    pub fn stop(self, id: EvalId) {
        self.connection.send(EvalsCommand::Stop { id });
    }

    /// Makes the runs that an eval lacks.
    pub fn resume(self, id: EvalId) {
        // What is answered is that it runs, which an event says as well.
        self.connection.ask(EvalsCommand::Resume { id }, move |response| {
            if let LinkResponse::Refused(why) = response {
                self.refusal.set(Some(why));
            }
        });
    }

    /// Forgets an eval.
    pub fn delete(self, id: EvalId) {
        self.connection.send(EvalsCommand::Delete { id });
    }

    /// The report of another eval, given to `then`.
    pub fn report_of(self, id: EvalId, then: impl Fn(Option<EvalReport>) + 'static) {
        let mut opened = OpenedEval::default();
        self.connection.ask(EvalsCommand::Open { id }, move |response| {
            if let Some(eval) = opened.hear(response) {
                then(eval.and_then(|eval| saved::report(&eval, PRODUCT)));
            }
        });
    }

    /// Takes what the worker tells.
    pub fn hear(self, event: EvalsEvent) {
        match event {
            EvalsEvent::Changed { entry, record } => {
                let list = if entry.is_question { self.questions } else { self.list };
                list.update(|list| {
                    let Some(list) = list else { return };
                    match list.iter_mut().find(|known| known.id == entry.id) {
                        Some(known) => *known = entry.clone(),
                        None => {
                            let at = list.partition_point(|known| known.started > entry.started);
                            list.insert(at, entry.clone());
                        }
                    }
                });
                let is_awaited = self.place.with_untracked(|place| place.eval.as_ref() == Some(&entry.id));
                if is_awaited && self.is_asking.get_value() {
                    self.has_grown.set_value(true);
                }
                if self
                    .saved
                    .with_value(|saved| saved.as_ref().is_some_and(|saved| saved.entry.id == entry.id))
                {
                    self.grow(entry, record);
                }
            }
            EvalsEvent::Deleted { id } => {
                for list in [self.list, self.questions] {
                    list.update(|list| {
                        if let Some(list) = list {
                            list.retain(|known| known.id != id);
                        }
                    });
                }
                if self.place.with_untracked(|place| place.eval.as_ref() == Some(&id)) {
                    self.close();
                    self.sight.set(EvalSight::Gone);
                }
            }
        }
    }

    /// The open eval made a run, or changed otherwise.
    fn grow(self, entry: EvalEntry, record: Option<Value>) {
        let has_run = record.is_some();
        let is_whole = self.saved.try_update_value(|saved| {
            let Some(saved) = saved else { return true };
            saved.entry = entry.clone();
            if let Some(record) = record {
                // What was opened may have it already; that of a question grows.
                match saved.records.iter_mut().find(|known| run_of(known) == run_of(&record)) {
                    Some(known) => *known = record,
                    None => saved.records.push(record),
                }
            }
            saved.records.len() >= entry.made
        });
        let id = entry.id.clone();
        self.entry.set(Some(entry));
        if is_whole == Some(false) {
            self.ask_for(id);
        } else if has_run {
            self.report_soon();
        } else {
            self.make_report();
        }
    }

    fn report_soon(self) {
        if self.is_waiting.get_value() {
            return;
        }
        self.is_waiting.set_value(true);
        let count = self.saved.with_value(|saved| saved.as_ref().map_or(0, |saved| saved.records.len()));
        set_timeout(
            move || {
                self.is_waiting.set_value(false);
                self.make_report();
            },
            PAUSES[usize::from(count > MANY)],
        );
    }

    fn make_report(self) {
        let report =
            self.saved.with_value(|saved| saved.as_ref().and_then(|saved| saved::report(saved, PRODUCT)));
        self.report.set(report.map(Arc::new));
    }

    fn close(self) {
        self.saved.set_value(None);
        self.sight.set(EvalSight::Asked);
        self.entry.set(None);
        self.plan.set(None);
        self.report.set(None);
    }

    fn ask_for_list(self) {
        self.connection.ask(EvalsCommand::List, move |response| match response {
            LinkResponse::Answer(EvalsAnswer::Listed { evals }) => {
                let (questions, evals) = evals.into_iter().partition(|entry| entry.is_question);
                self.list.set(Some(evals));
                self.questions.set(Some(questions));
            }
            LinkResponse::Refused(why) => {
                self.list.set(Some(Vec::new()));
                self.questions.set(Some(Vec::new()));
                self.refusal.set(Some(why));
            }
            LinkResponse::Answer(_) | LinkResponse::Done | LinkResponse::Lost => {}
        });
    }

    fn ask_for(self, id: EvalId) {
        let is_same = self.saved.with_value(|saved| saved.as_ref().is_some_and(|saved| saved.entry.id == id));
        if !is_same {
            self.close();
        } else if self.is_asking.get_value() {
            return;
        }
        self.is_asking.set_value(true);
        self.has_grown.set_value(false);
        let wanted = id.clone();
        let mut opened = OpenedEval::default();
        self.connection.ask(EvalsCommand::Open { id }, move |response| {
            let Some(eval) = opened.hear(response) else { return };
            self.is_asking.set_value(false);
            if self.place.with_untracked(|place| place.eval.as_ref() != Some(&wanted)) {
                return;
            }
            match eval {
                Some(eval) => {
                    self.keep(eval);
                    // What was read may be older than what was told since.
                    if self.has_grown.get_value() {
                        self.ask_for(wanted.clone());
                    }
                }
                None => self.sight.set(EvalSight::Gone),
            }
        });
    }

    fn keep(self, eval: SavedEval) {
        self.entry.set(Some(eval.entry.clone()));
        self.plan.set(Some(Arc::new(eval.plan.clone())));
        self.saved.set_value(Some(eval));
        self.make_report();
        self.sight.set(EvalSight::Here);
    }
}

/// An eval that comes in parts.
#[derive(Default)]
struct OpenedEval(Option<SavedEval>);

impl OpenedEval {
    /// Takes a part. Returns the eval when it is whole; `Some(None)` if there is none.
    fn hear(&mut self, response: LinkResponse<EvalsAnswer>) -> Option<Option<SavedEval>> {
        match response {
            LinkResponse::Answer(EvalsAnswer::Opened { eval: Some(eval) }) => {
                self.0 = Some(*eval);
                None
            }
            LinkResponse::Answer(EvalsAnswer::More { records }) => {
                if let Some(eval) = &mut self.0 {
                    eval.records.extend(records);
                }
                None
            }
            LinkResponse::Done => Some(self.0.take()),
            LinkResponse::Answer(_) | LinkResponse::Refused(_) | LinkResponse::Lost => Some(None),
        }
    }
}

/// What tells a run from the others.
fn run_of(led: &Value) -> [&Value; 3] {
    ["case", "model", "run"].map(|key| &led["record"][key])
}
