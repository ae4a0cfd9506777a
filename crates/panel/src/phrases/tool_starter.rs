//! Beginnings of messages, made from the titles of a page's tools.

use sidecar_protocol::page_view::ToolSummary;

/// Most starters made from tools.
const MOST: usize = 3;

/// Most characters of a starter.
const MOST_CHARACTERS: usize = 48;

/// The titles of the first few tools, each once. A page wrote them: they are shown as text, and the user sends them or not.
pub fn tool_starters<'a>(tools: impl Iterator<Item = &'a ToolSummary>) -> Vec<String> {
    let mut starters: Vec<String> = Vec::new();
    for tool in tools {
        let starter = one_line(if tool.title.trim().is_empty() {
            spaced(tool.tool.name())
        } else {
            tool.title.clone()
        });
        if !starter.is_empty() && !starters.contains(&starter) {
            starters.push(starter);
        }
        if starters.len() == MOST {
            break;
        }
    }
    starters
}

/// A tool's name as words: `searchFlights` and `search_flights` are "Search flights".
fn spaced(name: &str) -> String {
    let mut text = String::new();
    let mut before = ' ';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_separator = matches!(letter, '_' | '-' | '.');
        let begins_word = letter.is_ascii_uppercase() && before.is_ascii_lowercase();
        if is_separator || begins_word {
            text.push(' ');
        }
        if !is_separator {
            // An abbreviation stays as it is.
            let is_word = begins_word && letters.peek().is_some_and(char::is_ascii_lowercase);
            let letter = if is_word { letter.to_ascii_lowercase() } else { letter };
            text.push(if text.is_empty() { letter.to_ascii_uppercase() } else { letter });
        }
        before = letter;
    }
    text
}

fn one_line(text: String) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_words() {
        for (name, text) in [
            ("searchFlights", "Search flights"),
            ("search_flights", "Search flights"),
            ("shop.add-to-cart", "Shop add to cart"),
            ("openURL", "Open URL"),
            ("", ""),
        ] {
            assert_eq!(spaced(name), text);
        }
    }

    #[test]
    fn titles_become_one_short_line() {
        assert_eq!(one_line(" Find\n a\tflight ".to_owned()), "Find a flight");
        assert_eq!(one_line("字".repeat(60)), format!("{}…", "字".repeat(48)));
    }
}
