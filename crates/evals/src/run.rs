//! A run without a page: a model is asked, and its calls are answered by what the case has for them. What sends the
//! requests is the caller's.

use std::collections::VecDeque;

use serde_json::{Value, json};
use sidecar_llm::{CallRecord, ChatRequest, Message, ModelAnswer, arguments};
use sidecar_protocol::thread::Usage;

use crate::extras::VerdictKind;
use crate::mocks::Mocks;
use crate::offer::EvalOffer;
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

/// A run of a case with a model.
#[derive(Debug)]
pub struct StaticRun<'s> {
    case: &'s EvalCase,
    offer: &'s EvalOffer,
    prompt: &'s EvalPrompt,
    most_steps: u32,
    messages: Vec<Message>,
    mocks: Mocks<'s>,
    calls: Vec<RecordedCall>,
    unknown: Vec<String>,
    steps: u32,
    usage: Option<Usage>,
    text: String,
    is_over: bool,
}

/// What is wrong with arguments by a tool's schema; `None` if nothing is.
pub type ArgumentCheck<'c> = dyn FnMut(&SuiteTool, &Value) -> Option<String> + 'c;

impl<'s> StaticRun<'s> {
    /// Begins a run.
    #[must_use]
    pub fn new(case: &'s EvalCase, offer: &'s EvalOffer, prompt: &'s EvalPrompt, most_steps: u32) -> Self {
        let mut messages = vec![Message::System { text: prompt.system.clone() }];
        append(&mut messages, &case.messages, prompt.frame);
        Self {
            case,
            offer,
            prompt,
            most_steps: most_steps.clamp(1, MOST_STEPS),
            messages,
            mocks: Mocks::of(&case.expected),
            calls: Vec::new(),
            unknown: Vec::new(),
            steps: 0,
            usage: None,
            text: String::new(),
            is_over: false,
        }
    }

    /// The next request, without what the caller adds to it.
    #[must_use]
    pub fn request(&self, model: &str) -> ChatRequest {
        ChatRequest {
            model: model.to_owned(),
            messages: self.messages.clone(),
            tools: self.offer.definitions().to_vec(),
            ..ChatRequest::default()
        }
    }

    /// Whether there is nothing more to ask.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes an answer, and answers its calls.
    pub fn answered(&mut self, answer: ModelAnswer, check: &mut ArgumentCheck<'_>) {
        self.steps += 1;
        if let Some(usage) = answer.usage {
            *self.usage.get_or_insert_default() += usage;
        }
        self.text = kept_text(if answer.text.is_empty() { &answer.refusal } else { &answer.text });
        self.is_over = answer.calls.is_empty() || self.steps >= self.most_steps;
        let results: Vec<_> = answer.calls.iter().map(|call| self.called(call, check)).collect();
        self.messages.push(Message::Assistant {
            reasoning: answer.reasoning,
            text: answer.text,
            calls: answer.calls,
            provider_state: answer.provider_state,
        });
        self.messages.extend(results);
    }

    /// Answers a call. One of a tool that does not exist is told so and does not count, as with webmcp-evals.
    fn called(&mut self, call: &CallRecord, check: &mut ArgumentCheck<'_>) -> Message {
        let answered =
            |text: String| Message::Tool { call_id: call.id.clone(), name: call.name.clone(), text };
        let Some(tool) = self.offer.find(&call.name) else {
            self.unknown.push(kept_text(&call.name));
            return answered(format!("Error: there is no tool named {:?}.", call.name));
        };
        let name = tool.name.clone();
        let (arguments, result, mistake) = match arguments::repair(&call.arguments, &tool.input_schema) {
            Err(why) => (Value::String(call.arguments.clone()), json!({ "error": why }), Some(why)),
            Ok(sound) => {
                let arguments = serde_json::from_str(&sound.arguments).unwrap_or_default();
                let mistake = check(tool, &arguments);
                (arguments, self.mocks.answer(&name), mistake)
            }
        };
        let text = (self.prompt.frame)(&result.to_string());
        self.calls.push(RecordedCall { name, arguments, result, mistake });
        answered(text)
    }

