//! `context ROUNDS`: a turn of 20 calls at the end of a thread of 2,000 entries, ROUNDS times. Prints as
//! JSON, for each round, the milliseconds spent estimating the context: in the worker, for each entry that
//! changes what the panel shows of it, and in the turn, before each request.
#![allow(clippy::print_stdout)] // its output is its result

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sidecar_agent::log::Entry;
use sidecar_agent::{ContextEstimate, Event, Rules, context};
use sidecar_protocol::settings::{Language, Limits, Mode};
use sidecar_protocol::thread::ToolOutcome;

const ENTRIES: usize = 2_000;
const CALLS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = std::env::args().nth(1).ok_or("ROUNDS is missing")?.parse()?;
    let rules = Rules {
        mode: Mode::Automatic,
        limits: Limits::default(),
        language: Language::English,
        today: "today".to_owned(),
    };
    let thread = entries((0..ENTRIES / 5).flat_map(exchange))?;
    let turn = entries((ENTRIES / 5..ENTRIES / 5 + CALLS).flat_map(exchange))?;
    let mut samples = Vec::new();
    for _ in 0..rounds {
        samples.push(format!("{:.4}", round(&thread, &turn, &rules).as_secs_f64() * 1000.0));
    }
    println!("{{\"samples\":[{}]}}", samples.join(","));
    Ok(())
}

fn round(thread: &[Entry], turn: &[Entry], rules: &Rules) -> Duration {
    let mut log = thread.to_vec();
    // The thread was shown before the turn begins.
    let (mut shown, mut told) = (ContextEstimate::default(), ContextEstimate::default());
    shown.taken(&log, rules);
    told.taken(&log, rules);
    let mut spent = Duration::ZERO;
    for entry in turn {
        log.push(entry.clone());
        let asks = matches!(entry.event, Event::ModelAsked { .. });
        let started = Instant::now();
        if context::counts(&entry.event) {
            std::hint::black_box(shown.taken(&log, rules));
        }
        if asks {
            std::hint::black_box(told.taken(&log[..log.len() - 1], rules));
        }
        spent += started.elapsed();
    }
    spent
}

/// A request, an answer with one call, and its result of 1,500 characters.
fn exchange(number: usize) -> Vec<Value> {
    let id = format!("t.{number}.0");
    let outcome = ToolOutcome::ok("A flight. ".repeat(150));
    let record = json!({"id": id, "name": "find", "arguments": format!("{{\"page\":{number}}}")});
    let first = match number % 20 {
        0 => json!({"event": "turnStarted", "turn": "t", "text": "Find the next flights.", "page": {}}),
        _ => json!({"event": "guardLifted"}),
    };
    vec![
        first,
        json!({"event": "modelAsked", "provider": "deepseek", "model": "deepseek-flash", "tools": 4}),
        json!({"event": "modelAnswered", "reasoning": "", "text": "I look at the next page.", "ending": "natural",
            "calls": [{"id": id, "record": record}],
            "usage": {"input": 1000 + 400 * number, "cached": 0, "output": 20, "reasoning": 0}}),
        json!({"event": "toolStarted", "call": id}),
        json!({"event": "toolFinished", "call": id, "outcome": outcome, "durationMs": 5}),
    ]
}

fn entries(events: impl Iterator<Item = Value>) -> Result<Vec<Entry>, serde_json::Error> {
    events
        .map(|mut event| {
            event["at"] = json!(1);
            serde_json::from_value(event)
        })
        .collect()
}
