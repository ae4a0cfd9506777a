//! Runs for tests.

use sidecar_protocol::CallId;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::tool_run::ToolRun;

pub(crate) fn run(tool: &str, arguments: &str, outcome: ToolOutcome) -> ToolRun {
    ToolRun {
        call_id: CallId::from("c1"),
        at: 1_795_651_200_123,
        tool: tool.to_owned(),
        origin: "https://shop.example".to_owned(),
        digest: String::new(),
        arguments: arguments.to_owned(),
        result_bytes: outcome.text().map_or(0, |text| text.len()),
        outcome,
        duration_ms: 12,
        page: None,
        pictures: Vec::new(),
    }
}
