//! The worker dies: at every moment of generated turns, several times in one turn, again and again at the same place.
//! And logs that no worker wrote so: cut, doubled, out of order.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use futures::channel::mpsc::unbounded;
use futures::executor::block_on;
use futures::future::{Either, pending, poll_fn, select};
use futures::pin_mut;
use futures::stream::{self, LocalBoxStream, StreamExt};
use proptest::prelude::*;
use serde_json::Value;
use sidecar_llm::{Endpoint, HttpRequest};
use sidecar_protocol::Risk;
use sidecar_protocol::ToolRef;
use sidecar_protocol::thread::{AnswerState, ItemKind};
use sidecar_webmcp::Fingerprint;

use super::super::*;
use crate::keys::Keys;
use crate::log::PageRef;
use crate::policy::Standing;
use crate::ports::Response;
use crate::resume::{activity, after_death, is_unfinished, revived};
use crate::settled::Seen;
use crate::testing::{Reply, VirtualClock, connection, rules, tool_id};
use crate::{prompt, view};
use sidecar_protocol::thread::Activity;

/// Deaths in a row that a turn survives although nothing came of it in between.
const DEATHS: usize = 3;

/// What the model of a generated turn says, one answer after the other. After the last it says that it is done.
#[derive(Debug, Clone)]
enum Says {
    /// Words and calls of tools by name.
    Calls(Vec<&'static str>),
    /// "Too many requests", once; then what comes next.
    Busy,
}

/// A generated turn.
#[derive(Debug, Clone)]
struct Script {
    says: Vec<Says>,
    mode: Mode,
    /// What the user decides when asked, by turns.
    decisions: Vec<Decision>,
}

fn scripts() -> impl Strategy<Value = Script> {
    let tool = prop::sample::select(vec!["book", "pay", "list", "read", "broken", "missing"]);
    let says = prop_oneof![
        4 => prop::collection::vec(tool, 1..4).prop_map(Says::Calls),
        1 => Just(Says::Busy),
    ];
    let decision = prop_oneof![3 => Just(Decision::Run), 1 => Just(Decision::Decline)];
    (
        prop::collection::vec(says, 0..4),
        prop_oneof![Just(Mode::Automatic), Just(Mode::Confirm)],
        prop::collection::vec(decision, 1..4),
    )
        .prop_map(|(says, mode, decisions)| Script { says, mode, decisions })
}

/// Where a worker can die: before and after everything that others could see of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At an entry of the log.
    Disk,
    /// At a request, or a piece of an answer.
    Model,
    /// At the run of a tool.
    Page,
}

/// When a worker dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Death {
    /// At its so-manieth moment.
    At(usize),
    /// At the first moment of this place.
    First(Place),
    /// Not before the turn rests.
    Never,
}

/// Decides that.
#[derive(Debug)]
struct Fate {
    death: Death,
    moments: Cell<usize>,
    is_dead: Cell<bool>,
}

impl Fate {
    fn new(death: Death) -> Rc<Self> {
        Rc::new(Self { death, moments: Cell::new(0), is_dead: Cell::new(false) })
    }

    async fn moment(&self, place: Place) {
        let moment = self.moments.get();
        self.moments.set(moment + 1);
        if self.death == Death::At(moment) || self.death == Death::First(place) {
            self.is_dead.set(true);
            pending().await
        }
    }
}

/// What outlives a worker: the disk, the page, the model's service.
struct World {
    script: Script,
    log: Rc<RefCell<Vec<Entry>>>,
    draft: Rc<RefCell<Option<(usize, String, String)>>>,
    /// How often each call was run, with its tool.
    ran: Rc<RefCell<BTreeMap<(CallId, String), u32>>>,
    /// The answers that were refused once already.
    refused: Rc<RefCell<BTreeSet<usize>>>,
    decided: Cell<usize>,
    time: Timestamp,
}

impl World {
    fn of(script: &Script) -> Self {
        let event = Event::TurnStarted {
            turn: "t".into(),
            text: "Go".to_owned(),
            attached: Vec::new(),
            page: PageRef::default(),
        };
        Self {
            script: script.clone(),
            log: Rc::new(RefCell::new(vec![Entry { at: 1_000_000, event }])),
            draft: Rc::default(),
            ran: Rc::default(),
            refused: Rc::default(),
            decided: Cell::new(0),
            time: 1_000_000,
        }
    }

