//! Steps: the closed list of what a tool does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sidecar_protocol::ActionOutcome;

use super::ToolClass;
use super::condition::Condition;
use super::locator::At;
use super::wording::ByLanguage;

/// A step of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SkillStep {
    /// What is done.
    #[serde(flatten)]
    pub does: StepKind,
    /// It is done only if this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// Name under which later steps use the result.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u32>,
    /// Outcome of the tool if the step does not hold.
    #[serde(default, rename = "else", skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<ActionOutcome>,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StepKind {
    /// Ends the tool unless this holds.
    Expect {
        /// The condition.
        that: Condition,
    },
    /// Waits.
    Wait {
        /// For what.
        r#for: WaitedFor,
    },
    /// Reads one value.
    Read {
        /// Of which element.
        at: At,
        /// What of it.
        #[serde(flatten)]
        reading: ValueReading,
    },
    /// Reads the rows of a list.
    Extract(Extraction),
    /// Reads data that the page carries for programs.
    Data {
        /// Where in the page.
        from: DataSource,
        /// The `script` element.
        at: Option<At>,
        /// A part of it.
        pick: Option<String>,
        /// What it is read as.
        r#type: Option<ValueType>,
        /// No data is no mistake.
        #[serde(default)]
        optional: bool,
    },
    /// Requests an endpoint.
    Fetch {
        /// Its name.
        endpoint: String,
        /// Values of the placeholders in its path.
        #[serde(default)]
        path: BTreeMap<String, Value>,
        /// Query parameters.
        #[serde(default)]
        query: BTreeMap<String, Value>,
        /// Fields of a form.
        form: Option<BTreeMap<String, Value>>,
        /// A body of JSON.
        json: Option<Value>,
        /// What the answer is.
        read: AnswerForm,
        /// A part of it.
        pick: Option<String>,
        /// Rows of an HTML answer.
        extract: Option<Extraction>,
        /// Outcomes by HTTP status.
        #[serde(default)]
        outcomes: BTreeMap<String, ActionOutcome>,
    },
    /// Scrolls.
    Scroll {
        /// The element; of a list, its rows.
        at: At,
        /// How far.
        #[serde(default)]
        to: ScrollTo,
        /// At most so often.
        rounds: Option<u32>,
    },
    /// Leads the tab to a path of the same site.
    Navigate {
        /// The path.
        path: String,
        /// Query parameters.
        #[serde(default)]
        query: BTreeMap<String, Value>,
        /// In a tab of its own.
        #[serde(default)]
        own_tab: bool,
    },
    /// Clicks.
    Click {
        /// What.
        at: At,
        /// Once or twice.
        count: Option<u32>,
        /// What it brings about.
        then: Then,
    },
    /// Types a text.
    Fill {
        /// Into which field.
        at: At,
        /// The text.
        value: Value,
    },
    /// Chooses an option.
    Choose {
        /// Of which field.
        at: At,
        /// The option.
        option: Value,
    },
    /// Ticks a box or clears it.
    Check {
        /// Which box.
        at: At,
        /// Ticked or not.
        on: Value,
    },
    /// Points at an element.
    Hover {
        /// Which.
        at: At,
    },
    /// Presses a key.
    Press {
        /// In which field.
        at: Option<At>,
        /// The key.
        key: String,
    },
    /// Does the steps of the first branch that holds.
    Either {
        /// Branches.
        branches: Vec<Branch>,
    },
    /// Repeats steps as long as there is a next page.
    Pages {
        /// What leads to the next page.
        next: At,
        /// The steps.
        steps: Vec<SkillStep>,
        /// Name of the rows that the steps read.
        collect: String,
        /// At most so many pages.
        rounds: Option<u32>,
        /// At most so many rows.
        items: Option<u32>,
    },
    /// The user does what a tool may not.
    HandOver {
        /// What the user is asked to do.
        say: ByLanguage,
        /// The tool goes on when this holds.
        until: Condition,
        /// At most so long.
        minutes: Option<u32>,
    },
    /// Ends the tool with a value.
    Return {
        /// The value: a template.
        value: Value,
    },
    /// Ends the tool with an outcome.
    Fail {
        /// The outcome.
        outcome: ActionOutcome,
    },
}

