//! Checks a result before it is written down.

use sidecar_protocol::settings::Limits;
use sidecar_protocol::thread::{ResultCut, ToolOutcome};

use super::event::CallEvent;
use crate::guard::{fence, signals};
use crate::model_input::result;
use crate::model_input::result::RESULT_LIMIT;

/// What to write down of a result before the outcome: that it is too long for a model, and its injection
/// signals.
pub(super) fn examine(outcome: &ToolOutcome, limits: Limits) -> Vec<CallEvent> {
    let read = result::read(outcome);
    let Some(text) = read.text() else { return Vec::new() };
    let text = &*text;
    let given = usize::try_from(limits.result_characters).unwrap_or(RESULT_LIMIT);
    let (_, whole) = fence::beginning(text, given);
    let looked_at = text.char_indices().nth(4 * given).map_or(text.len(), |(end, _)| end);
    let signals = signals::find(&text[..looked_at]);
    // Logs without a `Cut` event mean the limit that held before it could be set.
    let needs_word = text.char_indices().nth(RESULT_LIMIT).is_some() && given != RESULT_LIMIT;
    let whole = whole.or_else(|| needs_word.then(|| text.chars().count()));
    let cut = whole.map(|whole| CallEvent::Cut { cut: ResultCut { given, whole } });
    let suspected = signals::is_suspicious(&signals).then_some(CallEvent::Suspected { signals });
    cut.into_iter().chain(suspected).collect()
}
