//! Workers that live and die around one thread.

use super::*;

/// What outlives a worker: the disk, the page, the service.
pub(super) struct DeathWorld {
    pub(super) script: TurnScript,
    pub(super) log: Rc<RefCell<Vec<Entry>>>,
    pub(super) draft: Rc<RefCell<Option<(usize, String, String)>>>,
    /// How often each call was run, with its tool.
    pub(super) ran: Rc<RefCell<BTreeMap<(CallId, String), u32>>>,
    /// Calls that are known to have done nothing.
    pub(super) idle: Rc<RefCell<BTreeSet<CallId>>>,
    /// The answers that were already refused once.
    pub(super) refused: Rc<RefCell<BTreeSet<usize>>>,
    pub(super) decided: Cell<usize>,
    pub(super) time: Timestamp,
}

impl DeathWorld {
    pub(super) fn of(script: &TurnScript) -> Self {
        let event = Event::TurnStarted {
            turn: "t".into(),
            text: "Go".to_owned(),
            attached: Vec::new(),
            pictures: Vec::new(),
            page: PageRef::default(),
        };
        Self {
            script: script.clone(),
            log: Rc::new(RefCell::new(vec![Entry { at: 1_000_000, event }])),
            draft: Rc::default(),
            ran: Rc::default(),
            idle: Rc::default(),
            refused: Rc::default(),
            decided: Cell::new(0),
            time: 1_000_000,
        }
    }

    /// Starts a worker, which takes up what it finds and works until the turn ends or it dies. Returns its
    /// number of steps, and whether it survived.
    pub(super) fn worker(&mut self, death: Death) -> (usize, bool) {
        let mut log = self.log.borrow().clone();
        if log.len() > 1
            && let Some(event) = revived(&log, self.draft_at(log.len()))
        {
            log.push(Entry { at: self.time, event });
            *self.log.borrow_mut() = log.clone();
        }
        let (moments, result) = self.work(log, death);
        (moments, result.map(Result::unwrap).is_some())
    }

    /// Starts a worker with this log in memory. The result is `None` if it died.
    pub(super) fn work(&mut self, log: Vec<Entry>, death: Death) -> (usize, Option<Result<(), StoreError>>) {
        let fate = Fate::new(death);
        let (connection, rules) = (connection(), Rules { mode: self.script.mode, ..rules() });
        let ports = Ports {
            transport: Model {
                keys: Keys::default(),
                says: self.script.says.clone(),
                refused: self.refused.clone(),
                fate: fate.clone(),
            },
            tools: Tools { ran: self.ran.clone(), idle: self.idle.clone(), fate: fate.clone() },
            store: SharedDisk {
                log: self.log.clone(),
                memory: RefCell::new(Rc::new(log)),
                draft: self.draft.clone(),
                fate: fate.clone(),
            },
            clock: VirtualClock(Cell::new(self.time), ""),
        };
        let (user, mut inbox) = unbounded();
        let decide = |log: &[Entry]| {
            if let Next::Call { call, stage: CallStage::Approve { .. }, .. } = resume(log, rules.limits) {
                let call = call.id.clone();
                let decision = self.script.decisions[self.decided.get() % self.script.decisions.len()];
                self.decided.set(self.decided.get() + 1);
                user.unbounded_send(UserCommand::Decide(call, decision.into())).unwrap();
            }
        };
        // A call that was waiting for a decision goes on waiting, and gets one now.
        decide(&ports.store.log());
        let on_disk = self.log.clone();
        let mut tell = |told: TurnUpdate<'_>| {
            if let TurnUpdate::Appended(_) = told {
                decide(&on_disk.borrow());
            }
        };
        let result = {
            let turn = run(&connection, &rules, &ports, &mut inbox, &mut tell);
            let killed = poll_fn(|context| match fate.is_dead.get() {
                true => std::task::Poll::Ready(()),
                false => {
                    context.waker().wake_by_ref();
                    std::task::Poll::Pending
                }
            });
            pin_mut!(turn, killed);
            match block_on(select(turn, killed)) {
                Either::Left((result, _)) => Some(result),
                Either::Right(_) => None,
            }
        };
        self.time = ports.clock.0.get();
        (fate.moments.get(), result)
    }

    pub(super) fn draft_at(&self, position: usize) -> Option<(String, String)> {
        let draft = self.draft.borrow();
        draft.clone().filter(|(at, ..)| *at == position).map(|(_, reasoning, text)| (reasoning, text))
    }

    pub(super) fn end(&self) -> Option<TurnEnd> {
        match &self.log.borrow().last()?.event {
            Event::TurnEnded { end } => Some(end.clone()),
            _ => None,
        }
    }

    pub(super) fn calls(&self) -> Vec<(Call, Option<ToolOutcome>)> {
        let log = self.log.borrow();
        let outcome = |id: &CallId| {
            log.iter().find_map(|entry| match &entry.event {
                Event::ToolFinished { call, outcome, .. } if call == id => Some(outcome.clone()),
                _ => None,
            })
        };
        let calls = log.iter().filter_map(|entry| match &entry.event {
            Event::ModelAnswered { calls, .. } => Some(calls.clone()),
            _ => None,
        });
        calls.flatten().map(|call| (call.clone(), outcome(&call.id))).collect()
    }

    pub(super) fn runs_of(&self, call: &Call) -> u32 {
        let ran = self.ran.borrow();
        ran.iter().filter(|((id, _), _)| *id == call.id).map(|(_, times)| *times).sum()
    }

    /// What must hold of a turn that ended, however often its workers died.
    pub(super) fn check(&self, deaths: &str) -> Result<(), TestCaseError> {
        let calls = self.calls();
        for (call, outcome) in &calls {
            let runs = self.runs_of(call);
            let tool = &call.record.name;
            let Some(outcome) = outcome else {
                // A turn that paused has calls left for when it is continued.
                prop_assert!(
                    runs == 0 && self.end() != Some(TurnEnd::Done),
                    "{tool} has no outcome ({deaths})"
                );
                continue;
            };
            if call.is_read_only() {
                prop_assert!(matches!(outcome, ToolOutcome::Ok { .. }), "{tool}: {outcome:?} ({deaths})");
                continue;
            }
            prop_assert!(runs <= 1, "{tool} ran {runs} times ({deaths})");
            match outcome {
                ToolOutcome::Ok { .. } => prop_assert_eq!(runs, 1, "{} ({})", tool, deaths),
                ToolOutcome::Failed { .. } if tool == "broken" => prop_assert_eq!(runs, 1),
                ToolOutcome::Failed { .. } | ToolOutcome::Declined => prop_assert_eq!(runs, 0),
                ToolOutcome::Interrupted => {
                    prop_assert!(
                        !self.idle.borrow().contains(&call.id),
                        "{tool} had done nothing ({deaths})"
                    );
                }
                other => prop_assert!(false, "{tool}: {other:?} ({deaths})"),
            }
        }
        // Everything that ran is a call of the log.
        let ids: BTreeSet<&CallId> = calls.iter().map(|(call, _)| &call.id).collect();
        prop_assert!(self.ran.borrow().keys().all(|(id, _)| ids.contains(id)));
        Ok(())
    }
}
