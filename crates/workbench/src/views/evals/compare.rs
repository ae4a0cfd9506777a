//! The open eval beside an earlier one.

use std::sync::Arc;

use leptos::prelude::*;
use sidecar_evals::report::compare::{CompareFault, ModelComparison, ReportComparison, Worsening, compare};
use sidecar_evals::report::{EvalReport, MOST_REPORT, ReportFault};
use sidecar_protocol::eval::{EvalEntry, EvalId};
use sidecar_protocol::settings::Language;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};
use web_sys::HtmlInputElement;

use crate::evals::EvalsStore;
use crate::state::use_workbench;
use crate::views::evals::file::{self, ChosenFault};
use crate::views::evals::look::{model_name, model_names};
use crate::word;

/// Most sentences about cases that are shown.
const MOST_SHOWN: usize = 100;

/// Why there is no earlier report.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EarlierFault {
    Report(ReportFault),
    Unread,
}

impl EarlierFault {
    fn sentence(&self, language: Language) -> String {
        match self {
            Self::Report(fault) => fault.sentence(language),
            Self::Unread => word::EVALS_UNREAD.text(language).to_owned(),
        }
    }
}

/// The earlier report, and what has changed since. A handle.
#[derive(Clone, Copy)]
pub struct EarlierReport {
    evals: EvalsStore,
    report: RwSignal<Option<Arc<EvalReport>>>,
    fault: RwSignal<Option<EarlierFault>>,
    outcome: Memo<Option<Result<ReportComparison, CompareFault>>>,
}

impl EarlierReport {
    /// None yet. It is forgotten with the view.
    pub fn of(evals: EvalsStore) -> Self {
        let report = RwSignal::new(None::<Arc<EvalReport>>);
        let outcome = Memo::new(move |_| {
            let (before, after) = (report.get()?, evals.report.get()?);
            Some(compare(&before, &after))
        });
        Self { evals, report, fault: RwSignal::new(None), outcome }
    }

    /// What has changed; nothing as long as there is nothing to compare with.
    pub fn comparison(self) -> Option<ReportComparison> {
        self.outcome.with(|outcome| outcome.as_ref()?.as_ref().ok().cloned())
    }

    /// The cases, by their hash, that got worse with a model, by its name.
    pub fn worse(self) -> Vec<(String, String)> {
        self.outcome.with(|outcome| {
            let comparison = outcome.as_ref().and_then(|outcome| outcome.as_ref().ok());
            let worse = comparison.into_iter().flat_map(|comparison| &comparison.worse);
            worse.map(|one| (one.case.hash.clone(), one.model.clone())).collect()
        })
    }

    fn take(self, read: Result<EvalReport, EarlierFault>) {
        let (report, fault) = match read {
            Ok(report) => (Some(Arc::new(report)), None),
            Err(fault) => (None, Some(fault)),
        };
        // The view may be gone.
        let _ = self.fault.try_set(fault);
        let _ = self.report.try_set(report);
    }

    fn choose_kept(self, id: EvalId) {
        self.evals.report_of(id, move |report| self.take(report.ok_or(EarlierFault::Unread)));
    }

    fn choose_file(self, input: &HtmlInputElement) {
        file::read(input, MOST_REPORT, move |file| {
            let read = match file {
                Ok(file) => EvalReport::read(file.text.as_bytes()).map_err(EarlierFault::Report),
                Err(ChosenFault::Size(size)) => Err(EarlierFault::Report(ReportFault::Size(size))),
                Err(ChosenFault::Unread) => Err(EarlierFault::Unread),
            };
            self.take(read);
        });
    }

    fn clear(self) {
        self.fault.set(None);
        self.report.set(None);
    }
}

