//! Scripted simulations (`simulations.json` of webmcp-evals). Strict: a file with anything that is not known is refused as a
//! whole, so that no criterion is lost.

use serde_json::{Map, Value};
use sidecar_locales::{fill, quoted};
use sidecar_protocol::settings::Language;

use crate::fault::{MOST_BYTES, SuiteFault};
use crate::wording::word;

/// Maximum characters of a place in a sentence.
const MOST_PATH: usize = 200;

/// Maximum number of assertions of a simulation: the page answers them all at once.
pub const MOST_ASSERTIONS: usize = 200;

/// Maximum characters of a selector, or of the name of an attribute.
const MOST_SELECTOR: usize = 1_000;

/// What an element of the page must be like in the end.
#[derive(Debug, Clone, PartialEq)]
pub enum Criterion {
    /// Whether there is one.
    Exists(bool),
    /// How many there are: a number or a matcher.
    Count(Value),
    /// The text of the first: a text or a matcher.
    Text(Value),
    /// An attribute of the first: a text or a matcher; `null` is that it has none.
    Attribute {
        /// Its name.
        name: String,
        /// Its value.
        value: Value,
    },
}

/// An assertion about the page, looked at once at the end.
#[derive(Debug, Clone, PartialEq)]
pub struct DomAssertion {
    /// CSS selector.
    pub selector: String,
    /// What is wanted of it.
    pub criterion: Criterion,
}

/// A call that is made before the model begins.
#[derive(Debug, Clone, PartialEq)]
pub struct SetupCall {
    /// Name of the tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
}

/// Who speaks with the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimulatedUser {
    /// Somebody who says this, once.
    Says(String),
    /// Somebody invented, who follows this scenario for so many turns.
    Follows {
        /// The scenario.
        scenario: String,
        /// The most turns.
        most_turns: u64,
    },
}

/// A simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// Its name.
    pub name: Option<String>,
    /// Calls before it begins.
    pub setup: Vec<SetupCall>,
    /// Who speaks.
    pub user: SimulatedUser,
    /// How long it may take, in milliseconds.
    pub most_ms: Option<u64>,
    /// What the page must be like in the end.
    pub assertions: Vec<DomAssertion>,
    /// What a judge looks for.
    pub success_criteria: Option<String>,
}

/// Why a file is refused: where, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence(Language::English))]
pub struct SimulationFault {
    /// Where, as `[0].setup[1]`; empty for the whole file.
    pub path: String,
    /// What is wrong.
    pub problem: SimulationProblem,
}

/// What is wrong at some place of a file of simulations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimulationProblem {
    /// It is no file that could have cases at all.
    File(SuiteFault),
    /// It is no array.
    NoArray,
    /// It is no object.
    NoObject,
    /// It is no text.
    NoText,
    /// It is not `true` or `false`.
    NoBoolean,
    /// It is no whole number above 0.
    NoCount,
    /// There is no such key.
    Unknown,
    /// It is missing.
    Missing,
    /// Another simulation has this name.
    DoubleName,
    /// It does not go with `userMessage`.
    NotWithMessage,
    /// There has to be one of `userScenario` and `userMessage`.
    OneUser,
    /// There are neither `assertions` nor `successCriteria`.
    NoCriterion,
    /// It is not `"dom"`.
    NotDom,
    /// There has to be one of `exists`, `count`, `text` and `attribute`.
    OneExpectation,
    /// There are too many assertions: how many.
    Assertions(usize),
    /// It is too long: its characters.
    Long(usize),
    /// Somebody invented would have to speak.
    NeedsUser,
    /// A judge would have to decide.
    NeedsJudge,
}

