//! What is read from a page, and what of it is no value.

use super::*;

#[test]
fn values_are_read_with_their_types_and_returned() {
    let steps = json!([
        {"do": "read", "at": at("#price"), "what": "text", "type": "money", "as": "price"},
        {"do": "read", "at": at("#state"), "what": "attr", "attr": "data-state", "map": {"in": true, "out": false}, "as": "stock"},
        {"do": "read", "at": at("#gone"), "what": "text", "optional": true, "as": "gone"},
        {"do": "read", "at": at("#no"), "what": "exists", "as": "is"},
        {"do": "return", "value": {"price": "{{price}}", "stock": "{{stock}}", "gone": "{{gone}}", "is": "{{is}}"}},
    ]);
    let elements = json!({"#price": {"raw": "¥1,234.50"}, "#state": {"raw": " in "}, "#gone": {"count": 0, "n": null, "raw": null},
        "#no": {"count": 0, "n": null, "raw": false}});
    assert_eq!(
        returned(elements, steps.clone()),
        json!({"price": {"amount": 1234.5, "currency": "CNY"}, "stock": true, "is": false})
    );
    let unread = json!({"#price": {"raw": "ask us"}, "#state": {"raw": "in"}});
    assert_eq!(outcome(unread, steps.clone()), ActionOutcome::Changed);
    assert_eq!(
        outcome(json!({"#price": {"raw": "¥1"}, "#state": {"raw": "few"}}), steps),
        ActionOutcome::Changed
    );
}

#[test]
fn markdown_keeps_its_lines() {
    let steps = json!([{"do": "read", "at": at("#a"), "what": "markdown", "as": "a"}, {"do": "return", "value": "{{a}}"}]);
    assert_eq!(returned(json!({"#a": {"raw": "# A\n\n- b\n"}}), steps.clone()), "# A\n\n- b");
    assert_eq!(outcome(json!({"#a": {"raw": " \n"}}), steps), ActionOutcome::Changed);
}

#[test]
fn two_elements_are_no_value_unless_the_first_will_do() {
    let read = |more: Value| json!([with(json!({"do": "read", "at": at("#a"), "what": "text", "as": "a"}), more), {"do": "return", "value": "{{a}}"}]);
    let two = json!({"#a": {"count": 2, "raw": "x"}});
    assert_eq!(outcome(two.clone(), read(json!({}))), ActionOutcome::Changed);
    assert_eq!(outcome(two.clone(), read(json!({"optional": true}))), ActionOutcome::Changed);
    assert_eq!(returned(two, read(json!({"first": true}))), "x");
    assert_eq!(
        outcome(json!({"#a": {"raw": null, "secret": true}}), read(json!({}))),
        ActionOutcome::Refused
    );
}

#[test]
fn case_27_later_alternative_is_told_and_two_that_disagree_end_the_tool() {
    let steps = json!([{"do": "read", "at": {"any": [{"css": "#a"}, {"css": "#b"}]}, "what": "text", "as": "a"}, {"do": "return", "value": "{{a}}"}]);
    let (ended, _) = on(json!({"#a": {"n": 1, "raw": "x"}}), steps.clone(), json!({}));
    assert_eq!((ended.outcome, ended.worn.as_slice()), (ActionOutcome::Ok, ["at".to_owned()].as_slice()));
    assert_eq!(outcome(json!({"#a": {"agrees": false, "raw": "x"}}), steps.clone()), ActionOutcome::Changed);
    assert_eq!(outcome(json!({"#a": {"fault": "selector", "raw": "x"}}), steps), ActionOutcome::Changed);
}

#[test]
fn trace_counts_alternatives_from_one_and_those_that_the_page_was_told() {
    let both = json!({"any": [{"css": "#a"}, {"css": "#b"}]});
    let foreign = json!({"any": [{"text": {"zh": "行"}}, {"css": "#a"}, {"css": "#b"}]});
    let mut shop = definition(json!({}));
    for (name, locator) in [("row", both), ("foreign", foreign)] {
        shop.locators.insert(name.to_owned(), serde_json::from_value(locator).unwrap());
    }
    let fields = json!({"name": {"what": "text"}});
    let steps = json!([
        {"do": "extract", "each": "row", "fields": fields, "as": "rows"},
        {"do": "extract", "each": "foreign", "fields": fields, "as": "others"},
        {"do": "return", "value": "{{rows}}"},
    ]);
    let page = FakePage::new(|_, _| {
        Ok(json!({"count": 1, "n": 1, "agrees": true, "rows": [{"name": "A"}], "total": 1}))
    });
    let ended = run_in(&page, &shop, steps, json!({}));
    let told: Vec<_> = ended.trace.iter().map(|step| (step.locator.as_str(), step.alternative)).collect();
    assert_eq!(told, [("row", Some(2)), ("foreign", Some(2)), ("", None)]);
    assert_eq!(ended.worn, ["row", "foreign"]);
}

