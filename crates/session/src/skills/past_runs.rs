//! How tools of SKILLs fared, until the browser is closed: a worker often lives for half a minute only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sidecar_protocol::skill::SkillTrace;
use sidecar_protocol::{DocumentId, Timestamp};
use sidecar_skills::run::FIELD;

use super::SkillRun;

/// How many runs in a row may find the page changed, on different documents, before a SKILL is paused on a site.
const MOST_CHANGED: usize = 3;
/// Maximum number of SKILLs and sites of which this is kept: of those that were used last.
const MOST_PLACES: usize = 300;

/// In how many runs in a row a field has to be filled to count as always filled, and in how many after that it has to be
/// empty to count as never filled.
const ALWAYS: u32 = 3;
const NEVER: u32 = 3;
/// Maximum number of fields of a SKILL on a site that are followed, and of places where they are: of those used last.
const MOST_FIELDS: usize = 60;
const MOST_FOLLOWED: usize = 30;

/// What is kept of runs, as it lies in storage. It is read where it is needed, which is not where a worker begins.
#[derive(Debug, Clone, Default)]
pub struct KeptRuns(String);

impl KeptRuns {
    /// Its name in storage.
    pub const KEY: &'static str = "skillRuns";

    /// Of what was found in storage.
    pub fn new(text: Option<String>) -> Self {
        Self(text.unwrap_or_default())
    }

    /// JSON text, for the next worker.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What it says; nothing if it cannot be read.
    pub fn read(&self) -> PastRuns {
        serde_json::from_str(&self.0).unwrap_or_default()
    }

    /// Changes it.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut PastRuns) -> T) -> T {
        let mut past = self.read();
        let changed = change(&mut past);
        self.0 = serde_json::to_string(&past).unwrap_or_default();
        changed
    }
}

/// What is kept of runs: by SKILL and site, the last used last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastRuns(Vec<PastRunsOn>);

/// The runs of a SKILL on a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PastRunsOn {
    id: String,
    origin: String,
    /// When one last succeeded; 0 if none has.
    succeeded: Timestamp,
    /// The documents on which the last ones found the page changed.
    changed: Vec<DocumentId>,
    /// Of what was read, by tool and step: in how many runs in a row it was filled, up to [`ALWAYS`]; more than that says in
    /// how many it was empty since.
    #[serde(default)]
    fields: BTreeMap<String, u32>,
}

impl PastRunsOn {
    /// Notes which of the things that a tool reads were there.
    fn note_fields(&mut self, SkillTrace { tool, steps, .. }: &SkillTrace) {
        let read = steps.iter().filter(|step| ["read", "data", FIELD].contains(&step.does.as_str()));
        for (number, step) in read.clone().enumerate() {
            // Steps of `pages` are done several times: one time is enough.
            let mut same = read.clone().enumerate().filter(|(_, other)| other.step == step.step);
            if same.clone().any(|(before, _)| before < number) {
                continue;
            }
            let is_filled = same.any(|(_, step)| !step.value.is_empty());
            let name = format!("{tool} {}", step.step);
            let has_room = self.fields.len() < MOST_FIELDS;
            match self.fields.get_mut(&name) {
                Some(count) => *count = counted(*count, is_filled),
                None if has_room => _ = self.fields.insert(name, counted(0, is_filled)),
                None => {}
            }
        }
    }
}

/// The count of a field after another run.
fn counted(count: u32, is_filled: bool) -> u32 {
    match is_filled {
        true if count <= ALWAYS => (count + 1).min(ALWAYS),
        // It comes and goes.
        true => 1,
        false if count < ALWAYS => 0,
        false => (count + 1).min(ALWAYS + NEVER),
    }
}

impl PastRuns {
    /// When a tool of a SKILL last succeeded.
    pub fn last_success(&self, id: &str) -> Option<Timestamp> {
        self.0.iter().filter(|on| on.id == id).map(|on| on.succeeded).max().filter(|moment| *moment != 0)
    }

    /// What tools of a SKILL always read on a site and do not find any more: tools with their steps.
    pub fn missed(&self, id: &str, origin: &str) -> Vec<&str> {
        let on = self.0.iter().filter(|on| on.id == id && on.origin == origin);
        let missed = on.flat_map(|on| &on.fields).filter(|(_, count)| **count >= ALWAYS + NEVER);
        missed.map(|(name, _)| name.as_str()).collect()
    }

    /// Another version of a SKILL is there, or it is gone: its steps are others.
    pub fn forget_fields(&mut self, id: &str) {
        self.0.iter_mut().filter(|on| on.id == id).for_each(|on| on.fields.clear());
    }

    /// A tool ended. Returns whether that was one time too often on a page that is not as its SKILL expects.
    pub fn add(&mut self, run: &SkillRun) -> bool {
        let known = self.0.iter().position(|on| on.id == run.id && on.origin == run.trace.origin);
        let mut on = match known {
            Some(place) => self.0.remove(place),
            None => PastRunsOn {
                id: run.id.clone(),
                origin: run.trace.origin.clone(),
                succeeded: 0,
                changed: Vec::new(),
                fields: BTreeMap::new(),
            },
        };
        if run.is_ok {
            on.succeeded = run.now;
            on.note_fields(&run.trace);
        }
        match &run.document {
            _ if !run.is_changed => on.changed.clear(),
            Some(document) if !on.changed.contains(document) => on.changed.push(document.clone()),
            Some(_) | None => {}
        }
        let is_too_often = on.changed.len() >= MOST_CHANGED;
        if is_too_often {
            on.changed.clear();
        }
        if self.0.len() >= MOST_PLACES {
            self.0.remove(0);
        }
        self.0.push(on);
        self.0.iter_mut().rev().skip(MOST_FOLLOWED).for_each(|on| on.fields.clear());
        is_too_often
    }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::skill::SkillTrace;

