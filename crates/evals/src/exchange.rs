//! What the worker asks the module that runs evals, and what that answers. Each is one JSON text.
//!
//! The module keeps nothing between two questions: each holds all that came of the run until then, and the answer is the
//! next step. So a module that is made anew goes on where the last one ended.

pub mod smoke_steps;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidecar_llm::{
    CallRecord, Endpoint, FinishReason, InlineCalls, Markup, Message, ModelAnswer, ProviderState,
    ToolDefinition,
};
use sidecar_protocol::page::Backend;
use sidecar_protocol::thread::Usage;

use crate::lead::{LeadInput, LeadStage, LeadStep, LedRun};
use crate::page::{ListedTool, PageResult};
use crate::prompt::EvalPrompt;
use crate::reason::RunReason;
use crate::record::RunRecord;
use crate::run::ArgumentCheck;
use crate::scripted::{self, SeenElement};
use crate::{suite, tools};

/// What is the next step of a run?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeadQuestion {
    /// A suite of the case alone: text of a file.
    pub suite: String,
    /// Who has the tools.
    pub stage: AskedStage,
    /// The system prompt, and the day that it tells.
    pub prompt: AskedPrompt,
    /// The provider of the model, and the address of its service.
    pub service: (String, String),
    /// Answers that the model has.
    pub most_steps: u32,
    /// What came of the steps until now, in their order.
    pub inputs: Vec<LedInput>,
}

/// Who has the tools of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AskedStage {
    /// The suite.
    Suite {
        /// Text of a file with tools.
        tools: String,
    },
    /// A page.
    Page {
        /// Whether calls of consequential tools reach it.
        allow_consequential: bool,
    },
    /// A page, which is set up first, and judged in the end by what it shows. The suite is a file of the one simulation.
    Simulation {
        /// Whether calls of consequential tools reach it.
        allow_consequential: bool,
    },
    /// A page, in which the expected calls are made without a model.
    Smoke {
        /// Whether calls of consequential tools reach it.
        allow_consequential: bool,
        /// The day, as `2026-11-27`.
        today: String,
    },
}

/// What a model reads before the conversation of the case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskedPrompt {
    /// The system prompt.
    pub system: String,
    /// The same without a date.
    pub dateless: String,
    /// The origin of the tools, if what they say is marked for the model.
    pub origin: Option<String>,
}

/// [`LeadInput`] as it is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LedInput {
    /// The page's tools.
    Listed(Vec<ListedTool>),
    /// The model's answer.
    Answered(Box<LedAnswer>),
    /// What came of a call.
    Returned(PageResult),
    /// The call was not made: the tool is not what was listed.
    Changed,
    /// The elements: JSON of [`SeenElement`]s.
    Seen(Value),
    /// The step failed: nobody can judge the run.
    Failed(RunReason),
}

/// What counts of a model's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedAnswer {
    /// The model's reasoning.
    pub reasoning: String,
    /// Its text, or that with which it refused to answer.
    pub text: String,
    /// Its calls.
    pub calls: Vec<CallRecord>,
    /// Whether the calls stood in the text.
    #[serde(default)]
    pub is_inline: bool,
    /// Tokens, if the service told them.
    pub usage: Option<Usage>,
    /// What the service wants back with this answer.
    pub provider_state: Option<ProviderState>,
}

/// The next step of a run.
#[allow(clippy::large_enum_variant, reason = "it is written to JSON where it is made and never kept")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LedStep {
    /// List the page's tools.
    List,
    /// Ask the model.
    Ask {
        /// The conversation.
        messages: Vec<Message>,
        /// The tools on offer.
        tools: Vec<ToolDefinition>,
    },
    /// Make a call in the page, of the tool as it was last listed.
    Call {
        /// Name of the tool.
        name: String,
        /// Its arguments: an object.
        arguments: Value,
        /// Whether the model wrote something else, which was taken for this.
        is_repaired: bool,
    },
    /// Look at elements of the page: JSON of [`ElementLook`](crate::scripted::ElementLook)s.
    Look(Value),
    /// It is over.
    Over(LedRecord),
    /// There is no such run: the question is none that can be answered.
    Unknown,
}

