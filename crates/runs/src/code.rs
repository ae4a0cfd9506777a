//! Runs as JavaScript, without what looks secret. Nothing in it ends a script of a page, and no character is invisible.

use sidecar_form::Json;

use crate::taken::TakenRun;

/// The key that means something else in an object of JavaScript's source.
const PROTOTYPE: &str = "__proto__";

/// Statements for the console of the tool's page, or for a test in it. Arguments are an object; Chrome before 154 wanted
/// text. `None` if those of the run are none.
#[must_use]
pub fn page_code(run: TakenRun<'_>) -> Option<String> {
    Some(format!("{};\n", statements(run, "", "await ")?))
}

/// The same from outside, with the `page` of Playwright.
#[must_use]
pub fn playwright_code(run: TakenRun<'_>) -> Option<String> {
    let statements = statements(run, "  ", "return ")?;
    Some(format!("const result = await page.evaluate(async () => {{\n{statements};\n}});\n"))
}

fn statements(taken: TakenRun<'_>, indent: &str, last: &str) -> Option<String> {
    let arguments = taken.arguments();
    if !matches!(arguments, Json::Object(_)) {
        return None;
    }
    let name = literal(&Json::Text(taken.run.tool.clone()));
    let lines = [
        "const tools = await document.modelContext.getTools();".to_owned(),
        format!("const tool = tools.find(({{ name }}) => name === {name});"),
        format!("{last}document.modelContext.executeTool(tool, {})", literal(&arguments)),
    ];
    Some(lines.map(|line| format!("{indent}{line}")).join("\n"))
}

/// A value in JavaScript's source.
fn literal(value: &Json) -> String {
    if has_prototype(value) {
        return format!("JSON.parse({})", literal(&Json::Text(value.write())));
    }
    let mut source = String::new();
    for char in value.write().chars() {
        // All of these stand in strings only.
        match char {
            '<'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}' => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    source.push_str(&format!("\\u{unit:04x}"));
                }
            }
            other => source.push(other),
        }
    }
    source
}

fn has_prototype(value: &Json) -> bool {
    match value {
        Json::Object(members) => members.iter().any(|(key, value)| key == PROTOTYPE || has_prototype(value)),
        Json::Array(items) => items.iter().any(has_prototype),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::thread::ToolOutcome;

    use super::*;
    use crate::testing::run;

    fn page(tool: &str, arguments: &str) -> Option<String> {
        page_code(TakenRun { run: &run(tool, arguments, ToolOutcome::Cancelled), schema: None })
    }

    #[test]
    fn code_calls_the_tool_as_it_was_called() {
        assert_eq!(
            page("search", r#"{"q":"it's","n":1e3,"pin":4}"#).unwrap(),
            "const tools = await document.modelContext.getTools();
const tool = tools.find(({ name }) => name === \"search\");
await document.modelContext.executeTool(tool, {\"q\":\"it's\",\"n\":1e3,\"pin\":\"••••••\"});
"
        );
        let taken = run("search", "{}", ToolOutcome::Cancelled);
        assert_eq!(
            playwright_code(TakenRun { run: &taken, schema: None }).unwrap(),
            "const result = await page.evaluate(async () => {
  const tools = await document.modelContext.getTools();
  const tool = tools.find(({ name }) => name === \"search\");
  return document.modelContext.executeTool(tool, {});
});
"
        );
        assert_eq!((page("a", "[]"), page("a", "{")), (None, None));
    }

    #[test]
    fn texts_of_pages_stay_in_their_strings() {
        let hostile = "\"'`\\ ${x} </script><!-- \u{2028}\u{202e}\u{200b}\u{e0041}\n中";
        let arguments = Json::Object(vec![(hostile.to_owned(), Json::Text(hostile.to_owned()))]);
        let code = page(hostile, &arguments.write()).unwrap();
        assert_eq!(code.lines().count(), 3);
        assert!(!code.contains(['<', '\u{2028}', '\u{202e}', '\u{200b}', '\u{e0041}']));
        assert!(code.contains(r"\u003c/script>") && code.contains(r"\udb40\udc41\n中"));
        let quoted = literal(&Json::Text(hostile.to_owned()));
        assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), hostile, "the same text");
    }

    #[test]
    fn key_named_as_the_prototype_stays_a_key() {
        let code = page("a", r#"{"x":[{"__proto__":{"y":"\""}}]}"#).unwrap();
        assert!(
            code.contains(r#"(tool, JSON.parse("{\"x\":[{\"__proto__\":{\"y\":\"\\\"\"}}]}"));"#),
            "{code}"
        );
        assert!(!page("a", r#"{"x":"__proto__"}"#).unwrap().contains("JSON.parse"));
    }
}
