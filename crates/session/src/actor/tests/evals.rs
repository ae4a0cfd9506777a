//! Tests of evals.

use sidecar_protocol::eval::{EvalEntry, EvalPlan, EvalStage, EvalState, PlannedCase, SavedEval};
use sidecar_protocol::link::{Domain as _, EvalsAnswer, EvalsCommand, EvalsEvent};
use sidecar_protocol::page::{ToolResult, names};
use sidecar_protocol::settings::ModelChoice;

mod in_pages;
mod questions;

use super::workbench::WORKBENCH;
use super::*;

const EVAL_TAB: TabId = TabId(8);
const URL: &str = "https://shop.example/eval";

fn case(number: usize) -> PlannedCase {
    let case = json!({
        "messages": [{"role": "user", "type": "message", "content": format!("Go {number}")}],
        "expectedCall": [{"functionName": "go", "arguments": {"to": "sea"}, "mockOutput": {"ok": true}}],
    });
    PlannedCase { number, suite: json!([case]).to_string() }
}

fn plan(cases: usize, runs: u32) -> EvalPlan {
    EvalPlan {
        name: "Trips".to_owned(),
        suite: "[]".to_owned(),
        cases: (0..cases).map(case).collect(),
        stage: EvalStage::Suite {
            tools: json!({"tools": [{"name": "go", "description": "Goes."}]}).to_string(),
        },
        models: vec![ModelChoice { provider: "deepseek".to_owned(), model: "m".to_owned() }],
        runs,
        max_steps: 6,
        ..EvalPlan::default()
    }
}

impl ActorWorld {
    fn evals(&mut self, command: EvalsCommand) {
        self.ask(WORKBENCH, Command::Evals(command));
    }

    fn start_eval(&mut self, heard: &PanelMessages, plan: EvalPlan) -> EvalEntry {
        heard.forget();
        self.evals(EvalsCommand::Start { plan: Box::new(plan) });
        match exactly(said(heard)) {
            [EvalsAnswer::Started { id }] => {
                let entry = grown(heard).pop().unwrap().0;
                assert_eq!((&entry.id, entry.state), (&id, EvalState::Running));
                entry
            }
            [other] => panic!("{other:?}"),
        }
    }

    fn listed_evals(&mut self, heard: &PanelMessages) -> Vec<EvalEntry> {
        heard.forget();
        self.evals(EvalsCommand::List);
        match exactly(said(heard)) {
            [EvalsAnswer::Listed { evals }] => evals,
            [other] => panic!("{other:?}"),
        }
    }

    fn open_eval(&mut self, heard: &PanelMessages, entry: &EvalEntry) -> SavedEval {
        heard.forget();
        self.evals(EvalsCommand::Open { id: entry.id.clone() });
        let mut opened = None;
        for answer in said(heard) {
            match (answer, &mut opened) {
                (EvalsAnswer::Opened { eval }, opened) => *opened = eval,
                (EvalsAnswer::More { records }, Some(eval)) => eval.records.extend(records),
                (other, _) => panic!("{other:?}"),
            }
        }
        *opened.unwrap()
    }

    /// An answer of the model, by its number from 0.
    fn answer_of(&mut self, number: usize, delta: &Value, finish: &str) {
        let usage = json!({"prompt_tokens": 100, "completion_tokens": 10});
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let chunk = json!({"choices": [choice], "usage": usage});
        let answers = self.browser.0.model.answers.borrow();
        let text = format!("data: {chunk}\n\ndata: [DONE]\n\n");
        answers[number].unbounded_send(Ok(text.into_bytes())).unwrap();
        answers[number].close_channel();
        drop(answers);
        self.go_on();
    }

    /// The model calls the expected tool.
    fn goes(&mut self, number: usize) {
        let call = json!({"index": 0, "id": "c", "type": "function",
            "function": {"name": "go", "arguments": "{\"to\": \"sea\"}"}});
        self.answer_of(number, &json!({"tool_calls": [call]}), "tool_calls");
    }

    /// The model says something and calls nothing.
    fn says(&mut self, number: usize) {
        self.answer_of(number, &json!({"content": "Done."}), "stop");
    }

    /// The page that an eval opens registers a tool.
    fn eval_page_has(&mut self, description: &str) {
        let tool = json!({"name": "go", "description": description});
        let tools = json!({"type": names::TOOLS_CHANGED, "backend": "native", "tools": [tool], "total": 1});
        let (done, _answered) = futures::channel::oneshot::channel();
        let place = Place {
            tab: EVAL_TAB,
            frame: FrameId::TOP,
            document: "D8".into(),
            origin: "https://shop.example".to_owned(),
        };
        let text = tools.to_string();
        self.post(BrowserEvent::RelaySaid { text, place, is_active: true, done });
    }

