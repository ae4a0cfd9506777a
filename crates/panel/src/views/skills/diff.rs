//! The rows of a difference: changed lines with those around them.

use sidecar_protocol::skill::ChangedLine;

/// How many lines are shown before and after a change.
const AROUND: usize = 2;

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffRow {
    /// A line.
    Line(ChangedLine),
    /// So many lines are the same in both.
    Skipped(usize),
}

/// The rows of a difference. No changed line is left out.
pub fn diff_rows(lines: &[ChangedLine]) -> Vec<DiffRow> {
    let is_same = |line: &ChangedLine| matches!(line, ChangedLine::Same(_));
    let changed: Vec<usize> = (0..lines.len()).filter(|at| !is_same(&lines[*at])).collect();
    let (mut rows, mut skipped, mut next) = (Vec::new(), 0, 0);
    for (at, line) in lines.iter().enumerate() {
        while changed.get(next).is_some_and(|change| change + AROUND < at) {
            next += 1;
        }
        if changed.get(next).is_some_and(|change| *change <= at + AROUND) {
            if skipped > 0 {
                rows.push(DiffRow::Skipped(std::mem::take(&mut skipped)));
            }
            rows.push(DiffRow::Line(line.clone()));
        } else {
            skipped += 1;
        }
    }
    if skipped > 0 {
        rows.push(DiffRow::Skipped(skipped));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<ChangedLine> {
        let line = |line: &str| match line.split_at(1) {
            ("+", text) => ChangedLine::Added(text.to_owned()),
            ("-", text) => ChangedLine::Removed(text.to_owned()),
            (_, text) => ChangedLine::Same(text.to_owned()),
        };
        text.split(',').filter(|line| !line.is_empty()).map(line).collect()
    }

    fn shown(text: &str) -> String {
        let row = |row: &DiffRow| match row {
            DiffRow::Line(ChangedLine::Same(text)) => format!(" {text}"),
            DiffRow::Line(ChangedLine::Added(text)) => format!("+{text}"),
            DiffRow::Line(ChangedLine::Removed(text)) => format!("-{text}"),
            DiffRow::Skipped(count) => format!("[{count}]"),
        };
        diff_rows(&lines(text)).iter().map(row).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn lines_far_from_changes_are_skipped() {
        assert_eq!(shown(" a, b, c, d,-e,+f, g, h, i"), "[2], c, d,-e,+f, g, h,[1]");
        assert_eq!(shown("-a, b, c, d, e, f, g,+h"), "-a, b, c,[2], f, g,+h");
    }

    #[test]
    fn lines_between_near_changes_stay() {
        assert_eq!(shown("-a, b, c, d, e,+f"), "-a, b, c, d, e,+f");
        assert_eq!(shown("+a,+b"), "+a,+b");
    }

    #[test]
    fn text_without_changes_is_skipped_as_a_whole() {
        assert_eq!(shown(" a, b"), "[2]");
        assert_eq!(shown(""), "");
    }
}
