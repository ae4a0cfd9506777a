//! Escapes text of others so that it cannot pass for anything else.

use sidecar_webmcp::visible;

/// A text in a fenced block that the text itself cannot close.
pub(super) fn fenced(text: &str) -> String {
    let text = legible(text);
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}

/// Markdown of others as a quotation that it cannot leave, with HTML escaped.
pub(super) fn quoted(text: &str) -> String {
    harmless(&legible(text))
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Text of others within a line of ours.
pub(super) fn one_line(text: &str) -> String {
    let text = legible(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        if matches!(c, '\\' | '`' | '<' | '[' | ']' | '&') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A text with invisible characters written out and uniform line ends.
pub(super) fn legible(text: &str) -> String {
    visible(&text.replace("\r\n", "\n").replace('\r', "\n")).into_owned()
}

/// Markdown with a backslash before whatever would start HTML or an image. In code a backslash would show,
/// so what is certainly code stays as it is: fenced blocks at the beginning of lines, and code spans that
/// end in their line.
pub(super) fn harmless(markdown: &str) -> String {
    let is_clear = |line: &str| {
        let inner = line.trim_start_matches(['`', '~']);
        !inner.contains("```") && !inner.contains("~~~")
    };
    let has_code = markdown.lines().all(is_clear);
    let mut fence: Option<&str> = None;
    // A code span that does not end in its line ends with the paragraph at the latest.
    let mut is_open = false;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        let mark = fence_of(line).filter(|_| has_code);
        match (fence, mark) {
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim_end() == mark => fence = None,
            (Some(_), _) => {}
            (None, Some(_)) => (fence, is_open) = (mark, false),
            (None, None) => {
                is_open &= !line.trim().is_empty();
                let (escaped, is_whole) = escaped(line, has_code && !is_open);
                is_open |= !is_whole;
                lines.push(escaped);
                continue;
            }
        }
        lines.push(line.to_owned());
    }
    lines.join("\n")
}

/// The mark with which a line opens or closes a fenced block.
pub(super) fn fence_of(line: &str) -> Option<&str> {
    let first = line.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let (mark, rest) = line.split_at(line.len() - line.trim_start_matches(first).len());
    (mark.len() >= 3 && (first == '~' || !rest.contains('`'))).then_some(mark)
}

/// A line of Markdown in which nothing starts HTML or an image, and whether every code span that starts in
/// it also ends in it. With `has_code`, code spans are left as they are.
pub(super) fn escaped(line: &str, has_code: bool) -> (String, bool) {
    let (mut escaped, mut is_whole) = (String::with_capacity(line.len()), true);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let length = match c {
            '`' => match span(rest, ticks).filter(|_| is_whole) {
                Some(length) if has_code => length,
                Some(_) | None => {
                    is_whole = false;
                    ticks
                }
            },
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '<' => {
                escaped.push('\\');
                1
            }
            '!' if rest[1..].starts_with('[') => {
                escaped.push('\\');
                1
            }
            c => c.len_utf8(),
        };
        escaped.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    (escaped, is_whole)
}

/// Length of a code span that starts with this many backticks, if it ends.
pub(super) fn span(text: &str, ticks: usize) -> Option<usize> {
    let mut at = ticks;
    loop {
        at += text[at..].find('`')?;
        let run = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += run;
        if run == ticks {
            return Some(at);
        }
    }
}
