//! Rows that are alike, as a table.

use std::borrow::Cow;

use sidecar_form::Json;

use crate::wording::short;

/// Maximum number of rows that are shown.
pub const MOST_ROWS: usize = 200;

/// Maximum number of columns; rows with more keys are no table.
pub const MOST_COLUMNS: usize = 12;

/// Maximum characters of a cell; the last one of a cell that was cut is an ellipsis.
pub const MOST_CELL: usize = 200;

/// A table. All texts are the page's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultTable {
    /// The key at which the rows stand; absent if they are the whole value.
    pub key: Option<String>,
    /// The keys of the rows, in the order in which they come first. Of rows that are no objects one, which is empty.
    pub columns: Vec<String>,
    /// The first [`MOST_ROWS`], each with a cell for each column: a string as it is, others as JSON. Absent if the row
    /// lacks the key.
    pub rows: Vec<Vec<Option<String>>>,
    /// How many rows there are.
    pub total: usize,
}

/// The rows of a value: an array of two objects or more whose keys mostly agree, at the top or as the only such array in
/// an object, or an array of two scalars or more. `None` if it has none.
///
/// Keys agree mostly if they are [`MOST_COLUMNS`] at most, and each row has at least half of them.
#[must_use]
pub fn table(value: &Json) -> Option<ResultTable> {
    match value {
        Json::Array(items) => of_objects(items).or_else(|| of_scalars(items)),
        Json::Object(members) => {
            let mut tables = members.iter().filter_map(|(key, value)| {
                let Json::Array(items) = value else { return None };
                Some(ResultTable { key: Some(key.clone()), ..of_objects(items)? })
            });
            let only = tables.next();
            only.filter(|_| tables.next().is_none())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => None,
    }
}

fn of_objects(items: &[Json]) -> Option<ResultTable> {
    let mut columns: Vec<&str> = Vec::new();
    for item in items {
        let Json::Object(members) = item else { return None };
        for (key, _) in members {
            if !columns.contains(&key.as_str()) {
                columns.push(key);
            }
            if columns.len() > MOST_COLUMNS {
                return None;
            }
        }
    }
    let has_half = |item: &Json| matches!(item, Json::Object(members) if members.len() * 2 >= columns.len());
    if items.len() < 2 || columns.is_empty() || !items.iter().all(has_half) {
        return None;
    }
    let row = |item: &Json| columns.iter().map(|key| item.get(key).map(cell)).collect();
    Some(ResultTable {
        key: None,
        rows: items.iter().take(MOST_ROWS).map(row).collect(),
        columns: columns.into_iter().map(str::to_owned).collect(),
        total: items.len(),
    })
}

fn of_scalars(items: &[Json]) -> Option<ResultTable> {
    if items.len() < 2 || items.iter().any(|item| matches!(item, Json::Array(_) | Json::Object(_))) {
        return None;
    }
    Some(ResultTable {
        key: None,
        columns: vec![String::new()],
        rows: items.iter().take(MOST_ROWS).map(|item| vec![Some(cell(item))]).collect(),
        total: items.len(),
    })
}

fn cell(value: &Json) -> String {
    let text = match value {
        Json::Text(text) => Cow::Borrowed(text.as_str()),
        other => Cow::Owned(other.write()),
    };
    short(&text, MOST_CELL).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<ResultTable> {
        table(&Json::read(text).unwrap())
    }

    fn some(cells: &[&str]) -> Vec<Option<String>> {
        cells.iter().map(|cell| Some((*cell).to_owned())).collect()
    }

    #[test]
    fn rows_that_are_alike_become_a_table() {
        let table =
            read(r#"[{"a":"x","b":1e3,"c":null},{"b":{"d":[]},"a":"\n"},{"c":true,"b":""}]"#).unwrap();
        assert_eq!((table.key, table.total), (None, 3));
        assert_eq!(table.columns, ["a", "b", "c"]);
        assert_eq!(table.rows[0], some(&["x", "1e3", "null"]));
        assert_eq!(table.rows[1], [Some("\n".to_owned()), Some(r#"{"d":[]}"#.to_owned()), None]);
        assert_eq!(table.rows[2], [None, Some(String::new()), Some("true".to_owned())]);
    }

    #[test]
    fn rows_are_found_at_a_key_if_there_is_one_such_array() {
        let rows = r#"[{"a":1},{"a":2}]"#;
        let table = read(&format!(r#"{{"count":2,"tags":["x","y"],"items":{rows}}}"#)).unwrap();
        assert_eq!((table.key.as_deref(), table.total), (Some("items"), 2));
        assert_eq!(read(&format!(r#"{{"items":{rows},"more":{rows}}}"#)), None, "which one?");
        assert_eq!(read(&format!(r#"{{"in":{{"items":{rows}}}}}"#)), None);
    }

    #[test]
    fn scalars_are_one_column() {
        let table = read(r#"["a",1.0,null]"#).unwrap();
        assert_eq!(table.columns, [""]);
        assert_eq!(table.rows, [some(&["a"]), some(&["1.0"]), some(&["null"])]);
    }

    #[test]
    fn what_is_not_alike_is_no_table() {
        let wide: Vec<_> = (0..=MOST_COLUMNS).map(|at| format!(r#""k{at}":0"#)).collect();
        let wide = format!("[{{{0}}},{{{0}}}]", wide.join(","));
        for text in [
            "[]",
            "{}",
            "1",
            "[{}]",
            "[{},{}]",
            r#"[{"a":1}]"#,
            "[1]",
            "[1,[]]",
            r#"[{"a":1},1]"#,
            r#"[{"a":1,"b":1,"c":1},{"a":1}]"#,
            r#"[{"a":1},{"b":1},{"c":1}]"#,
            &wide,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn long_tables_and_cells_are_cut() {
        let long = format!(r#"["{}"{}]"#, "中".repeat(201), ",0".repeat(300));
        let table = read(&long).unwrap();
        assert_eq!((table.rows.len(), table.total), (MOST_ROWS, 301));
        let cell = table.rows[0][0].as_deref().unwrap();
        assert_eq!(cell.chars().count(), MOST_CELL);
        assert!(cell.ends_with('…'));
    }
}