    use super::*;

    fn run(origin: &str, document: &str, is_changed: bool) -> SkillRun {
        let trace = SkillTrace {
            tool: "read".to_owned(),
            origin: origin.to_owned(),
            began: 1,
            steps: Vec::new(),
            outcome: "ok".to_owned(),
        };
        SkillRun {
            id: "shop".to_owned(),
            document: Some(document.into()),
            is_ok: !is_changed,
            is_changed,
            trace,
            now: 5,
        }
    }

    /// A run that reads rows, of which the first that has a rating has this one.
    fn reads(rating: &str) -> SkillRun {
        let step = |step: &str, does: &str, value: &str| sidecar_protocol::skill::TracedStep {
            step: step.to_owned(),
            does: does.to_owned(),
            locator: String::new(),
            alternative: None,
            value: value.to_owned(),
            outcome: "ok".to_owned(),
        };
        let mut run = run("https://shop.example", "1", false);
        run.trace.steps = vec![
            step("steps[0]", "click", ""),
            step("steps[1]", "extract", "[{}]"),
            step("steps[1].rating", FIELD, ""),
            // The same on the next page.
            step("steps[1].rating", FIELD, rating),
        ];
        run
    }

    #[test]
    fn field_that_was_always_filled_and_is_never_filled_any_more_is_missed() {
        let missed = |ratings: &[&str]| {
            let mut past = PastRuns::default();
            for rating in ratings {
                past = again(&past);
                past.add(&reads(rating));
            }
            past.missed("shop", "https://shop.example").len()
        };
        assert_eq!(missed(&["4", "4", "4", "", "", ""]), 1);
        assert_eq!(missed(&["4", "4", "4", "4", "4", "", "", "", ""]), 1);
        assert_eq!(missed(&["4", "4", "4", "", ""]), 0, "two pages may be without one");
        assert_eq!(missed(&["4", "4", "", "", "", "", ""]), 0, "two are not always");
        assert_eq!(missed(&["", "", "", "", "", ""]), 0, "it was never there");
        assert_eq!(missed(&["4", "", "4", "4", "", "", ""]), 0, "it comes and goes");
        assert_eq!(missed(&["4", "4", "4", "", "", "", "4"]), 0, "it is there again");
        assert_eq!(missed(&["4", "4", "4", "", "4", "", "", ""]), 0, "it came and went");
    }

    #[test]
    fn missed_field_is_of_its_site_and_of_a_version() {
        let mut past = PastRuns::default();
        for rating in ["4", "4", "4", "", "", ""] {
            past.add(&reads(rating));
        }
        let failed = SkillRun { is_ok: false, is_changed: true, ..reads("5") };
        past.add(&failed);
        assert_eq!(past.missed("shop", "https://shop.example"), ["read steps[1].rating"]);
        assert!(past.missed("shop", "https://other.example").is_empty());
        past.forget_fields("other");
        assert_eq!(past.missed("shop", "https://shop.example").len(), 1);
        past.forget_fields("shop");
        assert!(past.missed("shop", "https://shop.example").is_empty());
    }

    #[test]
    fn fields_are_followed_where_runs_were_last() {
        let mut past = PastRuns::default();
        for number in 0..=MOST_FOLLOWED {
            let mut run = reads("4");
            run.trace.origin = format!("https://{number}.example");
            past.add(&run);
        }
        let followed: Vec<bool> = past.0.iter().map(|on| !on.fields.is_empty()).collect();
        assert_eq!((followed[0], followed[1], followed.len()), (false, true, MOST_FOLLOWED + 1));
    }

    #[test]
    fn fields_without_number_take_no_room_without_end() {
        let mut past = PastRuns::default();
        for number in 0..2 * MOST_FIELDS {
            let mut run = reads("4");
            run.trace.tool = format!("read_{number}");
            past.add(&run);
        }
        assert_eq!(past.0[0].fields.len(), MOST_FIELDS);
    }

    /// As the next worker reads it.
    fn again(past: &PastRuns) -> PastRuns {
        serde_json::from_str(&serde_json::to_string(past).unwrap()).unwrap()
    }

    #[test]
    fn three_runs_in_a_row_on_other_documents_are_counted_across_workers() {
        let mut past = PastRuns::default();
        let all =
            [("1", true), ("1", true), ("2", true), ("3", false), ("4", true), ("5", true), ("6", true)];
        let paused = all.map(|(document, is_changed)| {
            past = again(&past);
            past.add(&run("https://shop.example", document, is_changed))
        });
        assert_eq!(paused, [false, false, false, false, false, false, true]);
        assert_eq!(again(&past).last_success("shop"), Some(5));
        assert!(past.0[0].changed.is_empty(), "who resumes begins anew");
    }

    #[test]
    fn sites_without_number_take_no_room_without_end() {
        let mut past = PastRuns::default();
        let site = |number| format!("https://{number:03}.example");
        for number in 0..MOST_PLACES {
            assert!(!past.add(&run(&site(number), "1", true)));
        }
        past.add(&run(&site(0), "2", true));
        past.add(&run("https://new.example", "1", true));
        assert_eq!(past.0.len(), MOST_PLACES);
        assert!(past.0.iter().all(|on| on.origin != site(1)), "the one that was used longest ago goes");
        assert!(past.add(&run(&site(0), "3", true)));
    }
}
