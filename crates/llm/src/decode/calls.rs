//! Tool calls, put together from the fragments in which they come.
//!
//! The plain case is a fragment with index, id and name, then pieces of arguments under the same index. But there
//! are services that give every call index 0, or none; that repeat id or name in each fragment, or send them empty;
//! that give every call the same id, or none; and that send the arguments as an object. All of these end up as the
//! same calls.

use serde_json::Value;

use crate::conversation::message::CallRecord;
use crate::decode::event::ModelEvent;
use crate::inline_calls::filter::InlineCall;
use crate::tools::arguments::is_object;
use crate::tools::names;

/// Most calls of one answer. No model means more; a stream that never ends must not fill the memory.
pub(crate) const CALL_LIMIT: usize = 256;

/// Where calls out of the text begin to be counted: no service counts as far.
const INLINE: u64 = 1 << 32;

/// One piece of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fragment {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Fragment {
    /// A fragment of the call that the service counts as `index`.
    pub(crate) fn indexed(index: u64, id: &str, name: &str, arguments: impl Into<String>) -> Self {
        Self {
            index: Some(index),
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
            name: name.to_owned(),
            arguments: arguments.into(),
        }
    }

    /// Reads one element of `tool_calls`.
    pub(crate) fn read(value: &Value) -> Self {
        let function = value.get("function").unwrap_or(value);
        Self {
            // Ollama's own protocol has the index beside the name.
            index: value.get("index").or_else(|| function.get("index")).and_then(Value::as_u64),
            id: match value.get("id") {
                Some(Value::String(id)) if !id.trim().is_empty() && id != "null" => Some(id.clone()),
                Some(Value::Number(id)) => Some(id.to_string()),
                _ => None,
            },
            name: function.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            arguments: match function.get("arguments") {
                Some(Value::String(text)) => text.clone(),
                Some(value @ (Value::Object(_) | Value::Array(_))) => value.to_string(),
                _ => String::new(),
            },
        }
    }

    /// How much of the answer's allowance it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.id.as_ref().map_or(0, String::len) + self.name.len() + self.arguments.len()
    }

    fn is_empty(&self) -> bool {
        self.id.is_none() && self.name.is_empty() && self.arguments.is_empty()
    }
}

/// The calls of one answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CallBuilder {
    slots: Vec<Slot>,
    prefix: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Slot {
    index: Option<u64>,
    /// What the model calls it.
    given_id: Option<String>,
    /// What we call it: the model's id, or a minted one; set when the call is announced.
    id: String,
    name: String,
    arguments: String,
}

/// More than [`CALL_LIMIT`] calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany;

impl CallBuilder {
    /// Begins minted ids with this.
    pub(crate) fn set_prefix(&mut self, prefix: String) {
        self.prefix = prefix;
    }

    /// Adds a fragment to its call and appends what that means. Gives the number of the call.
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
            // Announced when the name is known; arguments that came earlier follow at once.
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

    /// How many bytes the arguments of a call have by now.
    pub(crate) fn arguments_size(&self, at: usize) -> usize {
        self.slots.get(at).map_or(0, |slot| slot.arguments.len())
    }

    /// Takes id and arguments that the service gives at the end of a call, where it gives any. What is new in the
    /// arguments is told.
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

    /// Takes calls that stood in the text in place of those that came by themselves; `false` when these stay. They
    /// stay unless there are none, or each is without arguments and has its counterpart in the text: some servers tell
    /// that a tool was called and leave the rest of the call where it was.
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

    /// How many calls began.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The calls that began and have a name, whole or not.
    pub(crate) fn begun(&self) -> Vec<CallRecord> {
        self.slots.iter().filter(|slot| !slot.name.is_empty()).flat_map(Slot::records).collect()
    }

