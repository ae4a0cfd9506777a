//! How two results differ, without regard to the order of keys.

use std::collections::HashMap;

use sidecar_form::Json;

/// Maximum number of changes that are listed.
pub const MOST_CHANGES: usize = 500;

/// A place where two results differ. Its texts are the page's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultChange {
    /// JSON Pointer of the place, in the later value if it is there, else in the earlier one.
    pub pointer: String,
    /// What was there, as JSON; absent if nothing was.
    pub before: Option<String>,
    /// What is there, as JSON; absent if nothing is.
    pub after: Option<String>,
}

/// How two results differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultChanges {
    /// The first [`MOST_CHANGES`].
    pub changes: Vec<ResultChange>,
    /// How many more there are.
    pub more: usize,
    /// Whether they were compared line by line, because one of them is no JSON. They count as arrays of lines then
    /// (`/0` is the first one), and a change has lines as they are.
    pub by_lines: bool,
}

/// The difference of two results, both as text. Numbers are compared by their value, arrays place by place between what
/// is the same at their beginning and end, so that one new row is one change.
///
/// What is at or below an ignored place is as if it were not there: JSON Pointers, in which `*` is any one key or place. Of a path that is
/// no pointer nothing is ignored.
#[must_use]
pub fn difference(before: &str, after: &str, ignored: &[String]) -> ResultChanges {
    let mut walk = ChangeWalk { pointer: String::new(), found: ResultChanges::default() };
    if let (Ok(before), Ok(after)) = (Json::read(before), Json::read(after)) {
        let paths: Vec<Vec<String>> = ignored.iter().filter_map(|path| tokens(path)).collect();
        if let Some(ignored) = IgnoredPlaces(paths.iter().map(Vec::as_slice).collect()).unless_here() {
            walk.compare(&before, &after, &ignored);
        }
    } else {
        walk.found.by_lines = true;
        let [before, after] = [before, after]
            .map(|text| text.lines().map(|line| Json::Text(line.to_owned())).collect::<Vec<_>>());
        walk.items(&before, &after, &IgnoredPlaces(Vec::new()));
    }
    walk.found
}

/// The keys and places of a JSON Pointer; `None` if a text is none.
fn tokens(pointer: &str) -> Option<Vec<String>> {
    let mut tokens = pointer.split('/').map(|token| token.replace("~1", "/").replace("~0", "~"));
    tokens.next().filter(String::is_empty).map(|_| tokens.collect())
}

/// The ignored places below a place: of each path what is still to come.
struct IgnoredPlaces<'p>(Vec<&'p [String]>);

impl<'p> IgnoredPlaces<'p> {
    /// Those below a key or number; `None` if what is there is ignored.
    fn within(&self, token: &str) -> Option<Self> {
        let rest = |path: &&'p [String]| {
            let (first, rest) = path.split_first()?;
            (first == token || first == "*").then_some(rest)
        };
        Self(self.0.iter().filter_map(rest).collect()).unless_here()
    }

    fn unless_here(self) -> Option<Self> {
        self.0.iter().all(|path| !path.is_empty()).then_some(self)
    }

    /// Those below a number of an array.
    fn at(&self, number: usize) -> Option<Self> {
        if self.0.is_empty() { Some(Self(Vec::new())) } else { self.within(&number.to_string()) }
    }
}

/// The values of an object by their keys, but for those that are ignored.
type Members<'j> = HashMap<&'j str, &'j Json>;

fn by_key(members: &[(String, Json)]) -> Members<'_> {
    members.iter().map(|(key, value)| (key.as_str(), value)).collect()
}

