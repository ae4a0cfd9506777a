//! Several tabs in one chat, and leaving a page.

use super::*;

#[test]
fn tools_for_pages_name_the_origin_that_their_tab_shows_and_tools_for_tabs_none() {
    let mut world = allowed();
    let work = async |tools: TabTools<FakeBrowser>| {
        let page = async |name| tools.current_tool(&browser_tool(name)).await.unwrap().page;
        [page("click_element").await, page("snapshot").await, page("list_tabs").await]
    };
    let pages = world.with_tools(work, 60_000).unwrap().0;
    assert_eq!(pages, [Some(SHOP.to_owned()), Some(SHOP.to_owned()), None]);
}

/// A world whose agent may use the shop, in the tab of the turn and in tab 8, which is pinned to the thread.
fn with_two_tabs(other: &str) -> (ActorWorld, ThreadId) {
    let mut world = allowed();
    world.browser.0.tabs.borrow_mut().insert(TabId(8), tab(8, WINDOW, other));
    world.tell_tools(&[]);
    world.send("Hello");
    world.ask_json(PANEL, json!({"page": {"pinTab": {"tabId": 8, "pinned": true}}}));
    let thread = world.thread_in(PANEL, WINDOW).unwrap().summary.id;
    (world, thread)
}

impl ActorWorld {
    /// One of the browser's tools in the tab that a call of a thread names.
    fn in_tab(&mut self, thread: &ThreadId, name: &'static str, tab: i32) -> Result<(TabId, String), String> {
        let thread = thread.clone();
        let work = async move |mut tools: TabTools<FakeBrowser>| {
            tools.thread = thread;
            let offered = tools.offer().await.into_iter().find(|offer| offer.tool.name() == name);
            let offer = offered.ok_or_else(|| "not offered".to_owned())?;
            let there = tools.in_tab(&offer, TabId(tab)).await?;
            Ok((there.tool.tab().unwrap(), there.origin))
        };
        self.with_tools(work, 60_000).unwrap().0
    }
}

#[test]
fn browser_tools_work_in_the_tabs_of_the_chat_and_in_no_other() {
    let (mut world, thread) = with_two_tabs("https://shop.example/b");
    world.browser.0.tabs.borrow_mut().insert(TabId(9), tab(9, WINDOW, "https://shop.example/c"));
    assert_eq!(world.in_tab(&thread, "click_element", 8), Ok((TabId(8), SHOP.to_owned())));
    assert!(world.in_tab(&thread, "click_element", 9).unwrap_err().contains("not part of this chat"));
    world.browser.0.tabs.borrow_mut().remove(&TabId(8));
    assert_eq!(world.in_tab(&thread, "snapshot", 8), Err("Tab 8 is closed.".to_owned()));
}

#[test]
fn consent_for_a_named_tab_is_that_of_its_own_site() {
    let (mut world, thread) = with_two_tabs("https://news.example/a");
    assert!(
        world
            .in_tab(&thread, "snapshot", 8)
            .unwrap_err()
            .contains("Call request_page_access with this `tabId`")
    );
    let news = "https://news.example".to_owned();
    assert_eq!(
        world.in_tab(&thread, PAGE_ACCESS, 8),
        Ok((TabId(8), news)),
        "offered, though the shop needs no more"
    );
    world.ask_json(
        PANEL,
        json!({"policies": {"hideSite": {"origin": "https://news.example", "hidden": true}}}),
    );
    assert!(world.in_tab(&thread, "snapshot", 8).unwrap_err().contains("not open to you"));
}

