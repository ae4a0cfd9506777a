//! What is the user's to fill: the field stays lit until the call is settled.

use super::*;

const SECRET_FIELD: (&str, &str) = ("input_text", r#"{"selector": "e1", "text": "hunter2", "submit": true}"#);

#[test]
fn secret_fields_among_others_and_stale_refs_end_before_anything_is_done() {
    let secret = json!({"role": "textbox", "secret": true});
    let file = json!({"role": "button", "file": true});
    let alone = json!({"selector": "e1", "text": "x"});
    let several = json!({"fields": [{"selector": "e1", "text": "x"}, {"selector": "e2", "text": "y"}]});
    for (tool, described, arguments, outcome) in [
        ("input_text", &secret, several.clone(), ActionOutcome::Refused),
        ("input_text", &file, several, ActionOutcome::Refused),
        ("drag", &file, json!({"selector": "e1", "to": "e2"}), ActionOutcome::Refused),
        // Nobody was asked to fill it.
        ("input_text", &secret, alone.clone(), ActionOutcome::Changed),
        ("click_element", &file, json!({"selector": "e1"}), ActionOutcome::Changed),
        ("input_text", &json!({"outcome": "stale"}), alone, ActionOutcome::Stale),
        (
            "input_text",
            &json!({"role": "textbox"}),
            json!({"selector": "f9e1", "text": "x"}),
            ActionOutcome::Stale,
        ),
    ] {
        let mut world = allowed();
        let results = json!({"describe": described, "act": {"outcome": "ok"}});
        world.has_documents(vec![document("D1", SHOP, "", results)]);
        let ended = world.run_browser(tool, arguments.clone());
        assert!(failure(outcome)(&ended), "{tool} {arguments} {ended:?}");
    }
}

/// Which element a document was to keep lit, in order, and what its sign said.
fn lit(asked: &RefCell<Vec<Value>>) -> Vec<String> {
    let told = |message: &Value| match message["do"].as_str() {
        Some("point") => Some(message["element"].as_str().unwrap_or("none").to_owned()),
        Some("light") => message["word"]["label"].as_str().map(str::to_owned),
        _ => None,
    };
    asked.borrow().iter().filter_map(told).collect()
}

#[test]
fn secret_and_file_fields_are_lit_until_the_call_is_dismissed() {
    let secret = json!({"role": "textbox", "name": "Password", "secret": true});
    let file = json!({"role": "button", "name": "Picture", "file": true});
    let click = ("click_element", r#"{"selector": "e1"}"#);
    for (described, (tool, arguments), input) in
        [(secret, SECRET_FIELD, UserInput::Secret), (file, click, UserInput::File)]
    {
        let mut world = allowed();
        let (asked, document) = noting(json!({"describe": described}));
        world.has_documents(vec![document]);
        let noted = asked.clone();
        let work = async move |tools: TabTools<FakeBrowser>| {
            let (call, tool) = ("c1".into(), browser_tool(tool));
            let card = tools.examine(&call, &tool, arguments).await.unwrap().card.unwrap();
            let before = lit(&noted);
            // Meanwhile the page may have become another one.
            *tools.browser.0.scripts.borrow_mut() = Vec::new();
            tools.dismiss(&call).await;
            (card, before)
        };
        let (card, before) = world.with_tools(work, 60_000).unwrap().0;
        assert_eq!((card.by_user, card.consequence), (Some(input), None));
        let words = crate::actions::LightWords::of(Language::English);
        assert_eq!(before, [words.label, words.your_turn, "e1"]);
        assert_eq!(lit(&asked)[3..], ["none", words.label]);
        assert!(asked.borrow().iter().all(|message| message["do"] != "act"));
    }
}

#[test]
fn challenge_is_the_users_by_its_frame_its_name_and_the_title_of_the_page() {
    let named = |role: &str, name: &str| json!({"describe": {"role": role, "name": name}});
    let go_on = named("checkbox", "Continue");
    let service = "https://newassets.hcaptcha.com";
    let yours = Some(UserInput::Challenge);
    for (described, origin, target, title, input, consequence) in [
        (&go_on, service, "f1e1", "Shop", yours, None),
        (&named("checkbox", "I'm not a robot"), SHOP, "e1", "Shop", yours, None),
        (&named("link", "I'm not a robot"), SHOP, "e1", "Shop", None, None),
        (&go_on, SHOP, "e1", "Just a moment...", yours, None),
        (&go_on, SHOP, "e1", "Shop", None, None),
        // Whatever the page calls it.
        (&named("button", "Pay now – I am not a robot"), SHOP, "e1", "Shop", yours, Some(Consequence::Pay)),
    ] {
        let mut world = allowed();
        let shown = TabInfo { title: title.to_owned(), ..tab(7, WINDOW, "https://shop.example/list") };
        world.browser.0.tabs.borrow_mut().insert(TAB, shown);
        let inner = document("D2", origin, "t2", described.clone());
        world.has_documents(vec![document("D1", SHOP, "", described.clone()), inner]);
        let work = async move |tools: TabTools<FakeBrowser>| {
            let arguments = json!({"selector": target}).to_string();
            tools.examine(&"c1".into(), &browser_tool("click_element"), &arguments).await.unwrap().card
        };
        let card = world.with_tools(work, 60_000).unwrap().0.unwrap();
        assert_eq!((card.by_user, card.consequence), (input, consequence), "{described} {origin} {title}");
    }
}

#[test]
fn own_site_of_a_service_of_challenges_is_like_any_other() {
    const SERVICE: &str = "https://dashboard.hcaptcha.com";
    let mut world = ActorWorld::new();
    let shown = tab(7, WINDOW, "https://dashboard.hcaptcha.com/sites");
    world.browser.0.tabs.borrow_mut().insert(TAB, shown.clone());
    world.post(BrowserEvent::TabUpdated { tab: shown });
    world.panel();
    world.ask_json(PANEL, json!({"policies": {"allowPages": {"access": "act"}}}));
    let described = json!({"describe": {"role": "button", "name": "Add a site"}});
    world.has_documents(vec![document("D1", SERVICE, "", described)]);
    let work = async |tools: TabTools<FakeBrowser>| {
        tools.examine(&"c1".into(), &browser_tool("click_element"), r#"{"selector": "e1"}"#).await
    };
    let card = world.with_tools(work, 60_000).unwrap().0.unwrap().card.unwrap();
    assert_eq!(card.by_user, None);
}

#[test]
fn what_is_dragged_to_a_challenge_is_the_users_too() {
    let mut world = allowed();
    let document: PageScript = Rc::new(|message: &Value| {
        let name = if message["target"] == "e2" { "拖动到最右边" } else { "" };
        let result = match message["do"].as_str() {
            Some("hello") => json!({"origin": SHOP, "path": "/"}),
            Some("describe") => json!({"role": "button", "name": name}),
            Some(_) | None => json!({}),
        };
        vec![json!({"id": message["id"], "result": result})]
    });
    world.has_documents(vec![("D1".into(), document)]);
    let work = async |tools: TabTools<FakeBrowser>| {
        let arguments = r#"{"selector": "e1", "to": "e2"}"#;
        tools.examine(&"c1".into(), &browser_tool("drag"), arguments).await.unwrap().card
    };
    let card = world.with_tools(work, 60_000).unwrap().0.unwrap();
    assert_eq!((card.by_user, card.name.as_str()), (Some(UserInput::Challenge), "button → 拖动到最右边"));
}

#[test]
fn field_that_the_user_declines_to_fill_is_no_longer_lit() {
    let mut world = allowed();
    let (asked, document) = noting(json!({"describe": {"role": "textbox", "secret": true}}));
    world.has_documents(vec![document]);
    let work = async |tools: TabTools<FakeBrowser>| {
        let (tool, arguments) = SECRET_FIELD;
        let (call, tool) = ("c1".into(), browser_tool(tool));
        tools.examine(&call, &tool, arguments).await.unwrap();
        tools.dismiss(&"another".into()).await;
        tools.dismiss(&call).await;
        tools.call(&call, &tool, arguments).await
    };
    let ended = world.with_tools(work, 60_000).unwrap().0;
    let words = crate::actions::LightWords::of(Language::English);
    assert_eq!(lit(&asked), [words.label, words.your_turn, "e1", "none", words.label]);
    assert!(failure(ActionOutcome::Changed)(&ended), "nothing was given: {ended:?}");
}
