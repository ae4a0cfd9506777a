//! A decision of the user about a call that asks, on its way to the turn. It is given once: where the worker dies before
//! it could hear it, the next one is told, as long as the call still asks the very same.

use leptos::prelude::*;
use sidecar_protocol::link::Control;
use sidecar_protocol::thread::ToolItem;

use crate::state::{PanelState, use_state};

/// The decision, if there is one. A handle: copies are of the same one.
#[derive(Clone, Copy)]
pub struct PendingDecision {
    state: PanelState,
    tool: Memo<ToolItem>,
    /// With the call as it was shown when it was decided.
    given: RwSignal<Option<(ToolItem, Control)>>,
}

impl PendingDecision {
    /// About this call, for as long as the view that is made now is there.
    pub fn of(tool: Memo<ToolItem>) -> Self {
        let pending = Self { state: use_state(), tool, given: RwSignal::new(None) };
        Effect::new(move |_| {
            pending.state.connection.count.track();
            untrack(|| pending.give_again());
        });
        pending
    }

    /// Whether there is one.
    pub fn is_given(self) -> Signal<bool> {
        let given = self.given;
        Signal::derive(move || given.with(Option::is_some))
    }

    /// Tells the turn. One decision is enough: what comes after it is not heard.
    pub fn give(self, decision: Control) {
        if self.given.with_untracked(Option::is_some) {
            return;
        }
        // While the connection is lost, the Welcome of the next worker gives it. Given now too, it would be heard twice.
        if !self.state.connection.is_lost() {
            self.state.conversation.control(decision.clone());
        }
        self.given.set(Some((self.tool.get_untracked(), decision)));
    }

    /// The call asks anew: it was no decision.
    pub fn take_back(self) {
        self.given.set(None);
    }

    fn give_again(self) {
        let Some((shown, decision)) = self.given.get_untracked() else { return };
        if self.tool.with_untracked(|now| *now == shown) {
            self.state.conversation.control(decision);
        } else {
            self.take_back();
        }
    }
}
