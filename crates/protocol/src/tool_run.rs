//! A run of a tool by hand, as it is shown and kept.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::ids::{CallId, FrameId, TabId};
use crate::picture::NewPicture;
use crate::thread::ToolOutcome;

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRun {
    /// Its id.
    pub call_id: CallId,
    /// When it began.
    pub at: Timestamp,
    /// The tool's own name.
    pub tool: String,
    /// Origin of the page that has the tool.
    pub origin: String,
    /// The tab, if the tool was in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabId>,
    /// The frame that had the tool; absent for those of SKILLs, and where it was not kept yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<FrameId>,
    /// [`crate::page_view::ToolSummary::digest`] of the tool at that time.
    pub digest: String,
    /// JSON text of the arguments, exactly as they were sent.
    pub arguments: String,
    /// How it ended. What is longer than [`ToolRun::MOST_RESULT`] is cut.
    pub outcome: ToolOutcome,
    /// Size of the whole result, in bytes.
    pub result_bytes: usize,
    /// How long the tool ran, in milliseconds; 0 if it did not.
    pub duration_ms: u64,
    /// The page before and after it, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<WatchedPage>,
    /// The pictures in its result, as they are shown. They are not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<NewPicture>,
}

impl ToolRun {
    /// Maximum bytes of a result that is shown and kept.
    pub const MOST_RESULT: usize = 64 * 1024;
    /// Maximum number of pictures that are shown.
    pub const MOST_PICTURES: usize = 4;

    /// The run as it is remembered: without pictures.
    #[must_use]
    pub fn remembered(&self) -> Self {
        let mut run = Self { pictures: Vec::new(), ..self.clone() };
        if let Some(page) = &mut run.page {
            page.pictures.clear();
        }
        run
    }
}

/// A page before and after a run: outlines, as the agent reads pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedPage {
    /// Before it; why there is none, in words, if the page cannot be read.
    pub before: Result<String, String>,
    /// After it.
    pub after: Result<String, String>,
    /// What a window showed of it before and after; empty if the page was not in front, and not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<NewPicture>,
}

/// Something that is wrong with arguments, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedMistake {
    /// JSON Pointer (RFC 6901) into the arguments; empty for the whole.
    pub pointer: String,
    /// The keyword of the schema that asks for it: `required`, `type`.
    pub keyword: String,
    /// What was expected there, and what was found.
    pub text: String,
}

impl PlacedMistake {
    /// Maximum number of mistakes that are told.
    pub const MOST: usize = 50;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_that_was_kept_without_its_place_is_read_and_written_as_it_was() {
        let before = r#"{"callId":"run.1","at":1,"tool":"find","origin":"https://a.example","digest":"0a","arguments":"{}","outcome":"declined","resultBytes":0,"durationMs":1}"#;
        let run: ToolRun = serde_json::from_str(before).unwrap();
        assert_eq!((run.tab, run.frame), (None, None));
        assert_eq!(serde_json::to_string(&run).unwrap(), before);
        let run = ToolRun { tab: Some(TabId(7)), frame: Some(FrameId(4)), ..run };
        let text = serde_json::to_string(&run).unwrap();
        assert!(text.contains(r#""tab":7,"frame":4"#), "{text}");
        assert_eq!(serde_json::from_str::<ToolRun>(&text).unwrap(), run);
    }
}
