//! `cargo xtask tools`: what developers of sites need for their tools.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use sidecar_evals::suite::{self, EvalSuite};
use sidecar_lint::contract::{self, ChangeClass, ContractFault, ContractSnapshot};
use sidecar_lint::{LintSeverity, LintedPage, RuleOverrides, lint, read_tools};
use sidecar_protocol::settings::Language;

use crate::spoken::Spoken;

/// A file cannot be read.
const UNREADABLE: u8 = 2;

/// Say what is wrong with a site's tools, and what a new version of them breaks
#[derive(Args)]
pub struct ToolsOptions {
    #[command(subcommand)]
    task: ToolsTask,
    /// Language of what is said
    #[arg(long, global = true, value_enum, default_value = "en")]
    language: Spoken,
}

#[derive(Subcommand)]
enum ToolsTask {
    /// Say what is wrong with tools. Ends with 1 if there is an error, and with 2 if a file cannot be read
    Lint {
        /// Tools: files as webmcp-evals keeps them, or snapshots
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Severities by rule, as `{"param-count": "off"}`
        #[arg(long, value_name = "FILE")]
        rules: Option<PathBuf>,
    },
    /// Keep a snapshot of tools, and compare a later one with it
    #[command(subcommand)]
    Contract(ContractTask),
}

#[derive(Subcommand)]
enum ContractTask {
    /// Print the snapshot of a file with tools
    Snapshot {
        /// Tools: a file as webmcp-evals keeps it
        file: PathBuf,
        /// When they were registered (RFC 3339)
        #[arg(long, default_value = "")]
        taken: String,
    },
    /// Say what changed between two snapshots. Ends with 1 if a change breaks calls or concerns safety, and with 2 if a file
    /// cannot be read
    Compare {
        /// The earlier snapshot
        before: PathBuf,
        /// The later one
        after: PathBuf,
        /// A suite of evals, whose cases are named that call what changed; several times for several
        #[arg(long = "suite", value_name = "FILE")]
        suites: Vec<PathBuf>,
    },
}

/// Does what was asked for.
pub fn run(options: &ToolsOptions) -> Result<ExitCode> {
    let language = options.language.into();
    let code = match &options.task {
        ToolsTask::Lint { files, rules } => lint_files(files, rules.as_deref(), language),
        ToolsTask::Contract(ContractTask::Snapshot { file, taken }) => snapshot(file, taken, language),
        ToolsTask::Contract(ContractTask::Compare { before, after, suites }) => {
            compare(before, after, suites, language)
        }
    };
    Ok(ExitCode::from(code))
}

fn lint_files(files: &[PathBuf], rules: Option<&Path>, language: Language) -> u8 {
    let overrides = |file: &[u8]| {
        serde_json::from_slice::<RuleOverrides>(file)
            .map_err(|error| ContractFault::Json(error.to_string()).sentence(language))
    };
    let rules = match rules.map(|file| read(file, overrides)) {
        None => RuleOverrides::default(),
        Some(Some(rules)) => rules,
        Some(None) => return UNREADABLE,
    };
    let mut code = 0;
    for file in files {
        let Some(page) = page(file, language) else {
            code = UNREADABLE;
            continue;
        };
        let findings = rules.applied(lint(&page));
        let is_wrong = findings.iter().any(|finding| finding.severity == LintSeverity::Error);
        println!("  {} {}: {} tools", if is_wrong { "✗" } else { "✓" }, file.display(), page.tools.len());
        for finding in &findings {
            let mark = match finding.severity {
                LintSeverity::Error => "✗",
                LintSeverity::Warning => "!",
                LintSeverity::Info | LintSeverity::Off => "·",
            };
            println!("    {mark} {}", finding.sentence(language));
            if !finding.excerpt.is_empty() {
                println!("        {}", finding.excerpt);
            }
        }
        code = code.max(u8::from(is_wrong));
    }
    code
}

fn snapshot(file: &Path, taken: &str, language: Language) -> u8 {
    let Some(page) = page(file, language) else { return UNREADABLE };
    print!("{}", ContractSnapshot::of(&page.tools, taken).to_json());
    0
}

