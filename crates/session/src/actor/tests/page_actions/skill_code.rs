//! Code of SKILLs: where it runs, what comes of it, and that nothing of it runs where the user does not allow it.

use base64::Engine as _;
use sidecar_protocol::link::{Answer, SkillsAnswer};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::skill::{SkillOffer, SkillState};

use super::*;
use crate::browser::{CodeAccess, CodeRun};

/// A SKILL whose tools are a step and code, and which is told of its pages.
fn package() -> String {
    let tool = |name: &str, more: Value| {
        let mut tool = json!({"name": name, "description": name, "class": "acting",
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false}});
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tool
    };
    let tools = json!({
        "format": 1, "id": "coded", "version": "1.0.0", "title": "Coded", "summary": "Coded.",
        "match": ["https://shop.example/*"], "exclude": ["https://shop.example/closed*"], "verifiedOn": "",
        "permissions": {"sites": ["https://shop.example/*"], "acts": ["compute", "press"], "code": "isolated"},
        "locators": {"button": {"any": [{"css": "#put"}]}},
        "onActivate": {"file": "webmcp/begin.js"}, "onDeactivate": {"file": "webmcp/end.js"},
        "tools": [
            tool("compute", json!({"code": {"file": "webmcp/compute.js", "world": "isolated"}})),
            tool("press", json!({"steps": [{"do": "click", "at": "button", "then": "none"}]})),
        ],
    });
    let text = "---\nname: coded\ndescription: Coded.\nmetadata:\n  version: \"1.0.0\"\n  webmcp-sidecar: webmcp/skill.json\n---\n\nBody.\n";
    let files = [
        ("SKILL.md", text.to_owned()),
        ("webmcp/skill.json", tools.to_string()),
        ("webmcp/compute.js", "return 1 + 1;".to_owned()),
        ("webmcp/begin.js", "globalThis.begun = true;".to_owned()),
        ("webmcp/end.js", "globalThis.begun = false;".to_owned()),
    ];
    let file = |(path, text): (&str, String)| {
        let data = base64::engine::general_purpose::STANDARD.encode(text);
        json!({"path": format!("coded/{path}"), "data": data})
    };
    Value::from(files.map(file).to_vec()).to_string()
}

/// The shop's page, beside which a panel installed that SKILL.
struct Coded {
    world: ActorWorld,
    heard: PanelMessages,
}

impl Coded {
    fn new(level: &str, access: CodeAccess) -> Self {
        let mut world = ActorWorld::new();
        let conditions = json!({"url": "https://shop.example/search", "lang": "en", "found": []});
        world.has_documents(vec![document("D1", SHOP, "", json!({"conditions": conditions}))]);
        world.browser.0.code_access.set(access);
        let heard = world.panel();
        world.tell_tools(&[]);
        let mut coded = Self { world, heard };
        let upload = json!({"upload": {"text": package(), "more": false}});
        let Answer::Skills(SkillsAnswer::Offered { offer: SkillOffer::Review(review) }) = coded.ask(upload)
        else {
            panic!()
        };
        coded.ask(json!({"install": {"digest": review.digest, "level": level}}));
        coded
    }

    fn ask(&mut self, command: Value) -> Answer {
        self.heard.forget();
        self.world.ask_json(PANEL, json!({"skills": command}));
        self.heard.replies().last().unwrap().1.clone().unwrap()
    }

    fn state(&mut self) -> SkillState {
        match self.ask(json!("list")) {
            Answer::Skills(SkillsAnswer::Listed { skills }) => {
                skills.into_iter().find(|skill| skill.id == "coded").unwrap().state
            }
            other => panic!("{other:?}"),
        }
    }

    /// Those of its tools that are offered.
    fn offered(&mut self) -> Vec<String> {
        let all = self.world.offered().into_iter();
        all.filter(|name| ["compute", "press"].contains(&name.as_str())).collect()
    }

    /// What code tells, for each run from now on.
    fn tells(&self, told: &[Option<&str>]) {
        let told = told.iter().map(|told| told.map(str::to_owned));
        *self.world.browser.0.code_told.borrow_mut() = told.collect();
    }

    fn runs(&self) -> Vec<CodeRun> {
        self.world.browser.0.code_runs.take()
    }

    fn call(&mut self) -> Option<ToolOutcome> {
        let tool = ToolRef::Skill { skill: "coded".to_owned(), name: "compute".to_owned(), tab: TAB };
        let work = async move |tools: TabTools<FakeBrowser>| tools.call(&"c1".into(), &tool, "{}").await;
        self.world.with_tools(work, 60_000).map(|(outcome, _)| outcome)
    }

    fn goes_to(&mut self, url: &str) {
        self.world.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, url));
        self.world.post(BrowserEvent::TabUpdated { tab: tab(7, WINDOW, url) });
        self.world.pass(1_000);
    }
}

/// The bodies of what ran.
fn bodies(runs: &[CodeRun]) -> Vec<String> {
    let body = |run: &CodeRun| run.sources.get(1).cloned().unwrap_or_else(|| run.sources[0].clone());
    runs.iter().map(body).collect()
}

#[test]
fn code_does_not_run_in_a_page_that_moved_since_it_was_looked_at() {
    let mut coded = Coded::new("own", CodeAccess::On);
    let browser = coded.world.browser.clone();
    let (name, answer) =
        document("D1", SHOP, "", json!({"conditions": {"url": "https://shop.example/search", "found": []}}));
    let moving = move |message: &Value| {
        // The worker is not told yet.
        if message["do"] == "conditions" {
            browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, "https://other.example/"));
        }
        answer(message)
    };
    coded.world.has_documents(vec![(name, Rc::new(moving))]);
    let ended = coded.call();
    assert!(ended.as_ref().is_some_and(failure(ActionOutcome::Left)), "{ended:?}");
    let ran = bodies(&coded.runs());
    assert!(!ran.iter().any(|body| body.contains("return 1 + 1;")), "{ran:?}");
}

