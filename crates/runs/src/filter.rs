//! Which of many runs are meant.

use sidecar_protocol::tool_run::ToolRun;

use crate::class::RunClass;

/// What runs have to be like. Without anything, all runs are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Each of its words stands in the tool's name, the arguments or the result, in capitals or not.
    pub text: String,
    /// How they ended.
    pub class: Option<RunClass>,
    /// The tool's name.
    pub tool: Option<String>,
}

impl RunFilter {
    /// Whether a run is like this.
    #[must_use]
    pub fn keeps(&self, run: &ToolRun) -> bool {
        self.class.is_none_or(|class| class == RunClass::of(&run.outcome))
            && self.tool.as_ref().is_none_or(|tool| *tool == run.tool)
            && self.has_words(run)
    }

    fn has_words(&self, run: &ToolRun) -> bool {
        let wanted = self.text.to_lowercase();
        if wanted.trim().is_empty() {
            return true;
        }
        let result = run.outcome.text().unwrap_or_default();
        let places = [&*run.tool, &*run.arguments, &*result].map(str::to_lowercase);
        wanted.split_whitespace().all(|word| places.iter().any(|place| place.contains(word)))
    }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::thread::ToolOutcome;

    use super::*;
    use crate::testing::run;

    #[test]
    fn runs_are_found_by_words_class_and_tool() {
        let runs = [
            run("search", r#"{"q":"Éclair"}"#, ToolOutcome::ok("3 found")),
            run("book", r#"{"id":3}"#, ToolOutcome::Cancelled),
            run("search", r#"{"q":"pie"}"#, ToolOutcome::Interrupted),
        ];
        let found =
            |filter: RunFilter| -> Vec<usize> { (0..3).filter(|at| filter.keeps(&runs[*at])).collect() };
        let text = |text: &str| RunFilter { text: text.to_owned(), ..RunFilter::default() };
        assert_eq!(found(text(" ")), [0, 1, 2]);
        assert_eq!(found(text("éclair FOUND")), [0]);
        assert_eq!(found(text("3")), [0, 1]);
        assert_eq!(found(text("search book")), [0; 0]);
        assert_eq!(found(RunFilter { class: Some(RunClass::Stopped), ..text("") }), [1]);
        assert_eq!(found(RunFilter { tool: Some("search".to_owned()), ..text("pie") }), [2]);
    }
}
