use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use sidecar_llm::CallRecord;
use sidecar_protocol::attachment::{Attachment, Extract};
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::page::FailureCode;
use sidecar_protocol::picture::{Picture, PictureType};
use sidecar_protocol::policy::Decision;
use sidecar_protocol::thread::{Omission, Question, ResultCut, ToolFailure, TurnEnd, Usage};
use sidecar_protocol::{ErrorClass, ModelError};

use super::*;
use crate::log::{Ending, PageRef};
use crate::testing::{calling, connection, meant, rules};

/// The estimate by its definition, with both requests built from scratch: the next one, and the one that
/// the service counted.
fn whole(log: &[Entry], rules: &Rules, tools: &[ToolDefinition]) -> u64 {
    let estimate = |log: &[Entry]| {
        tokens::of_tools(tools) + tokens::of_request(&prompt::request(log, &connection(), rules, &[]))
    };
    let now = estimate(log);
    let Some((asked, counted)) = last_count(log) else { return now };
    (counted + now).saturating_sub(estimate(&log[..asked]))
}

fn tool() -> ToolDefinition {
    ToolDefinition {
        name: "find".to_owned(),
        description: "Finds.".to_owned(),
        parameters: serde_json::json!({"type": "object"}),
    }
}

/// A step of a thread. Whatever it refers to is picked from the log so far.
#[derive(Debug, Clone)]
enum Step {
    Turn(String, Option<String>),
    Goes(Option<Omission>),
    Asked,
    Answered {
        text: String,
        calls: Vec<(String, bool, Option<Index>)>,
        input: Option<u64>,
        lost: Option<String>,
        ending: Ending,
    },
    Fact(Index, Fact),
    Rewound(Option<Index>),
    Compacted(Index, Option<String>),
    Undone,
    Other(Event),
}

#[derive(Debug, Clone)]
enum Fact {
    Started,
    Given(Decision, Option<String>, String),
    Cut(usize),
    Finished(ToolOutcome),
    Repeats(Index),
}

fn words() -> impl Strategy<Value = String> {
    "[a-c 查航]{0,12}"
}

