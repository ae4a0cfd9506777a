//! Suites: files with cases. What is written a little differently is bent into the format of webmcp-evals, with a note;
//! what a file has besides comes out again unchanged.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::expected::{Expectation, ExpectedNode};
use crate::extras::{CaseExtras, VerdictKind};
use crate::hash::hash_of;
use crate::tools::{self, SuiteTool};

mod bend;

pub use crate::fault::{MOST_BYTES, MOST_CASES, MOST_DEPTH, SuiteFault};
pub use bend::{Bend, SuiteNote};

/// Where other programs have the cases, if the file is an object.
const WRAPPERS: [&str; 3] = ["cases", "evals", "tests"];

/// The `format` of a suite that has more than cases:
/// `{"format", "version": 1, "name"?, "startUrl"?, "verdict"?, "tools"?, "cases"}`.
pub const SUITE_FORMAT: &str = "sidecar-suite";

/// A suite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EvalSuite {
    /// Its name; empty if the file has none.
    pub name: String,
    /// The page with the tools; empty if the file has none.
    pub start_url: String,
    /// The verdict that counts where a case does not say.
    pub verdict: VerdictKind,
    /// The tools in the file; absent if it has none.
    pub tools: Option<Vec<SuiteTool>>,
    /// Its cases, in the order of the file.
    pub cases: Vec<EvalCase>,
    /// What was read differently from how it is written, in the order of the file.
    pub notes: Vec<SuiteNote>,
}

/// A case: a conversation so far, and which calls should come.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalCase {
    json: Map<String, Value>,
    /// The conversation.
    pub messages: Vec<CaseMessage>,
    /// What should be called.
    pub expected: Expectation,
    /// What it says for us alone.
    pub extras: CaseExtras,
}

/// A message of a case.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseMessage {
    /// Somebody says something.
    Said {
        /// `user`, `assistant`, or what the file has.
        role: String,
        /// The text.
        text: String,
    },
    /// A call that was made before.
    Called {
        /// Name of the tool.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// What came of it.
    Answered {
        /// Name of the tool.
        name: String,
        /// The result.
        result: Value,
    },
}

/// Reads a suite.
///
/// # Errors
/// [`SuiteFault`]
pub fn read(file: &[u8]) -> Result<EvalSuite, SuiteFault> {
    if file.len() > MOST_BYTES {
        return Err(SuiteFault::Size(file.len()));
    }
    let mut notes = Vec::new();
    let text = match file.strip_prefix(b"\xEF\xBB\xBF") {
        Some(text) => {
            notes.push(SuiteNote { case: None, bend: Bend::ByteOrderMark });
            text
        }
        None => file,
    };
    let depth = depth(text);
    if depth > MOST_DEPTH {
        return Err(SuiteFault::Depth(depth));
    }
    let json: Value = serde_json::from_slice(text).map_err(|error| SuiteFault::Json(error.to_string()))?;
    let mut suite = EvalSuite::default();
    let cases = match json {
        Value::Array(cases) => cases,
        Value::Object(mut members) => {
            let key = WRAPPERS.into_iter().find(|key| members.get(*key).is_some_and(Value::is_array));
            let Some((key, Value::Array(cases))) = key.and_then(|key| Some((key, members.remove(key)?)))
            else {
                return Err(SuiteFault::NoCases);
            };
            if members.get("format").is_some_and(|format| format == SUITE_FORMAT) {
                suite.read_members(&members)?;
            } else {
                notes.push(SuiteNote { case: None, bend: Bend::Wrapper { key: key.to_owned() } });
            }
            cases
        }
        _ => return Err(SuiteFault::NoCases),
    };
    if cases.len() > MOST_CASES {
        return Err(SuiteFault::Cases(cases.len()));
    }
    let read = cases.into_iter().enumerate().map(|(number, case)| match case {
        Value::Object(json) => Ok(EvalCase::read(json, number, &mut notes)),
        _ => Err(SuiteFault::Case(number)),
    });
    let cases = read.collect::<Result<_, _>>()?;
    Ok(EvalSuite { cases, notes, ..suite })
}

