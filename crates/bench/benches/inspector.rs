//! `inspector FORM TOOLS SUITE ROUNDS`: plans the form of a schema, looks at tools as the inspector's module does, and reads a
//! suite, ROUNDS times each. Prints as JSON, for each, the milliseconds of each round, the size of what was read in bytes,
//! and how many fields, notes or cases came of it. Loads values into generated forms, too: for each round, the milliseconds
//! of the slowest of them.
#![allow(clippy::print_stdout)] // its output is its result

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::Instant;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use sidecar_evals::suite;
use sidecar_form::testing::{any_arguments, any_schema};
use sidecar_form::{FormNode, FormState, plan};
use sidecar_lint::exchange;

/// Generated schemas, each with generated arguments.
const GENERATED: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what| arguments.next().ok_or(what);
    let form = fs::read_to_string(next("FORM is missing")?)?;
    let tools = fs::read_to_string(next("TOOLS are missing")?)?;
    let suite = fs::read(next("SUITE is missing")?)?;
    let rounds: usize = next("ROUNDS is missing")?.parse()?;

    let (form, of_form) = timed(rounds, form.len(), || empty_form(&form));
    let (notes, of_lint) = timed(rounds, tools.len(), || exchange::answer(&tools));
    let (read, of_suite) = timed(rounds, suite.len(), || suite::read(&suite));
    let notes: Vec<Value> = serde_json::from_str(&notes)?;
    let cases = read.map_err(|fault| format!("{fault:?}"))?.cases;
    println!(
        "{}",
        json!({
            // Without the arguments as a whole.
            "plan": with_count(of_form, fields(form?.root()) - 1),
            "lint": with_count(of_lint, notes.len()),
            "suite": with_count(of_suite, cases.len()),
            "generated": with_count(json!({"samples": slowest(rounds)?}), GENERATED),
        })
    );
    Ok(())
}

/// What came of it the first time, which is not counted, and what there is to tell of the others.
fn timed<T>(rounds: usize, bytes: usize, act: impl Fn() -> T) -> (T, Value) {
    let first = act();
    let sample = |_| {
        let started = Instant::now();
        let done = black_box(act());
        let took = started.elapsed();
        drop(done);
        took.as_secs_f64() * 1000.0
    };
    let samples: Vec<f64> = (0..rounds).map(sample).collect();
    (first, json!({"samples": samples, "bytes": bytes}))
}

/// The empty form of a schema, as a workbench makes it.
fn empty_form(schema: &str) -> Result<FormState, serde_json::Error> {
    Ok(FormState::new(&plan(&serde_json::from_str(schema)?)))
}

/// For each round, the slowest of the generated forms that are planned, loaded and emitted.
fn slowest(rounds: usize) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut runner = TestRunner::deterministic();
    let mut forms = Vec::new();
    for _ in 0..GENERATED {
        let form = (any_schema(), any_arguments()).new_tree(&mut runner);
        forms.push(form.map_err(|reason| reason.to_string())?.current());
    }
    let took = |(schema, text): &(Value, String)| {
        let started = Instant::now();
        let _ = black_box(FormState::load(&plan(schema), text).emit());
        started.elapsed().as_secs_f64() * 1000.0
    };
    Ok((0..rounds).map(|_| forms.iter().map(took).fold(0.0, f64::max)).collect())
}

/// The number of fields that are shown, this one included.
fn fields(node: &FormNode) -> usize {
    1 + node.shown_members().iter().map(|member| fields(&member.node)).sum::<usize>()
}

fn with_count(mut told: Value, count: usize) -> Value {
    told["count"] = json!(count);
    told
}
