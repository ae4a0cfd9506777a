//! How runs ended, in few classes.

use sidecar_locales::Word;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::ToolOutcome;

use crate::wording::word;

/// A class of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunClass {
    /// The tool succeeded.
    Ok,
    /// It failed, or could not be run.
    Failed,
    /// The user said no, or stopped it.
    Stopped,
    /// Nobody knows what it did: it took too long, or the worker lost track of it.
    Unknown,
}

impl RunClass {
    /// All classes, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Ok, Self::Failed, Self::Stopped, Self::Unknown];

    /// The class of an outcome.
    #[must_use]
    pub fn of(outcome: &ToolOutcome) -> Self {
        match outcome {
            ToolOutcome::Ok { .. } | ToolOutcome::Repeated { .. } => Self::Ok,
            ToolOutcome::Failed { .. } => Self::Failed,
            ToolOutcome::Declined | ToolOutcome::Cancelled => Self::Stopped,
            ToolOutcome::Interrupted | ToolOutcome::TimedOut { .. } => Self::Unknown,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn text(self, language: Language) -> &'static str {
        let word: Word = match self {
            Self::Ok => word::CLASS_OK,
            Self::Failed => word::CLASS_FAILED,
            Self::Stopped => word::CLASS_STOPPED,
            Self::Unknown => word::CLASS_UNKNOWN,
        };
        word.text(language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_names_and_classes() {
        for (outcome, class, named) in [
            (ToolOutcome::ok("x"), RunClass::Ok, "ok"),
            (ToolOutcome::Declined, RunClass::Stopped, "declined"),
            (ToolOutcome::Cancelled, RunClass::Stopped, "cancelled"),
            (ToolOutcome::Interrupted, RunClass::Unknown, "interrupted"),
            (ToolOutcome::TimedOut { limit_ms: 1 }, RunClass::Unknown, "timedOut"),
        ] {
            assert_eq!((RunClass::of(&outcome), outcome.name()), (class, named));
            assert!(serde_json::to_string(&outcome).unwrap().contains(named), "as it is saved");
        }
        for class in RunClass::ALL {
            assert_ne!(class.text(Language::English), class.text(Language::Chinese));
        }
    }
}
