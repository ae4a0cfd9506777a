//! Tools that appear shortly after a call: the turn waits for them before the model is asked, and looks
//! again when the model names one that was not on offer.

use sidecar_llm::ModelAnswer;
use sidecar_protocol::{Risk, Timestamp};
use sidecar_webmcp::Offer;

use super::{Turn, TurnFlow};
use crate::browser_tools::use_skill;
use crate::call::Run;
use crate::log::branch;
use crate::log::{Event, Target};
use crate::ports::{Clock, LlmTransport, Store, ToolHost};
use crate::tools::resolve;
use crate::tools::settled::{MOST_MS, Settling};

/// How often to look for a tool that the model named, in milliseconds.
const INTERVAL_MS: u64 = 100;

impl<T: LlmTransport, H: ToolHost, S: Store, C: Clock> Turn<'_, T, H, S, C> {
    /// Notes that a tool ran. A page that was left is awaited like any page that loads.
    pub(super) fn begin_to_settle(&mut self, target: &Target, ran: Run) {
        // It has no page.
        if use_skill::is_use_skill(&target.tool) {
            return;
        }
        let Run { before, ended, stayed } = ran;
        let acts = target.risk() != Risk::ReadOnly;
        self.settling = match self.settling.take() {
            _ if !stayed => None,
            Some((tool, settling)) if tool.tab() == target.tool.tab() => {
                Some((tool, settling.and_then(acts, ended)))
            }
            Some(_) | None => Some((target.tool.clone(), Settling::after(before, acts, ended))),
        };
    }

    /// Waits until the page of the last calls has settled.
    pub(super) async fn settle(&mut self) -> TurnFlow {
        let Some((tool, mut settling)) = self.settling.take() else { return TurnFlow::On };
        loop {
            let Some(seen) = self.user.unless_stopped(self.ports.tools.seen(&tool)).await else {
                return TurnFlow::Stop;
            };
            let Some(wait) = settling.look(&seen, self.ports.clock.now()) else { break };
            if self.user.unless_stopped(self.ports.clock.sleep(wait)).await.is_none() {
                return TurnFlow::Stop;
            }
        }
        TurnFlow::On
    }

    /// Looks for tools that the model named and that were not on offer when it was asked: a page may have
    /// registered them meanwhile, or may do so shortly. If the user stops, the answer is still written down
    /// with what was found.
    pub(super) async fn find_named(&mut self, answer: &ModelAnswer, offers: &mut Vec<Offer>) {
        let is_unknown = |offers: &[Offer], log: &[_]| {
            let earlier = |name: &str| super::ask::earlier_target(log, name);
            answer.calls.iter().any(|record| !resolve::is_known(&record.name, offers, &earlier))
        };
        if !is_unknown(offers, &self.log) {
            return;
        }
        let until = self.last_call_ended().map_or(0, |ended| ended + MOST_MS);
        loop {
            let Some(now_offered) = self.user.unless_stopped(self.ports.tools.offer()).await else { return };
            let still_unknown = is_unknown(&now_offered, &self.log);
            // A name that was on offer means the tool that was offered.
            let is_new = |offer: &Offer| !offers.iter().any(|known| known.model_name == offer.model_name);
            let new: Vec<Offer> = now_offered.into_iter().filter(is_new).collect();
            if !still_unknown || self.ports.clock.now() >= until {
                offers.extend(new);
                return;
            }
            if self.user.unless_stopped(self.ports.clock.sleep(INTERVAL_MS)).await.is_none() {
                return;
            }
        }
    }

    /// When the last call of this turn ended.
    fn last_call_ended(&self) -> Option<Timestamp> {
        branch::last_turn(&self.log).iter().rev().find_map(|(_, entry)| match &entry.event {
            Event::ToolFinished { .. } => Some(entry.at),
            _ => None,
        })
    }
}
