//! Generated turns, and the steps at which their workers die.

use super::*;

/// One answer of the model. After the last one it says that it is done.
#[derive(Debug, Clone)]
pub(super) enum Says {
    /// Text, and calls of tools by name.
    Calls(Vec<&'static str>),
    /// "Too many requests" once, then the next answer.
    Busy,
}

/// A generated turn.
#[derive(Debug, Clone)]
pub(super) struct TurnScript {
    pub(super) says: Vec<Says>,
    pub(super) mode: Mode,
    /// The user's decisions, in rotation.
    pub(super) decisions: Vec<Decision>,
}

pub(super) fn scripts() -> impl Strategy<Value = TurnScript> {
    let tool = prop::sample::select(vec!["book", "pay", "list", "read", "broken", "steps", "missing"]);
    let says = prop_oneof![
        4 => prop::collection::vec(tool, 1..4).prop_map(Says::Calls),
        1 => Just(Says::Busy),
    ];
    let decision = prop_oneof![3 => Just(Decision::Run), 1 => Just(Decision::Decline)];
    (
        prop::collection::vec(says, 0..4),
        prop_oneof![Just(Mode::Automatic), Just(Mode::Confirm)],
        prop::collection::vec(decision, 1..4),
    )
        .prop_map(|(says, mode, decisions)| TurnScript { says, mode, decisions })
}

/// Where a worker can die: before and after everything that others can observe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeathPlace {
    /// At an entry of the log.
    Disk,
    /// At a request, or a piece of an answer.
    Model,
    /// At the run of a tool.
    Page,
}

/// When a worker dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Death {
    /// At the n-th step.
    At(usize),
    /// At the first step of this place.
    First(DeathPlace),
    /// Not before the turn ends.
    Never,
}

/// Decides at which step the worker dies.
#[derive(Debug)]
pub(super) struct Fate {
    pub(super) death: Death,
    pub(super) moments: Cell<usize>,
    pub(super) is_dead: Cell<bool>,
}

impl Fate {
    pub(super) fn new(death: Death) -> Rc<Self> {
        Rc::new(Self { death, moments: Cell::new(0), is_dead: Cell::new(false) })
    }

    pub(super) async fn moment(&self, place: DeathPlace) {
        let moment = self.moments.get();
        self.moments.set(moment + 1);
        if self.death == Death::At(moment) || self.death == Death::First(place) {
            self.is_dead.set(true);
            pending().await
        }
    }
}