/// How deeply objects and arrays are nested.
fn depth(text: &[u8]) -> usize {
    let (mut depth, mut most, mut is_text, mut is_escaped) = (0_usize, 0, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

impl EvalSuite {
    /// Reads what a file of our own format has besides the cases.
    fn read_members(&mut self, members: &Map<String, Value>) -> Result<(), SuiteFault> {
        let text = |key: &str| members.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        (self.name, self.start_url) = (text("name"), text("startUrl"));
        self.verdict = members.get("verdict").and_then(VerdictKind::read).unwrap_or_default();
        self.tools = members.get("tools").map(tools::list).transpose()?;
        Ok(())
    }

    /// SHA-256 of what decides the verdicts, in hexadecimal: the cases, and which verdict counts.
    #[must_use]
    pub fn hash(&self) -> String {
        hash_of(&json!([self.verdict, self.plain()]))
    }

    /// The verdict that counts for a case of it.
    #[must_use]
    pub fn verdict_of(&self, case: &EvalCase) -> VerdictKind {
        case.extras.verdict.unwrap_or(self.verdict)
    }

    /// A suite of one of its cases, with the verdict that counts for it: text of a file of our own format.
    #[must_use]
    pub fn alone(&self, case: &EvalCase) -> String {
        let cases = [&case.json];
        json!({"format": SUITE_FORMAT, "version": 1, "verdict": self.verdict, "cases": cases}).to_string()
    }

    /// Names of the cases that call a tool, by its name: those that expect a call of it, or prepare the page by one.
    #[must_use]
    pub fn cases_by_tool(&self) -> BTreeMap<String, Vec<String>> {
        let mut by_tool = BTreeMap::<String, Vec<String>>::new();
        for (number, case) in self.cases.iter().enumerate() {
            let name = match case.name() {
                "" => format!("#{}", number + 1),
                name => name.to_owned(),
            };
            let setup = case.extras.setup.as_deref().unwrap_or_default();
            let called: BTreeSet<_> =
                setup.iter().map(|call| call.name.as_str()).chain(case.expects()).collect();
            for tool in called {
                by_tool.entry(tool.to_owned()).or_default().push(name.clone());
            }
        }
        by_tool
    }

    /// Those of the tools of which no case expects a call, in their order.
    #[must_use]
    pub fn without_case<'t>(&self, tools: impl IntoIterator<Item = &'t str>) -> Vec<String> {
        let expected: BTreeSet<_> = self.cases.iter().flat_map(EvalCase::expects).collect();
        tools.into_iter().filter(|tool| !expected.contains(tool)).map(str::to_owned).collect()
    }

    /// The suite as webmcp-evals reads it: an array of cases, with all that they had besides.
    #[must_use]
    pub fn plain(&self) -> Value {
        self.cases.iter().map(|case| Value::Object(case.json.clone())).collect()
    }
}

impl EvalCase {
    fn read(mut json: Map<String, Value>, number: usize, notes: &mut Vec<SuiteNote>) -> Self {
        bend::case(&mut json, number, notes);
        let messages = json.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let messages = messages.iter().map(CaseMessage::read).collect();
        let expected = Expectation::read(json.get("expectedCall"));
        let (extras, unknown) = CaseExtras::read(&json);
        notes.extend(
            unknown.into_iter().map(|key| SuiteNote { case: Some(number), bend: Bend::CannotRun { key } }),
        );
        Self { json, messages, expected, extras }
    }

    /// The case as it stands in [`EvalSuite::plain`].
    #[must_use]
    pub fn json(&self) -> &Map<String, Value> {
        &self.json
    }

    /// SHA-256 of all that it has, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        hash_of(&Value::Object(self.json.clone()))
    }

    /// The tools that it expects to be called, some maybe twice.
    fn expects(&self) -> impl Iterator<Item = &str> {
        self.expected.nodes().iter().flat_map(ExpectedNode::calls).map(|call| call.name.as_str())
    }

    /// Its name, or what the user says first; empty if there is neither.
    #[must_use]
    pub fn name(&self) -> &str {
        let said = || {
            self.messages.iter().find_map(|message| match message {
                CaseMessage::Said { role, text } if role == "user" => Some(text.as_str()),
                _ => None,
            })
        };
        self.json.get("name").and_then(Value::as_str).or_else(said).unwrap_or_default()
    }
}

