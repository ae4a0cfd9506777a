//! Golden files: messages between worker and pages and between worker and panels, and lines of the list
//! of threads (docs/decisions/0024-disk-formats.md).

use sidecar_golden::current;
use sidecar_protocol::link::{Request, WorkerMessage};
use sidecar_protocol::page::{RelayCommand, RelayMessage, ToolResult};
use sidecar_protocol::thread::ThreadSummary;

#[test]
fn messages_of_a_relay_are_read_as_they_are_sent() {
    let _ = current::<RelayMessage>(include_str!("../fixtures/relay-messages.jsonl"));
}

#[test]
fn commands_to_a_relay_are_written_as_they_are_sent() {
    let _ = current::<RelayCommand>(include_str!("../fixtures/relay-commands.jsonl"));
}

#[test]
fn results_of_a_relay_are_read_as_they_are_sent() {
    let _ = current::<ToolResult>(include_str!("../fixtures/tool-results.jsonl"));
}

#[test]
fn threads_are_written_as_they_are_on_disk() {
    let _ = current::<ThreadSummary>(include_str!("../fixtures/threads.jsonl"));
}

#[test]
fn requests_of_a_panel_are_read_as_they_are_sent() {
    let _ = current::<Request>(include_str!("../fixtures/link-requests.jsonl"));
}

#[test]
fn messages_to_a_panel_are_written_as_they_are_sent() {
    let _ = current::<WorkerMessage>(include_str!("../fixtures/link-messages.jsonl"));
}