    /// The page gives the next call this result.
    fn page_gives(&self, result: &str) {
        self.browser.0.results.borrow_mut().push_back(Ok(ToolResult {
            kind: names::TOOL_RESULT.to_owned(),
            request_id: "".into(),
            ok: true,
            result: Some(result.to_owned()),
            error: None,
            code: None,
        }));
    }

    fn told(&self, what: &str) -> usize {
        self.browser.0.told.borrow().iter().filter(|command| command.starts_with(what)).count()
    }
}

/// A world in which an eval can open its page.
fn with_page(plan: EvalPlan) -> (ActorWorld, PanelMessages) {
    let mut world = ActorWorld::new();
    world.browser.0.tabs.borrow_mut().insert(EVAL_TAB, tab(8, WINDOW, URL));
    let (heard, _) = world.open_workbench(TAB);
    world.start_eval(&heard, plan);
    (world, heard)
}

/// What was answered about evals.
fn said(heard: &PanelMessages) -> Vec<EvalsAnswer> {
    heard.answers().into_iter().filter_map(EvalsCommand::answer).collect()
}

impl PanelMessages {
    /// All answers since [`Self::forget`].
    fn answers(&self) -> Vec<Answer> {
        let messages = self.0.borrow();
        let answers = messages.iter().filter_map(|message| match message {
            WorkerMessage::Reply(reply) => reply.result.clone().ok(),
            WorkerMessage::Event(_) => None,
        });
        answers.collect()
    }
}

/// How far evals were told to be, with the runs that were made.
fn grown(heard: &PanelMessages) -> Vec<(EvalEntry, Option<Value>)> {
    let grown = |event| match event {
        PanelEvent::Evals(event) => match serde_json::from_value(event).unwrap() {
            EvalsEvent::Changed { entry, record } => Some((entry, record)),
            EvalsEvent::Deleted { .. } => None,
        },
        _ => None,
    };
    heard.events().into_iter().filter_map(grown).collect()
}

fn outcomes(eval: &SavedEval) -> Vec<&str> {
    eval.records.iter().map(|led| led["record"]["outcome"].as_str().unwrap()).collect()
}

#[test]
fn inspector_case_23_each_run_asks_the_model_anew_and_is_kept() {
    let mut world = ActorWorld::new();
    let (heard, _) = world.open_workbench(TAB);
    let entry = world.start_eval(&heard, plan(2, 2));
    assert_eq!((entry.all, entry.made, entry.models.as_slice()), (4, 0, &["deepseek:m".to_owned()][..]));
    assert_eq!(world.answers(), 4, "several runs are made at once");
    heard.forget();
    world.goes(0);
    world.says(4);
    let [(entry, Some(led))] = exactly(grown(&heard)) else { panic!() };
    assert_eq!((entry.made, led["record"]["outcome"].as_str()), (1, Some("pass")));
    assert_eq!((&led["record"]["usage"]["input"], &led["date"]), (&json!(200), &json!("2026-11-23")));
    (1..4).for_each(|number| world.says(number));
    let [kept] = exactly(world.listed_evals(&heard));
    assert_eq!((kept.made, kept.state, kept.costs.len()), (4, EvalState::Done, 0));
    let saved = world.open_eval(&heard, &kept);
    assert_eq!((outcomes(&saved), saved.plan.runs), (vec!["pass", "fail", "fail", "fail"], 2));
    let report =
        sidecar_evals::saved::report(&SavedEval { plan: plan_with_suite(), ..saved }, "0.1.0").unwrap();
    assert_eq!((report.cells.len(), report.models[0].sent.len()), (4, 64));
}

/// The plan with the suite that it was made from.
fn plan_with_suite() -> EvalPlan {
    let plan = plan(2, 2);
    let cases =
        plan.cases.iter().map(|case| serde_json::from_str::<Vec<Value>>(&case.suite).unwrap().remove(0));
    EvalPlan { suite: cases.collect::<Value>().to_string(), ..plan }
}

#[test]
fn inspector_case_26_stop_ends_runs_at_once_and_the_rest_is_made_later() {
    let mut world = ActorWorld::new();
    let (heard, _) = world.open_workbench(TAB);
    let entry = world.start_eval(&heard, plan(6, 1));
    assert_eq!(world.answers(), 4);
    world.says(0);
    assert_eq!(world.answers(), 5);
    world.evals(EvalsCommand::Start { plan: Box::new(plan(1, 1)) });
    assert_eq!(heard.replies().pop().unwrap().1, Err(Refusal::EvalRunning));
    world.evals(EvalsCommand::Stop { id: entry.id.clone() });
    assert!(world.browser.0.model.answers.borrow()[1].is_closed(), "its request is cancelled");
    assert_eq!(world.answers(), 5);
    let [kept] = exactly(world.listed_evals(&heard));
    assert_eq!((kept.made, kept.state), (1, EvalState::Stopped));
    assert_eq!(world.browser.0.storage.of(StorageArea::Session).text("evalUnderWay"), "");
    world.evals(EvalsCommand::Resume { id: entry.id.clone() });
    assert_eq!(world.answers(), 9);
    (5..9).for_each(|number| world.says(number));
    world.says(9);
    let [kept] = exactly(world.listed_evals(&heard));
    assert_eq!((kept.made, kept.state), (6, EvalState::Done));
    let saved = world.open_eval(&heard, &kept);
    let mut cases: Vec<_> = saved.records.iter().map(|led| led["record"]["case"].as_u64().unwrap()).collect();
    cases.sort_unstable();
    assert_eq!(cases, [0, 1, 2, 3, 4, 5], "none is lost or made twice");
}

