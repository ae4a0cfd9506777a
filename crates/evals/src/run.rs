//! A run: a model is led through a case. What sends its requests, and what answers its calls (the case, or a page), is the
//! caller's.

use std::collections::VecDeque;

use serde_json::{Value, json};
use sidecar_llm::{CallRecord, ChatRequest, Message, ModelAnswer, arguments};
use sidecar_protocol::secret::masked_words;
use sidecar_protocol::thread::Usage;

use crate::expected::Expectation;
use crate::extras::VerdictKind;
use crate::judged::RunOutcome;
use crate::masked::masked_reason;
use crate::offer::EvalOffer;
use crate::page::PageResult;
use crate::prompt::EvalPrompt;
use crate::reason::RunReason;
use crate::record::{RecordedCall, RunRecord, kept_text};
use crate::suite::{CaseMessage, EvalCase};
use crate::tools::SuiteTool;
use crate::verdict::EvalVerdict;

/// How many answers a model has by default, as with webmcp-evals.
pub const STEPS: u32 = 6;

/// The most answers that can be allowed.
pub const MOST_STEPS: u32 = 50;

/// A run of a case with a model. As long as it is not over: ask the model for an answer, and answer each call of it.
#[derive(Debug)]
pub struct EvalRun<'s> {
    case: &'s EvalCase,
    prompt: &'s EvalPrompt,
    most_steps: u32,
    messages: Vec<Message>,
    waiting: VecDeque<WaitingCall>,
    calls: Vec<RecordedCall>,
    /// What else was wrong, for a run that does not pass.
    wrong: Vec<RunReason>,
    steps: u32,
    usage: Option<Usage>,
    text: String,
    is_over: bool,
}

/// A call that a page or a case has to answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCall {
    /// Name of the tool.
    pub name: String,
    /// Its arguments: an object.
    pub arguments: Value,
    /// Whether the model wrote something else, which was taken for this.
    pub is_repaired: bool,
    mistake: Option<String>,
}

/// A call of the model's last answer that has no answer yet.
#[derive(Debug)]
struct WaitingCall {
    record: CallRecord,
    wanted: Result<OpenCall, Unmakeable>,
}

/// Why nobody can make a call.
#[derive(Debug, Clone)]
enum Unmakeable {
    /// No such tool is offered.
    Unknown,
    /// The arguments are not to be read.
    Unreadable { tool: String, why: String },
}

/// What is wrong with arguments by a tool's schema; `None` if nothing is.
pub type ArgumentCheck<'c> = dyn FnMut(&SuiteTool, &Value) -> Option<String> + 'c;

impl<'s> EvalRun<'s> {
    /// Begins a run.
    #[must_use]
    pub fn new(case: &'s EvalCase, prompt: &'s EvalPrompt, most_steps: u32) -> Self {
        let mut messages = vec![Message::System { text: prompt.system.clone() }];
        append(&mut messages, &case.messages, prompt);
        Self {
            case,
            prompt,
            most_steps: most_steps.clamp(1, MOST_STEPS),
            messages,
            waiting: VecDeque::new(),
            calls: Vec::new(),
            wrong: Vec::new(),
            steps: 0,
            usage: None,
            text: String::new(),
            is_over: case.expected == Expectation::Incomplete,
        }
    }

    /// The next request, without the model and what else the caller adds to it.
    #[must_use]
    pub fn request(&self, offer: &EvalOffer) -> ChatRequest {
        ChatRequest {
            messages: self.messages.clone(),
            tools: offer.definitions().to_vec(),
            ..ChatRequest::default()
        }
    }

