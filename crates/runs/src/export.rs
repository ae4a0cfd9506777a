//! Runs as JSON, without what looks secret.
//!
//! A run is an object: `at` (ISO 8601, UTC), `tool`, `origin`, `tab` and `frame` (the browser's numbers, 0 for the top frame;
//! `null` if it had none), `arguments` and `result` (as JSON if they are, else as text; `result` is the message of a failure,
//! and `null` if there is neither, as of a call that left its page), `outcome` (`ok`, `failed`, `declined`, `interrupted`,
//! `timedOut`, `cancelled`, `repeated`), `ms` (how long the tool ran), `bytes` (of the whole result, which may be cut here) and
//! `caller` (`you`). Numbers stay as they were typed.

use sidecar_form::Json;

use crate::moment::iso;
use crate::taken::TakenRun;

/// Runs as JSON Lines: each on a line of its own, with a line break behind it.
#[must_use]
pub fn json_lines<'r>(runs: impl IntoIterator<Item = TakenRun<'r>>) -> String {
    runs.into_iter().map(|run| object(run).write() + "\n").collect()
}

/// One run as JSON on many lines.
#[must_use]
pub fn json(run: TakenRun<'_>) -> String {
    object(run).write_lines()
}

fn object(taken: TakenRun<'_>) -> Json {
    let run = taken.run;
    let text = |text: &str| Json::Text(text.to_owned());
    let number = |number: Option<i32>| number.map_or(Json::Null, |number| Json::Number(number.to_string()));
    let members = [
        ("at", text(&iso(run.at))),
        ("tool", text(&run.tool)),
        ("origin", text(&run.origin)),
        ("tab", number(run.tab.map(|tab| tab.0))),
        ("frame", number(run.frame.map(|frame| frame.0))),
        ("arguments", taken.arguments()),
        ("outcome", text(run.outcome.name())),
        ("result", taken.result().unwrap_or(Json::Null)),
        ("ms", Json::Number(run.duration_ms.to_string())),
        ("bytes", Json::Number(run.result_bytes.to_string())),
        ("caller", text("you")),
    ];
    Json::Object(members.map(|(key, value)| (key.to_owned(), value)).into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sidecar_protocol::thread::ToolOutcome;

    use super::*;
    use crate::testing::run;

    #[test]
    fn runs_are_written_a_line_each_without_secrets() {
        let schema = json!({"properties": {"code": {"writeOnly": true}}});
        let one = run(
            "pay",
            r#"{"n":9007199254740993,"code":"7","cvv":123}"#,
            ToolOutcome::ok(r#"{"ok":true,"sessionId":"x"}"#),
        );
        let other = run("pay\n", "[", ToolOutcome::Cancelled);
        let lines = json_lines([
            TakenRun { run: &one, schema: Some(&schema) },
            TakenRun { run: &other, schema: None },
        ]);
        let lines: Vec<_> = lines.lines().collect();
        assert_eq!(
            lines[0],
            r#"{"at":"2026-11-26T00:00:00.123Z","tool":"pay","origin":"https://shop.example","tab":7,"frame":4,"arguments":{"n":9007199254740993,"code":"••••••","cvv":"••••••"},"outcome":"ok","result":{"ok":true,"sessionId":"••••••"},"ms":12,"bytes":27,"caller":"you"}"#
        );
        assert!(lines[1].contains(r#""tool":"pay\n""#) && lines[1].contains(r#""arguments":"[""#));
        assert!(lines[1].contains(r#""outcome":"cancelled","result":null"#) && lines.len() == 2);
    }

    #[test]
    fn one_run_is_written_on_many_lines() {
        let one = run("search", "{}", ToolOutcome::ok("plain text"));
        let text = json(TakenRun { run: &one, schema: None });
        assert!(text.starts_with("{\n  \"at\":") && text.contains("\"result\": \"plain text\""));
    }
}