#[test]
fn words_are_those_of_the_page_and_are_not_guessed() {
    let steps = json!([{"do": "read", "at": {"any": [{"role": "link", "name": {"en": "Buy", "zh": "购买"}}, {"label": {"en": "Buy"}}]}, "what": "count", "as": "a"}, {"do": "return", "value": "{{a}}"}]);
    let read = |language: &'static str| {
        let mut page = FakePage::new(|page, request| {
            page.note(request["locator"]["any"].to_string());
            Ok(with(found(1), json!({"raw": 1})))
        });
        page.language = language;
        let ended = run_in(&page, &definition(json!({"signals": {}})), steps.clone(), json!({}));
        (ended, page.did())
    };
    let (ended, did) = read("zh-CN");
    assert_eq!((ended.outcome, ended.worn.len()), (ActionOutcome::Ok, 0));
    assert_eq!(
        did,
        [r#"[{"n":0,"links":[{"role":"link","names":["购买"]}]}]"#]
            .map(|text| serde_json::from_str::<Value>(text).unwrap().to_string())
    );
    let (ended, did) = read("fr");
    assert_eq!((ended.outcome, did.len()), (ActionOutcome::Changed, 0), "the page is not even asked");
}

#[test]
fn case_25_list_without_rows_is_empty_only_if_the_page_says_so() {
    let steps = json!([{"do": "extract", "each": at("#row"), "fields": {"a": {"what": "text"}}, "as": "rows"}, {"do": "return", "value": "{{rows}}"}]);
    assert_eq!(outcome(json!({"#empty": 1, "rows": 0}), steps.clone()), ActionOutcome::Empty);
    assert_eq!(outcome(json!({"rows": 0}), steps), ActionOutcome::Changed);
}

#[test]
fn rows_that_cannot_be_read_are_left_out_until_they_are_more_than_half() {
    let steps = json!([
        {"do": "extract", "each": at("#row"), "fields": {
            "name": {"what": "text"}, "count": {"what": "text", "type": "integer", "optional": true},
            "tags": {"each": at("i"), "fields": {"tag": {"what": "text"}}},
        }, "as": "rows"},
        {"do": "return", "value": "{{rows}}"},
    ]);
    let rows =
        |rows: Value| json!({"rows": {"count": 9, "rows": rows, "total": rows.as_array().unwrap().len()}});
    let good = json!({"name": "A", "count": "1.2万", "tags": [{"tag": "x"}, {"tag": null}]});
    let bad = json!({"name": null, "count": "3", "tags": []});
    let odd = json!({"name": "B", "count": "many", "tags": []});
    let (ended, _) = on(rows(json!([good, bad, odd, good])), steps.clone(), json!({}));
    assert_eq!(
        ended.value.unwrap(),
        json!([{"name": "A", "count": 12000, "tags": [{"tag": "x"}]}, {"name": "B", "tags": []}, {"name": "A", "count": 12000, "tags": [{"tag": "x"}]}])
    );
    assert_eq!((ended.rows_left_out, ended.is_cut), (1, false));
    assert_eq!(outcome(rows(json!([good, bad, bad])), steps.clone()), ActionOutcome::Changed);
    let (ended, _) = on(json!({"rows": {"count": 90, "rows": [good], "total": 90}}), steps, json!({}));
    assert!(ended.is_cut);
}

#[test]
fn trace_tells_of_fields_that_rows_need_not_have_what_the_first_has() {
    let steps = json!([
        {"do": "extract", "each": at("#row"), "fields": {
            "name": {"what": "text"}, "rating": {"what": "text", "type": "number", "optional": true},
            "seller": {"what": "text", "optional": true},
        }, "as": "rows"},
        {"do": "return", "value": "{{rows}}"},
    ]);
    let rows = json!([{"name": "A"}, {"name": "B", "rating": "4.5"}, {"name": "C", "rating": "3"}]);
    let (ended, _) = on(json!({"rows": {"count": 3, "rows": rows, "total": 3}}), steps, json!({}));
    let told: Vec<_> = ended
        .trace
        .iter()
        .map(|step| (step.step.as_str(), step.does.as_str(), step.value.as_str()))
        .collect();
    assert_eq!(told[1..3], [("steps[0].rating", FIELD, "4.5"), ("steps[0].seller", FIELD, "")]);
    assert_eq!((told[0].0, told[0].1, told[3].1), ("steps[0]", "extract", "return"));
}

#[test]
fn rows_in_a_row_that_cannot_be_read_are_not_an_empty_list() {
    let steps = json!([
        {"do": "extract", "each": at("#row"), "fields": {"tags": {"each": at("i"), "fields": {"tag": {"what": "text"}}}}, "as": "rows"},
        {"do": "return", "value": "{{rows}}"},
    ]);
    let rows = |tags: Value| json!({"rows": {"count": 1, "rows": [{"tags": tags}], "total": 1}});
    assert_eq!(returned(rows(json!([])), steps.clone()), json!([{"tags": []}]));
    assert_eq!(outcome(rows(json!([{"tag": null}, {"tag": null}])), steps.clone()), ActionOutcome::Changed);
    assert_eq!(outcome(rows(Value::Null), steps.clone()), ActionOutcome::Changed);
    let long = json!({"rows": {"count": 2000, "most": 2000, "rows": [{"tags": []}], "total": 1}});
    assert!(on(long, steps, json!({})).0.is_cut, "of a very long list the first rows");
    let count = json!([{"do": "read", "at": at("#a"), "what": "count", "as": "n"}, {"do": "return", "value": "{{n}}"}]);
    assert_eq!(outcome(json!({"#a": {"raw": 2000, "most": 2000}}), count), ActionOutcome::TooLarge);
}