fn fact() -> impl Strategy<Value = Fact> {
    let outcome = prop_oneof![
        4 => "[a-z查 ]{0,60}".prop_map(ToolOutcome::ok),
        1 => Just(ToolOutcome::ok(r#"{"content": [{"type": "text", "text": "as MCP has it"}]}"#)),
        1 => Just(ToolOutcome::left()),
        1 => words().prop_map(|text| ToolOutcome::Ok {
            content: vec![Content::Text(text)],
            page: PageEffect::Opened { site: "b.example".to_owned(), origin: "https://b.example".to_owned() },
        }),
        1 => words().prop_map(|message| ToolOutcome::Failed { code: ToolFailure::Page(FailureCode::Threw), message }),
        1 => Just(ToolOutcome::Declined),
        1 => Just(ToolOutcome::Cancelled),
        1 => Just(ToolOutcome::Interrupted),
        1 => Just(ToolOutcome::TimedOut { limit_ms: 30_000 }),
    ];
    let decision = prop_oneof![Just(Decision::Run), Just(Decision::Decline)];
    prop_oneof![
        3 => Just(Fact::Started),
        2 => (decision, proptest::option::of(words()), words()).prop_map(|(decision, arguments, words)| Fact::Given(decision, arguments, words)),
        1 => (0usize..20).prop_map(Fact::Cut),
        6 => outcome.prop_map(Fact::Finished),
        1 => any::<Index>().prop_map(Fact::Repeats),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let ending =
        prop_oneof![4 => Just(Ending::Natural), 1 => Just(Ending::Length), 1 => Just(Ending::Stopped)];
    // A call: its arguments, whether it is a question, and rarely an id that another call has.
    let call = ("[ab]", proptest::bool::weighted(0.1), proptest::option::weighted(0.05, any::<Index>()));
    let without = prop_oneof![Just(Omission::History), Just(Omission::PageContent)];
    let other = prop_oneof![
        Just(Event::TurnEnded { end: TurnEnd::Done }),
        Just(Event::TurnRevived { reasoning: String::new(), text: String::new() }),
        Just(Event::GuardLifted),
        words().prop_map(|text| Event::ModelFailed {
            error: ModelError::new(ErrorClass::Network, "gone"),
            reasoning: String::new(),
            text,
            retry_at: None,
        }),
    ];
    prop_oneof![
        3 => (words(), proptest::option::weighted(0.2, words())).prop_map(|(text, attached)| Step::Turn(text, attached)),
        2 => proptest::option::weighted(0.3, without).prop_map(Step::Goes),
        5 => Just(Step::Asked),
        5 => (words(), vec(call, 0..3), proptest::option::of(0u64..5_000), proptest::option::weighted(0.1, words()), ending)
            .prop_map(|(text, calls, input, lost, ending)| Step::Answered { text, calls, input, lost, ending }),
        8 => (any::<Index>(), fact()).prop_map(|(call, fact)| Step::Fact(call, fact)),
        1 => proptest::option::weighted(0.8, any::<Index>()).prop_map(Step::Rewound),
        1 => (any::<Index>(), proptest::option::of(words())).prop_map(|(until, summary)| Step::Compacted(until, summary)),
        1 => Just(Step::Undone),
        2 => other.prop_map(Step::Other),
    ]
}

fn picture() -> Picture {
    let media_type = PictureType::Jpeg;
    Picture { digest: "00".repeat(32), media_type, width: 800, height: 600, size: 9 }
}

/// The event of a step after this log.
fn event(step: Step, log: &[Entry]) -> Event {
    let ids: Vec<CallId> = log
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::ModelAnswered { calls, .. } => Some(calls.iter().map(|call| call.id.clone())),
            _ => None,
        })
        .flatten()
        .collect();
    // Most events are about the last calls.
    let recent = &ids[ids.len().saturating_sub(3)..];
    let pick = |ids: &[CallId], at: Index| match ids {
        [] => CallId::from("unknown"),
        ids => at.get(ids).clone(),
    };
    match step {
        Step::Turn(text, attached) => Event::TurnStarted {
            turn: "t".into(),
            pictures: if text.len() % 3 == 0 { vec![picture()] } else { Vec::new() },
            text,
            attached: attached
                .map(|text| Attachment {
                    what: Extract::Page,
                    origin: "https://a.example".to_owned(),
                    site: "a.example".to_owned(),
                    text,
                    whole: None,
                    signals: Vec::new(),
                })
                .into_iter()
                .collect(),
            page: PageRef::default(),
        },
        Step::Goes(without) => Event::TurnContinued { page: PageRef::default(), without },
        Step::Asked => Event::ModelAsked {
            provider: "deepseek".to_owned(),
            model: "deepseek-flash".to_owned(),
            tools: 0,
            offers: None,
        },
        Step::Answered { text, calls, input, lost, ending } => {
            let calls = calls
                .into_iter()
                .enumerate()
                .map(|(number, (arguments, asks, known))| {
                    let own = CallId(format!("{}.{number}", log.len()));
                    let id = known.filter(|_| !ids.is_empty()).map_or(own, |at| pick(&ids, at));
                    let record = CallRecord { id: "r".to_owned(), name: "find".to_owned(), arguments };
                    let question = asks.then(|| Question { text: "Which?".to_owned(), choices: Vec::new() });
                    Call { question, ..meant(id, record, None) }
                })
                .collect();
            let Event::ModelAnswered { reasoning, reasoning_ms, calls, cost, notes, provider_state, .. } =
                calling(calls)
            else {
                panic!("an answer")
            };
            let usage = input.map(|input| Usage { input: input.saturating_sub(500), ..Usage::default() });
            Event::ModelAnswered {
                reasoning,
                reasoning_ms,
                text,
                calls,
                usage,
                cost,
                ending,
                notes,
                lost,
                provider_state,
            }
        }
        Step::Fact(call, fact) => {
            let call = pick(recent, call);
            match fact {
                Fact::Started => Event::ToolStarted { call, allowed_by: None },
                Fact::Given(decision, arguments, words) => Event::ApprovalGiven {
                    call,
                    decision,
                    arguments,
                    secrets: Vec::new(),
                    off_pattern: false,
                    words,
                },
                Fact::Cut(given) => Event::ResultCut { call, cut: ResultCut { given, whole: 99 } },
                Fact::Finished(outcome) => Event::ToolFinished { call, outcome, duration_ms: 1 },
                Fact::Repeats(of) => {
                    let outcome = ToolOutcome::Repeated { of: pick(&ids, of) };
                    Event::ToolFinished { call, outcome, duration_ms: 0 }
                }
            }
        }
        Step::Rewound(behind) => {
            let behind = behind.filter(|_| !log.is_empty()).map(|at| at.index(log.len()));
            Event::Rewound { behind }
        }
        // A log that was tampered with may name a position after its own end.
        Step::Compacted(until, summary) => {
            Event::Compacted { until: until.index(log.len() + 3), summary, usage: None, cost: None }
        }
        Step::Undone => Event::CompactionUndone,
        Step::Other(event) => event,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// However a log grows, and however many entries are read at once.
    #[test]
    fn estimate_of_a_log_that_grew_is_that_of_the_whole_log(
        steps in vec((step(), proptest::bool::weighted(0.7)), 1..60),
        chinese in proptest::option::weighted(0.2, any::<Index>()),
    ) {
        let mut log = Vec::new();
        let mut context = ContextEstimate::default();
        let mut rules = rules();
        let change = chinese.map(|at| at.index(steps.len()));
        for (number, (step, is_looked_at)) in steps.into_iter().enumerate() {
            if change == Some(number) {
                rules.language = Language::Chinese;
            }
            log.push(Entry { at: 0, event: event(step, &log) });
            if is_looked_at {
                prop_assert_eq!(context.taken(&log, &rules), whole(&log, &rules, &[]), "entry {}", number);
            }
        }
        prop_assert_eq!(context.taken_with(&log, &rules, &[tool()]), whole(&log, &rules, &[tool()]));
    }

    /// The estimate tried before an entry is written is the estimate after it is written.
    #[test]
    fn estimate_without_results_is_that_of_the_log_that_leaves_them_out(
        steps in vec(step(), 1..30),
        until in 0usize..30,
    ) {
        let mut log = Vec::new();
        for step in steps {
            log.push(Entry { at: 0, event: event(step, &log) });
        }
        let mut context = ContextEstimate::default();
        let tried = context.taken_without_results(&log, until, &rules(), &[tool()]);
        log.push(Entry { at: 0, event: Event::Compacted { until, summary: None, usage: None, cost: None } });
        prop_assert_eq!(tried, whole(&log, &rules(), &[tool()]));
        prop_assert_eq!(context.taken_with(&log, &rules(), &[tool()]), tried);
    }
}

#[test]
fn estimate_reads_each_entry_once_while_a_turn_goes_on() {
    let mut log: Vec<Entry> = Vec::new();
    let mut context = ContextEstimate::default();
    let mut events = vec![event(Step::Turn("Find.".to_owned(), None), &[])];
    for number in 0..20 {
        let call = CallId(format!("c{number}"));
        let record = CallRecord { id: "r".to_owned(), name: "find".to_owned(), arguments: "{}".to_owned() };
        let outcome = ToolOutcome::ok("A flight at ten.".repeat(20));
        events.extend([
            event(Step::Asked, &[]),
            calling(vec![meant(call.clone(), record, None)]),
            Event::ToolStarted { call: call.clone(), allowed_by: None },
            Event::ToolFinished { call, outcome, duration_ms: 1 },
        ]);
    }
    for event in events {
        log.push(Entry { at: 0, event });
        assert!(context.read_next(&log), "{:?}", log.last());
        context.read += 1;
    }
    assert_eq!(context.taken(&log, &rules()), whole(&log, &rules(), &[]));
}
