//! Pictures of pages: for the model, and in cards.

use sidecar_protocol::{ActionCard, CallId};

use super::*;

fn shop_with(part: Value) -> ActorWorld {
    let world = allowed();
    world.has_documents(vec![document("D1", SHOP, "", json!({"screenshot": part}))]);
    world
}

#[test]
fn picture_of_the_page_is_taken_in_front_and_kept_beside_the_log() {
    let part = json!({"x": 0.0, "y": 50.0, "width": 400.0, "height": 100.0, "view_width": 400.0, "view_height": 200.0});
    let mut world = shop_with(part);
    let outcome = world.run_browser("screenshot", json!({"selector": "e1"}));
    let ToolOutcome::Ok { content, .. } = outcome else { panic!("{outcome:?}") };
    let [Content::Text(said), Content::Picture(picture)] = content.as_slice() else { panic!("{content:?}") };
    assert_eq!(said, "the element, 400 × 100 CSS pixels:");
    assert_eq!(*world.browser.0.captured.borrow(), [[0.0, 0.25, 1.0, 0.5]]);
    let kept = futures::executor::block_on(crate::threads::LogStore::picture(
        &world.browser.0.disk,
        &"t1".into(),
        &picture.digest,
    ));
    assert_eq!(kept.as_deref(), Some("iVBORw0KGgo="));
}

#[test]
fn no_picture_is_taken_of_what_is_not_visible_or_of_a_tab_behind_another() {
    let mut world = shop_with(
        json!({"x": 500.0, "y": 0.0, "width": 0.0, "height": 10.0, "view_width": 400.0, "view_height": 200.0}),
    );
    assert!(failure(ActionOutcome::Blocked)(&world.run_browser("screenshot", json!({}))));
    world.browser.0.active.borrow_mut().clear();
    let outcome = world.run_browser("screenshot", json!({}));
    assert!(outcome.text().unwrap().contains("switch_tab"), "{outcome:?}");
    assert!(world.browser.0.captured.borrow().is_empty());
}

#[test]
fn picture_is_not_offered_to_a_model_that_reads_text_only() {
    let mut world = allowed();
    let preset = sidecar_llm::providers::preset("deepseek").unwrap();
    let endpoint =
        sidecar_llm::Endpoint { provider: preset.id.clone(), base_url: preset.base_url().to_owned() };
    for sees in [true, false] {
        let (endpoint, model) = (endpoint.clone(), preset.models[0].id.clone());
        world.post(TurnEvent::SightKnown { endpoint, model, sees });
        assert_eq!(world.offered().contains(&"screenshot".to_owned()), sees);
    }
}

fn pay_button() -> Value {
    json!({
        "describe": {"role": "button", "name": "Pay now"},
        "screenshot": {"x": 0.0, "y": 0.0, "width": 200.0, "height": 100.0, "view_width": 400.0, "view_height": 200.0},
    })
}

#[test]
fn picture_for_a_card_is_small_and_shows_what_is_around_the_element() {
    let mut world = allowed();
    let (asked, script) = noting(pay_button());
    world.has_documents(vec![script]);
    let work = async |tools: TabTools<FakeBrowser>| {
        let (call, other) = (CallId::from("c1"), CallId::from("c2"));
        let examined = tools.examine(&call, &browser_tool("click_element"), r#"{"selector": "e1"}"#).await;
        assert_eq!(examined.unwrap().card.unwrap().name, "Pay now");
        (tools.picture(&call).await, tools.picture(&other).await)
    };
    let (picture, of_none) = world.with_tools(work, 60_000).unwrap().0;
    assert!(picture.is_some_and(|picture| picture.size > 0));
    assert_eq!(of_none, None, "nothing was examined for that call");
    assert_eq!(*world.browser.0.edges.borrow(), [ActionCard::EDGE_OF_PICTURE]);
    let asked = asked.borrow();
    let shot = asked.iter().find(|message| message["do"] == "screenshot").unwrap();
    assert_eq!((&shot["target"], &shot["margin"]), (&json!("e1"), &json!(48)));
    assert!(asked.iter().any(|message| message["done"] == true), "the sign in the page is shown again");
}

#[test]
fn no_picture_for_a_card_is_taken_behind_another_tab() {
    let mut world = allowed();
    world.has_documents(vec![document("D1", SHOP, "", pay_button())]);
    let work = async |tools: TabTools<FakeBrowser>| {
        let call = CallId::from("c1");
        tools.examine(&call, &browser_tool("click_element"), r#"{"selector": "e1"}"#).await.unwrap();
        tools.browser.0.active.borrow_mut().clear();
        tools.picture(&call).await
    };
    assert_eq!(world.with_tools(work, 60_000).unwrap().0, None);
    assert!(world.browser.0.edges.borrow().is_empty());
}

#[test]
fn no_picture_is_taken_where_a_frame_of_a_hidden_site_may_be_in_it() {
    let bank = document("D2", "https://bank.example", "t", json!({}));
    let silent: (DocumentId, PageScript) = ("D2".into(), Rc::new(|_: &Value| Vec::new()));
    for frame in [bank, silent] {
        let (mut world, _) = super::frames::beside_a_hidden_bank();
        world.has_documents(vec![document("D1", SHOP, "", pay_button()), frame]);
        let work = async |tools: TabTools<FakeBrowser>| {
            let call = CallId::from("c1");
            tools.examine(&call, &browser_tool("click_element"), r#"{"selector": "e1"}"#).await.unwrap();
            let card = tools.picture(&call).await;
            (card, tools.call(&"c2".into(), &browser_tool("screenshot"), "{}").await)
        };
        let (card, outcome) = world.with_tools(work, 60_000).unwrap().0;
        assert_eq!(card, None);
        assert!(outcome.text().unwrap().contains("a site that the user hides"), "{outcome:?}");
        assert!(world.browser.0.captured.borrow().is_empty());
    }
}

#[test]
fn silent_frame_prevents_no_picture_while_no_site_is_hidden() {
    let part = json!({"x": 0.0, "y": 0.0, "width": 400.0, "height": 200.0, "view_width": 400.0, "view_height": 200.0});
    let mut world = allowed();
    let silent: (DocumentId, PageScript) = ("D2".into(), Rc::new(|_: &Value| Vec::new()));
    world.has_documents(vec![document("D1", SHOP, "", json!({"screenshot": part})), silent]);
    assert!(matches!(world.run_browser("screenshot", json!({})), ToolOutcome::Ok { .. }));
}

#[test]
fn picture_is_dropped_if_a_frame_of_a_hidden_site_came_while_it_was_taken() {
    let (mut world, _) = super::frames::beside_a_hidden_bank();
    let (name, answers) = document("D1", SHOP, "", pay_button());
    let browser = world.browser.clone();
    let script = move |message: &Value| {
        if message["do"] == "screenshot" && message["done"].is_null() {
            let bank = document("D2", "https://bank.example", "t", json!({}));
            browser.0.scripts.borrow_mut().push(bank);
        }
        answers(message)
    };
    world.has_documents(vec![(name, Rc::new(script))]);
    let outcome = world.run_browser("screenshot", json!({}));
    assert!(outcome.text().unwrap().contains("a site that the user hides"), "{outcome:?}");
    assert_eq!(world.browser.0.captured.borrow().len(), 1, "it was taken");
}
