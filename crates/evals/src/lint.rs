//! What is wrong with a suite: expectations that always pass, or never do. The runner of webmcp-evals says nothing of that.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sidecar_locales::{Word, fill, quoted};
use sidecar_protocol::eval::{SuiteCheck, SuiteQuestion};
use sidecar_protocol::lint::NoteWeight;
use sidecar_protocol::settings::Language;
use sidecar_schema::is_of_type;

use crate::expected::Expectation;
use crate::extras::EXTRAS_KEY;
use crate::judged::MOST_CALLS;
use crate::matcher::{are_operators, as_text};
use crate::pattern::{self, ExpressionFault};
use crate::simulation::{self, SetupCall};
use crate::suite::{self, CaseMessage, EvalCase, EvalSuite};
use crate::tools::{self, SuiteTool};
use crate::wording::{Sentence, word};

/// How long an exact text is that a model would hardly write word for word, in characters.
const PROSE: usize = 40;

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SuiteRule {
    /// An operator that always holds.
    OperatorUnknown,
    /// An expectation that no value meets, or a value that no page takes.
    NeverPasses,
    /// A tool that the site does not have.
    ToolUnknown,
    /// A node of no known kind.
    NodeUnknown,
    /// An argument that the tool does not have.
    ArgumentUnknown,
    /// A long text, word for word.
    ProseLiteral,
    /// An optional call in a group in any order.
    OptionalInUnordered,
    /// A group that is too large.
    UnorderedTooBig,
    /// Two cases of one name.
    DuplicateName,
    /// A call without an answer, before others.
    NoMock,
    /// A case without `expectedCall`.
    Incomplete,
    /// The calls that prepare the page, or one of them, cannot be read.
    SetupUnreadable,
}

impl SuiteRule {
    /// Its name in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::OperatorUnknown => "suite-operator-unknown",
            Self::NeverPasses => "suite-never-passes",
            Self::ToolUnknown => "suite-tool-unknown",
            Self::NodeUnknown => "suite-node-unknown",
            Self::ArgumentUnknown => "suite-argument-unknown",
            Self::ProseLiteral => "suite-prose-literal",
            Self::OptionalInUnordered => "suite-optional-in-unordered",
            Self::UnorderedTooBig => "suite-unordered-too-big",
            Self::DuplicateName => "suite-duplicate-name",
            Self::NoMock => "suite-no-mock",
            Self::Incomplete => "suite-incomplete",
            Self::SetupUnreadable => "suite-setup-unreadable",
        }
    }

    /// What its findings mean.
    #[must_use]
    pub fn severity(self) -> NoteWeight {
        match self {
            Self::OperatorUnknown
            | Self::NeverPasses
            | Self::ToolUnknown
            | Self::NodeUnknown
            | Self::UnorderedTooBig
            | Self::SetupUnreadable => NoteWeight::Error,
            Self::ArgumentUnknown | Self::ProseLiteral | Self::OptionalInUnordered => NoteWeight::Warning,
            Self::DuplicateName | Self::NoMock | Self::Incomplete => NoteWeight::Info,
        }
    }
}

/// Something of a suite that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteFinding {
    /// The rule.
    pub rule: SuiteRule,
    /// JSON pointer into the suite as it is exported, as `/2/expectedCall/0/arguments/to`.
    pub pointer: String,
    why: Sentence,
    way_out: Sentence,
}

impl SuiteFinding {
    /// Where, what is wrong there, and what to do about it.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let (why, way) = (self.why.text(language), self.way_out.text(language));
        let place = quoted(&self.pointer, usize::MAX);
        let values = [("place", place.as_str()), ("rule", self.rule.id()), ("why", &why), ("way", &way)];
        fill(word::FINDING_PLACED.text(language), &values)
    }
}

/// Says what is wrong with a suite; nothing if it cannot be read.
#[must_use]
pub fn answer(question: &SuiteQuestion) -> Vec<SuiteCheck> {
    let Ok(suite) = suite::read(question.suite.as_bytes()) else { return Vec::new() };
    let tools = question.tools.as_ref().and_then(|tools| tools::read(tools.as_bytes()).ok());
    let note = |finding: &SuiteFinding| SuiteCheck {
        weight: finding.rule.severity(),
        text: finding.sentence(question.language),
    };
    lint(&suite, tools.as_deref()).iter().map(note).collect()
}

