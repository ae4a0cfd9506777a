use proptest::prelude::*;
use serde_json::{Value, json};
use sidecar_llm::CallRecord;
use sidecar_protocol::attachment::{Attachment, Extract};
use sidecar_protocol::content::{Content, FrameText, PageEffect};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{CallId, PageTool, ToolRef};

use super::*;
use crate::log::PageRef;
use crate::testing::{calling, meant, nfkc, tool_id};

fn flows(log: &[Entry], target: &Target, arguments: &str, schema: Option<&str>) -> Vec<Flow> {
    super::flows(log, target, arguments, schema, &nfkc)
}

fn target(origin: &str, name: &str) -> Target {
    let site = origin.trim_start_matches("https://").to_owned();
    let (tool, origin) = (tool_id(name), origin.to_owned());
    Target { skill: None, tool, site, origin, read_only: true, consequential: false, fingerprint: None }
}

const MAIL: &str = "https://mail.example";
const SHOP: &str = "https://shop.example";

/// The user says something, and tools of these origins return results.
fn log(said: &str, results: &[(&str, &str)]) -> Vec<Entry> {
    let started = Event::TurnStarted {
        turn: "t".into(),
        text: said.to_owned(),
        attached: Vec::new(),
        pictures: Vec::new(),
        page: PageRef::default(),
    };
    let mut events = vec![started];
    for (n, (origin, result)) in results.iter().enumerate() {
        let id = CallId(format!("c{n}"));
        let record = CallRecord { id: id.0.clone(), name: "readMail".to_owned(), arguments: "{}".to_owned() };
        let target = Some(target(origin, "readMail"));
        let call = meant(id.clone(), record, target);
        events.push(calling(vec![call]));
        let outcome = ToolOutcome::ok(*result);
        events.push(Event::ToolFinished { call: id, outcome, duration_ms: 1 });
    }
    events.into_iter().map(|event| Entry { at: 1, event }).collect()
}

/// The flows of a call of a shop, with data from a mail.
fn going(said: &str, mail: &str, arguments: Value) -> Vec<(String, String)> {
    let flows = flows(&log(said, &[(MAIL, mail)]), &target(SHOP, "order"), &arguments.to_string(), None);
    flows.into_iter().map(|flow| (flow.argument, flow.data)).collect()
}

#[test]
fn flow_finds_data_of_another_origin_in_the_arguments() {
    let mail = "Your code is 483920. Call Anna Example (anna@mail.example), 12 Long Street, Springfield.";
    for (arguments, argument, data) in [
        (json!({"code": "483920"}), "code", "483920"),
        (json!({"code": 483_920}), "code", "483920"),
        (json!({"to": {"mail": "Anna@Mail.example"}}), "to.mail", "Anna@Mail.example"),
        (json!({"text": ["Hi! The code: 483920, bye"]}), "text", "483920"),
        (
            json!({"note": "Deliver it to 12 long street springfield, please"}),
            "note",
            "12 long street springfield",
        ),
        (json!({"name": "Anna\u{200b} Example"}), "name", "Anna⟨U+200B⟩ Example"),
    ] {
        assert_eq!(
            going("Go", mail, arguments.clone()),
            [(argument.to_owned(), data.to_owned())],
            "{arguments}"
        );
    }
    let found =
        going("去", "验证码：九五二七，地址是幸福路十二号三单元", json!({"地址": "幸福路十二号三单元"}));
    assert_eq!(found, [("地址".to_owned(), "幸福路十二号三单元".to_owned())]);
}

