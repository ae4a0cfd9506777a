//! A value as lines of a foldable tree.

use std::ops::Range;

use sidecar_form::{Json, JsonType};

use crate::wording::short;

/// Maximum number of lines at once.
pub const MOST_LINES: usize = 2_000;

/// Maximum characters of a line's text; the last one of a text that was cut is an ellipsis.
pub const MOST_TEXT: usize = 200;

/// A line: a value, or the head of an object or array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLine {
    /// JSON Pointer of the value.
    pub pointer: String,
    /// Its key or its number in the array; absent for the whole value. The page's text.
    pub key: Option<String>,
    /// How many values it is in: 0 for the whole value.
    pub level: usize,
    /// Its type; any number is a [`JsonType::Number`].
    pub kind: JsonType,
    /// A scalar as JSON, cut; empty for objects and arrays. The page's text.
    pub text: String,
    /// How many values are in it.
    pub children: usize,
    /// Whether these follow. Of a value that has none, false.
    pub is_open: bool,
}

/// Lines of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLines {
    /// Those that were asked for.
    pub lines: Vec<TreeLine>,
    /// How many lines the tree has, as it is opened.
    pub total: usize,
}

/// The lines of a value from this one on, [`MOST_LINES`] at most. `is_open` says of a value with others in it, by its
/// JSON Pointer and its level, whether these are shown, so that nothing is made of what is folded.
#[must_use]
pub fn lines(value: &Json, from: usize, is_open: impl Fn(&str, usize) -> bool) -> TreeLines {
    let mut walk = LineWalk {
        is_open,
        shown: from..from.saturating_add(MOST_LINES),
        pointer: String::new(),
        lines: Vec::new(),
        total: 0,
    };
    walk.line(value, None, 0);
    TreeLines { lines: walk.lines, total: walk.total }
}

struct LineWalk<F> {
    is_open: F,
    shown: Range<usize>,
    pointer: String,
    lines: Vec<TreeLine>,
    total: usize,
}

impl<F: Fn(&str, usize) -> bool> LineWalk<F> {
    fn line(&mut self, value: &Json, key: Option<&str>, level: usize) {
        let children = match value {
            Json::Array(items) => items.len(),
            Json::Object(members) => members.len(),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => 0,
        };
        let is_open = children > 0 && (self.is_open)(&self.pointer, level);
        if self.shown.contains(&self.total) {
            self.lines.push(TreeLine {
                pointer: self.pointer.clone(),
                key: key.map(str::to_owned),
                level,
                kind: kind(value),
                text: scalar(value),
                children,
                is_open,
            });
        }
        self.total += 1;
        match value {
            Json::Array(items) if is_open => {
                for (number, item) in items.iter().enumerate() {
                    self.within(item, &number.to_string(), level);
                }
            }
            Json::Object(members) if is_open => {
                for (key, value) in members {
                    self.within(value, key, level);
                }
            }
            _ => {}
        }
    }

    fn within(&mut self, value: &Json, key: &str, level: usize) {
        let end = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        self.line(value, Some(key), level + 1);
        self.pointer.truncate(end);
    }
}

fn kind(value: &Json) -> JsonType {
    match value {
        Json::Null => JsonType::Null,
        Json::Bool(_) => JsonType::Boolean,
        Json::Number(_) => JsonType::Number,
        Json::Text(_) => JsonType::Text,
        Json::Array(_) => JsonType::Array,
        Json::Object(_) => JsonType::Object,
    }
}

fn scalar(value: &Json) -> String {
    match value {
        // Not more of a long text is made into JSON than is shown.
        Json::Text(text) => {
            let start: String = text.chars().take(MOST_TEXT).collect();
            short(&Json::Text(start).write(), MOST_TEXT).into_owned()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => short(&value.write(), MOST_TEXT).into_owned(),
        Json::Array(_) | Json::Object(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Json {
        Json::read(text).unwrap()
    }

    #[test]
    fn lines_say_where_they_stand_and_what_is_there() {
        let value = read(r#"{"a/b":[1e3,"x\n"],"":{},"c":null}"#);
        let all = lines(&value, 0, |_, _| true);
        let shown: Vec<_> = all
            .lines
            .iter()
            .map(|line| {
                (
                    line.pointer.as_str(),
                    line.key.as_deref(),
                    line.level,
                    line.kind,
                    line.text.as_str(),
                    line.children,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("", None, 0, JsonType::Object, "", 3),
                ("/a~1b", Some("a/b"), 1, JsonType::Array, "", 2),
                ("/a~1b/0", Some("0"), 2, JsonType::Number, "1e3", 0),
                ("/a~1b/1", Some("1"), 2, JsonType::Text, r#""x\n""#, 0),
                ("/", Some(""), 1, JsonType::Object, "", 0),
                ("/c", Some("c"), 1, JsonType::Null, "null", 0),
            ]
        );
        assert_eq!(all.total, 6);
        assert!(all.lines[1].is_open && !all.lines[4].is_open);
    }

    #[test]
    fn what_is_folded_stays_so_until_it_is_asked_for() {
        let value = read(r#"{"a":[{"b":[1]}],"c":{"d":2}}"#);
        let pointers = |is_open: &dyn Fn(&str, usize) -> bool| -> Vec<String> {
            lines(&value, 0, is_open).lines.into_iter().map(|line| line.pointer).collect()
        };
        assert_eq!(pointers(&|_, _| false), [""]);
        assert_eq!(pointers(&|_, level| level < 1), ["", "/a", "/c"]);
        assert_eq!(pointers(&|pointer, _| ["", "/a"].contains(&pointer)), ["", "/a", "/a/0", "/c"]);
    }

    #[test]
    fn large_values_are_shown_in_parts() {
        let value = read(&format!("[{}0]", "0,".repeat(4_999)));
        let first = lines(&value, 0, |_, _| true);
        assert_eq!((first.lines.len(), first.total), (MOST_LINES, 5_001));
        let last = lines(&value, 4_000, |_, _| true);
        assert_eq!(last.lines.len(), 1_001);
        assert_eq!(last.lines.last().unwrap().pointer, "/4999");
        assert_eq!(lines(&value, usize::MAX, |_, _| true).lines, []);
    }

    #[test]
    fn deep_and_long_text_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Json::read(&nested(10_000)).is_err(), "shown as text");
        assert_eq!(lines(&read(&nested(100)), 0, |_, _| true).lines.len(), 100);
        let text = &lines(&Json::Text("\u{1}".repeat(1 << 22)), 0, |_, _| true).lines[0].text;
        assert_eq!(text.chars().count(), MOST_TEXT);
        let text = &lines(&Json::Text("a".repeat(201)), 0, |_, _| true).lines[0].text;
        assert!(text.ends_with("a…"), "{text}");
    }
}
