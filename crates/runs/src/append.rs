//! A case more in the file of a suite.

use sidecar_form::Json;

use crate::fault::CaseFault;

/// The keys under which files have their cases, as evals reads them: the first one that has an array.
const WRAPPERS: [&str; 3] = ["cases", "evals", "tests"];

/// The text of a suite with a case (JSON text of an object) behind its others; all else stays as it is, white space
/// included. A suite is an array, or an object with one under `cases`, `evals` or `tests`; an empty text becomes an array.
///
/// # Errors
/// If the file is no JSON or has no cases, or what should be added is no object.
pub fn append(suite: &str, case: &str) -> Result<String, CaseFault> {
    let Ok(case @ Json::Object(_)) = Json::read(case) else { return Err(CaseFault::NoCase) };
    let mark = if suite.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (mark, suite) = suite.split_at_checked(mark).unwrap_or(("", suite));
    if suite.trim().is_empty() {
        return Ok(format!("{}\n", Json::Array(vec![case]).write_lines()));
    }
    let read = Json::read(suite).map_err(|fault| CaseFault::SuiteJson(fault.at))?;
    let key = match &read {
        Json::Array(_) => None,
        Json::Object(_) => {
            let has_cases = |key: &&str| matches!(read.get(key), Some(Json::Array(_)));
            Some(WRAPPERS.into_iter().find(has_cases).ok_or(CaseFault::NoCases)?)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => return Err(CaseFault::NoCases),
    };
    let end = end_of_cases(suite, key).ok_or(CaseFault::NoCases)?;
    let (before, after) = suite.split_at_checked(end).ok_or(CaseFault::NoCases)?;
    let cases = before.trim_end();
    // The bracket that closes the cases says how far they are indented, if it begins its line.
    let indent = before.rsplit('\n').next().filter(|line| line.trim().is_empty()).unwrap_or_default();
    let line = if suite.contains("\r\n") { "\r\n" } else { "\n" };
    let comma = if cases.ends_with('[') { "" } else { "," };
    let case = case.write_lines().replace('\n', &format!("{line}{indent}  "));
    Ok(format!("{mark}{cases}{comma}{line}{indent}  {case}{line}{indent}{after}"))
}

/// The place of the bracket that closes the cases of a text that is JSON: of the array that it is, or of the one at a
/// key, of which the last one counts.
fn end_of_cases(text: &str, key: Option<&str>) -> Option<usize> {
    let level = usize::from(key.is_some());
    let (mut depth, mut is_cases, mut end) = (0_usize, key.is_none(), None);
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => {
                while let Some((close, char)) = chars.next() {
                    match char {
                        '\\' => drop(chars.next()),
                        '"' if depth == 1 && key.is_some() => {
                            let rest = text.get(close + 1..).unwrap_or_default();
                            if rest.trim_start().starts_with(':') {
                                let name = text.get(at..=close).map(Json::read);
                                is_cases = matches!(name, Some(Ok(Json::Text(name))) if Some(&*name) == key);
                            }
                            break;
                        }
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '[' | '{' => depth += 1,
            ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == level && is_cases && char == ']' {
                    end = Some(at);
                }
            }
            _ => {}
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = r#"{"name":"n","expectedCall":[]}"#;

    #[test]
    fn case_gets_behind_the_others_and_all_else_stays() {
        assert_eq!(
            append(" \n", CASE).unwrap(),
            "[\n  {\n    \"name\": \"n\",\n    \"expectedCall\": []\n  }\n]\n"
        );
        assert_eq!(
            append("[ {\"a\":  1e3, \"a\":2} ]\n", CASE).unwrap(),
            "[ {\"a\":  1e3, \"a\":2},\n  {\n    \"name\": \"n\",\n    \"expectedCall\": []\n  }\n]\n"
        );
        assert_eq!(append("[]", "{}").unwrap(), "[\n  {}\n]");
        assert_eq!(append("\u{feff}[\r\n\t1\r\n]", "{}").unwrap(), "\u{feff}[\r\n\t1,\r\n  {}\r\n]");
    }

    #[test]
    fn cases_are_found_in_an_object() {
        let file = r#"{
  "x": "cases", "tools": [{"cases": [1]}, "]"],
  "c\u0061ses" : [
    {"a": "]\"["}
  ],
  "tests": []
}"#;
        let appended = append(file, "{}").unwrap();
        assert_eq!(appended, file.replace("\"]\\\"[\"}\n", "\"]\\\"[\"},\n    {}\n"));
        assert_eq!(append(r#"{"cases":1,"tests":[]}"#, "{}").unwrap(), "{\"cases\":1,\"tests\":[\n  {}\n]}");
        assert_eq!(
            append(r#"{"cases":[1],"cases":[2]}"#, "{}").unwrap(),
            "{\"cases\":[1],\"cases\":[2,\n  {}\n]}"
        );
    }

    #[test]
    fn what_is_no_suite_is_refused() {
        assert_eq!(append("[", CASE), Err(CaseFault::SuiteJson(2)));
        for text in ["1", "{}", r#"{"cases":{}}"#, r#"{"a":{"cases":[]}}"#] {
            assert_eq!(append(text, CASE), Err(CaseFault::NoCases), "{text}");
        }
        for case in ["", "[]", "{"] {
            assert_eq!(append("[]", case), Err(CaseFault::NoCase), "{case}");
        }
    }
}
