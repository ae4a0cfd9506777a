//! The next eval, checked: what would be run, or what is still missing.

use std::sync::Arc;

use leptos::prelude::{Get, With, window};
use sidecar_evals::prompt::EvalPrompt;
use sidecar_evals::report::{MOST_CELLS, MOST_MODELS, MOST_RUNS};
use sidecar_evals::run::MOST_STEPS;
use sidecar_evals::smoke::{self, SmokeFault};
use sidecar_evals::suite::CaseMessage;
use sidecar_evals::tools::{self, SuiteTool};
use sidecar_evals::{EvalCase, saved};
use sidecar_protocol::eval::{EvalPlan, EvalStage};
use sidecar_protocol::settings::{Language, ModelChoice, Price};
use sidecar_protocol::thread::Cost;
use sidecar_ui::clock::today;
use sidecar_ui::words::{Word, Words};

use crate::views::evals::draft::{DraftStage, EvalDraft, ReadSuite};
use crate::views::evals::look::wide;
use crate::word;

/// Characters of a token, roughly.
const TOKEN: f64 = 4.0;

/// An eval that can be started.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedEval {
    /// The suite.
    pub suite: Arc<ReadSuite>,
    /// The numbers of its cases.
    pub cases: Vec<usize>,
    /// The tags by which they were picked.
    pub tags: Vec<String>,
    /// The models; none in a smoke run.
    pub models: Vec<ModelChoice>,
    /// Runs per case.
    pub runs: u32,
    /// Answers per run.
    pub steps: u32,
    /// The cost limit.
    pub most_cost: Option<f64>,
    /// Whether models read a short prompt.
    pub is_bare: bool,
    /// Who has the tools.
    pub stage: PlannedStage,
}

/// Who has the tools.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannedStage {
    /// The suite.
    Suite(Arc<Vec<SuiteTool>>),
    /// A page.
    Page {
        /// Its address.
        url: String,
        /// Whether consequential calls reach it.
        lets_through: bool,
    },
    /// A page, which is judged by what it shows in the end.
    Simulation {
        /// Its address.
        url: String,
        /// Whether consequential calls reach it.
        lets_through: bool,
    },
    /// A page, where what the cases expect is called without a model.
    Smoke {
        /// Its address.
        url: String,
        /// Whether consequential calls reach it.
        lets_through: bool,
    },
}

/// Something that has to be put right first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanFault {
    /// Something that is chosen or typed.
    Chosen {
        /// What to do about it.
        word: Word,
        /// The most there may be.
        most: u64,
    },
    /// The suite cannot be run without a model.
    Smoke(SmokeFault),
}

impl PlanFault {
    /// What it is: a sentence.
    pub fn sentence(self, words: Words) -> String {
        match self {
            Self::Chosen { word, most } => words.fill(word, &[("most", &words.number(most))]),
            Self::Smoke(fault) => fault.sentence(words.language()),
        }
    }
}

/// Whether an address is that of a page.
pub fn is_page(address: &str) -> bool {
    web_sys::Url::new(address).is_ok_and(|url| matches!(url.protocol().as_str(), "http:" | "https:"))
}

/// A whole number from 1 to `most`.
pub fn whole(text: &str, most: u32) -> Option<u32> {
    text.trim().parse().ok().filter(|number| (1..=most).contains(number))
}

/// A cost limit: `Some(None)` for no limit.
pub fn limit(text: &str) -> Option<Option<f64>> {
    match text.trim() {
        "" => Some(None),
        text => text.parse().ok().filter(|limit: &f64| limit.is_finite() && *limit > 0.0).map(Some),
    }
}

impl PlannedEval {
    /// The eval of a draft, or all that is wrong with it. Nothing without a suite.
    pub fn of(draft: EvalDraft) -> Option<Result<Self, Vec<PlanFault>>> {
        let suite = draft.suite.get()?;
        Some(Self::of_suite(draft, suite))
    }

