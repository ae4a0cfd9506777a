//! Runs of tools by hand.

use sidecar_agent::{Target, UserCommand};
use sidecar_protocol::link::runs::{MOST_ARGUMENTS, MOST_LISTED};
use sidecar_protocol::link::{Answer, Refusal, RunsAnswer, RunsCommand};
use sidecar_protocol::lint::{InspectedRun, LintQuestion};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::policy::Policy;
use sidecar_protocol::thread::ToolFailure;
use sidecar_protocol::tool_run::ToolRun;
use sidecar_protocol::{CallId, Risk, ToolRef};

use super::Actor;
use super::code_parts::CodeParts;
use super::hand_run_task::HandRunTask;
use super::replies::Answered;
use crate::event::Asker;
use crate::lint_rules::without;
use crate::tool_runs::run_id;

impl<B: CodeParts> Actor<B> {
    pub(super) async fn runs(&mut self, asker: Asker, command: RunsCommand) -> Answered {
        match command {
            RunsCommand::Example { tool } => {
                let Some((_, schema)) = self.tabs.details(&tool) else {
                    return Ok(Some(Answer::Runs(RunsAnswer::Example { arguments: None })));
                };
                let browser = self.browser.clone();
                self.later(asker, async move {
                    let arguments = Some(browser.example(&schema).await);
                    Ok(Answer::Runs(RunsAnswer::Example { arguments }))
                })
            }
            RunsCommand::Check { tool, arguments } => {
                if arguments.len() > MOST_ARGUMENTS {
                    return Err(Refusal::BadMessage);
                }
                let schema = self.tabs.details(&tool).map(|(_, schema)| schema).unwrap_or_default();
                let browser = self.browser.clone();
                self.later(asker, async move {
                    let mistakes = match schema.is_empty() {
                        true => Vec::new(),
                        false => browser.mistakes(&schema, &arguments).await,
                    };
                    Ok(Answer::Runs(RunsAnswer::Checked { mistakes }))
                })
            }
            RunsCommand::Run { tool, origin, digest, arguments, unchecked, watch } => {
                if arguments.len() > MOST_ARGUMENTS {
                    return Err(Refusal::BadMessage);
                }
                self.run_by_hand(asker, &tool, (origin, digest), arguments, (unchecked, watch));
                Ok(None)
            }
            RunsCommand::Stop { call_id } => {
                self.turns.tell_call(&call_id, UserCommand::Stop);
                Ok(Some(Answer::Done))
            }
            RunsCommand::List { tool } => {
                let runs = match self.tabs.placed(&tool) {
                    Some((_, origin)) => self.tool_runs.of(&origin, tool.name(), MOST_LISTED).await,
                    None => Vec::new(),
                };
                let kept = self.tool_runs.count().await;
                Ok(Some(Answer::Runs(RunsAnswer::Listed { runs, kept })))
            }
            RunsCommand::ListAll { origins } => {
                let runs = self.tool_runs.of_sites(&origins).await;
                let kept = self.tool_runs.count().await;
                Ok(Some(Answer::Runs(RunsAnswer::Listed { runs, kept })))
            }
            RunsCommand::LintResult { tool, call_id } => self.lint_result(asker, &tool, &call_id).await,
            RunsCommand::Clear => {
                self.tool_runs.clear().await;
                Ok(Some(Answer::Done))
            }
        }
    }

    /// Has what a run came to looked at. Only a page's own tools have a developer who asks.
    async fn lint_result(&mut self, asker: Asker, tool: &ToolRef, call: &CallId) -> Answered {
        let run =
            self.tool_runs.with_id(call).await.filter(|run| tool.page().is_some() && run.tool == tool.name());
        let Some(run) = run else {
            return Ok(Some(Answer::Runs(RunsAnswer::LintedResult { notes: Vec::new() })));
        };
        // A tool that was changed since may have had another schema.
        let then = self.tabs.current_tool(tool).filter(|now| now.fingerprint.0 == run.digest);
        let run =
            InspectedRun { run: ToolRun { page: None, ..run }, schema: then.and_then(|tool| tool.schema) };
        let question = LintQuestion {
            language: self.language(asker.link),
            tools: Vec::new(),
            facts: Vec::new(),
            profile: None,
            on: Vec::new(),
            run: Some(run),
        };
        let off = self.lint_rules.off(&self.origin_shown(asker.link)).await;
        let browser = self.browser.clone();
        self.later(asker, async move {
            let notes = without(browser.lint(&question).await.unwrap_or_default(), &off);
            Ok(Answer::Runs(RunsAnswer::LintedResult { notes }))
        })
    }

    fn run_by_hand(
        &mut self,
        asker: Asker,
        tool: &ToolRef,
        (origin, digest): (String, String),
        arguments: String,
        (unchecked, watches): (bool, bool),
    ) {
        let id = run_id(&self.browser.moment().nonce);
        let language = self.language(asker.link);
        let (target, schema) = self.target_by_hand(tool, &origin, &digest);
        let is_off = self.tabs.current_tool(tool).is_some_and(|tool| tool.policy == Some(Policy::Off));
        let task = HandRunTask {
            inbox: self.turns.begin_call(&id),
            id,
            target,
            tool: tool.clone(),
            seen: (origin, digest),
            schema,
            arguments,
            unchecked,
            watches,
            is_off,
            keys: self.settings.access("").keys,
            rules: self.rules(language),
            replies: self.replies(asker),
            disk: self.history.database(),
            browser: self.browser.clone(),
        };
        self.browser.spawn_awake(async move { B::make_hand_run(task).await });
    }

    /// A tool as the user saw it, and its schema. A tool that the page has changed since is another one.
    fn target_by_hand(
        &self,
        tool: &ToolRef,
        seen_on: &str,
        digest: &str,
    ) -> (Result<Target, ToolFailure>, Option<String>) {
        let is_own = match tool {
            ToolRef::Page(_) | ToolRef::Skill { .. } => true,
            ToolRef::Browser { .. } | ToolRef::Mcp { .. } => false,
        };
        let current = self.tabs.current_tool(tool).filter(|_| is_own);
        let (Some(current), Some((site, origin))) = (current, self.tabs.placed(tool)) else {
            return (Err(ToolFailure::Page(FailureCode::NotFound)), None);
        };
        if current.fingerprint.0 != digest || origin != seen_on {
            return (Err(ToolFailure::Changed), current.schema);
        }
        let skill = match tool {
            ToolRef::Skill { skill, .. } => self.release_of(skill),
            ToolRef::Page(_) | ToolRef::Browser { .. } | ToolRef::Mcp { .. } => None,
        };
        let target = Target {
            tool: tool.clone(),
            site,
            origin,
            read_only: current.risk == Risk::ReadOnly,
            consequential: current.risk == Risk::Consequential,
            fingerprint: Some(current.fingerprint),
            skill,
        };
        (Ok(target), current.schema)
    }

    pub(super) async fn hand_run_over(&mut self, run: ToolRun) {
        self.turns.end_call(&run.call_id);
        self.attention.asks_no_more(&run.call_id);
        self.tool_runs.add(run).await;
    }
}
