//! Searches texts of pages for injection signals before a model reads them: descriptions of tools on offer,
//! and attachments.

use sidecar_webmcp::Offer;

use super::Turn;
use crate::guard::json_leaves::leaves;
use crate::guard::signals;
use crate::log::branch;
use crate::log::{Entry, Event, Suspect};
use crate::ports::{Clock, LlmTransport, Store, StoreError, ToolHost};

impl<T: LlmTransport, H: ToolHost, S: Store, C: Clock> Turn<'_, T, H, S, C> {
    /// Writes down which tools on offer have a suspicious description, each definition once.
    pub(super) async fn look_at_offer(&mut self, offers: &[Offer]) -> Result<(), StoreError> {
        for offer in offers {
            if !self.looked_at.insert(offer.fingerprint.clone()) {
                continue;
            }
            let is_known = branch::backwards(&self.log).any(|position| {
                matches!(&self.log[position].event, Event::Suspected { what: Suspect::Description { fingerprint, .. }, .. }
                    if *fingerprint == offer.fingerprint)
            });
            let signals = if is_known { Vec::new() } else { signals::find(&words_of(offer)) };
            if signals::is_suspicious(&signals) {
                let what = Suspect::Description {
                    tool: offer.tool.name().to_owned(),
                    site: offer.site.clone(),
                    origin: offer.origin.clone(),
                    fingerprint: offer.fingerprint.clone(),
                };
                self.append(Event::Suspected { what, signals }).await?;
            }
        }
        Ok(())
    }

    /// Writes down which attachments are suspicious, each once.
    pub(super) async fn look_at_attached(&mut self) -> Result<(), StoreError> {
        let turn = branch::last_turn(&self.log);
        let Some((_, Entry { event: Event::TurnStarted { attached, .. }, .. })) = turn.first() else {
            return Ok(());
        };
        let is_known = |place: usize| {
            turn.iter().any(|(_, entry)| {
                matches!(entry.event, Event::Suspected { what: Suspect::Attached { place: known, .. }, .. } if known == place)
            })
        };
        let suspected: Vec<Event> = attached
            .iter()
            .enumerate()
            .filter(|(place, attached)| !attached.signals.is_empty() && !is_known(*place))
            .map(|(place, attached)| Event::Suspected {
                what: Suspect::Attached { place, site: attached.site.clone() },
                signals: attached.signals.clone(),
            })
            .collect();
        for event in suspected {
            self.append(event).await?;
        }
        Ok(())
    }
}

/// Everything a page says of a tool that a model reads: its description, and every text in its schema.
fn words_of(offer: &Offer) -> String {
    let mut words = offer.description.clone();
    let schema = offer.schema.as_deref().and_then(|schema| serde_json::from_str(schema).ok());
    leaves(&schema.unwrap_or_default(), &mut |_, text| {
        words.push('\n');
        words.push_str(text);
    });
    words
}
