//! Tests of runs by hand.

use sidecar_protocol::call_log::CallOutcome;
use sidecar_protocol::link::{PageAnswer, PageCommand, RunsAnswer, RunsCommand};
use sidecar_protocol::page::{ToolResult, names};
use sidecar_protocol::page_view::ToolSummary;
use sidecar_protocol::policy::{AllowedBy, AskReason};
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::tool::Caller;
use sidecar_protocol::tool_run::ToolRun;

use super::*;

impl ActorWorld {
    /// The tool of this name as the panel shows it.
    fn shown_tool(&mut self, name: &str) -> ToolSummary {
        let (_, welcome) = self.open_panel(OTHER_PANEL, WINDOW);
        let mut tools = welcome.page.tools.into_iter();
        tools.find(|tool| tool.tool.name() == name).unwrap()
    }

    /// The page answers so many calls.
    pub(super) fn page_answers(&self, calls: usize) {
        let result = ToolResult {
            kind: names::TOOL_RESULT.to_owned(),
            request_id: "".into(),
            ok: true,
            result: Some("bought".to_owned()),
            error: None,
            code: None,
        };
        self.browser.0.results.borrow_mut().extend(vec![Ok(result); calls]);
    }

    fn run_by_hand(&mut self, tool: &ToolSummary, arguments: &str, unchecked: bool) {
        let command = RunsCommand::Run {
            tool: tool.tool.clone(),
            origin: tool.origin.clone(),
            digest: tool.digest.clone(),
            arguments: arguments.to_owned(),
            unchecked,
            watch: false,
        };
        self.ask(PANEL, Command::Runs(command));
    }

    fn runs_of(&mut self, heard: &PanelMessages, tool: &ToolSummary) -> Vec<ToolRun> {
        heard.forget();
        self.ask(PANEL, Command::Runs(RunsCommand::List { tool: tool.tool.clone() }));
        match exactly(heard.replies()) {
            [(_, Ok(Answer::Runs(RunsAnswer::Listed { runs, .. })))] => runs,
            [other] => panic!("{other:?}"),
        }
    }
}

/// The run that ended last.
fn ended(heard: &PanelMessages) -> ToolRun {
    match heard.replies().pop() {
        Some((_, Ok(Answer::Runs(RunsAnswer::Ended { run })))) => *run,
        other => panic!("{other:?}"),
    }
}

fn asking(heard: &PanelMessages) -> Vec<Vec<AskReason>> {
    let last = heard.events().into_iter().rev().find_map(|event| match event {
        PanelEvent::Approvals(waiting) => Some(waiting),
        _ => None,
    });
    last.unwrap_or_default().into_iter().filter_map(|one| one.item).map(|item| item.approval.why).collect()
}

fn decide(world: &mut ActorWorld, heard: &PanelMessages, decision: &str) {
    let approvals = heard.events().into_iter().rev().find_map(|event| match event {
        PanelEvent::Approvals(waiting) => waiting.first().map(|one| one.call_id.clone()),
        _ => None,
    });
    let decide = json!({"callId": approvals.unwrap(), "decision": decision, "words": ""});
    world.ask_json(PANEL, json!({"turn": {"control": {"decide": decide}}}));
    world.pass(100);
}

fn with_tool() -> (ActorWorld, PanelMessages, ToolSummary) {
    let mut world = ActorWorld::new();
    world.tell_tools(&["look"]);
    let heard = world.panel();
    let tool = world.shown_tool("look");
    (world, heard, tool)
}

#[test]
fn click_is_the_yes_and_the_run_is_in_history_and_log() {
    let (mut world, heard, tool) = with_tool();
    world.page_answers(1);
    world.ask_json(PANEL, json!({"settings": {"save": {"settings": {"mode": "confirm"}}}}));
    world.run_by_hand(&tool, "{\"n\": 1e3}", false);
    world.pass(1_000);
    let run = ended(&heard);
    assert!(matches!(run.outcome, ToolOutcome::Ok { .. }), "{run:?}");
    assert_eq!((run.arguments.as_str(), run.tool.as_str()), ("{\"n\": 1e3}", "look"));
    assert_eq!((run.tab, run.frame), (Some(TAB), Some(FrameId::TOP)));
    assert_eq!(world.runs_of(&heard, &tool), [run]);
    let logged = world.browser.0.disk.calls();
    let [call] = logged.as_slice() else { panic!("{logged:?}") };
    assert_eq!((&call.caller, call.allowed_by), (&Caller::User, Some(AllowedBy::User)));
    assert_eq!(call.outcome, CallOutcome::Ok);
    let mut world = world.restart();
    world.tell_tools(&["look"]);
    let heard = world.panel();
    assert_eq!(world.runs_of(&heard, &tool).len(), 1, "it outlives the worker");
    world.ask(PANEL, Command::Runs(RunsCommand::Clear));
    assert_eq!(world.runs_of(&heard, &tool), []);
}

