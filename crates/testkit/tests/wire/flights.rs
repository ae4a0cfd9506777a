//! The conversation of the demo, with a test page that filters as the demo page does.

use serde_json::{Value, json};

use crate::client::{ClientConversation, start};

const TOOLS: &[&str] = &["searchFlights", "setFilters", "listFlights", "resetFilters"];
const SYSTEM: &str = "You help beside a page. Today is 2026-11-21.";

/// A page with five flights on every route.
#[derive(Default)]
struct FlightPage {
    route: Value,
    filters: Value,
    /// How many calls of a tool fail before one succeeds.
    failures: Vec<(&'static str, u32)>,
}

impl FlightPage {
    fn run(&mut self, name: &str, arguments: &str) -> String {
        if let Some((_, left)) =
            self.failures.iter_mut().find(|(failing, left)| *failing == name && *left > 0)
        {
            *left -= 1;
            return "Error: the flight service does not answer (503)".to_owned();
        }
        let input: Value = serde_json::from_str(arguments).unwrap();
        let answer = match name {
            "searchFlights" => {
                self.route = input.clone();
                self.filters = json!({});
                let flights = self.shown();
                json!({"route": {"origin": input["origin"], "destination": input["destination"]},
                       "date": input["date"], "count": flights.len(), "flights": flights})
            }
            "setFilters" => {
                self.filters = input;
                json!({"filters": self.filters, "count": self.shown().len()})
            }
            "listFlights" => {
                let flights = self.shown();
                json!({"route": self.route, "filters": self.filters, "count": flights.len(), "flights": flights})
            }
            other => panic!("the page has no tool {other}"),
        };
        answer.to_string()
    }

