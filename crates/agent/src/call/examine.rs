//! A result before it counts.

use sidecar_protocol::settings::Limits;
use sidecar_protocol::thread::{ResultCut, ToolOutcome};

use super::event::CallEvent;
use crate::guard::{fence, signals};
use crate::model_input::result;
use crate::model_input::result::RESULT_LIMIT;

/// What is to be known of a result before it counts: that it is too long for a model, and what is suspicious in it.
pub(super) fn examine(outcome: &ToolOutcome, limits: Limits) -> Vec<CallEvent> {
    let read = result::read(outcome);
    let Some(text) = read.text() else { return Vec::new() };
    let text = &*text;
    let given = usize::try_from(limits.result_characters).unwrap_or(RESULT_LIMIT);
    let (_, whole) = fence::beginning(text, given);
    let looked_at = text.char_indices().nth(4 * given).map_or(text.len(), |(end, _)| end);
    let signals = signals::find(&text[..looked_at]);
    // Without a word about it, what a model is given is what it was given before that could be set.
    let needs_word = text.char_indices().nth(RESULT_LIMIT).is_some() && given != RESULT_LIMIT;
    let whole = whole.or_else(|| needs_word.then(|| text.chars().count()));
    let cut = whole.map(|whole| CallEvent::Cut { cut: ResultCut { given, whole } });
    let suspected = signals::is_suspicious(&signals).then_some(CallEvent::Suspected { signals });
    cut.into_iter().chain(suspected).collect()
}