    fn of_suite(draft: EvalDraft, suite: Arc<ReadSuite>) -> Result<Self, Vec<PlanFault>> {
        let mut faults = Vec::new();
        let cases = draft.cases();
        // What nobody is asked about is not typed either.
        let asks = draft.asks_models();
        let models = if asks { draft.models() } else { Vec::new() };
        let runs = if asks { whole(&draft.runs(), MOST_RUNS) } else { Some(1) };
        let steps = if asks { draft.steps.with(|steps| whole(steps, MOST_STEPS)) } else { Some(1) };
        let most_cost = if asks { draft.cost.with(|cost| limit(cost)) } else { Some(None) };
        let unclear = smoke::fault(&suite.suite, &cases).filter(|_| !asks && !cases.is_empty());
        faults.extend(unclear.map(PlanFault::Smoke));
        let mut fault = |word: Word, most: u64| faults.push(PlanFault::Chosen { word, most });
        if cases.is_empty() {
            fault(word::EVALS_NEED_CASES, 0);
        }
        match models.len() {
            0 if asks => fault(word::EVALS_NEED_MODEL, 0),
            0..=MOST_MODELS => {}
            _ => fault(word::EVALS_NEED_FEWER_MODELS, wide(MOST_MODELS)),
        }
        if runs.is_none() {
            fault(word::EVALS_NEED_RUNS, MOST_RUNS.into());
        }
        if steps.is_none() {
            fault(word::EVALS_NEED_STEPS, MOST_STEPS.into());
        }
        if most_cost.is_none() {
            fault(word::EVALS_NEED_COST, 0);
        }
        let (url, lets_through) = (draft.address(), draft.lets_through());
        let kind = draft.stage();
        if kind != DraftStage::Suite && !is_page(&url) {
            fault(word::EVALS_NEED_ADDRESS, 0);
        }
        let stage = match kind {
            DraftStage::Live => Some(PlannedStage::Page { url, lets_through }),
            DraftStage::Smoke => Some(PlannedStage::Smoke { url, lets_through }),
            DraftStage::Simulation => Some(PlannedStage::Simulation { url, lets_through }),
            DraftStage::Suite => {
                let tools = draft.tools().filter(|tools| !tools.is_empty());
                if tools.is_none() {
                    fault(word::EVALS_NEED_TOOLS, 0);
                }
                tools.map(PlannedStage::Suite)
            }
        };
        if cases.len() * models.len().max(1) * runs.unwrap_or(1) as usize > MOST_CELLS {
            fault(word::EVALS_NEED_FEWER_RUNS, wide(MOST_CELLS));
        }
        match (runs, steps, most_cost, stage) {
            (Some(runs), Some(steps), Some(most_cost), Some(stage)) if faults.is_empty() => Ok(Self {
                suite,
                cases,
                tags: draft.tags.get(),
                models,
                runs,
                steps,
                most_cost,
                is_bare: asks && draft.is_bare.get(),
                stage,
            }),
            _ => Err(faults),
        }
    }

    /// How many runs there will be.
    pub fn all(&self) -> usize {
        self.cases.len() * self.models.len().max(1) * self.runs as usize
    }

    /// What the input of all runs of a model costs at least: each asks once, with the tools as far as they are known.
    pub fn least_cost(&self, price: &Price, language: Language) -> Cost {
        let tools = match &self.stage {
            PlannedStage::Suite(tools) => tools.iter().map(characters_of_tool).sum(),
            PlannedStage::Page { .. } | PlannedStage::Simulation { .. } | PlannedStage::Smoke { .. } => 0,
        };
        let prompt = match self.is_bare {
            true => count(&EvalPrompt::bare(language, &today()).system),
            // That of the chat is longer.
            false => 0,
        };
        let cases = self.cases.iter().filter_map(|number| self.suite.suite.cases.get(*number));
        let characters: usize = cases.map(|case| characters_of_case(case) + tools + prompt).sum();
        // Far below 2^53.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let tokens = characters as f64 / TOKEN * f64::from(self.runs);
        let input = price.cached.map_or(price.input, |cached| cached.min(price.input));
        Cost { currency: price.currency.clone(), amount: tokens * input / 1_000_000.0 }
    }

    /// What is sent to the worker.
    pub fn plan(&self, language: Language) -> EvalPlan {
        EvalPlan {
            name: self.suite.name.clone(),
            suite: self.suite.text.clone(),
            cases: match self.suite.is_simulations {
                true => saved::planned_simulations(&self.suite.text, &self.cases),
                false => saved::planned(&self.suite.suite, &self.cases),
            },
            stage: match &self.stage {
                PlannedStage::Suite(known) => EvalStage::Suite { tools: tools::text(known) },
                PlannedStage::Page { url, lets_through } => {
                    EvalStage::Page { url: url.clone(), allow_consequential: *lets_through }
                }
                PlannedStage::Simulation { url, lets_through } => {
                    EvalStage::Simulation { url: url.clone(), allow_consequential: *lets_through }
                }
                PlannedStage::Smoke { url, lets_through } => {
                    EvalStage::Smoke { url: url.clone(), allow_consequential: *lets_through }
                }
            },
            models: self.models.clone(),
            runs: self.runs,
            max_steps: self.steps,
            most_cost: self.most_cost,
            bare: self.is_bare,
            browser: browser(),
            tags: self.tags.clone(),
            language,
        }
    }
}

fn count(text: &str) -> usize {
    text.chars().count()
}

fn characters_of_tool(tool: &SuiteTool) -> usize {
    count(&tool.name) + count(&tool.description) + count(&tool.input_schema.to_string())
}

fn characters_of_case(case: &EvalCase) -> usize {
    let characters = |message: &CaseMessage| match message {
        CaseMessage::Said { text, .. } => count(text),
        CaseMessage::Called { name, arguments } => count(name) + count(&arguments.to_string()),
        CaseMessage::Answered { result, .. } => count(&result.to_string()),
    };
    case.messages.iter().map(characters).sum()
}

/// The browser and its version, as `Chrome 150`; empty if it does not say.
pub fn browser() -> String {
    let agent = window().navigator().user_agent().unwrap_or_default();
    let version: String = agent
        .split_once("Chrome/")
        .map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect())
        .unwrap_or_default();
    if version.is_empty() { version } else { format!("Chrome {version}") }
}
