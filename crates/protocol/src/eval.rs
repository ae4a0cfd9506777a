//! Evals that the extension runs: a suite with models, as the user chose it, and what is kept of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lint::NoteWeight;
use crate::settings::{Language, ModelChoice};
use crate::thread::Cost;
use crate::{CallId, TabId, Timestamp};

/// Names an eval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EvalId(pub String);

/// How ids of calls of evals begin.
const OF_CALL: &str = "eval.";

impl EvalId {
    /// The id of a call that is made in an eval. `nonce` never comes twice.
    #[must_use]
    pub fn call(nonce: &str) -> CallId {
        CallId(format!("{OF_CALL}{nonce}"))
    }

    /// Whether a call is made in an eval.
    #[must_use]
    pub fn is_of_call(call: &CallId) -> bool {
        call.0.starts_with(OF_CALL)
    }
}

/// What is run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalPlan {
    /// Name of the suite.
    pub name: String,
    /// The suite, or the simulations, as they were read: text of their file.
    pub suite: String,
    /// The cases that are run.
    pub cases: Vec<PlannedCase>,
    /// Who has the tools and answers their calls.
    pub stage: EvalStage,
    /// The models; none where nobody is asked ([`EvalStage::Smoke`]).
    pub models: Vec<ModelChoice>,
    /// Runs of each case with each model.
    pub runs: u32,
    /// Answers that a model has in a run.
    pub max_steps: u32,
    /// No further run is begun when this much is spent, in any currency; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_cost: Option<f64>,
    /// The language of the prompt.
    pub language: Language,
    /// Whether models read a short prompt instead of that of the chat.
    pub bare: bool,
    /// The browser and its version, for the report.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub browser: String,
    /// Only cases with one of these tags were picked; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// A case that is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCase {
    /// Its number in the suite, from 0.
    pub number: usize,
    /// A suite, or a file of simulations, of this case alone: text of a file.
    pub suite: String,
}

/// Who has the tools of an eval and answers their calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EvalStage {
    /// The suite, with what its cases have for them.
    Suite {
        /// The tools: text of a file with tools.
        tools: String,
    },
    /// A page, in a tab of its own, loaded anew for each run.
    Page {
        /// Its address: http or https.
        url: String,
        /// Whether calls of consequential tools reach it. If not, the case answers them, or is skipped.
        allow_consequential: bool,
    },
    /// A page as for [`EvalStage::Page`], in which the expected calls of each case are made once, without a model.
    Smoke {
        /// Its address: http or https.
        url: String,
        /// Whether calls of consequential tools reach it. If not, a case ends, and is skipped, where one comes.
        allow_consequential: bool,
    },
    /// A page as for [`EvalStage::Page`], which is set up before each run, and judged in the end by what it shows. The suite is a
    /// file of scripted simulations, and each case one of it.
    Simulation {
        /// Its address: http or https.
        url: String,
        /// Whether calls of consequential tools reach it. If not, a run ends, and is skipped, where one comes.
        allow_consequential: bool,
    },
    /// The page that a tab shows, as it is: nothing is loaded and nothing closed, and the user is asked about its calls as in
    /// the chat. One case is run once, with one model.
    Shown {
        /// The tab.
        tab: TabId,
        /// The address of its page: tools of other origins are left out.
        url: String,
    },
}

impl Default for EvalStage {
    fn default() -> Self {
        Self::Suite { tools: String::new() }
    }
}

/// How far an eval is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EvalState {
    /// It is being run.
    #[default]
    Running,
    /// The user stopped it, or the browser was closed: it can be resumed, if it is no question.
    Stopped,
    /// All its runs are made.
    Done,
}

/// An eval in a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvalEntry {
    /// Its id.
    pub id: EvalId,
    /// Name of the suite.
    pub name: String,
    /// When it was started.
    pub started: Timestamp,
    /// How far it is.
    pub state: EvalState,
    /// The runs that were made.
    pub made: usize,
    /// The runs that there will be.
    pub all: usize,
    /// The models, as `provider:model`, or what stands for one where nobody is asked.
    pub models: Vec<String>,
    /// Whether a page has the tools.
    pub is_live: bool,
    /// Whether it is a question to a model ([`EvalStage::Shown`]), and no eval.
    #[serde(default)]
    pub is_question: bool,
    /// Whether nobody is asked ([`EvalStage::Smoke`]).
    #[serde(default)]
    pub is_smoke: bool,
    /// How long it was run until now, in milliseconds, breaks left out.
    pub ms: u64,
    /// What it cost, in each currency.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<Cost>,
}

/// An eval with all that is kept of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedEval {
    /// How far it is.
    pub entry: EvalEntry,
    /// What is run.
    pub plan: EvalPlan,
    /// The runs that were made, in the order in which they ended: each what the crate for evals reads as a run with its
    /// circumstances (`sidecar_evals::exchange::LedRecord`).
    pub records: Vec<Value>,
}

/// Something in a suite that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteCheck {
    /// What it means.
    pub weight: NoteWeight,
    /// What is wrong: a sentence.
    pub text: String,
}

/// A suite that is to be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteQuestion {
    /// The language of the answer.
    pub language: Language,
    /// The suite: text of a file.
    pub suite: String,
    /// Its tools, if they are known: text of a file.
    pub tools: Option<String>,
}
