//! A world around one thread, for whole turns.

use sidecar_llm::ModelAbilities;

use super::*;

/// Everything around one thread.
pub(super) struct TurnWorld {
    pub(super) connection: Connection,
    pub(super) rules: Rules,
    pub(super) log: Vec<Entry>,
    pub(super) tools: BTreeMap<&'static str, (bool, Does)>,
    pub(super) room: Option<usize>,
    pub(super) asked: Rc<RefCell<Vec<Value>>>,
    pub(super) ran: Rc<RefCell<Vec<(String, String)>>>,
    /// The user's policies for tools.
    pub(super) policies: Rc<RefCell<BTreeMap<&'static str, Policy>>>,
    /// The description of every tool; empty for the default.
    pub(super) described: String,
    pub(super) schema: &'static str,
    /// The tools of another origin.
    pub(super) elsewhere: Vec<&'static str>,
    /// The tools that appear only after the page was looked at this many times.
    pub(super) late: BTreeMap<&'static str, u32>,
    /// The number of the look at the page at which the user stops.
    pub(super) stop_at: Option<u32>,
    pub(super) drafts: Rc<RefCell<Vec<String>>>,
    pub(super) grew: String,
    pub(super) time: Timestamp,
    /// Makes ids unique to this worker.
    pub(super) nonce: &'static str,
    /// Whether the server says that the model supports tool calls, and what was reported of that.
    pub(super) abilities: ModelAbilities,
    pub(super) learnt: Vec<ModelAbilities>,
    /// The timeouts that were reported for running calls.
    pub(super) deadlines: Vec<Option<Timestamp>>,
    /// The steps of SKILLs that were told.
    pub(super) steps: Vec<ToolStep>,
}

