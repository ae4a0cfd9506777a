//! What the next worker has to know of the eval that is being run. It lives as long as the browser.

use std::cell::RefCell;
use std::rc::Rc;

use sidecar_protocol::TabId;
use sidecar_protocol::eval::EvalId;

use super::LeftEval;
use super::jobs::EvalJob;
use crate::cache;
use crate::key_value::KeyValue;

const UNDER_WAY: &str = "evalUnderWay";

/// Reads what the previous worker left.
pub async fn left(store: &impl KeyValue) -> Option<LeftEval> {
    cache::read(store, UNDER_WAY).await
}

/// The eval that is being run, as it is saved. Clones are handles to the same.
#[derive(Debug)]
pub struct EvalUnderWay<K> {
    store: K,
    left: Rc<RefCell<LeftEval>>,
}

impl<K: Clone> Clone for EvalUnderWay<K> {
    fn clone(&self) -> Self {
        Self { store: self.store.clone(), left: self.left.clone() }
    }
}

impl<K: KeyValue> EvalUnderWay<K> {
    /// An eval that begins, or goes on with what was left of it.
    pub fn new(store: K, id: EvalId, left: Option<LeftEval>) -> Self {
        let left = left.filter(|left| left.id == id).unwrap_or(LeftEval { id, ..LeftEval::default() });
        Self { store, left: Rc::new(RefCell::new(left)) }
    }

    /// What was left.
    pub fn left(&self) -> LeftEval {
        self.left.borrow().clone()
    }

    /// A run begins.
    pub async fn begin(&self, job: EvalJob) {
        *self.left.borrow_mut().begun.entry(job.name()).or_default() += 1;
        self.save().await;
    }

    /// A run is over, and was kept.
    pub async fn end(&self, job: EvalJob) {
        self.left.borrow_mut().begun.remove(&job.name());
        self.save().await;
    }

    /// These tabs are open.
    pub async fn keep_tabs(&self, tabs: Vec<TabId>) {
        self.left.borrow_mut().tabs = tabs;
        self.save().await;
    }

    /// Saves that it is being run.
    pub async fn save(&self) {
        let left = self.left.borrow().clone();
        cache::write(&self.store, UNDER_WAY, &Some(left)).await;
    }

    /// It is over: nothing is left.
    pub async fn clear(&self) {
        let _ = self.store.remove(UNDER_WAY).await;
    }
}