impl StepKind {
    /// Its word in `do`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Expect { .. } => "expect",
            Self::Wait { .. } => "wait",
            Self::Read { .. } => "read",
            Self::Extract(_) => "extract",
            Self::Data { .. } => "data",
            Self::Fetch { .. } => "fetch",
            Self::Scroll { .. } => "scroll",
            Self::Navigate { .. } => "navigate",
            Self::Click { .. } => "click",
            Self::Fill { .. } => "fill",
            Self::Choose { .. } => "choose",
            Self::Check { .. } => "check",
            Self::Hover { .. } => "hover",
            Self::Press { .. } => "press",
            Self::Either { .. } => "either",
            Self::Pages { .. } => "pages",
            Self::HandOver { .. } => "handOver",
            Self::Return { .. } => "return",
            Self::Fail { .. } => "fail",
        }
    }

    /// What it does at most, without the steps in it. A request's class is its method's; `reads` says whether an
    /// endpoint of this name is only read.
    #[must_use]
    pub fn class(&self, reads: impl Fn(&str) -> bool) -> ToolClass {
        match self {
            Self::Click { .. }
            | Self::Fill { .. }
            | Self::Choose { .. }
            | Self::Check { .. }
            | Self::Hover { .. }
            | Self::Press { .. } => ToolClass::Acting,
            Self::Fetch { endpoint, .. } if !reads(endpoint) => ToolClass::Acting,
            // A next page is a click on a link, which leads to an address: it reads.
            Self::Pages { .. }
            | Self::Fetch { .. }
            | Self::Expect { .. }
            | Self::Wait { .. }
            | Self::Read { .. }
            | Self::Extract(_)
            | Self::Data { .. }
            | Self::Scroll { .. }
            | Self::Navigate { .. }
            | Self::Either { .. }
            | Self::HandOver { .. }
            | Self::Return { .. }
            | Self::Fail { .. } => ToolClass::Read,
        }
    }

    /// The lists of steps in it.
    #[must_use]
    pub fn inner(&self) -> Vec<&[SkillStep]> {
        match self {
            Self::Either { branches } => branches.iter().map(|branch| branch.steps.as_slice()).collect(),
            Self::Pages { steps, .. } => vec![steps],
            _ => Vec::new(),
        }
    }
}

/// What a step waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WaitedFor {
    /// Nothing in the page has changed for 300 ms: the word `stable`.
    Stable(String),
    /// A condition.
    Condition(Condition),
}

/// What is read of an element, and as what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueReading {
    /// What is read.
    pub what: What,
    /// Name of the attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attr: Option<String>,
    /// What the text is read as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<ValueType>,
    /// What stands there, and what it becomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<BTreeMap<String, Value>>,
    /// No value is no mistake.
    #[serde(default)]
    pub optional: bool,
    /// Of several elements, the first.
    #[serde(default)]
    pub first: bool,
}

/// What is read of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    /// Its text.
    Text,
    /// An attribute.
    Attr,
    /// The value of a field.
    Value,
    /// How many there are.
    Count,
    /// Whether there is one.
    Exists,
    /// Its content as Markdown.
    Markdown,
}

/// What a text is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ValueType {
    /// A text.
    String,
    /// A whole number: `3,456`, `1.2万`.
    Integer,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// A date.
    Date,
    /// An address.
    Url,
    /// An amount with its currency.
    Money,
}

/// The rows of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    /// The rows.
    pub each: At,
    /// The fields of a row.
    pub fields: BTreeMap<String, RowField>,
    /// At most so many rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
}

/// A field of a row, or a list in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RowField {
    /// A list in the row.
    List {
        /// Its rows.
        each: At,
        /// Their fields.
        fields: BTreeMap<String, RowField>,
    },
    /// A value.
    Value {
        /// Inside the row; without it, the row itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<At>,
        /// What of it.
        #[serde(flatten)]
        reading: ValueReading,
    },
}

