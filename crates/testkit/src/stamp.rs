//! What makes an answer unique: its ids, and seals on opaque data.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The ids of one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// `id` of the completion; call ids are derived from it.
    pub(crate) id: String,
    /// `created`, in seconds since the Unix epoch.
    pub(crate) created: u64,
    /// Tokens of the request.
    pub(crate) prompt_tokens: usize,
}

impl Stamp {
    /// The id without its dashes: 32 digits.
    pub(crate) fn digits(&self) -> String {
        self.id.replace('-', "")
    }

    /// The id of a call. It encodes whether reasoning led to the call, so that reasoning can be required in
    /// the history without storing it.
    pub(crate) fn call_id(&self, prefix: &str, index: usize, is_thought: bool) -> String {
        let mark = if is_thought { THOUGHT } else { "n" };
        format!("{prefix}_{mark}{index}_{}", &self.digits()[..24])
    }
}

const THOUGHT: &str = "t";

/// Whether reasoning led to a call with this id; false for ids made elsewhere.
pub(crate) fn is_thought(call_id: &str, prefix: &str) -> bool {
    call_id
        .strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_')?.strip_prefix(THOUGHT)?.split_once('_'))
        .is_some_and(|(index, digits)| index.parse::<usize>().is_ok() && digits.len() == 24)
}

/// Stands for a signature or encrypted text: changing what is sealed invalidates it. Not secret.
pub(crate) fn seal(text: &str) -> String {
    format!("c2VhbA{:016x}", hash(&("seal", text)))
}

pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_whether_there_were_thoughts() {
        let stamp = Stamp { id: "01234567-89ab-cdef-0123-456789abcdef".into(), created: 0, prompt_tokens: 0 };
        assert_eq!(stamp.call_id("call", 11, true), "call_t11_0123456789abcdef01234567");
        assert!(is_thought(&stamp.call_id("call", 11, true), "call"));
        assert!(!is_thought(&stamp.call_id("call", 0, false), "call"));
        assert!(!is_thought(&stamp.call_id("toolu", 0, true), "call"));
        assert!(!is_thought("call_t1_x", "call"));
    }
}
