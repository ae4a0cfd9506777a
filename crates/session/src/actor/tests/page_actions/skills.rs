//! Tools of SKILLs: with those of the page, and run by the page actions.

use sidecar_agent::browser_tools::use_skill::USE_SKILL;
use sidecar_protocol::link::SkillsAnswer;
use sidecar_protocol::skill::{SkillOffer, SkillReview, SkillState, SkillSummary};

use super::*;
use crate::browser::FileFault;

mod deaths;
mod instructions;
mod same_name;

/// A SKILL for the shop with a tool that reads and one that acts.
fn skill() -> Value {
    let button = json!({"any": [{"css": "#buy"}]});
    json!({
        "id": "shop-helper", "version": "1.2.0", "title": "Shop", "summary": "Shop",
        "match": ["https://shop.example/*"], "exclude": ["https://shop.example/closed*"], "permissions": {},
        "tools": [
            {"name": "read_price", "description": "Reads the price.", "class": "read", "inputSchema": {"type": "object"},
                "steps": [
                    {"do": "read", "at": {"any": [{"css": "#price"}]}, "what": "text", "type": "money", "as": "price"},
                    {"do": "return", "value": {"price": "{{price}}"}},
                ],
                "outcomes": {"changed": "The shop is not as this tool knows it."}},
            {"name": "buy", "title": {"en": "Buy this", "zh": "购买"}, "description": "Buys.", "class": "acting", "inputSchema": {"type": "object"},
                "steps": [{"do": "click", "at": button, "then": "none"}]},
        ],
    })
}

/// A world whose extension ships that SKILL and knows that, and a panel.
pub(super) fn with_skill() -> ActorWorld {
    with_skill_in(ActorWorld::new())
}

/// The same, of a world that was there before.
pub(super) fn with_skill_in(world: ActorWorld) -> ActorWorld {
    let mut world = shipping_skill_in(world);
    world.panel();
    world.ask_json(PANEL, json!({"skills": "list"}));
    world
}

fn shipping_skill() -> ActorWorld {
    shipping_skill_in(ActorWorld::new())
}

fn shipping_skill_in(world: ActorWorld) -> ActorWorld {
    let definition = serde_json::from_value(skill()).unwrap();
    let index = json!([sidecar_skills::offer::indexed(&definition)]);
    let tools = sidecar_skills::offer::placed(&definition);
    let files =
        [("index.json", index), ("shop-helper.tools.json", json!(tools)), ("shop-helper.json", skill())];
    *world.browser.0.skill_files.borrow_mut() =
        files.map(|(name, json)| (name.to_owned(), json.to_string())).into();
    world.has_documents(page(json!({"conditions": conditions()})));
    world
}

pub(super) fn skill_tool(name: &str) -> ToolRef {
    ToolRef::Skill { skill: "shop-helper".to_owned(), name: name.to_owned(), tab: TAB }
}

impl ActorWorld {
    pub(super) fn run_skill(&mut self, name: &'static str) -> ToolOutcome {
        let work =
            async move |tools: TabTools<FakeBrowser>| tools.call(&"c1".into(), &skill_tool(name), "{}").await;
        self.with_tools(work, 60_000).unwrap().0
    }

    pub(super) fn goes_to(&mut self, url: &str) {
        self.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, url));
        self.post(BrowserEvent::TabUpdated { tab: tab(7, WINDOW, url) });
    }
}

/// The shop's page, with these answers of the page actions.
pub(super) fn page(answers: Value) -> Vec<(DocumentId, PageScript)> {
    vec![document("D1", SHOP, "", answers)]
}

pub(super) fn conditions() -> Value {
    json!({"url": "https://shop.example/search", "lang": "en", "found": []})
}

