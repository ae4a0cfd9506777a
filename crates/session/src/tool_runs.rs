//! The runs of tools by hand that are remembered: until the browser is closed, and none of a private window.

use sidecar_protocol::CallId;
use sidecar_protocol::content::Content;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::tool_run::ToolRun;

use crate::cache;
use crate::key_value::KeyValue;

const RUNS: &str = "toolRuns";

/// Maximum number of runs of one origin.
const MOST_OF_ORIGIN: usize = 200;

/// Maximum bytes of all runs as they are stored. The browser gives an extension 10 MiB for what ends with it; what would take
/// more would have to be on disk. The rest is for what else the worker keeps there.
const MOST_BYTES: usize = 6 << 20;

/// The remembered runs, oldest first.
#[derive(Debug)]
pub struct ToolRuns<K> {
    /// Absent in a private window.
    store: Option<K>,
    /// Absent until the first use.
    runs: Option<Vec<ToolRun>>,
}

impl<K: KeyValue> ToolRuns<K> {
    /// Those that the previous worker saved. They are read at their first use.
    pub fn new(store: Option<K>) -> Self {
        Self { store, runs: None }
    }

    /// The newest so many runs of a tool, newest first.
    pub async fn of(&mut self, origin: &str, tool: &str, most: usize) -> Vec<ToolRun> {
        let runs = self.known().await.iter().rev();
        runs.filter(|run| run.origin == origin && run.tool == tool).take(most).cloned().collect()
    }

    /// The runs of these origins, newest first; all of them if none is named.
    pub async fn of_sites(&mut self, origins: &[String]) -> Vec<ToolRun> {
        let runs = self.known().await.iter().rev();
        runs.filter(|run| origins.is_empty() || origins.contains(&run.origin)).cloned().collect()
    }

    /// A run that is remembered.
    pub async fn with_id(&mut self, id: &CallId) -> Option<ToolRun> {
        self.known().await.iter().rev().find(|run| run.call_id == *id).cloned()
    }

    /// How many are remembered.
    pub async fn count(&mut self) -> usize {
        self.known().await.len()
    }

    /// Remembers a run. The oldest go if there are too many.
    pub async fn add(&mut self, run: ToolRun) {
        let runs = self.known().await;
        let of_origin = runs.iter().filter(|known| known.origin == run.origin).count();
        if of_origin >= MOST_OF_ORIGIN
            && let Some(oldest) = runs.iter().position(|known| known.origin == run.origin)
        {
            runs.remove(oldest);
        }
        runs.push(run);
        let texts: Vec<_> = runs.iter().map(|run| serde_json::to_string(run).unwrap_or_default()).collect();
        let mut bytes = 0;
        let fits = |text: &&String| {
            bytes += text.len() + 1;
            bytes <= MOST_BYTES
        };
        let old = texts.len() - texts.iter().rev().take_while(fits).count();
        runs.drain(..old);
        self.save(&texts[old..]).await;
    }

    /// Forgets all.
    pub async fn clear(&mut self) {
        self.runs = Some(Vec::new());
        self.save(&[]).await;
    }

    async fn known(&mut self) -> &mut Vec<ToolRun> {
        let read = match (&self.runs, &self.store) {
            (None, Some(store)) => cache::read(store, RUNS).await,
            (Some(_), _) | (None, None) => Vec::new(),
        };
        self.runs.get_or_insert(read)
    }

    /// Saves the runs. What cannot be saved lives as long as the worker.
    async fn save(&self, texts: &[String]) {
        if let Some(store) = &self.store {
            let _ = store.set(RUNS, &format!("[{}]", texts.join(","))).await;
        }
    }
}

/// How a run ended, as it is shown and kept: what is too long is cut, and pictures are told in words. With the size of the
/// whole result in bytes.
pub fn shown(outcome: ToolOutcome) -> (ToolOutcome, usize) {
    match outcome {
        ToolOutcome::Ok { content, page } => {
            let whole = content.iter().map(|block| block.text().len()).sum();
            let mut left = ToolRun::MOST_RESULT;
            let content = content.iter().map(|block| {
                let text = block.text();
                let end = (0..=left.min(text.len()))
                    .rev()
                    .find(|at| text.is_char_boundary(*at))
                    .unwrap_or_default();
                left -= end;
                match block {
                    Content::Structured(_) if end == text.len() => block.clone(),
                    _ => Content::Text(text[..end].to_owned()),
                }
            });
            (ToolOutcome::Ok { content: content.collect(), page }, whole)
        }
        other => {
            let size = other.text().map_or(0, |text| text.len());
            (other, size)
        }
    }
}

