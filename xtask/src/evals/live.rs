//! Runs in a page: it is loaded anew for each, and answers the calls.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use sidecar_evals::page::ListedTool;
use sidecar_evals::reason::RunReason;
use sidecar_evals::report::SiteFacts;
use sidecar_evals::scripted::EvalScript;
use sidecar_locales::quoted;

use super::lead::TimeLimit;
use super::model::EvalModel;
use super::options::RunOptions;
use super::page::PageProgram;
use crate::e2e::SuiteSetup;

/// The longest time that a run may take.
const LONGEST_RUN: Duration = Duration::from_secs(5 * 60);

/// Maximum characters of a tool's name in a line.
const MOST_NAME: usize = 60;

/// A page in which runs are made, one after the other.
pub(super) struct LivePage {
    page: Mutex<PageProgram>,
    /// What is known of it.
    pub facts: SiteFacts,
    /// Its tools, as they were at first.
    pub tools: Vec<ListedTool>,
    /// Whether calls of consequential tools reach it.
    pub allow_consequential: bool,
}

/// Opens a page in a browser with the extension, and looks at its tools; `Err` inside if it cannot be used.
pub(super) fn open(
    url: &str,
    options: &RunOptions,
    models: &[EvalModel],
) -> Result<Result<LivePage, RunReason>> {
    let mut node = SuiteSetup::built()?.node();
    for model in models {
        // The browser's processes are told nothing of the keys.
        node.env_remove(model.key_variable());
    }
    let more: &[&str] =
        if options.native { &["--with-extension", "--native"] } else { &["--with-extension"] };
    let mut page = PageProgram::start(node, url, more)?;
    let looked = page.open().and_then(|facts| Ok((facts, listed(&mut page)?)));
    let (facts, tools) = match looked {
        Ok(looked) => looked,
        Err(reason) => return Ok(Err(reason)),
    };
    let allow_consequential = options.allow_consequential;
    let consequential = tools.iter().filter(|tool| tool.is_consequential());
    let names: Vec<_> = consequential.map(|tool| quoted(tool.name(), MOST_NAME)).collect();
    if !names.is_empty() {
        let what = if allow_consequential {
            "and their calls reach the page"
        } else {
            "so that the suite answers their calls, or the case is skipped; --allow-consequential lets them reach the page"
        };
        eprintln!("  · consequential tools: {}, {what}", names.join(", "));
    }
    Ok(Ok(LivePage { page: Mutex::new(page), facts, tools, allow_consequential }))
}

/// The tools of a page that was just loaded.
fn listed(page: &mut PageProgram) -> Result<Vec<ListedTool>, RunReason> {
    let tools = page.list()?;
    if tools.is_empty() { Err(RunReason::NoTools) } else { Ok(tools) }
}

impl LivePage {
    /// Loads the page anew, for a run.
    pub fn begin(
        &self,
        script: Option<&EvalScript>,
    ) -> Result<(MutexGuard<'_, PageProgram>, TimeLimit), RunReason> {
        // What a panic left behind is good enough: the page is loaded anew.
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let most = script.and_then(EvalScript::most_ms).map_or(LONGEST_RUN, Duration::from_millis);
        let limit = TimeLimit::of(most.min(LONGEST_RUN));
        page.open()?;
        Ok((page, limit))
    }
}
