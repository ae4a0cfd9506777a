//! Calls a page's tools with made-up arguments, without a suite and without a model: what a schema allows has to work, and
//! what it does not allow has to be refused.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use serde_json::Value;
use sidecar_evals::RunOutcome;
use sidecar_evals::exchange::{LedInput, LedStep};
use sidecar_evals::page::{ListedTool, PageResult};
use sidecar_evals::reason::RunReason;
use sidecar_evals::record::RunRecord;
use sidecar_evals::smoke::{SmokeCall, SmokeCase};
use sidecar_form::{ArgumentSet, sets};
use sidecar_lint::{
    FoundTool, InputFit, LintSeverity, LintedOutcome, LintedRun, ToolFinding, ToolRule, lint_result,
};
use sidecar_locales::quoted;
use sidecar_protocol::settings::Language;
use sidecar_protocol::{FrameId, Risk};

use super::files::unusable;
use super::options::RunOptions;
use super::output::{BELOW, NOTHING_JUDGED};
use super::page::PageProgram;
use super::service::ms;
use super::smoke::{make, take};
use crate::e2e::SuiteSetup;

/// Maximum characters of a tool's name in a line.
const MOST_NAME: usize = 60;

/// Maximum characters of arguments in a line.
const MOST_ARGUMENTS: usize = 120;

/// A page whose tools are called.
trait TrialPage {
    /// Loads it anew.
    fn open(&mut self) -> Result<(), RunReason>;

    /// Takes a step.
    fn take(&mut self, step: LedStep) -> Result<LedInput, RunReason>;
}

/// Which tools of a page are called.
#[derive(Debug, PartialEq)]
struct PickedTools<'t> {
    called: Vec<&'t ListedTool>,
    /// May act, and nobody named them.
    unnamed: Vec<&'t str>,
    /// Named, and nobody allowed their calls.
    consequential: Vec<&'t str>,
}

/// What came of a tool with one set of arguments.
struct TrialCall {
    set: ArgumentSet,
    fit: InputFit,
    record: RunRecord,
    findings: Vec<ToolFinding>,
}

/// What a call says of its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TrialVerdict {
    /// Nothing: nobody can tell what has to come.
    Unjudged,
    Good,
    Doubtful,
    Bad,
}

/// Calls the tools of the page, and says what came of it.
pub(super) fn run(options: &RunOptions, language: Language) -> Result<ExitCode> {
    let Some(url) = &options.url else {
        return Ok(unusable(
            "without a suite, this mode calls the tools of a page with made-up arguments; give it with --url",
        ));
    };
    if !options.output.is_plain() || options.shard.is_some() || !options.tags.is_empty() {
        return Ok(unusable(
            "without a suite there are no cases and no report; leave out what is about those",
        ));
    }
    let mut page = PageProgram::start(SuiteSetup::without_extension()?.node(), url, &["--native"])?;
    let looked = page.open().and_then(|facts| Ok((facts, page.list()?)));
    let (facts, tools) = match looked {
        Ok((_, tools)) if tools.is_empty() => return Ok(nothing(&RunReason::NoTools, language)),
        Ok(looked) => looked,
        Err(reason) => return Ok(nothing(&reason, language)),
    };
    let picked = match pick(&tools, &options.named, options.allow_consequential) {
        Ok(picked) => picked,
        Err(name) => {
            let name = quoted(name, MOST_NAME);
            return Ok(unusable(&format!("the page has no tool {name}; correct --tool")));
        }
    };
    tell("Not called, because it may act; --tool NAME has it called", &picked.unnamed);
    tell("Not called, because it is consequential; add --allow-consequential", &picked.consequential);
    let mut verdicts = Vec::new();
    for tool in picked.called {
        println!("  {}", quoted(tool.name(), MOST_NAME));
        call_all(tool, &facts.origin, options.allow_consequential, &mut page, |call| {
            call.print(language);
            verdicts.push(call.verdict());
        });
    }
    let count = |wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    println!(
        "  {} calls: {} good, {} doubtful, {} bad",
        verdicts.len(),
        count(TrialVerdict::Good),
        count(TrialVerdict::Doubtful),
        count(TrialVerdict::Bad)
    );
    Ok(ExitCode::from(code(&verdicts)))
}

fn nothing(reason: &RunReason, language: Language) -> ExitCode {
    eprintln!("  ! {}", reason.sentence(language));
    ExitCode::from(NOTHING_JUDGED)
}

fn tell(what: &str, names: &[&str]) {
    for name in names {
        eprintln!("  · {what}: {}", quoted(name, MOST_NAME));
    }
}

