//! Whether a call of a SKILL that acts has done anything yet, for the worker after this one: a call that has not begins anew
//! there, one that may have is not repeated (docs/decisions/0038).

use std::cell::Cell;

use sidecar_agent::StoreError;
use sidecar_protocol::{CallId, DocumentId};

use crate::key_value::KeyValue;

/// Before the document in which the call began.
const BEGAN: &str = "began ";
const ACTED: &str = "acted";

/// What is kept of one call while it runs, in memory of the browser that its restart empties: without a mark nobody knows.
#[derive(Debug)]
pub struct ActedMark<K> {
    storage: K,
    key: String,
    /// Whether it says that nothing was done.
    says_began: Cell<bool>,
}

fn key(call: &CallId) -> String {
    format!("skillCall.{call}")
}

impl<K: KeyValue> ActedMark<K> {
    /// Notes that a call begins in a document. If that cannot be kept, the next worker takes it as one that may have acted.
    /// `None` if an earlier worker began it in another document: what was allowed was meant for that one.
    pub async fn begin(storage: K, call: &CallId, document: &DocumentId) -> Option<Self> {
        let key = key(call);
        let mark = format!("{BEGAN}{}", document.0);
        let before = storage.get(&key).await;
        if matches!(&before, Ok(Some(before)) if before.starts_with(BEGAN) && *before != mark) {
            return None;
        }
        let is_kept = storage.set(&key, &mark).await.is_ok();
        // A mark of the worker before may be there all the same.
        let says_began = Cell::new(is_kept || before != Ok(None));
        Some(Self { storage, key, says_began })
    }

    /// Notes, before something is done, that something was.
    ///
    /// # Errors
    /// If that cannot be kept: then nothing may be done, because it might be done twice.
    pub async fn act(&self) -> Result<(), StoreError> {
        if self.says_began.get() {
            self.storage.set(&self.key, ACTED).await?;
            self.says_began.set(false);
        }
        Ok(())
    }

    /// Takes the mark away.
    pub async fn end(self) {
        let _ = self.storage.remove(&self.key).await;
    }
}

/// Takes the mark of an earlier worker away: nobody knows then what the call has done.
///
/// # Errors
/// If it stays. Then nothing may be done, because it might be done twice.
pub async fn forget(storage: &impl KeyValue, call: &CallId) -> Result<(), StoreError> {
    storage.remove(&key(call)).await
}

/// Whether it is known that a call which an earlier worker began has done nothing.
pub async fn has_done_nothing(storage: &impl KeyValue, call: &CallId) -> bool {
    matches!(storage.get(&key(call)).await, Ok(Some(mark)) if mark.starts_with(BEGAN))
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::testing::Memory;

    fn is_idle(memory: &Memory, call: &str) -> bool {
        block_on(has_done_nothing(memory, &call.into()))
    }

    fn begun(memory: &Memory, document: &str) -> Option<ActedMark<Memory>> {
        block_on(ActedMark::begin(memory.clone(), &"a".into(), &document.into()))
    }

    #[test]
    fn call_has_done_nothing_until_it_acts_and_nothing_is_known_of_others() {
        let memory = Memory::default();
        let mark = begun(&memory, "D1").unwrap();
        assert!(is_idle(&memory, "a"));
        assert!(!is_idle(&memory, "b"), "of which there is no mark, as after a restart of the browser");
        block_on(mark.act()).unwrap();
        assert!(!is_idle(&memory, "a"));
        block_on(mark.end());
        assert_eq!(memory.names(), Vec::<String>::new());
    }

    #[test]
    fn call_begins_anew_in_its_document_alone() {
        let memory = Memory::default();
        begun(&memory, "D1").unwrap();
        assert!(begun(&memory, "D2").is_none());
        assert!(begun(&memory, "D1").is_some());
    }

    #[test]
    fn call_whose_mark_was_taken_away_is_not_begun_anew() {
        let memory = Memory::default();
        begun(&memory, "D1").unwrap();
        memory.refuse(true);
        assert!(block_on(forget(&memory, &"a".into())).is_err());
        memory.refuse(false);
        assert_eq!(block_on(forget(&memory, &"a".into())), Ok(()));
        assert!(!is_idle(&memory, "a"));
    }

    #[test]
    fn call_whose_mark_cannot_be_changed_may_not_act() {
        let memory = Memory::default();
        let mark = begun(&memory, "D1").unwrap();
        memory.refuse(true);
        assert!(block_on(mark.act()).is_err());
        // Nor may the one of the next worker, which cannot say anything either.
        let next = begun(&memory, "D1").unwrap();
        assert!(block_on(next.act()).is_err());
        memory.refuse(false);
        assert_eq!(block_on(next.act()), Ok(()), "later");
        assert!(!is_idle(&memory, "a"));
    }
}
