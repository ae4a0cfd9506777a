//! The outcome of a call, as the document of its tool reports it.

use sidecar_protocol::page::{FailureCode, ToolResult, caps};
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};

/// The relay has held the cap on results already, but it shares a process with the page.
const LONGEST_RESULT: usize = 4 * caps::RESULT;

/// The outcome that an answer of a relay reports.
#[must_use]
pub fn outcome_of(answer: ToolResult) -> ToolOutcome {
    if answer.result.as_ref().is_some_and(|result| result.len() > LONGEST_RESULT) {
        return failed(FailureCode::TooLarge, String::new());
    }
    if answer.ok {
        return answer.result.map_or_else(ToolOutcome::left, ToolOutcome::ok);
    }
    let message = answer.error.unwrap_or_default().chars().take(caps::ERROR).collect();
    failed(answer.code.unwrap_or(FailureCode::Threw), message)
}

/// The outcome of a call to a tool of a kind that nothing provides yet.
#[must_use]
pub fn no_provider() -> ToolOutcome {
    failed(FailureCode::NotFound, String::new())
}

fn failed(code: FailureCode, message: String) -> ToolOutcome {
    ToolOutcome::Failed { code: ToolFailure::Page(code), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(ok: bool) -> ToolResult {
        ToolResult { kind: String::new(), request_id: "c1".into(), ok, result: None, error: None, code: None }
    }

    #[test]
    fn result_is_the_outcome_and_a_call_without_one_left_its_page() {
        let result = ToolResult { result: Some("Two seats".to_owned()), ..answer(true) };
        assert_eq!(outcome_of(result), ToolOutcome::ok("Two seats"));
        assert_eq!(outcome_of(answer(true)), ToolOutcome::left());
    }

    #[test]
    fn result_that_passes_the_cap_all_the_same_is_no_result() {
        for (len, fits) in [(LONGEST_RESULT, true), (LONGEST_RESULT + 1, false)] {
            let outcome = outcome_of(ToolResult { result: Some("x".repeat(len)), ..answer(true) });
            assert_eq!(outcome == failed(FailureCode::TooLarge, String::new()), !fits, "{len}");
        }
    }

    #[test]
    fn failure_without_a_code_was_thrown_by_the_page_and_its_message_has_a_cap() {
        let thrown = ToolResult { error: Some("字".repeat(caps::ERROR + 1)), ..answer(false) };
        assert_eq!(outcome_of(thrown), failed(FailureCode::Threw, "字".repeat(caps::ERROR)));
        let unknown = ToolResult { code: Some(FailureCode::NotFound), ..answer(false) };
        assert_eq!(outcome_of(unknown), failed(FailureCode::NotFound, String::new()));
    }
}
