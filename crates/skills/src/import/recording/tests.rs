//! Recordings as the developer tools write them.

use serde_json::{Value, json};

use super::*;
use crate::check::check;
use crate::problem::ProblemLevel;

/// A draft's definition and what is told. It passes the check without an error.
fn made(recording: &Value) -> (Value, Vec<PackageProblem>) {
    let draft = draft(recording).unwrap_or_else(|problem| panic!("{problem}"));
    let tools = draft.tools.clone();
    let (package, told) = draft.package().unwrap();
    let checked = check(&package, None).unwrap_or_else(|problems| panic!("{problems:#?}\n{tools:#}"));
    let warnings = checked.told.iter().filter(|problem| problem.level != ProblemLevel::Repair);
    assert_eq!(warnings.collect::<Vec<_>>(), Vec::<&PackageProblem>::new(), "{tools:#}");
    (tools, told)
}

fn with(steps: Value) -> Value {
    let mut all = vec![
        json!({"type": "setViewport", "width": 1200, "height": 800, "deviceScaleFactor": 1, "isMobile": false, "hasTouch": false, "isLandscape": false}),
        json!({"type": "navigate", "url": "https://shop.example/start?lang=en", "assertedEvents": [{"type": "navigation", "url": "https://shop.example/start?lang=en", "title": "Shop"}]}),
    ];
    all.extend(steps.as_array().unwrap().clone());
    json!({"title": "Find mugs", "steps": all})
}

fn steps(recording: &Value) -> Vec<Value> {
    let (tools, _) = made(recording);
    tools["tools"][0]["steps"].as_array().unwrap()[1..].to_vec()
}

fn whys(told: &[PackageProblem]) -> Vec<String> {
    told.iter()
        .map(|problem| format!("{} {}", problem.place, problem.reason.why(Default::default())))
        .collect()
}

#[test]
fn case_15_recording_becomes_a_draft_with_parameters() {
    let recording = with(json!([
        {"type": "click", "target": "main", "selectors": [["aria/Search"], ["#search"], ["xpath///*[@id=\"search\"]"], ["pierce/#search"]], "offsetX": 3, "offsetY": 4},
        {"type": "change", "value": "blue mug", "selectors": [["aria/Search"], ["#search"], ["pierce/#search"]], "target": "main"},
        {"type": "keyDown", "target": "main", "key": "Enter", "assertedEvents": [{"type": "navigation", "url": "https://shop.example/search?q=blue+mug", "title": ""}]},
        {"type": "keyUp", "key": "Enter", "target": "main"},
        {"type": "waitForElement", "selectors": [".results"], "count": 3, "timeout": 8000},
        {"type": "click", "selectors": [["aria/Add to basket[role=\"button\"]"], ["div > div:nth-of-type(2) > button"]], "target": "main", "offsetX": 1, "offsetY": 1},
        {"type": "customStep", "name": "x", "parameters": {}},
        {"type": "waitForExpression", "expression": "window.done"},
        {"type": "close"},
    ]));
    let (tools, told) = made(&recording);
    assert_eq!(tools["id"], "find-mugs");
    assert_eq!(tools["match"], json!(["https://shop.example/*"]));
    assert_eq!(
        tools["permissions"],
        json!({"sites": ["https://shop.example/*"], "acts": ["find_mugs"], "navigate": true})
    );
    let tool = &tools["tools"][0];
    assert_eq!((&tool["name"], &tool["class"]), (&json!("find_mugs"), &json!("acting")));
    assert_eq!(
        tool["inputSchema"],
        json!({
            "type": "object", "additionalProperties": false, "required": ["search"],
            "properties": {"search": {"type": "string", "description": "In the recording: blue mug"}},
        })
    );
    assert_eq!(
        tool["steps"],
        json!([
            {"do": "navigate", "path": "/start", "query": {"lang": "en"}},
            {"do": "click", "at": "search", "then": "none"},
            {"do": "fill", "at": "search_2", "value": "{{search}}"},
            {"do": "press", "key": "Enter"},
            {"do": "wait", "for": "stable"},
            {"do": "wait", "for": {"at": "element", "count": {"min": 3}}, "timeout": 8},
            {"do": "click", "at": "add_to_basket", "then": "none"},
        ])
    );
    assert_eq!(
        tools["locators"],
        json!({
            "search": {"any": [{"css": "#search"}]},
            "search_2": {"any": [{"css": "#search"}, {"label": "Search"}]},
            "element": {"any": [{"css": ".results"}]},
            "add_to_basket": {"any": [{"role": "button", "name": "Add to basket"}]},
        })
    );
    assert_eq!(
        whys(&told),
        [
            "steps[2] A path through the page's structure was left out: it breaks with the next change.",
            "steps[7] A path through the page's structure was left out: it breaks with the next change.",
            "steps[8] The step customStep runs code, and is left out.",
            "steps[9] The step waitForExpression runs code, and is left out.",
            " These steps need nothing here: setViewport, close.",
        ]
    );
}