/// Whether two values are the same apart from what is ignored.
fn is_same(before: &Json, after: &Json, ignored: &IgnoredPlaces<'_>) -> bool {
    match (before, after) {
        (Json::Object(before), Json::Object(after)) => {
            let (known, now) = (by_key(before), by_key(after));
            before.iter().all(|(key, value)| {
                ignored.within(key).is_none_or(|within| {
                    now.get(key.as_str()).is_some_and(|now| is_same(value, now, &within))
                })
            }) && after
                .iter()
                .all(|(key, _)| known.contains_key(key.as_str()) || ignored.within(key).is_none())
        }
        (Json::Array(before), Json::Array(after)) => {
            before.len() == after.len()
                && before
                    .iter()
                    .zip(after)
                    .enumerate()
                    .all(|(number, (before, after))| is_same_item(before, after, number, ignored))
        }
        _ => before.is_same(after),
    }
}

fn is_same_item(before: &Json, after: &Json, number: usize, ignored: &IgnoredPlaces<'_>) -> bool {
    ignored.at(number).is_none_or(|within| is_same(before, after, &within))
}

struct ChangeWalk {
    pointer: String,
    found: ResultChanges,
}

impl ChangeWalk {
    fn compare(&mut self, before: &Json, after: &Json, ignored: &IgnoredPlaces<'_>) {
        match (before, after) {
            (Json::Object(before), Json::Object(after)) => self.members(before, after, ignored),
            (Json::Array(before), Json::Array(after)) => self.items(before, after, ignored),
            _ if before.is_same(after) => {}
            _ => self.note(Some(before), Some(after)),
        }
    }

    fn members(&mut self, before: &[(String, Json)], after: &[(String, Json)], ignored: &IgnoredPlaces<'_>) {
        let (known, now) = (by_key(before), by_key(after));
        for (key, before) in before {
            self.within(key, ignored.within(key), Some(before), now.get(key.as_str()).copied());
        }
        for (key, after) in after.iter().filter(|(key, _)| !known.contains_key(key.as_str())) {
            self.within(key, ignored.within(key), None, Some(after));
        }
    }

    fn items(&mut self, before: &[Json], after: &[Json], ignored: &IgnoredPlaces<'_>) {
        let is_same = |before, (number, after)| is_same_item(before, after, number, ignored);
        let numbered = || after.iter().enumerate();
        let head =
            before.iter().zip(numbered()).take_while(|(before, after)| is_same(before, *after)).count();
        let most = before.len().min(after.len()) - head;
        let ends = before.iter().rev().zip(numbered().rev()).take(most);
        let tail = ends.take_while(|(before, after)| is_same(before, *after)).count();
        let middle = |items: usize| head..items - tail;
        let (mut before_at, mut after_at) = (middle(before.len()), middle(after.len()));
        loop {
            let (one, other) = (before_at.next(), after_at.next());
            let Some(number) = other.or(one) else { return };
            let [one, other] = [(one, before), (other, after)].map(|(at, items)| items.get(at?));
            self.within(&number.to_string(), ignored.at(number), one, other);
        }
    }

    fn within(
        &mut self,
        token: &str,
        ignored: Option<IgnoredPlaces<'_>>,
        before: Option<&Json>,
        after: Option<&Json>,
    ) {
        let Some(ignored) = ignored else { return };
        let end = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
        match (before, after) {
            (Some(before), Some(after)) => self.compare(before, after, &ignored),
            _ => self.note(before, after),
        }
        self.pointer.truncate(end);
    }