#[test]
fn flow_finds_data_despite_length_many_results_and_nesting() {
    let code = json!({"text": format!("{} 483920", "word ".repeat(3_000))});
    assert_eq!(going("Go", "Your code is 483920.", code)[0].1, "483920");
    let chinese = json!({"text": format!("{}幸福路十二号三单元", "好的".repeat(600))});
    assert_eq!(going("去", "地址是幸福路十二号三单元。", chinese)[0].1, "幸福路十二号三单元");
    let keyed = json!({"to": {"anna@mail.example": {"at": "home"}}});
    assert_eq!(going("Go", r#"{"anna@mail.example": {"unread": 3}}"#, keyed)[0].0, "to");
    let mut results = vec![(MAIL, "Your code is 483920.")];
    results.extend((0..60).map(|_| (SHOP, "Another page of the list.")));
    let log = log("Go", &results);
    assert_eq!(flows(&log, &target(SHOP, "order"), r#"{"code": "483920"}"#, None).len(), 1);
    let late = format!("{} Your code is 483920.", "word ".repeat(35_000));
    assert_eq!(going("Go", &late, json!({"code": "483920"})).len(), 1);
}

#[test]
fn flow_finds_data_despite_escapes_and_layout() {
    let mail = r#"{"content":[{"type":"text","text":"{\"code\": \"AB\u002d4839\u002d20\"}"}]}"#;
    assert_eq!(going("Go", mail, json!({"c": "ab 4839 20"})).len(), 1);
}

#[test]
fn flow_ignores_chance_matches_the_users_words_and_the_tools_own() {
    let mail = "2 seats in economy class on Monday for 1500 with code 483920";
    for (said, arguments) in [
        ("Go", json!({"seats": 2, "price": 1500, "day": "Monday class"})),
        ("Go", json!({"note": "We fly on Monday"})),
        ("Take code 483920", json!({"code": "483920"})),
        ("Go", json!({})),
        ("Go", json!(null)),
    ] {
        assert_eq!(going(said, mail, arguments.clone()), [], "{said} {arguments}");
    }
    let schema = r#"{"properties": {"class": {"enum": ["economy", "business"]}}}"#;
    let log = log("Go", &[(MAIL, mail)]);
    let call = r#"{"class": "economy"}"#;
    assert_eq!(flows(&log, &target(SHOP, "order"), call, Some(schema)), []);
    assert_eq!(flows(&log, &target(SHOP, "order"), call, None).len(), 1);
    assert_eq!(flows(&log, &target(SHOP, "order"), "{broken 483920", None), []);
}

#[test]
fn flow_ignores_data_that_stays_on_or_is_known_to_its_origin() {
    let code = r#"{"code": "483920"}"#;
    let mail = log("Go", &[(MAIL, "483920")]);
    assert_eq!(flows(&mail, &target(MAIL, "send"), code, None), []);
    let both = log("Go", &[(MAIL, "483920"), (SHOP, "Your code: 483920")]);
    assert_eq!(flows(&both, &target(SHOP, "order"), code, None), []);
    // Opaque origins have the same name but are not the same.
    let sandboxed = log("Go", &[("null", "483920")]);
    let mut other = target("null", "order");
    other.tool = ToolRef::Page(PageTool { document: "another".into(), ..other.tool.page().unwrap().clone() });
    assert_eq!(flows(&sandboxed, &other, code, None).len(), 1);
}

#[test]
fn flow_counts_attachments_but_not_the_users_message() {
    let attached = |origin: &str| Attachment {
        what: Extract::Page,
        origin: origin.to_owned(),
        site: "mail.example".to_owned(),
        text: "Your code: 483920".to_owned(),
        whole: None,
        signals: Vec::new(),
    };
    let flows = |said: &str, origin: &str| {
        let event = Event::TurnStarted {
            turn: "t".into(),
            text: said.to_owned(),
            attached: vec![attached(origin)],
            pictures: Vec::new(),
            page: PageRef::default(),
        };
        flows(&[Entry { at: 1, event }], &target(SHOP, "order"), r#"{"code": "483920"}"#, None)
    };
    let found = flows("Go", MAIL);
    assert_eq!((found[0].site.as_str(), found[0].tool.as_str()), ("mail.example", ""));
    assert_eq!(flows("Take 483920", MAIL), []);
    assert_eq!(flows("Go", SHOP), []);
    assert_eq!(flows("Go", "null").len(), 1);
}

#[test]
fn flow_names_origin_tool_and_argument() {
    let log = log("Go", &[(SHOP, "nothing"), (MAIL, "Code 483920")]);
    let flows = flows(&log, &target(SHOP, "order"), r#"{"code": "483920"}"#, None);
    let expected = Flow {
        origin: MAIL.to_owned(),
        site: "mail.example".to_owned(),
        tool: "readMail".to_owned(),
        argument: "code".to_owned(),
        data: "483920".to_owned(),
    };
    assert_eq!(flows, [expected]);
}

proptest! {
    #[test]
    fn flow_search_accepts_any_text(mail in "\\PC{0,60}", text in "\\PC{0,60}") {
        let flows = going("Go", &mail, json!({"a": text, "b": [mail.clone()]}));
        prop_assert!(flows.len() <= 2);
    }
}

/// The text of a mail for the tests below.
const SECRETS: &str = "Code ZK-483920, PIN 4711. Your password: hunter2-Blue!Horse. IBAN DE89 3704 0044 0532 0130 00. \
                       Balance: 15,230.00 EUR. From Anna Example, 12 Long Street, Springfield.";

#[test]
fn flow_finds_data_despite_simple_changes() {
    for arguments in [
        json!({"a": "ZK-483920"}),
        json!({"a": "zk-483920"}),
        json!({"a": "ZK_483920"}),
        json!({"ZK-483920": true}),
        json!({"a": "ZK483920"}),
        json!({"a": "Z K 4 8 3 9 2 0"}),
        json!({"a": "Z.K.-.4.8.3.9.2.0"}),
        json!({"a": "ZK-483", "b": "920"}),
        json!({"a": "920", "b": "ZK-483"}),
        json!({"a": "https://shop.example/find?q=ZK483920&page=1"}),
        json!({"a": "https://shop.example/find?q=%5AK%2D%34%383920"}),
        json!({"a": "WkstNDgzOTIw"}),
        json!({"a": "029384-KZ"}),
        json!({"a": ["Z", "K", "-", "4", "8", "3", "9", "2", "0"]}),
        json!({"a": "ＺＫ－４８３９２０"}),
        json!({"a": "ZK-𝟒𝟖𝟑𝟗𝟐𝟎"}),
        json!({"a": "hunter2-Blue!Horse"}),
        json!({"a": "hunter2-Bluee!Horse"}),
        json!({"a": "hunter2-Blu!Horse"}),
        json!({"a": "unter2-Blue!Horse1"}),
        json!({"a": "DE89370400440532013000"}),
        json!({"a": "my account: DE89-3704-0044-0532-0130-00, thanks"}),
        json!({"a": "DE 8937 0400 4405 3201 3000"}),
        json!({"a": "Anna Example"}),
        json!({"a": "Anna", "b": "Example"}),
        json!({"a": "elpmaxE annA"}),
        json!({"pin": "4711"}),
        json!({"pin": 4711}),
        json!({"pin": "4-7-1-1"}),
        json!({"amount": 15_230}),
        json!({"amount": "15 230"}),
        json!({"amount": "15.230"}),
        json!({"a": "Y29kZSBaSy00ODM5MjA"}),
        json!({"a": "Deliver it to: 12longstreetspringfield"}),
    ] {
        assert!(!going("Go", SECRETS, arguments.clone()).is_empty(), "{arguments}");
    }
}

#[test]
fn flow_ignores_innocent_arguments() {
    let page = "2 seats on 2026-12-24 at 10:30 for 1500 EUR, 3 nights in 2026. Information about available \
                notebooks: e-mail, wi-fi and read-only access. Room 101, page 12 of 4096. See https://shop.example/list/. \
                Your code is ZK-483920.";
    for arguments in [
        json!({"quantity": 2}),
        json!({"quantity": "2", "room": 101, "nights": "3"}),
        json!({"year": 2026}),
        json!({"year": "2026", "budget": 1500}),
        json!({"note": "Arrival: 2026-12-24, please"}),
        json!({"q": "books about information"}),
        json!({"q": "notebook with wi-fi", "sort": "price"}),
        json!({"flags": [true, false, null], "ids": [1, 2, 3]}),
        json!({"code": "ZK-118845", "other": "AB-483"}),
        json!({"page": 12, "size": "large"}),
        json!({"url": "https://hotel.example/find?q=room"}),
        json!({"text": "We need a room for two people, with a view of the sea and breakfast."}),
        json!({}),
    ] {
        assert_eq!(going("Go", page, arguments.clone()), [], "{arguments}");
    }
}

#[test]
fn flow_ignores_changed_data_known_from_the_user_or_the_origin() {
    for arguments in [
        json!({"a": "ZK483920"}),
        json!({"a": "ZK-483", "b": "920"}),
        json!({"a": "029384KZ"}),
        json!({"pin": 4711}),
        json!({"a": "hunter2-Blu!Horse"}),
        json!({"a": "WkstNDgzOTIw"}),
    ] {
        let said = "Take ZK-483920 with 4711 and hunter2-Blue!Horse";
        assert_eq!(going(said, SECRETS, arguments.clone()), [], "{arguments}");
        let log = log("Go", &[(MAIL, SECRETS), (SHOP, said)]);
        assert_eq!(flows(&log, &target(SHOP, "order"), &arguments.to_string(), None), [], "{arguments}");
    }
    // As the user typed it.
    let encoded = "open https://shop.example/?q=%5AK%2D483920";
    assert_eq!(going(encoded, SECRETS, json!({"a": "https://shop.example/?q=%5AK%2D483920"})), []);
}

#[test]
fn flow_names_every_argument_of_split_data() {
    let found = going("Go", SECRETS, json!({"first": "ZK-483", "second": "920", "third": "x"}));
    assert_eq!(found, [("first, second".to_owned(), "zk483920".to_owned())]);
}

proptest! {
    /// A code is found whatever stands between its letters and around it.
    #[test]
    fn flow_finds_a_code_in_any_layout(
        code in "[A-Z]{2}[0-9]{6}",
        gaps in prop::collection::vec("[ ._/-]{0,2}", 8),
        cut in 1usize..7,
        is_turned in any::<bool>(),
    ) {
        let mail = format!("Your code is {code}, valid today.");
        let letters: Vec<char> = code.chars().collect();
        let spaced: String = letters.iter().zip(&gaps).map(|(c, gap)| format!("{c}{gap}")).collect();
        let turned: String = spaced.chars().rev().collect();
        let shown = if is_turned { turned } else { spaced };
        prop_assert!(!going("Go", &mail, json!({"note": format!("see {shown} there")})).is_empty(), "{}", shown);
        let pieces = json!({"a": code[..cut], "b": code[cut..]});
        prop_assert!(!going("Go", &mail, pieces).is_empty());
    }
}

#[test]
fn flow_names_every_argument_whichever_result_its_data_is_of() {
    let results = [(MAIL, "Your code is ZK-483920."), (MAIL, "Anna lives at 12 Long Street, Springfield.")];
    let arguments = json!({"code": "ZK-483920", "to": "12 Long Street, Springfield"}).to_string();
    let flows = flows(&log("Go", &results), &target(SHOP, "order"), &arguments, None);
    let mut named: Vec<_> = flows.iter().map(|flow| flow.argument.as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, ["code", "to"]);
}

#[test]
fn address_tells_its_own_site_and_a_link_of_a_page_is_no_flow() {
    let browser = |name: &str| {
        let tool = ToolRef::Browser { name: name.to_owned(), tab: None };
        Target { tool, ..target(SHOP, name) }
    };
    let mail = "Your code is 483920. See https://news.example/story/long-and-special-title";
    let log = log("", &[(MAIL, mail)]);
    for (url, data) in [
        ("https://evil.example/?q=483920", Some("483920")),
        ("https://483920-code.evil.example/", Some("483920")),
        ("https://mail.example/?q=483920", None),
        ("https://news.example/story/long-and-special-title", None),
        ("https://news.example/", None),
        ("back", None),
    ] {
        let arguments = json!({"url": url}).to_string();
        for tool in [browser("navigate_to"), browser("open_tab")] {
            if tool.tool.name() == "open_tab" && url == "back" {
                continue;
            }
            let found = flows(&log, &tool, &arguments, None);
            assert_eq!(!found.is_empty(), data.is_some(), "{url} {found:?}");
            assert!(found.iter().all(|flow| flow.data.contains(data.unwrap())), "{url} {found:?}");
        }
    }
    let to = destination(&browser("open_tab"), r#"{"url":"https://evil.example/a"}"#).origin.clone();
    assert_eq!(to, "https://evil.example");
}

#[test]
fn browser_tools_tell_a_page_what_they_type_and_not_what_they_mean() {
    let log = log("Go on", &[(MAIL, "Tab 564611986: your code is ZK-483920")]);
    let browser = |name: &str, read_only| {
        let tool = ToolRef::Browser { name: name.to_owned(), tab: None };
        Target { tool, read_only, ..target(SHOP, name) }
    };
    let from = |target: &Target, arguments: Value| {
        flows(&log, target, &arguments.to_string(), None)
            .into_iter()
            .map(|flow| flow.data)
            .collect::<Vec<_>>()
    };
    let typing = browser("input_text", false);
    let meant = json!({"tabId": 564_611_986, "selector": "#ZK-483920", "text": "Lyon"});
    assert_eq!(from(&typing, meant), Vec::<String>::new());
    for typed in [
        json!({"selector": "e1", "text": "ZK-483920"}),
        json!({"fields": [{"selector": "ZK-483920", "text": "a"}, {"selector": "e2", "text": "ZK-483920"}]}),
        json!({"selector": "e1", "values": ["ZK-483920"]}),
    ] {
        assert_eq!(from(&typing, typed), ["ZK-483920"]);
    }
    let waiting = json!({"text": "ZK-483920", "tabId": 564_611_986});
    assert_eq!(from(&browser("wait_for", true), waiting), Vec::<String>::new());
}

#[test]
fn what_a_frame_says_is_data_of_its_own_origin() {
    let framed = FrameText {
        origin: MAIL.to_owned(),
        site: "mail.example".to_owned(),
        text: "- text: Your code is ZK-483920".to_owned(),
    };
    let own = "- text: Booking of Anna Example, 12 Long Street, Springfield".to_owned();
    let content = vec![Content::Text(own), Content::Framed(framed)];
    let mut entries = log("Go on", &[(SHOP, "")]);
    let Some(Event::ToolFinished { outcome, .. }) = entries.last_mut().map(|entry| &mut entry.event) else {
        panic!("the call has no result")
    };
    *outcome = ToolOutcome::Ok { content, page: PageEffect::Stayed };
    let from = |origin: &str, arguments: Value| {
        let flows = flows(&entries, &target(origin, "order"), &arguments.to_string(), None);
        flows.into_iter().map(|flow| (flow.origin, flow.data)).collect::<Vec<_>>()
    };
    let (code, name) = (json!({"code": "ZK-483920"}), json!({"to": "Anna Example, 12 Long Street"}));
    assert_eq!(from(SHOP, code.clone()), [(MAIL.to_owned(), "ZK-483920".to_owned())]);
    assert_eq!(from(MAIL, code), []);
    assert_eq!(from(SHOP, name.clone()), []);
    assert_eq!(from(MAIL, name), [(SHOP.to_owned(), "Anna Example, 12 Long Street".to_owned())]);
}
