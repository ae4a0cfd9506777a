//! `cargo xtask evals check` and `convert`: what a suite says, without a model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use sidecar_evals::lint::{Severity, lint};
use sidecar_evals::{EvalSuite, suite, tools};
use sidecar_protocol::settings::Language;

use super::files::{UNREADABLE, read, refused};

pub(super) fn check(suites: &[PathBuf], tools: Option<&Path>, language: Language) -> Result<ExitCode> {
    let tools = match tools {
        None => None,
        Some(file) => match tools::read(&read(file)?) {
            Ok(tools) => Some(tools),
            Err(fault) => return Ok(refused(file, &fault.sentence(language))),
        },
    };
    let mut code = 0;
    for file in suites {
        let suite = match suite::read(&read(file)?) {
            Ok(suite) => suite,
            Err(fault) => {
                refused(file, &fault.sentence(language));
                code = UNREADABLE;
                continue;
            }
        };
        let findings = lint(&suite, tools.as_deref());
        let is_wrong = findings.iter().any(|finding| finding.rule.severity() == Severity::Error);
        let mark = if is_wrong { "✗" } else { "✓" };
        println!("  {mark} {}: {} cases", file.display(), suite.cases.len());
        suite.notes.iter().for_each(|note| println!("    · {}", note.sentence(language)));
        for finding in &findings {
            let mark = match finding.rule.severity() {
                Severity::Error => "✗",
                Severity::Warning => "!",
                Severity::Info => "·",
            };
            println!("    {mark} {}", finding.sentence(language));
        }
        code = code.max(u8::from(is_wrong));
    }
    Ok(ExitCode::from(code))
}

pub(super) fn convert(file: &Path, language: Language) -> Result<ExitCode> {
    let suite: EvalSuite = match suite::read(&read(file)?) {
        Ok(suite) => suite,
        Err(fault) => return Ok(refused(file, &fault.sentence(language))),
    };
    suite.notes.iter().for_each(|note| eprintln!("{}", note.sentence(language)));
    println!("{}", serde_json::to_string_pretty(&suite.plain())?);
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use std::fs;

    use super::*;
    use crate::paths;

    fn checked(suite: &str, tools: &str) -> ExitCode {
        let folder = TempDir::new().unwrap();
        let [suite, tools] = [("suite.json", suite), ("tools.json", tools)].map(|(name, text)| {
            let file = folder.path().join(name);
            fs::write(&file, text).unwrap();
            file
        });
        check(&[suite], Some(&tools), Language::English).unwrap()
    }

    #[test]
    fn exit_code_says_whether_verdicts_would_be_wrong() {
        let tools = r#"{"tools": [{"name": "search", "inputSchema": {}}]}"#;
        let of = |name: &str| format!(r#"[{{"expectedCall": [{{"functionName": "{name}"}}]}}]"#);
        for (suite, tools, code) in [
            (of("search").as_str(), tools, 0),
            (of("find").as_str(), tools, 1),
            ("{}", tools, UNREADABLE),
            (of("search").as_str(), "[{}]", UNREADABLE),
        ] {
            assert_eq!(checked(suite, tools), ExitCode::from(code), "{suite} {tools}");
        }
    }

    #[test]
    fn suites_of_our_own_have_no_finding() {
        let folder = paths::root().join("tests/evals");
        let tools = tools::read(&fs::read(folder.join("flights.tools.json")).unwrap()).unwrap();
        let suite = suite::read(&fs::read(folder.join("flights.json")).unwrap()).unwrap();
        assert!(suite.cases.len() >= 10);
        assert_eq!(
            (suite.notes, lint(&EvalSuite { notes: Vec::new(), ..suite }, Some(&tools))),
            (vec![], vec![])
        );
    }
}