/// The choice of the earlier report, and what has changed since.
#[component]
pub fn CompareChoice(earlier: EarlierReport) -> impl IntoView {
    let words = use_words();
    let evals = use_workbench().evals;
    let picked = RwSignal::new(String::new());
    // Those of the same suite.
    let kept = Memo::new(move |_| {
        let Some(own) = evals.entry.get() else { return Vec::new() };
        evals.list.with(|list| {
            let is_alike = |entry: &&EvalEntry| entry.name == own.name && entry.is_smoke == own.is_smoke;
            let others = list.iter().flatten().filter(is_alike).filter(|entry| entry.id != own.id);
            others.map(|entry| (entry.id.0.clone(), entry.started, model_names(&entry.models))).collect()
        })
    });
    let options = move || {
        let one = |(id, started, models): (String, u64, String)| {
            let value = id.clone();
            let is_picked = Signal::derive(move || picked.with(|picked| *picked == id));
            let mut text = words.exact_moment(started);
            if !models.is_empty() {
                text.push_str(&format!(" · {models}"));
            }
            view! { <option value=value prop:selected=is_picked>{text}</option> }.into_any()
        };
        kept.get().into_iter().map(one).collect::<Vec<_>>()
    };
    let has_earlier = move || earlier.report.with(Option::is_some) || earlier.fault.with(Option::is_some);
    let outcome = move || {
        let language = words.language();
        if let Some(fault) = earlier.fault.get() {
            return Some(trouble(fault.sentence(language)));
        }
        Some(match earlier.outcome.get()? {
            Err(fault) => trouble(fault.sentence(language)),
            Ok(comparison) => sentences(words, comparison),
        })
    };
    view! {
        <details class="eval-compare" data-testid="evals-compare">
            <summary data-testid="evals-compare-toggle">{words.text(word::EVALS_COMPARE)}</summary>
            <div class="eval-line-fields">
                <Show when=move || kept.with(|kept| !kept.is_empty())>
                    <label>
                        {words.text(word::EVALS_COMPARE_KEPT)}
                        <select
                            data-testid="evals-compare-kept"
                            on:change:target=move |event| {
                                let id = event.target().value();
                                picked.set(id.clone());
                                match id.is_empty() {
                                    true => earlier.clear(),
                                    false => earlier.choose_kept(EvalId(id)),
                                }
                            }
                        >
                            <option value="" prop:selected=Signal::derive(move || picked.with(String::is_empty))>
                                {words.text(word::EVALS_COMPARE_NONE)}
                            </option>
                            {options}
                        </select>
                    </label>
                </Show>
                <label>
                    {words.text(word::EVALS_COMPARE_FILE)}
                    <input
                        type="file"
                        accept="application/json,.json"
                        data-testid="evals-compare-file"
                        on:change:target=move |event| {
                            picked.set(String::new());
                            earlier.choose_file(&event.target());
                        }
                    />
                </label>
                <Show when=has_earlier>
                    <WordButton
                        testid="evals-compare-clear"
                        word=word::EVALS_COMPARE_CLEAR
                        press=Callback::new(move |_| {
                            picked.set(String::new());
                            earlier.clear();
                        })
                    />
                </Show>
            </div>
            <div role="status">{outcome}</div>
        </details>
    }
}

fn trouble(why: String) -> AnyView {
    view! { <p class="field-faults" data-testid="evals-compare-fault">{why}</p> }.into_any()
}

fn sentences(words: Words, comparison: ReportComparison) -> AnyView {
    let language = words.language();
    let models = comparison.models.into_iter().map(|model| {
        let model = ModelComparison { model: model_name(words, &model.model), ..model };
        ("model", model.sentence(language))
    });
    let worse = comparison.worse.into_iter().map(|case| {
        let case = Worsening { model: model_name(words, &case.model), ..case };
        (if case.is_shown() { "regression" } else { "lower" }, case.sentence(language))
    });
    let rows = models
        .chain(worse.take(MOST_SHOWN))
        .map(|(kind, text)| view! { <li data-testid="evals-compared" data-kind=kind>{text}</li> }.into_any());
    view! { <ul class="eval-notes">{rows.collect::<Vec<_>>()}</ul> }.into_any()
}
