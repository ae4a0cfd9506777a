//! Tools against a page that answers as a test says.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::pending;

use futures::executor::block_on;
use serde_json::json;

use super::*;

mod outside;

type Answers = Box<dyn Fn(&FakePage, &Value) -> Result<Value, NoAnswer>>;

/// A page, a user and a clock. What the tool did is in `did`, in its order.
struct FakePage {
    url: RefCell<String>,
    language: &'static str,
    answers: Answers,
    acted: Cell<Result<(), ActionOutcome>>,
    /// Where an action leads.
    leads_to: Cell<Option<&'static str>>,
    crossed: RefCell<Option<Result<CrossAnswer, RequestFault>>>,
    /// Whether the browser brings nothing: no page to which the tab is led, no answer of another origin.
    hangs: Cell<bool>,
    /// Whether it never comes to rest.
    is_restless: Cell<bool>,
    /// How long the tab may take to be led, in milliseconds, each time.
    limits: RefCell<Vec<u64>>,
    user: Cell<UserStep>,
    now: Cell<i64>,
    did: RefCell<Vec<String>>,
    /// The steps that were told.
    told: RefCell<Vec<ToolStep>>,
}

impl FakePage {
    fn new(answers: impl Fn(&Self, &Value) -> Result<Value, NoAnswer> + 'static) -> Self {
        Self {
            url: RefCell::new("https://shop.example/list".to_owned()),
            language: "en",
            answers: Box::new(answers),
            acted: Cell::new(Ok(())),
            leads_to: Cell::default(),
            crossed: RefCell::default(),
            hangs: Cell::default(),
            is_restless: Cell::default(),
            limits: RefCell::default(),
            user: Cell::new(UserStep::Waiting),
            now: Cell::new(1_764_000_000_000),
            did: RefCell::default(),
            told: RefCell::default(),
        }
    }

    fn did(&self) -> Vec<String> {
        self.did.borrow().clone()
    }

    /// What the browser is waited for.
    async fn comes(&self) {
        if self.hangs.get() {
            pending::<()>().await;
        }
    }

    fn note(&self, what: String) {
        self.did.borrow_mut().push(what);
    }
}

impl AskPort for FakePage {
    async fn ask(&self, request: Value) -> Result<Value, NoAnswer> {
        match request["do"].as_str() {
            Some("conditions") => {
                let conditions = request["conditions"].as_array().unwrap();
                let found: Result<Vec<_>, _> =
                    conditions.iter().map(|one| (self.answers)(self, one)).collect();
                Ok(json!({"url": *self.url.borrow(), "lang": self.language, "found": found?}))
            }
            Some("quiet") if self.is_restless.get() => {
                self.sleep(request["timeout"].as_u64().unwrap()).await;
                Ok(json!({"quiet": false}))
            }
            Some("quiet") => Ok(json!({"quiet": true})),
            Some("change") => {
                self.sleep(request["timeout"].as_u64().unwrap()).await;
                Ok(json!({"changed": false}))
            }
            _ => (self.answers)(self, &request),
        }
    }
}

impl StepPort for FakePage {
    async fn act(&self, action: StepAction<'_>) -> Result<(), ActionOutcome> {
        self.note(format!("{} {:?}", action.target, action.kind));
        if let Some(url) = self.leads_to.get() {
            self.url.replace(url.to_owned());
        }
        self.acted.get()
    }

    async fn go(&self, url: &str, own_tab: bool, limit_ms: u64) -> Result<(), ActionOutcome> {
        self.note(format!("go {url}{}", if own_tab { " in its own tab" } else { "" }));
        self.limits.borrow_mut().push(limit_ms);
        self.comes().await;
        self.url.replace(url.to_owned());
        Ok(())
    }

    async fn document(&self) -> Option<String> {
        Some(self.url.borrow().clone())
    }

    async fn loaded(&self) {}

    async fn fetch(&self, request: CrossRequest) -> Result<CrossAnswer, RequestFault> {
        self.note(format!("{} {} {:?}", request.method, request.url, request.body));
        self.comes().await;
        self.crossed.borrow_mut().take().unwrap_or(Err(RequestFault::Network))
    }

    async fn user_does(&self, what: &ByLanguage, milliseconds: u64) -> UserStep {
        self.note(format!("user: {}", what.text("en")));
        self.sleep(milliseconds).await;
        self.user.get()
    }