impl SimulationFault {
    /// Where something is wrong, what it is, and what to do about it.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let word = match &self.problem {
            SimulationProblem::File(fault) => return fault.sentence(language),
            SimulationProblem::Assertions(_) => word::SIMULATION_ASSERTIONS,
            SimulationProblem::Long(_) => word::SIMULATION_LONG,
            SimulationProblem::NoArray => word::SIMULATION_NO_ARRAY,
            SimulationProblem::NoObject => word::SIMULATION_NO_OBJECT,
            SimulationProblem::NoText => word::SIMULATION_NO_TEXT,
            SimulationProblem::NoBoolean => word::SIMULATION_NO_BOOLEAN,
            SimulationProblem::NoCount => word::SIMULATION_NO_COUNT,
            SimulationProblem::Unknown => word::SIMULATION_UNKNOWN,
            SimulationProblem::Missing => word::SIMULATION_MISSING,
            SimulationProblem::DoubleName => word::SIMULATION_DOUBLE_NAME,
            SimulationProblem::NotWithMessage => word::SIMULATION_NOT_WITH_MESSAGE,
            SimulationProblem::OneUser => word::SIMULATION_ONE_USER,
            SimulationProblem::NoCriterion => word::SIMULATION_NO_CRITERION,
            SimulationProblem::NotDom => word::SIMULATION_NOT_DOM,
            SimulationProblem::OneExpectation => word::SIMULATION_ONE_EXPECTATION,
            SimulationProblem::NeedsUser => word::SIMULATION_NEEDS_USER,
            SimulationProblem::NeedsJudge => word::SIMULATION_NEEDS_JUDGE,
        };
        let (found, most) = match self.problem {
            SimulationProblem::Assertions(found) => (found, MOST_ASSERTIONS),
            SimulationProblem::Long(found) => (found, MOST_SELECTOR),
            _ => (0, 0),
        };
        let problem =
            fill(word.text(language), &[("found", &found.to_string()), ("most", &most.to_string())]);
        if self.path.is_empty() {
            return problem;
        }
        let place = quoted(&self.path, MOST_PATH);
        fill(word::SIMULATION_AT.text(language), &[("place", &place), ("problem", &problem)])
    }
}

type SimulationRead<T> = Result<T, SimulationFault>;

/// A file without a byte order mark.
pub(crate) fn unmarked(file: &str) -> &str {
    file.strip_prefix('\u{feff}').unwrap_or(file)
}

/// Whether a file looks like one of simulations, and not like a suite: it tells what a user says, or who they are.
#[must_use]
pub fn is_file_of_simulations(file: &str) -> bool {
    if file.len() > MOST_BYTES {
        return false;
    }
    let json = serde_json::from_str::<Value>(unmarked(file)).unwrap_or_default();
    let is_one = |item: &Value| {
        ["userMessage", "userScenario"].iter().any(|key| item.get(key).is_some())
            && ["messages", "expectedCall"].iter().all(|key| item.get(key).is_none())
    };
    json.as_array().is_some_and(|items| items.iter().any(is_one))
}

/// Reads a file of simulations.
///
/// # Errors
/// [`SimulationFault`]
pub fn read(file: &str) -> SimulationRead<Vec<Simulation>> {
    let refused = |why: SuiteFault| fault("", SimulationProblem::File(why));
    if file.len() > MOST_BYTES {
        return Err(refused(SuiteFault::Size(file.len())));
    }
    let json: Value =
        serde_json::from_str(unmarked(file)).map_err(|error| refused(SuiteFault::Json(error.to_string())))?;
    let Value::Array(items) = json else { return Err(fault("", SimulationProblem::NoArray)) };
    let mut simulations: Vec<Simulation> = Vec::new();
    for (number, item) in items.iter().enumerate() {
        let path = format!("[{number}]");
        let simulation = simulation(item, &path)?;
        let is_double =
            simulation.name.is_some() && simulations.iter().any(|other| other.name == simulation.name);
        if is_double {
            return Err(fault(&format!("{path}.name"), SimulationProblem::DoubleName));
        }
        simulations.push(simulation);
    }
    Ok(simulations)
}

fn fault(path: &str, problem: SimulationProblem) -> SimulationFault {
    SimulationFault { path: path.to_owned(), problem }
}

/// An object with no other keys than these.
fn object<'v>(value: &'v Value, path: &str, keys: &[&str]) -> SimulationRead<&'v Map<String, Value>> {
    let members = value.as_object().ok_or_else(|| fault(path, SimulationProblem::NoObject))?;
    match members.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(fault(&format!("{path}.{key}"), SimulationProblem::Unknown)),
        None => Ok(members),
    }
}

fn text(members: &Map<String, Value>, key: &str, path: &str) -> SimulationRead<Option<String>> {
    match members.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(fault(&format!("{path}.{key}"), SimulationProblem::NoText)),
    }
}

fn required(members: &Map<String, Value>, key: &str, path: &str) -> SimulationRead<String> {
    text(members, key, path)?.ok_or_else(|| fault(&format!("{path}.{key}"), SimulationProblem::Missing))
}

/// A text that a page can be asked for.
fn short(text: String, path: &str) -> SimulationRead<String> {
    match text.chars().count() {
        found if found > MOST_SELECTOR => Err(fault(path, SimulationProblem::Long(found))),
        _ => Ok(text),
    }
}

