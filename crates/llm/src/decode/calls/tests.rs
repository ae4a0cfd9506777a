use serde_json::{Value, json};

use super::*;

/// The calls assembled from fragments, as (id, name, arguments), and the number dropped.
fn join(fragments: &[Value], cut: bool) -> (Vec<(String, String, String)>, usize) {
    let mut calls = CallBuilder::default();
    let mut events = Vec::new();
    for fragment in fragments {
        calls.push(Fragment::read(fragment), &mut events).unwrap();
    }
    let records: Vec<_> = calls.whole(cut).into_iter().map(|(_, record)| record).collect();
    let dropped = calls.len() - records.len();
    // The events add up to the final calls.
    for record in &records {
        let index = events
            .iter()
            .find_map(|event| match event {
                ModelEvent::CallOpened { index, id, name } if *id == record.id => {
                    assert_eq!(*name, record.name);
                    Some(*index)
                }
                _ => None,
            })
            .expect("each call was announced");
        let told: String = events
            .iter()
            .filter_map(|event| match event {
                ModelEvent::CallGrew { index: at, arguments } if *at == index => Some(arguments.as_str()),
                _ => None,
            })
            .collect();
        let is_nothing = matches!(told.trim(), "" | "null");
        assert!(told == record.arguments || (is_nothing && record.arguments == "{}"), "{told}");
    }
    (records.into_iter().map(|call| (call.id, call.name, call.arguments)).collect(), dropped)
}

fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.to_owned(), name.to_owned(), arguments.to_owned())
}