#[test]
fn tools_of_a_skill_join_those_of_the_page_and_go_with_its_address() {
    let mut world = with_skill();
    world.tell_tools(&["compare"]);
    assert_eq!(world.offered(), ["compare", "buy", "read_price", PAGE_ACCESS]);
    world.goes_to("https://shop.example/closed");
    assert_eq!(world.offered(), ["compare", PAGE_ACCESS]);
    world.goes_to("https://shop.example/");
    assert_eq!(world.offered(), ["compare", "buy", "read_price", PAGE_ACCESS]);
    let read = |world: &ActorWorld| {
        world.browser.0.told.borrow().iter().filter(|told| told.starts_with("read skills/")).count()
    };
    assert_eq!(read(&world), 5, "the index, the revocations and the tools once, what they do for each look");
    world.ask_json(PANEL, json!({"policies": {"hideSite": {"origin": SHOP, "hidden": true}}}));
    world.goes_to("https://shop.example/list");
    assert_eq!(world.offered(), Vec::<String>::new(), "a hidden site");
}

#[test]
fn pages_own_tool_of_the_name_wins_also_when_it_comes_later() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let sources = |world: &mut ActorWorld| {
        let offers = world.with_tools(async |tools| tools.offer().await, 60_000).unwrap().0;
        let of = offers.into_iter().filter(|offer| offer.model_name == "buy");
        of.map(|offer| matches!(offer.tool, ToolRef::Skill { .. })).collect::<Vec<_>>()
    };
    assert_eq!(sources(&mut world), [true]);
    world.tell_tools(&["buy"]);
    assert_eq!(sources(&mut world), [false]);
    world.tell_tools(&[]);
    assert_eq!(sources(&mut world), [true]);
}

#[test]
fn what_a_skill_does_is_known_by_its_steps() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let offers = world.with_tools(async |tools| tools.offer().await, 60_000).unwrap().0;
    let risk = |name: &str| offers.iter().find(|offer| offer.model_name == name).unwrap().risk;
    assert_eq!(
        (risk("read_price"), risk("buy")),
        (sidecar_protocol::Risk::ReadOnly, sidecar_protocol::Risk::Consequential)
    );
}

#[test]
fn steps_are_done_by_the_page_actions_without_consent_for_the_site() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    let value = json!({"count": 1, "n": 0, "agrees": true, "raw": "¥1,234.50"});
    world.has_documents(page(json!({"conditions": conditions(), "value": value})));
    world.browser.0.asked_for_tabs.set(0);
    let ToolOutcome::Ok { content, .. } = world.run_skill("read_price") else { panic!() };
    assert_eq!(world.browser.0.asked_for_tabs.get(), 2, "where the run begins, and once for its document");
    assert_eq!(content, [Content::Text(r#"{"price":{"amount":1234.5,"currency":"CNY"}}"#.to_owned())]);
    let files = world.browser.0.page_files.borrow().clone();
    let looked = [PageFile::Actions, PageFile::Skill];
    let all = looked.into_iter().chain([PageFile::Skill]).map(|file| ("D1".into(), file));
    assert_eq!(files, all.collect::<Vec<_>>(), "once to look at the page, once by the turn");
    assert_eq!(world.browser.0.attached.get(), 1, "each step asks the document that is known");
}

pub(super) fn one_price() -> Value {
    json!({"count": 1, "n": 0, "agrees": true, "raw": "¥2.00"})
}

pub(super) fn no_price() -> Value {
    json!({"count": 0, "n": null, "agrees": true, "raw": null})
}

#[test]
fn panel_that_opens_with_a_page_comes_before_skills() {
    let mut world = shipping_skill();
    world.tell_tools(&[]);
    world.goes_to("https://shop.example/");
    world.panel();
    let reads_skills = |told: &[String]| told.iter().any(|line| line.starts_with("read skills/"));
    assert!(!reads_skills(&world.browser.0.told.borrow()));
    world.pass(1_000);
    assert!(reads_skills(&world.browser.0.told.borrow()));
}

#[test]
fn outcome_is_told_with_the_words_of_the_skill_and_the_step() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    world.has_documents(page(json!({"conditions": conditions(), "value": no_price()})));
    let ended = world.run_skill("read_price");
    let ToolOutcome::Failed { code: ToolFailure::Action(ActionOutcome::Changed), message } = ended else {
        panic!("{ended:?}")
    };
    assert_eq!(
        message,
        "The shop is not as this tool knows it. [shop-helper 1.2.0, read_price, steps[0]: changed]"
    );
}

#[test]
fn element_is_clicked_by_the_page_actions_and_their_outcome_is_the_tools() {
    for (outcome, is_done) in [("ok", true), ("covered", false)] {
        let mut world = with_skill();
        world.tell_tools(&[]);
        let found = json!({"count": 1, "n": 0, "agrees": true, "ref": "e1"});
        world.has_documents(page(
            json!({"conditions": conditions(), "locate": found, "quiet": {"quiet": true},
            "act": {"outcome": outcome, "became": []}}),
        ));
        let ended = world.run_skill("buy");
        assert_eq!(matches!(ended, ToolOutcome::Ok { .. }), is_done, "{ended:?}");
        assert!(is_done || failure(ActionOutcome::Covered)(&ended), "{ended:?}");
    }
}

#[test]
fn panels_see_titles_in_their_language() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    for (tag, title) in [("en", "Buy this"), ("zh-CN", "购买")] {
        let (heard, link) = (PanelMessages::default(), LinkId(7));
        world.post(SessionEvent::PanelConnected { link, port: Box::new(heard.clone()) });
        let version = PROTOCOL_VERSION;
        let hello = Hello { version, window_id: WINDOW, tab_id: None, browser_language: tag.to_owned() };
        world.post(SessionEvent::PanelGone { link: PANEL });
        world.ask(link, Command::Hello(hello));
        let [(_, Ok(Answer::Welcome(welcome)))] = exactly(heard.replies()) else { panic!() };
        let tools = welcome.page.tools.into_iter().filter(|tool| tool.tool.name() == "buy");
        assert_eq!(tools.map(|tool| tool.title).collect::<Vec<_>>(), [title]);
        world.post(SessionEvent::PanelGone { link });
    }
}