/// Data that a page carries for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DataSource {
    /// JSON-LD.
    JsonLd,
    /// `meta` elements.
    Meta,
    /// Microdata.
    Microdata,
    /// The JSON in a `script` element.
    Script,
}

/// What an answer is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AnswerForm {
    /// JSON.
    Json,
    /// An HTML document, which stays inert.
    Html,
}

/// How far a step scrolls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScrollTo {
    /// Until the element is in view.
    #[default]
    View,
    /// To the end of a list, until it has no more rows.
    End,
}

/// What a click brings about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Then {
    /// A word.
    Word(ThenWord),
    /// An element comes.
    Appears {
        /// Which.
        appears: At,
    },
    /// An element goes.
    Gone {
        /// Which.
        gone: At,
    },
}

/// What a click brings about, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ThenWord {
    /// A new document.
    Navigation,
    /// Nothing that can be checked.
    None,
}

/// A branch of `either`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// It is taken if this holds; without it, always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// Its steps.
    pub steps: Vec<SkillStep>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_are_read_and_written_the_same() {
        for step in [
            json!({"do": "expect", "that": {"at": "list", "is": "visible"}, "else": "notFound"}),
            json!({"do": "wait", "for": "stable"}),
            json!({"do": "wait", "for": {"any": [{"url": "https://a.example/*"}, {"input": "q", "given": true}]}, "timeout": 9}),
            json!({"do": "read", "at": {"any": [{"css": "h1"}]}, "what": "text", "type": "string", "optional": true, "first": false, "as": "title"}),
            json!({"do": "either", "branches": [{"when": {"at": "a", "is": "present"}, "steps": [{"do": "fail", "outcome": "signIn"}]}]}),
            json!({"do": "return", "value": {"title": "{{title}}"}}),
        ] {
            let read: SkillStep =
                serde_json::from_value(step.clone()).unwrap_or_else(|error| panic!("{step}: {error}"));
            let written = serde_json::to_value(&read).unwrap();
            assert_eq!(serde_json::from_value::<SkillStep>(written.clone()).unwrap(), read, "{written}");
            assert_eq!(written["do"], step["do"]);
        }
    }

    #[test]
    fn a_field_is_a_value_or_a_list() {
        let list: RowField =
            serde_json::from_value(json!({"each": "tags", "fields": {"name": {"what": "text"}}})).unwrap();
        assert!(matches!(list, RowField::List { .. }));
        let value: RowField =
            serde_json::from_value(json!({"at": "a", "what": "attr", "attr": "href", "type": "url"}))
                .unwrap();
        assert!(matches!(value, RowField::Value { reading: ValueReading { what: What::Attr, .. }, .. }));
    }

    #[test]
    fn what_acts_is_known_by_its_word_and_method() {
        let class = |step: serde_json::Value| {
            serde_json::from_value::<SkillStep>(step).unwrap().does.class(|endpoint| endpoint == "read")
        };
        let at = json!("a");
        for acting in [
            json!({"do": "click", "at": at, "then": "none"}),
            json!({"do": "fill", "at": at, "value": "x"}),
            json!({"do": "choose", "at": at, "option": "x"}),
            json!({"do": "check", "at": at, "on": true}),
            json!({"do": "hover", "at": at}),
            json!({"do": "press", "key": "Enter"}),
            json!({"do": "fetch", "endpoint": "write", "read": "json"}),
        ] {
            assert_eq!(class(acting.clone()), ToolClass::Acting, "{acting}");
        }
        for reading in [
            json!({"do": "fetch", "endpoint": "read", "read": "json"}),
            json!({"do": "navigate", "path": "/x"}),
            json!({"do": "scroll", "at": at}),
        ] {
            assert_eq!(class(reading.clone()), ToolClass::Read, "{reading}");
        }
    }
}
