//! Derives the log of calls from a thread's log: one line for each call that has its outcome. The lines are
//! stored apart from the thread, outlive it, and contain no secrets.

use sidecar_protocol::call_log::{CallOutcome, LoggedCall};
use sidecar_protocol::policy::AllowedBy;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::tool::Caller;
use sidecar_protocol::{CallId, Timestamp};
use sidecar_webmcp::{visible, visible_json};

use crate::call_log::mask;
use crate::log::{Call, Entry, Event};

/// Reads a thread's log and returns a line for each call that ends.
#[derive(Debug, Default)]
pub struct Recorder {
    /// The calls of the last answer.
    calls: Vec<Underway>,
}

#[derive(Debug)]
struct Underway {
    call: Call,
    /// The arguments after the user's edits, if any.
    edited: Option<String>,
    /// When it began, and what allowed it.
    began: Option<(Timestamp, Option<AllowedBy>)>,
}

impl Recorder {
    /// A recorder that has read this log: calls that ended in it are not returned again.
    #[must_use]
    pub fn of(log: &[Entry]) -> Self {
        let mut recorder = Self::default();
        for entry in log {
            recorder.read(entry);
        }
        recorder
    }

    /// Reads the next entry. Returns the line of the call that it ends, if any.
    pub fn read(&mut self, entry: &Entry) -> Option<LoggedCall> {
        match &entry.event {
            Event::ModelAnswered { calls, .. } => {
                let underway = |call: &Call| Underway { call: call.clone(), edited: None, began: None };
                // A question to the user does not call a tool of a page.
                self.calls = calls.iter().filter(|call| call.question.is_none()).map(underway).collect();
                None
            }
            Event::ApprovalGiven { call, arguments: Some(arguments), secrets, .. } => {
                let underway = self.find(call)?;
                underway.edited = Some(arguments.clone());
                underway.call.secrets.extend(secrets.iter().cloned());
                None
            }
            Event::ToolStarted { call, allowed_by } => {
                self.find(call)?.began.get_or_insert((entry.at, *allowed_by));
                None
            }
            Event::ToolFinished { call, outcome, duration_ms } => {
                let underway = self.find(call)?;
                let outcome = CallOutcome::of(outcome, message);
                Some(line(underway, entry.at, outcome, *duration_ms))
            }
            _ => None,
        }
    }

    fn find(&mut self, id: &CallId) -> Option<&mut Underway> {
        self.calls.iter_mut().find(|underway| underway.call.id == *id)
    }
}

/// A call that a script of a page made, or another agent in it, of a SKILL's tool.
#[derive(Debug)]
pub struct DirectCallEnd<'c> {
    /// When it began; for one that did not run, when that was decided.
    pub at: Timestamp,
    /// The caller.
    pub caller: Caller,
    /// Its id.
    pub id: &'c CallId,
    /// The tool's name.
    pub tool: &'c str,
    /// Host (with port) of the page.
    pub site: &'c str,
    /// Origin of the page.
    pub origin: &'c str,
    /// JSON text.
    pub arguments: &'c str,
    /// The tool's schema (JSON text).
    pub schema: Option<&'c str>,
    /// What it came to.
    pub outcome: &'c ToolOutcome,
    /// What let it run; `None` if it did not.
    pub allowed_by: Option<AllowedBy>,
    /// How long the tool ran, in milliseconds.
    pub ran_ms: u64,
}

impl DirectCallEnd<'_> {
    /// Its line.
    #[must_use]
    pub fn line(&self) -> LoggedCall {
        let secrets = mask::secret_places_in(self.schema, self.arguments);
        let (arguments, masked) = mask::arguments(self.arguments, &secrets);
        LoggedCall {
            at: self.at,
            caller: self.caller.clone(),
            call_id: self.id.clone(),
            tool: visible(self.tool).into_owned(),
            site: self.site.to_owned(),
            origin: self.origin.to_owned(),
            allowed_by: self.allowed_by,
            arguments: cut(&visible_json(&arguments), LoggedCall::MOST_ARGUMENTS),
            masked,
            outcome: CallOutcome::of(self.outcome, message),
            duration_ms: self.ran_ms,
        }
    }
}

fn line(underway: &Underway, ended: Timestamp, outcome: CallOutcome, duration_ms: u64) -> LoggedCall {
    let Underway { call, edited, began } = underway;
    let target = call.target.as_ref();
    let (arguments, masked) = mask::arguments(edited.as_deref().unwrap_or(call.arguments()), &call.secrets);
    let (at, allowed_by) = began.unwrap_or((ended, None));
    LoggedCall {
        at,
        caller: Caller::Agent,
        call_id: call.id.clone(),
        tool: visible(target.map_or(&call.record.name, |target| target.tool.name())).into_owned(),
        site: target.map(|target| target.site.clone()).unwrap_or_default(),
        origin: target.map(|target| target.origin.clone()).unwrap_or_default(),
        allowed_by,
        arguments: cut(&visible_json(&arguments), LoggedCall::MOST_ARGUMENTS),
        masked,
        outcome,
        duration_ms,
    }
}

