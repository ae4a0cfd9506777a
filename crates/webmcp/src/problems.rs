//! What is wrong with the schemas of a list of tools.

use std::collections::BTreeMap;

/// Most schema text that is looked at for one list, in bytes: a page may list eight megabytes of it.
const ROOM: usize = 256 * 1024;

/// The problems of schemas, by schema. Each is looked at once, and not again in the next list of its document.
#[derive(Debug)]
pub(crate) struct Problems<'t> {
    known: BTreeMap<&'t str, String>,
    room: usize,
}

impl<'t> Problems<'t> {
    /// With those of the list before: schemas, and what was found in them.
    pub(crate) fn known(before: impl Iterator<Item = (&'t str, String)>) -> Self {
        Self { known: before.collect(), room: ROOM }
    }

    /// What is wrong with a schema, in words; empty when nothing is, and when there is no room left to look.
    pub(crate) fn of(&mut self, schema: &'t str) -> String {
        if let Some(problem) = self.known.get(schema) {
            return problem.clone();
        }
        // What is too large is not read, and so costs nothing.
        let cost = if schema.len() > sidecar_schema::SCHEMA_LIMIT { 0 } else { schema.len() };
        let Some(room) = self.room.checked_sub(cost) else { return String::new() };
        self.room = room;
        let problem = sidecar_schema::problem(schema).map(|problem| problem.to_string()).unwrap_or_default();
        self.known.insert(schema, problem.clone());
        problem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_schema_is_looked_at_once_as_long_as_there_is_room() {
        let broken = r#"{"type":"string"}"#;
        let mut problems = Problems::known([("{", "known".to_owned())].into_iter());
        assert_eq!(problems.of("{"), "known");
        assert_eq!(problems.of("{}"), "");
        assert!(problems.of(broken).contains("\"object\""));
        let room = problems.room;
        problems.of(broken);
        assert_eq!(problems.room, room);
        let long = |n: usize| format!("[{}{n}]", " ".repeat(60_000));
        let all: Vec<_> = (0..5).map(long).collect();
        for (n, schema) in all.iter().enumerate() {
            let mut found = Problems { known: BTreeMap::new(), room: ROOM - n * 60_000 };
            assert_eq!(found.of(schema).is_empty(), n == 4, "{n}");
        }
        let too_long = " ".repeat(70_000);
        assert!(Problems { known: BTreeMap::new(), room: 0 }.of(&too_long).contains("64 KiB"));
    }
}