#[test]
fn each_step_has_its_counterpart() {
    for (step, made) in [
        (
            json!({"type": "doubleClick", "selectors": ["#a"]}),
            json!({"do": "click", "at": "a", "then": "none", "count": 2}),
        ),
        (json!({"type": "hover", "selectors": ["#a"]}), json!({"do": "hover", "at": "a"})),
        (json!({"type": "scroll", "selectors": ["#a"], "x": 0, "y": 9}), json!({"do": "scroll", "at": "a"})),
        (json!({"type": "keyDown", "key": " "}), json!({"do": "press", "key": "Space"})),
        (
            json!({"type": "change", "value": "x", "selectors": ["select[name=size]"]}),
            json!({"do": "choose", "at": "size", "option": "{{size}}"}),
        ),
        (
            json!({"type": "waitForElement", "selectors": ["text/Done"]}),
            json!({"do": "wait", "for": {"at": "element", "is": "present"}}),
        ),
        (
            json!({"type": "waitForElement", "selectors": ["#a"], "visible": false}),
            json!({"do": "wait", "for": {"at": "a", "is": "absent"}}),
        ),
        (
            json!({"type": "waitForElement", "selectors": ["#a"], "visible": true}),
            json!({"do": "wait", "for": {"at": "a", "is": "visible"}}),
        ),
        (
            json!({"type": "waitForElement", "selectors": ["#a"], "count": 2, "operator": "=="}),
            json!({"do": "wait", "for": {"at": "a", "count": {"min": 2, "max": 2}}}),
        ),
        (
            json!({"type": "waitForElement", "selectors": ["#a"], "count": 0, "operator": "=="}),
            json!({"do": "wait", "for": {"at": "a", "is": "absent"}}),
        ),
        (
            json!({"type": "click", "selectors": ["#a"], "assertedEvents": [{"type": "navigation", "url": "https://shop.example/b"}]}),
            json!({"do": "click", "at": "a", "then": "navigation"}),
        ),
        (
            json!({"type": "click", "selectors": ["#a"], "assertedEvents": [{"type": "navigation", "url": "https://shop.example/start?lang=en"}]}),
            json!({"do": "click", "at": "a", "then": "none"}),
        ),
        (
            json!({"type": "click", "selectors": [["my-app", "button.go"]]}),
            json!({"do": "click", "at": "element", "then": "none"}),
        ),
        (
            json!({"type": "navigate", "url": "https://shop.example/c"}),
            json!({"do": "navigate", "path": "/c"}),
        ),
    ] {
        // A recording of navigations alone is none.
        assert_eq!(steps(&with(json!([{"type": "hover", "selectors": ["#z"]}, step])))[1], made, "{step}");
    }
    let (tools, _) = made(&with(json!([{"type": "click", "selectors": [["my-app", "button.go"]]}])));
    assert_eq!(tools["locators"]["element"]["any"], json!([{"css": "my-app >> button.go"}]));
}

#[test]
fn what_has_no_counterpart_is_left_out_and_named() {
    for (step, why) in [
        (json!({"type": "click", "selectors": ["#a"], "frame": [0]}), "is in a frame"),
        (json!({"type": "click", "selectors": ["#a"], "target": "https://b.example/"}), "in another tab"),
        (json!({"type": "click", "selectors": ["#a"], "button": "secondary"}), "another button"),
        (json!({"type": "click", "selectors": ["text/Buy"]}), "nothing that lasts"),
        (json!({"type": "click", "selectors": ["div > div > div"]}), "nothing that lasts"),
        (json!({"type": "click", "selectors": []}), "names no element"),
        (json!({"type": "scroll", "x": 0, "y": 100}), "names no element"),
        (json!({"type": "keyDown", "key": "Meta"}), "Meta"),
        (json!({"type": "fly"}), "fly"),
        (json!({"type": "navigate", "url": "chrome://newtab/"}), "no page of the web"),
        (json!({"type": "change", "value": "hunter2", "selectors": ["#password"]}), "secret"),
    ] {
        let recording = with(json!([{"type": "hover", "selectors": ["#z"]}, step]));
        let (tools, told) = made(&recording);
        assert_eq!(tools["tools"][0]["steps"].as_array().unwrap().len(), 2, "{step}");
        assert!(
            whys(&told).iter().any(|told| told.starts_with("steps[3]") && told.contains(why)),
            "{step}: {:?}",
            whys(&told)
        );
        assert!(!format!("{tools}{:?}", whys(&told)).contains("hunter2"));
    }
}

