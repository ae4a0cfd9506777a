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
