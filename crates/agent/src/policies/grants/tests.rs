use sidecar_protocol::{DocumentId, FrameId, Source, TabId};
use sidecar_webmcp::Place;

use super::*;

fn from(source: Source, origin: &str, name: &str, description: &str) -> Tool {
    let description = ToolDescription {
        name: name.to_owned(),
        title: String::new(),
        description: description.to_owned(),
        input_schema: Some(r#"{"type":"object"}"#.to_owned()),
        annotations: None,
        form: false,
        definition: String::new(),
    };
    let (tab, frame, document) = (TabId(1), FrameId::TOP, DocumentId::from("doc"));
    Tool::new(&Place { tab, frame, document, origin: origin.to_owned() }, source, description)
}

fn tool(origin: &str, name: &str, description: &str) -> Tool {
    from(Source::Native, origin, name, description)
}

fn key(tool: &Tool) -> PolicyKey {
    tool.own_key().unwrap()
}

const SHOP: &str = "https://shop.example";

fn policy(grants: &Grants, tool: &Tool) -> Option<Policy> {
    grants.current_tool(tool, &tool.origin).policy
}

#[test]
fn grant_is_for_one_name_of_one_origin() {
    let mut grants = Grants::default();
    let order = tool(SHOP, "order", "Orders.");
    grants.set(&order, Policy::Allow, 1).unwrap();
    assert_eq!(policy(&grants, &order), Some(Policy::Allow));
    for other in [tool("https://evil.example", "order", "Orders."), tool(SHOP, "order2", "Orders.")] {
        assert_eq!(policy(&grants, &other), None, "{other:?}");
    }
    grants.set(&order, Policy::Off, 2).unwrap();
    assert_eq!(grants.list(), [Grant { key: key(&order), policy: Policy::Off, at: 2 }]);
}

#[test]
fn grant_holds_whichever_way_the_tool_is_reached() {
    let native = tool(SHOP, "order", "Orders.");
    let polyfill = from(Source::Polyfill, SHOP, "order", "Orders.");
    let skill = from(Source::Skill { skill: "s".to_owned() }, SHOP, "order", "Orders.");
    for decision in [Policy::Off, Policy::Ask, Policy::Allow] {
        for set in [&native, &polyfill] {
            let mut grants = Grants::default();
            grants.set(set, decision, 1).unwrap();
            for reached in [&native, &polyfill, &skill] {
                assert_eq!(policy(&grants, reached), Some(decision), "{set:?} {reached:?}");
            }
        }
    }
}

#[test]
fn site_that_asks_makes_every_tool_ask_whatever_its_name_and_policy() {
    let mut grants = Grants::default();
    let order = tool(SHOP, "order", "Orders.");
    grants.set(&order, Policy::Allow, 1).unwrap();
    grants.set_site_asks(SHOP, 2).unwrap();
    for asks in [&order, &tool(SHOP, "order_", "Orders."), &tool(SHOP, "new", "")] {
        assert_eq!(policy(&grants, asks), Some(Policy::Ask), "{asks:?}");
    }
    assert_eq!(policy(&grants, &tool("https://mail.example", "order", "")), None);
    // A policy of the page's site covers its sandboxed frames.
    assert_eq!(grants.current_tool(&tool("null", "order", ""), SHOP).policy, Some(Policy::Ask));
    grants.set(&order, Policy::Off, 3).unwrap();
    assert_eq!(policy(&grants, &order), Some(Policy::Off), "the strictest holds");
    grants.take_back(&PolicyKey::Site { origin: SHOP.to_owned() }, 4);
    assert_eq!(policy(&grants, &tool(SHOP, "new", "")), None);
}

#[test]
fn grants_per_backend_of_older_versions_hold_by_the_strictest() {
    let (before, now) =
        (include_str!("../../../fixtures/grants-1.json"), include_str!("../../../fixtures/grants.json"));
    sidecar_golden::migrates::<Grants>(before, now);
    let mut grants: Grants = serde_json::from_str(before).unwrap();
    let order = tool(SHOP, "order", "Orders.");
    let held = Grant { key: key(&order), policy: Policy::Off, at: 5 };
    assert_eq!((policy(&grants, &order), grants.list()), (Some(Policy::Off), vec![held]));
    grants.take_back(&key(&order), 10);
    assert_eq!((policy(&grants, &order), grants.list()), (None, Vec::new()));
    grants.restore(&key(&order), 11);
    grants.set(&order, Policy::Ask, 12).unwrap();
    assert_eq!((policy(&grants, &order), grants.list().len()), (Some(Policy::Ask), 1));
}

#[test]
fn allow_does_not_hold_for_a_changed_tool_and_the_change_is_shown() {
    let mut grants = Grants::default();
    grants.set(&tool(SHOP, "order", "Puts it into the cart."), Policy::Allow, 1).unwrap();
    let changed = tool(SHOP, "order", "Puts it into the cart and pays.");
    let current = grants.current_tool(&changed, SHOP);
    assert_eq!(current.policy, None);
    let change = DefinitionChange {
        part: DefinitionPart::Description,
        before: "Puts it into the cart.".to_owned(),
        after: "Puts it into the cart and pays.".to_owned(),
    };
    assert_eq!(current.changes, Some(vec![change]));
    grants.set(&changed, Policy::Allow, 2).unwrap();
    assert_eq!(policy(&grants, &changed), Some(Policy::Allow));
}

#[test]
fn off_and_ask_hold_when_the_tool_changes() {
    for decision in [Policy::Off, Policy::Ask] {
        let mut grants = Grants::default();
        grants.set(&tool(SHOP, "order", "Orders."), decision, 1).unwrap();
        let current = grants.current_tool(&tool(SHOP, "order", "Lists."), SHOP);
        assert_eq!((current.policy, current.changes), (Some(decision), None));
    }
}

#[test]
fn change_is_noticed_beyond_the_kept_text() {
    let long = "x".repeat(KEPT + 10);
    let mut grants = Grants::default();
    grants.set(&tool(SHOP, "order", &format!("{long}a")), Policy::Allow, 1).unwrap();
    let current = grants.current_tool(&tool(SHOP, "order", &format!("{long}b")), SHOP);
    assert_eq!((current.policy, current.changes), (None, Some(Vec::new())));
}

#[test]
fn change_is_cut_to_the_difference_with_invisible_characters_written_out() {
    let filler = "a".repeat(1_000);
    let mut grants = Grants::default();
    grants.set(&tool(SHOP, "order", &format!("{filler}old{filler}")), Policy::Allow, 1).unwrap();
    let new = format!("{filler}n\u{202e}w{filler}");
    let changes = grants.current_tool(&tool(SHOP, "order", &new), SHOP).changes.unwrap();
    let around = "a".repeat(AROUND);
    // The kept text was cut, so its end is not shared.
    assert!(changes[0].before.starts_with(&format!("…{around}old")), "{changes:?}");
    assert!(changes[0].after.starts_with(&format!("…{around}n⟨U+202E⟩w")), "{changes:?}");
    assert!(changes[0].before.chars().count() <= DefinitionChange::MOST);
}

#[test]
fn grant_can_be_restored_for_a_minute() {
    let mut grants = Grants::default();
    let order = tool(SHOP, "order", "Orders.");
    grants.set(&order, Policy::Allow, 1).unwrap();
    grants.take_back(&key(&order), 1_000);
    assert_eq!((policy(&grants, &order), grants.list()), (None, Vec::new()));
    let text = serde_json::to_string(&grants).unwrap();
    grants = serde_json::from_str(&text).unwrap();
    grants.restore(&key(&order), 2_000);
    assert_eq!(policy(&grants, &order), Some(Policy::Allow));
    grants.take_back(&key(&order), 3_000);
    grants.restore(&key(&order), 3_000 + UNDO_MS);
    assert_eq!(grants.list(), Vec::new());
}

#[test]
fn grant_is_refused_for_an_opaque_origin() {
    let mut grants = Grants::default();
    assert_eq!(grants.set(&tool("null", "order", "Orders."), Policy::Allow, 1), Err(NoRoomForGrant));
    assert_eq!(grants.set_site_asks("null", 1), Err(NoRoomForGrant));
    // It is ignored even if it is in storage.
    let real = serde_json::to_string(&{
        grants.set(&tool(SHOP, "order", "Orders."), Policy::Allow, 1).unwrap();
        grants
    });
    let forged: Grants = serde_json::from_str(&real.unwrap().replace(SHOP, "null")).unwrap();
    assert_eq!(policy(&forged, &tool("null", "order", "Orders.")), None);
}

#[test]
fn test_bridge_is_offered_to_the_exact_origin_until_it_is_taken_back() {
    let mut grants = Grants::default();
    for origin in ["null", "", "file://", "chrome-extension://abc"] {
        assert_eq!(grants.allow_test_bridge(origin, 1), Err(NoRoomForGrant), "{origin}");
    }
    grants.allow_test_bridge("http://localhost:8123", 2).unwrap();
    grants.allow_test_bridge(SHOP, 3).unwrap();
    let text = serde_json::to_string(&grants).unwrap();
    let kept = [
        r#"{"key":{"testBridge":{"origin":"http://localhost:8123"}},"policy":"allow","at":2}"#,
        r#"{"key":{"testBridge":{"origin":"https://shop.example"}},"policy":"allow","at":3}"#,
    ];
    assert_eq!(text, format!("[{}]", kept.join(",")));
    grants = serde_json::from_str(&text).unwrap();
    assert_eq!(grants.test_bridge_origins(), [SHOP, "http://localhost:8123"]);
    // It is no decision about the site's tools.
    assert_eq!(policy(&grants, &tool(SHOP, "order", "Orders.")), None);
    let key = PolicyKey::TestBridge { origin: SHOP.to_owned() };
    grants.take_back(&key, 4);
    assert_eq!(grants.test_bridge_origins(), ["http://localhost:8123"]);
    grants.restore(&key, 5);
    assert_eq!(grants.test_bridge_origins().len(), 2);
}

#[test]
fn oldest_allow_is_dropped_when_there_are_too_many_grants() {
    let mut grants = Grants::default();
    let nth = |n: usize| tool(SHOP, &format!("t{n}"), "Orders.");
    grants.set(&nth(0), Policy::Off, 0).unwrap();
    grants.set(&nth(1), Policy::Ask, 0).unwrap();
    for n in 2..=MOST_GRANTS {
        grants.set(&nth(n), Policy::Allow, 1).unwrap();
    }
    let kept = [0, 1, 2, 3].map(|n| grants.strictest(&nth(n), SHOP));
    assert_eq!(kept, [Some(Policy::Off), Some(Policy::Ask), None, Some(Policy::Allow)]);
    assert_eq!(grants.list().len(), MOST_GRANTS);
    for n in 2..=MOST_GRANTS {
        let _ = grants.set(&nth(n), Policy::Ask, 2);
    }
    assert_eq!(grants.set(&nth(MOST_GRANTS + 1), Policy::Off, 3), Err(NoRoomForGrant));
}