    /// Whether there is nothing more to ask.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes the answer to a request with these tools.
    pub fn answered(&mut self, answer: ModelAnswer, offer: &EvalOffer, check: &mut ArgumentCheck<'_>) {
        self.steps += 1;
        if let Some(usage) = answer.usage {
            *self.usage.get_or_insert_default() += usage;
        }
        self.text = kept_text(if answer.text.is_empty() { &answer.refusal } else { &answer.text });
        self.is_over = answer.calls.is_empty() || self.steps >= self.most_steps;
        let is_inline = answer.inline_calls.is_some();
        let wanted = |call: &CallRecord| {
            let tool = offer.find(&call.name).ok_or(Unmakeable::Unknown)?;
            let name = tool.name.clone();
            let sound = arguments::repair(&call.arguments, &tool.input_schema)
                .map_err(|why| Unmakeable::Unreadable { tool: name.clone(), why })?;
            let arguments = serde_json::from_str(&sound.arguments).unwrap_or_default();
            let mistake = check(tool, &arguments);
            let is_repaired = is_inline || !sound.repairs.is_empty() || !offer.is_exact(&call.name);
            Ok(OpenCall { name, arguments, is_repaired, mistake })
        };
        let wanted: Vec<_> = answer.calls.iter().map(wanted).collect();
        let calls = answer.calls.iter().cloned().zip(wanted);
        self.waiting = calls.map(|(record, wanted)| WaitingCall { record, wanted }).collect();
        self.messages.push(Message::Assistant {
            reasoning: answer.reasoning,
            text: answer.text,
            calls: answer.calls,
            provider_state: answer.provider_state,
        });
    }

    /// The next call to answer. Those that nobody can make are answered on the way.
    pub fn wanted(&mut self) -> Option<&OpenCall> {
        while let Some(WaitingCall { record, wanted: Err(why) }) = self.waiting.front() {
            let (record, why) = (record.clone(), why.clone());
            self.waiting.pop_front();
            match why {
                Unmakeable::Unknown => self.missing(&record),
                Unmakeable::Unreadable { tool, why } => {
                    let arguments = Value::String(record.arguments.clone());
                    let result = json!({ "error": why });
                    self.told(&record, &result);
                    self.calls.push(RecordedCall { name: tool, arguments, result, mistake: Some(why) });
                }
            }
        }
        self.waiting.front()?.wanted.as_ref().ok()
    }

    /// Answers the call that [`Self::wanted`] gave.
    pub fn returned(&mut self, result: PageResult) {
        let Some(WaitingCall { record, wanted: Ok(call) }) = self.waiting.pop_front() else { return };
        let OpenCall { name, arguments, mistake, .. } = call;
        if let PageResult::Failed(text) = &result {
            self.wrong.push(RunReason::ToolError { tool: name.clone(), text: kept_text(text) });
        }
        let Some(result) = result.into_value() else { return self.missing(&record) };
        self.told(&record, &result);
        self.calls.push(RecordedCall { name, arguments, result, mistake });
    }

    /// A call of a tool that does not exist is told so and does not count, as with webmcp-evals.
    fn missing(&mut self, call: &CallRecord) {
        self.wrong.push(RunReason::UnknownTool { tool: kept_text(&call.name) });
        let text = format!("Error: there is no tool named {:?}.", call.name);
        self.messages.push(Message::Tool { call_id: call.id.clone(), name: call.name.clone(), text });
    }

    fn told(&mut self, call: &CallRecord, result: &Value) {
        let text = self.prompt.framed(&result.to_string());
        self.messages.push(Message::Tool { call_id: call.id.clone(), name: call.name.clone(), text });
    }

    /// Ends the run: what is kept of it, without its model, its time and its cost.
    #[must_use]
    pub fn end(self, counts: VerdictKind) -> RunRecord {
        let EvalVerdict { outcome, exact, lenient, mut reasons, rows, matched: (required, matched) } =
            EvalVerdict::of(self.case, counts, &self.calls);
        if !reasons.is_empty() && exact.is_some() {
            reasons.extend(self.what_else());
        }
        let reasons = reasons.into_iter().map(masked_reason).collect();
        RunRecord { outcome, exact, lenient, reasons, rows, required, matched, ..self.record() }
    }

    /// Ends a run that is judged by what the page shows: what of that is not as it should be.
    #[must_use]
    pub fn end_seen(self, mut failed: Vec<RunReason>) -> RunRecord {
        let outcome = if failed.is_empty() { RunOutcome::Pass } else { RunOutcome::Fail };
        if !failed.is_empty() {
            failed.extend(self.what_else());
        }
        let reasons = failed.into_iter().map(masked_reason).collect();
        RunRecord { outcome, reasons, ..self.record() }
    }

