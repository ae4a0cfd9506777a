use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures::channel::mpsc::unbounded;
use futures::executor::block_on;
use serde_json::{Value, json};
use sidecar_llm::Endpoint;
use sidecar_protocol::DocumentId;
use sidecar_protocol::page::{FailureCode, InteractionKind, InteractionPhase};
use sidecar_protocol::policy::Policy;
use sidecar_protocol::settings::{Language, Limits, Price};
use sidecar_protocol::thread::{
    Activity, AnswerState, Item, ItemKind, Repair, Stuck, ToolFailure, ToolState, Without,
};

use super::*;
use crate::log::PageRef;
use crate::resume::{self, after_death};
use crate::testing::{Disk, Does, Page, Reply, SCHEMA, Service, VirtualClock, connection, keys, rules};
use crate::view;

mod approvals;
mod compaction;
mod deaths;
mod guard;
mod limits;
mod names;
mod new_pages;
mod patterns;
mod questions;
mod repeats;
mod settled;
mod streams;
mod versions;

/// A whole world around one thread.
struct World {
    connection: Connection,
    rules: Rules,
    log: Vec<Entry>,
    tools: BTreeMap<&'static str, (bool, Does)>,
    room: Option<usize>,
    asked: Rc<RefCell<Vec<Value>>>,
    ran: Rc<RefCell<Vec<(String, String)>>>,
    /// What the user said of tools.
    policies: Rc<RefCell<BTreeMap<&'static str, Policy>>>,
    /// What the page says of its tools; empty for what it says in other tests.
    described: String,
    schema: &'static str,
    /// Tools of another origin.
    elsewhere: Vec<&'static str>,
    /// Tools that come only once the page was looked at so often.
    late: BTreeMap<&'static str, u32>,
    /// At which look at the page the user stops.
    stop_at: Option<u32>,
    drafts: Rc<RefCell<Vec<String>>>,
    grew: String,
    time: Timestamp,
    /// What sets the ids that are made apart from others.
    nonce: &'static str,
    /// What the server says of its model, and what of that was told.
    takes_tools: Option<bool>,
    learnt: Vec<bool>,
    /// When calls were said to be given up.
    deadlines: Vec<Option<Timestamp>>,
}

impl World {
    fn new() -> Self {
        let ok = |text: &str| Does::Returns(ToolOutcome::ok(text));
        Self {
            connection: connection(),
            rules: rules(),
            log: Vec::new(),
            tools: BTreeMap::from([
                ("search", (false, ok("5 flights"))),
                ("list", (true, ok("CA1883"))),
                ("hang", (false, Does::Hangs)),
            ]),
            room: None,
            asked: Rc::default(),
            ran: Rc::default(),
            policies: Rc::default(),
            described: String::new(),
            schema: SCHEMA,
            elsewhere: Vec::new(),
            late: BTreeMap::new(),
            stop_at: None,
            drafts: Rc::default(),
            grew: String::new(),
            time: 1_000_000,
            nonce: "",
            takes_tools: None,
            learnt: Vec::new(),
            deadlines: Vec::new(),
        }
    }

    /// The user speaks, and says this when asked about a call; runs until rest.
    fn say(&mut self, text: &str, when_asked: &[TurnCommand], replies: Vec<Reply>) -> Result<(), StoreError> {
        let turn = format!("t{}", self.log.len()).as_str().into();
        let event = Event::TurnStarted {
            turn,
            text: text.to_owned(),
            attached: Vec::new(),
            page: PageRef::default(),
        };
        self.log.push(Entry { at: self.time, event });
        self.go_on(when_asked, replies)
    }

    fn continue_turn(&mut self, replies: Vec<Reply>) -> Result<(), StoreError> {
        self.continue_without(None, replies)
    }

    fn continue_without(&mut self, without: Option<Without>, replies: Vec<Reply>) -> Result<(), StoreError> {
        let event = Event::TurnContinued { page: PageRef::default(), without };
        self.log.push(Entry { at: self.time, event });
        self.go_on(&[], replies)
    }

    fn go_on(&mut self, when_asked: &[TurnCommand], replies: Vec<Reply>) -> Result<(), StoreError> {
        let (user, mut inbox) = unbounded();
        let ports = Ports {
            transport: Service {
                replies: RefCell::new(replies.into()),
                asked: self.asked.clone(),
                user: user.clone(),
                takes_tools: self.takes_tools,
                keys: keys(),
            },
            tools: Page {
                tools: std::mem::take(&mut self.tools),
                ran: self.ran.clone(),
                policies: self.policies.clone(),
                described: self.described.clone(),
                schema: self.schema,
                elsewhere: self.elsewhere.clone(),
                late: self.late.clone(),
                looks: Cell::new(0),
                stop_at: self.stop_at,
                user: user.clone(),
            },
            store: Disk {
                entries: Rc::new(RefCell::new(self.log.clone())),
                drafts: self.drafts.clone(),
                room: Cell::new(self.room),
            },
            clock: VirtualClock(Cell::new(self.time), self.nonce),
        };
        let mut grew = String::new();
        let (mut learnt, mut deadlines) = (Vec::new(), Vec::new());
        let mut tell = |told: Told<'_>| match told {
            Told::Grew { reasoning, text } => grew.push_str(&format!("{reasoning}|{text};")),
            Told::Appended(Entry { event: Event::ApprovalAsked { .. }, .. }) => {
                when_asked.iter().for_each(|command| user.unbounded_send(command.clone()).unwrap());
            }
            Told::Appended(_) => {}
            Told::TakesTools(takes) => learnt.push(takes),
            Told::TimeRunsOut(until) => deadlines.push(until),
        };
        let result =
            block_on(run(&mut self.log, &self.connection, &self.rules, &ports, &mut inbox, &mut tell));
        assert_eq!(*ports.store.entries.borrow(), self.log, "what is in memory is on the disk");
        assert!(ports.transport.replies.borrow().is_empty(), "every reply was asked for");
        self.grew = grew;
        self.learnt = learnt;
        self.deadlines = deadlines;
        self.time = ports.clock.0.get();
        self.tools = ports.tools.tools;
        result
    }

    fn rest(&self) -> Rest {
        match &self.log.last().unwrap().event {
            Event::TurnRested { rest } => rest.clone(),
            other => panic!("the turn does not rest: {other:?}"),
        }
    }

    fn outcomes(&self) -> Vec<ToolOutcome> {
        let outcome = |entry: &Entry| match &entry.event {
            Event::ToolFinished { outcome, .. } => Some(outcome.clone()),
            _ => None,
        };
        self.log.iter().filter_map(outcome).collect()
    }

    fn events(&self) -> Vec<&'static str> {
        let name = |entry: &Entry| match &entry.event {
            Event::TurnStarted { .. } => "started",
            Event::TurnContinued { .. } => "continued",
            Event::TurnRevived { .. } => "revived",
            Event::Rewound { .. } => "rewound",
            Event::SummaryAsked { .. } => "summary asked",
            Event::Compacted { .. } => "compacted",
            Event::CompactionUndone => "compaction undone",
            Event::ModelAsked { .. } => "asked",
            Event::ModelAnswered { .. } => "answered",
            Event::ModelFailed { .. } => "failed",
            Event::ApprovalAsked { .. } => "approval asked",
            Event::ApprovalMistaken { .. } => "approval mistaken",
            Event::ApprovalGiven { .. } => "approval given",
            Event::ToolStarted { .. } => "tool started",
            Event::WaitStarted { .. } => "wait started",
            Event::WaitEnded { .. } => "wait ended",
            Event::ResultCut { .. } => "result cut",
            Event::Suspected { .. } => "suspected",
            Event::GuardLifted => "guard lifted",
            Event::FlowAllowed { .. } => "flow allowed",
            Event::ToolFinished { .. } => "tool finished",
            Event::TurnRested { .. } => "rested",
        };
        self.log.iter().map(name).collect()
    }

    fn ran(&self) -> Vec<String> {
        self.ran.borrow().iter().map(|(name, _)| name.clone()).collect()
    }

    fn last_messages(&self) -> Value {
        self.asked.borrow().last().unwrap()["messages"].clone()
    }
}

