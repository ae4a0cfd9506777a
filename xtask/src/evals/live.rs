//! Runs in a page: it is loaded anew for each, and answers the calls.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;
use sidecar_evals::EvalCase;
use sidecar_evals::consent::HeldCalls;
use sidecar_evals::offer::EvalOffer;
use sidecar_evals::page::{ListedTool, PageResult};
use sidecar_evals::prompt::EvalPrompt;
use sidecar_evals::reason::RunReason;
use sidecar_evals::report::SiteFacts;
use sidecar_evals::run::OpenCall;
use sidecar_evals::scripted::EvalScript;
use sidecar_locales::quoted;

use super::model::EvalModel;
use super::options::RunOptions;
use super::page::EvalPage;
use super::source::{TimeLimit, ToolSource, offer};
use crate::e2e::SuiteSetup;

/// The longest time that a run may take.
const LONGEST_RUN: Duration = Duration::from_secs(5 * 60);

/// Maximum characters of a tool's name in a line.
const MOST_NAME: usize = 60;

/// A page in which runs are made, one after the other.
pub(super) struct LivePage {
    page: Mutex<EvalPage>,
    /// What is known of it.
    pub facts: SiteFacts,
    /// Its tools, as they were at first.
    pub tools: Vec<ListedTool>,
    allows_consequential: bool,
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
    let mut page = EvalPage::start(node, url, more)?;
    let looked = page.open().and_then(|facts| Ok((facts, listed(&mut page)?)));
    let (facts, tools) = match looked {
        Ok(looked) => looked,
        Err(reason) => return Ok(Err(reason)),
    };
    let allows_consequential = options.allow_consequential;
    let consequential = tools.iter().filter(|tool| tool.is_consequential());
    let names: Vec<_> = consequential.map(|tool| quoted(tool.name(), MOST_NAME)).collect();
    if !names.is_empty() {
        let what = if allows_consequential {
            "and their calls reach the page"
        } else {
            "so that the suite answers their calls, or the case is skipped; --allow-consequential lets them reach the page"
        };
        eprintln!("  · consequential tools: {}, {what}", names.join(", "));
    }
    Ok(Ok(LivePage { page: Mutex::new(page), facts, tools, allows_consequential }))
}

/// The tools of a page that was just loaded.
fn listed(page: &mut EvalPage) -> Result<Vec<ListedTool>, RunReason> {
    let tools = page.list()?;
    if tools.is_empty() { Err(RunReason::NoTools) } else { Ok(tools) }
}

impl LivePage {
    /// Loads the page anew, for a run.
    pub fn begin<'r>(
        &'r self,
        case: &'r EvalCase,
        script: Option<&EvalScript>,
        model: &'r EvalModel,
        prompt: &'r EvalPrompt,
    ) -> Result<PageSource<'r>, RunReason> {
        // What a panic left behind is good enough: the page is loaded anew.
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let most = script.and_then(EvalScript::most_ms).map_or(LONGEST_RUN, Duration::from_millis);
        let limit = TimeLimit::of(most.min(LONGEST_RUN));
        page.open()?;
        let held = || script.map_or_else(|| HeldCalls::of(case), |_| HeldCalls::without_answers());
        let held = (!self.allows_consequential).then(held);
        let mut source = PageSource { page, held, model, prompt, offer: None, limit };
        if let Some(script) = script {
            source.set_up(script)?;
        }
        Ok(source)
    }
}

/// How often a tool that changes is judged anew before its call is given up.
const LISTINGS: usize = 3;

/// What a model is told of such a tool.
const CHANGES: &str = "The call was not made: the page keeps changing the tool.";

/// The page, for one run.
pub(super) struct PageSource<'r> {
    page: MutexGuard<'r, EvalPage>,
    /// The calls that do not reach it, unless all may.
    held: Option<HeldCalls<'r>>,
    model: &'r EvalModel,
    prompt: &'r EvalPrompt,
    offer: Option<EvalOffer>,
    limit: TimeLimit,
}

impl PageSource<'_> {
    /// Makes the calls before the model begins.
    fn set_up(&mut self, script: &EvalScript) -> Result<(), RunReason> {
        self.offer()?;
        for (name, arguments) in script.setup() {
            let tool = || name.to_owned();
            match self.call(name, arguments)? {
                PageResult::Answered(_) => {}
                PageResult::Missing => return Err(RunReason::UnknownTool { tool: tool() }),
                PageResult::Failed(text) => return Err(RunReason::ToolError { tool: tool(), text }),
            }
        }
        Ok(())
    }

    /// What of the page is not as a script wants it in the end.
    pub fn judge(&mut self, script: &EvalScript) -> Result<Vec<RunReason>, RunReason> {
        script.judge(&self.page.look(script.looks())?)
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Result<PageResult, RunReason> {
        let Some(held) = &mut self.held else { return self.page.call(name, arguments) };
        for _ in 0..LISTINGS {
            if let Some(answer) = held.answer(name)? {
                return Ok(answer);
            }
            if let Some(result) = self.page.call_as_listed(name, arguments)? {
                return Ok(result);
            }
            // The page registered it after the last list, or as something else: it is judged anew.
            held.listed(&self.page.list()?)?;
        }
        Ok(PageResult::Failed(CHANGES.to_owned()))
    }
}

impl ToolSource for PageSource<'_> {
    fn offer(&mut self) -> Result<&EvalOffer, RunReason> {
        // Tools may go in a run; without any at its beginning there is nothing to try.
        let tools = if self.offer.is_some() { self.page.list()? } else { listed(&mut self.page)? };
        if let Some(held) = &mut self.held {
            held.listed(&tools)?;
        }
        let tools: Vec<_> = tools.iter().map(ListedTool::to_suite).collect();
        Ok(self.offer.insert(offer(&tools, self.model, self.prompt)))
    }

    fn answer(&mut self, call: &OpenCall) -> Result<PageResult, RunReason> {
        self.call(&call.name, &call.arguments)
    }

    fn limit(&self) -> Option<TimeLimit> {
        Some(self.limit)
    }
}
