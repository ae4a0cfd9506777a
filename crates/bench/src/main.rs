//! `decode FILE PIECE ROUNDS`: decodes a recorded stream ROUNDS times, in pieces of PIECE bytes. Prints JSON:
//! the milliseconds of each round, and the lengths of the answer's parts.
#![allow(clippy::print_stdout)] // prints its result

mod reading;

use std::fs;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what| arguments.next().with_context(|| format!("{what} is missing"));
    let (file, piece, rounds) = (next("FILE")?, next("PIECE")?.parse()?, next("ROUNDS")?.parse()?);
    let body = fs::read(&file).with_context(|| format!("cannot read {file}"))?;

    let mut lengths = [0; 3];
    let mut samples = Vec::<String>::new();
    for _ in 0..rounds {
        let started = Instant::now();
        lengths = reading::lengths(body.chunks(piece).map(<[u8]>::to_vec)).map_err(|error| anyhow!(error))?;
        samples.push(format!("{:.4}", started.elapsed().as_secs_f64() * 1000.0));
    }
    println!("{{\"lengths\":{lengths:?},\"samples\":[{}]}}", samples.join(","));
    Ok(())
}