#[test]
fn nothing_is_read_on_a_page_that_is_not_the_skills() {
    let mut world = with_skill();
    world.tell_tools(&[]);
    world.has_documents(page(
        json!({"conditions": conditions(), "value": {"count": 1, "n": 0, "agrees": true, "raw": "¥1"}}),
    ));
    // The tab went elsewhere, and the worker was not told yet.
    world.browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, "https://other.example/"));
    let ended = world.run_skill("read_price");
    assert!(failure(ActionOutcome::Left)(&ended), "{ended:?}");
}

/// Where a page is once it was asked something, as the browser answers and as it tells.
#[derive(Clone, Copy)]
struct MovedPage {
    at: &'static str,
    answered: &'static str,
    told: &'static str,
}

/// What a page was asked to do.
type AskedOfPage = Rc<RefCell<Vec<String>>>;

/// The shop's page, which moves without another document when it is asked this. Records what it is asked.
fn moving(world: &ActorWorld, moved: MovedPage) -> (Vec<(DocumentId, PageScript)>, AskedOfPage) {
    let found = json!({"count": 1, "n": 0, "agrees": true, "raw": "¥2.00", "ref": "e1"});
    let done = json!({"outcome": "ok", "became": []});
    let answers = json!({"conditions": conditions(), "value": found, "locate": found, "quiet": {"quiet": true}, "act": done});
    let (name, answer) = page(answers).remove(0);
    let (asked, browser) = (AskedOfPage::default(), world.browser.clone());
    let heard = asked.clone();
    let script = move |message: &Value| {
        let what = message["do"].as_str().unwrap_or_default();
        if what == moved.at {
            browser.0.tabs.borrow_mut().insert(TAB, tab(7, WINDOW, moved.answered));
            browser.post(BrowserEvent::TabUpdated { tab: tab(7, WINDOW, moved.told) });
        }
        heard.borrow_mut().push(what.to_owned());
        answer(message)
    };
    (vec![(name, Rc::new(script))], asked)
}

