//! Golden files: data as it is on disk or sent over a wire, one JSON text per line, checked byte for byte.
//!
//! A line in the current format must round-trip unchanged. A line in an earlier format must be readable and
//! migrate to a line in the current format (`docs/decisions/0024-disk-formats.md`). Files in earlier formats
//! are never edited.
//!
//! For tests only. Every function panics if a check fails, and reports the line.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a file in the current format and checks that every value serializes to its line. Returns the values
/// in order.
#[must_use]
pub fn current<T: Serialize + DeserializeOwned + Debug>(file: &str) -> Vec<T> {
    let values = earlier(file);
    for (number, (value, line)) in values.iter().zip(file.lines()).enumerate() {
        let written = serde_json::to_string(value).unwrap_or_else(|error| panic!("{value:?}: {error}"));
        assert_eq!(written, line, "line {}", number + 1);
    }
    values
}

/// Reads a file in an earlier format. Returns the values in order.
#[must_use]
pub fn earlier<T: DeserializeOwned>(file: &str) -> Vec<T> {
    assert!(!file.trim().is_empty(), "the file is empty");
    let read = |(number, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("line {}: {error}: {line}", number + 1))
    };
    file.lines().enumerate().map(read).collect()
}

/// Checks line by line that a file in an earlier format has the same values as one in the current format.
pub fn migrates<T: Serialize + DeserializeOwned + Debug>(before: &str, now: &str) {
    let texts = |values: Vec<T>| {
        values.iter().map(|value| serde_json::to_string(value).unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(texts(earlier(before)), texts(current(now)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn current_returns_values_when_every_line_round_trips() {
        assert_eq!(current::<Vec<u8>>("[1,2]\n[3]\n"), [vec![1, 2], vec![3]]);
    }

    #[test]
    #[should_panic(expected = "line 2")]
    fn current_panics_when_a_line_does_not_round_trip() {
        let _ = current::<Vec<u8>>("[1]\n[ 2 ]\n");
    }

    #[test]
    #[should_panic(expected = "line 1")]
    fn earlier_panics_when_a_line_cannot_be_read() {
        let _ = earlier::<Vec<u8>>("{}\n");
    }

    #[test]
    #[should_panic(expected = "left")]
    fn migrates_panics_when_a_line_migrates_to_another_value() {
        migrates::<u8>("1\n", "2\n");
    }
}
