//! `cargo xtask evals check` and `convert`: what a suite says, without a model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use sidecar_evals::lint::lint;
use sidecar_evals::simulation::is_file_of_simulations;
use sidecar_evals::{EvalSuite, scripted, suite, tools};
use sidecar_protocol::lint::NoteWeight;
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
        let bytes = read(file)?;
        let text = String::from_utf8_lossy(&bytes);
        if is_file_of_simulations(&text) {
            match scripted::read(&text) {
                Ok((suite, _)) => println!("  ✓ {}: {} simulations", file.display(), suite.cases.len()),
                Err(fault) => {
                    refused(file, &fault.sentence(language));
                    code = UNREADABLE;
                }
            }
            continue;
        }
        let suite = match suite::read(&bytes) {
            Ok(suite) => suite,
            Err(fault) => {
                refused(file, &fault.sentence(language));
                code = UNREADABLE;
                continue;
            }
        };
        let findings = lint(&suite, tools.as_deref());
        let is_wrong = findings.iter().any(|finding| finding.rule.severity() == NoteWeight::Error);
        let mark = if is_wrong { "✗" } else { "✓" };
        println!("  {mark} {}: {} cases", file.display(), suite.cases.len());
        suite.notes.iter().for_each(|note| println!("    · {}", note.sentence(language)));
        for finding in &findings {
            let mark = match finding.rule.severity() {
                NoteWeight::Error => "✗",
                NoteWeight::Warning => "!",
                NoteWeight::Info => "·",
            };
            println!("    {mark} {}", finding.sentence(language));
        }
        code = code.max(u8::from(is_wrong));
    }
    Ok(ExitCode::from(code))
}

pub(super) fn convert(file: &Path, language: Language) -> Result<ExitCode> {
    let bytes = read(file)?;
    if is_file_of_simulations(&String::from_utf8_lossy(&bytes)) {
        return Ok(refused(file, "these are simulations, which are run as they are: --mode simulation"));
    }
    let suite: EvalSuite = match suite::read(&bytes) {
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

    use serde_json::Value;
    use sidecar_agent::browser_tools::TOOLS;
    use sidecar_evals::tools::SuiteTool;

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
        let simulation = |more: &str| format!(r#"[{{"userMessage": "Book it", {more}}}]"#);
        for (suite, tools, code) in [
            (of("search").as_str(), tools, 0),
            (of("find").as_str(), tools, 1),
            ("{}", tools, UNREADABLE),
            (
                &simulation(r#""assertions": [{"type": "dom", "selector": "a", "expect": {"count": 1}}]"#),
                tools,
                0,
            ),
            (&simulation(r#""successCriteria": "It is booked.""#), tools, UNREADABLE),
            (of("search").as_str(), "[{}]", UNREADABLE),
        ] {
            assert_eq!(checked(suite, tools), ExitCode::from(code), "{suite} {tools}");
        }
    }

    /// A file of `tests/evals`.
    fn own(name: &str) -> Vec<u8> {
        fs::read(paths::root().join("tests/evals").join(name)).unwrap()
    }

    #[test]
    fn suites_of_our_own_have_no_finding() {
        for (name, least) in [("flights", 10), ("shop", 10), ("shopping", 10), ("page-actions", 6)] {
            let tools = tools::read(&own(&format!("{name}.tools.json"))).unwrap();
            let suite = suite::read(&own(&format!("{name}.json"))).unwrap();
            assert!(suite.cases.len() >= least, "{name}");
            let notes = suite.notes.clone();
            let findings = lint(&EvalSuite { notes: Vec::new(), ..suite }, Some(&tools));
            assert_eq!((notes, findings), (vec![], vec![]), "{name}");
        }
    }

    #[test]
    fn tools_of_our_own_suites_are_those_of_the_product() {
        let file = fs::read(paths::root().join("skills/demo-shop/webmcp/skill.json")).unwrap();
        let skill: Value = serde_json::from_slice(&file).unwrap();
        let shop = skill["tools"].as_array().unwrap().iter().map(|tool| SuiteTool {
            name: tool["name"].as_str().unwrap().to_owned(),
            description: tool["description"]["en"].as_str().unwrap().to_owned(),
            input_schema: tool["inputSchema"].clone(),
        });
        assert_eq!(tools::read(&own("shop.tools.json")).unwrap(), shop.collect::<Vec<_>>());
        let pages = TOOLS.iter().map(|tool| SuiteTool {
            name: tool.name.to_owned(),
            description: tool.description.to_owned(),
            input_schema: serde_json::from_str(tool.schema).unwrap(),
        });
        assert_eq!(tools::read(&own("page-actions.tools.json")).unwrap(), pages.collect::<Vec<_>>());
    }
}