#[test]
fn tool_that_is_off_asks_once_and_runs_if_the_user_says_so() {
    let (mut world, heard, tool) = with_tool();
    let key = json!({"tool": {"origin": "https://shop.example", "name": "look"}});
    world.ask_json(PANEL, json!({"policies": {"set": {"key": key, "policy": "off"}}}));
    world.run_by_hand(&tool, "{}", false);
    world.pass(100);
    assert_eq!(asking(&heard), [[AskReason::SwitchedOff]]);
    decide(&mut world, &heard, "decline");
    assert_eq!(ended(&heard).outcome, ToolOutcome::Declined);
    world.page_answers(1);
    world.run_by_hand(&tool, "{}", false);
    world.pass(100);
    decide(&mut world, &heard, "run");
    world.pass(1_000);
    assert!(matches!(ended(&heard).outcome, ToolOutcome::Ok { .. }), "{:?}", ended(&heard));
    assert_eq!(asking(&heard), [] as [Vec<AskReason>; 0]);
}

#[test]
fn what_is_no_object_or_another_tool_by_now_does_not_run() {
    let (mut world, heard, tool) = with_tool();
    let failed = |world: &mut ActorWorld, tool: &ToolSummary, arguments: &str| {
        world.run_by_hand(tool, arguments, true);
        world.pass(1_000);
        match ended(&heard).outcome {
            ToolOutcome::Failed { code, .. } => code,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(failed(&mut world, &tool, "[1]"), ToolFailure::BadArguments);
    let changed = ToolSummary { digest: "another".to_owned(), ..tool.clone() };
    assert_eq!(failed(&mut world, &changed, "{}"), ToolFailure::Changed);
    let elsewhere = ToolSummary { origin: "https://other.example".to_owned(), ..tool.clone() };
    assert_eq!(failed(&mut world, &elsewhere, "{}"), ToolFailure::Changed);
    world.tell_tools(&[]);
    assert!(matches!(failed(&mut world, &tool, "{}"), ToolFailure::Page(_)));
    let told = world.browser.take_told();
    assert!(!told.iter().any(|told| told.starts_with("call look")), "nothing reached the page: {told:?}");
    let command = RunsCommand::Run {
        tool: tool.tool.clone(),
        origin: tool.origin.clone(),
        digest: tool.digest.clone(),
        arguments: " ".repeat((1 << 20) + 1),
        unchecked: true,
        watch: false,
    };
    heard.forget();
    world.ask(PANEL, Command::Runs(command));
    assert!(matches!(exactly(heard.replies()), [(_, Err(Refusal::BadMessage))]));
}

#[test]
fn inspector_case_54_private_window_saves_no_run() {
    let mut world = ActorWorld::of(with_provider(), Disk::default(), true);
    world.tell_tools(&["look"]);
    let heard = world.panel();
    let tool = world.shown_tool("look");
    world.page_answers(1);
    world.run_by_hand(&tool, "{}", false);
    world.pass(1_000);
    assert_eq!(world.runs_of(&heard, &tool).len(), 1);
    assert!(!world.browser.0.storage.session.names().contains(&"toolRuns".to_owned()));
    assert_eq!(world.browser.0.disk.calls(), []);
}

#[test]
fn tools_that_the_page_registered_are_looked_at_for_their_developer() {
    let (mut world, heard, _) = with_tool();
    heard.forget();
    world.ask(PANEL, Command::Page(PageCommand::Lint));
    world.pass(100);
    let [(_, answer)] = exactly(heard.replies());
    let Ok(Answer::Page(PageAnswer::Linted { notes: Some(notes), .. })) = answer else {
        panic!("{answer:?}")
    };
    let [note] = exactly(notes);
    assert_eq!((note.tool.as_str(), note.message.as_str()), ("look", "https://shop.example"));
}

#[test]
fn tools_are_looked_at_for_the_model_in_use() {
    let (mut world, heard, _) = with_tool();
    let profile_told = |world: &mut ActorWorld| {
        heard.forget();
        world.ask(PANEL, Command::Page(PageCommand::Lint));
        world.pass(100);
        match exactly(heard.replies()) {
            [(_, Ok(Answer::Page(PageAnswer::Linted { notes: Some(notes), .. })))] => {
                notes.into_iter().map(|note| note.excerpt).collect::<Vec<_>>()
            }
            [other] => panic!("{other:?}"),
        }
    };
    assert_eq!(profile_told(&mut world), ["Some(Portable)"]);
    world.ask_json(PANEL, json!({"settings": {"save": {"settings": {"provider": "gemini"}}}}));
    assert_eq!(profile_told(&mut world), ["Some(Full)"]);
}

#[test]
fn what_a_run_came_to_is_looked_at_with_the_schema_of_that_time_alone() {
    const SCHEMA: &str = r#"{"type":"object"}"#;
    let mut world = ActorWorld::new();
    let described = json!({"name": "look", "description": "Does look.", "inputSchema": SCHEMA});
    world.relay(&RelayMessage::ToolsChanged {
        backend: Backend::Native,
        tools: vec![serde_json::from_value(described).unwrap()],
        total: 1,
        blocked: false,
        skills: false,
    });
    let heard = world.panel();
    let tool = world.shown_tool("look");
    world.page_answers(1);
    world.run_by_hand(&tool, "{}", false);
    world.pass(1_000);
    let call_id = ended(&heard).call_id;
    let told = |world: &mut ActorWorld, tool: &ToolSummary, call_id: &sidecar_protocol::CallId| {
        heard.forget();
        let command = RunsCommand::LintResult { tool: tool.tool.clone(), call_id: call_id.clone() };
        world.ask(PANEL, Command::Runs(command));
        world.pass(100);
        match exactly(heard.replies()) {
            [(_, Ok(Answer::Runs(RunsAnswer::LintedResult { notes })))] => notes,
            [other] => panic!("{other:?}"),
        }
    };
    let [note] = exactly(told(&mut world, &tool, &call_id));
    let note = (note.tool, note.message, note.excerpt);
    assert_eq!(note, ("look".to_owned(), "bought".to_owned(), SCHEMA.to_owned()));
    assert_eq!(told(&mut world, &tool, &"another".into()), []);
    world.tell_tools(&["look"]);
    let [note] = exactly(told(&mut world, &tool, &call_id));
    assert_eq!((note.message.as_str(), note.excerpt.as_str()), ("bought", ""));
    let off = json!({"origin": "https://shop.example", "rule": "fake", "off": true});
    world.ask_json(PANEL, json!({"page": {"switchRule": off}}));
    assert_eq!(told(&mut world, &tool, &call_id), []);
}

#[test]
fn example_is_asked_for_and_a_run_can_be_stopped() {
    let (mut world, heard, tool) = with_tool();
    heard.forget();
    world.ask(PANEL, Command::Runs(RunsCommand::Example { tool: tool.tool.clone() }));
    world.pass(100);
    let [(_, answer)] = exactly(heard.replies());
    assert!(matches!(answer, Ok(Answer::Runs(RunsAnswer::Example { arguments: Some(_) }))), "{answer:?}");
    heard.forget();
    world.run_by_hand(&tool, "{}", false);
    world.pass(100);
    assert_eq!(heard.replies(), []);
    let began = heard.0.borrow().iter().find_map(|message| match message {
        WorkerMessage::Reply(Reply { result: Ok(Answer::Runs(RunsAnswer::Began { call_id })), .. }) => {
            Some(call_id.clone())
        }
        _ => None,
    });
    world.ask(PANEL, Command::Runs(RunsCommand::Stop { call_id: began.unwrap() }));
    world.pass(100);
    assert_eq!(ended(&heard).outcome, ToolOutcome::Cancelled);
}
