//! Runs for tests.

use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::tool_run::ToolRun;
use sidecar_protocol::{CallId, FrameId, TabId};

pub(crate) fn run(tool: &str, arguments: &str, outcome: ToolOutcome) -> ToolRun {
    ToolRun {
        call_id: CallId::from("c1"),
        at: 1_795_651_200_123,
        tool: tool.to_owned(),
        origin: "https://shop.example".to_owned(),
        tab: Some(TabId(7)),
        frame: Some(FrameId(4)),
        digest: String::new(),
        arguments: arguments.to_owned(),
        result_bytes: outcome.text().map_or(0, |text| text.len()),
        outcome,
        duration_ms: 12,
        page: None,
        pictures: Vec::new(),
    }
}
