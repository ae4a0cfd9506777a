//! Rust source without comments and tests.

/// The lines of a source file with their numbers, without comments and unit tests, which by convention come
/// last in a file.
pub fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines =
        text.lines().take_while(|line| line.trim() != "#[cfg(test)]" && !line.starts_with("#[cfg(all(test"));
    lines.enumerate().map(|(index, line)| (index + 1, without_comment(line)))
}

fn without_comment(line: &str) -> &str {
    // `://` is part of an address, not a comment.
    let comment = line.match_indices("//").find(|(at, _)| !line[..*at].ends_with(':'));
    comment.map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_tests_are_left_out() {
        let text = "let a = 1; // why\n/// doc\nlet url = \"https://x\"; // y\n#[cfg(test)]\nmod tests {}\n";
        let seen: Vec<_> = code(text).collect();
        assert_eq!(seen, [(1, "let a = 1; "), (2, ""), (3, "let url = \"https://x\"; ")]);
    }
}