/// What the page of the tools says, as a model reads it.
fn data(text: &str) -> String {
    crate::frame::framed("https://flights.example", text)
}

fn ok(text: &str) -> ToolOutcome {
    ToolOutcome::ok(text)
}

fn busy() -> Reply {
    Reply::Body(429, vec![("retry-after", "2")], r#"{"error":{"message":"slow down"}}"#.to_owned())
}

#[test]
fn a_turn_calls_tools_in_order_and_answers() {
    let mut world = World::new();
    let replies = vec![
        Reply::stream("Hm.", "I search.", &[("c1", "search", r#"{"to":"SHA"}"#), ("c2", "list", "{}")]),
        Reply::stream("", "**CA1883** it is.", &[]),
    ];
    world.say("Find a flight", &[], replies).unwrap();

    let expected = [
        "started",
        "asked",
        "answered",
        "tool started",
        "tool finished",
        "tool started",
        "tool finished",
        "asked",
        "answered",
        "rested",
    ];
    assert_eq!(world.events(), expected);
    assert_eq!(world.rest(), Rest::Done);
    let ran = vec![("search".to_owned(), r#"{"to":"SHA"}"#.to_owned()), ("list".to_owned(), "{}".to_owned())];
    assert_eq!(*world.ran.borrow(), ran);
    assert_eq!(world.grew, "Hm.|I search.;|**CA1883** it is.;");

    let messages = world.last_messages();
    assert_eq!(messages[0]["role"], "system");
    assert_eq!(
        messages.as_array().unwrap()[1..],
        [
            json!({"role": "user", "content": "Find a flight"}),
            json!({"role": "assistant", "content": "I search.", "reasoning_content": "Hm.", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "search", "arguments": r#"{"to":"SHA"}"#}},
                {"id": "c2", "type": "function", "function": {"name": "list", "arguments": "{}"}},
            ]}),
            json!({"role": "tool", "tool_call_id": "c1", "content": data("5 flights")}),
            json!({"role": "tool", "tool_call_id": "c2", "content": data("CA1883")}),
        ]
    );
    // The three of the page, and the agent's own.
    assert_eq!(world.asked.borrow()[0]["tools"].as_array().unwrap().len(), 4);

    let kinds: Vec<_> = view::items(&world.log, None)
        .into_iter()
        .map(|item| match item.kind {
            ItemKind::User { text, .. } => text,
            ItemKind::Assistant { reasoning, text, state, .. } => format!("{state:?}: ({reasoning}) {text}"),
            ItemKind::Tool(tool) => match tool.state {
                ToolState::Finished { outcome, .. } => format!("{} on {}: {outcome:?}", tool.name, tool.site),
                other => panic!("unfinished: {other:?}"),
            },
            ItemKind::Retry { .. } => "retry".to_owned(),
            ItemKind::Guard { tool, .. } => format!("on guard for {tool}"),
            ItemKind::LeftOut { what } => format!("{what:?}"),
            ItemKind::Versions { version, of, .. } => format!("{version} of {of}"),
            ItemKind::Compacted { how, .. } => format!("{how:?}"),
            ItemKind::Rest { rest, .. } => format!("{rest:?}"),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "Find a flight",
            "Done: (Hm.) I search.",
            r#"search on flights.example: Ok { content: [Text("5 flights")], page: Stayed }"#,
            r#"list on flights.example: Ok { content: [Text("CA1883")], page: Stayed }"#,
            "Done: () **CA1883** it is.",
            "Done",
        ]
    );
}

#[test]
fn stopping_a_stream_keeps_what_was_said_and_continuing_goes_on_from_it() {
    let mut world = World::new();
    let said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half an\"}}]}\n\n".to_owned();
    world.say("Talk", &[], vec![Reply::Hangs(said, TurnCommand::Stop)]).unwrap();
    assert_eq!(world.rest(), Rest::Stopped);
    let items = view::items(&world.log, None);
    assert!(
        matches!(&items[1].kind, ItemKind::Assistant { text, state: AnswerState::Stopped, .. } if text == "Half an")
    );

    world.continue_turn(vec![Reply::stream("", " answer.", &[])]).unwrap();
    assert_eq!(world.rest(), Rest::Done);
    let messages = world.last_messages();
    let last_two = &messages.as_array().unwrap()[2..];
    assert_eq!(last_two[0]["content"], "Half an");
    assert_eq!(last_two[1], json!({"role": "user", "content": "Please go on."}));
}

#[test]
fn stopping_a_tool_cancels_it_and_those_behind_it() {
    let mut world = World::new();
    world.tools.insert("hang", (false, Does::Meanwhile(vec![TurnCommand::Stop])));
    let replies = vec![Reply::stream("", "", &[("a", "hang", "{}"), ("b", "list", "{}")])];
    world.say("Go", &[], replies).unwrap();
    assert_eq!(world.outcomes(), [ToolOutcome::Cancelled, ToolOutcome::Cancelled]);
    assert_eq!((world.ran(), world.rest()), (vec!["hang".to_owned()], Rest::Stopped));
}

#[test]
fn a_tool_that_takes_too_long_is_given_up_and_the_model_is_told() {
    let mut world = World::new();
    let replies = vec![Reply::stream("", "", &[("a", "hang", "{}")]), Reply::stream("", "It hangs.", &[])];
    world.say("Go", &[], replies).unwrap();
    assert_eq!(world.outcomes(), [ToolOutcome::TimedOut { limit_ms: 10_000 }]);
    let told = world.last_messages()[3]["content"].as_str().unwrap().to_owned();
    assert!(told.starts_with("Error: no result after 10 s"), "{told}");
}

/// What the page says of its waiting in the first call of the first answer.
fn page_says(document: &str, phase: InteractionPhase) -> TurnCommand {
    let (document, call) = (DocumentId::from(document), CallId::from("t0.2.0"));
    TurnCommand::Interaction(Interaction { document, call, phase, kind: InteractionKind::Form })
}

#[test]
fn while_the_page_waits_for_the_user_time_stands_still_and_stop_is_heard() {
    let mut world = World::new();
    let commands = vec![page_says("doc", InteractionPhase::Started), TurnCommand::Stop];
    world.tools.insert("hang", (false, Does::Meanwhile(commands)));
    world.say("Go", &[], vec![Reply::stream("", "", &[("a", "hang", "{}")])]).unwrap();
    assert_eq!(world.events()[3..], ["tool started", "wait started", "tool finished", "rested"]);
    assert_eq!((world.outcomes(), world.rest()), (vec![ToolOutcome::Cancelled], Rest::Stopped));

    let until_wait = &world.log[..5];
    assert_eq!(resume::activity(until_wait), Activity::Waiting);
    let states: Vec<ToolState> = (4..7)
        .filter_map(|entries| match view::items(&world.log[..entries], None).pop()?.kind {
            ItemKind::Tool(tool) => Some(tool.state),
            _ => None,
        })
        .collect();
    assert!(matches!(states[0], ToolState::Running { .. }));
    assert!(matches!(states[1], ToolState::Waiting { kind: InteractionKind::Form, ran_ms: 1..1000 }));
    assert!(matches!(states[2], ToolState::Finished { duration_ms: 1..1000, .. }));
    assert!(matches!(
        after_death(until_wait, None)[0],
        Event::ToolFinished { outcome: ToolOutcome::Interrupted, .. }
    ));
}

#[test]
fn after_the_wait_time_goes_on_where_it_stood() {
    let mut world = World::new();
    let phases = [InteractionPhase::Started, InteractionPhase::Ended];
    let commands = phases.map(|phase| page_says("doc", phase)).to_vec();
    world.tools.insert("hang", (false, Does::Meanwhile(commands)));
    let replies = vec![Reply::stream("", "", &[("a", "hang", "{}")]), Reply::stream("", "It hangs.", &[])];
    world.say("Go", &[], replies).unwrap();
    assert_eq!(world.events()[3..7], ["tool started", "wait started", "wait ended", "tool finished"]);
    assert_eq!(world.outcomes(), [ToolOutcome::TimedOut { limit_ms: 10_000 }]);
    let ItemKind::Tool(tool) = view::items(&world.log[..6], None).pop().unwrap().kind else {
        panic!("the call is shown last");
    };
    assert!(matches!(tool.state, ToolState::Running { since, .. } if since > world.log[3].at));
}

#[test]
fn another_page_cannot_stop_the_time() {
    let mut world = World::new();
    let commands = vec![page_says("another", InteractionPhase::Started)];
    world.tools.insert("hang", (false, Does::Meanwhile(commands)));
    let replies = vec![Reply::stream("", "", &[("a", "hang", "{}")]), Reply::stream("", "It hangs.", &[])];
    world.say("Go", &[], replies).unwrap();
    assert_eq!(world.outcomes(), [ToolOutcome::TimedOut { limit_ms: 10_000 }]);
    assert!(!world.events().contains(&"wait started"));
}

#[test]
fn confirm_mode_asks_about_tools_that_act_and_only_about_them() {
    for (decision, outcome) in [(Decision::Run, ok("5 flights")), (Decision::Decline, ToolOutcome::Declined)]
    {
        let mut world = World::new();
        world.rules.mode = Mode::Confirm;
        let replies = vec![
            Reply::stream("", "", &[("a", "list", "{}"), ("b", "search", "{}")]),
            Reply::stream("", "Fine.", &[]),
        ];
        // The first decision is about another call and must not count.
        let commands = [
            TurnCommand::Decide("t0.2.0".into(), Decision::Run.into()),
            TurnCommand::Decide("t0.2.1".into(), decision.into()),
        ];
        world.say("Go", &commands, replies).unwrap();
        assert_eq!(world.outcomes(), [ok("CA1883"), outcome]);
        assert_eq!(world.events().iter().filter(|name| **name == "approval asked").count(), 1);
        assert_eq!(world.ran().contains(&"search".to_owned()), decision == Decision::Run);
        assert_eq!(world.rest(), Rest::Done);
    }
}

#[test]
fn a_tool_that_changed_while_the_user_was_asked_does_not_run() {
    let mut world = World::new();
    world.rules.mode = Mode::Confirm;
    world.tools.insert("shifty", (false, Does::Returns(ok("Paid."))));
    let replies = vec![Reply::stream("", "", &[("a", "shifty", "{}")]), Reply::stream("", "I see.", &[])];
    world.say("Go", &[TurnCommand::Decide("t0.2.0".into(), Decision::Run.into())], replies).unwrap();
    let message = String::new();
    assert_eq!(world.outcomes(), [ToolOutcome::Failed { code: ToolFailure::Changed, message }]);
    assert_eq!((world.ran(), world.rest()), (Vec::<String>::new(), Rest::Done));
    assert!(world.last_messages()[3]["content"].as_str().unwrap().contains("changed this tool"));
}

#[test]
fn the_call_limit_pauses_and_continuing_runs_the_call_that_waited() {
    let mut world = World::new();
    world.rules.limits.tool_calls = 2;
    let three = [("a", "list", "{}"), ("b", "list", r#"{"seats":1}"#), ("c", "search", "{}")];
    world.say("Go", &[], vec![Reply::stream("", "", &three)]).unwrap();
    assert_eq!(world.rest(), Rest::CallLimit { limit: 2 });
    assert_eq!(world.ran(), ["list", "list"]);
    world.continue_turn(vec![Reply::stream("", "Done.", &[])]).unwrap();
    assert_eq!((world.ran().len(), world.rest()), (3, Rest::Done));
}

#[test]
fn the_time_limit_counts_the_time_of_tools_only() {
    let mut world = World::new();
    world.rules.limits.turn_seconds = 15;
    let hang = |id| Reply::stream("long thoughts", "", &[(id, "hang", "{}")]);
    world.say("Go", &[], vec![hang("a"), hang("b"), hang("c")]).unwrap();
    assert_eq!(world.rest(), Rest::TimeLimit { limit_ms: 15_000 });
    assert_eq!(world.ran().len(), 2);
}

#[test]
fn a_busy_service_is_asked_again_visibly_and_not_for_ever() {
    let mut world = World::new();
    let before = world.time;
    world.say("Go", &[], vec![busy(), Reply::stream("", "Here.", &[])]).unwrap();
    assert_eq!(world.events(), ["started", "asked", "failed", "asked", "answered", "rested"]);
    assert!(world.time - before >= 2000, "it waited as long as it was told to");
    let waiting = view::items(&world.log[..3], None);
    assert!(matches!(waiting.last().unwrap().kind, ItemKind::Retry { attempt: 1, .. }), "{waiting:?}");
    assert_eq!(view::items(&world.log, None).len(), 3, "the wait is no longer shown when it is over");

    let mut world = World::new();
    world.say("Go", &[], (0..sidecar_llm::MAX_ATTEMPTS).map(|_| busy()).collect()).unwrap();
    let Rest::Failed { error } = world.rest() else { panic!("{:?}", world.rest()) };
    assert_eq!((error.class, error.status), (ErrorClass::Rate, Some(429)));
    // The user may try again, with as many attempts as before.
    world.continue_turn(vec![busy(), Reply::stream("", "Here.", &[])]).unwrap();
    assert_eq!(world.rest(), Rest::Done);
}

#[test]
fn a_field_that_the_service_refuses_is_left_out_once_and_for_all() {
    let refusal = |field: &str| {
        let body = json!({"error": {"message": format!("Unsupported parameter: '{field}'"), "param": field}});
        Reply::Body(400, Vec::new(), body.to_string())
    };
    let mut world = World::new();
    world.connection.temperature = Some(0.5);
    world.say("Go", &[], vec![refusal("temperature"), Reply::stream("", "Here.", &[])]).unwrap();
    let sent = |n: usize| world.asked.borrow()[n].get("temperature").is_some();
    assert_eq!((sent(0), sent(1), world.rest()), (true, false, Rest::Done));

    // In this thread it is known from now on. A service that goes on refusing the same is not asked for ever.
    world.say("More", &[], vec![refusal("temperature")]).unwrap();
    assert!(world.asked.borrow()[2].get("temperature").is_none());
    assert!(matches!(world.rest(), Rest::Failed { error } if error.code() == "field"));

    // Another model may take it.
    world.connection.model = "deepseek-v4-pro".to_owned();
    world.say("And now?", &[], vec![Reply::stream("", "Yes.", &[])]).unwrap();
    assert!(world.asked.borrow()[3].get("temperature").is_some());
}

#[test]
fn a_model_without_tools_writes_its_calls_and_nobody_is_asked_about_that() {
    let mut world = World::new();
    let refused = json!({"error": {"message": "registry/x does not support tools"}}).to_string();
    let call = "I search.\n\n```json\n{\"name\": \"search\", \"arguments\": {\"seats\": 2}}\n```";
    let replies = vec![
        Reply::Body(400, Vec::new(), refused),
        Reply::stream("", call, &[]),
        Reply::stream("", "There are 5 flights.", &[]),
    ];
    world.say("Go", &[], replies).unwrap();
    assert_eq!((world.outcomes(), world.rest()), (vec![ok("5 flights")], Rest::Done));
    assert!(!world.events().contains(&"approval asked"));
    let asked = world.asked.borrow();
    assert!(asked[0].get("tools").is_some() && asked[1].get("tools").is_none());
    let messages = asked[2]["messages"].to_string();
    assert!(messages.contains("Result of `search`") && !messages.contains("tool_call_id"), "{messages}");
}

#[test]
fn stopping_stops_before_anything_further_begins() {
    // While a retry is waited for.
    let mut world = World::new();
    world.say("Go", &[], vec![Reply::Meanwhile(TurnCommand::Stop, Box::new(busy()))]).unwrap();
    assert_eq!((world.rest(), world.asked.borrow().len()), (Rest::Stopped, 1));

    // Just as an answer arrives that wants a tool.
    let mut world = World::new();
    let answer = Box::new(Reply::stream("", "", &[("a", "search", "{}")]));
    world.say("Go", &[], vec![Reply::Meanwhile(TurnCommand::Stop, answer)]).unwrap();
    assert_eq!((world.rest(), world.ran()), (Rest::Stopped, Vec::<String>::new()));

    // While a decision is awaited.
    let mut world = World::new();
    world.rules.mode = Mode::Confirm;
    world.say("Go", &[TurnCommand::Stop], vec![Reply::stream("", "", &[("a", "search", "{}")])]).unwrap();
    assert_eq!((world.rest(), world.outcomes()), (Rest::Stopped, vec![ToolOutcome::Cancelled]));
}

#[test]
fn failures_of_the_model_end_the_turn_with_their_reason() {
    for (reply, class) in [
        (Reply::Refused(ModelError::new(ErrorClass::NoKey, "")), ErrorClass::NoKey),
        (Reply::Refused(ModelError::new(ErrorClass::Network, "refused")), ErrorClass::Network),
        (Reply::Body(401, Vec::new(), r#"{"error":{"message":"bad key"}}"#.to_owned()), ErrorClass::Auth),
        (Reply::Body(402, Vec::new(), String::new()), ErrorClass::Money),
        (
            Reply::Body(
                200,
                Vec::new(),
                "data: {\"choices\":[{\"delta\":{\"content\":\"Hal\"}}]}\n\n".to_owned(),
            ),
            ErrorClass::StreamCut,
        ),
    ] {
        let mut world = World::new();
        world.say("Go", &[], vec![reply]).unwrap();
        let Rest::Failed { error } = world.rest() else { panic!("{:?}", world.rest()) };
        assert_eq!(error.class, class);
        let shown = view::items(&world.log, None);
        assert_eq!(
            shown.len(),
            if class == ErrorClass::StreamCut { 3 } else { 2 },
            "what was said stays: {shown:?}"
        );
    }
}

#[test]
fn mistakes_of_the_model_are_answered_and_nothing_runs() {
    let mut world = World::new();
    let calls = [
        ("a", "fly", "{}"),
        ("b", "search", "[1]"),
        ("c", "search", "{\"to\":"),
        ("d", "search", r#"{"seats":"two"}"#),
    ];
    world.say("Go", &[], vec![Reply::stream("", "", &calls), Reply::stream("", "Sorry.", &[])]).unwrap();
    let codes: Vec<_> = world
        .outcomes()
        .into_iter()
        .map(|outcome| match outcome {
            ToolOutcome::Failed { code, .. } => code,
            other => panic!("{other:?}"),
        })
        .collect();
    let bad = ToolFailure::BadArguments;
    assert_eq!(codes, [ToolFailure::UnknownTool, bad, bad, bad]);
    assert_eq!(world.ran(), Vec::<String>::new());
    let messages = world.last_messages();
    assert_eq!(
        messages[3]["content"],
        "Error: There is no tool named \"fly\". The tools are: hang, list, search. Use only the tools you were given."
    );
    assert_eq!(messages[3]["tool_call_id"], "a");
    assert_eq!(
        messages[6]["content"],
        "Error: The arguments do not fit the tool's input schema: seats: expected an integer, but got the string \"two\". \
         The tool did not run. Call it again with valid arguments."
    );
}

#[test]
fn a_page_that_throws_is_quoted_to_the_model() {
    let mut world = World::new();
    let message = "no such airport: XXX".to_owned();
    let thrown = ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Threw), message };
    world.tools.insert("search", (false, Does::Returns(thrown)));
    world
        .say("Go", &[], vec![Reply::stream("", "", &[("a", "search", "{}")]), Reply::stream("", "Hm.", &[])])
        .unwrap();
    assert_eq!(world.last_messages()[3]["content"], format!("Error: {}", data("no such airport: XXX")));
}

#[test]
fn a_result_that_tells_a_failure_counts_as_one_and_stays_in_the_log() {
    let mut world = World::new();
    let raw = r#"{"content":[{"type":"text","text":"No seats."}],"isError":true}"#;
    world.tools.insert("search", (false, Does::Returns(ok(raw))));
    world
        .say("Go", &[], vec![Reply::stream("", "", &[("a", "search", "{}")]), Reply::stream("", "Hm.", &[])])
        .unwrap();
    assert_eq!(world.outcomes(), [ok(raw)]);
    assert_eq!(world.last_messages()[3]["content"], format!("Error: {}", data("No seats.")));
    let state = view::items(&world.log, None).into_iter().find_map(|item| match item.kind {
        ItemKind::Tool(tool) => Some(tool.state),
        _ => None,
    });
    let code = ToolFailure::Page(FailureCode::Threw);
    let outcome = ToolOutcome::Failed { code, message: "No seats.".to_owned() };
    assert_eq!(state, Some(ToolState::Finished { outcome, duration_ms: 200, raw: Some(raw.to_owned()) }));
}

#[test]
fn nothing_runs_that_could_not_be_logged_first() {
    let mut world = World::new();
    world.room = Some(3);
    let result = world.say("Go", &[], vec![Reply::stream("", "", &[("a", "search", "{}")])]);
    assert_eq!(result, Err(StoreError("QuotaExceededError".to_owned())));
    assert_eq!((world.events(), world.ran()), (vec!["started", "asked", "answered"], Vec::new()));
}

#[test]
fn a_death_at_any_entry_is_survived_and_no_acting_tool_runs_twice() {
    let replies = || {
        vec![
            Reply::stream("Hm.", "First.", &[("a", "search", "{}"), ("b", "list", "{}")]),
            Reply::stream("", "Done.", &[]),
        ]
    };
    let mut whole = World::new();
    whole.say("Go", &[], replies()).unwrap();
    for cut in 1..whole.log.len() {
        let mut world = World::new();
        world.log = whole.log[..cut].to_vec();
        let started = |name: &str| {
            let target = |entry: &Entry| match &entry.event {
                Event::ModelAnswered { calls, .. } => Some(calls.clone()),
                _ => None,
            };
            let calls: Vec<Call> = world.log.iter().filter_map(target).flatten().collect();
            calls.iter().any(|call| {
                call.record.name == name
                    && world.log.iter().any(
                        |entry| matches!(&entry.event, Event::ToolStarted { call: of, .. } if *of == call.id),
                    )
            })
        };
        let search_may_have_run = started("search");
        let death = after_death(&world.log, Some(("Hm.".to_owned(), "Fir".to_owned())));
        world.log.extend(death.into_iter().map(|event| Entry { at: 0, event }));
        assert_eq!(world.rest(), Rest::Interrupted);
        assert!(after_death(&world.log, None).is_empty(), "a thread that rests needs nothing");

        let answered = world.events().iter().filter(|name| **name == "answered").count();
        // A whole answer without calls is not asked for again until the user speaks; the continuation asks once more.
        let left = replies().into_iter().skip(answered.min(1)).collect();
        world.continue_turn(left).unwrap();
        assert_eq!(world.rest(), Rest::Done, "cut at {cut}");
        let times = world.ran().iter().filter(|name| *name == "search").count();
        assert_eq!(times, usize::from(!search_may_have_run), "cut at {cut}: {:?}", world.ran());
    }
}

#[test]
fn growing_answers_are_saved_on_the_way() {
    let mut world = World::new();
    let said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half\"}}]}\n\n".to_owned();
    world.say("Talk", &[], vec![Reply::Hangs(said, TurnCommand::Stop)]).unwrap();
    // The user stops at once: nothing was due to be saved yet, and what was said is in the log.
    assert_eq!(world.drafts.borrow().len(), 0);

    // A stream that falls silent: what it said is saved while the silence lasts.
    let mut world = World::new();
    let said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half\"}}]}\n\n".to_owned();
    world.say("Talk", &[], vec![Reply::Silence(200, said)]).unwrap();
    assert_eq!(*world.drafts.borrow(), ["|Half"]);
    let Rest::Failed { error } = world.rest() else { panic!("{:?}", world.rest()) };
    assert_eq!(error.message, "no sign of life for 180 s");
    let events = after_death(&world.log[..2], Some((String::new(), "Half".to_owned())));
    let Event::ModelFailed { text, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(text, "Half");
}

#[test]
fn a_service_that_says_nothing_is_given_up() {
    let mut world = World::new();
    world.say("Talk", &[], vec![Reply::Nothing]).unwrap();
    let Rest::Failed { error } = world.rest() else { panic!("{:?}", world.rest()) };
    assert_eq!(error.message, "no sign of life for 180 s");

    // What has come of the words of a refusal must do.
    let mut world = World::new();
    let said = r#"{"error": {"message": "no such model"}}"#.to_owned();
    world.say("Talk", &[], vec![Reply::Silence(404, said)]).unwrap();
    let Rest::Failed { error } = world.rest() else { panic!("{:?}", world.rest()) };
    assert_eq!((error.status, error.message.as_str()), (Some(404), "no such model"));
}

#[test]
fn the_system_prompt_speaks_the_language_of_the_panel_and_knows_the_mode() {
    for (language, mode, has, has_not) in [
        (Language::English, Mode::Automatic, "Rules:", "5."),
        (Language::English, Mode::Confirm, "5. Other tools", "规则"),
        (Language::Chinese, Mode::Automatic, "规则：", "5."),
        (Language::Chinese, Mode::Confirm, "5. 其他工具", "Rules"),
    ] {
        let mut world = World::new();
        (world.rules.language, world.rules.mode) = (language, mode);
        world.say("Go", &[], vec![Reply::stream("", "Hi.", &[])]).unwrap();
        let messages = world.last_messages();
        let text = messages[0]["content"].as_str().unwrap();
        assert!(
            text.contains(has) && !text.contains(has_not) && text.contains("2026-11-21 (Saturday)"),
            "{text}"
        );
    }
}

#[test]
fn reaching_for_the_brake_holds_for_the_turn_that_runs() {
    let mut world = World::new();
    let answer = Box::new(Reply::stream("", "", &[("a", "search", "{}")]));
    let replies = vec![
        Reply::Meanwhile(TurnCommand::SetMode(Mode::Confirm), answer),
        Reply::stream("", "As you like.", &[]),
    ];
    let declined = TurnCommand::Decide("t0.2.0".into(), Decision::Decline.into());
    world.say("Go", &[declined], replies).unwrap();
    assert_eq!((world.outcomes(), world.ran()), (vec![ToolOutcome::Declined], Vec::new()));
}

#[test]
fn the_two_sides_take_turns_and_the_history_keeps_its_beginning() {
    let mut world = World::new();
    world.say("First", &[], vec![Reply::Refused(ModelError::new(ErrorClass::Network, ""))]).unwrap();
    let said = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half an\"}}]}\n\n".to_owned();
    world.say("Second", &[], vec![Reply::Hangs(said, TurnCommand::Stop)]).unwrap();
    world
        .continue_turn(vec![Reply::stream("", "", &[("a", "list", "{}")]), Reply::stream("", "Done.", &[])])
        .unwrap();
    let messages = world.last_messages();
    let roles: Vec<_> = messages
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "tool"]);
    assert_eq!(
        (&messages[1]["content"], &messages[3]["content"]),
        (&json!("First\n\nSecond"), &json!("Please go on."))
    );
    let before = world.asked.borrow()[2]["messages"].clone();
    let beginning = &messages.as_array().unwrap()[..before.as_array().unwrap().len()];
    assert_eq!(beginning, before.as_array().unwrap(), "what was sent before is sent again as it was");
}

#[test]
fn calls_left_over_when_the_user_speaks_again_are_settled_and_told_truly() {
    let mut world = World::new();
    world.rules.limits.tool_calls = 1;
    let two = [("a", "list", "{}"), ("b", "search", "{}")];
    world.say("Go", &[], vec![Reply::stream("", "", &two)]).unwrap();
    let left_over = crate::resume::before_new_turn(&world.log);
    assert_eq!(left_over.len(), 1);
    world.log.extend(left_over.into_iter().map(|event| Entry { at: 0, event }));
    world.say("Never mind", &[], vec![Reply::stream("", "Fine.", &[])]).unwrap();
    let messages = world.last_messages();
    assert_eq!(messages[4]["content"], "The user stopped before this call was made. The tool did not run.");
}

#[test]
fn a_card_does_not_go_on_running_or_asking_while_the_agent_rests() {
    let mut world = World::new();
    world.rules.mode = Mode::Confirm;
    let calls = [("a", "list", "{}"), ("b", "search", "{}")];
    world.say("Go", &[TurnCommand::Stop], vec![Reply::stream("", "", &calls)]).unwrap();
    let asked = world.events().iter().position(|name| *name == "approval asked").unwrap();
    for (cut, expected) in [
        (asked + 1, ToolState::Queued),
        (world.events().iter().position(|name| *name == "tool started").unwrap() + 1, ToolState::Queued),
    ] {
        let mut log = world.log[..cut].to_vec();
        let death = after_death(&log, None);
        log.extend(death.into_iter().map(|event| Entry { at: 0, event }));
        let last = view::items(&log, None)
            .into_iter()
            .filter_map(|item| match item.kind {
                ItemKind::Tool(tool) if !matches!(tool.state, ToolState::Finished { .. }) => Some(tool.state),
                _ => None,
            })
            .next_back();
        assert_eq!(last, Some(expected), "cut at {cut}");
    }
}

#[test]
fn a_service_that_repeats_the_key_does_not_get_it_into_the_log() {
    let mut world = World::new();
    let body = r#"{"error":{"message":"bad key: sk-secret"}}"#.to_owned();
    world.say("Go", &[], vec![Reply::Body(401, Vec::new(), body)]).unwrap();
    let Rest::Failed { error } = world.rest() else { panic!("{:?}", world.rest()) };
    assert_eq!(error.message, "bad key: …");
}

#[test]
fn what_a_service_wants_back_goes_back_in_its_own_protocol() {
    let mut world = World::new();
    world.connection.endpoint =
        Endpoint { provider: "anthropic".to_owned(), base_url: "https://api.anthropic.com".to_owned() };
    let event = |event: Value| format!("data: {event}\n\n");
    let calls = [
        event(json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}})),
        event(json!({"type": "content_block_start", "index": 1,
            "content_block": {"type": "tool_use", "id": "toolu_a", "name": "list", "input": {}}})),
        event(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})),
        event(json!({"type": "message_stop"})),
    ];
    let says = [
        event(
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "One."}}),
        ),
        event(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})),
        event(json!({"type": "message_stop"})),
    ];
    let reply = |events: &[String]| Reply::Body(200, Vec::new(), events.concat());
    world.say("Which flights?", &[], vec![reply(&calls), reply(&says)]).unwrap();
    assert_eq!(world.rest(), Rest::Done);
    let messages = world.last_messages();
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"});
    assert_eq!(messages[1]["content"][0], thought, "what is signed comes back as it was");
    assert_eq!(messages[2]["content"][0]["tool_use_id"], "toolu_a");

    world.connection.endpoint.provider = "deepseek".to_owned();
    world.connection.endpoint.base_url = "https://api.deepseek.com".to_owned();
    world.say("And to Porto?", &[], vec![Reply::stream("", "None.", &[])]).unwrap();
    let answer = &world.last_messages()[2];
    assert_eq!((&answer["reasoning_content"], answer.get("signature")), (&json!(""), None));
    assert_eq!(answer["tool_calls"][0]["id"], "toolu_a");
}

