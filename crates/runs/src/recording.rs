//! A turn of a chat as a case of a suite: the conversation until then, and that a model should call the same. The case
//! passes on the calls that were made. Calls of one answer come in any order; calls that failed and were tried again are
//! left out, and so are secrets.

use serde_json::Value;
use sidecar_evals::suite::SUITE_FORMAT;
use sidecar_evals::{CallMade, RunOutcome, judge, outcome, read};
use sidecar_form::Json;
use sidecar_locales::{Word, fill, quoted};
use sidecar_protocol::recording::{RecordedTool, RecordedTurn, TurnCase, TurnQuestion};
use sidecar_protocol::secret::MASK;
use sidecar_protocol::thread::ToolOutcome;

use crate::expected::{CallContext, CaseCall, answer, object, text, user_message};
use crate::masked::masked_text;
use crate::own_words::OwnWords;
use crate::recorded::{CountedCall, TurnCalls};
use crate::schema_at::SchemaAt;
use crate::secrets::KnownSecrets;
use crate::wording::{short, word};

/// Maximum characters of the name of a case.
const MOST_NAME: usize = 60;

/// Maximum characters of an earlier result.
const MOST_EARLIER: usize = 20_000;

/// Maximum characters of a tool's name in a note, and of all names.
const MOST_TOOL: usize = 40;

/// Answers a question ([`TurnQuestion`] as JSON text) with a [`TurnCase`]; with nothing if it is none.
#[must_use]
pub fn answered(question: &str) -> Option<String> {
    let question: TurnQuestion = serde_json::from_str(question).ok()?;
    serde_json::to_string(&turn_case(&question)).ok()
}

/// The last turn as a case, in a file of our own format. Without one, the note says why.
#[must_use]
pub fn turn_case(question: &TurnQuestion) -> TurnCase {
    let say = |word: Word| word.text(question.language).to_owned();
    let none = |word: Word| TurnCase { notes: vec![say(word)], ..TurnCase::default() };
    let schemas: Vec<(&str, Value)> = question.tools.iter().filter_map(schema).collect();
    let schema_of = |name: &str| schemas.iter().find(|(tool, _)| *tool == name).map(|(_, schema)| schema);
    let mut secrets = KnownSecrets::default();
    let mut calls: Vec<TurnCalls<'_>> = Vec::new();
    for turn in &question.turns {
        secrets.note_words(&turn.said);
        calls.push(TurnCalls::of(turn, schema_of, &mut secrets));
    }
    let (Some((turn, earlier)), Some((made, earlier_calls))) =
        (question.turns.split_last(), calls.split_last())
    else {
        return none(word::RECORDING_NO_CALLS);
    };
    if turn.said.trim().is_empty() {
        return none(word::RECORDING_NO_WORDS);
    }
    if made.answers.iter().all(Vec::is_empty) {
        return none(word::RECORDING_NO_CALLS);
    }
    let said = secrets.masked(turn.said.trim());
    let words = OwnWords::of(&said);
    let mut messages = Vec::new();
    for (turn, calls) in earlier.iter().zip(earlier_calls) {
        append(&mut messages, turn, calls, &secrets);
    }
    messages.push(user_message(&said));
    let name = short(said.lines().next().unwrap_or_default(), MOST_NAME).into_owned();
    let file = TurnFile {
        name: &name,
        url: start_url(&turn.url, &secrets),
        messages,
        made,
        context: CallContext { words: &words, secrets: &secrets },
        schema_of: &schema_of,
    };
    let tools = tools(&question.tools, made, &secrets);
    // What the pages say of their tools may not fit into a suite.
    let kinds = [(&tools, false), (&None, false), (&tools, true), (&None, true)];
    let Some((suite, tools, is_loose)) = kinds.into_iter().find_map(|(tools, is_loose)| {
        let suite = file.text(tools.as_ref(), is_loose);
        passes(&suite, made).then_some((suite, tools, is_loose))
    }) else {
        return none(word::RECORDING_NO_VERDICT);
    };
    let named = |word: Word, names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| quoted(name, MOST_TOOL)).collect();
        (!names.is_empty()).then(|| fill(&say(word), &[("tools", &names.join(", "))]))
    };
    let said_if = |is: bool, word: Word| is.then(|| say(word));
    let notes = [
        Some(say(word::RECORDING_SAVED)),
        named(word::RECORDING_RETRIED, &made.retried),
        named(word::RECORDING_NOT_RUN, &made.not_run),
        said_if(turn.answers.iter().any(|answer| answer.others), word::RECORDING_OTHERS),
        said_if(question.turns.iter().any(|turn| turn.attached), word::RECORDING_ATTACHED),
        said_if(suite.contains(MASK) || suite.contains("\"$any\""), word::RECORDING_SECRETS),
        said_if(tools.is_none(), word::RECORDING_NO_TOOLS),
        said_if(is_loose, word::RECORDING_LOOSE),
    ];
    TurnCase { name, suite: Some(suite), notes: notes.into_iter().flatten().collect() }
}

fn schema(tool: &RecordedTool) -> Option<(&str, Value)> {
    Some((&tool.name, serde_json::from_str(tool.schema.as_deref()?).ok()?))
}