    /// Ends a run that nobody can judge. The call that waits for its result is kept without one, unless it was held back.
    #[must_use]
    pub fn stop(mut self, reason: RunReason) -> RunRecord {
        let under_way = self.waiting.pop_front().and_then(|waiting| waiting.wanted.ok());
        let is_held = matches!(reason, RunReason::Consequential { .. });
        self.calls.extend(under_way.filter(|_| !is_held).map(|call| {
            let OpenCall { name, arguments, mistake, .. } = call;
            RecordedCall { name, arguments, result: Value::Null, mistake }
        }));
        let RunRecord { outcome, reasons, .. } = RunRecord::unjudged(masked_reason(reason));
        RunRecord { outcome, reasons, ..self.record() }
    }

    /// What else was wrong with a run that does not pass.
    fn what_else(&self) -> Vec<RunReason> {
        let is_cut = matches!(self.messages.last(), Some(Message::Tool { .. })) && self.steps > 0;
        let cut = is_cut.then_some(RunReason::StepLimit { steps: self.steps });
        self.wrong.iter().cloned().chain(cut).collect()
    }

    /// What is kept of what happened.
    fn record(self) -> RunRecord {
        RunRecord {
            calls: self.calls.into_iter().map(RecordedCall::kept).collect(),
            steps: self.steps,
            text: masked_words(&self.text).0,
            usage: self.usage,
            ..RunRecord::default()
        }
    }
}

/// The conversation of a case as messages to a model. Calls in a row belong to one answer; a result belongs to the oldest
/// call of its name that has none.
fn append(messages: &mut Vec<Message>, said: &[CaseMessage], prompt: &EvalPrompt) {
    let mut waiting: VecDeque<(String, String)> = VecDeque::new();
    for (number, message) in said.iter().enumerate() {
        match message {
            CaseMessage::Said { role, text } => messages.push(match role.as_str() {
                "assistant" => assistant(text, Vec::new()),
                "system" => Message::System { text: text.clone() },
                _ => Message::User { text: text.clone() },
            }),
            CaseMessage::Called { name, arguments } => {
                let id = format!("past-{number}");
                waiting.push_back((name.clone(), id.clone()));
                let call = CallRecord { id, name: name.clone(), arguments: arguments.to_string() };
                match messages.last_mut() {
                    Some(Message::Assistant { calls, .. }) => calls.push(call),
                    _ => messages.push(assistant("", vec![call])),
                }
            }
            CaseMessage::Answered { name, result } => {
                let at = waiting.iter().position(|(waiting, _)| waiting == name);
                if let Some((name, call_id)) = at.and_then(|at| waiting.remove(at)) {
                    let text = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
                    messages.push(Message::Tool { call_id, name, text: prompt.framed(&text) });
                }
            }
        }
    }
}