impl CaseMessage {
    fn read(message: &Value) -> Self {
        let text = |key: &str| match &message[key] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        match message["type"].as_str() {
            Some("functioncall") => {
                Self::Called { name: text("name"), arguments: message["arguments"].clone() }
            }
            Some("functionresponse") => {
                let response = &message["response"];
                let result = response.get("result").filter(|result| !result.is_null()).unwrap_or(response);
                Self::Answered { name: text("name"), result: result.clone() }
            }
            _ => {
                let role = text("role");
                let role = if role == "model" { "assistant".to_owned() } else { role };
                Self::Said { role, text: text("content") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn suite(json: &Value) -> EvalSuite {
        read(json.to_string().as_bytes()).unwrap()
    }

    fn bends(json: &Value) -> Vec<Bend> {
        suite(json).notes.into_iter().map(|note| note.bend).collect()
    }

    fn exact() -> Value {
        json!([{
            "name": "Search", "own": {"key": [1, null]},
            "messages": [
                {"role": "user", "type": "message", "content": "Find a flight"},
                {"role": "model", "type": "functioncall", "name": "search", "arguments": {"to": "PAR"}, "id": 7},
                {"role": "user", "type": "functionresponse", "name": "search", "response": {"result": [1]}},
                {"role": "tool", "type": "other", "content": "x"},
            ],
            "expectedCall": [{"functionName": "book", "arguments": {"id": {"$type": "number"}}, "optional": true, "note": "n"}],
        }, {"messages": [], "expectedCall": null}])
    }

    #[test]
    fn inspector_case_11_what_is_read_comes_out_as_it_was() {
        let suite = suite(&exact());
        assert_eq!((suite.plain(), suite.notes.len()), (exact(), 0));
        let [first, second] = &*suite.cases else { panic!() };
        assert_eq!((first.name(), second.name()), ("Search", ""));
        assert_eq!(first.messages.len(), 4);
        assert!(matches!(&first.messages[2], CaseMessage::Answered { result, .. } if *result == json!([1])));
        assert!(matches!(&first.messages[3], CaseMessage::Said { role, .. } if role == "tool"));
        assert!(first.expected.nodes()[0].calls()[0].is_optional);
        assert_eq!(second.expected, Expectation::NoCall { told: true });
    }

    #[test]
    fn inspector_case_12_each_bend_is_noted_once() {
        let said = json!({"role": "user", "type": "message", "content": "Hi"});
        let node = json!([{"functionName": "a"}]);
        let case = |more: Value| {
            let mut case = json!({"name": "n", "messages": [said], "expectedCall": node});
            case.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!([case])
        };
        let untyped = case(
            json!({"messages": [{"role": "user", "content": "Hi"}, {"role": "model", "name": "a", "arguments": {}}]}),
        );
        assert_eq!(bends(&untyped), [Bend::MessageType]);
        assert_eq!(suite(&untyped).plain()[0]["messages"][1]["type"], "functioncall");
        let assistant =
            case(json!({"messages": [{"role": "assistant", "type": "message", "content": "Hi"}]}));
        assert_eq!(bends(&assistant), [Bend::Assistant]);
        assert_eq!(suite(&assistant).plain()[0]["messages"][0]["role"], "model");
        let by_id = json!([{"id": "c-1", "messages": [said], "expectedCall": node}]);
        assert_eq!(bends(&by_id), [Bend::NameFrom { key: "id".to_owned() }]);
        assert_eq!(suite(&by_id).cases[0].name(), "c-1");
        let single = case(json!({"expectedCall": {"functionName": "a"}}));
        assert_eq!(bends(&single), [Bend::SingleNode]);
        assert_eq!(suite(&single).plain()[0]["expectedCall"], node);
        let wrapped = json!({"cases": exact()});
        assert_eq!(bends(&wrapped), [Bend::Wrapper { key: "cases".to_owned() }]);
        let marked = [b"\xEF\xBB\xBF".as_slice(), exact().to_string().as_bytes()].concat();
        assert_eq!(read(&marked).unwrap().notes, [SuiteNote { case: None, bend: Bend::ByteOrderMark }]);
        let forbidden = case(json!({"forbiddenTools": ["b"]}));
        assert_eq!(bends(&forbidden), [Bend::CannotRun { key: "forbiddenTools".to_owned() }]);
        assert_eq!(suite(&forbidden).plain()[0]["forbiddenTools"], json!(["b"]));
    }

    #[test]
    fn suite_of_our_own_format_says_more_than_its_cases() {
        let file = json!({
            "format": SUITE_FORMAT, "version": 1, "name": "Flights", "startUrl": "https://site.example/", "verdict": "lenient",
            "tools": [{"name": "search"}], "cases": [{"x-sidecar": {"verdict": "exact"}}, {"x-sidecar": {"kind": 1}}],
        });
        let suite = suite(&file);
        assert_eq!((suite.name.as_str(), suite.verdict), ("Flights", VerdictKind::Lenient));
        assert_eq!(suite.start_url, "https://site.example/");
        assert_eq!(suite.tools.as_ref().unwrap()[0].name, "search");
        let verdicts: Vec<_> = suite.cases.iter().map(|case| suite.verdict_of(case)).collect();
        assert_eq!(verdicts, [VerdictKind::Exact, VerdictKind::Lenient]);
        let bend = Bend::CannotRun { key: "x-sidecar.kind".to_owned() };
        assert_eq!(suite.notes, [SuiteNote { case: Some(1), bend }]);
        let bad = json!({"format": SUITE_FORMAT, "tools": {}, "cases": []});
        assert_eq!(read(bad.to_string().as_bytes()), Err(SuiteFault::NoTools));
    }

    #[test]
    fn tools_are_told_by_the_cases_that_call_them() {
        let call = |name: &str| json!({"functionName": name, "arguments": {}});
        let suite = suite(&json!([
            {"name": "one", "expectedCall": [{"unordered": [call("find"), call("find")]}, {"functionName": "book", "optional": true}]},
            {"expectedCall": [call("find")], "x-sidecar": {"setup": [call("clear")]}},
            {"name": "none", "expectedCall": null},
        ]));
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let by_tool = [("book", &["one"][..]), ("clear", &["#2"]), ("find", &["one", "#2"])];
        let expected = by_tool.map(|(tool, cases)| (tool.to_owned(), names(cases)));
        assert_eq!(suite.cases_by_tool(), BTreeMap::from(expected));
        assert_eq!(suite.without_case(["pay", "find", "clear", "book"]), names(&["pay", "clear"]));
    }

    #[test]
    fn cases_of_other_programs_are_converted() {
        let one = json!([{"prompt": "Hi", "expectedTool": "a", "expectedArguments": {"x": 1}}]);
        let converted = suite(&one);
        assert_eq!(
            converted.notes[0].bend,
            Bend::Converted { keys: vec!["prompt".to_owned(), "expectedTool".to_owned()] }
        );
        assert_eq!(
            converted.plain()[0]["expectedCall"],
            json!([{"functionName": "a", "arguments": {"x": 1}}])
        );
        assert_eq!(converted.cases[0].name(), "Hi");
        let several = json!([{"input": "Hi", "expectedCalls": [{"tool": "a", "args": {}}, {"name": "b"}]}]);
        assert_eq!(
            suite(&several).plain()[0]["expectedCall"],
            json!([{"functionName": "a", "arguments": {}}, {"functionName": "b"}])
        );
        let sequence = json!([{"input": "Hi", "expectedCallSequence": ["a", {"name": "b"}]}]);
        assert_eq!(
            suite(&sequence).plain()[0]["expectedCall"],
            json!([{"functionName": "a"}, {"functionName": "b"}])
        );
    }

    #[test]
    fn inspector_case_13_case_without_expected_calls_is_incomplete() {
        let incomplete = suite(&json!([{"name": "n", "messages": []}]));
        assert_eq!(incomplete.cases[0].expected, Expectation::Incomplete);
    }

    #[test]
    fn inspector_case_14_what_is_no_suite_is_refused_with_the_cause() {
        let refused = |text: &str| read(text.as_bytes()).unwrap_err();
        assert_eq!(refused("{}"), SuiteFault::NoCases);
        assert_eq!(refused("3"), SuiteFault::NoCases);
        assert!(matches!(refused("[,]"), SuiteFault::Json(_)));
        assert_eq!(refused(&" ".repeat(5 << 20)), SuiteFault::Size(5 << 20));
        assert_eq!(refused(&("[".repeat(65) + &"]".repeat(65))), SuiteFault::Depth(65));
        assert_eq!(refused(&format!("[{}{{}}]", "{},".repeat(1_000))), SuiteFault::Cases(1_001));
        assert_eq!(refused("[{}, 1]"), SuiteFault::Case(1));
        assert_eq!(read(br#"[{"name": "[[\"[["}]"#).unwrap().cases.len(), 1);
    }

    proptest! {
        #[test]
        fn nothing_that_is_read_panics_and_reading_again_changes_nothing(text in r#"[\[\]{}:,"a-z0-9$ ]{0,80}"#, key in "[a-zA-Z]{1,12}", value in "[ -~]{0,12}") {
            let _ = read(text.as_bytes());
            let case = json!([{key: value, "messages": [{"content": text}], "expectedCall": {"functionName": "a"}}]);
            let once = suite(&case).plain();
            let again = suite(&once);
            prop_assert_eq!(again.plain(), once);
        }
    }
}