/// A run with its circumstances.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedRecord {
    /// The run.
    pub record: RunRecord,
    /// What the model was told; absent if it was asked nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<LedFacts>,
    /// The page, if one has the tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<LedPage>,
    /// The day that the model was told, as `2026-11-26`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// What a model was told in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedFacts {
    /// SHA-256 of the tools as the site has them.
    pub tools: String,
    /// SHA-256 of the tools as the model was told of them.
    pub sent: String,
    /// What their schemas lost on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// SHA-256 of the system prompt without the date.
    pub prompt: String,
}

/// The page of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedPage {
    /// How its tools are reached.
    pub backend: Backend,
    /// Its origin.
    pub origin: String,
}

impl From<ModelAnswer> for LedAnswer {
    fn from(answer: ModelAnswer) -> Self {
        Self {
            reasoning: answer.reasoning,
            text: if answer.text.is_empty() { answer.refusal } else { answer.text },
            is_inline: answer.inline_calls.is_some(),
            calls: answer.calls,
            usage: answer.usage,
            provider_state: answer.provider_state,
        }
    }
}

impl From<LedInput> for LeadInput {
    fn from(input: LedInput) -> Self {
        match input {
            LedInput::Listed(tools) => Self::Listed(tools),
            LedInput::Answered(answer) => {
                let LedAnswer { reasoning, text, calls, is_inline, usage, provider_state } = *answer;
                // Which form it was is not asked here.
                let inline_calls = is_inline.then(|| InlineCalls {
                    markup: Markup::Invoke,
                    taken: calls.len(),
                    unknown: Vec::new(),
                    left_out: 0,
                });
                let finish = if calls.is_empty() { FinishReason::Stop } else { FinishReason::Tools };
                Self::Answered(Box::new(ModelAnswer {
                    reasoning,
                    text,
                    calls,
                    usage,
                    finish,
                    inline_calls,
                    provider_state,
                    ..ModelAnswer::default()
                }))
            }
            LedInput::Returned(result) => Self::Returned(result),
            LedInput::Changed => Self::Changed,
            LedInput::Seen(elements) => match serde_json::from_value::<Vec<SeenElement>>(elements) {
                Ok(elements) => Self::Seen(elements),
                Err(error) => Self::Failed(RunReason::NotJudged { why: error.to_string() }),
            },
            LedInput::Failed(reason) => Self::Failed(reason),
        }
    }
}

