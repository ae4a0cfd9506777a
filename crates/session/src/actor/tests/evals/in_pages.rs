//! Evals whose runs have a page of their own.

use sidecar_evals::report::EvalMode;
use sidecar_protocol::tool::Caller;

use super::super::page_actions::document;
use super::*;

fn live(allow_consequential: bool) -> EvalPlan {
    EvalPlan { stage: EvalStage::Page { url: URL.to_owned(), allow_consequential }, ..plan(1, 1) }
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