    async fn user_has_done(&self) {
        self.note("user: has done".to_owned());
    }

    fn begins_step(&self, step: ToolStep) {
        self.told.borrow_mut().push(step);
    }

    async fn sleep(&self, milliseconds: u64) {
        self.now.set(self.now.get() + i64::try_from(milliseconds).unwrap());
    }

    fn now(&self) -> i64 {
        self.now.get()
    }
}

/// The selector with which an element is asked for, as `#a`.
fn css(request: &Value) -> &str {
    request["locator"]["any"][0]["links"][0]["css"].as_str().unwrap_or_default()
}

fn found(count: u32) -> Value {
    json!({"count": count, "n": (count > 0).then_some(0), "agrees": true, "ref": (count == 1).then_some("e1"),
        "visible": count > 0, "enabled": count > 0})
}

fn with(mut found: Value, more: Value) -> Value {
    found.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    found
}

fn at(css: &str) -> Value {
    json!({"any": [{"css": css}]})
}

fn definition(more: Value) -> SkillDefinition {
    let mut definition = json!({
        "format": 1, "id": "shop", "version": "1.0.0", "title": "A", "summary": "a",
        "match": ["https://shop.example/*"], "exclude": ["https://shop.example/closed*"],
        "permissions": {"sites": ["https://shop.example/*"]},
        "signals": {"signedOut": [{"at": at("#login"), "is": "present"}], "challenge": [{"at": at("#captcha"), "is": "present"}]},
        "pages": {"list": {"match": ["https://shop.example/list*"], "probes": [], "empty": [{"at": at("#empty"), "is": "present"}]}},
        "endpoints": {
            "search": {"path": "/api/{word}", "headers": {"accept": "application/json"}},
            "write": {"path": "/api", "method": "POST"},
            "other": {"path": "/api", "origin": "https://api.example"},
        },
        "tools": [],
    });
    definition.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(definition).unwrap()
}

fn run_in(page: &FakePage, definition: &SkillDefinition, steps: Value, input: Value) -> SkillEnd {
    let tool = json!({"name": "t", "description": "d", "class": "read", "inputSchema": {}, "steps": steps});
    let tool: SkillTool = serde_json::from_value(tool).unwrap();
    let input: BTreeMap<String, Value> = serde_json::from_value(input).unwrap();
    block_on(run(page, definition, &tool, input))
}

/// Runs steps on a page with these elements: a number of elements by selector, or the page's whole answer.
fn on(elements: Value, steps: Value, input: Value) -> (SkillEnd, Vec<String>) {
    let page = FakePage::new(move |_, request| {
        let element =
            elements.get(css(request)).or_else(|| elements.get(request["do"].as_str().unwrap_or("-")));
        Ok(match element {
            Some(Value::Number(count)) => found(u32::try_from(count.as_u64().unwrap()).unwrap()),
            Some(answer) => with(found(1), answer.clone()),
            None => found(0),
        })
    });
    let ended = run_in(&page, &definition(json!({})), steps, input);
    (ended, page.did())
}

fn outcome(elements: Value, steps: Value) -> ActionOutcome {
    on(elements, steps, json!({})).0.outcome
}

fn returned(elements: Value, steps: Value) -> Value {
    let (ended, _) = on(elements, steps, json!({}));
    assert_eq!(ended.outcome, ActionOutcome::Ok, "{ended:?}");
    ended.value.unwrap_or(Value::Null)
}

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

#[test]
fn page_that_wants_the_user_says_why_a_tool_found_nothing() {
    let steps = json!([{"do": "expect", "that": {"at": at("#list"), "is": "visible"}}]);
    assert_eq!(outcome(json!({"#login": 1}), steps.clone()), ActionOutcome::SignIn);
    assert_eq!(outcome(json!({"#login": 1, "#captcha": 1}), steps.clone()), ActionOutcome::Challenge);
    assert_eq!(outcome(json!({}), steps.clone()), ActionOutcome::Changed);
    assert_eq!(outcome(json!({"#login": 1, "#list": 1}), steps), ActionOutcome::Ok);
}

