//! Runs as a case of a suite in the format of webmcp-evals: what the user would say, and that a model should call the
//! same. Of arguments is expected exactly what can only be said in one way, and of wording what the user said.

use serde_json::Value;
use sidecar_form::Json;
use sidecar_protocol::secret::{is_secret_name, masked_words};
use sidecar_protocol::thread::ToolOutcome;

use crate::fault::CaseFault;
use crate::own_words::OwnWords;
use crate::schema_at::SchemaAt;
use crate::taken::TakenRun;

/// Maximum characters of a result that becomes the answer of a call without a tool.
const MOST_MOCK: usize = 2_000;

/// How deep objects and arrays are expected in one another; of deeper ones only that they are there. A suite has 64 levels
/// at most, its own included.
const DEPTH: usize = 40;

/// A case, as JSON on many lines: `{name, messages, expectedCall}`, with a call for each run, in their order. Without a
/// name it has those of the tools. The same calls pass it.
///
/// Secrets are left out: of secret arguments only is expected that they are there, and in results and in what the user
/// says they are masked.
///
/// # Errors
/// If nothing is said, there are no runs, or the arguments of one are no JSON object.
pub fn case(name: &str, said: &str, runs: &[TakenRun<'_>]) -> Result<String, CaseFault> {
    if runs.is_empty() {
        return Err(CaseFault::NoRuns);
    }
    if said.trim().is_empty() {
        return Err(CaseFault::NoWords);
    }
    let (said, _) = masked_words(said.trim());
    let words = OwnWords::of(&said);
    let calls = runs.iter().map(|run| call(run, &words)).collect::<Result<_, _>>()?;
    let name = match name.trim() {
        "" => runs.iter().map(|taken| taken.run.tool.as_str()).collect::<Vec<_>>().join(", "),
        name => name.to_owned(),
    };
    let message = object([("role", text("user")), ("type", text("message")), ("content", text(&said))]);
    let case = object([
        ("name", text(&name)),
        ("messages", Json::Array(vec![message])),
        ("expectedCall", Json::Array(calls)),
    ]);
    Ok(case.write_lines())
}

/// The call of a run.
fn call(taken: &TakenRun<'_>, words: &OwnWords<'_>) -> Result<Json, CaseFault> {
    let tool = &taken.run.tool;
    let arguments = match Json::read(&taken.run.arguments) {
        Ok(arguments @ Json::Object(_)) => arguments,
        _ => return Err(CaseFault::Arguments(tool.clone())),
    };
    let expected = expected(&arguments, &SchemaAt::root(taken.schema), words, DEPTH);
    let members =
        [("functionName", Some(text(tool))), ("arguments", Some(expected)), ("mockOutput", mock(taken))];
    let members = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Ok(Json::Object(members.collect()))
}

/// What is expected in the place of a value. It passes the value itself.
fn expected(value: &Json, schema: &SchemaAt<'_>, words: &OwnWords<'_>, depth: usize) -> Json {
    if schema.is_secret() {
        return any();
    }
    match value {
        Json::Null | Json::Bool(_) => value.clone(),
        // Others cannot read a number that is too large.
        Json::Number(number) if number.parse::<f64>().is_ok_and(f64::is_finite) => value.clone(),
        Json::Number(_) => operator("$type", text("number")),
        Json::Text(said) => expected_text(said, schema, words),
        Json::Array(_) if depth == 0 => operator("$type", text("array")),
        Json::Array(items) => {
            let item = |(number, item)| expected(item, &schema.item(number), words, depth - 1);
            Json::Array(items.iter().enumerate().map(item).collect())
        }
        // These keys alone would be operators.
        Json::Object(members)
            if depth == 0 || !members.is_empty() && members.iter().all(|(key, _)| key.starts_with('$')) =>
        {
            operator("$type", text("object"))
        }
        Json::Object(members) => {
            let member = |(key, value): &(String, Json)| {
                let value = match is_secret_name(key) {
                    true => any(),
                    false => expected(value, &schema.key(key), words, depth - 1),
                };
                (key.clone(), value)
            };
            Json::Object(members.iter().map(member).collect())
        }
    }
}

/// A text is expected exactly if there is no other way to say it: one of a list, or an id that the user said.
fn expected_text(value: &str, schema: &SchemaAt<'_>, words: &OwnWords<'_>) -> Json {
    let is_id =
        || value.contains(char::is_numeric) && !value.contains(char::is_whitespace) && words.say(value);
    if masked_words(value).1 {
        any()
    } else if schema.lists(value) || is_id() {
        text(value)
    } else {
        match words.shared(value) {
            Some(shared) => operator("$contains", text(shared)),
            None => operator("$type", text("string")),
        }
    }
}

/// What the call is answered where no tool runs: a short result.
fn mock(taken: &TakenRun<'_>) -> Option<Json> {
    let outcome = &taken.run.outcome;
    if !matches!(outcome, ToolOutcome::Ok { content, .. } if !content.is_empty()) {
        return None;
    }
    if outcome.text()?.chars().nth(MOST_MOCK).is_some() {
        return None;
    }
    let answer = taken.result()?;
    let is_read = depth(&answer) <= DEPTH && serde_json::from_str::<Value>(&answer.write()).is_ok();
    // As text if others could not read it.
    Some(if is_read { answer } else { text(&answer.write()) })
}

/// How deep objects and arrays are in one another.
fn depth(value: &Json) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => 0,
    }
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.map(|(key, value)| (key.to_owned(), value)).into())
}

fn operator(name: &str, operand: Json) -> Json {
    object([(name, operand)])
}

/// That something is there.
fn any() -> Json {
    operator("$any", Json::Bool(true))
}

#[cfg(test)]
mod tests;
