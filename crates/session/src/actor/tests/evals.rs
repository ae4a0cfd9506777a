//! Tests of evals.

use sidecar_evals::report::EvalMode;
use sidecar_protocol::eval::{EvalEntry, EvalPlan, EvalStage, EvalState, PlannedCase, SavedEval};
use sidecar_protocol::link::{Domain as _, EvalsAnswer, EvalsCommand, EvalsEvent};
use sidecar_protocol::page::{ToolResult, names};
use sidecar_protocol::settings::ModelChoice;
use sidecar_protocol::tool::Caller;

use super::page_actions::document;
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

fn live(allow_consequential: bool) -> EvalPlan {
    EvalPlan { stage: EvalStage::Page { url: URL.to_owned(), allow_consequential }, ..plan(1, 1) }
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

/// A world in which an eval can open its page.
fn with_page(plan: EvalPlan) -> (ActorWorld, PanelMessages) {
    let mut world = ActorWorld::new();
    world.browser.0.tabs.borrow_mut().insert(EVAL_TAB, tab(8, WINDOW, URL));
    let (heard, _) = world.open_workbench(TAB);
    world.start_eval(&heard, plan);
    (world, heard)
}

#[test]
fn page_of_a_run_answers_its_calls_in_a_tab_of_its_own() {
    let (mut world, heard) = with_page(live(false));
    assert_eq!((world.told("open"), world.answers()), (1, 0));
    world.pass(1_000);
    assert_eq!(world.answers(), 0, "the page has no tools yet");
    world.eval_page_has("Goes.");
    world.pass(1_000);
    assert_eq!(world.answers(), 1);
    world.page_gives("{\"gone\": true}");
    world.goes(0);
    world.pass(1_000);
    assert_eq!((world.told("call go {\"to\":\"sea\"}"), world.answers()), (1, 2));
    world.says(1);
    world.pass(1_000);
    let [kept] = exactly(world.listed_evals(&heard));
    let saved = world.open_eval(&heard, &kept);
    assert_eq!(outcomes(&saved), ["pass"]);
    let led = &saved.records[0];
    assert_eq!(led["record"]["calls"][0]["result"], json!({"gone": true}));
    assert_eq!(led["page"], json!({"backend": "native", "origin": "https://shop.example"}));
    assert_eq!(world.told("close 8"), 1);
    let calls = world.browser.0.disk.calls();
    assert_eq!(calls.iter().map(|call| &call.caller).collect::<Vec<_>>(), [&Caller::Eval]);
}

#[test]
fn smoke_run_makes_the_expected_calls_in_its_page_and_asks_no_model() {
    let stage = EvalStage::Smoke { url: URL.to_owned(), allow_consequential: false };
    let (mut world, heard) = with_page(EvalPlan { stage, models: Vec::new(), ..plan(1, 1) });
    world.eval_page_has("Goes.");
    // It fails, although it is longer than what a model is told.
    world.page_gives(&json!({"success": false, "why": "x".repeat(50_000)}).to_string());
    world.pass(3_000);
    assert_eq!((world.told("call go {\"to\":\"sea\"}"), world.answers()), (1, 0));
    let [kept] = exactly(world.listed_evals(&heard));
    assert_eq!((kept.models.as_slice(), kept.state), (&["smoke".to_owned()][..], EvalState::Done));
    let saved = world.open_eval(&heard, &kept);
    assert_eq!(outcomes(&saved), ["fail"], "the result says so");
    assert_eq!(saved.records[0]["record"]["model"], "smoke");
    let plan = EvalPlan { suite: plan_with_suite().suite, ..saved.plan.clone() };
    let report = sidecar_evals::saved::report(&SavedEval { plan, ..saved }, "").unwrap();
    assert_eq!((report.environment.mode, report.models[0].name.as_str()), (EvalMode::Smoke, "smoke"));
    assert_eq!(world.told("close 8"), 1);
}

/// An eval of one simulation, which wants the page to show `sea`.
fn simulated(more: &Value) -> EvalPlan {
    let mut simulation = json!({
        "setup": [{"functionName": "go", "arguments": {"to": "hill"}}], "userMessage": "Go",
        "assertions": [{"type": "dom", "selector": "#at", "expect": {"text": "sea"}}],
    });
    simulation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let suite = json!([simulation]).to_string();
    let stage = EvalStage::Simulation { url: URL.to_owned(), allow_consequential: false };
    EvalPlan { stage, suite: suite.clone(), cases: vec![PlannedCase { number: 0, suite }], ..plan(1, 1) }
}

#[test]
fn simulation_is_set_up_in_its_page_and_judged_by_what_that_shows() {
    for (at, elsewhere, outcome) in [("sea", false, "pass"), ("hill", false, "fail"), ("sea", true, "error")]
    {
        let (mut world, heard) = with_page(simulated(&json!({})));
        world.eval_page_has("Goes.");
        world.page_gives("{}");
        world.pass(2_000);
        assert_eq!((world.told("call go {\"to\":\"hill\"}"), world.answers()), (1, 1));
        let seen = json!({"elements": {"seen": [{"count": 1, "text": at}]}});
        // The address of its tab may not tell it yet.
        let origin = if elsewhere { "https://bank.example" } else { "https://shop.example" };
        *world.browser.0.scripts.borrow_mut() = vec![document("D8", origin, "", seen)];
        world.says(0);
        world.pass(2_000);
        let [kept] = exactly(world.listed_evals(&heard));
        let saved = world.open_eval(&heard, &kept);
        assert_eq!(outcomes(&saved), [outcome], "{at}");
        let report = sidecar_evals::saved::report(&saved, "").unwrap();
        assert_eq!((report.environment.mode, report.cells[0].calls.len()), (EvalMode::Simulation, 0));
    }
}

#[test]
fn simulation_may_shorten_the_time_of_a_run() {
    let (mut world, heard) = with_page(simulated(&json!({ "maxDurationMs": 1_500 })));
    world.eval_page_has("Goes.");
    world.page_gives("{}");
    world.pass(1_400);
    assert_eq!(world.listed_evals(&heard)[0].made, 0);
    world.pass(200);
    let [kept] = exactly(world.listed_evals(&heard));
    let saved = world.open_eval(&heard, &kept);
    assert_eq!(outcomes(&saved), ["error"]);
    let reason = &saved.records[0]["record"]["reasons"][0];
    assert_eq!(reason, &json!({"kind": "time-limit", "seconds": 2}));
}

#[test]
fn inspector_case_28_call_of_a_consequential_tool_reaches_the_page_only_if_that_was_agreed() {
    for (agreed, calls) in [(false, 0), (true, 1)] {
        let (mut world, heard) = with_page(live(agreed));
        world.eval_page_has("Deletes all.");
        world.pass(1_000);
        world.goes(0);
        world.pass(31_000);
        assert_eq!(world.told("call go"), calls);
        world.says(1);
        world.pass(1_000);
        let [kept] = exactly(world.listed_evals(&heard));
        assert_eq!(outcomes(&world.open_eval(&heard, &kept)), ["pass"], "the case has an answer for it");
    }
}

#[test]
fn tool_that_the_page_replaced_after_the_list_is_judged_anew() {
    let (mut world, heard) = with_page(live(false));
    world.eval_page_has("Goes.");
    world.pass(1_000);
    // The model answers, and meanwhile the page has made it serious.
    world.eval_page_has("Deletes all.");
    world.goes(0);
    world.pass(2_000);
    assert_eq!(world.told("call go"), 0);
    world.says(1);
    world.pass(1_000);
    let [kept] = exactly(world.listed_evals(&heard));
    let saved = world.open_eval(&heard, &kept);
    assert_eq!(saved.records[0]["record"]["calls"][0]["result"], json!({"ok": true}), "by the case");
    assert_eq!(outcomes(&saved), ["pass"]);
}

#[test]
fn tool_about_which_the_user_wants_to_be_asked_is_held_and_one_that_is_off_is_not_there() {
    for (policy, outcome) in [("ask", "pass"), ("off", "error")] {
        let (mut world, heard) = with_page(live(false));
        world.eval_page_has("Goes.");
        // Another page of the site has it, too.
        world.tell_tools(&["go"]);
        let key = json!({"tool": {"origin": "https://shop.example", "name": "go"}});
        world.ask_json(WORKBENCH, json!({"policies": {"set": {"key": key, "policy": policy}}}));
        world.pass(1_000);
        if world.answers() > 0 {
            world.goes(0);
            world.pass(1_000);
            world.says(1);
        }
        world.pass(11_000);
        assert_eq!(world.told("call go"), 0);
        assert_eq!(outcomes_of_only(&mut world, &heard), [outcome], "{policy}");
    }
}

#[test]
fn page_without_tools_and_a_tab_that_is_closed_are_errors() {
    let (mut world, heard) = with_page(live(false));
    world.pass(11_000);
    assert_eq!(outcomes_of_only(&mut world, &heard), ["error"]);
    let (mut world, heard) = with_page(live(false));
    world.browser.0.tabs.borrow_mut().remove(&EVAL_TAB);
    world.pass(1_000);
    assert_eq!(outcomes_of_only(&mut world, &heard), ["error"]);
    assert_eq!(world.answers(), 0);
}

fn outcomes_of_only(world: &mut ActorWorld, heard: &PanelMessages) -> Vec<String> {
    let [kept] = exactly(world.listed_evals(heard));
    let saved = world.open_eval(heard, &kept);
    outcomes(&saved).into_iter().map(str::to_owned).collect()
}

#[test]
fn inspector_case_25_tab_of_a_worker_that_died_is_closed_before_its_run_is_made_again() {
    let (world, _) = with_page(live(false));
    let mut world = world.restart();
    let told = world.browser.take_told();
    let place = |what: &str| told.iter().position(|told| told.starts_with(what)).unwrap();
    assert!(place("close 8") < place("open"), "{told:?}");
    world.pass(1_000);
}

/// A question to a model about the page that the workbench shows.
fn question() -> EvalPlan {
    let said = json!({"role": "user", "type": "message", "content": "Go to the sea"});
    let case = json!([{"messages": [said], "expectedCall": []}]);
    EvalPlan {
        cases: vec![PlannedCase { number: 0, suite: case.to_string() }],
        stage: EvalStage::Shown { tab: EVAL_TAB, url: URL.to_owned() },
        ..plan(1, 1)
    }
}

/// Ids of the calls that wait for the user, as told last.
fn asked(heard: &PanelMessages) -> Vec<String> {
    let last = heard.events().into_iter().rev().find_map(|event| match event {
        PanelEvent::Approvals(waiting) => Some(waiting),
        _ => None,
    });
    last.unwrap_or_default().into_iter().map(|one| one.call_id.0).collect()
}

fn led_calls(saved: &SavedEval) -> &Value {
    &saved.records[0]["record"]["calls"]
}

#[test]
fn question_about_the_shown_page_asks_the_user_as_the_chat_does_and_is_told_as_it_grows() {
    let (mut world, heard) = with_page(question());
    world.eval_page_has("Deletes all.");
    world.pass(1_000);
    assert_eq!((world.told("open"), world.answers()), (0, 1), "the tab is the user's");
    heard.forget();
    world.goes(0);
    let told = grown(&heard).pop().unwrap().1.unwrap();
    assert_eq!(told["record"]["calls"][0]["arguments"], json!({"to": "sea"}), "before it is made");
    world.pass(500);
    let [call] = exactly(asked(&heard));
    assert_eq!(world.told("call go"), 0);
    world.page_gives("gone");
    let decide = json!({"callId": call, "decision": "run", "words": ""});
    world.ask_json(WORKBENCH, json!({"turn": {"control": {"decide": decide}}}));
    world.pass(1_000);
    assert_eq!((world.told("call go"), world.answers()), (1, 2));
    world.says(1);
    world.pass(1_000);
    let [kept] = exactly(world.listed_evals(&heard));
    assert_eq!((kept.state, kept.is_question, kept.made), (EvalState::Done, true, 1));
    let saved = world.open_eval(&heard, &kept);
    assert_eq!((saved.records.len(), led_calls(&saved).as_array().unwrap().len()), (1, 1));
    assert_eq!(saved.records[0]["record"]["text"], "Done.");
    assert_eq!(world.told("close 8"), 0);
    let calls = world.browser.0.disk.calls();
    assert_eq!(calls.iter().map(|call| &call.caller).collect::<Vec<_>>(), [&Caller::Agent]);
}

#[test]
fn question_that_is_stopped_keeps_what_was_done_and_asks_no_more() {
    let (mut world, heard) = with_page(question());
    world.eval_page_has("Deletes all.");
    world.pass(1_000);
    world.goes(0);
    let [kept] = exactly(world.listed_evals(&heard));
    heard.forget();
    world.evals(EvalsCommand::Stop { id: kept.id.clone() });
    world.pass(1_000);
    assert_eq!(asked(&heard), Vec::<String>::new());
    let [kept] = exactly(world.listed_evals(&heard));
    assert_eq!((kept.state, kept.made), (EvalState::Stopped, 1));
    let saved = world.open_eval(&heard, &kept);
    assert_eq!(led_calls(&saved)[0]["name"], "go");
    assert_eq!(saved.records[0]["record"]["reasons"], json!([{"kind": "stopped"}]));
    heard.forget();
    world.evals(EvalsCommand::Resume { id: kept.id });
    assert_eq!(heard.replies().pop().unwrap().1, Err(Refusal::NoEval));
    assert_eq!(world.told("close 8"), 0);
}

#[test]
fn question_of_a_worker_that_died_is_not_done_again() {
    let (mut world, _) = with_page(question());
    world.eval_page_has("Deletes all.");
    world.pass(1_000);
    world.goes(0);
    let mut world = world.restart();
    world.browser.0.tabs.borrow_mut().insert(EVAL_TAB, tab(8, WINDOW, URL));
    let (heard, _) = world.open_workbench(TAB);
    world.pass(2_000);
    assert_eq!((world.answers(), world.told("call go"), world.told("close 8")), (0, 0, 0));
    let [kept] = exactly(world.listed_evals(&heard));
    assert_eq!((kept.state, kept.made), (EvalState::Stopped, 1));
    let saved = world.open_eval(&heard, &kept);
    assert_eq!(led_calls(&saved)[0]["name"], "go");
}

#[test]
fn question_asks_about_what_was_repaired_and_by_the_mode_as_it_is_now() {
    // In auto mode, this tool does not ask by itself.
    let (mut world, heard) = with_page(question());
    world.eval_page_has("Goes.");
    world.pass(1_000);
    let call = json!({"index": 0, "id": "c", "type": "function",
        "function": {"name": "functions.go", "arguments": "{}"}});
    world.answer_of(0, &json!({"tool_calls": [call]}), "tool_calls");
    world.pass(500);
    let [asked_about] = exactly(asked(&heard));
    let decide = json!({"callId": asked_about, "decision": "decline", "words": ""});
    world.ask_json(WORKBENCH, json!({"turn": {"control": {"decide": decide}}}));
    world.pass(1_000);
    assert_eq!((world.told("call go"), world.answers()), (0, 2));
    world.ask_json(WORKBENCH, json!({"settings": {"save": {"settings": {"mode": "confirm"}}}}));
    world.goes(1);
    world.pass(500);
    assert_eq!((asked(&heard).len(), world.told("call go")), (1, 0));
}