impl TurnWorld {
    pub(super) fn new() -> Self {
        let ok = |text: &str| Does::Returns(ToolOutcome::ok(text));
        Self {
            connection: connection(),
            rules: rules(),
            log: Vec::new(),
            tools: BTreeMap::from([
                ("search", (false, ok("5 flights"))),
                ("list", (true, ok("CA1883"))),
                ("hang", (false, Does::Hangs)),
            ]),
            room: None,
            asked: Rc::default(),
            ran: Rc::default(),
            policies: Rc::default(),
            described: String::new(),
            schema: SCHEMA,
            elsewhere: Vec::new(),
            late: BTreeMap::new(),
            stop_at: None,
            drafts: Rc::default(),
            grew: String::new(),
            time: 1_000_000,
            nonce: "",
            abilities: ModelAbilities::default(),
            learnt: Vec::new(),
            deadlines: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The user sends a message, and these commands when asked about a call; runs to the end of the turn.
    pub(super) fn say(
        &mut self,
        text: &str,
        when_asked: &[UserCommand],
        replies: Vec<ScriptedReply>,
    ) -> Result<(), StoreError> {
        let turn = format!("t{}", self.log.len()).as_str().into();
        let event = Event::TurnStarted {
            turn,
            text: text.to_owned(),
            attached: Vec::new(),
            pictures: Vec::new(),
            page: PageRef::default(),
        };
        self.log.push(Entry { at: self.time, event });
        self.go_on(when_asked, replies)
    }

    pub(super) fn continue_turn(&mut self, replies: Vec<ScriptedReply>) -> Result<(), StoreError> {
        self.continue_without(None, replies)
    }

    pub(super) fn continue_without(
        &mut self,
        without: Option<Omission>,
        replies: Vec<ScriptedReply>,
    ) -> Result<(), StoreError> {
        let event = Event::TurnContinued { page: PageRef::default(), without };
        self.log.push(Entry { at: self.time, event });
        self.go_on(&[], replies)
    }

    pub(super) fn go_on(
        &mut self,
        when_asked: &[UserCommand],
        replies: Vec<ScriptedReply>,
    ) -> Result<(), StoreError> {
        let (user, mut inbox) = unbounded();
        let ports = Ports {
            transport: ScriptedService {
                replies: RefCell::new(replies.into()),
                asked: self.asked.clone(),
                user: user.clone(),
                abilities: self.abilities,
                keys: keys(),
            },
            tools: Page {
                tools: std::mem::take(&mut self.tools),
                ran: self.ran.clone(),
                policies: self.policies.clone(),
                described: self.described.clone(),
                schema: self.schema,
                elsewhere: self.elsewhere.clone(),
                late: self.late.clone(),
                looks: Cell::new(0),
                stop_at: self.stop_at,
                while_checked: Vec::new(),
                card: None,
                picture: None,
                while_pictured: Vec::new(),
                frame_origin: None,
                dismissed: RefCell::default(),
                user: user.clone(),
            },
            store: MemoryDisk {
                entries: RefCell::new(Rc::new(std::mem::take(&mut self.log))),
                drafts: self.drafts.clone(),
                room: Cell::new(self.room),
                ..MemoryDisk::default()
            },
            clock: VirtualClock(Cell::new(self.time), self.nonce),
        };
        let mut grew = String::new();
        let (mut learnt, mut deadlines, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        let mut tell = |told: TurnUpdate<'_>| match told {
            TurnUpdate::Grew { reasoning, text } => grew.push_str(&format!("{reasoning}|{text};")),
            TurnUpdate::Appended(Entry { event: Event::ApprovalAsked { .. }, .. }) => {
                when_asked.iter().for_each(|command| user.unbounded_send(command.clone()).unwrap());
            }
            TurnUpdate::Appended(_) => {}
            TurnUpdate::Learnt(abilities) => learnt.push(abilities),
            TurnUpdate::TimeRunsOut(until) => deadlines.push(until),
            TurnUpdate::Step(step) => steps.push(step),
        };
        let result = block_on(run(&self.connection, &self.rules, &ports, &mut inbox, &mut tell));
        self.log = Rc::unwrap_or_clone(ports.store.entries.into_inner());
        assert!(ports.transport.replies.borrow().is_empty(), "every reply was asked for");
        self.grew = grew;
        self.learnt = learnt;
        self.deadlines = deadlines;
        self.steps = steps;
        self.time = ports.clock.0.get();
        self.tools = ports.tools.tools;
        result
    }

    pub(super) fn end(&self) -> TurnEnd {
        match &self.log.last().unwrap().event {
            Event::TurnEnded { end } => end.clone(),
            other => panic!("the turn has not ended: {other:?}"),
        }
    }

    pub(super) fn outcomes(&self) -> Vec<ToolOutcome> {
        let outcome = |entry: &Entry| match &entry.event {
            Event::ToolFinished { outcome, .. } => Some(outcome.clone()),
            _ => None,
        };
        self.log.iter().filter_map(outcome).collect()
    }

    pub(super) fn events(&self) -> Vec<&'static str> {
        let name = |entry: &Entry| match &entry.event {
            Event::TurnStarted { .. } => "started",
            Event::TurnContinued { .. } => "continued",
            Event::TurnRevived { .. } => "revived",
            Event::Rewound { .. } => "rewound",
            Event::SummaryAsked { .. } => "summary asked",
            Event::Compacted { .. } => "compacted",
            Event::CompactionUndone => "compaction undone",
            Event::ModelAsked { .. } => "asked",
            Event::ModelAnswered { .. } => "answered",
            Event::ModelFailed { .. } => "failed",
            Event::ApprovalAsked { .. } => "approval asked",
            Event::ApprovalMistaken { .. } => "approval mistaken",
            Event::ApprovalGiven { .. } => "approval given",
            Event::ToolStarted { .. } => "tool started",
            Event::WaitStarted { .. } => "wait started",
            Event::WaitEnded { .. } => "wait ended",
            Event::ResultCut { .. } => "result cut",
            Event::Suspected { .. } => "suspected",
            Event::GuardLifted => "guard lifted",
            Event::FlowAllowed { .. } => "flow allowed",
            Event::ToolFinished { .. } => "tool finished",
            Event::TurnEnded { .. } => "rested",
        };
        self.log.iter().map(name).collect()
    }

    pub(super) fn ran(&self) -> Vec<String> {
        self.ran.borrow().iter().map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn last_messages(&self) -> Value {
        self.asked.borrow().last().unwrap()["messages"].clone()
    }
}

/// A result of the page's tools, as a model reads it.
pub(super) fn data(text: &str) -> String {
    crate::guard::fence::framed("https://flights.example", text)
}

pub(super) fn ok(text: &str) -> ToolOutcome {
    ToolOutcome::ok(text)
}

pub(super) fn busy() -> ScriptedReply {
    ScriptedReply::Body(429, vec![("retry-after", "2")], r#"{"error":{"message":"slow down"}}"#.to_owned())
}