#[test]
fn tool_begins_on_a_page_that_is_as_its_author_knew_it() {
    let run_on = |url: &str, elements: Value| {
        let page = FakePage::new(move |_, request| {
            Ok(found(elements[css(request)].as_u64().map_or(0, |count| u32::try_from(count).unwrap())))
        });
        page.url.replace(url.to_owned());
        let list = json!({"match": ["https://shop.example/list*"], "probes": [{"at": at("#list"), "is": "present"}], "empty": [{"at": at("#empty"), "is": "present"}]});
        let definition = definition(json!({"pages": {"list": list}}));
        let tool = json!({"name": "t", "description": "d", "class": "read", "inputSchema": {}, "pages": ["list"], "steps": [{"do": "return", "value": 1}]});
        let tool: SkillTool = serde_json::from_value(tool).unwrap();
        block_on(run(&page, &definition, &tool, Values::new())).outcome
    };
    let list = "https://shop.example/list";
    assert_eq!(run_on(list, json!({"#list": 1})), ActionOutcome::Ok);
    assert_eq!(run_on(list, json!({"#empty": 1})), ActionOutcome::Ok);
    assert_eq!(run_on(list, json!({})), ActionOutcome::Changed);
    assert_eq!(run_on(list, json!({"#login": 1})), ActionOutcome::SignIn);
    assert_eq!(run_on("https://shop.example/item", json!({"#list": 1})), ActionOutcome::Changed);
    assert_eq!(run_on("https://evil.example/list", json!({"#list": 1})), ActionOutcome::Left);
}

#[test]
fn case_29_nothing_is_done_unless_there_is_one_element() {
    let click = |then: Value| json!([{"do": "click", "at": at("#buy"), "then": then, "timeout": 1}]);
    for count in [0, 2] {
        let (ended, did) = on(json!({"#buy": count}), click(json!("none")), json!({}));
        assert_eq!(
            (ended.outcome, ended.step.as_deref(), did.len()),
            (ActionOutcome::Changed, Some("steps[0]"), 0)
        );
    }
    let (ended, did) = on(json!({"#buy": 1}), click(json!("none")), json!({}));
    assert_eq!((ended.outcome, did), (ActionOutcome::Ok, vec!["e1 Click { count: 1 }".to_owned()]));
    let there = json!({"#buy": 1, "#done": 1});
    assert_eq!(outcome(there.clone(), click(json!({"appears": at("#done")}))), ActionOutcome::Ok);
    assert_eq!(outcome(there.clone(), click(json!({"gone": at("#done")}))), ActionOutcome::Changed);
    assert_eq!(outcome(there, click(json!("navigation"))), ActionOutcome::Changed, "the tab is where it was");
}

#[test]
fn case_30_what_the_page_actions_refuse_is_the_outcome() {
    for refused in
        [ActionOutcome::Covered, ActionOutcome::Blocked, ActionOutcome::Refused, ActionOutcome::Disabled]
    {
        let page = FakePage::new(|_, _| Ok(found(1)));
        page.acted.set(Err(refused));
        let steps = json!([{"do": "fill", "at": at("#a"), "value": "x", "else": "notFound"}, {"do": "click", "at": at("#b"), "then": "none"}]);
        assert_eq!(run_in(&page, &definition(json!({})), steps, json!({})).outcome, refused);
        assert_eq!(page.did().len(), 1, "the click is not done");
    }
}

#[test]
fn each_kind_of_action_gets_its_value() {
    let steps = json!([
        {"do": "fill", "at": at("#a"), "value": "{{word}}!"},
        {"do": "choose", "at": at("#a"), "option": "{{n}}"},
        {"do": "check", "at": at("#a"), "on": "{{yes}}"},
        {"do": "hover", "at": at("#a")},
        {"do": "press", "key": "Enter"},
        {"do": "click", "at": at("#a"), "count": 2, "then": "none"},
    ]);
    let (ended, did) = on(json!({"#a": 1}), steps, json!({"word": "tea", "n": 3, "yes": false}));
    assert_eq!(ended.outcome, ActionOutcome::Ok);
    assert_eq!(
        did,
        [
            "e1 Fill(\"tea!\")",
            "e1 Choose(\"3\")",
            "e1 Check(false)",
            "e1 Hover",
            " Press(\"Enter\")",
            "e1 Click { count: 2 }"
        ]
    );
    assert_eq!(
        on(json!({"#a": 1}), json!([{"do": "check", "at": at("#a"), "on": "{{gone}}"}]), json!({})).0.outcome,
        ActionOutcome::BadInput
    );
}