/// The calls of the log with what was put right in them.
fn repaired(world: &World) -> Vec<(String, Vec<Repair>)> {
    let calls = |entry: &Entry| match &entry.event {
        Event::ModelAnswered { calls, .. } => calls.clone(),
        _ => Vec::new(),
    };
    world.log.iter().flat_map(calls).map(|call| (call.record.name.clone(), call.repaired)).collect()
}

fn notes(world: &World) -> Vec<String> {
    let notes = |entry: &Entry| match &entry.event {
        Event::ModelAnswered { notes, .. } => notes.clone(),
        _ => Vec::new(),
    };
    world.log.iter().flat_map(notes).collect()
}

const DSML: &str = "<｜DSML｜tool_calls><｜DSML｜invoke name=\"search\"><｜DSML｜parameter name=\"seats\" string=\"false\">\
                    2</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>";

#[test]
fn a_call_that_leaked_into_the_text_runs_and_asks_first_if_it_acts() {
    let mut world = World::new();
    let run = TurnCommand::Decide("t0.2.0".into(), Decision::Run.into());
    let text = format!("I will look.\n\n{DSML}");
    world.say("Go", &[run], vec![Reply::stream("", &text, &[]), Reply::stream("", "Done.", &[])]).unwrap();
    assert_eq!(
        world.events(),
        [
            "started",
            "asked",
            "answered",
            "approval asked",
            "approval given",
            "tool started",
            "tool finished",
            "asked",
            "answered",
            "rested"
        ]
    );
    assert_eq!(*world.ran.borrow(), [("search".to_owned(), r#"{"seats":2}"#.to_owned())]);
    assert_eq!(repaired(&world), [("search".to_owned(), vec![Repair::Leaked])]);
    assert_eq!(
        notes(&world),
        ["Markup of tool calls (DSML) stood in the text and was taken out of it; calls made of it: 1."]
    );
    assert!(!world.grew.contains("DSML") && world.grew.contains("I will look."), "{}", world.grew);
    // The model sees it as the call that it was meant to be.
    let said = &world.last_messages()[2];
    assert_eq!(
        (&said["content"], &said["tool_calls"][0]["function"]["name"]),
        (&json!("I will look."), &json!("search"))
    );
    let items = view::items(&world.log, None);
    let tool = items.iter().find_map(|item| match &item.kind {
        ItemKind::Tool(tool) => Some(tool),
        _ => None,
    });
    assert_eq!(tool.unwrap().repaired, [Repair::Leaked]);
}

#[test]
fn a_leaked_call_of_a_tool_that_only_reads_asks_nobody() {
    let mut world = World::new();
    let text = DSML.replace("search", "list");
    world.say("Go", &[], vec![Reply::stream("", &text, &[]), Reply::stream("", "Done.", &[])]).unwrap();
    assert_eq!((world.rest(), world.ran()), (Rest::Done, vec!["list".to_owned()]));
}

#[test]
fn arguments_are_put_right_and_the_tool_gets_them_so() {
    let mut world = World::new();
    let decline = TurnCommand::Decide("t0.2.1".into(), Decision::Decline.into());
    let calls = [("a", "functions.list", "{'seats': 2,}"), ("b", "search", "{seats: 1}")];
    world
        .say("Go", &[decline], vec![Reply::stream("", "", &calls), Reply::stream("", "Done.", &[])])
        .unwrap();
    assert_eq!(*world.ran.borrow(), [("list".to_owned(), r#"{"seats":2}"#.to_owned())]);
    assert_eq!(world.outcomes(), [ok("CA1883"), ToolOutcome::Declined]);
    assert_eq!(
        repaired(&world),
        [
            ("functions.list".to_owned(), vec![Repair::Name, Repair::Syntax]),
            ("search".to_owned(), vec![Repair::Syntax])
        ]
    );
    // It reads its arguments as they were taken, not as something that nobody could read.
    let calls = world.last_messages()[2]["tool_calls"].clone();
    assert_eq!(calls[0]["function"]["arguments"], r#"{"seats":2}"#);
}

#[test]
fn markup_of_a_tool_that_is_not_there_is_told_to_the_model_once() {
    let mut world = World::new();
    let text = format!("So. {}", DSML.replace("search", "book"));
    world.say("Go", &[], vec![Reply::stream("", &text, &[]), Reply::stream("", "Sorry.", &[])]).unwrap();
    assert_eq!((world.rest(), world.ran().len()), (Rest::Done, 0));
    let messages = world.last_messages();
    assert_eq!(messages[2]["content"], "So.");
    assert_eq!(
        messages[3]["content"],
        "[Notice: your last answer held a tool call as text (DSML), and nothing came of it. There is no tool named \
         \"book\". The tools are: hang, list, search. Make calls as calls, not as text.]"
    );

    let mut world = World::new();
    let answers = (0..2).map(|_| Reply::stream("", &text, &[])).collect();
    world.say("Go", &[], answers).unwrap();
    assert_eq!(world.rest(), Rest::Stuck { how: Stuck::Silent });
}

#[test]
fn a_model_that_says_nothing_is_asked_once_more_in_silence() {
    let mut world = World::new();
    let silence = || Reply::stream("Hm.", "", &[]);
    world.say("Go", &[], vec![silence(), Reply::stream("", "Here.", &[])]).unwrap();
    assert_eq!(world.rest(), Rest::Done);
    assert_eq!(notes(&world), ["The answer holds neither words nor calls."]);
    let asked = world.asked.borrow();
    assert_eq!(asked[0]["messages"], asked[1]["messages"]);
    drop(asked);

    let mut world = World::new();
    world.say("Go", &[], vec![silence(), silence()]).unwrap();
    assert_eq!(world.rest(), Rest::Stuck { how: Stuck::Silent });
    world.continue_turn(vec![silence(), Reply::stream("", "Here.", &[])]).unwrap();
    assert_eq!(world.rest(), Rest::Done);
}

#[test]
fn the_same_call_again_and_again_is_noticed_and_then_paused() {
    let mut world = World::new();
    let same = || Reply::stream("", "", &[("a", "list", r#"{"seats":1}"#)]);
    world.say("Go", &[], (0..6).map(|_| same()).collect()).unwrap();
    // Each other one is given the result again.
    assert_eq!((world.rest(), world.ran().len()), (Rest::Stuck { how: Stuck::Repeating }, 3));
    let messages = world.last_messages();
    let told: Vec<bool> = messages
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap().contains("times in a row"))
        .collect();
    assert_eq!(told, [false, false, true, true, true]);
    world.continue_turn(vec![Reply::stream("", "Done.", &[])]).unwrap();
    assert_eq!((world.rest(), world.ran().len()), (Rest::Done, 4));

    let mut world = World::new();
    let other = |n: usize| Reply::stream("", "", &[("a", "list", &format!("{{\"seats\":{}}}", n % 2))]);
    world.say("Go", &[], (0..8).map(other).chain([Reply::stream("", "Done.", &[])]).collect()).unwrap();
    assert_eq!((world.rest(), world.ran().len()), (Rest::Done, 4));
}

#[test]
fn calls_that_stay_wrong_pause_the_turn() {
    let mut world = World::new();
    let wrong = |n: usize| Reply::stream("", "", &[("a", "search", &format!("[{n}]"))]);
    world.say("Go", &[], (0..3).map(wrong).collect()).unwrap();
    assert_eq!((world.rest(), world.ran().len()), (Rest::Stuck { how: Stuck::Mistaken }, 0));
    assert_eq!(world.outcomes().len(), 2);
    world.continue_turn(vec![wrong(4), wrong(5), Reply::stream("", "Sorry.", &[])]).unwrap();
    assert_eq!((world.rest(), world.outcomes().len()), (Rest::Done, 5));
}

#[test]
fn a_model_that_is_not_known_is_asked_about_once_and_described_its_tools_in_words_if_it_takes_none() {
    let worded = "```json\n{\"name\": \"list\", \"arguments\": {}}\n```";
    for (known, said, is_told_in_words) in [
        (None, Some(false), true),
        (None, Some(true), false),
        (None, None, false),
        (Some(true), Some(false), false),
    ] {
        let mut world = World { takes_tools: said, ..World::new() };
        world.connection.takes_tools = known;
        let call = match is_told_in_words {
            true => Reply::stream("", worded, &[]),
            false => Reply::stream("", "", &[("a", "list", "{}")]),
        };
        world.say("list", &[], vec![call, Reply::stream("", "Done.", &[])]).unwrap();
        assert_eq!(world.rest(), Rest::Done);
        let has_tools = |request: &Value| request.get("tools").is_some();
        assert_eq!(world.asked.borrow().iter().map(has_tools).collect::<Vec<_>>(), [!is_told_in_words; 2]);
        assert_eq!(world.learnt, said.filter(|_| known.is_none()).into_iter().collect::<Vec<_>>());
        assert_eq!(world.outcomes().len(), 1);
    }
}

#[test]
fn a_call_that_the_token_limit_cut_is_asked_for_once_more_with_room_for_twice_as_much() {
    let cut = |text: &str| {
        let delta = json!({"content": text, "tool_calls":
            [{"index": 0, "id": "c", "function": {"name": "search", "arguments": "{\"to\":\"SH"}}]});
        let chunk = json!({"choices": [{"delta": delta, "finish_reason": "length"}]});
        Reply::Body(200, Vec::new(), format!("data: {chunk}\n\ndata: [DONE]\n\n"))
    };
    let mut world = World::new();
    world.connection.max_tokens = Some(1000);
    let whole = Reply::stream("", "", &[("d", "search", "{}")]);
    world.say("go", &[], vec![cut("I search."), whole, Reply::stream("", "Done.", &[])]).unwrap();
    assert_eq!((world.rest(), world.ran()), (Rest::Done, vec!["search".to_owned()]));
    let limits =
        || world.asked.borrow().iter().map(|request| request["max_tokens"].clone()).collect::<Vec<_>>();
    assert_eq!(limits(), [json!(1000), json!(2000), json!(1000)]);
    let told = world.asked.borrow()[1]["messages"][3].clone();
    assert_eq!(told["role"], "user");
    assert!(told["content"].as_str().unwrap().contains("cut your tool call"), "{told}");

    // Twice in a row is for the user to decide.
    world.say("go", &[], vec![cut(""), cut("")]).unwrap();
    assert_eq!((world.rest(), world.ran().len()), (Rest::Length, 1));
    world.continue_turn(vec![cut(""), Reply::stream("", "Done.", &[])]).unwrap();
    assert_eq!(world.rest(), Rest::Done);
}

#[test]
fn what_was_too_long_is_left_out_when_the_user_says_so() {
    let call = |id: &str| Reply::stream("", "", &[(id, "list", &json!({"to": id}).to_string())]);
    let refused = || {
        Reply::Body(
            400,
            Vec::new(),
            r#"{"error":{"code":"context_length_exceeded","message":"long"}}"#.to_owned(),
        )
    };
    let mut world = World::new();
    world.say("first", &[], vec![call("a"), Reply::stream("", "One.", &[])]).unwrap();
    // Who has taken a summary back is not given one again.
    world.log.push(Entry { at: world.time, event: Event::CompactionUndone });
    world.say("second", &[], vec![call("b"), call("c"), refused()]).unwrap();
    assert!(matches!(world.rest(), Rest::Failed { .. }));
    let shape = |world: &World| {
        let messages = world.last_messages();
        let content = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
        messages
            .as_array()
            .unwrap()
            .iter()
            .skip(1)
            .map(content)
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
    };
    let listed = data("CA1883");
    let listed = listed.as_str();
    assert_eq!(shape(&world), ["first", listed, "One.", "second", listed, listed]);
    world.continue_without(Some(Without::History), vec![call("d"), Reply::stream("", "Two.", &[])]).unwrap();
    let gone = "[This result was left out of the conversation.]";
    assert_eq!(shape(&world), ["second", gone, listed, listed]);
    let items = view::items(&world.log, None);
    assert!(items.iter().any(|item| matches!(item.kind, ItemKind::LeftOut { what: Without::History })));
    // It stays so.
    world.say("third", &[], vec![Reply::stream("", "Three.", &[])]).unwrap();
    assert_eq!(shape(&world), ["second", gone, listed, listed, "Two.", "third"]);
}

#[test]
fn what_pages_gave_is_left_out_when_the_user_says_so() {
    let filtered = r#"{"error":{"code":"content_filter","message":"no"}}"#.to_owned();
    let mut world = World::new();
    let call = || Reply::stream("", "", &[("a", "list", "{}")]);
    world.say("first", &[], vec![call(), Reply::Body(400, Vec::new(), filtered)]).unwrap();
    world.continue_without(Some(Without::PageContent), vec![call(), Reply::stream("", "One.", &[])]).unwrap();
    let messages = world.last_messages();
    let results: Vec<_> =
        messages.as_array().unwrap().iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(results[0]["content"], "[This result was left out of the conversation.]");
    assert_eq!(results[1]["content"], data("CA1883"), "what came later stays");
}

#[test]
fn a_failure_stays_that_of_the_model_that_was_asked_when_another_is_used() {
    let mut world = World::new();
    world.say("Go", &[], (0..sidecar_llm::MAX_ATTEMPTS).map(|_| busy()).collect()).unwrap();
    let first = (world.connection.endpoint.provider.clone(), world.connection.model.clone());
    world.connection.model = "another".to_owned();
    world.say("Again", &[], vec![Reply::stream("", "Here.", &[])]).unwrap();
    let asked = |item: Item| match item.kind {
        ItemKind::Rest { asked, .. } => asked.map(|asked| (asked.provider, asked.model)),
        _ => None,
    };
    let shown: Vec<_> = view::items(&world.log, None).into_iter().filter_map(asked).collect();
    assert_eq!(shown, [first.clone(), (first.0, "another".to_owned())]);
}

#[test]
fn what_an_answer_cost_is_written_down_at_the_price_of_its_day() {
    let answer = || {
        let usage = json!({"prompt_tokens": 1_000_000, "completion_tokens": 500_000});
        let chunk =
            json!({"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}], "usage": usage});
        Reply::Body(200, Vec::new(), format!("data: {chunk}\n\ndata: [DONE]\n\n"))
    };
    let mut world = World::new();
    world.say("free", &[], vec![answer()]).unwrap();
    let price = Price { currency: "¥".to_owned(), input: 2.0, cached: None, output: 8.0 };
    world.connection.price = Some(price);
    world.say("paid", &[], vec![answer()]).unwrap();
    world.connection.price = None;
    let costs = |item: &Item| match &item.kind {
        ItemKind::Rest { costs, .. } => Some(costs.clone()),
        _ => None,
    };
    let items = view::items(&world.log, None);
    let shown: Vec<_> = items.iter().filter_map(costs).collect();
    assert_eq!(shown, [vec![], vec![Cost { currency: "¥".to_owned(), amount: 6.0 }]]);
}