    fn shown(&self) -> Vec<Value> {
        [
            ("JW1500", 1480, true, "08:00"),
            ("NL2204", 2310, true, "09:10"),
            ("RC3309", 960, false, "10:20"),
            ("LS4410", 1990, true, "14:30"),
            ("CB5521", 2000, true, "19:40"),
        ]
        .into_iter()
        .filter(|(_, price, direct, _)| {
            self.filters["maxPrice"].as_i64().is_none_or(|most| *price <= most)
                && (*direct || self.filters["directOnly"] != json!(true))
        })
        .map(|(number, price, direct, depart)| {
            json!({"id": number, "airline": "Any Air", "number": number, "depart": depart, "arrive": "23:00",
                       "direct": direct, "price": price})
        })
        .collect()
    }
}

fn parsed(conversation: &ClientConversation) -> Vec<(&str, Value)> {
    conversation
        .calls
        .iter()
        .map(|(name, arguments)| (name.as_str(), serde_json::from_str(arguments).unwrap()))
        .collect()
}

#[test]
fn prompt_of_the_demo_in_both_languages() {
    let server = start();
    let calls = [
        ("searchFlights", json!({"origin": "PEK", "destination": "SHA", "date": "2026-11-22"})),
        ("setFilters", json!({"directOnly": true, "maxPrice": 2000})),
        ("listFlights", json!({"sortBy": "price"})),
    ];

    let mut page = FlightPage::default();
    let mut chinese = ClientConversation::with_system("你是助手。今天是 2026-11-21。");
    let prompt = "帮我搜明天北京到上海的直飞航班，2000 以下";
    let answer = chinese.turn(&server, "flights", TOOLS, prompt, |name, arguments| page.run(name, arguments));
    assert_eq!(parsed(&chinese), calls);
    assert_eq!(
        answer,
        "2026-11-22 从北京到上海的 5 个航班中，有 **3** 个符合条件（直飞，价格不超过 ¥2,000）。按价格从低到高：\n\n\
         - **JW1500** Any Air，08:00 → 23:00，直飞，**¥1,480**\n\
         - **LS4410** Any Air，14:30 → 23:00，直飞，**¥1,990**\n\
         - **CB5521** Any Air，19:40 → 23:00，直飞，**¥2,000**\n\n\
         **推荐：**JW1500，¥1,480，是符合条件的航班里最便宜的，08:00 起飞。"
    );
    assert_eq!(
        chinese.said[..3],
        ["我先搜索 2026-11-22 从北京到上海的航班。", "接下来按你的要求筛选。", "我来读取符合条件的航班。",]
    );

    let mut page = FlightPage::default();
    let mut english = ClientConversation::with_system(SYSTEM);
    let prompt = "Find me direct flights from Beijing to Shanghai tomorrow under 2000";
    let answer = english.turn(&server, "flights", TOOLS, prompt, |name, arguments| page.run(name, arguments));
    assert_eq!(parsed(&english), calls);
    assert_eq!(
        answer,
        "**3** of 5 flights from Beijing to Shanghai on 2026-11-22 match (direct, at most ¥2,000). \
         From the cheapest:\n\n\
         - **JW1500** Any Air, 08:00 → 23:00, direct, **¥1,480**\n\
         - **LS4410** Any Air, 14:30 → 23:00, direct, **¥1,990**\n\
         - **CB5521** Any Air, 19:40 → 23:00, direct, **¥2,000**\n\n\
         **My recommendation:** JW1500 at ¥1,480, the cheapest direct flight, leaving at 08:00."
    );
}

#[test]
fn another_prompt_gives_other_arguments_and_another_answer() {
    let server = start();
    let mut page = FlightPage::default();
    let mut conversation = ClientConversation::with_system(SYSTEM);
    let prompt = "Which flights go from Xi'an to Tokyo on Dec 1?";
    let answer =
        conversation.turn(&server, "flights", TOOLS, prompt, |name, arguments| page.run(name, arguments));
    assert_eq!(
        parsed(&conversation),
        [
            ("searchFlights", json!({"origin": "XIY", "destination": "HND", "date": "2026-12-01"})),
            ("listFlights", json!({"sortBy": "price"})),
        ]
    );
    assert!(answer.starts_with("**5** of 5 flights from Xi'an to Tokyo on 2026-12-01 match."), "{answer}");
    assert!(answer.contains("**My recommendation:** RC3309 at ¥960, the cheapest flight"), "{answer}");

    let prompt = "and at most 500?";
    let answer =
        conversation.turn(&server, "flights", TOOLS, prompt, |name, arguments| page.run(name, arguments));
    assert_eq!(parsed(&conversation)[3], ("setFilters", json!({"maxPrice": 500})));
    assert_eq!(
        answer,
        "None of the 5 flights from Xi'an to Tokyo on 2026-12-01 meets your conditions (at most ¥500).\n\n\
         Without conditions the cheapest costs **¥960**. Shall I look again with other conditions?"
    );
}

#[test]
fn every_condition_becomes_a_filter() {
    let server = start();
    let mut page = FlightPage::default();
    let mut conversation = ClientConversation::with_system(SYSTEM);
    let prompt = "Nonstop with Red Crane from Beijing to Sanya tomorrow afternoon, up to 1,800 yuan";
    let answer =
        conversation.turn(&server, "flights", TOOLS, prompt, |name, arguments| page.run(name, arguments));
    assert_eq!(
        parsed(&conversation)[1],
        (
            "setFilters",
            json!({"directOnly": true, "maxPrice": 1800, "airline": "Red Crane", "departAfter": "12:00",
                   "departBefore": "18:00"})
        )
    );
    let conditions = "(direct, at most ¥1,800, with Red Crane, leaving after 12:00, leaving before 18:00)";
    assert!(answer.contains(conditions), "{answer}");
}

#[test]
fn failing_tool_is_tried_once_more() {
    let server = start();
    for failing in ["searchFlights", "setFilters", "listFlights"] {
        let mut page = FlightPage { failures: vec![(failing, 1)], ..FlightPage::default() };
        let mut conversation = ClientConversation::with_system(SYSTEM);
        let prompt = "后天从深圳去成都，1500以内";
        let answer =
            conversation.turn(&server, "flights", TOOLS, prompt, |name, arguments| page.run(name, arguments));
        let mut expected = vec!["searchFlights", "setFilters", "listFlights"];
        let place = expected.iter().position(|name| *name == failing).unwrap();
        expected.insert(place, failing);
        assert_eq!(conversation.called(), expected);
        assert!(conversation.said[place + 1].contains("再"), "{:?}", conversation.said);
        assert!(answer.contains("有 **2** 个符合条件（价格不超过 ¥1,500）。"), "{answer}");
    }
}

#[test]
fn broken_tool_is_reported() {
    let server = start();
    for broken in ["searchFlights", "setFilters", "listFlights"] {
        let mut page = FlightPage { failures: vec![(broken, 9)], ..FlightPage::default() };
        let mut conversation = ClientConversation::with_system(SYSTEM);
        let prompt = "direct flights from Wuhan to Sanya tomorrow";
        let answer =
            conversation.turn(&server, "flights", TOOLS, prompt, |name, arguments| page.run(name, arguments));
        assert_eq!(conversation.called().iter().filter(|name| **name == broken).count(), 2);
        assert_eq!(conversation.called().last(), Some(&broken));
        assert_eq!(
            answer,
            format!(
                "The search did not work: the page's tool {broken} failed twice. It said: “Error: the flight service \
                 does not answer (503)”. Nothing was found, so I have nothing to recommend."
            )
        );
    }
}

#[test]
fn declined_call_is_not_repeated() {
    let server = start();
    let mut conversation = ClientConversation::with_system(SYSTEM);
    let prompt = "flights from Wuhan to Sanya tomorrow";
    let answer = conversation
        .turn(&server, "flights", TOOLS, prompt, |_, _| "The user declined this call.".to_owned());
    assert_eq!(conversation.called(), ["searchFlights"]);
    assert_eq!(
        answer,
        "All right, I will not call searchFlights. Without it I cannot go on with the search."
    );
}

#[test]
fn says_what_it_lacks() {
    let server = start();
    let say = |tools: &[&str], prompt: &str| {
        let mut conversation = ClientConversation::with_system(SYSTEM);
        conversation.turn(&server, "flights", tools, prompt, |name, _| panic!("{name} was called"))
    };
    assert_eq!(
        say(&["searchFlights"], "flights from Wuhan to Sanya tomorrow"),
        "I cannot search flights here: this page does not offer the tool listFlights. Open a flight search page that \
         offers its tools, and ask me again."
    );
    assert!(
        say(&[], "明天武汉到三亚的航班")
            .starts_with("我没法在这里搜航班：当前页面没有提供工具 searchFlights、listFlights。")
    );
    assert!(
        say(TOOLS, "flights to Atlantis tomorrow")
            .starts_with("From which city to which city would you like to fly? I understood neither of the two. I know Beijing,")
    );
    assert!(
        say(TOOLS, "明天去三亚的航班")
            .starts_with("请问从哪个城市飞到哪个城市？我只听懂了要去三亚。我认识的城市有：北京、")
    );
    assert_eq!(
        say(TOOLS, "flights from Wuhan to Sanya"),
        "On which day would you like to fly from Wuhan to Sanya?"
    );
}