#[test]
fn page_that_moves_itself_is_asked_only_where_the_skill_is_for() {
    const LIST: &str = "https://shop.example/list";
    const CLOSED: &str = "https://shop.example/closed";
    for (tool, at, wants, answered, told, is_asked) in [
        ("read_price", "conditions", "value", LIST, LIST, true),
        ("read_price", "conditions", "value", CLOSED, CLOSED, false),
        // What the browser tells may be older than what it answers: it is asked before anything is refused, and before
        // anything acts.
        ("read_price", "conditions", "value", LIST, CLOSED, true),
        ("buy", "locate", "act", CLOSED, LIST, false),
    ] {
        let mut world = with_skill();
        world.tell_tools(&[]);
        let (documents, asked) = moving(&world, MovedPage { at, answered, told });
        world.has_documents(documents);
        let ended = world.run_skill(tool);
        assert_eq!(asked.borrow().iter().any(|what| what == wants), is_asked, "{tool}: {ended:?}");
        assert_eq!(failure(ActionOutcome::Left)(&ended), !is_asked, "{tool}: {ended:?}");
    }
}

/// The package of a SKILL for the shop, as a panel uploads it.
fn package(version: &str, steps: &Value) -> String {
    use base64::Engine as _;
    let tools = json!({
        "format": 1, "id": "helper", "version": version, "title": "Helper", "summary": "Helps.",
        "match": ["https://shop.example/*"], "verifiedOn": "",
        "permissions": {"sites": ["https://shop.example/*"], "acts": ["put_in"]},
        "locators": {"button": {"any": [{"css": "#put"}]}, "name": {"any": [{"css": "h1"}]}},
        "tools": [
            {"name": "read_name", "description": "Reads the name.", "class": "read",
                "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false}, "steps": steps},
            {"name": "put_in", "description": "Puts it in.", "class": "acting",
                "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
                "steps": [{"do": "click", "at": "button", "then": "none"}]},
        ],
    });
    let text = format!(
        "---\nname: helper\ndescription: Helps in the shop.\nmetadata:\n  version: \"{version}\"\n  webmcp-sidecar: webmcp/skill.json\n---\n\nBody.\n"
    );
    let file = |path: &str, text: &str| {
        let data = base64::engine::general_purpose::STANDARD.encode(text);
        json!({"path": format!("helper/{path}"), "data": data})
    };
    json!([file("SKILL.md", &text), file("webmcp/skill.json", &tools.to_string())]).to_string()
}

fn read_steps(what: &str) -> Value {
    json!([{"do": "read", "at": "name", "what": what, "as": "name"}, {"do": "return", "value": {"name": "{{name}}"}}])
}

impl ActorWorld {
    fn skills(&mut self, heard: &PanelMessages, command: Value) -> Result<Answer, Refusal> {
        heard.forget();
        self.ask_json(PANEL, json!({"skills": command}));
        heard.replies().last().unwrap().1.clone()
    }

    fn review(&mut self, heard: &PanelMessages, package: &str) -> SkillReview {
        let (first, second) = package.split_at(package.len() / 2);
        assert_eq!(self.skills(heard, json!({"upload": {"text": first, "more": true}})), Ok(Answer::Done));
        match self.skills(heard, json!({"upload": {"text": second, "more": false}})) {
            Ok(Answer::Skills(SkillsAnswer::Offered { offer: SkillOffer::Review(review) })) => *review,
            other => panic!("{other:?}"),
        }
    }

    fn install(&mut self, heard: &PanelMessages, package: &str) -> SkillReview {
        let review = self.review(heard, package);
        let install = json!({"install": {"digest": review.digest, "level": "imported"}});
        assert_eq!(self.skills(heard, install), Ok(Answer::Done));
        review
    }

    fn listed(&mut self, heard: &PanelMessages, id: &str) -> Option<SkillSummary> {
        match self.skills(heard, json!("list")) {
            Ok(Answer::Skills(SkillsAnswer::Listed { skills })) => {
                skills.into_iter().find(|skill| skill.id == id)
            }
            other => panic!("{other:?}"),
        }
    }

    fn stored(&self) -> usize {
        self.browser.0.storage.choices.names().iter().filter(|name| name.starts_with("skill")).count()
    }
}

fn on_the_shop() -> (ActorWorld, PanelMessages) {
    let mut world = ActorWorld::new();
    world.has_documents(page(json!({"conditions": conditions()})));
    let heard = world.panel();
    world.tell_tools(&[]);
    (world, heard)
}

#[test]
fn nothing_of_a_package_acts_or_is_stored_before_the_last_click() {
    let (mut world, heard) = on_the_shop();
    let review = world.review(&heard, &package("1.0.0", &read_steps("text")));
    assert_eq!((review.id.as_str(), review.tools.len(), review.update), ("helper", 2, None));
    assert!(!review.can.is_empty());
    assert_eq!(world.offered(), [PAGE_ACCESS]);
    assert_eq!(world.stored(), 0);
    let other = json!({"install": {"digest": "another", "level": "imported"}});
    assert_eq!(world.skills(&heard, other), Err(Refusal::NoSkill), "only what was shown");
    let shipped = json!({"install": {"digest": review.digest, "level": "shipped"}});
    assert_eq!(world.skills(&heard, shipped), Err(Refusal::NoSkill), "no package sets its own level");
}

#[test]
fn case_41_acting_tool_of_an_imported_skill_is_off_until_switched_on_and_again_when_it_changes() {
    let (mut world, heard) = on_the_shop();
    world.install(&heard, &package("1.0.0", &read_steps("text")));
    assert_eq!(world.offered(), ["read_name", PAGE_ACCESS, USE_SKILL]);
    let on = json!({"switchTool": {"id": "helper", "tool": "put_in", "on": true}});
    assert_eq!(world.skills(&heard, on), Ok(Answer::Done));
    assert_eq!(world.offered(), ["put_in", "read_name", PAGE_ACCESS, USE_SKILL]);
    let offers = world.with_tools(async |tools| tools.offer().await, 60_000).unwrap().0;
    let fingerprint = |offers: &[sidecar_webmcp::Offer], name: &str| {
        offers.iter().find(|offer| offer.model_name == name).unwrap().fingerprint.clone()
    };
    let before = fingerprint(&offers, "read_name");

    let changed = package("1.1.0", &read_steps("markdown"));
    let update = world.review(&heard, &changed).update.unwrap();
    assert_eq!((update.from.as_str(), update.is_wider), ("1.0.0", false));
    world.install(&heard, &changed);
    let offers = world.with_tools(async |tools| tools.offer().await, 60_000).unwrap().0;
    assert_ne!(fingerprint(&offers, "read_name"), before, "what was allowed is asked for again");
    assert!(offers.iter().any(|offer| offer.model_name == "put_in"), "it is the same tool as before");
}

#[test]
fn case_42_earlier_version_is_gone_back_to() {
    let (mut world, heard) = on_the_shop();
    let first = world.install(&heard, &package("1.0.0", &read_steps("text")));
    for version in ["1.1.0", "1.2.0", "1.3.0"] {
        world.install(&heard, &package(version, &read_steps("markdown")));
    }
    let listed = world.listed(&heard, "helper").unwrap();
    let versions: Vec<_> = listed.earlier.iter().map(|earlier| earlier.version.as_str()).collect();
    assert_eq!((listed.version.as_str(), versions), ("1.3.0", vec!["1.2.0", "1.1.0"]));
    assert_eq!(world.stored(), 1 + 3 * 3, "of the first nothing is left");
    let back = json!({"rollBack": {"id": "helper", "digest": first.digest}});
    assert_eq!(world.skills(&heard, back), Err(Refusal::NoSkill));
    let digest = listed.earlier[1].digest.clone();
    assert_eq!(
        world.skills(&heard, json!({"rollBack": {"id": "helper", "digest": digest}})),
        Ok(Answer::Done)
    );
    let listed = world.listed(&heard, "helper").unwrap();
    assert_eq!((listed.version.as_str(), listed.earlier.len()), ("1.1.0", 2));
    assert_eq!(world.offered(), ["read_name", PAGE_ACCESS, USE_SKILL]);
}

#[test]
fn removed_skill_can_be_restored_for_a_while() {
    let (mut world, heard) = on_the_shop();
    world.install(&heard, &package("1.0.0", &read_steps("text")));
    assert_eq!(world.skills(&heard, json!({"remove": {"id": "helper"}})), Ok(Answer::Done));
    assert_eq!(world.listed(&heard, "helper"), None);
    assert_eq!(world.skills(&heard, json!({"restore": {"id": "helper"}})), Ok(Answer::Done));
    assert_eq!(world.offered(), ["read_name", PAGE_ACCESS, USE_SKILL]);
    assert_eq!(world.skills(&heard, json!({"remove": {"id": "helper"}})), Ok(Answer::Done));
    world.pass(sidecar_protocol::history::UNDO_MS + 10_000);
    assert_eq!(world.skills(&heard, json!({"restore": {"id": "helper"}})), Err(Refusal::NoSkill));
    assert_eq!(world.stored(), 1, "its files are gone");
}

#[test]
fn removed_skill_does_not_take_the_place_of_one_that_was_installed_meanwhile() {
    let (mut world, heard) = on_the_shop();
    world.install(&heard, &package("1.0.0", &read_steps("text")));
    let remove = json!({"remove": {"id": "helper"}});
    assert_eq!(world.skills(&heard, remove.clone()), Ok(Answer::Done));
    world.install(&heard, &package("2.0.0", &read_steps("markdown")));
    assert_eq!(world.skills(&heard, json!({"restore": {"id": "helper"}})), Err(Refusal::NoSkill));
    assert_eq!(world.listed(&heard, "helper").unwrap().version, "2.0.0");
    world.pass(4_000);
    assert_eq!(world.skills(&heard, remove), Ok(Answer::Done));
    world.pass(5_000);
    assert_eq!(
        world.skills(&heard, json!({"restore": {"id": "helper"}})),
        Ok(Answer::Done),
        "the time of the first is not that of the second"
    );
    assert_eq!(world.listed(&heard, "helper").unwrap().version, "2.0.0");
    world.pass(20_000);
    assert_eq!(world.stored(), 1 + 3, "of the first nothing is left");
}

#[test]
fn switch_of_a_tool_ends_with_going_back_to_a_version_in_which_it_is_another() {
    let (mut world, heard) = on_the_shop();
    let first = world.install(&heard, &package("1.0.0", &read_steps("text")));
    let switch = |on| json!({"switchTool": {"id": "helper", "tool": "read_name", "on": on}});
    world.install(&heard, &package("1.2.0", &read_steps("markdown")));
    assert_eq!(world.skills(&heard, switch(false)), Ok(Answer::Done));
    let back = json!({"rollBack": {"id": "helper", "digest": first.digest}});
    assert_eq!(world.skills(&heard, back), Ok(Answer::Done));
    let listed = world.listed(&heard, "helper").unwrap();
    assert!(
        listed.tools.iter().any(|tool| tool.name == "read_name" && tool.is_on),
        "the switch was another tool's"
    );
}

#[test]
fn name_of_a_skill_that_ships_is_taken_by_what_the_user_made_alone() {
    let mut world = shipping_skill();
    let renamed = world.browser.0.skill_files.borrow()["index.json"].replace("shop-helper", "helper");
    world.browser.0.skill_files.borrow_mut().insert("index.json".to_owned(), renamed);
    let heard = world.panel();
    let review = world.review(&heard, &package("1.0.0", &read_steps("text")));
    let install = |level: &str| json!({"install": {"digest": review.digest, "level": level}});
    assert_eq!(world.skills(&heard, install("imported")), Err(Refusal::SkillShips));
    assert_eq!(world.skills(&heard, install("own")), Ok(Answer::Done), "it did not have to be read again");
}

#[test]
fn case_13_exported_skill_is_the_same_package() {
    let (mut world, heard) = on_the_shop();
    let review = world.install(&heard, &package("1.0.0", &read_steps("text")));
    heard.forget();
    world.ask_json(PANEL, json!({"skills": {"export": {"id": "helper"}}}));
    let messages = heard.0.borrow().clone();
    let zip: String = messages
        .into_iter()
        .filter_map(|message| match message {
            WorkerMessage::Reply(reply) => reply.result.ok(),
            WorkerMessage::Event(_) => None,
        })
        .filter_map(|answer| match answer {
            Answer::Skills(SkillsAnswer::Piece { text }) => Some(text),
            _ => None,
        })
        .collect();
    let again = world.review(&heard, &json!([{"path": "helper-1.0.0.zip", "data": zip}]).to_string());
    assert_eq!(again.digest, review.digest);
    assert!(again.update.unwrap().is_same);
}

#[test]
fn case_14_nothing_but_the_address_that_was_entered_is_requested_and_no_other_host() {
    let (mut world, heard) = on_the_shop();
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD
        .encode("---\nname: notes\ndescription: How to take notes.\n---\n\nTake notes.\n");
    let address = "https://skills.example/notes/SKILL.md";
    world.browser.0.files.borrow_mut().insert(address.to_owned(), Ok(text));
    world.browser.take_told();
    let fetched = world.skills(&heard, json!({"fetch": {"address": address}})).unwrap();
    let Answer::Skills(SkillsAnswer::Offered { offer: SkillOffer::Review(review) }) = fetched else {
        panic!("{fetched:?}")
    };
    assert_eq!((review.id.as_str(), review.tools.len()), ("notes", 0));
    let fetches = |world: &ActorWorld| {
        world.browser.take_told().into_iter().filter(|told| told.starts_with("fetch")).collect::<Vec<_>>()
    };
    assert_eq!(fetches(&world), [format!("fetch {address}")]);
    let page = json!({"fetch": {"address": "https://github.com/someone/skills"}});
    let Ok(Answer::Skills(SkillsAnswer::Offered { offer })) = world.skills(&heard, page) else { panic!() };
    let archive = "https://codeload.github.com/someone/skills/zip/HEAD".to_owned();
    assert_eq!(offer, SkillOffer::LeadsElsewhere { address: archive });
    for address in ["file:///etc/passwd", "chrome://version", "https://skills.example/none"] {
        let answer = world.skills(&heard, json!({"fetch": {"address": address}}));
        let Ok(Answer::Skills(SkillsAnswer::Offered { offer: SkillOffer::NotFetched { .. } })) = answer
        else {
            panic!("{answer:?}")
        };
    }
    assert_eq!(fetches(&world), ["fetch https://skills.example/none"]);
    let moved = "https://skills.example/moved";
    world.browser.0.files.borrow_mut().insert(moved.to_owned(), Err(FileFault::Redirect));
    let answer = world.skills(&heard, json!({"fetch": {"address": moved}}));
    let Ok(Answer::Skills(SkillsAnswer::Offered { offer })) = answer else { panic!("{answer:?}") };
    assert_eq!(offer, SkillOffer::Redirected { address: moved.to_owned() });
    assert_eq!(fetches(&world), [format!("fetch {moved}")], "it is asked once, and nothing else is");
}

#[test]
fn case_23_tools_are_withheld_where_the_page_changed_and_the_probe_is_named() {
    let mut world = ActorWorld::new();
    let mut skill = skill();
    skill["locators"] = json!({"price": {"any": [{"css": "#price"}]}});
    skill["pages"] =
        json!({"list": {"match": ["https://shop.example/*"], "probes": [{"at": "price", "is": "present"}]}});
    skill["tools"][0]["pages"] = json!(["list"]);
    skill["tools"][1]["pages"] = json!(["list"]);
    let definition = serde_json::from_value(skill.clone()).unwrap();
    let files = [
        ("index.json", json!([sidecar_skills::offer::indexed(&definition)])),
        ("shop-helper.tools.json", json!(sidecar_skills::offer::placed(&definition))),
        ("shop-helper.json", skill),
    ];
    *world.browser.0.skill_files.borrow_mut() =
        files.map(|(name, json)| (name.to_owned(), json.to_string())).into();
    let found = |count: u32| {
        let found =
            json!([{"count": count, "n": null, "agrees": true, "visible": count > 0, "enabled": count > 0}]);
        page(json!({"conditions": {"url": "https://shop.example/search", "lang": "en", "found": found}}))
    };
    world.has_documents(found(0));
    let heard = world.panel();
    world.tell_tools(&[]);
    assert_eq!(world.offered(), [PAGE_ACCESS]);
    let listed = world.listed(&heard, "shop-helper").unwrap();
    assert_eq!((listed.state, listed.detail.as_str()), (SkillState::Changed, "list: 1 (price)"));
    // The next turn looks again.
    world.has_documents(found(1));
    assert_eq!(world.offered(), ["buy", "read_price", PAGE_ACCESS]);
    assert_eq!(world.listed(&heard, "shop-helper").unwrap().state, SkillState::Ok);
}