/// The id of a run.
pub fn run_id(nonce: &str) -> CallId {
    CallId(format!("run.{nonce}"))
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::testing::Memory;

    fn run(number: usize, origin: &str, result: &str) -> ToolRun {
        ToolRun {
            call_id: run_id(&number.to_string()),
            at: 1,
            tool: "find".to_owned(),
            origin: origin.to_owned(),
            tab: None,
            frame: None,
            digest: String::new(),
            arguments: "{}".to_owned(),
            outcome: ToolOutcome::ok(result),
            result_bytes: result.len(),
            duration_ms: 1,
            page: None,
            pictures: Vec::new(),
        }
    }

    fn ids(runs: &[ToolRun]) -> Vec<&str> {
        runs.iter().map(|run| run.call_id.0.as_str()).collect()
    }

    #[test]
    fn runs_outlive_the_worker_and_those_of_private_windows_are_not_saved() {
        let memory = Memory::default();
        let mut runs = ToolRuns::new(Some(memory.clone()));
        block_on(runs.add(run(1, "https://a.example", "x")));
        block_on(runs.add(run(2, "https://b.example", "x")));
        block_on(runs.add(run(3, "https://a.example", "x")));
        let mut next = ToolRuns::new(Some(memory.clone()));
        assert_eq!(ids(&block_on(next.of("https://a.example", "find", 500))), ["run.3", "run.1"]);
        assert_eq!(block_on(next.of("https://a.example", "other", 500)), []);
        assert_eq!(ids(&block_on(next.of_sites(&[]))), ["run.3", "run.2", "run.1"]);
        assert_eq!(ids(&block_on(next.of_sites(&["https://b.example".to_owned()]))), ["run.2"]);
        assert_eq!(block_on(next.count()), 3);
        block_on(next.clear());
        assert_eq!(block_on(ToolRuns::new(Some(memory.clone())).of("https://a.example", "find", 500)), []);
        let names = memory.names();
        let mut private = ToolRuns::new(None::<Memory>);
        block_on(private.add(run(1, "https://a.example", "x")));
        assert_eq!(block_on(private.of("https://a.example", "find", 500)).len(), 1);
        assert_eq!(memory.names(), names);
    }

    #[test]
    fn oldest_runs_go_when_there_are_too_many_or_they_are_too_large() {
        let memory = Memory::default();
        let mut runs = ToolRuns::new(Some(memory.clone()));
        block_on(runs.add(run(0, "https://b.example", "x")));
        for number in 1..=201 {
            block_on(runs.add(run(number, "https://a.example", "x")));
        }
        let of_a = block_on(runs.of("https://a.example", "find", 500));
        assert_eq!((of_a.len(), ids(&of_a).last()), (200, Some(&"run.2")));
        assert_eq!(block_on(runs.of("https://b.example", "find", 500)).len(), 1);
        let large = "x".repeat(2_000_000);
        for number in 300..304 {
            block_on(runs.add(run(number, "https://b.example", &large)));
        }
        assert_eq!(
            ids(&block_on(runs.of("https://b.example", "find", 500))),
            ["run.303", "run.302", "run.301"]
        );
        assert_eq!(block_on(runs.of("https://a.example", "find", 500)), []);
        let saved: Vec<ToolRun> = serde_json::from_str(&memory.text(RUNS)).unwrap();
        assert_eq!(ids(&saved), ["run.301", "run.302", "run.303"]);
        assert!(memory.text(RUNS).len() <= MOST_BYTES);
    }

    #[test]
    fn inspector_case_53_long_result_is_cut_between_characters_and_its_size_is_told() {
        let (cut, size) = shown(ToolOutcome::ok("好".repeat(30_000)));
        let text = cut.text().unwrap().into_owned();
        assert!(text.len() <= ToolRun::MOST_RESULT && text.ends_with('好'));
        assert_eq!(size, 90_000);
        assert_eq!(shown(ToolOutcome::Declined), (ToolOutcome::Declined, 0));
    }
}
