//! Tool calls that the user's message requests by name: lines such as `call setFilters {"directOnly":
//! true}`.

use serde::Serialize;

/// A requested call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WantedCall {
    /// The tool.
    pub name: String,
    /// Its arguments, exactly as written; `{}` if there are none.
    pub arguments: String,
}

/// The calls in a text, in rounds: lines that begin with `call` are made together, a line that begins with
/// `then` starts the next round. Other lines are skipped.
#[must_use]
pub fn find_calls(text: &str) -> Vec<Vec<WantedCall>> {
    let mut rounds: Vec<Vec<WantedCall>> = vec![Vec::new()];
    for line in text.lines() {
        let line = line.trim();
        let (starts_round, line) = match strip_word(line, "then") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if starts_round {
            rounds.push(Vec::new());
        }
        if let (Some(wanted), Some(round)) = (strip_word(line, "call"), rounds.last_mut()) {
            let (name, arguments) = wanted.split_once(char::is_whitespace).unwrap_or((wanted, ""));
            let arguments = if arguments.trim().is_empty() { "{}" } else { arguments.trim() };
            round.push(WantedCall { name: name.to_owned(), arguments: arguments.to_owned() });
        }
    }
    rounds.retain(|round| !round.is_empty());
    rounds
}

fn strip_word<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(word)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> WantedCall {
        WantedCall { name: name.into(), arguments: arguments.into() }
    }

    #[test]
    fn rounds_of_calls() {
        let text = "please\ncall a {\"x\": [1, 2]}\ncall b\nthen\ncall c {broken\nthen call d {}\ncalling e";
        assert_eq!(
            find_calls(text),
            [
                vec![call("a", "{\"x\": [1, 2]}"), call("b", "{}")],
                vec![call("c", "{broken")],
                vec![call("d", "{}")],
            ]
        );
    }

    #[test]
    fn nothing_asked() {
        assert!(find_calls("then what? callings").is_empty());
    }
}