/// Appends an earlier turn to the messages of a case.
fn append(messages: &mut Vec<Json>, turn: &RecordedTurn, calls: &TurnCalls<'_>, secrets: &KnownSecrets) {
    if !turn.said.trim().is_empty() {
        messages.push(user_message(&secrets.masked(turn.said.trim())));
    }
    for (said, calls) in turn.answers.iter().zip(&calls.answers) {
        if !said.text.trim().is_empty() {
            let content = text(&secrets.masked(said.text.trim()));
            messages.push(object([("role", text("model")), ("type", text("message")), ("content", content)]));
        }
        messages.extend(calls.iter().map(|CountedCall { call, arguments, .. }| {
            let arguments = secrets.hidden(masked_text(&arguments.write(), &SchemaAt::root(None)));
            object([
                ("role", text("model")),
                ("type", text("functioncall")),
                ("name", text(&call.tool)),
                ("arguments", arguments),
            ])
        }));
        messages.extend(calls.iter().map(|CountedCall { call, .. }| {
            let result = call.outcome.text().unwrap_or_default();
            let result = answer(&short(&result, MOST_EARLIER), secrets);
            let result = match call.outcome {
                ToolOutcome::Failed { .. } => object([("error", result)]),
                _ => result,
            };
            object([
                ("role", text("user")),
                ("type", text("functionresponse")),
                ("name", text(&call.tool)),
                ("response", object([("result", result)])),
            ])
        }));
    }
}

/// The tools for a suite; `None` if one that was called is not known.
fn tools(tools: &[RecordedTool], made: &TurnCalls<'_>, secrets: &KnownSecrets) -> Option<Vec<Json>> {
    let is_known = |made: &CountedCall<'_>| tools.iter().any(|tool| tool.name == made.call.tool);
    if !made.answers.iter().flatten().all(is_known) {
        return None;
    }
    let mut names = Vec::new();
    let is_first = |tool: &&RecordedTool| {
        let is_first = !names.contains(&tool.name);
        names.extend(is_first.then(|| tool.name.clone()));
        is_first
    };
    let of = |tool: &RecordedTool| {
        let schema = tool.schema.as_deref().and_then(|schema| Json::read(schema).ok());
        let members = [
            ("name", Some(text(&tool.name))),
            ("description", Some(secrets.hidden(text(&tool.description)))),
            ("inputSchema", schema.map(|schema| secrets.hidden(schema))),
        ];
        let members = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Json::Object(members.collect())
    };
    Some(tools.iter().filter(is_first).map(of).collect())
}

/// The address of the page without what may be secret; nothing if it has none that a suite can begin at.
fn start_url(url: &str, secrets: &KnownSecrets) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !["http", "https"].contains(&scheme) {
        return None;
    }
    let host = rest.split(['/', '?', '#']).next()?;
    let plain = rest.split(['?', '#']).next()?;
    // A key in a path is a word only without the rest of the path.
    let is_open = |url: &str| !secrets.are_in(url) && !url.split('/').any(|part| secrets.are_in(part));
    let host = host.rsplit('@').next()?;
    let path = plain.split_once('/').map_or("", |(_, path)| path);
    let bare = format!("{scheme}://{host}/");
    let ways = [url.to_owned(), format!("{bare}{path}"), bare];
    ways.into_iter().find(|url| is_open(url))
}

/// What a file is made of.
struct TurnFile<'t, F> {
    name: &'t str,
    url: Option<String>,
    messages: Vec<Json>,
    made: &'t TurnCalls<'t>,
    context: CallContext<'t>,
    schema_of: &'t F,
}

impl<'t, F: Fn(&str) -> Option<&'t Value>> TurnFile<'t, F> {
    /// The text of the file. If it is loose, any arguments will do.
    fn text(&self, tools: Option<&Vec<Json>>, is_loose: bool) -> String {
        let node = |made: &CountedCall<'_>| {
            let CountedCall { call, arguments, .. } = made;
            let node = self.context.node(CaseCall {
                tool: &call.tool,
                arguments,
                schema: (self.schema_of)(&call.tool),
                outcome: &call.outcome,
            });
            match node {
                Json::Object(mut members) => {
                    members.retain(|(key, _)| !is_loose || key != "arguments");
                    Json::Object(members)
                }
                node => node,
            }
        };
        let nodes = self.made.answers.iter().filter_map(|calls| match calls.as_slice() {
            [] => None,
            [call] => Some(node(call)),
            calls => Some(object([("unordered", Json::Array(calls.iter().map(node).collect()))])),
        });
        let case = object([
            ("name", text(self.name)),
            ("messages", Json::Array(self.messages.clone())),
            ("expectedCall", Json::Array(nodes.collect())),
        ]);
        let members = [
            ("format", Some(text(SUITE_FORMAT))),
            ("version", Some(Json::Number("1".to_owned()))),
            ("name", Some(text(self.name))),
            ("startUrl", self.url.as_deref().map(text)),
            ("tools", tools.map(|tools| Json::Array(tools.clone()))),
            ("cases", Some(Json::Array(vec![case]))),
        ];
        let members = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        format!("{}\n", Json::Object(members.collect()).write_lines())
    }
}

/// Whether a suite passes on the calls that were made, by the exact verdict.
fn passes(suite: &str, made: &TurnCalls<'_>) -> bool {
    let Ok(suite) = read(suite.as_bytes()) else { return false };
    let made: Vec<_> = made
        .answers
        .iter()
        .flatten()
        .map(|made| CallMade { name: made.call.tool.clone(), arguments: made.made.clone(), result: None })
        .collect();
    let rows = suite.cases.first().and_then(|case| judge(&case.expected, &made));
    rows.is_some_and(|rows| outcome(&rows) == RunOutcome::Pass)
}

#[cfg(test)]
mod tests;
