//! Frames: read where they belong, closed where a site is hidden, asked whether they are covered.

use super::*;

#[test]
fn snapshot_has_the_frames_below_their_lines_and_says_what_cannot_be_read() {
    let mut world = allowed();
    let top = json!({"snapshot": {"id": "s1", "isWhole": true, "head": {"title": "Shop", "address": "https://shop.example/a"},
        "text": "- heading \"Cart\" [ref=e1]\n- iframe [ref=e2]:\n- iframe [ref=e3]:\n- button \"Buy\" [ref=e4]",
        "frames": [{"token": "t-pay", "line": 1, "indent": 2}, {"token": "t-gone", "line": 2, "indent": 2}]}});
    let pay = json!({"snapshot": {"id": "s1", "isWhole": true, "text": "- button \"Pay\" [ref=f1e1]", "frames": []}});
    world.has_documents(vec![
        document("D1", SHOP, "", top),
        document("D2", "https://pay.example", "t-pay", pay),
    ]);
    let outcome = world.run_browser("snapshot", json!({}));
    let before = "Shop\nhttps://shop.example/a\nsnapshot: s1\n- heading \"Cart\" [ref=e1]\n- iframe [ref=e2]:\n  [of pay.example]";
    let behind = "- iframe [ref=e3]:\n  [not readable]\n- button \"Buy\" [ref=e4]";
    let text = "  - button \"Pay\" [ref=f1e1]".to_owned();
    let framed = FrameText { origin: "https://pay.example".to_owned(), site: "pay.example".to_owned(), text };
    let content =
        vec![Content::Text(before.to_owned()), Content::Framed(framed), Content::Text(behind.to_owned())];
    assert_eq!(outcome, ToolOutcome::Ok { content, page: PageEffect::Stayed });
}

#[test]
fn part_of_a_snapshot_has_what_is_in_frames_whose_own_lines_are_not_in_it() {
    let mut world = allowed();
    let part = json!({"snapshot": {"id": "s4", "text": "", "frames": [
        {"token": "t-pay", "text": "- iframe \"Pay\" [ref=e2]:", "indent": 2},
        {"token": "t-ads", "text": "- iframe \"Ads\" [ref=e3]:", "indent": 2},
        {"token": "t-gone", "text": "- iframe \"Gone\" [ref=e4]:", "indent": 2}]}});
    let asked = Rc::new(Cell::new(Value::Null));
    let (name, answers) = document(
        "D2",
        "https://pay.example",
        "t-pay",
        json!({"snapshot":
        {"id": "s4", "text": "- button \"Pay\" [ref=f1e1]", "frames": []}}),
    );
    let hears = asked.clone();
    let pay: PageScript = Rc::new(move |message| {
        if message["do"] == "snapshot" {
            hears.set(message.clone());
        }
        answers(message)
    });
    let ads = json!({"snapshot": {"id": "s4", "text": "", "frames": []}});
    world.has_documents(vec![
        document("D1", SHOP, "", part),
        (name, pay),
        document("D3", "https://ads.example", "t-ads", ads.clone()),
    ]);
    let outcome = world.run_browser("snapshot", json!({"since": "s3"}));
    let ToolOutcome::Ok { content, .. } = outcome else { panic!() };
    let (origin, site) = ("https://pay.example".to_owned(), "pay.example".to_owned());
    let of_frame = FrameText { origin, site, text: "  - button \"Pay\" [ref=f1e1]".to_owned() };
    let of_top = "\n\nsnapshot: s4 (in part)\n- iframe \"Pay\" [ref=e2]:\n  [of pay.example]".to_owned();
    assert_eq!(content, [Content::Text(of_top), Content::Framed(of_frame)]);
    let asked = asked.take();
    assert_eq!((&asked["since"], &asked["as"]), (&json!("s3"), &json!("s4")));

    world.has_documents(vec![document("D4", SHOP, "", ads)]);
    let outcome = world.run_browser("snapshot", json!({"since": "s4"}));
    assert_eq!(outcome, ToolOutcome::ok("\n\nsnapshot: s4 (in part)\n[nothing changed]"));
}

/// A world that hides the bank, and what the shop's document answers, in which a frame lies.
pub(super) fn beside_a_hidden_bank() -> (ActorWorld, Value) {
    let mut world = allowed();
    world.ask_json(
        PANEL,
        json!({"policies": {"hideSite": {"origin": "https://bank.example", "hidden": true}}}),
    );
    let top = json!({"snapshot": {"id": "s1", "isWhole": true, "text": "- iframe [ref=e2]:",
        "frames": [{"token": "t", "line": 0, "indent": 2}]}});
    (world, top)
}

#[test]
fn frame_of_a_hidden_site_is_a_closed_box() {
    let (mut world, top) = beside_a_hidden_bank();
    let bank = json!({"snapshot": {"id": "s1", "text": "- text: 1,000,000", "frames": []}});
    world.has_documents(vec![
        document("D1", SHOP, "", top),
        document("D2", "https://bank.example", "t", bank),
    ]);
    let outcome = world.run_browser("snapshot", json!({}));
    let text = outcome.text().unwrap().into_owned();
    assert!(text.ends_with("- iframe [ref=e2]:\n  [not readable]"), "{text}");
}

#[test]
fn document_of_another_site_is_not_read_though_the_tab_was_judged_by_its_old_address() {
    let mut world = allowed();
    let text = json!({"snapshot": {"id": "s1", "text": "- text: secret", "frames": []}});
    world.has_documents(vec![document("D1", "https://other.example", "", text)]);
    let outcome = world.run_browser("snapshot", json!({}));
    assert!(matches!(outcome, ToolOutcome::Failed { code: ToolFailure::Off, .. }), "{outcome:?}");
}

