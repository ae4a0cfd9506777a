//! The streams under `fixtures/`, one folder for each quirk, compared with their `expected.json`: in one
//! piece, cut in two at every position, and byte by byte.

#![allow(clippy::unwrap_used)] // all of it is a test

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sidecar_llm::replay::{Expectations, PROTOCOLS, Recording, protocol};

fn folders() -> Vec<PathBuf> {
    let fixtures = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("fixtures");
    let mut folders: Vec<_> = fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn expectations(folder: &Path) -> Expectations {
    let text = fs::read_to_string(folder.join("expected.json")).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", folder.display()))
}

fn recordings(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let streams = files.filter(|file| file.extension().is_some_and(|ending| ending == "txt"));
    streams
        .map(|file| (file.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&file).unwrap()))
        .collect()
}

#[test]
fn every_stream_comes_to_what_is_expected() {
    let mut wrong = Vec::new();
    for folder in folders() {
        let quirk = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let found = expectations(&folder).check(&recordings(&folder), true);
        assert!(!found.is_empty(), "{quirk} has no stream");
        for (file, what) in found {
            wrong.extend(what.into_iter().map(|what| format!("{quirk}/{file}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// In the plainest way: decodes each stream from the start for every position.
#[test]
fn no_cut_makes_a_difference() {
    for folder in folders() {
        let bodies = recordings(&folder);
        for item in expectations(&folder).items {
            let (protocol, body) = (protocol(&item.protocol).unwrap(), &bodies[&item.file]);
            let recording = Recording { protocol, http_status: item.http_status, body, offered: None };
            let whole = recording.read();
            for at in 0..=body.len() {
                let (head, tail) = body.split_at(at);
                assert_eq!(recording.read_pieces([head, tail]), whole, "{} cut at byte {at}", item.file);
            }
        }
    }
}

#[test]
fn every_protocol_has_its_share() {
    let items: Vec<_> = folders().iter().flat_map(|folder| expectations(folder).items).collect();
    for (name, _) in PROTOCOLS {
        let share = items.iter().filter(|item| item.protocol == name).count();
        assert!(share >= 10, "{name} has {share} streams");
    }
}