#[test]
fn inspector_case_25_eval_outlives_its_worker_and_a_run_that_was_cut_twice_is_an_error() {
    let mut world = ActorWorld::new();
    let (heard, _) = world.open_workbench(TAB);
    world.start_eval(&heard, plan(1, 2));
    world.says(0);
    let mut world = world.restart();
    assert_eq!(world.answers(), 1, "it goes on without a workbench");
    let (heard, _) = world.open_workbench(TAB);
    assert_eq!(world.listed_evals(&heard)[0].state, EvalState::Running);
    let mut world = world.restart();
    assert_eq!(world.answers(), 0);
    let (heard, _) = world.open_workbench(TAB);
    let [kept] = exactly(world.listed_evals(&heard));
    assert_eq!((kept.made, kept.state), (2, EvalState::Done));
    assert_eq!(outcomes(&world.open_eval(&heard, &kept)), ["fail", "error"]);
}

#[test]
fn eval_of_a_browser_that_was_closed_is_stopped() {
    let mut world = ActorWorld::new();
    let (heard, _) = world.open_workbench(TAB);
    let entry = world.start_eval(&heard, plan(1, 1));
    let mut world = world.reopen_browser();
    assert_eq!(world.answers(), 0);
    let (heard, _) = world.open_workbench(TAB);
    assert_eq!(world.listed_evals(&heard)[0].state, EvalState::Stopped);
    world.evals(EvalsCommand::Resume { id: entry.id });
    world.says(0);
    assert_eq!(world.listed_evals(&heard)[0].state, EvalState::Done);
}

#[test]
fn eval_that_is_forgotten_is_stopped_and_nothing_more_is_said_of_it() {
    let mut world = ActorWorld::new();
    let (heard, _) = world.open_workbench(TAB);
    let entry = world.start_eval(&heard, plan(1, 1));
    heard.forget();
    world.evals(EvalsCommand::Delete { id: entry.id.clone() });
    let events = heard.events();
    assert_eq!(events, [PanelEvent::from(EvalsEvent::Deleted { id: entry.id.clone() })]);
    assert_eq!(world.listed_evals(&heard), []);
    heard.forget();
    world.evals(EvalsCommand::Resume { id: entry.id });
    assert_eq!(heard.replies().pop().unwrap().1, Err(Refusal::NoEval));
    world.start_eval(&heard, plan(1, 1));
}

#[test]
fn nothing_is_begun_when_the_allowed_cost_is_spent_or_unknown() {
    let mut world = ActorWorld::new();
    let (heard, _) = world.open_workbench(TAB);
    world.start_eval(&heard, EvalPlan { most_cost: Some(1.0), ..plan(6, 1) });
    (0..4).for_each(|number| world.says(number));
    assert_eq!(world.answers(), 4, "the first told no price");
    let [kept] = exactly(world.listed_evals(&heard));
    let saved = world.open_eval(&heard, &kept);
    let skipped = outcomes(&saved).into_iter().filter(|outcome| *outcome == "skipped").count();
    assert_eq!((skipped, saved.records.len()), (2, 6));
}

#[test]
fn eval_that_cannot_be_kept_ends_and_what_is_no_plan_is_refused() {
    let mut world = ActorWorld::new();
    let (heard, _) = world.open_workbench(TAB);
    heard.forget();
    world.evals(EvalsCommand::Start { plan: Box::new(plan(0, 1)) });
    assert_eq!(heard.replies().pop().unwrap().1, Err(Refusal::BadMessage));
    world.start_eval(&heard, plan(6, 1));
    world.browser.0.disk.leave_room(Some(0));
    heard.forget();
    world.says(0);
    (1..4).for_each(|number| world.says(number));
    assert_eq!(world.answers(), 4, "nothing further is begun");
    assert!(heard.events().iter().any(|event| matches!(event, PanelEvent::Trouble(Refusal::Storage { .. }))));
    world.browser.0.disk.leave_room(None);
    assert_eq!(world.listed_evals(&heard)[0].state, EvalState::Stopped);
    let mut private = ActorWorld::of(with_provider(), Disk::default(), true);
    let (heard, _) = private.open_workbench(TAB);
    heard.forget();
    private.evals(EvalsCommand::Start { plan: Box::new(plan(1, 1)) });
    assert_eq!(heard.replies().pop().unwrap().1, Err(Refusal::PrivateEval));
}
