//! Scenario files: how a scripted model answers. One TOML file is one model with the file's name.
//!
//! `docs/decisions/0003-scenario-files.md` explains the format; `tests/scenarios/README.md` lists what a
//! file may contain.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

use crate::delivery::Delivery;
use crate::text::{Expression, Template};

/// How one model answers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// One line for lists of scenarios.
    pub about: String,
    /// How answers are sent, unless a step says otherwise.
    #[serde(default)]
    pub delivery: Delivery,
    /// Values that the steps share, computed in the order of the file.
    #[serde(default, rename = "let")]
    pub shared: SharedValues,
    /// The steps. The first one whose `when` holds is taken.
    #[serde(rename = "step")]
    pub steps: Vec<ScenarioStep>,
}

/// Named expressions, in order; each may use the earlier ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharedValues(pub Vec<(String, Expression)>);

/// One answer or refusal, and when it is given.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioStep {
    /// When this step is taken; always if missing.
    pub when: Option<Expression>,
    /// How often it is taken for one conversation before the steps below it; without limit if missing.
    pub times: Option<u32>,
    /// The model's reasoning, if reasoning is on.
    pub think: Option<LocalText>,
    /// Its text.
    pub say: Option<LocalText>,
    /// The tool that it calls, with `arguments`.
    pub call: Option<Template>,
    /// The arguments of `call`: an expression for an object, or the raw text to send; `{}` if missing.
    pub arguments: Option<Expression>,
    /// Several calls in one answer: an expression for a list of `{name, arguments}`.
    pub calls: Option<Expression>,
    /// The finish reason, if it is not the usual one.
    pub finish: Option<Finish>,
    /// Refuse instead of answering.
    pub refuse: Option<Refuse>,
    /// How this answer is sent.
    #[serde(default)]
    pub delivery: Delivery,
}

/// A text, for all languages or for each.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum LocalText {
    /// For every language.
    Any(Template),
    /// In the user's language.
    ByLanguage {
        /// English.
        en: Template,
        /// Chinese.
        zh: Template,
    },
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It is complete.
    Stop,
    /// It reached its token limit.
    Length,
    /// It waits for the results of its calls.
    ToolCalls,
    /// The provider's content filter intervened.
    ContentFilter,
    /// The service ran out of resources.
    InsufficientSystemResource,
}

/// A refusal in place of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refuse {
    /// HTTP status.
    pub status: u16,
    /// The message; the service's usual one if missing.
    pub message: Option<String>,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u32>,
}

/// All scenarios of a server, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scenarios(BTreeMap<String, Scenario>);

/// Why a scenario file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The folder or a file cannot be read.
    #[error("cannot read scenarios at {path}: {source}")]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file contains something that scenarios cannot have.
    #[error("scenario {name}: {source}")]
    Malformed {
        /// Its name.
        name: String,
        /// What is wrong, and where.
        source: Box<toml::de::Error>,
    },
    /// There is no scenario in the folder.
    #[error("no scenario (*.toml) in {path}")]
    None {
        /// The folder.
        path: PathBuf,
    },
}

impl Scenarios {
    /// Reads every `*.toml` of a folder.
    ///
    /// # Errors
    /// If the folder or a file cannot be read, a file is malformed, or there is none.
    pub fn load(folder: &Path) -> Result<Self, ScenarioError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| ScenarioError::Unreadable { path, source }
        };
        let mut scenarios = Self::default();
        for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
            let path = entry.map_err(unreadable(folder))?.path();
            let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
            let (Some(name), Some("toml")) = (name, path.extension().and_then(|ext| ext.to_str())) else {
                continue;
            };
            let source = fs::read_to_string(&path).map_err(unreadable(&path))?;
            scenarios.add(&name, &source)?;
        }
        if scenarios.0.is_empty() {
            return Err(ScenarioError::None { path: folder.to_owned() });
        }
        Ok(scenarios)
    }

    /// Adds a scenario from the text of its file.
    ///
    /// # Errors
    /// When the text is malformed.
    pub fn add(&mut self, name: &str, source: &str) -> Result<(), ScenarioError> {
        let scenario = toml::from_str(source)
            .map_err(|source| ScenarioError::Malformed { name: name.to_owned(), source: Box::new(source) })?;
        self.0.insert(name.to_owned(), scenario);
        Ok(())
    }

    /// The scenario of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Scenario> {
        self.0.get(name)
    }

    /// All names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl LocalText {
    /// The template for a language (`zh` or another).
    #[must_use]
    pub fn in_language(&self, language: &str) -> &Template {
        match self {
            Self::Any(template) => template,
            Self::ByLanguage { en, zh } => {
                if language == "zh" {
                    zh
                } else {
                    en
                }
            }
        }
    }
}

impl Finish {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
            Self::InsufficientSystemResource => "insufficient_system_resource",
        }
    }
}

impl<'de> Deserialize<'de> for SharedValues {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = toml::Table::deserialize(deserializer)?;
        table
            .into_iter()
            .map(|(name, expression)| Ok((name, expression.try_into().map_err(serde::de::Error::custom)?)))
            .collect::<Result<Vec<_>, _>>()
            .map(Self)
    }
}
