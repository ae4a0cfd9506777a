//! Tests of what documents tell of their tools.

use sidecar_protocol::link::{PageAnswer, PageCommand};

use super::*;

fn with_tool() -> (ActorWorld, PanelMessages, String) {
    let mut world = ActorWorld::new();
    world.tell_tools(&["look"]);
    let heard = world.panel();
    let (_, welcome) = world.open_panel(OTHER_PANEL, WINDOW);
    let tool = &welcome.page.tools[0].tool;
    let document = tool.document().unwrap().0.clone();
    world.ask(PANEL, Command::Page(PageCommand::ToolFacts { tool: tool.clone() }));
    world.pass(100);
    let answer = heard.replies().pop().map(|(_, answer)| answer);
    assert_eq!(answer, Some(Ok(Answer::Page(PageAnswer::ToolFacts { facts: None }))));
    heard.forget();
    (world, heard, document)
}

#[test]
fn document_is_asked_about_a_tool_and_its_answer_is_passed_on_unread() {
    let (mut world, heard, document) = with_tool();
    let told = r#"{"tools":[{"name":"look","at":7}]}"#;
    world.browser.0.facts.borrow_mut().insert(document.as_str().into(), Some(told.to_owned()));
    let (_, welcome) = world.open_panel(OTHER_PANEL, WINDOW);
    let [tool] = exactly(welcome.page.tools);
    world.ask(PANEL, Command::Page(PageCommand::ToolFacts { tool: tool.tool }));
    world.pass(100);
    let [(_, answer)] = exactly(heard.replies());
    assert_eq!(answer, Ok(Answer::Page(PageAnswer::ToolFacts { facts: Some(told.to_owned()) })));
    let asked = world.browser.0.told.borrow().iter().rfind(|line| line.starts_with("ask ")).cloned();
    assert!(asked.unwrap().ends_with(r#""requestId":"facts","toolName":"look"}"#));
}

#[test]
fn tools_are_looked_at_with_what_their_documents_told() {
    let (mut world, heard, document) = with_tool();
    world.browser.0.facts.borrow_mut().insert(document.as_str().into(), Some("{}".to_owned()));
    world.ask(PANEL, Command::Page(PageCommand::Lint));
    world.pass(100);
    assert!(matches!(exactly(heard.replies()), [(_, Ok(Answer::Page(PageAnswer::Linted { .. })))]));
    let told = world.browser.0.told.borrow();
    assert!(told.contains(&"facts of https://shop.example 0: {}".to_owned()), "{told:?}");
}

#[test]
fn tools_are_looked_at_without_a_document_that_does_not_answer() {
    let (mut world, heard, document) = with_tool();
    world.browser.0.facts.borrow_mut().insert(document.as_str().into(), None);
    world.ask(PANEL, Command::Page(PageCommand::Lint));
    world.pass(900);
    assert_eq!(heard.replies(), []);
    world.pass(200);
    assert!(matches!(exactly(heard.replies()), [(_, Ok(Answer::Page(PageAnswer::Linted { .. })))]));
    assert!(!world.browser.0.told.borrow().iter().any(|line| line.starts_with("facts of")));
}

impl ActorWorld {
    /// Tab 7 shows a page with a tool `look` of this description.
    fn visit(&mut self, path: &str, description: &str) {
        let page = tab(7, WINDOW, &format!("https://shop.example{path}"));
        self.browser.0.tabs.borrow_mut().insert(TAB, page.clone());
        self.post(BrowserEvent::TabUpdated { tab: page });
        let described = json!({"name": "look", "description": description});
        self.relay(&RelayMessage::ToolsChanged {
            backend: Backend::Native,
            tools: vec![serde_json::from_value(described).unwrap()],
            total: 1,
            blocked: false,
            skills: false,
        });
    }

    /// What is said of other pages when the page is checked.
    fn differences(&mut self) -> Vec<String> {
        self.browser.take_told();
        self.ask(PANEL, Command::Page(PageCommand::Lint));
        self.pass(100);
        self.browser.take_told().into_iter().filter(|line| line.contains(" differs on ")).collect()
    }
}

#[test]
fn tool_that_another_path_of_the_origin_defines_otherwise_is_looked_at_with_that_page() {
    let mut world = ActorWorld::new();
    world.panel();
    world.visit("/tea?kind=green#top", "Looks at green tea.");
    world.visit("/tea?kind=black", "Looks at black tea.");
    assert_eq!(world.differences(), [""; 0], "it is the same page");
    world.visit("/basket", "Looks at the basket.");
    assert_eq!(world.differences(), ["look differs on https://shop.example/tea"]);
    let mut world = world.restart();
    world.panel();
    world.visit("/pay", "Looks at black tea.");
    assert_eq!(world.differences(), ["look differs on https://shop.example/basket"]);
    let mut world = world.reopen_browser();
    world.panel();
    world.visit("/pay", "Pays.");
    assert_eq!(world.differences(), [""; 0]);
}

#[test]
fn private_window_leaves_no_definitions_behind() {
    let mut world = ActorWorld::of(with_provider(), Disk::default(), true);
    world.panel();
    world.visit("/tea", "Looks at tea.");
    world.visit("/basket", "Looks at the basket.");
    assert_eq!(world.differences(), ["look differs on https://shop.example/tea"]);
    assert!(!world.browser.0.storage.session.names().contains(&"pageDefinitions".to_owned()));
    let mut world = world.restart();
    world.panel();
    world.visit("/basket", "Looks at the basket.");
    assert_eq!(world.differences(), [""; 0]);
}

#[test]
fn inspector_case_60_rule_that_is_off_at_first_is_looked_for_once_it_is_on() {
    let (mut world, heard, _) = with_tool();
    let on = |world: &mut ActorWorld| {
        world.browser.take_told();
        heard.forget();
        world.ask(PANEL, Command::Page(PageCommand::Lint));
        world.pass(100);
        let told: Vec<_> =
            world.browser.take_told().into_iter().filter(|line| line.starts_with("on ")).collect();
        let [(_, answer)] = exactly(heard.replies());
        let Ok(Answer::Page(PageAnswer::Linted { on, off, .. })) = answer else { panic!("{answer:?}") };
        assert_eq!(off, [""; 0]);
        (told, on)
    };
    let switch = |off| json!({"page": {"switchRule": {"origin": "https://shop.example", "rule": "annotations-explicit", "off": off}}});
    assert_eq!(on(&mut world), (vec![], vec![]));
    world.ask_json(PANEL, switch(false));
    assert_eq!(
        on(&mut world),
        (vec!["on annotations-explicit".to_owned()], vec!["annotations-explicit".to_owned()])
    );
    world.ask_json(PANEL, switch(true));
    assert_eq!(on(&mut world), (vec![], vec![]));
}