fn assistant(text: &str, calls: Vec<CallRecord>) -> Message {
    Message::Assistant { reasoning: String::new(), text: text.to_owned(), calls, provider_state: None }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::schema::SchemaProfile;

    use super::*;
    use crate::mocks::Mocks;
    use crate::suite::{EvalSuite, read};

    fn suite(cases: &Value) -> EvalSuite {
        read(cases.to_string().as_bytes()).unwrap()
    }

    fn prompt() -> EvalPrompt {
        EvalPrompt {
            system: "S".to_owned(),
            origin: "o".to_owned(),
            frame: |origin, text| format!("<{origin}: {text}>"),
        }
    }

    fn offer() -> EvalOffer {
        let tool = |name: &str| SuiteTool {
            name: name.to_owned(),
            description: String::new(),
            input_schema: json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
        };
        EvalOffer::new(&[tool("find"), tool("book.it")], &SchemaProfile::PORTABLE, str::to_owned)
    }

    fn answer(calls: &[(&str, &str)]) -> ModelAnswer {
        let call = |(number, (name, arguments)): (usize, &(&str, &str))| CallRecord {
            id: format!("c{number}"),
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
        };
        ModelAnswer {
            text: "Well.".to_owned(),
            calls: calls.iter().enumerate().map(call).collect(),
            usage: Some(Usage { input: 10, output: 2, ..Usage::default() }),
            ..ModelAnswer::default()
        }
    }

    /// Gives an answer, and answers its calls by what the case has for them. Returns the names of the tools.
    fn answered(run: &mut EvalRun<'_>, mocks: &mut Mocks<'_>, calls: &[(&str, &str)]) -> Vec<String> {
        run.answered(answer(calls), &offer(), &mut |tool, arguments| {
            arguments.get("bad").map(|_| format!("{} takes none", tool.name))
        });
        let mut made = Vec::new();
        while let Some(call) = run.wanted() {
            made.push(call.name.clone());
            let result = mocks.answer(&call.name);
            run.returned(PageResult::Answered(result));
        }
        made
    }

    fn texts(run: &EvalRun<'_>) -> Vec<String> {
        let text = |message: Message| match message {
            Message::Tool { text, .. } => Some(text),
            _ => None,
        };
        run.request(&offer()).messages.into_iter().filter_map(text).collect()
    }

    fn two_calls() -> EvalSuite {
        suite(&json!([{"messages": [{"role": "user", "type": "message", "content": "Go"}], "expectedCall": [
            {"functionName": "find", "arguments": {"n": 1}, "mockOutput": {"found": 3}},
            {"functionName": "book.it", "arguments": {}},
        ]}]))
    }

    #[test]
    fn calls_are_answered_until_the_model_calls_nothing() {
        let (suite, prompt) = (two_calls(), prompt());
        let mut mocks = Mocks::of(&suite.cases[0].expected);
        let mut run = EvalRun::new(&suite.cases[0], &prompt, STEPS);
        let calls = [("fly", "{}"), ("functions.find", "{\"n\": \"1\"}"), ("swim", "{}")];
        assert_eq!(answered(&mut run, &mut mocks, &calls), ["find"]);
        let expected = [
            "Error: there is no tool named \"fly\".",
            "<o: {\"found\":3}>",
            "Error: there is no tool named \"swim\".",
        ];
        assert_eq!(texts(&run), expected);
        assert_eq!(answered(&mut run, &mut mocks, &[("book_it", "{}")]), ["book.it"]);
        assert!(!run.is_over());
        answered(&mut run, &mut mocks, &[]);
        assert!(run.is_over());
        let record = run.end(VerdictKind::Exact);
        let names: Vec<_> = record.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!((names, record.outcome, record.steps), (vec!["find", "book.it"], RunOutcome::Pass, 3));
        assert_eq!(record.calls[0].arguments, json!({"n": 1}));
        assert_eq!((record.usage.unwrap().input, record.text.as_str()), (30, "Well."));
        assert_eq!(record.reasons, []);
    }

    fn kinds(record: &RunRecord) -> Vec<String> {
        let kind =
            |reason: &RunReason| serde_json::to_value(reason).unwrap()["kind"].as_str().unwrap().to_owned();
        record.reasons.iter().map(kind).collect()
    }

    #[test]
    fn run_that_does_not_pass_says_what_else_was_wrong() {
        let (suite, prompt) = (two_calls(), prompt());
        let mut mocks = Mocks::of(&suite.cases[0].expected);
        let mut run = EvalRun::new(&suite.cases[0], &prompt, 1);
        let calls = [("fly", "{}"), ("find", "{\"n\": 2, \"bad\": 1}"), ("find", "[1]")];
        assert_eq!(answered(&mut run, &mut mocks, &calls), ["find"]);
        assert!(run.is_over());
        let record = run.end(VerdictKind::Exact);
        assert_eq!(
            kinds(&record),
            [
                "wrong-arguments",
                "wrong-tool",
                "invalid-arguments",
                "invalid-arguments",
                "unknown-tool",
                "step-limit"
            ]
        );
        assert_eq!(record.calls[1].arguments, json!("[1]"));
    }

    #[test]
    fn tool_that_is_gone_does_not_count_and_one_that_fails_does() {
        let (suite, prompt) = (two_calls(), prompt());
        let mut run = EvalRun::new(&suite.cases[0], &prompt, 2);
        run.answered(answer(&[("find", "{}"), ("find", "{\"n\": 1}")]), &offer(), &mut |_, _| None);
        for result in [PageResult::Missing, PageResult::Failed("sold out".to_owned())] {
            assert!(run.wanted().is_some());
            run.returned(result);
        }
        assert_eq!(run.wanted(), None);
        assert_eq!(texts(&run), ["Error: there is no tool named \"find\".", "<o: {\"error\":\"sold out\"}>"]);
        let record = run.end(VerdictKind::Exact);
        assert_eq!(record.calls.len(), 1);
        assert_eq!(kinds(&record), ["missing-call", "unknown-tool", "tool-error", "step-limit"]);
    }

    #[test]
    fn run_that_is_stopped_is_not_judged_and_keeps_what_happened() {
        let (suite, prompt) = (two_calls(), prompt());
        let mut mocks = Mocks::of(&suite.cases[0].expected);
        let stopped = |reason: RunReason, mocks: &mut Mocks<'_>| {
            let mut run = EvalRun::new(&suite.cases[0], &prompt, STEPS);
            answered(&mut run, mocks, &[("find", "{}")]);
            run.stop(reason)
        };
        let record = stopped(RunReason::NoTools, &mut mocks);
        assert_eq!((record.outcome, record.exact, record.rows.len()), (RunOutcome::Error, None, 0));
        assert_eq!((record.calls.len(), record.steps), (1, 1));
        let mut run = EvalRun::new(&suite.cases[0], &prompt, 1);
        answered(&mut run, &mut mocks, &[("fly", "{}")]);
        let record = run.end_seen(vec![RunReason::NoCall]);
        assert_eq!(
            (kinds(&record).join(" "), record.outcome),
            ("no-call unknown-tool step-limit".to_owned(), RunOutcome::Fail)
        );
        let run = EvalRun::new(&suite.cases[0], &prompt, 1);
        assert_eq!(run.end_seen(Vec::new()).outcome, RunOutcome::Pass);
        let skipped = stopped(RunReason::Consequential { tool: "buy".to_owned() }, &mut mocks);
        assert_eq!(skipped.outcome, RunOutcome::Skipped);
    }

    #[test]
    fn earlier_calls_and_their_results_stand_together() {
        let suite = suite(&json!([{"expectedCall": null, "messages": [
            {"role": "user", "type": "message", "content": "Go"},
            {"role": "model", "type": "functioncall", "name": "find", "arguments": {"n": 1}},
            {"role": "model", "type": "functioncall", "name": "find", "arguments": {"n": 2}},
            {"role": "user", "type": "functionresponse", "name": "find", "response": {"result": "one"}},
            {"role": "user", "type": "functionresponse", "name": "find", "response": {"two": 2}},
            {"role": "user", "type": "functionresponse", "name": "other", "response": {}},
            {"role": "model", "type": "message", "content": "Done"},
        ]}]));
        let prompt = prompt();
        let run = EvalRun::new(&suite.cases[0], &prompt, STEPS);
        let messages = run.request(&offer()).messages;
        assert_eq!(messages.len(), 6, "{messages:?}");
        let Message::Assistant { calls, .. } = &messages[2] else { panic!() };
        assert_eq!(calls.len(), 2);
        let texts: Vec<_> = messages[3..5]
            .iter()
            .map(|message| match message {
                Message::Tool { call_id, text, .. } => (call_id.as_str(), text.as_str()),
                _ => panic!(),
            })
            .collect();
        assert_eq!(texts, [("past-1", "<o: one>"), ("past-2", "<o: {\"two\":2}>")]);
        assert_eq!(run.end(VerdictKind::Exact).outcome, RunOutcome::Pass);
    }
}