#[test]
fn case_47_code_that_is_not_allowed_is_not_offered_and_the_rest_works() {
    let mut coded = Coded::new("own", CodeAccess::Off);
    assert_eq!(coded.offered(), ["press"]);
    assert_eq!(coded.state(), SkillState::NeedsSwitch);
    assert_eq!(coded.runs(), []);
    coded.tells(&[Some("{}")]);
    coded.world.browser.0.code_access.set(CodeAccess::On);
    assert_eq!(coded.offered(), ["compute", "press"], "a turn looks again");
    assert_eq!(coded.state(), SkillState::Ok);
    coded.world.browser.0.code_access.set(CodeAccess::Off);
    assert_eq!(coded.state(), SkillState::NeedsSwitch);
    assert_eq!(coded.offered(), ["press"]);
}

#[test]
fn code_of_others_is_off_until_a_tool_with_it_is_switched_on() {
    let mut coded = Coded::new("imported", CodeAccess::On);
    assert_eq!(coded.offered(), [] as [&str; 0]);
    assert_eq!((coded.state(), coded.runs()), (SkillState::Ok, Vec::new()));
    coded.tells(&[Some("{}")]);
    coded.ask(json!({"switchTool": {"id": "coded", "tool": "compute", "on": true}}));
    assert_eq!(coded.offered(), ["compute"]);
    assert!(bodies(&coded.runs())[0].contains("globalThis.begun = true"));
}

#[test]
fn code_runs_in_the_document_that_was_looked_at_in_a_world_of_the_skill() {
    let mut coded = Coded::new("own", CodeAccess::On);
    // What began with the page is given up.
    coded.world.pass(31_000);
    coded.runs();
    coded.tells(&[Some(r#"{"value":{"sum":2}}"#)]);
    let Some(ToolOutcome::Ok { content, .. }) = coded.call() else { panic!() };
    assert_eq!(content, [Content::Text(r#"{"sum":2}"#.to_owned())]);
    let runs = coded.runs();
    assert_eq!((runs.len(), &runs[0].document, runs[0].is_alone), (1, &"D1".into(), true));
    assert!(runs[0].world_id.starts_with("skill-") && runs[0].sources[1].contains("return 1 + 1;"));
}

#[test]
fn case_50_what_code_throws_is_told_with_the_line_and_what_it_tells_is_not_believed() {
    let mut coded = Coded::new("own", CodeAccess::On);
    for (told, is_expected) in [
        (Some(r#"{"threw":{"message":"Error: no","line":3}}"#), &threw as &dyn Fn(&ToolOutcome) -> bool),
        (Some(r#"{"tooLarge":true}"#), &failure(ActionOutcome::TooLarge)),
        (Some(r#"{"outcome":"ok"}"#), &failure(ActionOutcome::Interrupted)),
        (None, &failure(ActionOutcome::Interrupted)),
    ] {
        coded.tells(&[told]);
        let ended = coded.call().unwrap();
        assert!(is_expected(&ended), "{told:?}: {ended:?}");
    }
}

fn threw(ended: &ToolOutcome) -> bool {
    let ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Threw), message } = ended else {
        return false;
    };
    message == "Error: no [coded 1.0.0, compute: webmcp/compute.js, line 3]"
}

#[test]
fn case_50_endless_wait_ends_after_half_a_minute_and_the_code_is_told_to_stop() {
    let mut coded = Coded::new("own", CodeAccess::On);
    coded.runs();
    let ended = coded.call().unwrap();
    assert!(failure(ActionOutcome::Timeout)(&ended), "{ended:?}");
    assert!(bodies(&coded.runs())[1].contains("sidecar-stop"));
}

#[test]
fn switch_that_went_off_meanwhile_is_noticed() {
    let mut coded = Coded::new("own", CodeAccess::On);
    coded.world.browser.0.code_access.set(CodeAccess::Off);
    let ended = coded.call().unwrap();
    assert!(failure(ActionOutcome::Blocked)(&ended), "{ended:?}");
    assert_eq!(coded.runs().len(), 1, "that of the page alone");
    assert_eq!(coded.offered(), ["press"]);
}

#[test]
fn lifecycle_code_runs_once_a_document_and_its_end_when_the_page_is_no_longer_the_skills() {
    let mut coded = Coded::new("own", CodeAccess::On);
    let begun = |runs: Vec<CodeRun>| {
        let begins = |body: &String| body.contains("globalThis.begun = true");
        bodies(&runs).iter().map(begins).collect::<Vec<_>>()
    };
    coded.tells(&[Some("{}"), Some("{}"), Some("{}"), Some("{}")]);
    coded.world.pass(31_000);
    assert_eq!(begun(coded.runs()).first(), Some(&true));
    coded.goes_to("https://shop.example/other");
    assert_eq!(begun(coded.runs()), [] as [bool; 0]);
    coded.goes_to("https://shop.example/closed");
    assert_eq!(begun(coded.runs()), [false]);
    coded.goes_to("https://shop.example/");
    assert_eq!(begun(coded.runs()), [true]);
    coded.ask(json!({"switch": {"id": "coded", "on": false}}));
    assert_eq!(begun(coded.runs()), [false]);
}
