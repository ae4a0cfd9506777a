//! Scripted simulations as the cases of a suite: what the user says is the conversation, and what the page shows in the end
//! is judged.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::matcher::{self, Difference};
use crate::reason::RunReason;
use crate::record::{kept, kept_text};
use crate::simulation::{
    self, Criterion, DomAssertion, SetupCall, SimulatedUser, Simulation, SimulationFault, SimulationProblem,
};
use crate::suite::{self, EvalSuite};

/// Maximum number of assertions that a run tells of: the first that fail.
const MOST_REASONS: usize = 20;

/// What a simulation has besides its case.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalScript {
    simulation: Simulation,
}

/// What to look for in a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElementLook {
    /// CSS selector.
    pub selector: String,
    /// The attribute that is wanted of the first such element.
    pub attribute: Option<String>,
    /// Whether its text is wanted.
    pub text: bool,
}

/// The first element that a selector finds, and how many there are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SeenElement {
    /// How many there are.
    pub count: u64,
    /// Its text; absent if there is none, or it was not asked for.
    pub text: Option<String>,
    /// The attribute that was asked for; absent if it has none.
    pub attribute: Option<String>,
    /// Why nobody can look.
    pub wrong: Option<String>,
}

/// Reads a file of scripted simulations: a suite, and a script for each of its cases.
///
/// # Errors
/// As [`simulation::read`], and if somebody invented would have to speak, or a judge decide.
pub fn read(file: &str) -> Result<(EvalSuite, Vec<EvalScript>), SimulationFault> {
    let simulations = simulation::read(file)?;
    let mut cases: Vec<Value> = serde_json::from_str(simulation::unmarked(file)).unwrap_or_default();
    for (number, (simulation, case)) in simulations.iter().zip(&mut cases).enumerate() {
        let refused = |key: &str, problem: SimulationProblem| {
            Err(SimulationFault { path: format!("[{number}].{key}"), problem })
        };
        let SimulatedUser::Says(message) = &simulation.user else {
            return refused("userScenario", SimulationProblem::NeedsUser);
        };
        if simulation.success_criteria.is_some() {
            return refused("successCriteria", SimulationProblem::NeedsJudge);
        }
        case["messages"] = json!([{"role": "user", "type": "message", "content": message}]);
        case["expectedCall"] = json!([]);
    }
    let suite = suite::read(Value::from(cases).to_string().as_bytes())
        .map_err(|fault| SimulationFault { path: String::new(), problem: SimulationProblem::File(fault) })?;
    let scripts = simulations.into_iter().map(|simulation| EvalScript { simulation });
    Ok((suite, scripts.collect()))
}

/// The simulations of a file, each as a file of its own.
#[must_use]
pub fn divided(file: &str) -> Vec<String> {
    let simulations: Vec<Value> = serde_json::from_str(simulation::unmarked(file)).unwrap_or_default();
    simulations.iter().map(|one| json!([one]).to_string()).collect()
}

impl EvalScript {
    /// The calls before the model begins.
    #[must_use]
    pub fn setup(&self) -> &[SetupCall] {
        &self.simulation.setup
    }

    /// How long a run may take, in milliseconds, if that is said.
    #[must_use]
    pub fn most_ms(&self) -> Option<u64> {
        self.simulation.most_ms
    }

    /// What to look for in the page.
    #[must_use]
    pub fn looks(&self) -> Vec<ElementLook> {
        let look = |assertion: &DomAssertion| {
            let attribute = match &assertion.criterion {
                Criterion::Attribute { name, .. } => Some(name.clone()),
                Criterion::Exists(_) | Criterion::Count(_) | Criterion::Text(_) => None,
            };
            let text = matches!(assertion.criterion, Criterion::Text(_));
            ElementLook { selector: assertion.selector.clone(), attribute, text }
        };
        self.simulation.assertions.iter().map(look).collect()
    }

    /// What of the page is not as it should be, in the order of [`Self::looks`].
    ///
    /// # Errors
    /// If nobody can say: for a selector or a pattern that cannot be used.
    pub fn judge(&self, seen: &[SeenElement]) -> Result<Vec<RunReason>, RunReason> {
        let (wanted, found) = (self.simulation.assertions.len(), seen.len());
        if wanted != found {
            let why = format!("{wanted} elements were looked for, and {found} answers came");
            return Err(RunReason::NotJudged { why });
        }
        let pairs = self.simulation.assertions.iter().zip(seen);
        let failed = pairs.map(|(assertion, seen)| {
            let not_judged = |why: String| RunReason::NotJudged { why };
            if let Some(why) = &seen.wrong {
                return Err(not_judged(kept_text(why)));
            }
            let difference = difference(assertion, seen).map_err(|fault| not_judged(fault.to_string()))?;
            Ok(difference.map(|difference| RunReason::Assertion {
                selector: kept_text(&assertion.selector),
                difference: Box::new(difference),
            }))
        });
        let mut reasons = failed.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?;
        reasons.truncate(MOST_REASONS);
        Ok(reasons)
    }
}

