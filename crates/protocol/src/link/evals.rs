//! Evals.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answer, Command, Domain, PanelEvent};
use crate::eval::{EvalEntry, EvalId, EvalPlan, SavedEval, SuiteCheck};

/// Commands for evals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EvalsCommand {
    /// Send the evals that are kept; answered by [`EvalsAnswer::Listed`].
    List,
    /// Send all that is kept of an eval; answered by [`EvalsAnswer::Opened`], and by [`EvalsAnswer::More`] as often as it takes.
    /// It is whole when the request is done.
    Open {
        /// Its id.
        id: EvalId,
    },
    /// Say what is wrong with a suite; answered by [`EvalsAnswer::Checked`].
    Check {
        /// The suite: text of a file.
        suite: String,
        /// Its tools, if they are known: text of a file.
        tools: Option<String>,
    },
    /// Run a suite: the click is the user's yes to all its runs. Answered by [`EvalsAnswer::Started`]. Only one eval is run
    /// at a time.
    Start {
        /// What is run.
        plan: Box<EvalPlan>,
    },
    /// Stop the eval that is being run. The runs that were made stay.
    Stop {
        /// Its id.
        id: EvalId,
    },
    /// Make the runs that an eval lacks. Answered by [`EvalsAnswer::Started`].
    Resume {
        /// Its id.
        id: EvalId,
    },
    /// Forget an eval.
    Delete {
        /// Its id.
        id: EvalId,
    },
}

/// Answers an [`EvalsCommand`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EvalsAnswer {
    /// The evals that are kept.
    Listed {
        /// Newest first.
        evals: Vec<EvalEntry>,
    },
    /// What is kept of an eval, without its runs.
    Opened {
        /// Absent if there is no such eval.
        eval: Option<Box<SavedEval>>,
    },
    /// Further runs of the eval that is being opened.
    More {
        /// As in [`SavedEval::records`].
        records: Vec<Value>,
    },
    /// What is wrong with a suite.
    Checked {
        /// `None` if nobody could look.
        notes: Option<Vec<SuiteCheck>>,
    },
    /// An eval is run.
    Started {
        /// Its id.
        id: EvalId,
    },
}

/// What panels are told of evals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EvalsEvent {
    /// An eval began, was stopped, is over, or made a run.
    Changed {
        /// How far it is.
        entry: EvalEntry,
        /// The run that was made, as in [`SavedEval::records`], or what a question came to until now; absent if another thing
        /// changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record: Option<Value>,
    },
    /// An eval was forgotten.
    Deleted {
        /// Its id.
        id: EvalId,
    },
}

impl From<EvalsAnswer> for Answer {
    fn from(answer: EvalsAnswer) -> Self {
        Self::Evals(serde_json::to_value(answer).unwrap_or_default())
    }
}

impl From<EvalsEvent> for PanelEvent {
    fn from(event: EvalsEvent) -> Self {
        Self::Evals(serde_json::to_value(event).unwrap_or_default())
    }
}

impl Domain for EvalsCommand {
    type Answer = EvalsAnswer;

    fn command(self) -> Command {
        Command::Evals(self)
    }

    fn answer(answer: Answer) -> Option<EvalsAnswer> {
        if let Answer::Evals(answer) = answer { serde_json::from_value(answer).ok() } else { None }
    }
}
