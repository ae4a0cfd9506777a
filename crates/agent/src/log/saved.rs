//! Reads a saved log: one JSON text per entry. A log is used only if all of it can be read: a turn that
//! continued from half a log could do something twice.

use serde_json::Value;

use crate::log::Entry;

/// Why a saved log cannot be used. It is left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It contains entries of a kind that this version does not know.
    #[error("a newer version of the extension wrote it")]
    Newer,
    /// It contains an entry that is invalid or out of place.
    #[error("it is damaged")]
    Damaged,
}

/// Reads a log.
///
/// # Errors
/// If entries are missing, duplicated, out of order, damaged, or of a kind that only newer
/// versions know.
pub fn read<T: AsRef<str>>(rows: impl IntoIterator<Item = (usize, T)>) -> Result<Vec<Entry>, Unreadable> {
    let mut log = Vec::new();
    for (position, text) in rows {
        if position != log.len() {
            return Err(Unreadable::Damaged);
        }
        log.push(entry(text.as_ref())?);
    }
    Ok(log)
}

fn entry(text: &str) -> Result<Entry, Unreadable> {
    serde_json::from_str(text).map_err(|_| match serde_json::from_str::<Value>(text) {
        Ok(value) if value["at"].is_u64() && value["event"].is_string() => Unreadable::Newer,
        Ok(_) | Err(_) => Unreadable::Damaged,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTED: &str = r#"{"at":1,"event":"turnStarted","turn":"t","text":"Go","page":{}}"#;
    const RESTED: &str = r#"{"at":2,"event":"turnRested","rest":"done"}"#;

    #[test]
    fn saved_log_is_read_when_in_order() {
        assert_eq!(read([(0, STARTED), (1, RESTED)]).map(|log| log.len()), Ok(2));
        assert_eq!(read(Vec::<(usize, &str)>::new()), Ok(Vec::new()));
    }

    #[test]
    fn saved_log_is_refused_when_entries_are_missing_doubled_or_out_of_order() {
        for rows in [
            vec![(1, STARTED)],
            vec![(0, STARTED), (2, RESTED)],
            vec![(0, STARTED), (0, STARTED)],
            vec![(1, RESTED), (0, STARTED)],
        ] {
            assert_eq!(read(rows.clone()), Err(Unreadable::Damaged), "{rows:?}");
        }
    }

    #[test]
    fn saved_log_of_a_newer_version_is_told_from_a_damaged_one() {
        for (text, why) in [
            (r#"{"at":2,"event":"turnForked","from":"t"}"#, Unreadable::Newer),
            (r#"{"at":2,"event":"turnRested","rest":"asleep"}"#, Unreadable::Newer),
            (r#"{"at":2,"event":"turnRes"#, Unreadable::Damaged),
            (r#"{"event":"turnRested","rest":"done"}"#, Unreadable::Damaged),
            (r#""turnRested""#, Unreadable::Damaged),
            ("", Unreadable::Damaged),
        ] {
            assert_eq!(read([(0, STARTED), (1, text)]), Err(why), "{text}");
        }
    }

    #[test]
    fn saved_log_is_read_when_known_entries_have_new_members() {
        let with_more = r#"{"at":2,"event":"turnRested","rest":"done","mood":"fine"}"#;
        assert_eq!(read([(0, with_more)]), read([(0, RESTED)]));
    }
}