#[test]
fn pieces_of_one_index_are_one_call() {
    let fragments = [
        json!({"index":0,"id":"a","type":"function","function":{"name":"find","arguments":""}}),
        json!({"index":0,"function":{"arguments":"{\"to\":"}}),
        json!({"index":1,"id":"b","type":"function","function":{"name":"sort","arguments":""}}),
        json!({"index":0,"function":{"arguments":"\"LIS\"}"}}),
        json!({"index":1,"function":{"arguments":"{}"}}),
    ];
    let expected = (vec![call("a", "find", r#"{"to":"LIS"}"#), call("b", "sort", "{}")], 0);
    assert_eq!(join(&fragments, false), expected);
}

#[test]
fn empty_and_repeated_ids_and_names_change_nothing() {
    let expected = (vec![call("a", "find", r#"{"x":1}"#)], 0);
    for (id, name) in [
        (json!(""), json!("")),
        (Value::Null, Value::Null),
        (json!("a"), json!("find")),
        (json!("null"), json!("find")),
    ] {
        let fragments = [
            json!({"index":0,"id":"a","function":{"name":"find","arguments":"{\"x\""}}),
            json!({"index":0,"id":id,"function":{"name":name,"arguments":":1}"}}),
            json!({"index":0,"id":id,"function":{"name":name,"arguments":""}}),
        ];
        assert_eq!(join(&fragments, false), expected, "{id} {name}");
    }
}

#[test]
fn another_id_under_the_same_index_is_another_call() {
    let fragments = [
        json!({"index":0,"id":"a","function":{"name":"find","arguments":"{}"}}),
        json!({"index":0,"id":"b","function":{"name":"find","arguments":"{\"x\":"}}),
        json!({"index":0,"id":"b","function":{"arguments":"1}"}}),
        json!({"index":0,"id":"c","function":{"name":"sort"}}),
    ];
    let expected = vec![call("a", "find", "{}"), call("b", "find", r#"{"x":1}"#), call("c", "sort", "{}")];
    assert_eq!(join(&fragments, false), (expected, 0));
}

#[test]
fn calls_without_index_are_told_apart_by_id() {
    let fragments = [
        json!({"id":"a","function":{"name":"find","arguments":"{}"}}),
        json!({"id":"b","function":{"name":"find","arguments":"{\"x\":"}}),
        json!({"function":{"arguments":"1}"}}),
    ];
    assert_eq!(join(&fragments, false), (vec![call("a", "find", "{}"), call("b", "find", r#"{"x":1}"#)], 0));
}

#[test]
fn calls_without_index_and_id_are_told_apart_by_name_and_shape() {
    let fragments = [
        json!({"function":{"name":"find","arguments":"{\"x\":1}"}}),
        json!({"function":{"name":"find","arguments":"{\"x\":2}"}}),
        json!({"function":{"name":"list","arguments":""}}),
        json!({"function":{"name":"sort","arguments":"{"}}),
        json!({"function":{"arguments":"}"}}),
    ];
    let expected = vec![
        call("call_0", "find", r#"{"x":1}"#),
        call("call_1", "find", r#"{"x":2}"#),
        call("call_2", "list", "{}"),
        call("call_3", "sort", "{}"),
    ];
    assert_eq!(join(&fragments, false), (expected, 0));
}

#[test]
fn arguments_may_be_an_object_and_ids_a_number() {
    let fragments = [json!({"index":0,"id":7,"function":{"name":"find","arguments":{"x":[1,"a"]}}})];
    assert_eq!(join(&fragments, false), (vec![call("7", "find", r#"{"x":[1,"a"]}"#)], 0));
}

#[test]
fn one_id_for_all_is_kept_for_the_first_only() {
    let fragments = [
        json!({"index":0,"id":"x","function":{"name":"find","arguments":"{}"}}),
        json!({"index":1,"id":"x","function":{"name":"find","arguments":"{}"}}),
        json!({"index":1,"id":"x","function":{"name":"sort","arguments":"{}"}}),
    ];
    let expected = vec![call("x", "find", "{}"), call("call_1", "find", "{}"), call("call_2", "sort", "{}")];
    assert_eq!(join(&fragments, false), (expected, 0));
}

#[test]
fn minted_ids_avoid_given_ones_and_carry_the_prefix() {
    let mut calls = CallBuilder::default();
    calls.set_prefix("t4_".to_owned());
    let mut events = Vec::new();
    for fragment in [
        json!({"index":0,"id":"t4_call_1","function":{"name":"find"}}),
        json!({"index":1,"function":{"name":"sort"}}),
        json!({"index":2,"function":{"name":"list"}}),
    ] {
        calls.push(Fragment::read(&fragment), &mut events).unwrap();
    }
    let ids: Vec<_> = calls.whole(false).into_iter().map(|(_, call)| call.id).collect();
    assert_eq!(ids, ["t4_call_1", "t4_call_257", "t4_call_2"]);
}

#[test]
fn late_name_brings_the_arguments_along() {
    let mut calls = CallBuilder::default();
    let mut events = Vec::new();
    for fragment in [
        json!({"index":0,"id":"a","function":{"arguments":"{\"x\":"}}),
        json!({"index":0,"function":{"name":"find","arguments":"1"}}),
        json!({"index":0,"function":{"arguments":"}"}}),
    ] {
        calls.push(Fragment::read(&fragment), &mut events).unwrap();
    }
    assert_eq!(
        events,
        [
            ModelEvent::CallOpened { index: 0, id: "a".to_owned(), name: "find".to_owned() },
            ModelEvent::CallGrew { index: 0, arguments: "{\"x\":1".to_owned() },
            ModelEvent::CallGrew { index: 0, arguments: "}".to_owned() },
        ]
    );
}

#[test]
fn no_arguments_are_an_empty_object_and_broken_ones_are_passed_on() {
    let fragments = [
        json!({"index":0,"id":"a","function":{"name":"list","arguments":" \n"}}),
        json!({"index":1,"id":"b","function":{"name":"list","arguments":"null"}}),
        json!({"index":2,"id":"c","function":{"name":"find","arguments":"{\"x\": tru"}}),
        json!({"index":3,"id":"d","function":{"name":"find","arguments":"[1]"}}),
    ];
    let expected = vec![
        call("a", "list", "{}"),
        call("b", "list", "{}"),
        call("c", "find", "{\"x\": tru"),
        call("d", "find", "[1]"),
    ];
    assert_eq!(join(&fragments, false), (expected, 0));
}

#[test]
fn token_limit_drops_what_it_cut() {
    let fragments = [
        json!({"index":0,"id":"a","function":{"name":"find","arguments":"{\"x\":1}"}}),
        json!({"index":1,"id":"b","function":{"name":"find","arguments":"{\"x\": 1"}}),
        json!({"index":2,"id":"c","function":{"name":"list","arguments":""}}),
        json!({"index":3,"id":"d","function":{"name":"find","arguments":"12"}}),
    ];
    assert_eq!(join(&fragments, true), (vec![call("a", "find", r#"{"x":1}"#)], 3));
}

#[test]
fn call_without_a_name_is_dropped_and_nothing_is_no_call() {
    let fragments = [json!({}), json!({"index":0,"id":"a","function":{"arguments":"{}"}}), Value::Null];
    assert_eq!(join(&fragments, false), (Vec::new(), 1));
}

#[test]
fn calls_of_an_answer_have_a_limit() {
    let mut calls = CallBuilder::default();
    let mut events = Vec::new();
    let fragment = |index: usize| Fragment::read(&json!({"index":index,"function":{"name":"find"}}));
    for index in 0..CALL_LIMIT {
        calls.push(fragment(index), &mut events).unwrap();
    }
    assert_eq!(calls.push(fragment(CALL_LIMIT), &mut events), Err(TooMany));
}