    /// The calls that are whole, by their number; several have one number where the model wrapped them in one. With
    /// `cut`, the token limit ended the answer: a call whose arguments are missing or no object was cut by it, and must
    /// never run.
    pub(crate) fn whole(&self, cut: bool) -> Vec<(usize, CallRecord)> {
        self.slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| !slot.name.is_empty() && (!cut || is_object(&slot.arguments)))
            .flat_map(|(at, slot)| slot.records().into_iter().map(move |call| (at, call)))
            .collect()
    }

    /// The call to which a fragment belongs; `None` for a new one.
    fn find(&self, fragment: &Fragment) -> Option<usize> {
        let candidate = match (fragment.index, &fragment.id) {
            // One index may have several calls: the id tells which, else it is the latest.
            (Some(index), Some(id)) => self
                .last(|slot| slot.index == Some(index) && slot.given_id.as_ref() == Some(id))
                .or_else(|| self.last(|slot| slot.index == Some(index))),
            (Some(index), None) => self.last(|slot| slot.index == Some(index)),
            // An id that nobody has, and no name: the latest call came without its id.
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

    /// The model's id where it gave one and no other call has it; else a new one.
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

impl Slot {
    /// The calls that it stands for: one, but for a wrapper.
    fn records(&self) -> Vec<CallRecord> {
        if let Some(calls) = self.unwrapped() {
            return calls;
        }
        let arguments = match self.arguments.trim() {
            "" | "null" => "{}",
            _ => &self.arguments,
        };
        vec![CallRecord { id: self.id.clone(), name: self.name.clone(), arguments: arguments.to_owned() }]
    }

    fn has_no_arguments(&self) -> bool {
        matches!(self.arguments.trim(), "" | "null" | "{}")
    }

    /// OpenAI's models now and then call a tool that nobody offered and that holds several calls.
    /// <https://github.com/Azure/azure-rest-api-specs/issues/32329>
    fn unwrapped(&self) -> Option<Vec<CallRecord>> {
        if !matches!(self.name.as_str(), "multi_tool_use.parallel" | "parallel") {
            return None;
        }
        let wrapped: Value = serde_json::from_str(&self.arguments).ok()?;
        let uses =
            wrapped.get("tool_uses")?.as_array().filter(|uses| (1..=CALL_LIMIT).contains(&uses.len()))?;
        let call = |(number, wrapped): (usize, &Value)| {
            let name = wrapped.get("recipient_name")?.as_str()?;
            Some(CallRecord {
                id: format!("{}_{number}", self.id),
                name: name.strip_prefix("functions.").unwrap_or(name).to_owned(),
                arguments: wrapped.get("parameters").filter(|value| value.is_object())?.to_string(),
            })
        };
        uses.iter().enumerate().map(call).collect()
    }

    /// Whether a fragment that could belong to this call begins another one.
    fn is_over(&self, fragment: &Fragment) -> bool {
        let same_id = match (&self.given_id, &fragment.id) {
            (Some(ours), Some(theirs)) if ours != theirs => return true,
            (Some(_), Some(_)) => true,
            (None, Some(_)) | (Some(_), None) | (None, None) => false,
        };
        if fragment.name.is_empty() || self.name.is_empty() {
            return false;
        }
        if fragment.name == self.name {
            // Some services repeat the name in each fragment. It is another call to the same tool only when this one
            // is whole and more arguments come.
            !same_id && !fragment.arguments.trim().is_empty() && is_object(&self.arguments)
        } else {
            is_object(&self.arguments) || (!same_id && self.arguments.trim().is_empty())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The calls that fragments make, as (id, name, arguments), and how many were dropped.
    fn join(fragments: &[Value], cut: bool) -> (Vec<(String, String, String)>, usize) {
        let mut calls = CallBuilder::default();
        let mut events = Vec::new();
        for fragment in fragments {
            calls.push(Fragment::read(fragment), &mut events).unwrap();
        }
        let records: Vec<_> = calls.whole(cut).into_iter().map(|(_, record)| record).collect();
        let dropped = calls.len() - records.len();
        // What was told while the fragments came is what is left in the end.
        for record in &records {
            let index = events
                .iter()
                .find_map(|event| match event {
                    ModelEvent::CallOpened { index, id, name } if *id == record.id => {
                        assert_eq!(*name, record.name);
                        Some(*index)
                    }
                    _ => None,
                })
                .expect("each call was announced");
            let told: String = events
                .iter()
                .filter_map(|event| match event {
                    ModelEvent::CallGrew { index: at, arguments } if *at == index => Some(arguments.as_str()),
                    _ => None,
                })
                .collect();
            let is_nothing = matches!(told.trim(), "" | "null");
            assert!(told == record.arguments || (is_nothing && record.arguments == "{}"), "{told}");
        }
        (records.into_iter().map(|call| (call.id, call.name, call.arguments)).collect(), dropped)
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.to_owned(), name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn pieces_of_one_index_are_one_call() {
        let fragments = [
            json!({"index":0,"id":"a","type":"function","function":{"name":"find","arguments":""}}),
            json!({"index":0,"function":{"arguments":"{\"to\":"}}),
            json!({"index":1,"id":"b","type":"function","function":{"name":"sort","arguments":""}}),
            json!({"index":0,"function":{"arguments":"\"LIS\"}"}}),
            json!({"index":1,"function":{"arguments":"{}"}}),
        ];
        let expected = (vec![call("a", "find", r#"{"to":"LIS"}"#), call("b", "sort", "{}")], 0);
        assert_eq!(join(&fragments, false), expected);
    }

    #[test]
    fn empty_and_repeated_ids_and_names_change_nothing() {
        let expected = (vec![call("a", "find", r#"{"x":1}"#)], 0);
        for (id, name) in [
            (json!(""), json!("")),
            (Value::Null, Value::Null),
            (json!("a"), json!("find")),
            (json!("null"), json!("find")),
        ] {
            let fragments = [
                json!({"index":0,"id":"a","function":{"name":"find","arguments":"{\"x\""}}),
                json!({"index":0,"id":id,"function":{"name":name,"arguments":":1}"}}),
                json!({"index":0,"id":id,"function":{"name":name,"arguments":""}}),
            ];
            assert_eq!(join(&fragments, false), expected, "{id} {name}");
        }
    }

    #[test]
    fn another_id_under_the_same_index_is_another_call() {
        let fragments = [
            json!({"index":0,"id":"a","function":{"name":"find","arguments":"{}"}}),
            json!({"index":0,"id":"b","function":{"name":"find","arguments":"{\"x\":"}}),
            json!({"index":0,"id":"b","function":{"arguments":"1}"}}),
            json!({"index":0,"id":"c","function":{"name":"sort"}}),
        ];
        let expected =
            vec![call("a", "find", "{}"), call("b", "find", r#"{"x":1}"#), call("c", "sort", "{}")];
        assert_eq!(join(&fragments, false), (expected, 0));
    }

    #[test]
    fn calls_without_index_are_told_apart_by_id() {
        let fragments = [
            json!({"id":"a","function":{"name":"find","arguments":"{}"}}),
            json!({"id":"b","function":{"name":"find","arguments":"{\"x\":"}}),
            json!({"function":{"arguments":"1}"}}),
        ];
        assert_eq!(
            join(&fragments, false),
            (vec![call("a", "find", "{}"), call("b", "find", r#"{"x":1}"#)], 0)
        );
    }

    #[test]
    fn calls_without_index_and_id_are_told_apart_by_name_and_shape() {
        let fragments = [
            json!({"function":{"name":"find","arguments":"{\"x\":1}"}}),
            json!({"function":{"name":"find","arguments":"{\"x\":2}"}}),
            json!({"function":{"name":"list","arguments":""}}),
            json!({"function":{"name":"sort","arguments":"{"}}),
            json!({"function":{"arguments":"}"}}),
        ];
        let expected = vec![
            call("call_0", "find", r#"{"x":1}"#),
            call("call_1", "find", r#"{"x":2}"#),
            call("call_2", "list", "{}"),
            call("call_3", "sort", "{}"),
        ];
        assert_eq!(join(&fragments, false), (expected, 0));
    }

    #[test]
    fn arguments_may_be_an_object_and_ids_a_number() {
        let fragments = [json!({"index":0,"id":7,"function":{"name":"find","arguments":{"x":[1,"a"]}}})];
        assert_eq!(join(&fragments, false), (vec![call("7", "find", r#"{"x":[1,"a"]}"#)], 0));
    }

    #[test]
    fn one_id_for_all_is_kept_for_the_first_only() {
        let fragments = [
            json!({"index":0,"id":"x","function":{"name":"find","arguments":"{}"}}),
            json!({"index":1,"id":"x","function":{"name":"find","arguments":"{}"}}),
            json!({"index":1,"id":"x","function":{"name":"sort","arguments":"{}"}}),
        ];
        let expected =
            vec![call("x", "find", "{}"), call("call_1", "find", "{}"), call("call_2", "sort", "{}")];
        assert_eq!(join(&fragments, false), (expected, 0));
    }

    #[test]
    fn minted_ids_avoid_given_ones_and_carry_the_prefix() {
        let mut calls = CallBuilder::default();
        calls.set_prefix("t4_".to_owned());
        let mut events = Vec::new();
        for fragment in [
            json!({"index":0,"id":"t4_call_1","function":{"name":"find"}}),
            json!({"index":1,"function":{"name":"sort"}}),
            json!({"index":2,"function":{"name":"list"}}),
        ] {
            calls.push(Fragment::read(&fragment), &mut events).unwrap();
        }
        let ids: Vec<_> = calls.whole(false).into_iter().map(|(_, call)| call.id).collect();
        assert_eq!(ids, ["t4_call_1", "t4_call_257", "t4_call_2"]);
    }

    #[test]
    fn a_late_name_brings_the_arguments_along() {
        let mut calls = CallBuilder::default();
        let mut events = Vec::new();
        for fragment in [
            json!({"index":0,"id":"a","function":{"arguments":"{\"x\":"}}),
            json!({"index":0,"function":{"name":"find","arguments":"1"}}),
            json!({"index":0,"function":{"arguments":"}"}}),
        ] {
            calls.push(Fragment::read(&fragment), &mut events).unwrap();
        }
        assert_eq!(
            events,
            [
                ModelEvent::CallOpened { index: 0, id: "a".to_owned(), name: "find".to_owned() },
                ModelEvent::CallGrew { index: 0, arguments: "{\"x\":1".to_owned() },
                ModelEvent::CallGrew { index: 0, arguments: "}".to_owned() },
            ]
        );
    }

    #[test]
    fn no_arguments_are_an_empty_object_and_broken_ones_are_passed_on() {
        let fragments = [
            json!({"index":0,"id":"a","function":{"name":"list","arguments":" \n"}}),
            json!({"index":1,"id":"b","function":{"name":"list","arguments":"null"}}),
            json!({"index":2,"id":"c","function":{"name":"find","arguments":"{\"x\": tru"}}),
            json!({"index":3,"id":"d","function":{"name":"find","arguments":"[1]"}}),
        ];
        let expected = vec![
            call("a", "list", "{}"),
            call("b", "list", "{}"),
            call("c", "find", "{\"x\": tru"),
            call("d", "find", "[1]"),
        ];
        assert_eq!(join(&fragments, false), (expected, 0));
    }

    #[test]
    fn object_nested_deeper_than_the_reader_goes_is_none() {
        let nested = |levels: usize| format!("{}null{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        assert!(is_object(&nested(100)));
        assert!(!is_object(&nested(200)));
    }

    #[test]
    fn the_token_limit_drops_what_it_cut() {
        let fragments = [
            json!({"index":0,"id":"a","function":{"name":"find","arguments":"{\"x\":1}"}}),
            json!({"index":1,"id":"b","function":{"name":"find","arguments":"{\"x\": 1"}}),
            json!({"index":2,"id":"c","function":{"name":"list","arguments":""}}),
            json!({"index":3,"id":"d","function":{"name":"find","arguments":"12"}}),
        ];
        assert_eq!(join(&fragments, true), (vec![call("a", "find", r#"{"x":1}"#)], 3));
    }

    #[test]
    fn a_call_without_a_name_is_dropped_and_nothing_is_no_call() {
        let fragments = [json!({}), json!({"index":0,"id":"a","function":{"arguments":"{}"}}), Value::Null];
        assert_eq!(join(&fragments, false), (Vec::new(), 1));
    }

    #[test]
    fn there_is_a_limit() {
        let mut calls = CallBuilder::default();
        let mut events = Vec::new();
        let fragment = |index: usize| Fragment::read(&json!({"index":index,"function":{"name":"find"}}));
        for index in 0..CALL_LIMIT {
            calls.push(fragment(index), &mut events).unwrap();
        }
        assert_eq!(calls.push(fragment(CALL_LIMIT), &mut events), Err(TooMany));
    }
}
