//! Questions about the page that is shown.

use sidecar_protocol::call_log::CallOutcome;
use sidecar_protocol::tool::Caller;

use super::*;

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
    assert_eq!(world.browser.0.disk.calls(), [], "it did not run");
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
fn call_that_runs_when_its_question_is_stopped_is_in_the_log_of_calls() {
    // In auto mode, this tool does not ask.
    let (mut world, heard) = with_page(question());
    world.eval_page_has("Goes.");
    world.pass(1_000);
    world.goes(0);
    world.pass(500);
    assert_eq!(world.told("call go"), 1);
    assert_eq!(world.browser.0.disk.calls(), []);
    let [kept] = exactly(world.listed_evals(&heard));
    world.evals(EvalsCommand::Stop { id: kept.id });
    world.pass(1_000);
    let [logged] = exactly(world.browser.0.disk.calls());
    assert_eq!((logged.tool.as_str(), logged.outcome), ("go", CallOutcome::Interrupted));
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
