//! What changed between two texts, line by line: outlines of a page before and after a run, definitions of a tool.

use imara_diff::{Algorithm, Diff, InternedInput};
use sidecar_protocol::skill::ChangedLine;

/// Maximum number of lines that are shown.
pub const MOST_LINES: usize = 400;

/// What is different in two outlines of a page. References to elements and the first lines, which name the outline, are no
/// difference. A line that is the same is given where something below it changed. At most [`MOST_LINES`]; with how many more there are.
#[must_use]
pub fn page_change(before: &str, after: &str) -> (Vec<ChangedLine>, usize) {
    of_lines(&outline_lines(before), &outline_lines(after))
}

/// What is different in two texts whose lines are indented by what they are in, as [`page_change`].
#[must_use]
pub fn line_change(before: &str, after: &str) -> (Vec<ChangedLine>, usize) {
    let [before, after] = [before, after].map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    of_lines(&before, &after)
}

fn of_lines(before: &[String], after: &[String]) -> (Vec<ChangedLine>, usize) {
    let mut input = InternedInput::default();
    input.update_before(before.iter().map(String::as_str));
    input.update_after(after.iter().map(String::as_str));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut changed = Vec::new();
    let mut shown = 0;
    for hunk in diff.hunks() {
        let at = hunk.after.start as usize;
        let first = after.get(at).or(before.get(hunk.before.start as usize));
        let indent = first.map_or(0, |line| indent(line));
        let parent = after[..at].iter().rposition(|line| self::indent(line) < indent);
        if let Some(parent) = parent.filter(|parent| *parent >= shown) {
            changed.push(ChangedLine::Same(after[parent].clone()));
        }
        let range = |lines: &std::ops::Range<u32>| lines.start as usize..lines.end as usize;
        changed.extend(before[range(&hunk.before)].iter().cloned().map(ChangedLine::Removed));
        changed.extend(after[range(&hunk.after)].iter().cloned().map(ChangedLine::Added));
        shown = hunk.after.end as usize;
    }
    let more = changed.len().saturating_sub(MOST_LINES);
    changed.truncate(MOST_LINES);
    (changed, more)
}

/// The lines of an outline, without its name and without references.
fn outline_lines(outline: &str) -> Vec<String> {
    let is_name = |line: &&str| !line.starts_with("snapshot: ");
    outline.lines().filter(is_name).map(without_reference).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line without ` [ref=e7]`.
fn without_reference(line: &str) -> String {
    let Some((before, rest)) = line.split_once(" [ref=") else { return line.to_owned() };
    match rest.split_once(']') {
        Some((_, after)) => format!("{before}{after}"),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: &str, after: &str) -> Vec<String> {
        let line = |line| match line {
            ChangedLine::Added(text) => format!("+{text}"),
            ChangedLine::Removed(text) => format!("-{text}"),
            ChangedLine::Same(text) => format!(" {text}"),
        };
        page_change(before, after).0.into_iter().map(line).collect()
    }

    #[test]
    fn lines_that_came_and_went_stand_below_what_they_are_in() {
        let before = "Shop\nhttps://shop.example/\nsnapshot: s1\n- list \"Basket\" [ref=e1]\n  - item \"Tea\" [ref=e2]\n- button \"Pay\" [ref=e3]";
        let after = "Shop\nhttps://shop.example/\nsnapshot: s2\n- list \"Basket\" [ref=e1]\n  - item \"Tea\" [ref=e9]\n  - item \"Pot\" [ref=e4]\n- button \"Pay 2\" [ref=e3]";
        let expected =
            [" - list \"Basket\"", "-- button \"Pay\"", "+  - item \"Pot\"", "+- button \"Pay 2\""];
        assert_eq!(told(before, after), expected);
        assert_eq!(told(before, before), [""; 0]);
    }

    #[test]
    fn lines_of_json_stand_below_their_key() {
        let of = |kind: &str| format!("{{\n  \"a\": {{\n    \"type\": \"{kind}\"\n  }}\n}}");
        let (lines, more) = line_change(&of("string"), &of("number"));
        let expected = [
            ChangedLine::Same("  \"a\": {".to_owned()),
            ChangedLine::Removed("    \"type\": \"string\"".to_owned()),
            ChangedLine::Added("    \"type\": \"number\"".to_owned()),
        ];
        assert_eq!((lines.as_slice(), more), (&expected[..], 0));
    }

    #[test]
    fn new_address_is_a_change_and_a_long_list_is_cut() {
        assert_eq!(told("A\nhttps://a.example/", "A\nhttps://a.example/?next").len(), 2);
        let many: String = (0..1_000).map(|number| format!("- item {number}\n")).collect();
        let (lines, more) = page_change("", &many);
        assert_eq!((lines.len(), more), (MOST_LINES, 600));
    }
}
