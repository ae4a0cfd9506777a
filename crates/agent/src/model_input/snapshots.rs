//! The window of snapshots: of one document the model reads the newest whole snapshot; older ones are left out.
//!
//! They are left out in steps: only when those that are due have some size together. Between two steps the
//! beginning of the model's input stays the same, byte for byte, so that providers can cache it.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use sidecar_protocol::content::Content;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{CallId, TabId, ToolRef};

use crate::log::{Call, Entry, Event};

/// Replaces an older snapshot.
pub(crate) const OLDER: &str = "[An older snapshot of this page, left out: a newer one follows.]";

/// How many characters of older snapshots are left out in one step, at least.
const STEP: usize = 30_000;

/// What marks the text of a snapshot, behind title and address.
const MARK: &str = "\nsnapshot: ";

/// The older snapshots that the model no longer reads.
pub(crate) fn left_out<'a>(branch: &[(usize, &'a Entry)]) -> HashSet<&'a CallId> {
    let mut tabs: HashMap<&CallId, Option<TabId>> = HashMap::new();
    let mut newest: HashMap<(Option<TabId>, &str), (&CallId, usize)> = HashMap::new();
    let (mut due, mut size, mut left_out) = (Vec::new(), 0, HashSet::new());
    for (_, entry) in branch {
        match &entry.event {
            Event::ModelAnswered { calls, .. } => {
                tabs.extend(calls.iter().filter_map(|call| Some((&call.id, tab_of_whole(call)?))));
            }
            Event::ToolFinished { call, outcome, .. } => {
                let (Some(tab), Some((document, length))) = (tabs.get(call), document_of(outcome)) else {
                    continue;
                };
                if let Some((older, length)) = newest.insert((*tab, document), (call, length)) {
                    due.push(older);
                    size += length;
                }
                if size >= STEP {
                    left_out.extend(due.drain(..));
                    size = 0;
                }
            }
            _ => {}
        }
    }
    left_out
}

/// Whether this outcome may be that of a snapshot.
pub(crate) fn may_be_one(outcome: &ToolOutcome) -> bool {
    document_of(outcome).is_some()
}

/// The tab of a call for a whole snapshot; `None` for any other call.
fn tab_of_whole(call: &Call) -> Option<Option<TabId>> {
    let Some(ToolRef::Browser { name, tab }) = call.target.as_ref().map(|target| &target.tool) else {
        return None;
    };
    let arguments: Value = serde_json::from_str(call.arguments()).unwrap_or_default();
    let is_whole = ["query", "root", "since"].iter().all(|part| arguments[part].is_null());
    (name == "snapshot" && is_whole).then_some(*tab)
}

/// Title and address of the document of a snapshot, and the snapshot's length in bytes.
fn document_of(outcome: &ToolOutcome) -> Option<(&str, usize)> {
    let ToolOutcome::Ok { content, .. } = outcome else { return None };
    let [Content::Text(text), frames @ ..] = content.as_slice() else { return None };
    let (document, _) = text.split_once(MARK)?;
    Some((document, text.len() + frames.iter().map(|block| block.text().len()).sum::<usize>()))
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::settings::Language;

    use sidecar_llm::CallRecord;

    use super::*;
    use crate::log::Target;
    use crate::model_input::messages::messages;
    use crate::testing::{calling, meant};

    fn snapshot(id: &str, arguments: &str, text: &str) -> [Event; 2] {
        let target = Target {
            skill: None,
            tool: ToolRef::Browser { name: "snapshot".to_owned(), tab: Some(TabId(7)) },
            site: "shop.example".to_owned(),
            origin: "https://shop.example".to_owned(),
            read_only: true,
            consequential: false,
            fingerprint: None,
        };
        let record =
            CallRecord { id: id.to_owned(), name: "snapshot".to_owned(), arguments: arguments.to_owned() };
        let call = CallId::from(id);
        let answered = calling(vec![meant(call.clone(), record, Some(target))]);
        [answered, Event::ToolFinished { call, outcome: ToolOutcome::ok(text.to_owned()), duration_ms: 1 }]
    }

    fn entries(events: Vec<Event>) -> Vec<Entry> {
        events.into_iter().map(|event| Entry { at: 1, event }).collect()
    }

    fn whole(page: &str, size: usize) -> String {
        format!("{page}\nhttps://shop.example/{page}{MARK}s1\n{}", "x".repeat(size))
    }

    fn dropped(events: Vec<Event>) -> Vec<String> {
        let log = entries(events);
        let branch = crate::log::branch::entries(&log);
        let mut dropped: Vec<_> = left_out(&branch).into_iter().map(|call| call.0.clone()).collect();
        dropped.sort();
        dropped
    }

    #[test]
    fn older_snapshots_of_a_document_go_in_one_step() {
        let mut events = Vec::new();
        let mut then = |id: &str, arguments: &str, text: &str| {
            events.extend(snapshot(id, arguments, text));
            dropped(events.clone())
        };
        let none: [&str; 0] = [];
        assert_eq!(then("a", "{}", &whole("tea", 20_000)), none);
        assert_eq!(then("b", "{}", &whole("tea", 20_000)), none, "too little for a step");
        assert_eq!(then("c", "{}", &whole("cups", 20_000)), none, "another document");
        assert_eq!(then("d", r#"{"query":"tea"}"#, &whole("tea", 20_000)), none, "not whole");
        assert_eq!(then("e", "{}", &whole("tea", 100)), ["a", "b"]);
        assert_eq!(then("f", "{}", &whole("tea", 100)), ["a", "b"], "until the next step");
    }

    #[test]
    fn model_reads_the_newest_snapshot_and_a_line_for_each_older_one() {
        let mut events = Vec::new();
        for id in ["a", "b", "c"] {
            events.extend(snapshot(id, "{}", &whole("tea", 20_000)));
        }
        let texts: Vec<_> = messages(&entries(events), Language::English)
            .into_iter()
            .filter_map(|message| match message {
                sidecar_llm::Message::Tool { text, .. } => Some(text),
                _ => None,
            })
            .collect();
        assert_eq!((texts[0].as_str(), texts[1].as_str()), (OLDER, OLDER));
        assert!(texts[2].contains("https://shop.example/tea"));
    }
}