fn difference(
    assertion: &DomAssertion,
    seen: &SeenElement,
) -> Result<Option<Difference>, crate::pattern::ExpressionFault> {
    let is_there = seen.count > 0;
    let text = |text: &Option<String>| text.clone().map(Value::String);
    let (place, expected, actual) = match &assertion.criterion {
        Criterion::Exists(exists) => ("exists", &Value::Bool(*exists), Some(Value::Bool(is_there))),
        Criterion::Count(count) => ("count", count, Some(Value::from(seen.count))),
        Criterion::Text(wanted) => ("text", wanted, text(&seen.text)),
        // `null` is an element without the attribute, and not no element.
        Criterion::Attribute { value: Value::Null, name } if is_there => {
            (name.as_str(), &Value::Null, Some(text(&seen.attribute).unwrap_or_default()))
        }
        Criterion::Attribute { value, name } => (name.as_str(), value, text(&seen.attribute)),
    };
    let found = matcher::difference(expected, actual.as_ref())?;
    Ok(found.map(|Difference { pointer, operator, expected, actual }| Difference {
        pointer: format!("/{place}{pointer}"),
        operator,
        expected: kept(expected),
        actual: actual.map(kept),
    }))
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::settings::Language;

    use super::*;

    fn file(more: &Value) -> String {
        let mut one = json!({"userMessage": "Book it", "setup": [{"functionName": "clear", "arguments": {"all": true}}]});
        one.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([one]).to_string()
    }

    /// What is wrong with a page that is seen like this, by one assertion.
    fn judged(expect: Value, seen: SeenElement) -> Result<Vec<RunReason>, RunReason> {
        let assertions = json!([{"type": "dom", "selector": "#a", "expect": expect}]);
        read(&file(&json!({ "assertions": assertions }))).unwrap().1[0].judge(&[seen])
    }

    #[test]
    fn simulation_becomes_a_case_and_a_script() {
        let attribute =
            json!({"type": "dom", "selector": "a", "expect": {"attribute": {"name": "href", "value": "x"}}});
        let exists = json!({"type": "dom", "selector": "#b", "expect": {"exists": true}});
        let (suite, scripts) =
            read(&file(&json!({"maxDurationMs": 5000, "assertions": [exists, attribute]}))).unwrap();
        assert_eq!((suite.cases[0].name(), suite.notes.len()), ("Book it", 0));
        let clear = SetupCall { name: "clear".to_owned(), arguments: json!({"all": true}) };
        assert_eq!(scripts[0].setup(), [clear]);
        let look = |selector: &str, attribute: Option<&str>| ElementLook {
            selector: selector.to_owned(),
            attribute: attribute.map(str::to_owned),
            text: false,
        };
        assert_eq!(scripts[0].looks(), [look("#b", None), look("a", Some("href"))]);
        assert_eq!(scripts[0].most_ms(), Some(5000));
        let seen = SeenElement { count: 1, ..SeenElement::default() };
        assert!(matches!(scripts[0].judge(&[seen]), Err(RunReason::NotJudged { .. })), "one answer lacks");
    }

    #[test]
    fn file_is_divided_into_files_of_one_simulation() {
        let two = json!([{"userMessage": "a", "assertions": []}, {"userMessage": "b"}]);
        let divided = divided(&format!("\u{feff}{two}"));
        assert_eq!(divided[1], json!([{"userMessage": "b"}]).to_string());
        assert_eq!(divided.len(), 2);
    }

    #[test]
    fn what_needs_a_model_of_its_own_is_refused_with_the_place() {
        let criteria = read(&file(&json!({"successCriteria": "booked"}))).unwrap_err().to_string();
        assert!(criteria.starts_with("[0].successCriteria: This needs a judge"), "{criteria}");
        let scenario = json!([{"userScenario": "You want it.", "successCriteria": "booked"}]).to_string();
        let scenario = read(&scenario).unwrap_err().to_string();
        assert!(scenario.starts_with("[0].userScenario: Invented users are not"), "{scenario}");
    }

    #[test]
    fn page_is_held_against_each_kind_of_assertion() {
        let seen = |count, text: &str, attribute: Option<&str>| SeenElement {
            count,
            text: (count > 0).then(|| text.to_owned()),
            attribute: attribute.map(str::to_owned),
            wrong: None,
        };
        let of = |value: Value| json!({"attribute": {"name": "href", "value": value}});
        for (expect, seen, passes) in [
            (json!({"exists": true}), seen(1, "", None), true),
            (json!({"exists": false}), seen(1, "", None), false),
            (json!({"count": {"$gt": 1}}), seen(2, "", None), true),
            (json!({"count": 3}), seen(2, "", None), false),
            (json!({"text": {"$contains": "tea"}}), seen(1, "green tea", None), true),
            (json!({"text": "tea"}), seen(0, "", None), false),
            (of(json!("/x")), seen(1, "", Some("/x")), true),
            (of(json!({"$any": true})), seen(1, "", None), false),
            (of(json!(null)), seen(1, "", None), true),
            (of(json!(null)), seen(1, "", Some("")), false),
            (of(json!(null)), seen(0, "", None), false),
        ] {
            let judged = judged(expect.clone(), seen);
            assert_eq!(judged.unwrap().is_empty(), passes, "{expect}");
        }
        let reason = judged(json!({"text": "a"}), seen(1, "b", None)).unwrap().remove(0);
        assert_eq!(reason.sentence(Language::English), "#a at /text: \"a\" was expected, \"b\" came.");
        let wrong = SeenElement { wrong: Some("no selector".to_owned()), ..SeenElement::default() };
        assert!(matches!(judged(json!({"count": 1}), wrong), Err(RunReason::NotJudged { .. })));
        let pattern = judged(json!({"text": {"$pattern": "("}}), seen(1, "b", None));
        assert!(matches!(pattern, Err(RunReason::NotJudged { .. })));
    }
}