fn compare(before: &Path, after: &Path, suites: &[PathBuf], language: Language) -> u8 {
    let contract = |bytes: &[u8]| contract::read(bytes).map_err(|fault| fault.sentence(language));
    let suite = |bytes: &[u8]| suite::read(bytes).map_err(|fault| fault.sentence(language));
    let snapshots = [before, after].map(|file| read(file, contract));
    let suites: Option<Vec<_>> = suites.iter().map(|file| read(file, suite)).collect();
    let ([Some(before), Some(after)], Some(suites)) = (snapshots, suites) else { return UNREADABLE };
    let mut changes = contract::compare(&before, &after);
    let mut cases = BTreeMap::<_, Vec<_>>::new();
    for (tool, names) in suites.iter().flat_map(EvalSuite::cases_by_tool) {
        cases.entry(tool).or_default().extend(names);
    }
    contract::name_cases(&mut changes, &cases);
    for change in &changes {
        let mark = match change.kind.class() {
            ChangeClass::Breaking => "✗",
            ChangeClass::Safety => "!",
            ChangeClass::Behavioural => "~",
            ChangeClass::Compatible => "·",
        };
        println!("  {mark} {}", change.sentence(language));
        change.cases_sentence(language).iter().for_each(|cases| println!("      {cases}"));
    }
    u8::from(changes.iter().any(|change| change.kind.class() <= ChangeClass::Safety))
}

/// Reads a file with tools; says why if it cannot be read.
fn page(file: &Path, language: Language) -> Option<LintedPage> {
    read(file, |bytes| read_tools(bytes).map_err(|fault| fault.sentence(language)))
}

/// Reads a file; says why if it cannot be read.
fn read<T>(file: &Path, reader: impl Fn(&[u8]) -> Result<T, String>) -> Option<T> {
    let why = match fs::read(file) {
        Ok(bytes) => match reader(&bytes) {
            Ok(read) => return Some(read),
            Err(why) => why,
        },
        Err(error) => error.to_string(),
    };
    eprintln!("  ✗ {}: {why}", file.display());
    None
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const CLEAN: &str = r#"{"tools": [{"name": "listFlights", "description": "Lists the flights of a day.", "inputSchema": {}}]}"#;

    /// Files in a folder, which lasts as long as they are needed.
    fn files<const N: usize>(texts: [&str; N]) -> (TempDir, [PathBuf; N]) {
        let folder = TempDir::new().unwrap();
        let mut number = 0;
        let files = texts.map(|text| {
            number += 1;
            let file = folder.path().join(format!("{number}.json"));
            fs::write(&file, text).unwrap();
            file
        });
        (folder, files)
    }

    #[test]
    fn lint_ends_with_what_it_found() {
        let bad = CLEAN.replace("listFlights", "list flights");
        for (text, rules, code) in [
            (CLEAN, "{}", 0),
            (&bad, "{}", 1),
            (&bad, r#"{"tool-name-valid": "info"}"#, 0),
            (CLEAN, r#"{"tool-title-missing": "error"}"#, 1),
            (CLEAN, "[]", UNREADABLE),
            ("{", "{}", UNREADABLE),
        ] {
            let (_folder, [file, rules]) = files([text, rules]);
            assert_eq!(lint_files(&[file], Some(&rules), Language::English), code, "{text}");
        }
        assert_eq!(lint_files(&["none.json".into()], None, Language::English), UNREADABLE);
    }

    #[test]
    fn comparison_ends_with_what_changed() {
        let (_folder, [tools, _]) = files([CLEAN, ""]);
        let page = page(&tools, Language::English).unwrap();
        let before = ContractSnapshot::of(&page.tools, "2026-11-26T10:00:00Z").to_json();
        let reworded = before.replace("Lists the", "Shows the");
        let hinted =
            before.replace("\"description\"", "\"annotations\": {\"readOnlyHint\": true}, \"description\"");
        let gone = r#"{"format": "webmcp-contract", "version": 1, "tools": []}"#;
        for (after, code) in
            [(before.as_str(), 0), (&reworded, 0), (&hinted, 1), (gone, 1), ("[]", UNREADABLE)]
        {
            let (_folder, [before, after]) = files([&before, after]);
            assert_eq!(compare(&before, &after, &[], Language::English), code);
        }
        let suite = r#"[{"expectedCall": [{"functionName": "listFlights"}]}]"#;
        for (suite, code) in [(suite, 1), ("{}", UNREADABLE)] {
            let (_folder, [before, after, suite]) = files([&before, gone, suite]);
            assert_eq!(compare(&before, &after, &[suite], Language::English), code);
        }
    }
}
