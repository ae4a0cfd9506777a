//! A user's decision about a call that asks, on its way to the turn. It is given once. If the worker may have died
//! before it received it, the next worker gets it, provided that the call still asks exactly the same.

use leptos::prelude::*;
use sidecar_protocol::link::{Control, TurnControl};
use sidecar_protocol::thread::ToolItem;

use crate::state::{PanelState, use_state};

/// The decision about one call, if given. A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct PendingDecision {
    state: PanelState,
    tool: Memo<ToolItem>,
    /// Whether the call is one of no turn.
    direct: bool,
    /// The decision, with the call as shown when the user decided.
    given: RwSignal<Option<(ToolItem, Control)>>,
}

impl PendingDecision {
    /// Creates the state for a call; it lives as long as the current owner.
    pub fn of(tool: Memo<ToolItem>, direct: bool) -> Self {
        let pending = Self { state: use_state(), tool, direct, given: RwSignal::new(None) };
        Effect::new(move |_| {
            pending.state.connection.count.with(|_| ());
            untrack(|| pending.give_again());
        });
        pending
    }

    /// Whether a decision was given.
    pub fn is_given(self) -> Signal<bool> {
        let given = self.given;
        Signal::derive(move || given.with(Option::is_some))
    }

    /// Sends the decision to the turn. Later ones are ignored.
    pub fn give(self, decision: Control) {
        if self.given.with_untracked(Option::is_some) {
            return;
        }
        // While disconnected, the next welcome sends it; sending it here too could deliver it twice.
        if !self.state.connection.is_lost() {
            self.send(decision.clone());
        }
        self.given.set(Some((self.tool.get_untracked(), decision)));
    }

    /// Withdraws the decision, because the call asks again.
    pub fn take_back(self) {
        self.given.set(None);
    }

    fn send(self, decision: Control) {
        if self.direct {
            self.state.connection.send(TurnControl { thread_id: None, control: decision });
        } else {
            self.state.conversation.control(decision);
        }
    }

    fn give_again(self) {
        let Some((shown, decision)) = self.given.get_untracked() else { return };
        if self.tool.with_untracked(|now| *now == shown) {
            self.send(decision);
        } else {
            self.take_back();
        }
    }
}