fn count(members: &Map<String, Value>, key: &str, path: &str) -> SimulationRead<Option<u64>> {
    match members.get(key) {
        None => Ok(None),
        Some(value) => match value.as_u64().filter(|count| *count > 0) {
            Some(count) => Ok(Some(count)),
            None => Err(fault(&format!("{path}.{key}"), SimulationProblem::NoCount)),
        },
    }
}

fn list<T>(
    members: &Map<String, Value>,
    key: &str,
    path: &str,
    read: impl Fn(&Value, &str) -> SimulationRead<T>,
) -> SimulationRead<Vec<T>> {
    let path = format!("{path}.{key}");
    match members.get(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().enumerate().map(|(number, item)| read(item, &format!("{path}[{number}]"))).collect()
        }
        Some(_) => Err(fault(&path, SimulationProblem::NoArray)),
    }
}

fn simulation(value: &Value, path: &str) -> SimulationRead<Simulation> {
    let keys = [
        "name",
        "setup",
        "userScenario",
        "userMessage",
        "maxTurns",
        "maxDurationMs",
        "assertions",
        "successCriteria",
    ];
    let members = object(value, path, &keys)?;
    let most_turns = count(members, "maxTurns", path)?;
    let user = match (text(members, "userScenario", path)?, text(members, "userMessage", path)?) {
        (None, Some(_)) if most_turns.is_some() => {
            return Err(fault(&format!("{path}.maxTurns"), SimulationProblem::NotWithMessage));
        }
        (None, Some(message)) => SimulatedUser::Says(message),
        (Some(scenario), None) => SimulatedUser::Follows { scenario, most_turns: most_turns.unwrap_or(1) },
        (None, None) | (Some(_), Some(_)) => {
            return Err(fault(path, SimulationProblem::OneUser));
        }
    };
    let assertions = list(members, "assertions", path, assertion)?;
    if assertions.len() > MOST_ASSERTIONS {
        return Err(fault(&format!("{path}.assertions"), SimulationProblem::Assertions(assertions.len())));
    }
    let success_criteria = text(members, "successCriteria", path)?;
    if assertions.is_empty() && success_criteria.is_none() {
        return Err(fault(path, SimulationProblem::NoCriterion));
    }
    Ok(Simulation {
        name: text(members, "name", path)?,
        setup: setup(members, path)?,
        user,
        most_ms: count(members, "maxDurationMs", path)?,
        assertions,
        success_criteria,
    })
}

/// The calls under `setup`; none without.
pub(crate) fn setup(members: &Map<String, Value>, path: &str) -> SimulationRead<Vec<SetupCall>> {
    list(members, "setup", path, setup_call)
}

/// A call of `setup`.
pub(crate) fn setup_call(value: &Value, path: &str) -> SimulationRead<SetupCall> {
    let members = object(value, path, &["functionName", "arguments"])?;
    let arguments = members.get("arguments").filter(|arguments| arguments.is_object());
    Ok(SetupCall {
        name: required(members, "functionName", path)?,
        arguments: arguments
            .cloned()
            .ok_or_else(|| fault(&format!("{path}.arguments"), SimulationProblem::NoObject))?,
    })
}

