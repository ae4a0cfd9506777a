//! Tools against a page that answers as a test says.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::pending;

use futures::executor::block_on;
use serde_json::json;

use super::*;

mod acting;
mod outside;
mod paging;
mod reading;

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
