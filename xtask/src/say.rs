//! Terminal output: one line for each step, with its duration.

use std::fmt::Display;
use std::time::{Duration, Instant};

use anyhow::Result;

/// Run a step, which returns a short summary.
pub fn step(name: &str, work: impl FnOnce() -> Result<String>) -> Result<()> {
    let started = Instant::now();
    let outcome = work();
    let took = seconds(started.elapsed());
    match &outcome {
        Ok(detail) => println!("  ✓ {name}: {detail} ({took})"),
        Err(_) => println!("  ✗ {name} ({took})"),
    }
    outcome.map(drop)
}

/// Run a stage whose steps or programs print their own output.
pub fn stage<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("▸ {name}");
    let started = Instant::now();
    let outcome = work();
    let took = seconds(started.elapsed());
    match &outcome {
        Ok(_) => println!("▸ {name}: done in {took}"),
        Err(_) => println!("▸ {name}: failed after {took}"),
    }
    outcome
}

/// Announce that something long begins or goes on.
pub fn note(what: impl Display) {
    println!("    {what}");
}

/// A duration for people.
pub fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(seconds(Duration::from_millis(340)), "0.3 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 05 s");
    }
}
