//! Lists that are read over several pages.

use super::*;

/// Pages of two rows each; the next link of page `n` leads to page `n + 1`, until `last`.
fn paged(last: usize) -> FakePage {
    FakePage::new(move |page, request| {
        let url = page.url.borrow().clone();
        let number: usize = url.rsplit_once("p=").map_or(1, |(_, number)| number.parse().unwrap());
        Ok(match request["do"].as_str() {
            Some("rows") => with(
                found(2),
                json!({"rows": [{"n": format!("{number}a")}, {"n": format!("{number}b")}], "total": 2}),
            ),
            Some("value") if number < last => {
                with(found(1), json!({"raw": format!("https://shop.example/list?p={}", number + 1)}))
            }
            _ => found(0),
        })
    })
}

fn all_pages(more: Value) -> Value {
    let pages = json!({"do": "pages", "next": at("#next"), "collect": "rows", "as": "all", "steps": [
        {"do": "extract", "each": at("#row"), "fields": {"n": {"what": "text"}}, "as": "rows"},
    ]});
    json!([with(pages, more), {"do": "return", "value": "{{all}}"}])
}

#[test]
fn case_34_pages_are_read_until_a_limit_which_is_told() {
    let read = |last: usize, more: Value| {
        let ended = run_in(&paged(last), &definition(json!({})), all_pages(more), json!({}));
        (ended.outcome, ended.value.map_or(0, |value| value.as_array().unwrap().len()), ended.is_cut)
    };
    assert_eq!(read(3, json!({})), (ActionOutcome::Ok, 6, false));
    assert_eq!(read(9, json!({})), (ActionOutcome::Ok, 10, true), "five pages");
    assert_eq!(read(9, json!({"rounds": 2})), (ActionOutcome::Ok, 4, true));
    assert_eq!(read(9, json!({"items": 3})), (ActionOutcome::Ok, 3, true));
    assert_eq!(read(2, json!({"items": 4})), (ActionOutcome::Ok, 4, false));
    // A next page that is the page before, one that is no link, one on another site.
    for (raw, outcome, rows) in [
        (json!("https://shop.example/list"), ActionOutcome::Ok, 2),
        (Value::Null, ActionOutcome::Ok, 2),
        (json!("https://shop.example/list#"), ActionOutcome::Ok, 2),
        (json!("javascript:void(0)"), ActionOutcome::Ok, 2),
        (json!("https://evil.example/"), ActionOutcome::Refused, 0),
    ] {
        let page = FakePage::new(move |_, request| {
            Ok(match request["do"].as_str() {
                Some("rows") => with(found(2), json!({"rows": [{"n": "1"}, {"n": "2"}], "total": 2})),
                Some("value") => with(found(1), json!({"raw": raw})),
                _ => found(0),
            })
        });
        let ended = run_in(&page, &definition(json!({})), all_pages(json!({})), json!({}));
        assert_eq!(
            (ended.outcome, ended.value.map_or(0, |value| value.as_array().unwrap().len())),
            (outcome, rows)
        );
    }
}

#[test]
fn case_34_pages_are_read_for_a_minute_at_most() {
    let slow = |milliseconds: i64| {
        let page = paged(9);
        let FakePage { answers, .. } = page;
        let page = FakePage::new(move |page, request| {
            if request["do"] == "rows" {
                page.now.set(page.now.get() + milliseconds);
            }
            answers(page, request)
        });
        let ended = run_in(&page, &definition(json!({})), all_pages(json!({"rounds": 20})), json!({}));
        (ended.outcome, ended.value.map_or(0, |value| value.as_array().unwrap().len()), ended.is_cut)
    };
    assert_eq!(slow(1_000), (ActionOutcome::Ok, 18, false));
    assert_eq!(slow(25_000), (ActionOutcome::Ok, 6, true));
}
