//! Tests of the tools of a turn's tabs: how long a turn waits for them, and the outcomes of calls.

use sidecar_agent::ToolHost;
use sidecar_agent::new_page::{self, NewDocument};
use sidecar_protocol::content::Unread;
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{PageTool, ToolRef};

use super::super::turn_tools::TabTools;
use super::*;
use crate::actions::PageActions;
use crate::browser::ChannelEnd;
use crate::documents::Documents;
use crate::threads::ThreadLog;

fn summary() -> sidecar_protocol::thread::ThreadSummary {
    let event = crate::testing::events::chatted("t1.1").remove(0);
    let entries = crate::testing::events::log(vec![event]);
    sidecar_agent::view::summary(&"t1".into(), &entries).unwrap()
}

fn tool(frame: i32) -> ToolRef {
    ToolRef::Page(PageTool { tab: TAB, frame: FrameId(frame), document: "D1".into(), name: "buy".to_owned() })
}

impl ActorWorld {
    /// Runs work with the tools of tab 7 for at most this time. Returns its result and the time it took.
    pub(super) fn with_tools<T: 'static>(
        &mut self,
        work: impl AsyncFnOnce(TabTools<FakeBrowser>) -> T + 'static,
        milliseconds: u64,
    ) -> Option<(T, Timestamp)> {
        let browser = self.browser.clone();
        let tools = TabTools {
            thread: "t1".into(),
            tab: Some(TAB),
            browser: browser.clone(),
            documents: Documents::new(browser.clone()),
            actions: PageActions::new(browser.clone(), "t1".into(), Some(TAB), Language::English, || {}),
            log: ThreadLog::new(Some(browser.0.disk.clone()), summary(), Vec::new()),
        };
        let (began, came) = (self.now(), Rc::new(RefCell::new(None)));
        let (out, clock) = (came.clone(), browser.clone());
        browser.spawn(async move {
            let output = work(tools).await;
            *out.borrow_mut() = Some((output, sidecar_agent::Clock::now(&clock) - began));
        });
        self.go_on();
        self.pass(milliseconds);
        came.take()
    }

    /// The names of the tools on offer in a thread.
    pub(super) fn actor_offers(&mut self, thread: &str) -> Vec<String> {
        let thread = thread.to_owned();
        let work = async move |mut tools: TabTools<FakeBrowser>| {
            tools.thread = thread.as_str().into();
            tools.offer().await
        };
        let offers = self.with_tools(work, 60_000).unwrap().0;
        offers.into_iter().map(|offer| offer.model_name).collect()
    }

    fn new_page(&mut self) -> (ToolOutcome, Timestamp) {
        self.with_tools(async |tools| tools.new_page(&tool(0)).await, 60_000).unwrap()
    }
}

#[test]
fn missing_tool_is_awaited_until_its_page_reports_its_tools() {
    let mut world = ActorWorld::new();
    let (found, after) = world.with_tools(async |tools| tools.current_tool(&tool(0)).await, 60_000).unwrap();
    assert_eq!((found.unwrap_err(), after), (ToolFailure::Page(FailureCode::NotFound), 5_000));
    world.tell_tools(&["buy"]);
    let (found, after) = world.with_tools(async |tools| tools.current_tool(&tool(0)).await, 60_000).unwrap();
    assert!(found.is_ok() && after == 0);
}

#[test]
fn missing_tool_of_a_frame_is_awaited_longer() {
    let mut world = ActorWorld::new();
    world.tell_tools(&[]);
    let (found, after) = world.with_tools(async |tools| tools.current_tool(&tool(3)).await, 60_000).unwrap();
    assert!(found.is_err());
    assert_eq!(after, 800);
}

#[test]
fn call_that_was_not_received_fails_and_its_document_is_dropped() {
    for (tab_is_there, code) in
        [(true, ToolFailure::Page(FailureCode::NotFound)), (false, ToolFailure::Unreachable)]
    {
        let mut world = ActorWorld::new();
        world.tell_tools(&["buy"]);
        if !tab_is_there {
            world.browser.0.tabs.borrow_mut().clear();
        }
        world.browser.0.results.borrow_mut().push_back(Err(ChannelEnd::NeverHeard));
        let called = async |tools: TabTools<FakeBrowser>| tools.call(&"c1".into(), &tool(0), "{}").await;
        let (outcome, _) = world.with_tools(called, 0).unwrap();
        assert_eq!(outcome, ToolOutcome::Failed { code, message: String::new() });
        assert!(world.browser.take_told().contains(&"badge 7 \"\"".to_owned()));
    }
}

#[test]
fn call_whose_document_went_away_fails_as_navigated() {
    let mut world = ActorWorld::new();
    world.browser.0.results.borrow_mut().push_back(Err(ChannelEnd::Gone("The port closed".to_owned())));
    let called = async |tools: TabTools<FakeBrowser>| tools.call(&"c1".into(), &tool(0), "{}").await;
    let (outcome, _) = world.with_tools(called, 0).unwrap();
    let code = ToolFailure::Page(FailureCode::Navigated);
    assert_eq!(outcome, ToolOutcome::Failed { code, message: "The port closed".to_owned() });
}

fn document(url: &str) -> NewDocument {
    NewDocument {
        origin: "https://shop.example".to_owned(),
        url: url.to_owned(),
        title: "Thanks".to_owned(),
        text: "Two seats".to_owned(),
        data: Vec::new(),
    }
}

#[test]
fn page_that_replaces_a_form_is_the_outcome_of_the_call() {
    let mut world = ActorWorld::new();
    let page = document("https://shop.example/thanks");
    *world.browser.0.next_page.borrow_mut() = Some((world.now() + 700, page.clone()));
    let (outcome, after) = world.new_page();
    assert_eq!((outcome, after), (new_page::outcome(&page, &Default::default()), 800));
}

#[test]
fn waiting_for_a_new_page_ends_early_when_nothing_loads() {
    let mut world = ActorWorld::new();
    assert_eq!(world.new_page(), (new_page::unread(Unread::Missing), 2_000));
    world.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, "chrome://settings/"));
    assert_eq!(world.new_page().0, new_page::unread(Unread::Restricted));
}

#[test]
fn waiting_for_a_new_page_ends_at_the_time_limit() {
    let mut world = ActorWorld::new();
    let loading = TabInfo { loading: Loading::Underway, ..tab(7, WINDOW, "https://shop.example/") };
    world.browser.0.tabs.borrow_mut().insert(TAB, loading);
    assert_eq!(world.new_page(), (new_page::unread(Unread::Missing), 10_000));
}

#[test]
fn page_of_a_hidden_site_is_not_read() {
    let mut world = ActorWorld::new();
    world.panel();
    world.ask_json(
        PANEL,
        json!({"policies": {"hideSite": {"origin": "https://shop.example", "hidden": true}}}),
    );
    *world.browser.0.next_page.borrow_mut() = Some((0, document("https://shop.example/thanks")));
    assert_eq!(world.new_page(), (new_page::unread(Unread::Hidden), 0));
}