    fn note(&mut self, before: Option<&Json>, after: Option<&Json>) {
        if self.found.changes.len() == MOST_CHANGES {
            self.found.more += 1;
            return;
        }
        let by_lines = self.found.by_lines;
        let text = |value: &Json| match value {
            Json::Text(line) if by_lines => line.clone(),
            other => other.write(),
        };
        self.found.changes.push(ResultChange {
            pointer: self.pointer.clone(),
            before: before.map(text),
            after: after.map(text),
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(before: &str, after: &str, ignored: &[&str]) -> Vec<String> {
        let ignored: Vec<_> = ignored.iter().map(|path| (*path).to_owned()).collect();
        let told = |change: ResultChange| {
            let side = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            format!("{} {} {}", change.pointer, side(change.before), side(change.after))
        };
        difference(before, after, &ignored).changes.into_iter().map(told).collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn inspector_case_55_result_diff_ignores_key_order_and_named_paths() {
        let before = r#"{"at":1,"items":[{"id":1,"at":2,"price":10}],"a/b":{"x":1}}"#;
        let after = r#"{"a/b":{"x":2},"items":[{"price":10.0,"at":3,"id":1}],"at":5,"new":null}"#;
        assert_eq!(told(before, after, &[]), ["/at 1 5", "/items/0/at 2 3", "/a~1b/x 1 2", "/new - null"]);
        assert_eq!(told(before, after, &["/at", "/items/*/at", "/a~1b", "/new"]), NONE);
        assert_eq!(told(before, after, &["/*/0/at", "/*"]), NONE);
        assert_eq!(told(before, after, &[""]), NONE, "all of it");
        assert_eq!(
            told(before, after, &["at", "/items/1/at", "/*/*/*"]),
            ["/at 1 5", "/a~1b/x 1 2", "/new - null"]
        );
    }

    #[test]
    fn one_row_more_or_less_is_one_change() {
        let rows = r#"[{"id":1},{"id":2},{"id":3}]"#;
        assert_eq!(told(rows, r#"[{"id":1},{"id":9},{"id":2},{"id":3}]"#, &[]), [r#"/1 - {"id":9}"#]);
        assert_eq!(told(rows, r#"[{"id":1},{"id":3}]"#, &[]), [r#"/1 {"id":2} -"#]);
        assert_eq!(told(rows, r#"[{"id":1},{"id":4},{"id":3}]"#, &[]), ["/1/id 2 4"]);
        assert_eq!(told("[1,1]", "[1,1,1]", &[]), ["/2 - 1"]);
        assert_eq!(told("[]", "[[]]", &[]), ["/0 - []"]);
        assert_eq!(
            told(r#"[{"at":1,"x":1}]"#, r#"[{"x":0},{"at":2,"x":1}]"#, &["/*/at"]),
            [r#"/0 - {"x":0}"#]
        );
    }

    #[test]
    fn kinds_are_told_apart_and_numbers_are_not_rounded() {
        assert_eq!(told("1", "1.0", &[]), NONE);
        assert_eq!(told("1", r#""1""#, &[]), [r#" 1 "1""#]);
        assert_eq!(told("[]", "{}", &[]), [" [] {}"]);
        assert_eq!(told("9007199254740993", "9007199254740992", &[]).len(), 1);
    }

    #[test]
    fn texts_are_compared_by_lines() {
        assert_eq!(told("a\nb\nc", "a\nx y\nb\nc\n", &["/1"]), ["/1 - x y"]);
        assert_eq!(told("{}", "{", &[]), ["/0 {} {"]);
        assert!(difference("a", "a", &[]).by_lines);
    }

    #[test]
    fn changes_are_bounded_and_counted() {
        let list = |item: &str| format!("[{}{item}]", format!("{item},").repeat(599));
        let found = difference(&list("1"), &list("2"), &[]);
        assert_eq!((found.changes.len(), found.more), (MOST_CHANGES, 100));
    }

    proptest! {
        #[test]
        fn same_value_has_no_difference_and_another_one_has(before in json(), after in json()) {
            prop_assert!(difference(&before.write(), &before.write_lines(), &[]).changes.is_empty());
            let found = difference(&before.write(), &after.write(), &[]);
            prop_assert_eq!(found.changes.is_empty(), before.is_same(&after));
        }
    }

    fn json() -> impl Strategy<Value = Json> {
        let leaf =
            prop_oneof![Just(Json::Null), (0..3_u8).prop_map(|number| Json::Number(number.to_string()))];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
                prop::collection::btree_map("[a-c]", inner, 0..3)
                    .prop_map(|members| Json::Object(members.into_iter().collect())),
            ]
        })
    }
}
