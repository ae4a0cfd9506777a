//! Decides how to answer a request: which step of the scenario is taken, and what it says.

use std::collections::BTreeMap;

use minijinja::value::merge_maps;
use minijinja::{Error, ErrorKind, Value};

use crate::delivery::{Delivery, DeliveryPlan};
use crate::refusal::ServiceRefusal;
use crate::scenario::{Finish, LocalText, Refuse, Scenario, ScenarioStep};
use crate::view::ScenarioView;

/// The answer of the scripted model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScriptedAnswer {
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<MadeCall>,
    pub(crate) finish: Finish,
}

/// A call in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MadeCall {
    pub(crate) name: String,
    /// JSON text, or invalid JSON if the scenario says so.
    pub(crate) arguments: String,
}

/// What a scenario does with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Play {
    /// Index of the step in the file, from 0.
    pub(crate) step: usize,
    pub(crate) refuse: Option<Refuse>,
    pub(crate) answer: ScriptedAnswer,
    pub(crate) plan: DeliveryPlan,
}

/// Decides what a scenario does with a request. `fault` was requested by a test; `taken` tells how often
/// each step was taken for this conversation.
///
/// # Errors
/// A mistake in the scenario file, or no step for this request.
pub(crate) fn decide(
    scenario: &Scenario,
    view: &ScenarioView,
    fault: &Delivery,
    taken: impl Fn(usize) -> u32,
) -> Result<Play, Error> {
    let mut variables = view.variables();
    for (name, expression) in &scenario.shared.0 {
        let value = expression.value(&variables).map_err(|why| locate(why, name))?;
        variables = merge_maps([Value::from_object(BTreeMap::from([(name.clone(), value)])), variables]);
    }
    for (index, step) in scenario.steps.iter().enumerate() {
        if step.times.is_some_and(|times| taken(index) >= times) {
            continue;
        }
        let place = format!("step {}", index + 1);
        let holds = step
            .when
            .as_ref()
            .map_or(Ok(true), |when| when.holds(&variables))
            .map_err(|why| locate(why, &place))?;
        if holds {
            return Ok(Play {
                step: index,
                refuse: step.refuse.clone(),
                answer: answer(step, view.language, &variables).map_err(|why| locate(why, &place))?,
                plan: fault
                    .clone()
                    .or(&step.delivery)
                    .or(&scenario.delivery)
                    .plan(&variables)
                    .map_err(|why| locate(why, &place))?,
            });
        }
    }
    Err(Error::new(ErrorKind::InvalidOperation, "no step of the scenario is for this request"))
}

/// The HTTP error of a refusal.
pub(crate) fn refusal(refuse: &Refuse) -> ServiceRefusal {
    let usual = ServiceRefusal::of_status(refuse.status);
    ServiceRefusal {
        message: refuse.message.clone().unwrap_or(usual.message),
        retry_after: refuse.retry_after,
        ..usual
    }
}

fn answer(step: &ScenarioStep, language: &str, variables: &Value) -> Result<ScriptedAnswer, Error> {
    let text = |text: &Option<LocalText>| match text {
        Some(text) => text.in_language(language).text(variables),
        None => Ok(String::new()),
    };
    let calls = calls(step, variables)?;
    let natural = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
    Ok(ScriptedAnswer {
        reasoning: text(&step.think)?,
        text: text(&step.say)?,
        calls,
        finish: step.finish.unwrap_or(natural),
    })
}

fn calls(step: &ScenarioStep, variables: &Value) -> Result<Vec<MadeCall>, Error> {
    let mut calls = Vec::new();
    if let Some(name) = &step.call {
        let arguments = match &step.arguments {
            Some(arguments) => arguments_text(&arguments.value(variables)?)?,
            None => "{}".to_owned(),
        };
        calls.push(MadeCall { name: name.text(variables)?, arguments });
    }
    if let Some(several) = &step.calls {
        for call in several.value(variables)?.try_iter()? {
            calls.push(MadeCall {
                name: call.get_attr("name")?.to_string(),
                arguments: arguments_text(&call.get_attr("arguments")?)?,
            });
        }
    }
    Ok(calls)
}

fn arguments_text(arguments: &Value) -> Result<String, Error> {
    match arguments.as_str() {
        Some(raw) => Ok(raw.to_owned()),
        None => serde_json::to_string(arguments)
            .map_err(|why| Error::new(ErrorKind::BadSerialization, why.to_string())),
    }
}

/// Adds the place in the file to a mistake.
fn locate(why: Error, place: &str) -> Error {
    let detail = why.detail().map_or_else(|| why.kind().to_string(), str::to_owned);
    Error::new(why.kind(), format!("{place}: {detail}"))
}