/// Which tools are called: those that only read, and those that are named. Calls of consequential ones are allowed besides.
///
/// # Errors
/// The first name that no tool has.
fn pick<'t>(
    tools: &'t [ListedTool],
    named: &'t [String],
    allow_consequential: bool,
) -> Result<PickedTools<'t>, &'t str> {
    if let Some(name) = named.iter().find(|name| tools.iter().all(|tool| tool.name() != name.as_str())) {
        return Err(name);
    }
    let mut picked = PickedTools { called: Vec::new(), unnamed: Vec::new(), consequential: Vec::new() };
    for tool in tools {
        let is_named = named.iter().any(|name| name == tool.name());
        match tool.risk() {
            Risk::ReadOnly => picked.called.push(tool),
            Risk::Acting | Risk::Consequential if !is_named => picked.unnamed.push(tool.name()),
            Risk::Consequential if !allow_consequential => picked.consequential.push(tool.name()),
            Risk::Acting | Risk::Consequential => picked.called.push(tool),
        }
    }
    Ok(picked)
}

/// Calls a tool with each set of arguments, in a page that is loaded anew for it, and after a call that did not simply end.
fn call_all(
    tool: &ListedTool,
    origin: &str,
    allow_consequential: bool,
    page: &mut impl TrialPage,
    mut done: impl FnMut(&TrialCall),
) {
    let found = FoundTool { origin: origin.to_owned(), frame: FrameId::TOP, name: tool.name().to_owned() };
    let schema = match tool.input_schema() {
        // It takes no arguments.
        Value::Null => "{}".to_owned(),
        schema => schema.to_string(),
    };
    let mut is_open = false;
    for set in sets(tool.input_schema()) {
        let Ok(arguments) = serde_json::from_str(&set.text) else { continue };
        let calls = vec![SmokeCall { name: tool.name().to_owned(), arguments }];
        let opened = if is_open { Ok(()) } else { page.open() };
        let mut came = None;
        let record = make(&SmokeCase { case: 0, calls }, allow_consequential, opened, |step| {
            let began = Instant::now();
            let input = page.take(step)?;
            match &input {
                LedInput::Listed(tools) if tools.iter().any(|now| has_other_risk(now, tool)) => {
                    let why = "the page has changed what the tool may do".to_owned();
                    return Err(RunReason::NotJudged { why });
                }
                LedInput::Returned(result) => came = Some((result.clone(), ms(began.elapsed()))),
                _ => {}
            }
            Ok(input)
        });
        let ended = came.as_ref().map(|(result, _)| result).filter(|result| {
            // Whether a form that waits takes them is not known.
            !result.is_waiting() && **result != PageResult::Missing
        });
        is_open = matches!(ended, Some(result @ PageResult::Answered(_)) if !result.has_left());
        let fit = ended.map_or(InputFit::Unknown, |_| InputFit::of(&schema, &set.text));
        let linted = came.and_then(|(result, ms)| linted(result, ms, fit));
        let findings = linted.map(|run| lint_result(&found, &run)).unwrap_or_default();
        done(&TrialCall { set, fit, record, findings });
    }
}

/// Whether a tool may do something else now than when it was picked.
fn has_other_risk(now: &ListedTool, picked: &ListedTool) -> bool {
    now.name() == picked.name() && now.risk() != picked.risk()
}

/// A result as the rules about results take it; `None` if the tool did not end.
fn linted(result: PageResult, ms: u64, input: InputFit) -> Option<LintedRun> {
    let outcome = match &result {
        PageResult::Missing => return None,
        waiting if waiting.is_waiting() => return None,
        left if left.has_left() => LintedOutcome::Navigated,
        PageResult::Failed(message) => LintedOutcome::of_failure(message),
        PageResult::Answered(Value::String(text)) => LintedOutcome::of_text(text),
        PageResult::Answered(value) => LintedOutcome::of_text(&value.to_string()),
    };
    Some(LintedRun { outcome, duration_ms: Some(ms), input, longer_than: None })
}

/// How the command ends: 1 if a call is bad, 3 if nobody can say anything of any.
fn code(verdicts: &[TrialVerdict]) -> u8 {
    match verdicts.iter().max() {
        None | Some(TrialVerdict::Unjudged) => NOTHING_JUDGED,
        Some(TrialVerdict::Good | TrialVerdict::Doubtful) => 0,
        Some(TrialVerdict::Bad) => BELOW,
    }
}

impl TrialPage for PageProgram {
    fn open(&mut self) -> Result<(), RunReason> {
        PageProgram::open(self).map(|_| ())
    }

    fn take(&mut self, step: LedStep) -> Result<LedInput, RunReason> {
        take(step, self)
    }
}

