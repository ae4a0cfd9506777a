//! The time limit of a test.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestError, TestRunner};

/// Number of cases between two readings of the clock.
const CASES: u32 = 16;

/// Tries values until the time is up.
///
/// # Panics
/// If a value violates the property: with the smallest such value that was found.
#[track_caller]
pub fn spend<S>(strategy: &S, property: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S: Strategy,
    S::Value: Debug,
{
    let end = Instant::now() + duration();
    let config = ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() };
    while Instant::now() < end {
        // A new runner each time: one that has run its cases tries no more.
        match TestRunner::new(config.clone()).run(strategy, &property) {
            Ok(()) => {}
            Err(TestError::Fail(why, value)) => panic!("{why}\nfound with: {value:#?}"),
            Err(TestError::Abort(why)) => panic!("{why}"),
        }
    }
}

/// Runs something that must be fast for any input: whatever takes quadratic time is too slow.
///
/// # Panics
/// If it took longer than ten seconds, which no machine needs for a text of these tests.
#[track_caller]
pub fn hurry<T>(work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = work();
    assert!(started.elapsed() < Duration::from_secs(10), "it took {:?}", started.elapsed());
    done
}

fn duration() -> Duration {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(2))
}
