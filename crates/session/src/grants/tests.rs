//! Tests with decisions as other versions write them.

use futures::executor::block_on;
use serde_json::json;
use sidecar_protocol::page::ToolDescription;
use sidecar_protocol::{DocumentId, FrameId, Source, TabId};
use sidecar_webmcp::Place;

use super::*;
use crate::testing::Memory;

const SHOP: &str = "https://shop.example";

fn tool(name: &str) -> Tool {
    let description = ToolDescription {
        name: name.to_owned(),
        title: String::new(),
        description: "Orders.".to_owned(),
        input_schema: None,
        annotations: None,
        form: false,
        definition: String::new(),
    };
    let (tab, frame, document) = (TabId(1), FrameId::TOP, DocumentId::from("d"));
    Tool::new(&Place { tab, frame, document, origin: SHOP.to_owned() }, Source::Native, description)
}

fn load(memory: &Memory) -> GrantStore<Memory> {
    block_on(GrantStore::load(memory.clone()))
}

fn names(store: &GrantStore<Memory>) -> Vec<SavedName> {
    store.unread().map(|unread| unread.name).collect()
}

#[test]
fn tools_without_a_policy_ask_while_a_decision_is_unreadable() {
    let memory = Memory::default();
    let mut store = load(&memory);
    block_on(store.set(&tool("order"), Policy::Allow, 1)).unwrap();
    block_on(store.set(&tool("pay"), Policy::Off, 2)).unwrap();
    let mut kept = memory.json("grants");
    kept[1]["policy"] = json!("offAtNight");
    memory.put("grants", &kept.to_string());
    let mut store = load(&memory);
    assert_eq!(names(&store), [SavedName::Grants]);
    assert_eq!(store.current_tool(&tool("order"), SHOP).policy, Some(Policy::Allow));
    assert_eq!(store.current_tool(&tool("pay"), SHOP).policy, Some(Policy::Ask));
    block_on(store.set(&tool("list"), Policy::Ask, 3)).unwrap();
    assert_eq!(memory.json("grants")[1], kept[1]);
    assert_eq!(memory.json("grants").as_array().unwrap().len(), 3);
    block_on(store.give_up_grants()).unwrap();
    assert_eq!((names(&store).len(), store.current_tool(&tool("pay"), SHOP).policy), (0, None));
    assert_eq!(memory.json("grants").as_array().unwrap().len(), 2);
}

#[test]
fn unreadable_decisions_are_not_overwritten_and_new_ones_hold() {
    let memory = Memory::with("grants", "garbage");
    let mut store = load(&memory);
    assert_eq!(
        block_on(store.set(&tool("order"), Policy::Allow, 1)),
        Err(NotKept::Unread(SavedName::Grants))
    );
    assert_eq!(store.current_tool(&tool("order"), SHOP).policy, Some(Policy::Allow));
    assert_eq!(memory.text("grants"), "garbage");
    block_on(store.hide(SHOP, true, 2)).unwrap();
    assert_eq!(memory.json("hiddenSites")[0]["origin"], SHOP, "sites can be read, and are saved");
}

#[test]
fn unreadable_hidden_site_leaves_the_others() {
    let memory =
        Memory::with("hiddenSites", &json!([{"pattern": "*.bank"}, {"origin": SHOP, "at": 1}]).to_string());
    let mut store = load(&memory);
    assert_eq!(names(&store), [SavedName::HiddenSites]);
    assert_eq!(store.current_tool(&tool("order"), SHOP).policy, Some(Policy::Off));
    block_on(store.hide(SHOP, false, 2)).unwrap();
    assert_eq!(memory.json("hiddenSites"), json!([{"pattern": "*.bank"}]));
    assert_eq!(store.current_tool(&tool("order"), SHOP).policy, Some(Policy::Ask));
    block_on(store.give_up_hidden()).unwrap();
    assert_eq!(store.current_tool(&tool("order"), SHOP).policy, None);
}

#[test]
fn decision_holds_when_it_cannot_be_saved() {
    let memory = Memory::default();
    let mut store = load(&memory);
    memory.refuse(true);
    let kept = block_on(store.set(&tool("order"), Policy::Off, 1));
    assert!(matches!(kept, Err(NotKept::Unsaved(_))), "{kept:?}");
    assert!(store.is_off(&tool("order"), SHOP));
    memory.refuse(false);
    block_on(store.take_back(&tool("order").own_key().unwrap(), 2)).unwrap();
    block_on(store.restore(&tool("order").own_key().unwrap(), 3)).unwrap();
    assert!(load(&memory).is_off(&tool("order"), SHOP));
}

#[test]
fn decisions_in_the_earlier_format_hold_until_the_user_decides_again() {
    let before = |source: &str, policy: &str| {
        json!({
            "key": {"origin": SHOP, "name": "order", "source": source}, "policy": policy, "at": 1,
            "fingerprint": "f", "definition": {"title": "", "description": "", "schema": "", "hints": ""},
        })
    };
    let both = json!([before("polyfill", "off"), before("native", "allow")]);
    let memory = Memory::with("grants", &both.to_string());
    let mut store = load(&memory);
    assert_eq!((names(&store).len(), store.is_off(&tool("order"), SHOP)), (0, true));
    block_on(store.set(&tool("order"), Policy::Ask, 2)).unwrap();
    let kept = memory.json("grants");
    assert_eq!((kept.as_array().unwrap().len(), &kept[0]["policy"]), (1, &json!("ask")));
    assert_eq!(kept[0]["key"], json!({"tool": {"origin": SHOP, "name": "order"}}));
    assert_eq!(load(&memory).current_tool(&tool("order"), SHOP).policy, Some(Policy::Ask));
}
