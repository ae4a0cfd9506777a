//! A form that leads to another page: that page's text is the result of the call.

use sidecar_protocol::content::{Content, PageEffect, Unread};
use sidecar_protocol::policy::AskReason;

use super::*;
use crate::guard::fence::framed;
use crate::tools::new_page;

/// The tool `list` leads to a page of a shop with this text.
fn leads_to_a_shop(text: &str) -> ToolOutcome {
    let (origin, site) = ("https://shop.example".to_owned(), "shop.example".to_owned());
    ToolOutcome::Ok {
        content: vec![Content::Text(text.to_owned())],
        page: PageEffect::Opened { origin, site },
    }
}

fn world(outcome: &ToolOutcome) -> TurnWorld {
    let mut world = TurnWorld::new();
    world.tools.insert("list", (true, Does::LeadsTo(outcome.clone())));
    world
}

fn list_then(replies: Vec<ScriptedReply>) -> Vec<ScriptedReply> {
    std::iter::once(ScriptedReply::stream("", "", &[("a", "list", "{}")])).chain(replies).collect()
}

fn told(world: &TurnWorld) -> String {
    world.last_messages().as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
}

#[test]
fn new_page_is_the_result_in_a_fence_of_its_own_origin() {
    let shop = leads_to_a_shop(r#"{"content":[],"order":"9 seats"}"#);
    let mut world = world(&shop);
    world.say("Go", &[], list_then(vec![ScriptedReply::stream("", "Fine.", &[])])).unwrap();
    assert_eq!(world.outcomes(), [shop]);
    let data = framed("https://shop.example", r#"{"content":[],"order":"9 seats"}"#);
    assert_eq!(
        told(&world),
        format!(
            "The tool took the page to another address. The tools you are offered now are those of the new page. \
             This is what the new page says:\n{data}"
        )
    );
}

#[test]
fn new_page_data_counts_as_read_on_its_origin() {
    let arguments = r#"{"note": "Booking code ZK-483920"}"#;
    let search = ScriptedReply::stream("", "", &[("b", "search", arguments)]);
    let decline = UserCommand::Decide("t0.6.0".into(), Decision::Decline.into());
    let mut world = world(&leads_to_a_shop("Booking code ZK-483920"));
    world.schema = r#"{"properties": {"note": {"type": "string"}}}"#;
    world.say("Go", &[decline], list_then(vec![search, ScriptedReply::stream("", "Fine.", &[])])).unwrap();
    assert_eq!(world.ran(), ["list"]);
    let asked = world.log.iter().find_map(|entry| match &entry.event {
        Event::ApprovalAsked { why, .. } => Some(why.clone()),
        _ => None,
    });
    let [AskReason::Flow { flows }] = &*asked.expect("a question") else { panic!("another question") };
    assert_eq!([&*flows[0].site, &*flows[0].tool, &*flows[0].argument], ["shop.example", "list", "note"]);
}

#[test]
fn new_page_that_is_not_read_is_told_with_its_reason() {
    for (why, expected) in [
        (Unread::Hidden, "hidden its site from you"),
        (Unread::Insecure, "insecure"),
        (Unread::Restricted, "Extensions may not read it"),
        (Unread::Missing, "no new page came in its place"),
    ] {
        let mut world = world(&new_page::unread(why));
        world.say("Go", &[], list_then(vec![ScriptedReply::stream("", "Fine.", &[])])).unwrap();
        let told = told(&world);
        assert!(told.contains(expected) && !told.contains("page_data"), "{told}");
    }
}

#[test]
fn navigation_in_an_older_log_is_told_as_before() {
    let outcome: ToolOutcome = serde_json::from_str(r#"{"ok":{"result":null}}"#).unwrap();
    assert_eq!(outcome, ToolOutcome::left());
    let mut world = world(&outcome);
    world.say("Go", &[], list_then(vec![ScriptedReply::stream("", "Fine.", &[])])).unwrap();
    assert!(told(&world).ends_with("The tools you are offered now are those of the new page."));
}
