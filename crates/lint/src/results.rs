//! Rules about what the run of a tool came to.

use serde_json::Value;
use sidecar_agent::signals;
use sidecar_schema::{Mistake, Validators, problem};

use crate::finding::{FoundTool, ToolFinding};
use crate::rule::{LintSeverity, ToolRule};
use crate::wording::word;

/// Characters from which a result is long.
const LONG: usize = 1_500;

/// Bytes from which it is too long.
const TOO_LONG: usize = 16 * 1024;

/// Milliseconds from which a tool is slow.
const SLOW_MS: u64 = 5_000;

/// Bytes of a result that are searched.
const SEARCHED: usize = 64 * 1024;

/// What failures begin with if a result cannot be made text: the bridge's words for a symbol, and those of V8.
const NO_TEXT: [&str; 3] = [
    "The tool returned a Symbol",
    "Converting circular structure to JSON",
    "Do not know how to serialize a BigInt",
];

/// Whether a run's arguments fitted the tool's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFit {
    /// They fitted.
    Fits,
    /// They did not, on purpose.
    Misfits,
    /// There is no schema, or it cannot be checked.
    Unknown,
}

impl InputFit {
    /// Whether arguments fit a schema, both as JSON texts. A page's own patterns are often wrong: what is off them alone is
    /// not known to misfit.
    #[must_use]
    pub fn of(schema: &str, arguments: &str) -> Self {
        match Validators::default().mistake(schema, arguments) {
            Some(Mistake { off_pattern: false, .. }) => Self::Misfits,
            None if problem(schema).is_none() => Self::Fits,
            Some(_) | None => Self::Unknown,
        }
    }
}

/// What the run of a tool came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LintedOutcome {
    /// A text: what was returned, or JSON of it.
    Text(String),
    /// `undefined`, or what becomes it.
    Undefined,
    /// `null`.
    Null,
    /// Something that cannot be made text: a symbol, a circle, a `toJSON` that fails.
    NotSerializable,
    /// The tool failed, with these words.
    Failed(String),
    /// The page went away, as it does behind a form.
    Navigated,
}

impl LintedOutcome {
    /// A text, as a browser passes on results: also for `undefined` and `null`.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        match text {
            "undefined" => Self::Undefined,
            "null" => Self::Null,
            _ => Self::Text(text.to_owned()),
        }
    }

    /// A failure with these words.
    #[must_use]
    pub fn of_failure(message: &str) -> Self {
        match NO_TEXT.iter().any(|words| message.starts_with(words)) {
            true => Self::NotSerializable,
            false => Self::Failed(message.to_owned()),
        }
    }
}

/// A run of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintedRun {
    /// What it came to.
    pub outcome: LintedOutcome,
    /// Milliseconds that it took, without time in which the page waited for the user; absent if not known.
    pub duration_ms: Option<u64>,
    /// Whether its arguments fitted.
    pub input: InputFit,
    /// If its text is cut, or left out: characters that the whole has at least.
    pub longer_than: Option<usize>,
}

/// Looks at what a run came to.
#[must_use]
pub fn lint_result(tool: &FoundTool, run: &LintedRun) -> Vec<ToolFinding> {
    let mut found = Vec::new();
    let mut add = |finding: ToolFinding| found.push(finding.about(tool.clone()).at("/result"));
    let failure = match &run.outcome {
        LintedOutcome::Failed(why) => Some(why),
        LintedOutcome::Text(text) => Some(text).filter(|text| says_failure(text)),
        LintedOutcome::Undefined
        | LintedOutcome::Null
        | LintedOutcome::NotSerializable
        | LintedOutcome::Navigated => None,
    };
    match (failure, run.input) {
        (Some(why), InputFit::Fits) => add(ToolFinding::of(ToolRule::ResultErrorOnValidInput).excerpt(why)),
        (None, InputFit::Misfits) if run.outcome != LintedOutcome::NotSerializable => {
            add(ToolFinding::of(ToolRule::ResultAcceptsInvalidInput));
        }
        (Some(_) | None, InputFit::Fits | InputFit::Misfits | InputFit::Unknown) => {}
    }
    match &run.outcome {
        LintedOutcome::Text(text) => of_text(text, run.longer_than, &mut add),
        LintedOutcome::Undefined => add(ToolFinding::of(ToolRule::ResultUndefined)),
        LintedOutcome::Null => add(ToolFinding::of(ToolRule::ResultNull)),
        LintedOutcome::NotSerializable => add(ToolFinding::of(ToolRule::ResultNotSerializable)),
        LintedOutcome::Failed(_) | LintedOutcome::Navigated => {}
    }
    if let Some(ms) = run.duration_ms.filter(|ms| *ms > SLOW_MS) {
        add(ToolFinding::of(ToolRule::ResultSlow).with("seconds", ms / 1_000));
    }
    found
}

fn of_text(text: &str, longer_than: Option<usize>, add: &mut impl FnMut(ToolFinding)) {
    let count = text.chars().count();
    let told = longer_than.map_or_else(|| count.to_string(), |least| format!(">{least}"));
    let finding = || ToolFinding::of(ToolRule::ResultTooLarge).with("count", told);
    if longer_than.is_some() || text.len() > TOO_LONG {
        let words = (word::RULE_RESULT_TOO_LARGE_CUT, word::RULE_RESULT_TOO_LARGE_WAY);
        add(finding().severe(LintSeverity::Error).worded(words.0, words.1));
    } else if count > LONG {
        add(finding());
    }
    let mut end = text.len().min(SEARCHED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let signs = signals::find(&text[..end]);
    if let Some(first) = signs.first().filter(|_| signals::is_suspicious(&signs)) {
        add(ToolFinding::of(ToolRule::ResultSuspiciousContent).excerpt(&first.excerpt));
    }
}

/// Whether a text tells of a failure, as agents read it.
fn says_failure(text: &str) -> bool {
    let json: Option<Value> = serde_json::from_str(text).ok();
    let says =
        |key: &str, value: bool| json.as_ref().is_some_and(|json| json.get(key) == Some(&Value::Bool(value)));
    let error = json.as_ref().and_then(|json| json.get("error")?.as_str());
    let begins = text.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
    begins || says("success", false) || says("isError", true) || error.is_some_and(|error| !error.is_empty())
}
