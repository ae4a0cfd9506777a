//! Whether a call of a SKILL that acts has done anything yet, for the worker after this one: a call that has not begins anew
//! there, one that may have is not repeated (docs/decisions/0038).

use std::cell::Cell;

use sidecar_agent::StoreError;
use sidecar_protocol::CallId;

use crate::key_value::KeyValue;

const BEGAN: &str = "began";
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
    /// Notes that a call begins. If that cannot be kept, the next worker takes it as one that may have acted.
    pub async fn begin(storage: K, call: &CallId) -> Self {
        let key = key(call);
        let says_began = Cell::new(storage.set(&key, BEGAN).await.is_ok());
        Self { storage, key, says_began }
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

/// Whether it is known that a call which an earlier worker began has done nothing.
pub async fn has_done_nothing(storage: &impl KeyValue, call: &CallId) -> bool {
    matches!(storage.get(&key(call)).await, Ok(Some(mark)) if mark == BEGAN)
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::testing::Memory;

    fn is_idle(memory: &Memory, call: &str) -> bool {
        block_on(has_done_nothing(memory, &call.into()))
    }

    #[test]
    fn call_has_done_nothing_until_it_acts_and_nothing_is_known_of_others() {
        let memory = Memory::default();
        let mark = block_on(ActedMark::begin(memory.clone(), &"a".into()));
        assert!(is_idle(&memory, "a"));
        assert!(!is_idle(&memory, "b"), "of which there is no mark, as after a restart of the browser");
        block_on(mark.act()).unwrap();
        assert!(!is_idle(&memory, "a"));
        block_on(mark.end());
        assert_eq!(memory.names(), Vec::<String>::new());
    }

    #[test]
    fn call_whose_mark_cannot_be_changed_may_not_act() {
        let memory = Memory::default();
        let mark = block_on(ActedMark::begin(memory.clone(), &"a".into()));
        memory.refuse(true);
        assert!(block_on(mark.act()).is_err());
        memory.refuse(false);
        assert_eq!(block_on(mark.act()), Ok(()), "later");
    }

    #[test]
    fn call_that_could_not_be_marked_acts_and_is_not_begun_anew() {
        let memory = Memory::default();
        memory.refuse(true);
        let mark = block_on(ActedMark::begin(memory.clone(), &"a".into()));
        assert_eq!(block_on(mark.act()), Ok(()));
        memory.refuse(false);
        assert!(!is_idle(&memory, "a"));
    }
}