#[test]
fn steps_are_left_out_chosen_and_ended_by_conditions() {
    let value = |text: &str| json!([{"do": "return", "value": text}]);
    let either = json!([
        {"do": "fail", "outcome": "empty", "when": {"at": at("#gone"), "is": "present"}},
        {"do": "either", "branches": [
            {"when": {"all": [{"input": "n", "equals": 0}, {"input": "n", "given": true}]}, "steps": value("zero")},
            {"when": {"any": [{"at": at("#gone"), "is": "present"}, {"url": "https://shop.example/list*"}]}, "steps": value("list")},
            {"steps": value("none")},
        ]},
    ]);
    let run = |n: Value| on(json!({}), either.clone(), json!({"n": n})).0.value.unwrap();
    assert_eq!(
        (run(json!(0.0)), run(json!(1)), run(json!(null))),
        (json!("zero"), json!("list"), json!("list"))
    );
    let none = json!([{"do": "either", "branches": [{"when": {"at": at("#gone"), "is": "present"}, "steps": value("x")}], "else": "notFound"}]);
    assert_eq!(outcome(json!({}), none), ActionOutcome::NotFound);
    let missing = json!([{"do": "expect", "that": {"at": at("#a"), "is": "present"}, "else": "badInput"}]);
    assert_eq!(outcome(json!({}), missing), ActionOutcome::BadInput);
}

#[test]
fn steps_of_the_tool_itself_are_told_as_they_begin() {
    let inner = json!([{"do": "wait", "for": "stable"}, {"do": "wait", "for": "stable"}]);
    let steps = json!([
        {"do": "either", "branches": [{"steps": inner}]},
        {"do": "fail", "outcome": "empty", "when": {"at": at("#gone"), "is": "present"}},
        {"do": "return", "value": {}},
        {"do": "wait", "for": "stable"},
    ]);
    let page = FakePage::new(|_, _| Ok(found(0)));
    assert_eq!(run_in(&page, &definition(json!({})), steps, json!({})).outcome, ActionOutcome::Ok);
    assert_eq!(*page.told.borrow(), [1, 2, 3].map(|number| ToolStep { number, of: 4 }));
}

#[test]
fn what_is_waited_for_may_come_late_or_never() {
    let page = FakePage::new(|page, request| {
        Ok(found(u32::from(css(request) == "#late" && page.now.get() > 1_764_000_002_000)))
    });
    let wait = |css: &str| json!([{"do": "wait", "for": {"at": at(css), "is": "present"}, "timeout": 4}]);
    let definition = definition(json!({}));
    assert_eq!(run_in(&page, &definition, wait("#late"), json!({})).outcome, ActionOutcome::Ok);
    assert_eq!(run_in(&page, &definition, wait("#never"), json!({})).outcome, ActionOutcome::Timeout);
    assert!(page.now.get() < 1_764_000_008_000, "it ends");
}

#[test]
fn tab_is_led_within_the_sites_only() {
    let go = |path: &str, input: Value| {
        on(json!({}), json!([{"do": "navigate", "path": path, "query": {"q": "{{q}}", "n": "{{n}}"}}]), input)
    };
    let (ended, did) = go("/item/{{id}}", json!({"id": "../a b", "q": "x&y=z"}));
    assert_eq!(
        (ended.outcome, did),
        (ActionOutcome::Ok, vec!["go https://shop.example/item/..%2Fa%20b?q=x%26y%3Dz".to_owned()])
    );
    assert_eq!(go("/closed", json!({})).0.outcome, ActionOutcome::Refused);
    assert_eq!(go("/item/{{id}}", json!({"id": ".."})).0.outcome, ActionOutcome::BadInput);
    assert_eq!(go("/item/{{id}}", json!({})).0.outcome, ActionOutcome::BadInput);
    let (_, did) = on(json!({}), json!([{"do": "navigate", "path": "/a", "ownTab": true}]), json!({}));
    assert_eq!(did, ["go https://shop.example/a in its own tab"]);
    // A click that leads to another site ends the tool.
    let click = json!([{"do": "click", "at": at("#a"), "then": "navigation"}, {"do": "return", "value": 1}]);
    for (to, outcome) in
        [("https://shop.example/b", ActionOutcome::Ok), ("https://evil.example/", ActionOutcome::Left)]
    {
        let page = FakePage::new(|_, _| Ok(found(1)));
        page.leads_to.set(Some(to));
        assert_eq!(run_in(&page, &definition(json!({})), click.clone(), json!({})).outcome, outcome);
    }
}

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