#[test]
fn ref_of_one_tab_means_nothing_in_another_and_the_card_names_the_tab() {
    let mut world = allowed();
    let mut other = tab(8, WINDOW, "https://shop.example/b");
    "Second".clone_into(&mut other.title);
    world.browser.0.tabs.borrow_mut().insert(TabId(8), other);
    let (asked, document) = noting(next_button());
    world.has_documents(vec![document]);
    let work = async |tools: TabTools<FakeBrowser>| {
        let examine = async |tab, target: &str| {
            let tool = ToolRef::Browser { name: "click_element".to_owned(), tab: Some(tab) };
            let arguments = json!({"selector": target}).to_string();
            tools.examine(&"c1".into(), &tool, &arguments).await
        };
        let own = examine(TAB, "e4").await;
        let other = examine(TabId(8), "f1e4").await;
        (
            own,
            other,
            examine(TabId(8), "e4").await,
            examine(TAB, "f1e4").await,
            examine(TabId(8), "#id").await,
        )
    };
    let (own, other, of_own, of_other, css) = world.with_tools(work, 60_000).unwrap().0;
    let tab_on = |examined: Result<Examined, Box<ToolOutcome>>| examined.unwrap().card.unwrap().tab;
    assert_eq!((tab_on(own), tab_on(other), tab_on(css)), (String::new(), "Second".into(), "Second".into()));
    for stale in [of_own, of_other] {
        assert!(failure(ActionOutcome::Stale)(&stale.unwrap_err()));
    }
    let prefixes: Vec<_> = asked
        .borrow()
        .iter()
        .filter(|message| message["do"] == "hello")
        .map(|hello| hello["prefix"].clone())
        .collect();
    assert_eq!(prefixes, ["", "f1"]);
}

#[test]
fn tabs_are_listed_as_far_as_their_sites_are_shared_and_only_own_ones_are_closed() {
    let mut world = allowed();
    world.ask_json(
        PANEL,
        json!({"policies": {"hideSite": {"origin": "https://bank.example", "hidden": true}}}),
    );
    let mut tabs = world.browser.0.tabs.borrow_mut();
    tabs.insert(TabId(7), tab(7, WINDOW, "https://shop.example/a?token=1#x"));
    tabs.insert(TabId(8), tab(8, WINDOW, "https://news.example/a"));
    tabs.insert(TabId(9), tab(9, WINDOW, "https://bank.example/"));
    drop(tabs);
    let listed = world.run_browser("list_tabs", json!({})).text().unwrap().into_owned();
    assert!(listed.contains("https://shop.example/a\"") && !listed.contains("token"), "{listed}");
    assert!(!listed.contains("bank") && !listed.contains("news"), "{listed}");
    assert!(listed.contains("another site") && listed.contains("\"tabId\":8"), "{listed}");
    let own = json!({"current": true, "inChat": true, "tabId": 7, "title": "Seats", "url": "https://shop.example/a"});
    let tabs: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(tabs["tabs"][0], own);
    let shown = world.run_browser("switch_tab", json!({"tabId": 8})).text().unwrap().into_owned();
    assert!(shown.contains("another site"), "{shown}");
    let closed = world.run_browser("close_tab", json!({"tabId": 8}));
    assert!(failure(ActionOutcome::Refused)(&closed), "{closed:?}");
    let opened = world.run_browser("open_tab", json!({"url": "https://bank.example/"}));
    assert!(failure(ActionOutcome::Refused)(&opened), "{opened:?}");
}

#[test]
fn action_is_not_done_where_the_tab_has_gone_to_a_site_without_consent() {
    let mut world = allowed();
    let results = json!({"describe": {"role": "button", "name": "Next"}, "act": {"outcome": "ok"}});
    world.has_documents(vec![document("D1", "https://other.example", "", results)]);
    world.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, "https://other.example/"));
    world.post(BrowserEvent::TabUpdated { tab: tab(7, WINDOW, "https://other.example/") });
    let outcome = world.run_browser("click_element", json!({"selector": "e4"}));
    assert!(matches!(outcome, ToolOutcome::Failed { code: ToolFailure::Off, .. }), "{outcome:?}");
}

