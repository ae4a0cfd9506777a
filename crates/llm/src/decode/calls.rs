//! Assembles tool calls from fragments.
//!
//! Normally a fragment with index, id and name is followed by pieces of the arguments with the same index.
//! But some services give every call index 0, or no index; some repeat id or name in each fragment, or send
//! them empty; some give all calls the same id, or none; some send the arguments as an object. All of these
//! result in the same calls.

use crate::conversation::message::CallRecord;
use crate::decode::event::ModelEvent;
use crate::inline_calls::filter::InlineCall;
use crate::tools::arguments::is_object;
use crate::tools::names;

mod fragment;
mod slot;
#[cfg(test)]
mod tests;

pub(crate) use fragment::Fragment;
use slot::Slot;

/// Maximum number of calls of one answer, so that a stream that never ends cannot fill the memory.
pub(crate) const CALL_LIMIT: usize = 256;

/// First index of inline calls: no service counts as far.
const INLINE: u64 = 1 << 32;

/// The calls of one answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CallBuilder {
    slots: Vec<Slot>,
    prefix: String,
}

/// More than [`CALL_LIMIT`] calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany;

impl CallBuilder {
    /// Sets the prefix of minted ids.
    pub(crate) fn set_prefix(&mut self, prefix: String) {
        self.prefix = prefix;
    }

    /// Adds a fragment to its call and appends the resulting events. Returns the call's number.
    pub(crate) fn push(
        &mut self,
        fragment: Fragment,
        events: &mut Vec<ModelEvent>,
    ) -> Result<Option<usize>, TooMany> {
        if fragment.is_empty() {
            return Ok(None);
        }
        let at = match self.find(&fragment) {
            Some(at) => at,
            None if self.slots.len() == CALL_LIMIT => return Err(TooMany),
            None => {
                self.slots.push(Slot { index: fragment.index, ..Slot::default() });
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[at];
        if slot.given_id.is_none() {
            slot.given_id = fragment.id;
        }
        slot.arguments.push_str(&fragment.arguments);
        if slot.name.is_empty() {
            if fragment.name.is_empty() {
                return Ok(Some(at));
            }
            // A call is announced when its name is known; arguments that arrived before follow at once.
            slot.name = fragment.name;
            let arguments = slot.arguments.clone();
            let id = self.choose_id(at);
            let slot = &mut self.slots[at];
            slot.id = id.clone();
            events.push(ModelEvent::CallOpened { index: at, id, name: slot.name.clone() });
            if !arguments.is_empty() {
                events.push(ModelEvent::CallGrew { index: at, arguments });
            }
        } else if !fragment.arguments.is_empty() {
            events.push(ModelEvent::CallGrew { index: at, arguments: fragment.arguments });
        }
        Ok(Some(at))
    }

    /// Size in bytes of a call's arguments so far.
    pub(crate) fn arguments_size(&self, at: usize) -> usize {
        self.slots.get(at).map_or(0, |slot| slot.arguments.len())
    }

    /// Sets the final id and arguments of a call, where the service gives any. Appends an event for
    /// arguments that are new.
    pub(crate) fn settle(&mut self, at: usize, id: &str, arguments: &str, events: &mut Vec<ModelEvent>) {
        if !id.is_empty() && !self.slots.iter().any(|slot| slot.id == id) {
            self.slots[at].id = id.to_owned();
        }
        let slot = &mut self.slots[at];
        if let Some(rest) = arguments.strip_prefix(slot.arguments.as_str()).filter(|rest| !rest.is_empty()) {
            events.push(ModelEvent::CallGrew { index: at, arguments: rest.to_owned() });
        }
        if !arguments.is_empty() {
            arguments.clone_into(&mut slot.arguments);
        }
    }

    /// Adopts inline calls in place of those that the service sent; `false` if the latter stay. They stay
    /// unless there are none, or none has arguments and each has a counterpart in the text: some servers
    /// report that a tool was called and leave the call itself in the text.
    pub(crate) fn adopt(
        &mut self,
        inline: &[InlineCall],
        events: &mut Vec<ModelEvent>,
    ) -> Result<bool, TooMany> {
        let mut places: Vec<Option<usize>> = vec![None; inline.len()];
        for (at, slot) in self.slots.iter().enumerate() {
            let offered = inline.iter().map(|call| call.name.as_str());
            let name = names::resolve(&slot.name, offered);
            let place = places
                .iter()
                .zip(inline)
                .position(|(place, call)| place.is_none() && name == Some(call.name.as_str()));
            match place.filter(|_| slot.has_no_arguments()) {
                Some(place) => places[place] = Some(at),
                None => return Ok(false),
            }
        }
        for (number, (call, place)) in (0..).zip(inline.iter().zip(places)) {
            match place {
                Some(at) => self.settle(at, "", &call.arguments, events),
                None => {
                    let fragment =
                        Fragment::indexed(INLINE + number, "", &call.name, call.arguments.as_str());
                    self.push(fragment, events)?;
                }
            }
        }
        Ok(true)
    }

    /// Number of calls that began.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The calls that have a name, complete or not.
    pub(crate) fn begun(&self) -> Vec<CallRecord> {
        self.slots.iter().filter(|slot| !slot.name.is_empty()).flat_map(Slot::records).collect()
    }

    /// The complete calls with their numbers; calls wrapped in `multi_tool_use.parallel` share their
    /// wrapper's number. With `cut`, the token limit ended the answer: a call whose arguments are missing
    /// or are not an object was cut, and must never run.
    pub(crate) fn whole(&self, cut: bool) -> Vec<(usize, CallRecord)> {
        self.slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| !slot.name.is_empty() && (!cut || is_object(&slot.arguments)))
            .flat_map(|(at, slot)| slot.records().into_iter().map(move |call| (at, call)))
            .collect()
    }

    /// The call that a fragment belongs to; `None` for a new one.
    fn find(&self, fragment: &Fragment) -> Option<usize> {
        let candidate = match (fragment.index, &fragment.id) {
            // One index can have several calls: the id decides, otherwise it is the latest.
            (Some(index), Some(id)) => self
                .last(|slot| slot.index == Some(index) && slot.given_id.as_ref() == Some(id))
                .or_else(|| self.last(|slot| slot.index == Some(index))),
            (Some(index), None) => self.last(|slot| slot.index == Some(index)),
            // An unknown id without a name: the latest call arrived without its id.
            (None, Some(id)) => self.last(|slot| {
                slot.given_id.as_ref() == Some(id) || (fragment.name.is_empty() && slot.given_id.is_none())
            }),
            (None, None) => self.slots.len().checked_sub(1),
        }?;
        (!self.slots[candidate].is_over(fragment)).then_some(candidate)
    }

    fn last(&self, is_it: impl Fn(&Slot) -> bool) -> Option<usize> {
        self.slots.iter().rposition(is_it)
    }

    /// The model's id, if it gave one that no other call has; otherwise a new one.
    fn choose_id(&self, at: usize) -> String {
        if let Some(id) = &self.slots[at].given_id
            && !self.slots.iter().any(|slot| slot.id == *id)
        {
            return id.clone();
        }
        let mut number = at;
        loop {
            let id = format!("{}call_{number}", self.prefix);
            if !self.slots.iter().any(|slot| slot.id == id || slot.given_id.as_ref() == Some(&id)) {
                return id;
            }
            number += CALL_LIMIT;
        }
    }
}
