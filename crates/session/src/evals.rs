//! Evals: suites that are run with models. What is kept of them, and the one that is being run.

use std::collections::BTreeMap;

use futures::channel::oneshot;
use serde::{Deserialize, Serialize};
use sidecar_protocol::TabId;
use sidecar_protocol::eval::{EvalEntry, EvalId, EvalState};

pub mod files;
pub mod jobs;
pub mod under_way;

/// The eval that is being run, if any.
#[derive(Debug, Default)]
pub struct Evals {
    /// One that a worker before this left, which nobody runs yet.
    left: Option<LeftEval>,
    running: Option<RunningEval>,
}

/// An eval whose worker died.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftEval {
    /// Its id.
    pub id: EvalId,
    /// The runs that had begun and were not over, each with how many workers began it.
    pub begun: BTreeMap<String, u32>,
    /// The tabs that it had opened.
    pub tabs: Vec<TabId>,
}

#[derive(Debug)]
struct RunningEval {
    id: EvalId,
    /// As it was told last; absent at its beginning.
    entry: Option<EvalEntry>,
    /// Gone when it is to stop.
    stop: Option<oneshot::Sender<()>>,
    /// Whether nobody is to hear of it any more.
    is_forgotten: bool,
}

impl Evals {
    /// With what a worker before this left.
    pub fn new(left: Option<LeftEval>) -> Self {
        Self { left, running: None }
    }

    /// Whether an eval is being run, or has to be taken up.
    pub fn is_under_way(&self) -> bool {
        self.running.is_some() || self.left.is_some()
    }

    /// Whether an eval has to be taken up.
    pub fn is_left(&self) -> bool {
        self.left.is_some()
    }

    /// The eval that has to be taken up, unless that is done.
    pub fn take_left(&mut self) -> Option<LeftEval> {
        self.left.take_if(|_| self.running.is_none())
    }

    /// An eval begins. What is returned ends when it is stopped.
    pub fn begin(&mut self, id: EvalId) -> oneshot::Receiver<()> {
        let (stop, stopped) = oneshot::channel();
        self.running = Some(RunningEval { id, entry: None, stop: Some(stop), is_forgotten: false });
        stopped
    }

    /// The running eval came further. Returns whether anybody is to hear of that.
    pub fn note(&mut self, entry: &EvalEntry) -> bool {
        let Some(running) = self.running_as(&entry.id) else { return false };
        running.entry = Some(entry.clone());
        !running.is_forgotten
    }

    /// Stops an eval, if it is the one that is being run. Returns whether it is. It is over when its task says so.
    pub fn stop(&mut self, id: &EvalId) -> bool {
        // The other end hears that this one is gone.
        self.running_as(id).map(|running| running.stop = None).is_some()
    }

    /// Stops an eval, if it is being run, and says no more of it.
    pub fn forget(&mut self, id: &EvalId) {
        if let Some(running) = self.running_as(id) {
            (running.stop, running.is_forgotten) = (None, true);
        }
    }

    /// An eval is over. Returns whether anybody is to hear of that.
    pub fn over(&mut self, id: &EvalId) -> bool {
        self.running.take_if(|running| running.id == *id).is_some_and(|running| !running.is_forgotten)
    }

    fn running_as(&mut self, id: &EvalId) -> Option<&mut RunningEval> {
        self.running.as_mut().filter(|running| running.id == *id)
    }

    /// What is known of the eval that is being run.
    pub fn now(&self) -> EvalNow {
        let running = self.running.as_ref().map(|running| (running.id.clone(), running.entry.clone()));
        EvalNow(running.or_else(|| Some((self.left.as_ref()?.id.clone(), None))))
    }
}

/// The eval that is being run, or has to be taken up, as it was told last.
#[derive(Debug, Clone)]
pub struct EvalNow(Option<(EvalId, Option<EvalEntry>)>);

impl EvalNow {
    /// An eval as it is now; what is kept of it counts if it is not the one that is being run.
    pub fn current(&self, kept: EvalEntry) -> EvalEntry {
        match &self.0 {
            Some((id, entry)) if *id == kept.id => entry.clone().unwrap_or(kept),
            // The browser was closed meanwhile.
            _ if kept.state == EvalState::Running => EvalEntry { state: EvalState::Stopped, ..kept },
            _ => kept,
        }
    }
}