fn assertion(value: &Value, path: &str) -> SimulationRead<DomAssertion> {
    let members = object(value, path, &["type", "selector", "expect"])?;
    if required(members, "type", path)? != "dom" {
        return Err(fault(&format!("{path}.type"), SimulationProblem::NotDom));
    }
    let selector = short(required(members, "selector", path)?, &format!("{path}.selector"))?;
    let path = format!("{path}.expect");
    let expect = object(
        members.get("expect").unwrap_or(&Value::Null),
        &path,
        &["exists", "count", "text", "attribute"],
    )?;
    let (Some((key, wanted)), 1) = (expect.iter().next(), expect.len()) else {
        return Err(fault(&path, SimulationProblem::OneExpectation));
    };
    let path = format!("{path}.{key}");
    let criterion = match key.as_str() {
        "exists" => {
            Criterion::Exists(wanted.as_bool().ok_or_else(|| fault(&path, SimulationProblem::NoBoolean))?)
        }
        "count" => Criterion::Count(wanted.clone()),
        "text" => Criterion::Text(wanted.clone()),
        _ => {
            let attribute = object(wanted, &path, &["name", "value"])?;
            let value = attribute
                .get("value")
                .ok_or_else(|| fault(&format!("{path}.value"), SimulationProblem::Missing))?;
            let name = short(required(attribute, "name", &path)?, &format!("{path}.name"))?;
            Criterion::Attribute { name, value: value.clone() }
        }
    };
    Ok(DomAssertion { selector, criterion })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(simulation: Value) -> String {
        read(&json!([simulation]).to_string()).unwrap_err().to_string()
    }

    #[test]
    fn simulation_is_read() {
        let file = json!([{
            "name": "n", "setup": [{"functionName": "clear", "arguments": {}}], "userMessage": "Book it", "maxDurationMs": 5000,
            "assertions": [
                {"type": "dom", "selector": "#done", "expect": {"exists": true}},
                {"type": "dom", "selector": "li", "expect": {"count": {"$gt": 2}}},
                {"type": "dom", "selector": "a", "expect": {"attribute": {"name": "href", "value": null}}},
            ],
        }, {"userScenario": "You want a flight.", "successCriteria": "It is booked."}]);
        let [first, second] = read(&file.to_string()).unwrap().try_into().unwrap();
        assert_eq!(first.user, SimulatedUser::Says("Book it".to_owned()));
        assert_eq!(first.assertions[1].criterion, Criterion::Count(json!({"$gt": 2})));
        let none = Criterion::Attribute { name: "href".to_owned(), value: Value::Null };
        assert_eq!((&first.assertions[2].criterion, first.most_ms), (&none, Some(5000)));
        let scenario = "You want a flight.".to_owned();
        assert_eq!(second.user, SimulatedUser::Follows { scenario, most_turns: 1 });
    }

    #[test]
    fn inspector_case_16_whole_file_is_refused_with_the_place() {
        let good = json!({"userMessage": "x", "successCriteria": "y"});
        let with = |more: Value| {
            let mut one = good.clone();
            one.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            one
        };
        assert_eq!(refused(with(json!({"turns": 1}))), "[0].turns: There is no such key. Take it out.");
        assert_eq!(
            refused(with(json!({"userScenario": "z"}))),
            "[0]: There has to be either userMessage or userScenario."
        );
        assert_eq!(
            refused(json!({"userMessage": "x"})),
            "[0]: Nothing says when it passes. Write assertions."
        );
        assert_eq!(
            refused(with(json!({"maxTurns": 2}))),
            "[0].maxTurns: This does not go with userMessage. Take one of them out."
        );
        let assertion =
            |expect: Value| with(json!({"assertions": [{"type": "dom", "selector": "a", "expect": expect}]}));
        assert_eq!(
            refused(assertion(json!({"exists": true, "count": 1}))),
            "[0].assertions[0].expect: Write one of exists, count, text and attribute."
        );
        assert_eq!(
            refused(assertion(json!({"exists": 1}))),
            "[0].assertions[0].expect.exists: This has to be true or false."
        );
        assert_eq!(
            refused(with(json!({"setup": [{"functionName": "a", "arguments": {}, "x": 1}]}))),
            "[0].setup[0].x: There is no such key. Take it out."
        );
        let double = json!([with(json!({"name": "n"})), with(json!({"name": "n"}))]);
        assert_eq!(read(&double.to_string()).unwrap_err().path, "[1].name");
        assert_eq!(read("{}").unwrap_err().to_string(), "This has to be an array.");
        let one = json!({"type": "dom", "selector": "a", "expect": {"exists": true}});
        assert_eq!(
            refused(with(json!({ "assertions": vec![one; 201] }))),
            "[0].assertions: There are 201; a simulation has 200 at most. Divide it."
        );
        let long = json!({"type": "dom", "selector": "a".repeat(1_001), "expect": {"exists": true}});
        assert_eq!(
            refused(with(json!({ "assertions": [long] }))),
            "[0].assertions[0].selector: This has 1001 characters; 1000 are allowed. Shorten it."
        );
    }

    #[test]
    fn file_of_simulations_is_told_from_a_suite() {
        for (file, is_one) in [
            (json!([{"userMessage": "x"}]), true),
            (json!([{"userScenario": "x", "turns": 1}]), true),
            (json!([{"userMessage": "x", "messages": [], "expectedCall": null}]), false),
            (json!([{"messages": [], "expectedCall": null}]), false),
            (json!({"cases": [{"userMessage": "x"}]}), false),
        ] {
            assert_eq!(is_file_of_simulations(&file.to_string()), is_one, "{file}");
            assert_eq!(is_file_of_simulations(&format!("\u{feff}{file}")), is_one, "{file}");
        }
        assert!(!is_file_of_simulations("[{\"userMessage\":"));
    }
}