    /// A worker begins, takes up what it finds, and works until it rests or dies. How many moments it lived, and
    /// whether it was still alive at the end.
    fn worker(&mut self, death: Death) -> (usize, bool) {
        let mut log = self.log.borrow().clone();
        if log.len() > 1
            && let Some(event) = revived(&log, self.draft_at(log.len()))
        {
            log.push(Entry { at: self.time, event });
            *self.log.borrow_mut() = log.clone();
        }
        let (moments, result) = self.work(log, death);
        (moments, result.map(Result::unwrap).is_some())
    }

    /// A worker that has this log in its memory. The result is none when it died.
    fn work(&mut self, mut log: Vec<Entry>, death: Death) -> (usize, Option<Result<(), StoreError>>) {
        let fate = Fate::new(death);
        let (connection, rules) = (connection(), Rules { mode: self.script.mode, ..rules() });
        let ports = Ports {
            transport: Model {
                keys: Keys::default(),
                says: self.script.says.clone(),
                refused: self.refused.clone(),
                fate: fate.clone(),
            },
            tools: Tools { ran: self.ran.clone(), fate: fate.clone() },
            store: Disk { log: self.log.clone(), draft: self.draft.clone(), fate: fate.clone() },
            clock: VirtualClock(Cell::new(self.time), ""),
        };
        let (user, mut inbox) = unbounded();
        let decide = |log: &[Entry]| {
            if let Next::AwaitApproval(asked) = resume(log, rules.limits) {
                let call = asked.call.id.clone();
                let decision = self.script.decisions[self.decided.get() % self.script.decisions.len()];
                self.decided.set(self.decided.get() + 1);
                user.unbounded_send(TurnCommand::Decide(call, decision.into())).unwrap();
            }
        };
        // A question that waited goes on waiting, and is answered now.
        decide(&log);
        let on_disk = self.log.clone();
        let mut tell = |told: Told<'_>| {
            if let Told::Appended(_) = told {
                decide(&on_disk.borrow());
            }
        };
        let result = {
            let turn = run(&mut log, &connection, &rules, &ports, &mut inbox, &mut tell);
            let killed = poll_fn(|context| match fate.is_dead.get() {
                true => std::task::Poll::Ready(()),
                false => {
                    context.waker().wake_by_ref();
                    std::task::Poll::Pending
                }
            });
            pin_mut!(turn, killed);
            match block_on(select(turn, killed)) {
                Either::Left((result, _)) => Some(result),
                Either::Right(_) => None,
            }
        };
        self.time = ports.clock.0.get();
        (fate.moments.get(), result)
    }

    fn draft_at(&self, position: usize) -> Option<(String, String)> {
        let draft = self.draft.borrow();
        draft.clone().filter(|(at, ..)| *at == position).map(|(_, reasoning, text)| (reasoning, text))
    }

    fn rest(&self) -> Option<Rest> {
        match &self.log.borrow().last()?.event {
            Event::TurnRested { rest } => Some(rest.clone()),
            _ => None,
        }
    }

    fn calls(&self) -> Vec<(Call, Option<ToolOutcome>)> {
        let log = self.log.borrow();
        let outcome = |id: &CallId| {
            log.iter().find_map(|entry| match &entry.event {
                Event::ToolFinished { call, outcome, .. } if call == id => Some(outcome.clone()),
                _ => None,
            })
        };
        let calls = log.iter().filter_map(|entry| match &entry.event {
            Event::ModelAnswered { calls, .. } => Some(calls.clone()),
            _ => None,
        });
        calls.flatten().map(|call| (call.clone(), outcome(&call.id))).collect()
    }

    fn runs_of(&self, call: &Call) -> u32 {
        let ran = self.ran.borrow();
        ran.iter().filter(|((id, _), _)| *id == call.id).map(|(_, times)| *times).sum()
    }

    /// What must hold of a turn that ended, however often its workers died.
    fn check(&self, deaths: &str) -> Result<(), TestCaseError> {
        let calls = self.calls();
        for (call, outcome) in &calls {
            let runs = self.runs_of(call);
            let tool = &call.record.name;
            let Some(outcome) = outcome else {
                // A turn that rests before its end has calls left for when it is continued.
                prop_assert!(
                    runs == 0 && self.rest() != Some(Rest::Done),
                    "{tool} has no outcome ({deaths})"
                );
                continue;
            };
            if call.is_read_only() {
                prop_assert!(matches!(outcome, ToolOutcome::Ok { .. }), "{tool}: {outcome:?} ({deaths})");
                continue;
            }
            prop_assert!(runs <= 1, "{tool} ran {runs} times ({deaths})");
            match outcome {
                ToolOutcome::Ok { .. } => prop_assert_eq!(runs, 1, "{} ({})", tool, deaths),
                ToolOutcome::Failed { .. } if tool == "broken" => prop_assert_eq!(runs, 1),
                ToolOutcome::Failed { .. } | ToolOutcome::Declined => prop_assert_eq!(runs, 0),
                ToolOutcome::Interrupted => {}
                other => prop_assert!(false, "{tool}: {other:?} ({deaths})"),
            }
        }
        // Nothing runs that no call stands for.
        let ids: BTreeSet<&CallId> = calls.iter().map(|(call, _)| &call.id).collect();
        prop_assert!(self.ran.borrow().keys().all(|(id, _)| ids.contains(id)));
        Ok(())
    }
}

