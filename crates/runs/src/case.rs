//! Runs as a case of a suite in the format of webmcp-evals: what the user would say, and that a model should call the
//! same. Of arguments is expected exactly what can only be said in one way, and of wording what the user said.

use sidecar_form::Json;

use crate::expected::{CallContext, CaseCall, object, text, user_message};
use crate::fault::CaseFault;
use crate::own_words::OwnWords;
use crate::schema_at::SchemaAt;
use crate::secrets::KnownSecrets;
use crate::taken::TakenRun;

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
    let arguments = |taken: &TakenRun<'_>| match Json::read(&taken.run.arguments) {
        Ok(arguments @ Json::Object(_)) => Ok(arguments),
        _ => Err(CaseFault::Arguments(taken.run.tool.clone())),
    };
    let arguments: Vec<_> = runs.iter().map(arguments).collect::<Result<_, _>>()?;
    let mut secrets = KnownSecrets::default();
    secrets.note_words(said);
    for (taken, arguments) in runs.iter().zip(&arguments) {
        secrets.note(arguments, &SchemaAt::root(taken.schema));
    }
    let said = secrets.masked(said.trim());
    let words = OwnWords::of(&said);
    let context = CallContext { words: &words, secrets: &secrets };
    let node = |(taken, arguments): (&TakenRun<'_>, &Json)| {
        let TakenRun { run, schema } = *taken;
        context.node(CaseCall { tool: &run.tool, arguments, schema, outcome: &run.outcome })
    };
    let calls = runs.iter().zip(&arguments).map(node).collect();
    let name = match name.trim() {
        "" => runs.iter().map(|taken| taken.run.tool.as_str()).collect::<Vec<_>>().join(", "),
        name => name.to_owned(),
    };
    let case = object([
        ("name", text(&name)),
        ("messages", Json::Array(vec![user_message(&said)])),
        ("expectedCall", Json::Array(calls)),
    ]);
    Ok(case.write_lines())
}

#[cfg(test)]
mod tests;