fn message(said: &str) -> String {
    cut(&visible(&mask::words(said).0), LoggedCall::MOST_MESSAGE)
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sidecar_llm::CallRecord;
    use sidecar_protocol::page::FailureCode;
    use sidecar_protocol::thread::ToolFailure;

    use super::*;
    use crate::call_log::mask::MASK;
    use crate::log::Target;
    use crate::testing::{calling, tool_id};

    fn call(id: &str, arguments: &str, is_known: bool) -> Call {
        let target = Target {
            skill: None,
            tool: tool_id("login"),
            site: "bank.example".to_owned(),
            origin: "https://bank.example".to_owned(),
            read_only: false,
            consequential: false,
            fingerprint: None,
        };
        Call {
            name: None,
            id: CallId::from(id),
            record: CallRecord {
                id: id.to_owned(),
                name: "page_login".to_owned(),
                arguments: arguments.to_owned(),
            },
            target: is_known.then_some(target),
            arguments: None,
            repaired: Vec::new(),
            mistake: None,
            off_pattern: false,
            secrets: vec!["/word".to_owned()],
            question: None,
        }
    }

    fn finished(id: &str, outcome: ToolOutcome, duration_ms: u64) -> Event {
        Event::ToolFinished { call: CallId::from(id), outcome, duration_ms }
    }

    /// The lines of a log with one event per second.
    fn told(events: Vec<Event>) -> Vec<LoggedCall> {
        let mut recorder = Recorder::default();
        let entries = events.into_iter().enumerate();
        entries.filter_map(|(at, event)| recorder.read(&Entry { at: at as u64 * 1000, event })).collect()
    }

    #[test]
    fn recorder_logs_one_line_without_secrets_for_each_call_that_ends() {
        let started = serde_json::from_value(
            serde_json::json!({"event": "toolStarted", "call": "a", "passed": "grant"}),
        )
        .unwrap();
        let arguments = r#"{"user":"ann","word":"abc","apiKey":"k"}"#;
        let mut lines = told(vec![
            calling(vec![call("a", arguments, true), call("b", "{}", false)]),
            started,
            finished("a", ToolOutcome::ok("a page's words"), 400),
            finished("b", ToolOutcome::Declined, 0),
        ]);
        let expected = LoggedCall {
            at: 1000,
            caller: Caller::Agent,
            call_id: CallId::from("a"),
            tool: "login".to_owned(),
            site: "bank.example".to_owned(),
            origin: "https://bank.example".to_owned(),
            allowed_by: Some(AllowedBy::Grant),
            arguments: String::new(),
            masked: true,
            outcome: CallOutcome::Ok,
            duration_ms: 400,
        };
        let logged: Value = serde_json::from_str(&std::mem::take(&mut lines[0].arguments)).unwrap();
        assert_eq!(logged, json!({"user": "ann", "word": MASK, "apiKey": MASK}));
        assert_eq!(lines[0], expected);
        let unknown = LoggedCall {
            at: 3000,
            call_id: CallId::from("b"),
            tool: "page_login".to_owned(),
            site: String::new(),
            origin: String::new(),
            allowed_by: None,
            arguments: "{}".to_owned(),
            masked: false,
            outcome: CallOutcome::Declined,
            duration_ms: 0,
            ..expected
        };
        assert_eq!(lines[1..], [unknown]);
    }

    #[test]
    fn recorder_logs_the_arguments_after_the_users_edits() {
        let given = serde_json::json!({
            "event": "approvalGiven", "call": "a", "decision": "run", "arguments": r#"{"user":"bob"}"#,
        });
        let lines = told(vec![
            calling(vec![call("a", r#"{"user":"ann"}"#, true)]),
            serde_json::from_value(given).unwrap(),
            finished("a", ToolOutcome::left(), 1),
        ]);
        assert_eq!(lines[0].arguments, r#"{"user":"bob"}"#);
    }

    #[test]
    fn recorder_masks_a_secret_in_the_users_edits() {
        let given = json!({
            "event": "approvalGiven", "call": "a", "decision": "run",
            "arguments": r#"{"accounts":[{"word":"hunter2"}]}"#, "secrets": ["/accounts/0/word"],
        });
        let lines = told(vec![
            calling(vec![call("a", "{}", true)]),
            serde_json::from_value(given).unwrap(),
            finished("a", ToolOutcome::left(), 1),
        ]);
        assert_eq!(lines[0].arguments, format!(r#"{{"accounts":[{{"word":"{MASK}"}}]}}"#));
    }

    #[test]
    fn recorder_cuts_long_texts_and_removes_keys_from_messages() {
        let long = format!(r#"{{"text":"{}"}}"#, "天".repeat(5000));
        let said = format!("refused sk-{} {}", "a1".repeat(10), "z ".repeat(600));
        let code = ToolFailure::Page(FailureCode::Threw);
        let lines = told(vec![
            calling(vec![call("a", &long, true)]),
            finished("a", ToolOutcome::Failed { code, message: said }, 1),
        ]);
        assert_eq!(lines[0].arguments.chars().count(), LoggedCall::MOST_ARGUMENTS + 1);
        let CallOutcome::Failed { message, .. } = &lines[0].outcome else { panic!("{:?}", lines[0]) };
        assert!(message.starts_with(&format!("refused {MASK} z")) && message.ends_with('…'), "{message}");
    }

    #[test]
    fn recorder_continues_from_the_log_it_was_made_from() {
        let before = [Entry { at: 1, event: calling(vec![call("a", "{}", true)]) }];
        let last = Entry { at: 2, event: finished("a", ToolOutcome::Interrupted, 0) };
        assert_eq!(Recorder::of(&before).read(&last).unwrap().outcome, CallOutcome::Interrupted);
        assert_eq!(
            Recorder::default().read(&last),
            None,
            "of a call nobody has heard of there is nothing to say"
        );
    }
}