/// Looks at a suite; at names and schemas of tools if these are known. In the order of the file.
#[must_use]
pub fn lint(suite: &EvalSuite, tools: Option<&[SuiteTool]>) -> Vec<SuiteFinding> {
    let mut findings = Vec::new();
    let mut names: HashMap<&str, String> = HashMap::new();
    for (number, case) in suite.cases.iter().enumerate() {
        let mut lint = CaseLint { tools, case, findings: &mut findings, pointer: format!("/{number}") };
        if let Some(name) = case.json().get("name").and_then(Value::as_str) {
            if let Some(other) = names.get(name) {
                lint.find(
                    SuiteRule::DuplicateName,
                    (word::LINT_DUPLICATE_NAME, word::LINT_DUPLICATE_NAME_WAY),
                    &[("other", other)],
                );
            } else {
                names.insert(name, number.to_string());
            }
        }
        lint.setup();
        lint.expected();
    }
    findings
}

/// Looks at one case.
struct CaseLint<'l> {
    tools: Option<&'l [SuiteTool]>,
    case: &'l EvalCase,
    findings: &'l mut Vec<SuiteFinding>,
    pointer: String,
}

impl<'l> CaseLint<'l> {
    fn find(&mut self, rule: SuiteRule, (why, way): (Word, Word), values: &[(&'static str, &str)]) {
        self.findings.push(SuiteFinding {
            rule,
            pointer: self.pointer.clone(),
            why: Sentence::new(why, values),
            way_out: Sentence::new(way, values),
        });
    }

    fn within(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        let end = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        look(self);
        self.pointer.truncate(end);
    }

    /// The calls that prepare the page.
    fn setup(&mut self) {
        let setup = self.case.json().get(EXTRAS_KEY).and_then(|extras| extras.get("setup"));
        let Some(setup) = setup else { return };
        self.within(EXTRAS_KEY, |lint| {
            lint.within("setup", |lint| match setup {
                Value::Array(calls) => {
                    for (place, call) in calls.iter().enumerate() {
                        lint.within(&place.to_string(), |lint| lint.setup_call(call));
                    }
                }
                _ => lint.unreadable((word::LINT_SETUP_LIST, word::LINT_SETUP_LIST_WAY)),
            });
        });
    }

    fn setup_call(&mut self, call: &Value) {
        match simulation::setup_call(call, "") {
            Ok(SetupCall { name, arguments }) => {
                let schema = self.schema_of(&name);
                self.within("arguments", |lint| {
                    lint.names(&name, &arguments, schema);
                    lint.sent(&arguments, schema);
                });
            }
            Err(fault) => {
                let words = (word::LINT_SETUP, word::LINT_SETUP_WAY);
                // The place is that of a key, or of the call itself.
                match fault.path.strip_prefix('.') {
                    Some(key) => self.within(key, |lint| lint.unreadable(words)),
                    None => self.unreadable(words),
                }
            }
        }
    }

    fn unreadable(&mut self, words: (Word, Word)) {
        self.find(SuiteRule::SetupUnreadable, words, &[]);
    }

    fn expected(&mut self) {
        if self.case.expected == Expectation::Incomplete {
            return self.find(SuiteRule::Incomplete, (word::LINT_INCOMPLETE, word::LINT_INCOMPLETE_WAY), &[]);
        }
        let case = self.case;
        let nodes = case.json().get("expectedCall").and_then(Value::as_array).map(Vec::as_slice);
        self.within("expectedCall", |lint| lint.nodes(nodes.unwrap_or_default(), false));
    }

    /// Nodes, and whether others follow them.
    fn nodes(&mut self, nodes: &[Value], is_before_others: bool) {
        for (place, node) in nodes.iter().enumerate() {
            let is_before_others = is_before_others || place + 1 < nodes.len();
            self.within(&place.to_string(), |lint| lint.node(node, is_before_others));
        }
    }

    fn node(&mut self, node: &Value, is_before_others: bool) {
        let children = |key: &str| node.get(key).and_then(Value::as_array);
        if let Some(name) = node.get("functionName").and_then(Value::as_str) {
            self.call(name, node, is_before_others);
        } else if let Some(nodes) = children("unordered") {
            self.group(nodes);
            self.within("unordered", |lint| lint.nodes(nodes, is_before_others));
        } else if let Some(nodes) = children("ordered") {
            self.within("ordered", |lint| lint.nodes(nodes, is_before_others));
        } else {
            self.find(SuiteRule::NodeUnknown, (word::LINT_NODE_UNKNOWN, word::LINT_NODE_UNKNOWN_WAY), &[]);
        }
    }

    fn group(&mut self, nodes: &[Value]) {
        if nodes.iter().any(|node| node.get("optional") == Some(&Value::Bool(true))) {
            let words = (word::LINT_OPTIONAL_UNORDERED, word::LINT_OPTIONAL_UNORDERED_WAY);
            self.find(SuiteRule::OptionalInUnordered, words, &[]);
        }
        let is_plain = nodes.iter().all(|node| node.get("functionName").is_some());
        let found = nodes.iter().map(calls_in).sum::<usize>();
        if !is_plain && found > MOST_CALLS {
            let values = [("found", &*found.to_string()), ("most", &MOST_CALLS.to_string())];
            self.find(
                SuiteRule::UnorderedTooBig,
                (word::LINT_UNORDERED_BIG, word::LINT_UNORDERED_BIG_WAY),
                &values,
            );
        }
    }

    fn call(&mut self, name: &str, node: &Value, is_before_others: bool) {
        if is_before_others && node.get("mockOutput").is_none() {
            self.find(SuiteRule::NoMock, (word::LINT_NO_MOCK, word::LINT_NO_MOCK_WAY), &[]);
        }
        let schema = self.schema_of(name);
        if let Some(arguments) = node.get("arguments").filter(|arguments| !arguments.is_null()) {
            self.within("arguments", |lint| {
                lint.names(name, arguments, schema);
                lint.value(arguments, schema, true);
            });
        }
        if let Some(result) = node.get("result").filter(|result| !result.is_null()) {
            self.within("result", |lint| lint.value(result, &Value::Null, false));
        }
    }

    /// The schema of a tool that is called; `null` if there is none. A tool that is unknown is a finding.
    fn schema_of(&mut self, name: &str) -> &'l Value {
        let tool = self.tools.and_then(|tools| tools.iter().find(|tool| tool.name == name));
        if self.tools.is_some() && tool.is_none() {
            let words = (word::LINT_TOOL_UNKNOWN, word::LINT_TOOL_UNKNOWN_WAY);
            self.find(SuiteRule::ToolUnknown, words, &[("tool", name)]);
        }
        tool.map_or(&Value::Null, |tool| &tool.input_schema)
    }

    /// The names of arguments, by the tool's schema.
    fn names(&mut self, tool: &str, arguments: &Value, schema: &Value) {
        if let (Some(members), Some(properties)) = (arguments.as_object(), schema["properties"].as_object())
            && !are_operators(members)
        {
            for name in members.keys().filter(|name| !properties.contains_key(*name)) {
                let words = (word::LINT_ARGUMENT_UNKNOWN, word::LINT_ARGUMENT_UNKNOWN_WAY);
                self.within(name, |lint| {
                    lint.find(SuiteRule::ArgumentUnknown, words, &[("tool", tool), ("name", name)]);
                });
            }
        }
    }

    /// A value that is sent as it stands, and its schema.
    fn sent(&mut self, value: &Value, schema: &Value) {
        match value {
            Value::Object(members)
                if are_operators(members)
                    && members.keys().any(|key| schema["properties"].get(key).is_none()) =>
            {
                self.find(
                    SuiteRule::NeverPasses,
                    (word::LINT_OPERATOR_SENT, word::LINT_OPERATOR_SENT_WAY),
                    &[],
                );
            }
            _ => self.literal(value, schema),
        }
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    self.within(key, |lint| lint.sent(value, &schema["properties"][key.as_str()]));
                }
            }
            Value::Array(items) => {
                for (place, value) in items.iter().enumerate() {
                    self.within(&place.to_string(), |lint| lint.sent(value, &schema["items"]));
                }
            }
            _ => {}
        }
    }

    /// A value that is expected, and the schema of what is there. `is_written` is whether a model writes it.
    fn value(&mut self, value: &Value, schema: &Value, is_written: bool) {
        match value {
            Value::Object(members) if are_operators(members) => self.operators(members, schema),
            Value::Object(members) => {
                self.literal(value, schema);
                for (key, value) in members {
                    let schema = &schema["properties"][key.as_str()];
                    self.within(key, |lint| lint.value(value, schema, is_written));
                }
            }
            Value::Array(items) => {
                self.literal(value, schema);
                for (place, value) in items.iter().enumerate() {
                    let schema = &schema["items"];
                    self.within(&place.to_string(), |lint| lint.value(value, schema, is_written));
                }
            }
            Value::String(text) => {
                self.literal(value, schema);
                let is_prose = text.chars().count() >= PROSE && text.contains(char::is_whitespace);
                let is_chosen = schema.get("enum").is_some() || schema.get("const").is_some();
                if is_written && is_prose && !is_chosen && !self.was_said(text) {
                    self.find(SuiteRule::ProseLiteral, (word::LINT_PROSE, word::LINT_PROSE_WAY), &[]);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => self.literal(value, schema),
        }
    }

    fn was_said(&self, text: &str) -> bool {
        self.case.messages.iter().any(|message| match message {
            CaseMessage::Said { role, text: said } => role == "user" && said.contains(text),
            CaseMessage::Called { .. } | CaseMessage::Answered { .. } => false,
        })
    }

    fn operators(&mut self, members: &Map<String, Value>, schema: &Value) {
        for (operator, operand) in members {
            match operator.as_str() {
                "$pattern" => self.pattern(operand),
                "$contains" if types_of(schema) == ["array"] => {
                    self.find(
                        SuiteRule::NeverPasses,
                        (word::LINT_CONTAINS_NEVER, word::LINT_CONTAINS_NEVER_WAY),
                        &[],
                    );
                }
                "$type" => {
                    let types = ["string", "number", "boolean", "array", "object", "null"];
                    if !operand.as_str().is_some_and(|word| types.contains(&word)) {
                        let word = operand.to_string();
                        let words = (word::LINT_TYPE_NEVER, word::LINT_TYPE_NEVER_WAY);
                        self.find(SuiteRule::NeverPasses, words, &[("word", &word)]);
                    }
                }
                "$contains" | "$gt" | "$gte" | "$lt" | "$lte" | "$any" => {}
                _ => {
                    let words = (word::LINT_OPERATOR_UNKNOWN, word::LINT_OPERATOR_UNKNOWN_WAY);
                    self.find(SuiteRule::OperatorUnknown, words, &[("operator", operator)]);
                }
            }
        }
    }

    fn pattern(&mut self, operand: &Value) {
        let (why, flag) = match pattern::is_found(&as_text(operand), "") {
            Ok(_) | Err(ExpressionFault::Steps(_)) => return,
            Err(ExpressionFault::Flag(flag)) => (word::LINT_PATTERN_FLAG, flag.to_string()),
            Err(ExpressionFault::Syntax(_)) => (word::LINT_PATTERN_SYNTAX, String::new()),
        };
        self.find(SuiteRule::NeverPasses, (why, word::LINT_PATTERN_WAY), &[("flag", &flag)]);
    }

    /// A value that its schema plainly does not allow: by its type, or because it is none of those that may be chosen.
    fn literal(&mut self, value: &Value, schema: &Value) {
        let types = types_of(schema);
        let has_type = types.is_empty() || types.iter().any(|word| is_of_type(value, word));
        let is_whole = !value.is_object() && !value.is_array();
        let choices = schema.get("enum").and_then(Value::as_array);
        let is_choice = !is_whole || choices.is_none_or(|choices| choices.contains(value));
        if !has_type || !is_choice {
            self.find(SuiteRule::NeverPasses, (word::LINT_LITERAL_NEVER, word::LINT_LITERAL_NEVER_WAY), &[]);
        }
    }
}

/// How many calls a node has.
fn calls_in(node: &Value) -> usize {
    let children = ["unordered", "ordered"].into_iter().find_map(|key| node.get(key)?.as_array());
    children.map_or_else(
        || usize::from(node.get("functionName").is_some()),
        |nodes| nodes.iter().map(calls_in).sum(),
    )
}

/// The words of a schema's `type`; none if it says nothing.
fn types_of(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::suite;

    fn tools() -> Vec<SuiteTool> {
        let schema = json!({"type": "object", "properties": {
            "to": {"type": "string", "enum": ["PAR", "LON"]}, "tags": {"type": "array", "items": {"type": "string"}},
            "seats": {"type": "integer"}, "note": {"type": "string"},
        }});
        vec![SuiteTool { name: "book".to_owned(), description: String::new(), input_schema: schema }]
    }

    /// Rules and pointers of what is found in a case with these nodes.
    fn found(nodes: Value) -> Vec<(SuiteRule, String)> {
        let said = json!({"role": "user", "type": "message", "content": "Write: Please keep my seat near the window, thank you."});
        let suite = suite::read(
            json!([{"name": "n", "messages": [said], "expectedCall": nodes}]).to_string().as_bytes(),
        )
        .unwrap();
        let findings = lint(&suite, Some(&tools()));
        for finding in &findings {
            for language in [Language::English, Language::Chinese] {
                let sentence = finding.sentence(language);
                assert!(
                    sentence.contains(finding.rule.id()) && sentence.contains(&finding.pointer),
                    "{sentence}"
                );
            }
        }
        findings.into_iter().map(|finding| (finding.rule, finding.pointer)).collect()
    }

    fn with(arguments: Value) -> Value {
        json!([{"functionName": "book", "arguments": arguments}])
    }

    fn in_arguments(arguments: Value) -> Vec<(SuiteRule, String)> {
        let pointer = |pointer: String| pointer.trim_start_matches("/0/expectedCall/0/arguments").to_owned();
        found(with(arguments)).into_iter().map(|(rule, place)| (rule, pointer(place))).collect()
    }

    #[test]
    fn inspector_case_56_each_rule_finds_the_bad_and_leaves_the_good() {
        let never = |place: &str| vec![(SuiteRule::NeverPasses, place.to_owned())];
        for (bad, place, good) in [
            (json!({"seats": {"$type": "integer"}}), "/seats", json!({"seats": {"$type": "number"}})),
            (json!({"tags": {"$contains": "a"}}), "/tags", json!({"note": {"$contains": "a"}})),
            (json!({"note": {"$pattern": "("}}), "/note", json!({"note": {"$pattern": "(?i)a|b"}})),
            (json!({"note": {"$pattern": "(?x)a"}}), "/note", json!({"note": {"$pattern": "(?:a)"}})),
            (json!({"to": "ROM"}), "/to", json!({"to": "PAR"})),
            (json!({"seats": "2"}), "/seats", json!({"seats": 2.0})),
            (json!({"seats": 2.5}), "/seats", json!({"seats": 2})),
            (json!({"tags": ["a", 1]}), "/tags/1", json!({"tags": ["a", {"$any": true}]})),
        ] {
            assert_eq!((in_arguments(bad), in_arguments(good)), (never(place), vec![]), "{place}");
        }
        let one = |rule, place: &str| vec![(rule, place.to_owned())];
        assert_eq!(in_arguments(json!({"seats": {"$eq": 1}})), one(SuiteRule::OperatorUnknown, "/seats"));
        assert_eq!(in_arguments(json!({"from": "PAR"})), one(SuiteRule::ArgumentUnknown, "/from"));
        assert_eq!(
            in_arguments(json!({"note": "I would like to have a seat at the window."})),
            one(SuiteRule::ProseLiteral, "/note")
        );
        assert_eq!(in_arguments(json!({"note": "Please keep my seat near the window, thank you."})), []);

        let call = |more: Value| {
            let mut call = json!({"functionName": "book", "mockOutput": {}});
            call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            call
        };
        let plain = call(json!({}));
        assert_eq!(
            found(json!([call(json!({"functionName": "boook"}))])),
            one(SuiteRule::ToolUnknown, "/0/expectedCall/0")
        );
        assert_eq!(found(json!([plain, {"tool": "book"}])), one(SuiteRule::NodeUnknown, "/0/expectedCall/1"));
        assert_eq!(
            found(json!([{"unordered": [plain, call(json!({"optional": true}))]}])),
            one(SuiteRule::OptionalInUnordered, "/0/expectedCall/0")
        );
        let many = |count: usize| json!([{"unordered": [{"ordered": vec![plain.clone(); count]}, plain]}]);
        assert_eq!(found(many(15)), one(SuiteRule::UnorderedTooBig, "/0/expectedCall/0"));
        assert_eq!(
            (found(many(14)), found(json!([{"unordered": vec![plain.clone(); 20]}]))),
            (vec![], vec![])
        );
        let without_answer = json!({"functionName": "book"});
        assert_eq!(found(json!([without_answer, plain])), one(SuiteRule::NoMock, "/0/expectedCall/0"));
        assert_eq!(found(json!([plain, without_answer])), [], "nothing comes after it");
    }

    #[test]
    fn calls_that_prepare_the_page_are_looked_at() {
        let found = |setup: Value| {
            let case = json!([{"expectedCall": null, "x-sidecar": {"setup": setup}}]);
            let suite = suite::read(case.to_string().as_bytes()).unwrap();
            assert_eq!(suite.plain(), case, "what cannot be read is kept, too");
            let findings = lint(&suite, Some(&tools()));
            let place = |pointer: &str| pointer.trim_start_matches("/0/x-sidecar/setup").to_owned();
            findings.iter().map(|finding| (finding.rule, place(&finding.pointer))).collect::<Vec<_>>()
        };
        let prose = "I would like to have a seat at the window.";
        let good = json!({"functionName": "book", "arguments": {"seats": 1, "note": prose}});
        let bad = |place: &str| (SuiteRule::SetupUnreadable, place.to_owned());
        assert_eq!(found(json!([good])), []);
        assert_eq!(found(good.clone()), [bad("")]);
        let operator =
            json!([{"functionName": "book", "arguments": {"seats": {"$gte": 1}, "note": {"$pattern": "("}}}]);
        let never = |place: &str| (SuiteRule::NeverPasses, format!("/0/arguments/{place}"));
        assert_eq!(found(operator), [never("seats"), never("note")], "they are sent as they stand");
        let unreadable = json!([good, 1, {"functionName": "book"}, {"functionName": 1, "arguments": {}},
            {"functionName": "book", "arguments": {}, "a/b": 1}]);
        let places = ["/1", "/2/arguments", "/3/functionName", "/4/a~1b"].map(bad);
        assert_eq!(found(unreadable), places);
        let unknown = json!([{"functionName": "boook", "arguments": {}}, {"functionName": "book", "arguments": {"from": 1, "seats": "2"}}]);
        assert_eq!(
            found(unknown),
            [
                (SuiteRule::ToolUnknown, "/0".to_owned()),
                (SuiteRule::ArgumentUnknown, "/1/arguments/from".to_owned()),
                (SuiteRule::NeverPasses, "/1/arguments/seats".to_owned()),
            ]
        );
    }

    #[test]
    fn sentence_has_nothing_of_the_file_that_moves_a_terminal() {
        let key = "a\u{1b}[31m\n";
        let case = json!([{"expectedCall": with(json!({key: {"$\u{1b}": 1}}))}]);
        let findings = lint(&suite::read(case.to_string().as_bytes()).unwrap(), Some(&tools()));
        assert_eq!(findings.len(), 2);
        for finding in findings {
            assert!(!finding.sentence(Language::English).contains(char::is_control));
        }
    }

    #[test]
    fn names_and_missing_expectations_are_told() {
        let suite =
            suite::read(br#"[{"name": "a", "expectedCall": null}, {"name": "a"}, {"expectedCall": []}]"#)
                .unwrap();
        let rules: Vec<_> =
            lint(&suite, None).into_iter().map(|finding| (finding.rule, finding.pointer)).collect();
        assert_eq!(
            rules,
            [(SuiteRule::DuplicateName, "/1".to_owned()), (SuiteRule::Incomplete, "/1".to_owned())]
        );
        assert_eq!(SuiteRule::NoMock.severity(), NoteWeight::Info);
    }
}