#[test]
fn tab_that_an_action_opens_in_front_is_given_back_and_named() {
    let mut world = allowed();
    world.has_documents(vec![document("D1", SHOP, "", next_button())]);
    let outcome = click_after(&mut world, |browser| {
        let mut tabs = browser.0.tabs.borrow_mut();
        tabs.insert(TabId(20), tab(20, WINDOW, "https://ads.example/secret"));
        browser.0.active.borrow_mut().insert(WINDOW, TabId(20));
    });
    // It was there before the action: the user's own.
    assert!(!outcome.text().unwrap().contains("tab 20"), "{outcome:?}");
    let browser = world.browser.clone();
    let script: PageScript = Rc::new(move |message: &Value| {
        if message["do"] == "act" {
            browser.0.tabs.borrow_mut().insert(TabId(21), tab(21, WINDOW, "https://ads.example/secret"));
            browser.0.active.borrow_mut().insert(WINDOW, TabId(21));
        }
        (document("D1", SHOP, "", next_button()).1)(message)
    });
    world.browser.0.active.borrow_mut().insert(WINDOW, TAB);
    world.has_documents(vec![("D1".into(), script)]);
    let outcome = world.run_browser("click_element", json!({"selector": "e1"}));
    let text = outcome.text().unwrap().into_owned();
    assert!(text.contains("It opened tab 21, which is in the background now: another site"), "{text}");
    assert_eq!(world.browser.0.told.borrow().last().map(String::as_str), Some("show 7"));
}

/// What is told of a tab that comes while an action is done, which ends like this.
fn told_of(opened: TabInfo, acted: Value) -> String {
    let mut world = allowed();
    let mut results = next_button();
    results["act"] = acted;
    let browser = world.browser.clone();
    let script: PageScript = Rc::new(move |message: &Value| {
        if message["do"] == "act" {
            browser.0.tabs.borrow_mut().insert(TabId(21), opened.clone());
        }
        (document("D1", SHOP, "", results.clone()).1)(message)
    });
    world.has_documents(vec![("D1".into(), script)]);
    match world.run_browser("click_element", json!({"selector": "e1"})) {
        ToolOutcome::Failed { message, .. } => message,
        outcome => outcome.text().unwrap().into_owned(),
    }
}

#[test]
fn tab_that_the_user_opens_meanwhile_is_not_the_actions() {
    let ok = || json!({"outcome": "ok", "became": []});
    let new = |url: &str, opener: Option<TabId>| TabInfo { opener, ..tab(21, WINDOW, url) };
    let news = "https://news.example/";
    assert!(told_of(new(news, Some(TAB)), ok()).contains("It opened tab 21"));
    assert!(told_of(new(news, None), ok()).contains("It opened tab 21"), "a window of its own");
    assert!(!told_of(new(news, Some(TabId(8))), ok()).contains("tab 21"), "from another tab");
    assert!(!told_of(new("chrome://newtab/", Some(TAB)), ok()).contains("tab 21"), "a new empty tab");
    let failed = json!({"outcome": "blocked", "why": {"code": "noReaction"}});
    assert!(
        told_of(new(news, Some(TAB)), failed).contains("It opened tab 21"),
        "whatever became of the action"
    );
}

#[test]
fn leaving_what_the_agent_typed_and_nobody_sent_asks() {
    let examined = |count: u64| {
        let mut world = allowed();
        world.has_documents(vec![document("D1", SHOP, "", json!({"unsaved": {"count": count}}))]);
        let work = async |tools: TabTools<FakeBrowser>| {
            let arguments = r#"{"url":"https://shop.example/b"}"#;
            tools.examine(&"c1".into(), &browser_tool("navigate_to"), arguments).await.unwrap()
        };
        world.with_tools(work, 60_000).unwrap().0.card.and_then(|card| card.consequence)
    };
    assert_eq!(examined(0), None);
    assert_eq!(examined(1), Some(Consequence::Unsaved));
}
