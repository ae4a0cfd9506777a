//! Tests of workbenches, which are bound to a tab.

use sidecar_protocol::PageTool;
use sidecar_protocol::link::{PageAnswer, PageCommand, PageEvent, RunsAnswer, RunsCommand};
use sidecar_protocol::page::names;
use sidecar_protocol::page_view::PageView;

use super::*;

pub(super) const WORKBENCH: LinkId = LinkId(70);

impl ActorWorld {
    /// A workbench that is bound to a tab, with the first page that it is shown.
    pub(super) fn open_workbench(&mut self, bound_to: TabId) -> (PanelMessages, PageView) {
        let heard = PanelMessages::default();
        self.post(SessionEvent::PanelConnected { link: WORKBENCH, port: Box::new(heard.clone()) });
        let hello = Hello {
            version: PROTOCOL_VERSION,
            window_id: WindowId(90),
            tab_id: Some(bound_to),
            browser_language: "en".to_owned(),
        };
        self.ask(WORKBENCH, Command::Hello(hello));
        match exactly(heard.replies()) {
            [(_, Ok(Answer::Welcome(welcome)))] => {
                assert_eq!(welcome.thread, None);
                (heard, welcome.page)
            }
            [other] => panic!("{other:?}"),
        }
    }
}

fn tools_of(page: &PageView) -> Vec<&str> {
    page.tools.iter().map(|tool| tool.tool.name()).collect()
}

fn pages(heard: &PanelMessages) -> Vec<PageView> {
    let page = |event| match event {
        PanelEvent::Page(PageEvent::Changed { page }) => Some(page),
        _ => None,
    };
    heard.events().into_iter().filter_map(page).collect()
}

#[test]
fn workbench_shows_the_page_of_its_tab_and_can_be_bound_to_another() {
    let mut world = ActorWorld::new();
    world.tell_tools(&["buy"]);
    let (heard, page) = world.open_workbench(TAB);
    assert_eq!((tools_of(&page), page.tab_id), (vec!["buy"], Some(TAB)));
    heard.forget();
    world.tell_tools(&["buy", "find"]);
    assert_eq!(pages(&heard).last().map(tools_of), Some(vec!["buy", "find"]));
    heard.forget();
    world.ask(WORKBENCH, Command::Page(PageCommand::Bind { tab_id: TabId(404) }));
    assert_eq!(pages(&heard), [PageView::default()], "there is no such tab");
    heard.forget();
    world.tell_tools(&["buy"]);
    assert_eq!(pages(&heard), []);
    world.ask(WORKBENCH, Command::Page(PageCommand::Bind { tab_id: TAB }));
    assert_eq!(pages(&heard).last().map(tools_of), Some(vec!["buy"]));
    heard.forget();
    world.post(BrowserEvent::TabRemoved { tab: TAB });
    assert_eq!(pages(&heard), [PageView::default()]);
}

#[test]
fn definition_comes_before_what_is_wrong_with_its_schema() {
    let mut world = ActorWorld::new();
    let tools =
        [("odd", json!({"type": "dict"})), ("sound", json!({"type": "object"}))].map(|(name, schema)| {
            let tool = json!({"name": name, "description": "Does it.", "inputSchema": schema.to_string()});
            serde_json::from_value(tool).unwrap()
        });
    world.relay(&RelayMessage::ToolsChanged {
        backend: Backend::Native,
        tools: tools.into(),
        total: 2,
        blocked: false,
        skills: false,
    });
    let (heard, page) = world.open_workbench(TAB);
    let mut all: Vec<_> = page.tools.into_iter().map(|tool| tool.tool).collect();
    world.ask(WORKBENCH, Command::Page(PageCommand::DescribeTool { tool: all[0].clone() }));
    assert!(matches!(
        exactly(heard.replies()),
        [_, (_, Ok(Answer::Page(PageAnswer::Tool { details: Some(_) })))]
    ));
    let ToolRef::Page(gone) = &all[0] else { panic!() };
    all.push(ToolRef::Page(PageTool { name: "gone".to_owned(), ..gone.clone() }));
    let told: Vec<_> = all
        .into_iter()
        .map(|tool| {
            heard.forget();
            world.ask(WORKBENCH, Command::Page(PageCommand::CheckSchema { tool }));
            let [(_, Ok(Answer::Page(PageAnswer::SchemaProblem { problem })))] = exactly(heard.replies())
            else {
                panic!()
            };
            problem
        })
        .collect();
    let shown = "/type: \"dict⟨U+202E⟩\" is not a type".to_owned();
    assert_eq!(told, [Some(shown), Some(String::new()), None]);
}

#[test]
fn arguments_are_checked_without_a_run() {
    let mut world = ActorWorld::new();
    let described = json!({"name": "buy", "description": "Buys.", "inputSchema":
        json!({"type": "object", "properties": {"seats": {"type": "integer"}}}).to_string()});
    let tools = json!({"type": names::TOOLS_CHANGED, "backend": "native", "tools": [described], "total": 1});
    world.relay(&serde_json::from_value(tools).unwrap());
    let (heard, page) = world.open_workbench(TAB);
    let tool = page.tools[0].tool.clone();
    for (arguments, count) in [(r#"{"seats":2}"#, 0), (r#"{"seats":"two"}"#, 1)] {
        heard.forget();
        let check = RunsCommand::Check { tool: tool.clone(), arguments: arguments.to_owned() };
        world.ask(WORKBENCH, Command::Runs(check));
        match exactly(heard.replies()) {
            [(_, Ok(Answer::Runs(RunsAnswer::Checked { mistakes })))] => {
                assert_eq!(mistakes.len(), count, "{mistakes:?}");
            }
            [other] => panic!("{other:?}"),
        }
    }
}