/// What a frame hears of what covers it, when the document around it answers its probe with this.
fn cover_told(probed: Value) -> Value {
    let mut world = allowed();
    let top = json!({"probe": probed, "snapshot": {"id": "s1", "isWhole": true, "text": "- iframe [ref=e2]:",
        "frames": [{"token": "t", "line": 0, "indent": 2}]}});
    let (name, answers) = document("D2", "https://pay.example", "t", json!({}));
    let heard = Rc::new(RefCell::new(Value::Null));
    let (told, asked) = (heard.clone(), Cell::new(0));
    let frame = move |message: &Value| {
        if message["do"] == "snapshot" {
            asked.set(message["id"].as_u64().unwrap());
            return vec![json!({"ask": 7, "what": "cover", "x": 3, "y": 4})];
        }
        if message["answer"] == 7 {
            told.replace(message["covered"].clone());
            return vec![json!({"id": asked.get(), "result": {"id": "s1", "text": "", "frames": []}})];
        }
        answers(message)
    };
    world.has_documents(vec![document("D1", SHOP, "", top), (name, Rc::new(frame))]);
    world.run_browser("snapshot", json!({}));
    heard.take()
}

#[test]
fn frame_counts_as_covered_where_the_document_around_it_cannot_tell() {
    assert_eq!(cover_told(json!({"x": 13, "y": 14})), Value::Null, "in view, nothing over it");
    let banner = json!({"role": "dialog", "name": "Cookies", "ref": "e9"});
    assert_eq!(cover_told(json!({"x": 13, "y": 14, "covered": banner})), banner);
    for nobody_knows in [json!({"unknown": true}), json!({}), Value::Null] {
        assert_eq!(cover_told(nobody_knows)["role"], "iframe");
    }
}

#[test]
fn user_who_acts_in_one_document_ends_what_runs_in_another() {
    for scrolls in [false, true] {
        let mut world = allowed();
        // Whoever is asked about what covers the frame is being used right then.
        let (top, answers) = document("D1", SHOP, "", json!({"probe": {"x": 1, "y": 1}}));
        let heard = Rc::new(RefCell::new(Vec::new()));
        let told = heard.clone();
        let used = move |message: &Value| {
            told.borrow_mut()
                .extend(message["do"].as_str().map(str::to_owned).filter(|wanted| wanted == "interrupt"));
            let mut said = answers(message);
            if message["do"] == "probe" {
                said.insert(0, json!({"event": "user", "scrolls": scrolls}));
            }
            said
        };
        let described = json!({"describe": {"role": "button", "name": "Next"}, "act": {"outcome": "ok"}});
        let (name, answers) = document("D2", SHOP, "t", described);
        let acted = Cell::new(0);
        let runs = move |message: &Value| match message["do"].as_str() {
            Some("act") => {
                acted.set(message["id"].as_u64().unwrap());
                vec![json!({"ask": 1, "what": "cover", "x": 3, "y": 4})]
            }
            Some("interrupt") => {
                let result = json!({"outcome": "interrupted", "why": {"code": "userActed"}});
                vec![json!({"id": message["id"], "result": {}}), json!({"id": acted.get(), "result": result})]
            }
            _ => answers(message),
        };
        world.has_documents(vec![(top, Rc::new(used)), (name, Rc::new(runs))]);
        let outcome = world.run_browser("click_element", json!({"selector": "f1e4"}));
        let ToolOutcome::Failed { code, message } = &outcome else { panic!("{outcome:?}") };
        assert_eq!(*code, ToolFailure::Action(ActionOutcome::Interrupted));
        assert!(message.starts_with("The user used the page meanwhile"), "{message}");
        assert_eq!(*heard.borrow(), Vec::<String>::new(), "the document that is used knows it");
    }
}

#[test]
fn sandboxed_frame_of_a_hidden_site_is_a_closed_box() {
    let (mut world, top) = beside_a_hidden_bank();
    let (name, answers) =
        document("D2", "null", "t", json!({"snapshot": {"text": "- text: 1,000,000", "frames": []}}));
    let sandboxed = move |message: &Value| {
        let mut said = answers(message);
        if message["do"] == "hello" {
            said[1]["result"]["home"] = json!("https://bank.example");
        }
        said
    };
    world.has_documents(vec![document("D1", SHOP, "", top), (name, Rc::new(sandboxed))]);
    let text = world.run_browser("snapshot", json!({})).text().unwrap().into_owned();
    assert!(text.ends_with("- iframe [ref=e2]:\n  [not readable]"), "{text}");
}

#[test]
fn frames_are_asked_at_the_same_time_and_silent_ones_once() {
    let mut world = allowed();
    let top = json!({"snapshot": {"id": "s1", "text": "- text: x", "frames": []}});
    let silent = |name: &str| -> (DocumentId, PageScript) { (name.into(), Rc::new(|_: &Value| Vec::new())) };
    world.has_documents(vec![document("D1", SHOP, "", top), silent("D2"), silent("D3"), silent("D4")]);
    let work = async move |tools: TabTools<FakeBrowser>| {
        tools.call(&"c1".into(), &browser_tool("snapshot"), "{}").await;
        let once = sidecar_agent::Clock::now(&tools.browser);
        tools.call(&"c2".into(), &browser_tool("snapshot"), "{}").await;
        sidecar_agent::Clock::now(&tools.browser) - once
    };
    let (second, whole) = world.with_tools(work, 60_000).unwrap();
    assert_eq!((second, whole), (0, 1_500));
}
