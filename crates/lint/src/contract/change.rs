//! A change between two snapshots, and what it means to those who call the tools.

use std::collections::BTreeMap;

use serde_json::Value;
use sidecar_locales::Word;
use sidecar_protocol::settings::Language;

use crate::wording::{excerpt, filled, shown, word};

/// Maximum number of cases that are named with a change.
const MOST_CASES: usize = 20;

/// What a change means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeClass {
    /// Calls that worked fail now, or nobody can tell.
    Breaking,
    /// What a call may do, or what the tool says, is to be judged again: what the user allowed lapses.
    Safety,
    /// Models may call it otherwise.
    Behavioural,
    /// Calls that worked still do.
    Compatible,
}

/// What changed.
#[derive(Debug, Clone, PartialEq)]
pub enum ContractChangeKind {
    /// The tool is gone.
    ToolGone,
    /// The tool has another name now, probably.
    ToolRenamed {
        /// The name.
        to: String,
    },
    /// The tool is of another origin now.
    OriginMoved {
        /// The origin.
        to: String,
    },
    /// A parameter has to be given now.
    ParameterRequired,
    /// A parameter is gone, and calls with it are refused.
    ParameterRefused,
    /// Values that were accepted are refused now; this one, if one could be made.
    ValuesRefused(Option<Value>),
    /// Whether values are refused cannot be judged.
    Unjudged,
    /// A hint changed.
    HintChanged,
    /// A text gives the model orders, or hides something, and none did before.
    SignAdded,
    /// A parameter is gone, and calls with it still pass.
    ParameterIgnored,
    /// Another title.
    TitleChanged,
    /// Another description.
    DescriptionChanged,
    /// Another default.
    DefaultChanged,
    /// Other examples.
    ExamplesChanged,
    /// A new tool.
    ToolAdded,
    /// A new parameter that may be left out.
    ParameterAdded,
    /// A parameter may be left out now.
    ParameterOptional,
    /// More values are accepted.
    ValuesAdded,
}

impl ContractChangeKind {
    /// What it means.
    #[must_use]
    pub fn class(&self) -> ChangeClass {
        match self {
            Self::ToolGone
            | Self::ToolRenamed { .. }
            | Self::OriginMoved { .. }
            | Self::ParameterRequired
            | Self::ParameterRefused
            | Self::ValuesRefused(_)
            | Self::Unjudged => ChangeClass::Breaking,
            Self::HintChanged | Self::SignAdded => ChangeClass::Safety,
            Self::ParameterIgnored
            | Self::TitleChanged
            | Self::DescriptionChanged
            | Self::DefaultChanged
            | Self::ExamplesChanged => ChangeClass::Behavioural,
            Self::ToolAdded | Self::ParameterAdded | Self::ParameterOptional | Self::ValuesAdded => {
                ChangeClass::Compatible
            }
        }
    }

    fn word(&self) -> Word {
        match self {
            Self::ToolGone => word::CHANGE_TOOL_GONE,
            Self::ToolRenamed { .. } => word::CHANGE_TOOL_RENAMED,
            Self::OriginMoved { .. } => word::CHANGE_ORIGIN_MOVED,
            Self::ParameterRequired => word::CHANGE_PARAMETER_REQUIRED,
            Self::ParameterRefused => word::CHANGE_PARAMETER_REFUSED,
            Self::ValuesRefused(Some(_)) => word::CHANGE_VALUES_REFUSED_AS,
            Self::ValuesRefused(None) => word::CHANGE_VALUES_REFUSED,
            Self::Unjudged => word::CHANGE_UNJUDGED,
            Self::HintChanged => word::CHANGE_HINT_CHANGED,
            Self::SignAdded => word::CHANGE_SIGN_ADDED,
            Self::ParameterIgnored => word::CHANGE_PARAMETER_IGNORED,
            Self::TitleChanged => word::CHANGE_TITLE_CHANGED,
            Self::DescriptionChanged => word::CHANGE_DESCRIPTION_CHANGED,
            Self::DefaultChanged => word::CHANGE_DEFAULT_CHANGED,
            Self::ExamplesChanged => word::CHANGE_EXAMPLES_CHANGED,
            Self::ToolAdded => word::CHANGE_TOOL_ADDED,
            Self::ParameterAdded => word::CHANGE_PARAMETER_ADDED,
            Self::ParameterOptional => word::CHANGE_PARAMETER_OPTIONAL,
            Self::ValuesAdded => word::CHANGE_VALUES_ADDED,
        }
    }

    fn value(&self) -> String {
        match self {
            Self::ToolRenamed { to } | Self::OriginMoved { to } => to.clone(),
            Self::ValuesRefused(Some(value)) => value.to_string(),
            Self::ToolGone
            | Self::ParameterRequired
            | Self::ParameterRefused
            | Self::ValuesRefused(None)
            | Self::Unjudged
            | Self::HintChanged
            | Self::SignAdded
            | Self::ParameterIgnored
            | Self::TitleChanged
            | Self::DescriptionChanged
            | Self::DefaultChanged
            | Self::ExamplesChanged
            | Self::ToolAdded
            | Self::ParameterAdded
            | Self::ParameterOptional
            | Self::ValuesAdded => String::new(),
        }
    }
}

/// A change of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractChange {
    /// What changed.
    pub kind: ContractChangeKind,
    /// Origin of the tool, in the earlier snapshot if it is in it.
    pub origin: String,
    /// Its name there.
    pub tool: String,
    /// JSON Pointer (RFC 6901) into the tool; empty for the whole.
    pub pointer: String,
    /// What was there before: at most 121 characters, invisible ones written out; empty for nothing.
    pub before: String,
    /// What is there now, in the same way.
    pub after: String,
    /// Names of the eval cases that call the tool ([`name_cases`]).
    pub cases: Vec<String>,
}

impl ContractChange {
    pub(crate) fn new(kind: ContractChangeKind, origin: &str, tool: &str) -> Self {
        Self {
            kind,
            origin: origin.to_owned(),
            tool: tool.to_owned(),
            pointer: String::new(),
            before: String::new(),
            after: String::new(),
            cases: Vec::new(),
        }
    }

    pub(crate) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }

    pub(crate) fn texts(mut self, before: &str, after: &str) -> Self {
        (self.before, self.after) = (excerpt(before), excerpt(after));
        self
    }

    /// Tool, place, and what changed there, on one line.
    #[must_use]
    pub fn sentence(&self, language: Language) -> String {
        let what = filled(self.kind.word(), &[("value", shown(&self.kind.value()))], language);
        let values = [("tool", shown(&self.tool)), ("place", shown(&self.pointer)), ("what", what)];
        filled(word::CHANGE_PLACED, &values, language)
    }

    /// Which eval cases call the tool, on one line; nothing if none is known.
    #[must_use]
    pub fn cases_sentence(&self, language: Language) -> Option<String> {
        let mut names: Vec<_> = self.cases.iter().take(MOST_CASES).map(|name| shown(name)).collect();
        if self.cases.len() > MOST_CASES {
            names.push(format!("… (+{})", self.cases.len() - MOST_CASES));
        }
        let cases = [("cases", names.join(", "))];
        (!names.is_empty()).then(|| filled(word::CHANGE_CASES, &cases, language))
    }
}

/// Notes with each change the names of the cases that call its tool: `cases` has them by the tool's name.
pub fn name_cases(changes: &mut [ContractChange], cases: &BTreeMap<String, Vec<String>>) {
    for change in changes {
        change.cases = cases.get(&change.tool).cloned().unwrap_or_default();
    }
}