impl TrialCall {
    fn verdict(&self) -> TrialVerdict {
        let worst = self.findings.iter().map(|finding| finding.severity).min();
        let is_missing =
            self.record.reasons.iter().any(|reason| matches!(reason, RunReason::UnknownTool { .. }));
        match (self.record.outcome, self.fit, worst) {
            _ if is_missing => TrialVerdict::Bad,
            (RunOutcome::Fail, InputFit::Fits, _) | (_, _, Some(LintSeverity::Error)) => TrialVerdict::Bad,
            (_, _, Some(LintSeverity::Warning)) => TrialVerdict::Doubtful,
            (RunOutcome::Pass | RunOutcome::Fail, InputFit::Fits | InputFit::Misfits, _) => {
                TrialVerdict::Good
            }
            _ => TrialVerdict::Unjudged,
        }
    }

    fn print(&self, language: Language) {
        let mark = match self.verdict() {
            TrialVerdict::Unjudged => "·",
            TrialVerdict::Good => "✓",
            TrialVerdict::Doubtful => "!",
            TrialVerdict::Bad => "✗",
        };
        println!("    {mark} {}: {}", self.set.sentence(language), quoted(&self.set.text, MOST_ARGUMENTS));
        for finding in &self.findings {
            println!("        {}", finding.sentence(language));
            if !finding.excerpt.is_empty() {
                println!("        {}", finding.excerpt);
            }
        }
        // That it refuses what does not fit is as it has to be.
        let is_told = self.fit == InputFit::Misfits && self.record.outcome == RunOutcome::Fail
            || self.findings.iter().any(|finding| finding.rule == ToolRule::ResultErrorOnValidInput);
        for reason in self.record.reasons.iter().filter(|_| !is_told) {
            println!("        {}", reason.sentence(language));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A page with one tool, whose calls are counted.
    struct OneTool {
        tool: ListedTool,
        is_there: bool,
        answer: fn(&Value) -> PageResult,
        opened: usize,
        called: Vec<Value>,
    }

    impl TrialPage for OneTool {
        fn open(&mut self) -> Result<(), RunReason> {
            self.opened += 1;
            self.is_there.then_some(()).ok_or(RunReason::PageGone { why: "no network".to_owned() })
        }

        fn take(&mut self, step: LedStep) -> Result<LedInput, RunReason> {
            match step {
                LedStep::List => Ok(LedInput::Listed(vec![self.tool.clone()])),
                LedStep::Call { arguments, .. } => {
                    self.called.push(arguments.clone());
                    Ok(LedInput::Returned((self.answer)(&arguments)))
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn tool(name: &str, more: Value) -> ListedTool {
        let mut tool = json!({"name": name, "annotations": {"readOnlyHint": true}, "inputSchema": {
            "type": "object", "properties": {"seats": {"type": "integer", "minimum": 1}}, "required": ["seats"],
        }});
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(tool).unwrap()
    }

    fn page(answer: fn(&Value) -> PageResult) -> OneTool {
        let tool = tool("find", json!({}));
        OneTool { tool, is_there: true, answer, opened: 0, called: Vec::new() }
    }

    /// What came of the calls of a page's tool: fit, verdict and rules.
    fn tried(page: &mut OneTool) -> Vec<(InputFit, TrialVerdict, Vec<&'static str>)> {
        let mut calls = Vec::new();
        call_all(&tool("find", json!({})), "https://shop.example", false, page, |call| {
            call.print(Language::English);
            let rules = call.findings.iter().map(|finding| finding.rule.id()).collect();
            calls.push((call.fit, call.verdict(), rules));
        });
        calls
    }

    fn verdicts(calls: &[(InputFit, TrialVerdict, Vec<&str>)], fit: InputFit) -> Vec<TrialVerdict> {
        let mut verdicts: Vec<_> = calls.iter().filter(|call| call.0 == fit).map(|call| call.1).collect();
        verdicts.dedup();
        verdicts
    }

    fn strict(arguments: &Value) -> PageResult {
        match arguments["seats"].as_i64().filter(|seats| *seats > 0) {
            Some(seats) => PageResult::Answered(json!({"found": seats})),
            None => PageResult::Failed("seats is a number from 1 on".to_owned()),
        }
    }

    #[test]
    fn tools_that_only_read_are_called_and_others_if_they_are_named() {
        let acting = |name: &str| tool(name, json!({"annotations": null}));
        let tools = [tool("find", json!({})), acting("note"), acting("mark"), acting("pay")];
        let names = |picked: &PickedTools<'_>| {
            let called: Vec<_> = picked.called.iter().map(|tool| tool.name().to_owned()).collect();
            (called.join(" "), picked.unnamed.join(" "), picked.consequential.join(" "))
        };
        let text = str::to_owned;
        for (named, allow_consequential, called, unnamed, consequential) in [
            (vec![], true, "find", "note mark pay", ""),
            (vec!["mark", "find"], false, "find mark", "note pay", ""),
            (vec!["pay"], false, "find", "note mark", "pay"),
            (vec!["pay"], true, "find pay", "note mark", ""),
        ] {
            let named: Vec<_> = named.into_iter().map(text).collect();
            let picked = pick(&tools, &named, allow_consequential).unwrap();
            assert_eq!(names(&picked), (text(called), text(unnamed), text(consequential)));
        }
        assert_eq!(pick(&tools, &["find".to_owned(), "fly".to_owned()], true), Err("fly"));
    }

    #[test]
    fn what_fits_has_to_work_and_what_does_not_fit_has_to_be_refused() {
        let mut good = page(strict);
        let calls = tried(&mut good);
        assert!(calls.iter().all(|call| call.1 == TrialVerdict::Good), "{calls:?}");
        assert!(
            good.called.contains(&json!({"seats": 1})) && good.called.contains(&json!({})),
            "{:?}",
            good.called
        );
        let refused = calls.iter().filter(|call| call.0 == InputFit::Misfits).count();
        assert!(refused > 1 && good.opened <= refused + 1, "it is loaded anew after a call that failed");

        let mut lenient = page(|_| PageResult::Answered(json!("done")));
        let calls = tried(&mut lenient);
        assert_eq!(lenient.opened, 1);
        assert_eq!(verdicts(&calls, InputFit::Fits), [TrialVerdict::Good]);
        assert_eq!(verdicts(&calls, InputFit::Misfits), [TrialVerdict::Doubtful]);
        assert!(
            calls.iter().all(|call| call.0 == InputFit::Fits || call.2 == ["result-accepts-invalid-input"])
        );

        let calls = tried(&mut page(|_| PageResult::Answered(json!({"success": false}))));
        assert_eq!(verdicts(&calls, InputFit::Fits), [TrialVerdict::Bad]);
        assert_eq!(verdicts(&calls, InputFit::Misfits), [TrialVerdict::Good]);
        assert!(
            calls.iter().all(|call| call.0 == InputFit::Misfits || call.2 == ["result-error-on-valid-input"])
        );
    }

    #[test]
    fn results_are_looked_at_by_the_rules_for_them() {
        let rules = |answer| tried(&mut page(answer)).remove(0).2;
        assert_eq!(rules(|_| PageResult::Answered(json!("undefined"))), ["result-undefined"]);
        assert_eq!(rules(|_| PageResult::Answered(json!(null))), ["result-null"]);
        assert_eq!(rules(|_| PageResult::Answered(json!({"all": "x".repeat(2_000)}))), ["result-too-large"]);
        let circle = |_: &Value| PageResult::Failed("Converting circular structure to JSON".to_owned());
        assert_eq!(rules(circle), ["result-not-serializable"]);
    }

    #[test]
    fn nothing_is_said_where_nobody_can_tell() {
        let gone = tried(&mut OneTool { is_there: false, ..page(strict) });
        assert!(gone.iter().all(|call| call.1 == TrialVerdict::Unjudged), "{gone:?}");
        let mut form = page(|_| PageResult::waiting());
        let waits = tried(&mut form);
        assert_eq!(form.opened, waits.len(), "it is loaded anew after a form that waits");
        assert!(waits.iter().all(|call| call.1 == TrialVerdict::Unjudged && call.2.is_empty()), "{waits:?}");
        let mut changed = page(strict);
        changed.tool = tool("find", json!({"annotations": null}));
        let calls = tried(&mut changed);
        assert!(calls.iter().all(|call| call.1 == TrialVerdict::Unjudged) && changed.called.is_empty());
        let missing = tried(&mut page(|_| PageResult::Missing));
        assert!(missing.iter().all(|call| call.1 == TrialVerdict::Bad), "{missing:?}");
    }

    #[test]
    fn exit_code_is_that_of_the_worst_call() {
        use TrialVerdict::{Bad, Doubtful, Good, Unjudged};
        for (verdicts, expected) in [
            (&[][..], NOTHING_JUDGED),
            (&[Unjudged], NOTHING_JUDGED),
            (&[Good, Doubtful, Unjudged], 0),
            (&[Good, Bad], BELOW),
        ] {
            assert_eq!(code(verdicts), expected, "{verdicts:?}");
        }
    }
}
