//! What a suite has for us alone, under `x-sidecar`: webmcp-evals does not look at it.

use serde_json::{Map, Value};

use crate::simulation::{self, SetupCall, SimulationFault};

/// The key of a case.
pub const EXTRAS_KEY: &str = "x-sidecar";

/// Maximum number of tags of a case.
const MOST_TAGS: usize = 20;

/// Which of the two verdicts counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VerdictKind {
    /// That of webmcp-evals ([`crate::judged`]).
    #[default]
    Exact,
    /// Whether all required calls are among those that were made ([`crate::lenient`]).
    Lenient,
}

/// What a case says for us.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseExtras {
    /// Words by which cases can be picked.
    pub tags: Vec<String>,
    /// Least rate of runs that have to pass, above 0; 1 without.
    pub minimum: Option<f64>,
    /// The verdict that counts; the suite's without.
    pub verdict: Option<VerdictKind>,
    /// The calls that are made in the page before the model begins, as those of a simulation; why the case is not run, if
    /// they cannot be read.
    pub setup: Result<Vec<SetupCall>, SimulationFault>,
}

impl Default for CaseExtras {
    fn default() -> Self {
        Self { tags: Vec::new(), minimum: None, verdict: None, setup: Ok(Vec::new()) }
    }
}

impl CaseExtras {
    /// Reads those of a case. What is not understood is returned by its key: it does not count.
    pub(crate) fn read(case: &Map<String, Value>) -> (Self, Vec<String>) {
        let (mut extras, mut unknown) = (Self::default(), Vec::new());
        let Some(members) = case.get(EXTRAS_KEY) else { return (extras, unknown) };
        let Value::Object(members) = members else { return (extras, vec![EXTRAS_KEY.to_owned()]) };
        for (key, value) in members {
            let is_read = match key.as_str() {
                "tags" => tags(value).map(|tags| extras.tags = tags),
                "minimum" => minimum(value).map(|minimum| extras.minimum = Some(minimum)),
                "verdict" => VerdictKind::read(value).map(|verdict| extras.verdict = Some(verdict)),
                "setup" => {
                    extras.setup = simulation::setup(members, EXTRAS_KEY);
                    Some(())
                }
                _ => None,
            };
            if is_read.is_none() {
                unknown.push(format!("{EXTRAS_KEY}.{key}"));
            }
        }
        (extras, unknown)
    }
}

impl VerdictKind {
    /// `"exact"` or `"lenient"`.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }
}

fn tags(value: &Value) -> Option<Vec<String>> {
    let tags = value.as_array()?.iter().map(|tag| tag.as_str().map(str::to_owned));
    tags.collect::<Option<Vec<_>>>().filter(|tags| tags.len() <= MOST_TAGS)
}

fn minimum(value: &Value) -> Option<f64> {
    value.as_f64().filter(|rate| *rate > 0.0 && *rate <= 1.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(extras: Value) -> (CaseExtras, Vec<String>) {
        CaseExtras::read(&Map::from_iter([(EXTRAS_KEY.to_owned(), extras)]))
    }

    #[test]
    fn extras_are_read_and_what_is_not_understood_is_named() {
        let setup = json!([{"functionName": "clear", "arguments": {"all": true}}]);
        let (extras, unknown) =
            read(json!({"tags": ["a"], "minimum": 0.6, "verdict": "lenient", "setup": setup}));
        let expected = CaseExtras {
            tags: vec!["a".to_owned()],
            minimum: Some(0.6),
            verdict: Some(VerdictKind::Lenient),
            setup: Ok(vec![SetupCall { name: "clear".to_owned(), arguments: json!({"all": true}) }]),
        };
        assert_eq!((extras, unknown), (expected, vec![]));
        let (extras, mut unknown) = read(json!({"tags": [1], "minimum": 0, "verdict": "kind", "more": 1}));
        unknown.sort();
        let all = ["minimum", "more", "tags", "verdict"].map(|key| format!("x-sidecar.{key}"));
        assert_eq!((extras, unknown), (CaseExtras::default(), all.to_vec()));
        assert_eq!(read(json!(3)), (CaseExtras::default(), vec!["x-sidecar".to_owned()]));
        assert_eq!(CaseExtras::read(&Map::new()), (CaseExtras::default(), vec![]));
    }

    #[test]
    fn setup_that_cannot_be_read_is_refused_with_its_place() {
        for (setup, place) in [
            (json!({"functionName": "a", "arguments": {}}), "x-sidecar.setup:"),
            (json!(["a"]), "x-sidecar.setup[0]:"),
            (json!([{"functionName": "a"}]), "x-sidecar.setup[0].arguments:"),
            (
                json!([{"functionName": "a", "arguments": {}}, {"arguments": {}}]),
                "x-sidecar.setup[1].functionName:",
            ),
            (json!([{"functionName": "a", "arguments": {}, "result": 1}]), "x-sidecar.setup[0].result:"),
        ] {
            let (extras, unknown) = read(json!({ "setup": setup }));
            let fault = extras.setup.unwrap_err().to_string();
            assert!(fault.starts_with(place) && unknown.is_empty(), "{fault}");
        }
    }
}
