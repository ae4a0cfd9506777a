//! The difference of two texts by lines.

use imara_diff::{Algorithm, Diff, InternedInput};
use sidecar_protocol::skill::ChangedLine;
use sidecar_webmcp::visible;

/// Lines shown before and after a change.
const AROUND: usize = 2;
/// Maximum number of lines that are shown.
const MOST_LINES: usize = 1_000;
/// Stands for lines that are the same and not shown, and for those that are too many.
const LEFT_OUT: &str = "…";

/// The lines that changed, with some around them. Characters that cannot be seen are written out.
pub(super) fn changed(before: &str, after: &str) -> Vec<ChangedLine> {
    let all = all(before, after);
    let is_same = |line: &ChangedLine| matches!(line, ChangedLine::Same(_));
    let changed: Vec<usize> = (0..all.len()).filter(|at| !is_same(&all[*at])).collect();
    let mut next = changed.iter().copied().peekable();
    let mut shown = Vec::new();
    let mut last_change: Option<usize> = None;
    let mut is_gap = false;
    for (at, line) in all.into_iter().enumerate() {
        while next.next_if(|change| *change <= at).is_some_and(|change| {
            last_change = Some(change);
            true
        }) {}
        let is_near = last_change.is_some_and(|change| at - change <= AROUND)
            || next.peek().is_some_and(|change| change - at <= AROUND);
        if shown.len() >= MOST_LINES {
            shown.push(ChangedLine::Same(LEFT_OUT.to_owned()));
            break;
        }
        if is_near {
            shown.push(line);
        } else if !is_gap {
            shown.push(ChangedLine::Same(LEFT_OUT.to_owned()));
        }
        is_gap = !is_near;
    }
    shown
}

/// All lines of both texts, in their order.
fn all(before: &str, after: &str) -> Vec<ChangedLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let shown = |line: &str| visible(line).into_owned();
    let mut lines = Vec::new();
    let mut at = 0;
    for hunk in diff.hunks() {
        let (removed, added) = (range(&hunk.before), range(&hunk.after));
        lines.extend(old[at..removed.start].iter().map(|line| ChangedLine::Same(shown(line))));
        at = removed.end;
        lines.extend(old[removed].iter().map(|line| ChangedLine::Removed(shown(line))));
        lines.extend(new[added].iter().map(|line| ChangedLine::Added(shown(line))));
    }
    lines.extend(old[at..].iter().map(|line| ChangedLine::Same(shown(line))));
    lines
}

fn range(lines: &std::ops::Range<u32>) -> std::ops::Range<usize> {
    lines.start as usize..lines.end as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn short(lines: &[ChangedLine]) -> Vec<String> {
        let one = |line: &ChangedLine| match line {
            ChangedLine::Same(text) => format!(" {text}"),
            ChangedLine::Removed(text) => format!("-{text}"),
            ChangedLine::Added(text) => format!("+{text}"),
        };
        lines.iter().map(one).collect()
    }

    #[test]
    fn changed_lines_are_shown_with_those_around_them() {
        let before: Vec<String> = (1..=20).map(|number| number.to_string()).collect();
        let after = before.join("\n").replace("\n5\n", "\nfive\n").replace("\n20", "\n20\n21");
        assert_eq!(
            short(&changed(&before.join("\n"), &after)),
            [" …", " 3", " 4", "-5", "+five", " 6", " 7", " …", " 19", " 20", "+21"]
        );
        assert_eq!(short(&changed("", "a\nb")), ["+a", "+b"]);
        assert_eq!(short(&changed("a", "")), ["-a"]);
        assert_eq!(short(&changed("a", "a\u{202e}")), ["-a", "+a⟨U+202E⟩"]);
    }

    #[test]
    fn many_lines_are_cut() {
        let many: String = (0..5_000).map(|number| format!("{number}\n")).collect();
        let lines = changed("", &many);
        assert_eq!(lines.len(), MOST_LINES + 1);
        assert_eq!(lines.last(), Some(&ChangedLine::Same("…".to_owned())));
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_off(
            before in proptest::collection::vec("[a-d]", 0..30), after in proptest::collection::vec("[a-d]", 0..30),
        ) {
            let lines = all(&before.join("\n"), &after.join("\n"));
            let side = |is_after: bool| {
                let texts = lines.iter().filter_map(|line| match line {
                    ChangedLine::Same(text) => Some(text.clone()),
                    ChangedLine::Removed(text) => (!is_after).then(|| text.clone()),
                    ChangedLine::Added(text) => is_after.then(|| text.clone()),
                });
                texts.collect::<Vec<_>>()
            };
            prop_assert_eq!(side(false), before);
            prop_assert_eq!(side(true), after);
        }
    }
}