    /// Ends the run: what is kept of it, without its model, its time and its cost.
    #[must_use]
    pub fn end(self, counts: VerdictKind) -> RunRecord {
        let EvalVerdict { outcome, exact, lenient, mut reasons, rows, matched: (required, matched) } =
            EvalVerdict::of(self.case, counts, &self.calls);
        if !reasons.is_empty() && exact.is_some() {
            reasons.extend(self.unknown.into_iter().map(|tool| RunReason::UnknownTool { tool }));
            let is_cut = matches!(self.messages.last(), Some(Message::Tool { .. }));
            reasons.extend((is_cut && self.steps > 0).then_some(RunReason::StepLimit { steps: self.steps }));
        }
        RunRecord {
            outcome,
            exact,
            lenient,
            reasons,
            calls: self.calls.into_iter().map(RecordedCall::kept).collect(),
            rows,
            required,
            matched,
            steps: self.steps,
            text: self.text,
            usage: self.usage,
            ..RunRecord::default()
        }
    }
}

/// The conversation of a case as messages to a model. Calls in a row belong to one answer; a result belongs to the oldest
/// call of its name that has none.
fn append(messages: &mut Vec<Message>, said: &[CaseMessage], frame: fn(&str) -> String) {
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
                    messages.push(Message::Tool { call_id, name, text: frame(&text) });
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
    use crate::judged::RunOutcome;
    use crate::suite::{EvalSuite, read};

    fn suite(cases: &Value) -> EvalSuite {
        read(cases.to_string().as_bytes()).unwrap()
    }

    fn prompt() -> EvalPrompt {
        EvalPrompt { system: "S".to_owned(), frame: |text| format!("<{text}>") }
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

    fn two_calls() -> EvalSuite {
        suite(&json!([{"messages": [{"role": "user", "type": "message", "content": "Go"}], "expectedCall": [
            {"functionName": "find", "arguments": {"n": 1}, "mockOutput": {"found": 3}},
            {"functionName": "book.it", "arguments": {}},
        ]}]))
    }

    #[test]
    fn calls_are_answered_by_the_case_until_the_model_calls_nothing() {
        let (suite, offer, prompt) = (two_calls(), offer(), prompt());
        let mut run = StaticRun::new(&suite.cases[0], &offer, &prompt, STEPS);
        run.answered(answer(&[("functions.find", "{\"n\": \"1\"}"), ("fly", "{}")]), &mut |_, _| None);
        let messages = run.request("m").messages;
        let Message::Tool { text, .. } = &messages[3] else { panic!("{messages:?}") };
        assert_eq!(text, "<{\"found\":3}>");
        let Message::Tool { text, .. } = &messages[4] else { panic!("{messages:?}") };
        assert_eq!(text, "Error: there is no tool named \"fly\".");
        run.answered(answer(&[("book_it", "{}")]), &mut |_, _| None);
        assert!(!run.is_over());
        run.answered(answer(&[]), &mut |_, _| None);
        assert!(run.is_over());
        let record = run.end(VerdictKind::Exact);
        let names: Vec<_> = record.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!((names, record.outcome, record.steps), (vec!["find", "book.it"], RunOutcome::Pass, 3));
        assert_eq!(record.calls[0].arguments, json!({"n": 1}));
        assert_eq!((record.usage.unwrap().input, record.text.as_str()), (30, "Well."));
        assert_eq!(record.reasons, []);
    }

    #[test]
    fn run_that_does_not_pass_says_what_else_was_wrong() {
        let (suite, offer, prompt) = (two_calls(), offer(), prompt());
        let mut run = StaticRun::new(&suite.cases[0], &offer, &prompt, 1);
        let mut check = |tool: &SuiteTool, _: &Value| Some(format!("{} takes none", tool.name));
        run.answered(answer(&[("fly", "{}"), ("find", "{\"n\": 2}"), ("find", "[1]")]), &mut check);
        assert!(run.is_over());
        let record = run.end(VerdictKind::Exact);
        let kinds: Vec<_> = record
            .reasons
            .iter()
            .map(|reason| serde_json::to_value(reason).unwrap()["kind"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(
            kinds,
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
        let (offer, prompt) = (offer(), prompt());
        let run = StaticRun::new(&suite.cases[0], &offer, &prompt, STEPS);
        let messages = run.request("m").messages;
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
        assert_eq!(texts, [("past-1", "<one>"), ("past-2", "<{\"two\":2}>")]);
        assert_eq!(run.end(VerdictKind::Exact).outcome, RunOutcome::Pass);
    }
}
