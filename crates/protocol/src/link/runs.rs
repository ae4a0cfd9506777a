//! Runs of tools by hand.

use serde::{Deserialize, Serialize};

use super::{Answer, Command, Domain};
use crate::ids::CallId;
use crate::lint::LintNote;
use crate::tool::ToolRef;
use crate::tool_run::{PlacedMistake, ToolRun};

/// Maximum number of runs that are listed.
pub const MOST_LISTED: usize = 20;

/// Longest arguments of a run, in bytes.
pub const MOST_ARGUMENTS: usize = 1 << 20;

/// Commands for runs by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum RunsCommand {
    /// Send arguments that fit a tool's schema, as far as they can be made up; answered by [`RunsAnswer::Example`].
    Example {
        /// The tool.
        tool: ToolRef,
    },
    /// Check arguments by a tool's schema; answered by [`RunsAnswer::Checked`].
    Check {
        /// The tool.
        tool: ToolRef,
        /// JSON text of the arguments; at most [`MOST_ARGUMENTS`].
        arguments: String,
    },
    /// Run a tool: the click is the user's yes. Answered by [`RunsAnswer::Began`], and by [`RunsAnswer::Ended`] when it
    /// is over. If it asks all the same, it is among the calls that wait for a decision.
    Run {
        /// The tool.
        tool: ToolRef,
        /// [`crate::page_view::ToolSummary::origin`] of the tool as the user sees it.
        origin: String,
        /// Its [`crate::page_view::ToolSummary::digest`].
        digest: String,
        /// JSON text of the arguments, which the tool gets as it is; at most [`MOST_ARGUMENTS`].
        arguments: String,
        /// Send arguments that do not fit the schema.
        unchecked: bool,
        /// Look at the page before and after the run ([`ToolRun::page`]).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        watch: bool,
    },
    /// Stop a run.
    Stop {
        /// Its id.
        call_id: CallId,
    },
    /// Send the runs of a tool; answered by [`RunsAnswer::Listed`].
    List {
        /// The tool.
        tool: ToolRef,
    },
    /// Send the runs of all tools of some sites; answered by [`RunsAnswer::Listed`].
    ListAll {
        /// Their origins ([`ToolRun::origin`]); every site if there are none.
        origins: Vec<String>,
    },
    /// Say what is wrong with what a run came to, for the tool's developer; answered by [`RunsAnswer::LintedResult`].
    LintResult {
        /// The tool.
        tool: ToolRef,
        /// The run's id.
        call_id: CallId,
    },
    /// Forget all runs.
    Clear,
}

/// Answers a [`RunsCommand`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum RunsAnswer {
    /// Arguments for a tool.
    Example {
        /// JSON text of an object; absent if the tool is gone.
        arguments: Option<String>,
    },
    /// What is wrong with arguments.
    Checked {
        /// In the order in which they were found; empty also if the schema cannot be used.
        mistakes: Vec<PlacedMistake>,
    },
    /// A run began.
    Began {
        /// Its id.
        call_id: CallId,
    },
    /// A run is over.
    Ended {
        /// The run.
        run: Box<ToolRun>,
    },
    /// The runs that were asked for.
    Listed {
        /// Newest first; of one tool the newest [`MOST_LISTED`].
        runs: Vec<ToolRun>,
        /// How many are remembered altogether.
        kept: usize,
    },
    /// What is wrong with what a run came to.
    LintedResult {
        /// The worst first, without those of rules that are off for the page's origin; empty also if nobody could look.
        notes: Vec<LintNote>,
    },
}

impl Domain for RunsCommand {
    type Answer = RunsAnswer;

    fn command(self) -> Command {
        Command::Runs(self)
    }

    fn answer(answer: Answer) -> Option<RunsAnswer> {
        if let Answer::Runs(answer) = answer { Some(answer) } else { None }
    }
}
