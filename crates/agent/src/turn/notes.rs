//! Notes on irregular answers: for the log, and for the model.

use sidecar_llm::FinishReason;
use sidecar_webmcp::Offer;

use crate::tools::resolve;

/// Irregularities of an answer, for the log.
pub(super) fn notes_on(answer: &sidecar_llm::ModelAnswer) -> Vec<String> {
    let mut notes: Vec<String> = answer.inline_calls.iter().map(ToString::to_string).collect();
    if answer.dropped_calls > 0 {
        notes.push(format!(
            "Calls that were cut or had no name, and were left out: {}.",
            answer.dropped_calls
        ));
    }
    if answer.calls.is_empty() && answer.text.is_empty() && answer.refusal.is_empty() {
        notes.push("The answer holds neither words nor calls.".to_owned());
    }
    notes
}

/// What a model is told if it wrote calls into its text of which none could be made, or if the token limit
/// cut its only call. An answer that was cut in its text is for the user to continue.
pub(super) fn lost_calls(
    answer: &sidecar_llm::ModelAnswer,
    offers: &[Offer],
    is_prompted: bool,
) -> Option<String> {
    if !answer.calls.is_empty() {
        return None;
    }
    let inline_calls = answer
        .inline_calls
        .as_ref()
        .filter(|inline_calls| inline_calls.left_out > 0 || !inline_calls.unknown.is_empty());
    if answer.finish == FinishReason::Length {
        let is_cut = answer.dropped_calls > 0 || inline_calls.is_some();
        return is_cut.then(|| {
            "[Notice: the token limit cut your tool call, and nothing ran. Make it again, and keep it shorter.]".to_owned()
        });
    }
    let inline_calls = inline_calls?;
    let unknown = match inline_calls.unknown.is_empty() {
        true => String::new(),
        false => format!(" There is no tool named {:?}.", inline_calls.unknown.join(", ")),
    };
    let how =
        if is_prompted { "Write calls as you were told to." } else { "Make calls as calls, not as text." };
    Some(format!(
        "[Notice: your last answer held a tool call as text ({}), and nothing came of it.{unknown} {} {how}]",
        inline_calls.markup,
        resolve::told(offers),
    ))
}
