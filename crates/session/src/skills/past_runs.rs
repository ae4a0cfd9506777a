//! How tools of SKILLs fared, until the browser is closed: a worker often lives for half a minute only.

use serde::{Deserialize, Serialize};
use sidecar_protocol::{DocumentId, Timestamp};

use super::SkillRun;

/// How many runs in a row may find the page changed, on different documents, before a SKILL is paused on a site.
const MOST_CHANGED: usize = 3;
/// Maximum number of SKILLs and sites of which this is kept: of those that were used last.
const MOST_PLACES: usize = 300;

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
}

impl PastRuns {
    /// Its name in storage.
    pub const KEY: &'static str = "skillRuns";

    /// When a tool of a SKILL last succeeded.
    pub fn last_success(&self, id: &str) -> Option<Timestamp> {
        self.0.iter().filter(|on| on.id == id).map(|on| on.succeeded).max().filter(|moment| *moment != 0)
    }

    /// A tool ended. Returns whether that was one time too often on a page that is not as its SKILL expects.
    pub fn add(&mut self, run: &SkillRun) -> bool {
        let known = self.0.iter().position(|on| on.id == run.id && on.origin == run.origin);
        let mut on = match known {
            Some(place) => self.0.remove(place),
            None => PastRunsOn {
                id: run.id.clone(),
                origin: run.origin.clone(),
                succeeded: 0,
                changed: Vec::new(),
            },
        };
        if run.is_ok {
            on.succeeded = run.now;
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
        is_too_often
    }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::skill::SkillTrace;

    use super::*;

    fn run(origin: &str, document: &str, is_changed: bool) -> SkillRun {
        let trace =
            SkillTrace { tool: "read".to_owned(), began: 1, steps: Vec::new(), outcome: "ok".to_owned() };
        SkillRun {
            id: "shop".to_owned(),
            origin: origin.to_owned(),
            document: Some(document.into()),
            is_ok: !is_changed,
            is_changed,
            trace,
            now: 5,
        }
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
