use std::cell::RefCell;
use std::rc::Rc;

use futures::executor::block_on;
use sidecar_agent::PageRef;
use sidecar_protocol::page::{Backend, InteractionKind, InteractionPhase, ToolDescription};
use sidecar_protocol::page_view::PageView;
use sidecar_protocol::policy::Policy;
use sidecar_protocol::{CallId, FrameId};

use super::*;
use crate::testing::Memory;

const WINDOW: WindowId = WindowId(1);
const TAB: TabId = TabId(7);

/// The commands that the browser was given.
#[derive(Debug, Clone, Default)]
struct RecordingTabs(Rc<RefCell<Vec<String>>>);

impl TabPort for RecordingTabs {
    fn ask_for_tools(&self, tab: TabId) {
        self.0.borrow_mut().push(format!("ask {}", tab.0));
    }

    fn write_badge(&self, tab: TabId, text: &str) {
        self.0.borrow_mut().push(format!("badge {} {text:?}", tab.0));
    }
}

impl RecordingTabs {
    fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

fn tabs() -> (Tabs<Memory, RecordingTabs>, RecordingTabs) {
    let browser = RecordingTabs::default();
    (Tabs::new(browser.clone(), block_on(GrantStore::load(Memory::default()))), browser)
}

/// Tabs with one window, whose page has these tools.
fn with_tools(names: &[&str]) -> (Tabs<Memory, RecordingTabs>, RecordingTabs) {
    let (mut tabs, browser) = tabs();
    tabs.shows(WINDOW, tab(7, "https://shop.example/seats"));
    assert_eq!(tabs.relay_said(&list(names), place("D1"), true), RelayNews::Tools);
    browser.take();
    (tabs, browser)
}

fn tab(id: i32, url: &str) -> TabInfo {
    TabInfo {
        id: Some(TabId(id)),
        window: WINDOW,
        url: url.to_owned(),
        title: "Seats".to_owned(),
        loading: Loading::Complete,
        is_discarded: false,
        opener: None,
    }
}

fn place(document: &str) -> Place {
    let origin = "https://shop.example".to_owned();
    Place { tab: TAB, frame: FrameId::TOP, document: document.into(), origin }
}

fn list(names: &[&str]) -> String {
    let described = |name: &&str| ToolDescription {
        name: (*name).to_owned(),
        title: String::new(),
        description: format!("Does {name}."),
        input_schema: Some("{}".to_owned()),
        annotations: None,
        form: false,
        definition: String::new(),
    };
    let tools: Vec<_> = names.iter().map(described).collect();
    let total = tools.len();
    text(&RelayMessage::ToolsChanged {
        backend: Backend::Polyfill,
        tools,
        total,
        blocked: false,
        skills: false,
    })
}

fn text(message: &RelayMessage) -> String {
    serde_json::to_string(message).unwrap()
}

fn waits(tabs: &mut Tabs<Memory, RecordingTabs>, ids: &[TabId]) -> oneshot::Receiver<()> {
    let (reply, known) = oneshot::channel();
    tabs.wait_for(ids, reply);
    known
}

fn tool(tabs: &Tabs<Memory, RecordingTabs>, name: &str) -> ToolRef {
    let offers = tabs.offers(&[TAB]);
    offers.into_iter().find(|offer| offer.tool.name() == name).unwrap().tool
}

fn names(tabs: &Tabs<Memory, RecordingTabs>) -> Vec<String> {
    tabs.offers(&[TAB]).into_iter().map(|offer| offer.tool.name().to_owned()).collect()
}

#[test]
fn tab_that_a_window_shows_is_asked_until_its_tools_are_known() {
    let (mut tabs, browser) = tabs();
    for _ in 0..2 {
        tabs.shows(WINDOW, tab(7, "https://shop.example/"));
        assert_eq!(browser.take(), ["ask 7"]);
    }
    tabs.relay_said(&list(&["buy"]), place("D1"), true);
    assert_eq!(browser.take(), ["badge 7 \"1\""]);
    tabs.shows(WINDOW, tab(7, "https://shop.example/"));
    assert_eq!((tabs.shown_in(WINDOW), browser.take()), (Some(TAB), Vec::new()));
}

#[test]
fn page_that_can_have_no_tools_is_not_asked() {
    let (mut tabs, browser) = tabs();
    for url in ["", "chrome://settings", "http://shop.example/", "https://chromewebstore.google.com/"] {
        tabs.shows(WINDOW, tab(7, url));
    }
    tabs.found(&TabInfo { is_discarded: true, ..tab(8, "https://shop.example/") });
    tabs.found(&TabInfo { id: None, ..tab(8, "https://shop.example/") });
    assert_eq!(browser.take(), [] as [String; 0]);
}

#[test]
fn loading_page_is_asked_when_it_has_loaded() {
    let (mut tabs, browser) = tabs();
    tabs.shows(WINDOW, tab(7, "chrome://newtab"));
    tabs.updated(TabInfo { loading: Loading::Underway, ..tab(7, "https://shop.example/") });
    assert_eq!(browser.take(), [] as [String; 0]);
    assert_eq!(tabs.view(WINDOW).status, PageStatus::Loading);
    tabs.updated(tab(7, "https://shop.example/"));
    assert_eq!(browser.take(), ["ask 7"]);
    tabs.updated(TabInfo { window: WindowId(2), ..tab(8, "https://shop.example/") });
    assert_eq!(browser.take(), [] as [String; 0], "no window shows that one");
}

#[test]
fn tools_are_dropped_when_their_tab_navigates_to_a_restricted_page() {
    let (mut tabs, browser) = with_tools(&["buy"]);
    tabs.updated(tab(7, "https://shop.example/other"));
    assert_eq!(names(&tabs), ["buy"]);
    tabs.updated(tab(7, "chrome://settings"));
    assert_eq!((names(&tabs).len(), browser.take()), (0, vec!["badge 7 \"\"".to_owned()]));
}

#[test]
fn tools_are_dropped_with_their_document_and_their_tab() {
    let (mut tabs, _) = with_tools(&["buy"]);
    assert!(!tabs.lost(TAB, &"D9".into()) && tabs.lost(TAB, &"D1".into()));
    assert_eq!(names(&tabs), [] as [String; 0]);
    let (mut tabs, _) = with_tools(&["buy"]);
    assert_eq!(tabs.relay_said(&text(&RelayMessage::PageGone), place("D1"), true), RelayNews::Tools);
    assert_eq!(tabs.relay_said(&text(&RelayMessage::PageGone), place("D1"), true), RelayNews::Nothing);
    let (mut tabs, _) = with_tools(&["buy"]);
    tabs.removed(TAB);
    assert_eq!((names(&tabs).len(), tabs.seen(TAB)), (0, Seen::default()));
}

#[test]
fn window_shows_no_tab_when_its_tab_was_closed() {
    let (mut tabs, _) = with_tools(&["buy"]);
    tabs.shows(WindowId(2), TabInfo { window: WindowId(2), ..tab(8, "https://other.example/") });
    tabs.removed(TAB);
    assert_eq!((tabs.windows(), tabs.page_ref(Some(WINDOW))), (vec![WindowId(2)], PageRef::default()));
    assert_eq!(tabs.view(WINDOW), PageView::default());
}

#[test]
fn inactive_document_offers_nothing() {
    let (mut tabs, browser) = tabs();
    assert_eq!(tabs.relay_said(&list(&["buy"]), place("D1"), false), RelayNews::Nothing);
    assert_eq!((names(&tabs).len(), browser.take().len()), (0, 0));
}

#[test]
fn tab_that_reports_unasked_is_asked_for_its_other_frames() {
    let (mut tabs, browser) = tabs();
    assert_eq!(tabs.relay_said(&list(&["buy"]), place("D1"), true), RelayNews::Tools);
    assert_eq!(browser.take(), ["ask 7", "badge 7 \"1\""]);
}

#[test]
fn unchanged_list_is_no_news() {
    let (mut tabs, browser) = with_tools(&["buy"]);
    let before = tabs.seen(TAB);
    assert_eq!(tabs.relay_said(&list(&["buy"]), place("D1"), true), RelayNews::Nothing);
    assert_eq!((tabs.seen(TAB), browser.take().len()), (before.clone(), 0));
    tabs.relay_said(&list(&["buy", "sell"]), place("D1"), true);
    let now = tabs.seen(TAB);
    assert_eq!((now.revision, now.tools), (before.revision + 1, 2));
}

#[test]
fn unknown_message_is_no_news() {
    let (mut tabs, _) = with_tools(&["buy"]);
    for strange in ["", "{}", "null", r#"{"type":"dance"}"#, "\"__wmcp_page_gone"] {
        assert_eq!(tabs.relay_said(strange, place("D1"), true), RelayNews::Nothing, "{strange}");
    }
    assert_eq!(tabs.relay_said(&text(&RelayMessage::PageStays), place("D1"), true), RelayNews::Nothing);
    assert_eq!(names(&tabs), ["buy"]);
}

#[test]
fn missing_bridge_is_reported() {
    let (mut tabs, _) = tabs();
    let news = tabs.relay_said(&text(&RelayMessage::BridgeMissing), place("D1"), true);
    assert_eq!(news, RelayNews::BridgeMissing(place("D1")));
}

#[test]
fn interaction_is_reported_only_for_calls_of_the_agent() {
    let (mut tabs, _) = with_tools(&["buy"]);
    let (phase, kind) = (InteractionPhase::Started, InteractionKind::Form);
    let waits = |request_id| {
        text(&RelayMessage::UserInteraction { request_id, tool_name: "buy".to_owned(), phase, kind })
    };
    let call = CallId::from("c1");
    let news = tabs.relay_said(&waits(Some(call.clone())), place("D1"), true);
    assert_eq!(news, RelayNews::Interaction(Interaction { document: Some("D1".into()), call, phase, kind }));
    assert_eq!(tabs.relay_said(&waits(None), place("D1"), true), RelayNews::Nothing);
}

#[test]
fn turn_does_not_wait_when_tools_are_known_or_the_tab_is_unreachable() {
    let (mut tabs, browser) = with_tools(&["buy"]);
    tabs.set_unreachable(TabId(8));
    let mut known = waits(&mut tabs, &[TAB, TabId(8)]);
    assert_eq!((known.try_recv(), browser.take().len()), (Ok(Some(())), 0));
    assert_eq!(waits(&mut tabs, &[]).try_recv(), Ok(Some(())));
}

#[test]
fn turn_waits_until_every_tab_has_reported() {
    let (mut tabs, browser) = with_tools(&["buy"]);
    let mut known = waits(&mut tabs, &[TAB, TabId(8), TabId(9), TabId(10)]);
    assert_eq!(browser.take(), ["ask 8", "ask 9", "ask 10"]);
    tabs.relay_said(&list(&["sell"]), Place { tab: TabId(8), ..place("D2") }, true);
    tabs.set_looking(TabId(8), true);
    tabs.answer_if_known(TabId(8));
    tabs.set_unreachable(TabId(9));
    tabs.removed(TabId(10));
    assert_eq!(known.try_recv(), Ok(None), "what SKILLs add is not known yet");
    tabs.set_looking(TabId(8), false);
    assert_eq!(known.try_recv(), Ok(Some(())));
}

#[test]
fn turn_that_stopped_waiting_is_dropped() {
    let (mut tabs, _) = tabs();
    drop(waits(&mut tabs, &[TAB]));
    let _known = waits(&mut tabs, &[TabId(8)]);
    assert_eq!(tabs.waiting.len(), 1);
}

#[test]
fn badge_counts_tools_or_shows_that_a_call_waits() {
    let (mut tabs, browser) = with_tools(&["buy", "sell"]);
    tabs.call_user(true);
    assert_eq!(browser.take(), ["badge 7 \"?\""]);
    tabs.relay_said(&list(&["buy"]), place("D1"), true);
    assert_eq!(browser.take(), ["badge 7 \"?\""]);
    tabs.call_user(false);
    assert_eq!(browser.take(), ["badge 7 \"1\""]);
}

#[test]
fn page_view_has_the_status_of_the_page() {
    let (mut tabs, _) = tabs();
    assert_eq!(tabs.view(WINDOW), PageView::default());
    for (url, status) in [
        ("chrome://settings", PageStatus::Restricted),
        ("http://shop.example/", PageStatus::Insecure),
        ("https://shop.example/", PageStatus::Loading),
    ] {
        tabs.shows(WINDOW, tab(7, url));
        assert_eq!(tabs.view(WINDOW).status, status, "{url}");
    }
    tabs.set_unreachable(TAB);
    assert_eq!(tabs.view(WINDOW).status, PageStatus::Restricted);
    tabs.relay_said(&list(&["buy"]), place("D1"), true);
    let view = tabs.view(WINDOW);
    assert_eq!((view.status, view.tools.len(), view.site.as_str()), (PageStatus::Ready, 1, "shop.example"));
    let blocked = RelayMessage::ToolsChanged {
        backend: Backend::Polyfill,
        tools: Vec::new(),
        total: 0,
        blocked: true,
        skills: false,
    };
    tabs.relay_said(&text(&blocked), place("D1"), true);
    assert_eq!(tabs.view(WINDOW).status, PageStatus::Blocked);
}

#[test]
fn page_ref_describes_the_page_of_a_window() {
    let (tabs, _) = with_tools(&["buy"]);
    let page = tabs.page_ref(Some(WINDOW));
    assert_eq!((page.tab, page.site.as_str(), page.title.as_str()), (Some(TAB), "shop.example", "Seats"));
    assert_eq!(tabs.page_ref(Some(WindowId(2))), PageRef::default());
    assert_eq!(tabs.page_ref(None), PageRef::default());
}

#[test]
fn pinned_tabs_are_listed_when_they_are_known() {
    let (mut tabs, _) = with_tools(&["buy"]);
    tabs.found(&tab(8, "https://mail.example/"));
    let pinned = tabs.pinned(&[TabId(8), TabId(9), TAB]);
    let shown: Vec<_> = pinned.iter().map(|tab| (tab.tab_id.0, tab.site.as_str(), tab.tools)).collect();
    assert_eq!(shown, [(8, "mail.example", 0), (7, "shop.example", 1)]);
}

#[test]
fn refreshed_tab_is_asked_again_even_if_it_was_unreachable() {
    let (mut tabs, browser) = with_tools(&["buy"]);
    tabs.set_unreachable(TAB);
    tabs.refresh(TAB);
    assert_eq!(browser.take(), ["ask 7"]);
}

#[test]
fn tool_that_is_off_is_not_offered_and_the_others_keep_their_names() {
    let (mut tabs, _) = with_tools(&["buy", "sell"]);
    let before = tabs.offers(&[TAB])[1].model_name.clone();
    let key = tabs.catalogue.find(&tool(&tabs, "buy")).unwrap().own_key().unwrap();
    block_on(tabs.set_policy(Some(TAB), &key, Some(Policy::Off), None, 1_000)).unwrap();
    assert_eq!((names(&tabs), tabs.offers(&[TAB])[0].model_name.clone()), (vec!["sell".to_owned()], before));
    block_on(tabs.set_policy(Some(TAB), &key, None, None, 2_000)).unwrap();
    assert_eq!(names(&tabs), ["buy", "sell"]);
}

#[test]
fn tool_is_allowed_only_with_the_definition_that_the_user_saw() {
    let (mut tabs, _) = with_tools(&["buy"]);
    let buy = tool(&tabs, "buy");
    let key = tabs.catalogue.find(&buy).unwrap().own_key().unwrap();
    let refused = tabs.set_policy(Some(TAB), &key, Some(Policy::Allow), Some("another digest"), 1_000);
    assert_eq!(block_on(refused), Err(NotKept::Refused));
    let seen = tabs.current_tool(&buy).unwrap().fingerprint;
    block_on(tabs.allow(&buy, Some(&Fingerprint("another".to_owned())), 1_000)).unwrap();
    assert_eq!(tabs.current_tool(&buy).unwrap().policy, None);
    block_on(tabs.allow(&buy, Some(&seen), 1_000)).unwrap();
    assert_eq!(tabs.current_tool(&buy).unwrap().policy, Some(Policy::Allow));
}

#[test]
fn site_policy_can_be_ask_but_not_allow_or_off() {
    let (mut tabs, _) = with_tools(&["buy"]);
    let site = PolicyKey::Site { origin: "https://shop.example".to_owned() };
    for policy in [Policy::Allow, Policy::Off] {
        let refused = tabs.set_policy(Some(TAB), &site, Some(policy), None, 1_000);
        assert_eq!(block_on(refused), Err(NotKept::Refused));
    }
    block_on(tabs.set_policy(Some(TAB), &site, Some(Policy::Ask), None, 1_000)).unwrap();
    assert_eq!(tabs.current_tool(&tool(&tabs, "buy")).unwrap().policy, Some(Policy::Ask));
}

#[test]
fn tool_that_is_gone_gets_no_policy() {
    let (mut tabs, _) = with_tools(&["buy"]);
    let buy = tool(&tabs, "buy");
    let key = tabs.catalogue.find(&buy).unwrap().own_key().unwrap();
    tabs.lost(TAB, &"D1".into());
    block_on(tabs.set_policy(Some(TAB), &key, Some(Policy::Off), None, 1_000)).unwrap();
    assert!(tabs.current_tool(&buy).is_none() && tabs.details(&buy).is_none());
    assert_eq!(tabs.digests_with(TAB, "buy"), [] as [String; 0]);
    tabs.relay_said(&list(&["buy"]), place("D1"), true);
    assert_eq!((names(&tabs), tabs.digests_with(TAB, "buy").len()), (vec!["buy".to_owned()], 1));
}