/// Answers a question. `frame` marks what an origin wrote for the model.
#[must_use]
pub fn answer(
    question: &LeadQuestion,
    frame: fn(&str, &str) -> String,
    check: &mut ArgumentCheck<'_>,
) -> LedStep {
    let read = match &question.stage {
        AskedStage::Simulation { .. } => scripted::read(&question.suite).ok(),
        AskedStage::Suite { .. } | AskedStage::Page { .. } | AskedStage::Smoke { .. } => {
            suite::read(question.suite.as_bytes()).ok().map(|suite| (suite, Vec::new()))
        }
    };
    let Some((suite, scripts)) = read else { return LedStep::Unknown };
    let Some(case) = suite.cases.first() else { return LedStep::Unknown };
    let AskedPrompt { system, dateless, origin } = &question.prompt;
    let prompt = EvalPrompt {
        system: system.clone(),
        frame: if origin.is_some() { frame } else { |_, text| text.to_owned() },
        origin: origin.clone().unwrap_or_default(),
    };
    let tools;
    let stage = match &question.stage {
        AskedStage::Suite { tools: text } => {
            let Ok(read) = tools::read(text.as_bytes()) else { return LedStep::Unknown };
            tools = read;
            LeadStage::Suite(&tools)
        }
        AskedStage::Page { allow_consequential } | AskedStage::Simulation { allow_consequential } => {
            LeadStage::Page { script: scripts.first(), allow_consequential: *allow_consequential }
        }
        AskedStage::Smoke { allow_consequential, today } => {
            return smoke_steps::next(&suite, today, *allow_consequential, &question.inputs);
        }
    };
    let (provider, base_url) = question.service.clone();
    let profile = Endpoint { provider, base_url }.schema_profile();
    let counts = (case, suite.verdict_of(case));
    let mut run = LedRun::new(counts, stage, &prompt, profile, question.most_steps);
    let mut step = run.begin();
    for input in &question.inputs {
        step = run.next(input.clone().into(), check);
    }
    match step {
        LeadStep::List => LedStep::List,
        LeadStep::Ask(request) => LedStep::Ask { messages: request.messages, tools: request.tools },
        LeadStep::Call { name, arguments, is_repaired } => LedStep::Call { name, arguments, is_repaired },
        LeadStep::Look(looks) => LedStep::Look(serde_json::to_value(looks).unwrap_or_default()),
        LeadStep::Over(record) => {
            let facts = run.offer().map(|offer| LedFacts {
                tools: run.tools().to_owned(),
                sent: offer.hash(),
                lost: offer.lost.clone(),
                prompt: crate::hash::hash(dateless),
            });
            LedStep::Over(LedRecord { record: *record, facts, page: None, date: None })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::judged::RunOutcome;

    fn question(stage: AskedStage, inputs: Vec<LedInput>) -> LeadQuestion {
        let case = json!({
            "messages": [{"role": "user", "type": "message", "content": "Go"}],
            "expectedCall": [{"functionName": "go", "arguments": {"to": "sea"}, "mockOutput": {"ok": true}}],
        });
        LeadQuestion {
            suite: json!([case]).to_string(),
            stage,
            prompt: AskedPrompt {
                system: "S today".to_owned(),
                dateless: "S".to_owned(),
                origin: Some("https://site.example".to_owned()),
            },
            service: ("deepseek".to_owned(), "https://api.example".to_owned()),
            most_steps: 6,
            inputs,
        }
    }

    fn asked(question: &LeadQuestion) -> LedStep {
        // As it travels.
        let question: LeadQuestion = serde_json::from_str(&serde_json::to_string(question).unwrap()).unwrap();
        let step = answer(&question, |origin, text| format!("<{origin}: {text}>"), &mut |_, _| None);
        serde_json::from_str(&serde_json::to_string(&step).unwrap()).unwrap()
    }

    fn calls(name: &str, arguments: &str) -> LedInput {
        let call = CallRecord { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
        LedInput::Answered(Box::new(LedAnswer { calls: vec![call], ..LedAnswer::default() }))
    }

    fn says(text: &str) -> LedInput {
        LedInput::Answered(Box::new(LedAnswer { text: text.to_owned(), ..LedAnswer::default() }))
    }

    fn record(step: LedStep) -> LedRecord {
        match step {
            LedStep::Over(record) => record,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn suite_answers_the_calls_of_a_run() {
        let tools = json!({"tools": [{"name": "go", "description": "Goes."}]}).to_string();
        let stage = || AskedStage::Suite { tools: tools.clone() };
        let LedStep::Ask { messages, tools } = asked(&question(stage(), vec![])) else { panic!() };
        assert_eq!((messages.len(), tools[0].description.as_str()), (2, "<https://site.example: Goes.>"));
        let mut inputs = vec![calls("go", "{\"to\": \"sea\"}")];
        let LedStep::Ask { messages, .. } = asked(&question(stage(), inputs.clone())) else { panic!() };
        let Message::Tool { text, .. } = &messages[3] else { panic!() };
        assert_eq!(text, "<https://site.example: {\"ok\":true}>");
        inputs.push(says("Done."));
        let over = record(asked(&question(stage(), inputs)));
        let facts = over.facts.unwrap();
        assert_eq!((over.record.outcome, over.record.text.as_str()), (RunOutcome::Pass, "Done."));
        assert_eq!((facts.tools.len(), facts.sent.len(), facts.prompt.len()), (64, 64, 64));
    }

    #[test]
    fn page_is_listed_before_each_answer_and_again_when_a_tool_changes() {
        let stage = |allow_consequential| AskedStage::Page { allow_consequential };
        let listed = |description: &str| {
            let tools = json!([{"name": "go", "description": description}]);
            LedInput::Listed(serde_json::from_value(tools).unwrap())
        };
        let mut inputs = Vec::new();
        assert_eq!(asked(&question(stage(false), inputs.clone())), LedStep::List);
        inputs.push(listed("Goes."));
        assert!(matches!(asked(&question(stage(false), inputs.clone())), LedStep::Ask { .. }));
        inputs.push(calls("go", "{\"to\": \"sea\"}"));
        let call =
            LedStep::Call { name: "go".to_owned(), arguments: json!({"to": "sea"}), is_repaired: false };
        assert_eq!(asked(&question(stage(false), inputs.clone())), call);
        inputs.push(LedInput::Changed);
        assert_eq!(asked(&question(stage(false), inputs.clone())), LedStep::List);
        let mut allowed = inputs.clone();
        allowed.push(listed("Deletes all."));
        assert_eq!(asked(&question(stage(true), allowed)), call);
        // Now it is consequential, and the case has an answer for it.
        inputs.push(listed("Deletes all."));
        assert_eq!(asked(&question(stage(false), inputs.clone())), LedStep::List);
        inputs.push(listed("Deletes all."));
        inputs.push(says("Done."));
        assert_eq!(record(asked(&question(stage(false), inputs))).record.outcome, RunOutcome::Pass);
    }

    #[test]
    fn simulation_is_set_up_and_judged_by_what_the_page_shows() {
        let simulation = json!({
            "setup": [{"functionName": "clear", "arguments": {"all": true}}], "userMessage": "Go",
            "assertions": [{"type": "dom", "selector": "#at", "expect": {"text": "sea"}}],
        });
        let asked = |inputs: &[LedInput]| {
            let stage = AskedStage::Simulation { allow_consequential: false };
            let suite = json!([simulation]).to_string();
            asked(&LeadQuestion { suite, ..question(stage, inputs.to_vec()) })
        };
        let listed = || {
            let tools = json!([{"name": "clear"}, {"name": "go", "description": "Goes."}]);
            LedInput::Listed(serde_json::from_value(tools).unwrap())
        };
        let done = || LedInput::Returned(PageResult::Answered(json!({})));
        let mut inputs = vec![listed()];
        let LedStep::Call { name, arguments, .. } = asked(&inputs) else { panic!() };
        assert_eq!((name.as_str(), arguments), ("clear", json!({"all": true})));
        inputs.extend([done(), listed()]);
        let LedStep::Ask { messages, .. } = asked(&inputs) else { panic!() };
        assert!(matches!(&messages[1], Message::User { .. }), "{messages:?}");
        inputs.extend([calls("go", "{\"to\": \"sea\"}"), done(), listed(), says("There.")]);
        assert_eq!(
            asked(&inputs),
            LedStep::Look(json!([{"selector": "#at", "attribute": null, "text": true}]))
        );
        for (text, outcome) in [("sea", RunOutcome::Pass), ("hill", RunOutcome::Fail)] {
            let seen = LedInput::Seen(json!([{"count": 1, "text": text}]));
            let led = record(asked(&[inputs.as_slice(), &[seen]].concat()));
            assert_eq!((led.record.outcome, led.record.calls.len()), (outcome, 1), "{text}");
        }
        let gone = LedInput::Failed(RunReason::PageGone { why: "closed".to_owned() });
        let secret = LedInput::Seen(json!([{"count": 1, "text": "key sk-a1b2c3d4e5f6a1b2c3d4e5f6"}]));
        let led = record(asked(&[inputs.as_slice(), &[secret]].concat()));
        assert!(!serde_json::to_string(&led).unwrap().contains("sk-a1b2"), "{led:?}");
        for set_up in [
            PageResult::waiting(),
            PageResult::Failed(format!("sk-a1b2c3d4e5f6a1b2c3d4e5f6 {}", "x".repeat(9_000))),
        ] {
            let led = record(asked(&[listed(), LedInput::Returned(set_up)]));
            let text = serde_json::to_string(&led.record.reasons).unwrap();
            assert_eq!((led.record.outcome, text.contains("sk-a1b2")), (RunOutcome::Error, false), "{text}");
            assert!(text.len() < 5_000, "{}", text.len());
        }
        for lost in [gone, LedInput::Seen(json!("odd"))] {
            let led = record(asked(&[inputs.as_slice(), &[lost]].concat()));
            assert_eq!(led.record.outcome, RunOutcome::Error);
        }
        let stage = AskedStage::Simulation { allow_consequential: false };
        let unread = LeadQuestion { suite: "[{}]".to_owned(), ..question(stage, vec![]) };
        assert_eq!(super::answer(&unread, |_, text| text.to_owned(), &mut |_, _| None), LedStep::Unknown);
    }

    #[test]
    fn case_prepares_its_page_before_the_model_is_asked() {
        let asked = |setup: Value, allow_consequential: bool, inputs: &[LedInput]| {
            let expected = json!([{"functionName": "go", "arguments": {"to": "sea"}}, {"functionName": "pay", "mockOutput": 1}]);
            let said = json!([{"role": "user", "type": "message", "content": "Go"}]);
            let case = json!({"messages": said, "expectedCall": expected, "x-sidecar": {"setup": setup}});
            let stage = AskedStage::Page { allow_consequential };
            asked(&LeadQuestion { suite: json!([case]).to_string(), ..question(stage, inputs.to_vec()) })
        };
        let listed = || {
            let tools = json!([{"name": "clear"}, {"name": "go", "description": "Goes."}, {"name": "pay"}]);
            LedInput::Listed(serde_json::from_value(tools).unwrap())
        };
        let call = |name: &str, arguments: Value| LedStep::Call {
            name: name.to_owned(),
            arguments,
            is_repaired: false,
        };
        let clear = json!([{"functionName": "clear", "arguments": {"all": true}}]);
        let done = || LedInput::Returned(PageResult::Answered(json!({})));
        assert_eq!(asked(clear.clone(), false, &[]), LedStep::List);
        assert_eq!(asked(clear.clone(), false, &[listed()]), call("clear", json!({"all": true})));
        let mut inputs = vec![listed(), done(), listed()];
        let LedStep::Ask { messages, .. } = asked(clear.clone(), false, &inputs) else { panic!() };
        assert!(matches!(&messages[..], [Message::System { .. }, Message::User { .. }]), "{messages:?}");
        inputs.extend([calls("go", "{\"to\": \"sea\"}"), done(), listed()]);
        inputs.extend([calls("pay", "{}"), listed(), says("There.")]);
        let judged = record(asked(clear.clone(), false, &inputs)).record;
        assert_eq!((judged.outcome, judged.calls.len()), (RunOutcome::Pass, 2), "{judged:?}");

        let failed = LedInput::Returned(PageResult::Failed("stuck".to_owned()));
        let unprepared = record(asked(clear, false, &[listed(), failed])).record;
        let stuck = RunReason::ToolError { tool: "clear".to_owned(), text: "stuck".to_owned() };
        assert_eq!((unprepared.outcome, unprepared.reasons), (RunOutcome::Error, vec![stuck]));
        // The case has an answer for the model's call, and none that prepares the page.
        let pay = json!([{"functionName": "pay", "arguments": {}}]);
        let held = record(asked(pay.clone(), false, &[listed()])).record;
        assert_eq!(held.reasons, [RunReason::Consequential { tool: "pay".to_owned() }]);
        assert_eq!(asked(pay, true, &[listed()]), call("pay", json!({})));
        let unread = record(asked(json!([{"functionName": "clear"}]), true, &[])).record;
        let why = "x-sidecar.setup[0].arguments: This has to be an object.".to_owned();
        assert_eq!((unread.outcome, unread.reasons), (RunOutcome::Error, vec![RunReason::NotJudged { why }]));
    }

    #[test]
    fn case_that_prepares_a_page_is_skipped_where_none_has_the_tools() {
        let tools = json!([{"name": "go"}]).to_string();
        let setup = json!([{"functionName": "go", "arguments": {}}]);
        let asked = |expected: Value| {
            let case = json!({"expectedCall": expected, "x-sidecar": {"setup": setup}});
            let stage = AskedStage::Suite { tools: tools.clone() };
            asked(&LeadQuestion { suite: json!([case]).to_string(), ..question(stage, vec![]) })
        };
        let skipped = record(asked(json!([{"functionName": "go"}]))).record;
        assert_eq!((skipped.outcome, skipped.reasons), (RunOutcome::Skipped, vec![RunReason::NeedsPage]));
        let none = json!([{"x-sidecar": {"setup": setup}}]).to_string();
        for stage in
            [AskedStage::Suite { tools: tools.clone() }, AskedStage::Page { allow_consequential: true }]
        {
            let question = LeadQuestion { suite: none.clone(), ..question(stage, vec![]) };
            assert_eq!(record(super::tests::asked(&question)).record.reasons, [RunReason::Incomplete]);
        }
    }

    #[test]
    fn what_the_model_wrote_otherwise_is_told_with_the_call() {
        let stage = AskedStage::Page { allow_consequential: true };
        let listed = serde_json::from_value(json!([{"name": "go", "description": "Goes.",
            "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}]));
        let listed = LedInput::Listed(listed.unwrap());
        for (name, arguments, repaired) in [
            ("go", "{\"n\": 1}", false),
            ("go", "{\"n\": \"1\"}", true),
            ("functions.go", "{\"n\": 1}", true),
        ] {
            let inputs = vec![listed.clone(), calls(name, arguments)];
            let LedStep::Call { is_repaired, arguments, .. } = asked(&question(stage.clone(), inputs)) else {
                panic!("{name}")
            };
            assert_eq!((is_repaired, arguments), (repaired, json!({"n": 1})), "{name}");
        }
        let LedInput::Answered(answer) = calls("go", "{\"n\": 1}") else { panic!() };
        let inline = LedInput::Answered(Box::new(LedAnswer { is_inline: true, ..*answer }));
        let LedStep::Call { is_repaired, .. } = asked(&question(stage, vec![listed, inline])) else {
            panic!()
        };
        assert!(is_repaired);
    }

    #[test]
    fn tool_that_keeps_changing_is_given_up() {
        let stage = AskedStage::Page { allow_consequential: true };
        let listed = || {
            LedInput::Listed(serde_json::from_value(json!([{"name": "go", "description": "Goes."}])).unwrap())
        };
        let mut inputs = vec![listed(), calls("go", "{\"to\": \"sea\"}")];
        for _ in 0..2 {
            inputs.extend([LedInput::Changed, listed()]);
        }
        assert!(matches!(asked(&question(stage.clone(), inputs.clone())), LedStep::Call { .. }));
        inputs.extend([LedInput::Changed, listed(), says("Well.")]);
        let record = record(asked(&question(stage, inputs))).record;
        assert!(record.calls[0].result.to_string().contains("keeps changing"), "{record:?}");
    }

    #[test]
    fn page_without_tools_and_a_failed_step_are_errors() {
        let stage = AskedStage::Page { allow_consequential: true };
        let none = record(asked(&question(stage.clone(), vec![LedInput::Listed(vec![])])));
        assert_eq!((none.record.outcome, none.facts), (RunOutcome::Error, None));
        let gone = LedInput::Failed(RunReason::PageGone { why: "closed".to_owned() });
        assert_eq!(record(asked(&question(stage.clone(), vec![gone]))).record.outcome, RunOutcome::Error);
        let nothing = LeadQuestion { suite: "{".to_owned(), ..question(stage, vec![]) };
        assert_eq!(asked(&nothing), LedStep::Unknown);
    }
}