/// The service. What it answers depends on the request alone, as that of a model does.
struct Model {
    says: Vec<Says>,
    refused: Rc<RefCell<BTreeSet<usize>>>,
    fate: Rc<Fate>,
    keys: Keys,
}

impl LlmTransport for Model {
    type Body = LocalBoxStream<'static, Result<Vec<u8>, String>>;

    fn keys(&self) -> &Keys {
        &self.keys
    }

    async fn takes_tools(&self, _endpoint: &Endpoint, _model: &str) -> Option<bool> {
        None
    }

    async fn post(&self, request: HttpRequest) -> Result<Response<Self::Body>, ModelError> {
        self.fate.moment(Place::Model).await;
        let request: Value = serde_json::from_str(&request.body).unwrap();
        let messages = request["messages"].as_array().unwrap();
        let answered = messages.iter().filter(|message| message["role"] == "assistant").count();
        let mut refused = self.refused.borrow_mut();
        let mut turns = self.says.iter().enumerate().filter_map(|(at, says)| match says {
            Says::Calls(tools) => Some((at, Some(tools))),
            Says::Busy if refused.contains(&at) => None,
            Says::Busy => Some((at, None)),
        });
        let (status, body) = match turns.nth(answered) {
            Some((at, None)) => {
                refused.insert(at);
                (429, r#"{"error":{"message":"slow down"}}"#.to_owned())
            }
            said => {
                let tools = said.and_then(|(_, tools)| tools.cloned()).unwrap_or_default();
                // No call is like the one before it.
                let calls: Vec<(String, &str, String)> = tools
                    .iter()
                    .enumerate()
                    .map(|(n, tool)| {
                        (format!("c{answered}.{n}"), *tool, format!(r#"{{"seats":{answered}{n}}}"#))
                    })
                    .collect();
                let calls: Vec<(&str, &str, &str)> = calls
                    .iter()
                    .map(|(id, tool, arguments)| (id.as_str(), *tool, arguments.as_str()))
                    .collect();
                let Reply::Body(status, _, body) = Reply::stream("Hm.", "Said.", &calls) else {
                    unreachable!("a stream is a body")
                };
                (status, body)
            }
        };
        // In three pieces, between which the worker may die.
        let third = body.len() / 3;
        let pieces = [&body[..third], &body[third..2 * third], &body[2 * third..]];
        let pieces: Vec<Vec<u8>> = pieces.map(|piece| piece.as_bytes().to_vec()).into();
        let fate = self.fate.clone();
        let body = stream::iter(pieces).then(move |piece| {
            let fate = fate.clone();
            async move {
                fate.moment(Place::Model).await;
                Ok(piece)
            }
        });
        Ok(Response { status, headers: Vec::new(), body: body.boxed_local() })
    }
}

/// The page. `list` and `read` only read, `broken` fails, the others act.
struct Tools {
    ran: Rc<RefCell<BTreeMap<(CallId, String), u32>>>,
    fate: Rc<Fate>,
}

impl ToolHost for Tools {
    async fn offer(&self) -> Vec<Offer> {
        let offer = |(name, risk): (&str, Risk)| Offer {
            model_name: name.to_owned(),
            tool: tool_id(name),
            site: "flights.example".to_owned(),
            origin: "https://flights.example".to_owned(),
            risk,
            fingerprint: Fingerprint("as offered".to_owned()),
            description: format!("Does {name}."),
            schema: None,
        };
        let tools = [
            ("book", Risk::Acting),
            ("pay", Risk::Consequential),
            ("list", Risk::ReadOnly),
            ("read", Risk::ReadOnly),
            ("broken", Risk::Acting),
        ];
        tools.map(offer).into()
    }

    async fn standing(&self, _tool: &ToolRef) -> Result<Standing, ToolFailure> {
        let fingerprint = Fingerprint("as offered".to_owned());
        Ok(Standing { fingerprint, risk: Risk::ReadOnly, schema: None, policy: None, changes: None })
    }

    async fn call(&self, call: &CallId, tool: &ToolRef, _arguments: &str) -> ToolOutcome {
        self.fate.moment(Place::Page).await;
        *self.ran.borrow_mut().entry((call.clone(), tool.name().to_owned())).or_default() += 1;
        self.fate.moment(Place::Page).await;
        match tool.name() {
            "broken" => ToolOutcome::Failed { code: ToolFailure::Unreachable, message: "no".to_owned() },
            _ => ToolOutcome::ok("done"),
        }
    }

    async fn seen(&self, _tool: &ToolRef) -> Seen {
        Seen::default()
    }

    async fn new_page(&self, _tool: &ToolRef) -> ToolOutcome {
        unreachable!("none of these tools takes its page away")
    }
}

/// The disk: what is once written there stays, and each place is written once.
struct Disk {
    log: Rc<RefCell<Vec<Entry>>>,
    draft: Rc<RefCell<Option<(usize, String, String)>>>,
    fate: Rc<Fate>,
}

impl Store for Disk {
    async fn append(&self, position: usize, entry: &Entry) -> Result<(), StoreError> {
        self.fate.moment(Place::Disk).await;
        if position != self.log.borrow().len() {
            return Err(StoreError("ConstraintError".to_owned()));
        }
        self.log.borrow_mut().push(entry.clone());
        self.fate.moment(Place::Disk).await;
        Ok(())
    }

    async fn save_draft(&self, reasoning: &str, text: &str) {
        let position = self.log.borrow().len();
        *self.draft.borrow_mut() = Some((position, reasoning.to_owned(), text.to_owned()));
    }
}

/// The turn without any death: what it came to, and how many moments it has.
fn undisturbed(script: &Script) -> (World, usize) {
    let mut world = World::of(script);
    let (moments, lived) = world.worker(Death::Never);
    assert!(lived);
    (world, moments)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_turn_whose_worker_dies_at_any_moment_comes_to_the_same_end(script in scripts()) {
        let (whole, moments) = undisturbed(&script);
        whole.check("no death")?;
        for death in 0..moments {
            let mut world = World::of(&script);
            let (_, lived) = world.worker(Death::At(death));
            prop_assert!(!lived);
            let before = world.log.borrow().clone();
            prop_assert!(is_unfinished(&before) || death + 1 == moments, "at {death} of {moments}");
            let (_, lived) = world.worker(Death::Never);
            prop_assert!(lived);
            prop_assert_eq!(&world.log.borrow()[..before.len()], &before[..], "what was written stays");
            prop_assert_eq!(world.rest(), whole.rest(), "at {} of {}", death, moments);
            world.check(&format!("death at {death}"))?;
            prop_assert!(world.calls().len() >= whole.calls().len(), "at {death} of {moments}");
        }
    }

    #[test]
    fn a_turn_survives_several_deaths(script in scripts(), deaths in prop::collection::vec(0usize..12, 1..=DEATHS)) {
        let (whole, _) = undisturbed(&script);
        let mut world = World::of(&script);
        for death in &deaths {
            world.worker(Death::At(*death));
        }
        world.worker(Death::Never);
        prop_assert_eq!(world.rest(), whole.rest());
        world.check(&format!("deaths at {deaths:?}"))?;
    }

    #[test]
    fn a_turn_that_kills_every_worker_at_the_same_place_is_left_to_the_user(
        script in scripts(),
        place in prop_oneof![Just(Place::Model), Just(Place::Page)],
    ) {
        let mut world = World::of(&script);
        let workers = (1..100).find(|_| world.worker(Death::First(place)).1);
        prop_assert!(workers.is_some(), "it does not go on for ever");
        if place == Place::Model {
            prop_assert_eq!((workers, world.rest()), (Some(DEATHS + 2), Some(Rest::Interrupted)));
        }
        for (call, _) in world.calls() {
            let runs = world.runs_of(&call);
            prop_assert!(call.is_read_only() || runs <= 1, "{} ran {runs} times", call.record.name);
        }
    }

    #[test]
    fn a_log_that_is_cut_doubled_or_out_of_order_is_read_and_nothing_that_began_is_done_again(
        script in scripts(),
        death in 0usize..60,
        changes in prop::collection::vec((0u8..4, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
    ) {
        let mut world = World::of(&script);
        world.worker(Death::At(death));
        let mut log = world.log.borrow().clone();
        for (change, one, other) in changes {
            let (one, other) = (one.index(log.len()), other.index(log.len()));
            match change {
                0 => log.truncate(one + 1),
                1 => drop(log.remove(one)),
                2 => log.insert(other, log[one].clone()),
                _ => log.swap(one, other),
            }
            if log.is_empty() {
                return Ok(());
            }
        }
        let began: BTreeSet<CallId> = log
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::ToolStarted { call, .. } => Some(call.clone()),
                _ => None,
            })
            .collect();
        let acting: BTreeSet<CallId> =
            world.calls().into_iter().filter(|(call, _)| !call.is_read_only()).map(|(call, _)| call.id).collect();

        // Whatever it is, it can be looked at.
        let _ = (view::items(&log, None), view::summary(&"thread".into(), &log), prompt::request(&log, &connection(), &rules(), &[]));
        let _ = (after_death(&log, None), crate::resume::before_new_turn(&log), view::growing_item(&log));

        let before = world.ran.borrow().clone();
        *world.log.borrow_mut() = log;
        let (_, lived) = world.worker(Death::Never);
        prop_assert!(lived && !is_unfinished(&world.log.borrow()), "it comes to rest");
        for ((call, tool), times) in world.ran.borrow().iter() {
            let again = times - before.get(&(call.clone(), tool.clone())).copied().unwrap_or_default();
            let has_begun = began.contains(call) && acting.contains(call);
            prop_assert!(again <= u32::from(!has_begun) || !acting.contains(call), "{tool} ran {again} times more");
        }
    }
}

fn calls(tools: &[&'static str]) -> Script {
    Script { says: vec![Says::Calls(tools.to_vec())], mode: Mode::Automatic, decisions: vec![Decision::Run] }
}

/// The events of a log by name and call, as far as the tests below look at them.
fn told(world: &World) -> Vec<&'static str> {
    let name = |entry: &Entry| match &entry.event {
        Event::TurnRevived { .. } => Some("revived"),
        Event::ModelAsked { .. } => Some("asked"),
        Event::ToolStarted { .. } => Some("started"),
        Event::ToolFinished { outcome: ToolOutcome::Interrupted, .. } => Some("interrupted"),
        Event::ToolFinished { .. } => Some("finished"),
        Event::TurnRested { .. } => Some("rested"),
        _ => None,
    };
    world.log.borrow().iter().filter_map(name).collect()
}

/// A worker that dies while the tool of its first call runs, after the tool did what it does.
fn dies_in_the_call(tool: &'static str) -> World {
    let script = calls(&[tool]);
    let (_, moments) = undisturbed(&script);
    (0..moments)
        .map(|death| {
            let mut world = World::of(&script);
            world.worker(Death::At(death));
            world
        })
        .rfind(|world| told(world) == ["asked", "started"])
        .unwrap()
}

#[test]
fn an_acting_tool_that_was_running_is_interrupted_and_the_model_is_told() {
    let mut world = dies_in_the_call("book");
    assert_eq!(world.ran.borrow().len(), 1, "it had its effect");
    world.worker(Death::Never);
    assert_eq!(told(&world), ["asked", "started", "revived", "interrupted", "asked", "rested"]);
    assert_eq!((world.rest(), world.ran.borrow().values().sum::<u32>()), (Some(Rest::Done), 1));
    let request = prompt::request(&world.log.borrow(), &connection(), &rules(), &[]);
    assert!(format!("{:?}", request.messages).contains("unknown"), "{:?}", request.messages);
}

#[test]
fn a_read_only_tool_that_was_running_runs_again() {
    let mut world = dies_in_the_call("list");
    world.worker(Death::Never);
    assert_eq!(told(&world), ["asked", "started", "revived", "started", "finished", "asked", "rested"]);
    assert_eq!((world.rest(), world.ran.borrow().values().sum::<u32>()), (Some(Rest::Done), 2));
}

#[test]
fn an_answer_that_broke_off_is_asked_for_again_and_what_was_shown_of_it_stays() {
    let mut world = World::of(&calls(&[]));
    world.log.borrow_mut().push(Entry {
        at: 1_000_001,
        event: Event::ModelAsked {
            provider: "deepseek".to_owned(),
            model: "m".to_owned(),
            tools: 0,
            offers: None,
        },
    });
    *world.draft.borrow_mut() = Some((2, "Hm.".to_owned(), "Half an ans".to_owned()));
    world.worker(Death::Never);
    let answers: Vec<(String, AnswerState)> = view::items(&world.log.borrow(), None)
        .into_iter()
        .filter_map(|item| match item.kind {
            ItemKind::Assistant { text, state, .. } => Some((text, state)),
            _ => None,
        })
        .collect();
    assert_eq!(
        answers,
        [("Half an ans".to_owned(), AnswerState::Cut), ("Said.".to_owned(), AnswerState::Done)]
    );
    assert_eq!(world.rest(), Some(Rest::Done));
}

#[test]
fn a_question_goes_on_waiting_and_a_death_meanwhile_is_no_event() {
    let mut world = World::of(&Script { mode: Mode::Confirm, ..calls(&["book"]) });
    let (whole, moments) = undisturbed(&world.script);
    let asking = (0..moments)
        .map(|death| {
            let mut world = World::of(&whole.script);
            world.worker(Death::At(death));
            world
        })
        .find(|world| activity(&world.log.borrow()) == Activity::Asking)
        .unwrap();
    *world.log.borrow_mut() = asking.log.borrow().clone();
    let before = world.log.borrow().len();
    assert_eq!(revived(&world.log.borrow(), None), None);
    world.worker(Death::Never);
    assert!(matches!(world.log.borrow()[before].event, Event::ApprovalGiven { .. }));
    assert_eq!((world.rest(), world.ran.borrow().values().sum::<u32>()), (Some(Rest::Done), 1));
}

#[test]
fn a_turn_is_revived_three_times_in_a_row_and_then_rests_until_the_user_continues_it() {
    let script = calls(&["list"]);
    let mut world = dies_in_the_call("list");
    for _ in 0..DEATHS {
        assert!(!world.worker(Death::First(Place::Page)).1);
    }
    assert!(world.worker(Death::First(Place::Page)).1, "no tool is run any more");
    assert_eq!(world.rest(), Some(Rest::Interrupted));
    assert_eq!(told(&world).iter().filter(|event| **event == "revived").count(), DEATHS + 1);
    world.log.borrow_mut().push(Entry {
        at: world.time,
        event: Event::TurnContinued { page: PageRef::default(), without: None },
    });
    world.worker(Death::Never);
    assert_eq!(world.rest(), undisturbed(&script).0.rest());
}

#[test]
fn of_two_workers_that_run_one_turn_only_one_goes_on() {
    let script = calls(&["book", "list"]);
    let (whole, moments) = undisturbed(&script);
    for death in 0..moments - 1 {
        let mut world = World::of(&script);
        world.worker(Death::At(death));
        // One that was thought dead is not: it has the log as it was then.
        let old = world.log.borrow().clone();
        world.worker(Death::Never);
        let (after, ran) = (world.log.borrow().clone(), world.ran.borrow().clone());
        let (_, result) = world.work(old, Death::Never);
        assert_eq!(result, Some(Err(StoreError("ConstraintError".to_owned()))), "death at {death}");
        assert_eq!((&*world.log.borrow(), &*world.ran.borrow()), (&after, &ran), "it did nothing");
        assert_eq!(world.rest(), whole.rest());
    }
}
