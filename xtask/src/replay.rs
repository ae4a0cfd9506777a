//! Replays a recorded response, or a folder of them, as the extension would read it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::PossibleValuesParser;
use serde::Deserialize;
use sidecar_llm::replay::{Expectations, PROTOCOLS, Recording, every_boundary, protocol};

use crate::say;

/// The file extension of recordings.
const ENDING: &str = ".txt";

/// What to read, and how.
#[derive(Debug, Clone, clap::Args)]
pub struct ReplayOptions {
    /// The body of a response; with --expected, a folder of them (*.txt)
    path: PathBuf,
    /// The protocol in which it is written
    #[arg(long, value_parser = PossibleValuesParser::new(PROTOCOLS.map(|(name, _)| name)))]
    #[arg(required_unless_present = "expected", conflicts_with = "expected")]
    protocol: Option<String>,
    /// The HTTP status with which it came
    #[arg(long, value_name = "STATUS", default_value_t = 200, conflicts_with = "expected")]
    http_status: u16,
    /// Read it in pieces of so many bytes
    #[arg(long, value_name = "BYTES", conflicts_with_all = ["every_boundary", "expected"])]
    chunk: Option<usize>,
    /// The tools that were offered, a JSON array of {name, inputSchema}: their calls are looked for in the text
    #[arg(long, value_name = "FILE", conflicts_with = "expected")]
    tools: Option<PathBuf>,
    /// Read it cut in two at every place, and byte by byte: it must come to the same
    #[arg(long)]
    every_boundary: bool,
    /// What the recordings of the folder come to; each field is compared, and no file may be left out
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,
}

/// Print what is decoded from a recording, or whether the recordings of a folder match what is expected.
pub fn run(selection: &ReplayOptions) -> Result<ExitCode> {
    let is_well = match &selection.expected {
        Some(expected) => folder(&selection.path, expected, selection.every_boundary)?,
        None => file(selection)?,
    };
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn file(selection: &ReplayOptions) -> Result<bool> {
    let body = fs::read(&selection.path).with_context(|| cannot_read(&selection.path))?;
    let name = selection.protocol.as_deref().unwrap_or_default();
    let protocol = protocol(name).ok_or_else(|| anyhow!("`{name}` is no protocol"))?;
    let offered = selection.tools.as_deref().map(names).transpose()?;
    let offered = offered.as_deref();
    let recording = Recording { protocol, http_status: selection.http_status, body: &body, offered };
    let (outcome, differing) = match selection.chunk {
        Some(bytes) => (recording.read_chunks(bytes), Vec::new()),
        None if selection.every_boundary => {
            let boundaries = every_boundary(&recording);
            (boundaries.whole, boundaries.differing)
        }
        None => (recording.read(), Vec::new()),
    };
    println!("{}", serde_json::to_string_pretty(&outcome)?);
    for at in &differing {
        eprintln!("cut at byte {at} it comes to something else");
    }
    Ok(differing.is_empty())
}

/// A tool in the format of pages and the Model Context Protocol; only its name is used here.
#[derive(Deserialize)]
struct NamedTool {
    name: String,
}

fn names(file: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(file).with_context(|| cannot_read(file))?;
    let tools: Vec<NamedTool> =
        serde_json::from_str(&text).with_context(|| format!("{} is no list of tools", file.display()))?;
    Ok(tools.into_iter().map(|tool| tool.name).collect())
}

fn folder(folder: &Path, expected: &Path, every_cut: bool) -> Result<bool> {
    let text = fs::read_to_string(expected).with_context(|| cannot_read(expected))?;
    let expectations: Expectations = serde_json::from_str(&text)
        .with_context(|| format!("{} is no list of expectations", expected.display()))?;
    let recordings = recordings(folder)?;
    if recordings.is_empty() {
        bail!("there is no recording (*{ENDING}) in {}", folder.display());
    }
    let found = expectations.check(&recordings, every_cut);
    for (name, wrong) in &found {
        println!("  {} {name}", if wrong.is_empty() { "✓" } else { "✗" });
        wrong.iter().for_each(say::note);
    }
    let failed = found.values().filter(|wrong| !wrong.is_empty()).count();
    println!("{} passed, {failed} failed", found.len() - failed);
    Ok(failed == 0)
}

/// The recordings of a folder, by file name.
fn recordings(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut recordings = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| cannot_read(folder))? {
        let entry = entry.with_context(|| cannot_read(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(ENDING) {
            let body = fs::read(entry.path()).with_context(|| cannot_read(&entry.path()))?;
            recordings.insert(name, body);
        }
    }
    Ok(recordings)
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct ReplayCommand {
        #[command(flatten)]
        selection: ReplayOptions,
    }

    fn selection(arguments: &[&str]) -> Result<ReplayOptions, clap::Error> {
        let words = ["replay"].iter().chain(arguments);
        ReplayCommand::try_parse_from(words).map(|line| line.selection)
    }

    /// A folder with a stream and its expected outcome.
    fn stage(text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n";
        fs::write(folder.path().join("hi.txt"), stream).unwrap();
        let expected = format!(
            r#"{{"items":[{{"file":"hi.txt","protocol":"openai-chat",
                "expected":{{"text":"{text}","finish_reason":"stop"}}}}]}}"#
        );
        fs::write(folder.path().join("expected.json"), expected).unwrap();
        folder
    }

    #[test]
    fn folder_passes_only_when_all_of_it_is_as_expected() {
        let judged = |folder: &tempfile::TempDir| {
            let expected = folder.path().join("expected.json");
            [false, true].map(|every_cut| super::folder(folder.path(), &expected, every_cut).unwrap())
        };
        let good = stage("Hi");
        assert_eq!(judged(&good), [true, true]);
        assert_eq!(judged(&stage("Ho")), [false, false]);
        fs::write(good.path().join("left-out.txt"), "data: [DONE]\n\n").unwrap();
        assert_eq!(judged(&good), [false, false]);
        fs::remove_file(good.path().join("hi.txt")).unwrap();
        fs::remove_file(good.path().join("left-out.txt")).unwrap();
        assert!(super::folder(good.path(), &good.path().join("expected.json"), false).is_err());
    }

    #[test]
    fn file_is_read_in_its_protocol() {
        let folder = stage("Hi");
        let path = folder.path().join("hi.txt").display().to_string();
        for how in [vec![], vec!["--chunk", "3"], vec!["--every-boundary"], vec!["--http-status", "500"]] {
            let words: Vec<_> = [path.as_str(), "--protocol", "openai-chat"].into_iter().chain(how).collect();
            assert!(file(&selection(&words).unwrap()).unwrap(), "{words:?}");
        }
    }

    #[test]
    fn tools_are_read_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tools.json");
        fs::write(&file, r#"[{"name":"find","inputSchema":{"type":"object"}},{"name":"list"}]"#).unwrap();
        assert_eq!(names(&file).unwrap(), ["find", "list"]);
        fs::write(&file, r#"{"tools":[]}"#).unwrap();
        assert!(names(&file).is_err());
    }

    #[test]
    fn file_has_a_protocol_and_a_folder_has_expectations() {
        assert!(selection(&["a.txt", "--protocol", "gemini"]).is_ok());
        assert!(selection(&["a", "--expected", "b", "--every-boundary"]).is_ok());
        for words in [
            &["a.txt"][..],
            &["a.txt", "--protocol", "morse"],
            &["a", "--expected", "b", "--protocol", "gemini"],
            &["a.txt", "--protocol", "gemini", "--chunk", "2", "--every-boundary"],
        ] {
            assert!(selection(words).is_err(), "{words:?}");
        }
    }
}
