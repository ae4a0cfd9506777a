//! A text that matches a pattern, for plain patterns: literals, classes, groups, alternatives, repeats. Anything else has
//! none, and so has what would be a guess: look-around, back references, word boundaries.

/// Maximum characters of a witness.
const LENGTH: usize = 300;

/// Maximum bytes of a pattern.
const PATTERN: usize = 1_000;

/// How deep groups may be nested.
const DEPTH: usize = 16;

/// How often what may repeat without end does at most.
const REPEATS: usize = 200;

/// A part of a pattern.
#[derive(Debug, Clone)]
enum PatternPart {
    One(char),
    /// One of several parts in a row.
    Either(Vec<Vec<PatternPart>>),
    Repeat(Box<PatternPart>, usize, Option<usize>),
    Start,
    End,
}

/// A text that matches a pattern and has a length between two, in characters.
pub(crate) fn witness(pattern: &str, least: usize, most: usize) -> Option<String> {
    if pattern.len() > PATTERN || least > LENGTH {
        return None;
    }
    let mut reader = PatternReader { chars: pattern.chars().collect(), at: 0 };
    let alternatives = reader.alternatives(DEPTH)?;
    if reader.at < reader.chars.len() {
        return None;
    }
    alternatives.iter().find_map(|parts| shortest_of(parts, least, most))
}

/// The shortest text of a row of parts that is long enough: repeats are drawn out for it, the first ones first.
fn shortest_of(parts: &[PatternPart], least: usize, most: usize) -> Option<String> {
    // An anchor within a row never matches there, or only by luck.
    let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
    let is_anchor = |part: &PatternPart| matches!(part, PatternPart::Start | PatternPart::End);
    let is_free = !matches!(parts.last(), Some(PatternPart::End));
    if inner.iter().any(is_anchor) || matches!(parts.first(), Some(PatternPart::End)) && parts.len() > 1 {
        return None;
    }
    let mut extra = vec![0; parts.len()];
    for _ in 0..2 * LENGTH {
        let mut text = String::new();
        for (part, extra) in parts.iter().zip(&extra) {
            write(part, *extra, &mut text)?;
        }
        let length = text.chars().count();
        if length > most {
            return None;
        }
        if length >= least {
            return Some(text);
        }
        let grows = |(place, part): (usize, &PatternPart)| match part {
            PatternPart::Repeat(_, from, to) => to.is_none_or(|to| from + extra[place] < to).then_some(place),
            PatternPart::One(_) | PatternPart::Either(_) | PatternPart::Start | PatternPart::End => None,
        };
        match parts.iter().enumerate().find_map(grows) {
            Some(place) if extra[place] < REPEATS => extra[place] += 1,
            // Anything may stand behind a pattern that does not end.
            Some(_) | None if is_free => {
                text.extend(std::iter::repeat_n('a', least - length));
                return Some(text);
            }
            Some(_) | None => return None,
        }
    }
    None
}

fn write(part: &PatternPart, extra: usize, text: &mut String) -> Option<()> {
    if text.len() > LENGTH * 4 {
        return None;
    }
    match part {
        PatternPart::One(char) => text.push(*char),
        PatternPart::Either(alternatives) => {
            for part in alternatives.first()? {
                if matches!(part, PatternPart::Start | PatternPart::End) {
                    return None;
                }
                write(part, 0, text)?;
            }
        }
        PatternPart::Repeat(part, from, _) => {
            for _ in 0..from + extra {
                write(part, 0, text)?;
            }
        }
        PatternPart::Start | PatternPart::End => {}
    }
    Some(())
}

/// Reads a pattern; `None` for all that is not plain.
struct PatternReader {
    chars: Vec<char>,
    at: usize,
}

