//! Phrases for small items of a conversation, as shown and as announced to screen readers.

use sidecar_protocol::thread::{Compaction, Omission, Stuck, TurnEnd};
use sidecar_ui::words::{Word, Words};

use crate::phrases::model_error;
use crate::word;

/// What ended the turn, and what to do next.
pub fn turn_end(words: Words, provider: &str, end: &TurnEnd) -> String {
    match end {
        TurnEnd::Done => words.get(word::REST_DONE).to_owned(),
        TurnEnd::Length => words.get(word::REST_LENGTH).to_owned(),
        TurnEnd::Stopped => words.get(word::REST_STOPPED).to_owned(),
        TurnEnd::CallLimit { limit } => {
            words.count((word::REST_CALL_LIMIT_ONE, word::REST_CALL_LIMIT_OTHER), u64::from(*limit), &[])
        }
        TurnEnd::TimeLimit { limit_ms } => {
            words.fill(word::REST_TIME_LIMIT, &[("duration", &words.rough_duration(*limit_ms))])
        }
        TurnEnd::Failed { error } => {
            words.sentences(&model_error::what(words, provider, error), model_error::next(words, error))
        }
        TurnEnd::Stuck { how } => words
            .get(match how {
                Stuck::Silent => word::REST_SILENT,
                Stuck::Repeating => word::REST_REPEATING,
                Stuck::Mistaken => word::REST_MISTAKEN,
            })
            .to_owned(),
        TurnEnd::Interrupted => words.get(word::REST_INTERRUPTED).to_owned(),
    }
}

/// What the model no longer gets.
pub fn left_out(what: Omission) -> Word {
    match what {
        Omission::History => word::LEFT_OUT_HISTORY,
        Omission::PageContent => word::LEFT_OUT_PAGE_CONTENT,
    }
}

/// The state of a compaction.
pub fn compaction(how: &Compaction) -> Word {
    match how {
        Compaction::Summing => word::COMPACTED_SUMMING,
        Compaction::Results => word::COMPACTED_RESULTS,
        Compaction::Summary { .. } => word::COMPACTED_SUMMARY,
    }
}

/// Which version is shown, of how many.
pub fn version(words: Words, version: u32, of: u32) -> String {
    let (version, of) = (words.number(u64::from(version)), words.number(u64::from(of)));
    words.fill(word::VERSIONS_LINE, &[("version", &version), ("of", &of)])
}