#[test]
fn what_happens_on_another_site_is_left_out() {
    let click = |url: &str| json!({"type": "click", "selectors": ["#a"], "assertedEvents": [{"type": "navigation", "url": url}]});
    for leads in [
        json!([{"type": "hover", "selectors": ["#z"]}, {"type": "navigate", "url": "https://b.example/"}, {"type": "click", "selectors": ["#b"]}]),
        json!([{"type": "hover", "selectors": ["#z"]}, click("https://b.example/"), {"type": "click", "selectors": ["#b"]}]),
    ] {
        let (tools, told) = made(&with(leads));
        assert!(!tools.to_string().contains("#b"), "{tools}");
        assert!(whys(&told).iter().any(|told| told.contains("https://b.example")), "{:?}", whys(&told));
    }
}

#[test]
fn recording_without_a_page_or_a_step_is_refused() {
    let refused = |recording: Value| draft(&recording).err().map(|problem| problem.reason.code);
    for none in [
        json!({"title": "x", "steps": []}),
        json!({"title": "x", "steps": [{"type": "click", "selectors": ["#a"]}]}),
        json!({"title": "x", "steps": [{"type": "navigate", "url": "https://a.example/"}]}),
        json!({"title": "x", "steps": [{"type": "navigate", "url": "https://a.example/"}, {"type": "customStep"}]}),
        json!({"title": "x", "steps": [{"type": "navigate", "url": "file:///x"}, {"type": "click", "selectors": ["#a"]}]}),
    ] {
        assert_eq!(refused(none.clone()), Some(ReasonCode::NotASkill), "{none}");
    }
}

#[test]
fn names_and_limits_hold_whatever_was_recorded() {
    let steps: Vec<Value> = (0..300)
        .map(|number| json!({"type": "change", "value": format!("{{{{x}}}} {number}"), "selectors": [format!("[name=\"字段-{number}\"]")]}))
        .collect();
    let mut recording = with(json!(steps));
    recording["title"] = json!("搜索\n\u{202e}茶杯");
    let (tools, told) = made(&recording);
    assert_eq!(tools["id"], "skill");
    assert_eq!(tools["tools"][0]["inputSchema"]["properties"].as_object().unwrap().len(), 20);
    assert!(!told.is_empty());
}

fn any_json() -> impl proptest::strategy::Strategy<Value = Value> {
    use proptest::prelude::*;
    let words = prop::sample::select(vec![
        "click",
        "change",
        "navigate",
        "keyDown",
        "waitForElement",
        "scroll",
        "hover",
        "https://a.example/x?y={{z}}",
        "aria/Go[role=\"button\"]",
        "text/{{a}}",
        "xpath//a",
        "pierce/#a",
        "#a",
        "div > p",
        "::",
        "",
        "Enter",
        "main",
        "==",
        "select[name=\"{{q}}\"]",
    ]);
    let leaf = prop_oneof![
        words.prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null)
    ];
    let keys = prop::sample::select(vec![
        "type",
        "url",
        "selectors",
        "value",
        "key",
        "count",
        "operator",
        "visible",
        "frame",
        "target",
        "assertedEvents",
        "timeout",
        "button",
    ]);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((keys.clone(), inner), 0..6)
                .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

proptest::proptest! {
    #[test]
    fn any_recording_is_refused_or_passes_the_check(title in "\\PC{0,20}", steps in proptest::collection::vec(any_json(), 0..8)) {
        let mut all = vec![json!({"type": "navigate", "url": "https://a.example/"}), json!({"type": "hover", "selectors": ["#z"]})];
        all.extend(steps);
        made(&json!({"title": title, "steps": all}));
    }
}