impl PatternReader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn eat(&mut self, char: char) -> bool {
        let is = self.peek() == Some(char);
        self.at += usize::from(is);
        is
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += 1;
        Some(char)
    }

    fn alternatives(&mut self, depth: usize) -> Option<Vec<Vec<PatternPart>>> {
        let mut all = vec![self.row(depth)?];
        while self.eat('|') {
            all.push(self.row(depth)?);
        }
        Some(all)
    }

    fn row(&mut self, depth: usize) -> Option<Vec<PatternPart>> {
        let mut parts = Vec::new();
        while let Some(char) = self.peek().filter(|char| !matches!(char, '|' | ')')) {
            self.at += 1;
            let part = match char {
                '^' => PatternPart::Start,
                '$' => PatternPart::End,
                '.' => PatternPart::One('a'),
                '(' => self.group(depth.checked_sub(1)?)?,
                '[' => PatternPart::One(self.class()?),
                '\\' => PatternPart::One(self.escape()?.sample()?),
                '*' | '+' | '?' | '{' | '}' | ']' => return None,
                other => PatternPart::One(other),
            };
            let part = self.repeated(part)?;
            parts.push(part);
        }
        Some(parts)
    }

    fn group(&mut self, depth: usize) -> Option<PatternPart> {
        if self.eat('?') {
            let is_plain = self.eat(':') || self.eat('<') && self.name();
            if !is_plain {
                return None;
            }
        }
        let alternatives = self.alternatives(depth)?;
        self.eat(')').then_some(PatternPart::Either(alternatives))
    }

    /// The name of a group; look-behind has none.
    fn name(&mut self) -> bool {
        let from = self.at;
        while self.peek().is_some_and(|char| char.is_alphanumeric() || char == '_') {
            self.at += 1;
        }
        self.at > from && self.eat('>')
    }

    fn repeated(&mut self, part: PatternPart) -> Option<PatternPart> {
        let (from, to) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                let from = self.number()?;
                let to = if self.eat(',') { self.number() } else { Some(from) };
                if self.peek() != Some('}') {
                    return None;
                }
                (from, to)
            }
            Some(_) | None => return Some(part),
        };
        self.at += 1;
        self.eat('?');
        let is_fine = from <= LENGTH
            && to.is_none_or(|to| to >= from)
            && !matches!(part, PatternPart::Start | PatternPart::End);
        is_fine.then(|| PatternPart::Repeat(Box::new(part), from, to))
    }

    fn number(&mut self) -> Option<usize> {
        let from = self.at;
        while self.peek().is_some_and(|char| char.is_ascii_digit()) {
            self.at += 1;
        }
        self.chars[from..self.at].iter().collect::<String>().parse().ok()
    }

    /// A character of a class in brackets.
    fn class(&mut self) -> Option<char> {
        let is_negated = self.eat('^');
        let mut sets = Vec::new();
        loop {
            let set = match self.next()? {
                ']' => break,
                '\\' => self.escape()?,
                char => CharSet::Range(char, char),
            };
            let set = match set {
                CharSet::Range(from, _)
                    if self.peek() == Some('-') && self.chars.get(self.at + 1) != Some(&']') =>
                {
                    self.at += 1;
                    let to = match self.next()? {
                        '\\' => match self.escape()? {
                            CharSet::Range(to, _) => to,
                            CharSet::Digit | CharSet::Word | CharSet::Space | CharSet::No(_) => return None,
                        },
                        to => to,
                    };
                    if to < from {
                        return None;
                    }
                    CharSet::Range(from, to)
                }
                set => set,
            };
            sets.push(set);
        }
        if is_negated {
            return SAMPLES.into_iter().find(|char| !sets.iter().any(|set| set.has(*char)));
        }
        sets.first()?.sample()
    }

    fn escape(&mut self) -> Option<CharSet> {
        let char = self.next()?;
        Some(match char {
            'd' => CharSet::Digit,
            'w' => CharSet::Word,
            's' => CharSet::Space,
            'D' => CharSet::No(Box::new(CharSet::Digit)),
            'W' => CharSet::No(Box::new(CharSet::Word)),
            'S' => CharSet::No(Box::new(CharSet::Space)),
            'n' => CharSet::Range('\n', '\n'),
            'r' => CharSet::Range('\r', '\r'),
            't' => CharSet::Range('\t', '\t'),
            char if char.is_alphanumeric() => return None,
            char => CharSet::Range(char, char),
        })
    }
}

/// Characters to try, the plainest first.
const SAMPLES: [char; 9] = ['a', '0', 'A', '-', ' ', '_', '.', '!', 'é'];

/// A set of characters.
enum CharSet {
    Range(char, char),
    Digit,
    Word,
    Space,
    No(Box<CharSet>),
}

impl CharSet {
    fn has(&self, char: char) -> bool {
        match self {
            Self::Range(from, to) => (*from..=*to).contains(&char),
            Self::Digit => char.is_ascii_digit(),
            Self::Word => char.is_ascii_alphanumeric() || char == '_',
            Self::Space => char.is_whitespace(),
            Self::No(set) => !set.has(char),
        }
    }

    fn sample(&self) -> Option<char> {
        match self {
            Self::Range(from, _) => Some(*from),
            Self::Digit | Self::Word | Self::Space | Self::No(_) => {
                SAMPLES.into_iter().find(|char| self.has(*char))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_patterns_have_a_witness() {
        for (pattern, text) in [
            ("^[A-Z]{3}$", "AAA"),
            ("^\\d{4}-\\d{2}$", "0000-00"),
            ("^(foo|bar)+$", "foo"),
            ("^[^a-z0]x?$", "A"),
            ("^#([0-9a-f]{2}){3}$", "#000000"),
            ("a|b", "a"),
            ("^(?:\\+|00)[1-9]\\d{6,}$", "+1000000"),
            ("^(?<year>\\d+)\\.$", "0."),
            ("", ""),
            ("^$", ""),
            ("[\\w.-]+@[\\w-]+", "a@a"),
        ] {
            assert_eq!(witness(pattern, 0, LENGTH).as_deref(), Some(text), "{pattern}");
        }
    }

    #[test]
    fn witness_has_the_length_that_is_wanted() {
        assert_eq!(witness("^[a-z]+$", 5, 5).as_deref(), Some("aaaaa"));
        assert_eq!(witness("^[a-z]{2,4}$", 3, 9).as_deref(), Some("aaa"));
        assert_eq!(witness("^[a-z]{2,4}$", 5, 9), None);
        assert_eq!(witness("^x", 4, 9).as_deref(), Some("xaaa"));
        assert_eq!(witness("^[a-z]{9}$", 0, 8), None);
    }

    #[test]
    fn other_patterns_have_none_and_take_no_time() {
        for pattern in
            ["(?=a)b", "(a)\\1", "\\bword", "(", "[", "a{", "a**", "\\p{L}", "a^b", "a{999999999}", "[z-a]"]
        {
            assert_eq!(witness(pattern, 0, LENGTH), None, "{pattern}");
        }
        assert_eq!(witness(&"(".repeat(100_000), 0, LENGTH), None);
        assert_eq!(witness("((((a{99}){99}){99}){99}){99}", 0, LENGTH), None);
    }
}
