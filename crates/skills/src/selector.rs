//! CSS selectors, as far as a checker has to understand them: compounds, and what is in each.

/// A compound of a selector: what stands between two combinators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compound<'s> {
    /// The element's name; empty without one.
    pub tag: &'s str,
    /// Whether it begins with `*`.
    pub is_any: bool,
    /// Ids.
    pub ids: Vec<&'s str>,
    /// Classes.
    pub classes: Vec<&'s str>,
    /// Names of pseudo classes.
    pub pseudo: Vec<&'s str>,
    /// Whether it has a condition on an attribute.
    pub has_attribute: bool,
}

impl Compound<'_> {
    /// Whether it is an element's name and nothing else.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        !self.tag.is_empty()
            && self.ids.is_empty()
            && self.classes.is_empty()
            && self.pseudo.is_empty()
            && !self.has_attribute
    }
}

/// The compounds of each complex selector in a list, also of those in `:is()`, `:not()` and the like. `None` if quotes
/// or brackets do not match.
#[must_use]
pub fn read(text: &str) -> Option<Vec<Vec<Compound<'_>>>> {
    let mut found = Vec::new();
    let mut reader = SelectorReader { text, at: 0 };
    reader.list(&mut found, 0)?;
    (reader.at == text.len()).then_some(found)
}

/// Maximum depth of selectors in selectors.
const MOST_DEPTH: usize = 8;

struct SelectorReader<'s> {
    text: &'s str,
    at: usize,
}

impl<'s> SelectorReader<'s> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    /// A name of CSS, with escapes as they stand.
    fn name(&mut self) -> &'s str {
        let start = self.at;
        while let Some(char) = self.peek() {
            match char {
                '\\' => {
                    self.next();
                    self.next();
                }
                char if char.is_alphanumeric() || char == '-' || char == '_' || !char.is_ascii() => {
                    self.next();
                }
                _ => break,
            }
        }
        &self.text[start..self.at]
    }

    fn list(&mut self, found: &mut Vec<Vec<Compound<'s>>>, depth: usize) -> Option<()> {
        if depth > MOST_DEPTH {
            return None;
        }
        let mut compounds = vec![Compound::default()];
        let mut is_begun = false;
        while let Some(char) = self.peek() {
            match char {
                ')' if depth > 0 => break,
                ')' | ']' => return None,
                ',' => {
                    self.next();
                    found.push(std::mem::replace(&mut compounds, vec![Compound::default()]));
                    is_begun = false;
                }
                ' ' | '\t' | '\n' | '>' | '+' | '~' => {
                    self.next();
                    if is_begun {
                        compounds.push(Compound::default());
                        is_begun = false;
                    }
                }
                _ => {
                    is_begun = true;
                    let compound = compounds.last_mut()?;
                    self.part(compound, found, depth)?;
                }
            }
        }
        if !is_begun && compounds.len() > 1 {
            compounds.pop();
        }
        found.push(compounds);
        Some(())
    }

    fn part(
        &mut self,
        compound: &mut Compound<'s>,
        found: &mut Vec<Vec<Compound<'s>>>,
        depth: usize,
    ) -> Option<()> {
        match self.peek()? {
            '*' => {
                self.next();
                compound.is_any = true;
            }
            '#' => {
                self.next();
                compound.ids.push(self.name());
            }
            '.' => {
                self.next();
                compound.classes.push(self.name());
            }
            '[' => {
                self.attribute()?;
                compound.has_attribute = true;
            }
            ':' => {
                self.next();
                if self.peek() == Some(':') {
                    self.next();
                }
                let name = self.name();
                compound.pseudo.push(name);
                if self.peek() == Some('(') {
                    self.next();
                    match name {
                        "is" | "where" | "not" | "has" | "host" | "slotted" => self.list(found, depth + 1)?,
                        _ => self.skip_to(')')?,
                    }
                    if self.next() != Some(')') {
                        return None;
                    }
                }
            }
            _ => match self.name() {
                "" => return None,
                name => compound.tag = name,
            },
        }
        Some(())
    }

    fn attribute(&mut self) -> Option<()> {
        self.next();
        self.skip_to(']')?;
        self.next();
        Some(())
    }

    /// To a bracket, over quoted texts.
    fn skip_to(&mut self, end: char) -> Option<()> {
        loop {
            match self.peek()? {
                char if char == end => return Some(()),
                '"' => self.skip_quoted('"')?,
                '\'' => self.skip_quoted('\'')?,
                '[' | '(' => return None,
                _ => {
                    self.next();
                }
            }
        }
    }

    fn skip_quoted(&mut self, quote: char) -> Option<()> {
        self.next();
        loop {
            match self.next()? {
                '\\' => {
                    self.next();
                }
                char if char == quote => return Some(()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn compounds_are_told_apart() {
        let lists = read("main > ul.a.b li[data-x=\"a > b, c\"]:nth-child(2n + 1), #top~*").unwrap();
        assert_eq!(lists.len(), 2);
        let first = &lists[0];
        assert_eq!(first.iter().map(|compound| compound.tag).collect::<Vec<_>>(), ["main", "ul", "li"]);
        assert_eq!((first[1].classes.as_slice(), first[0].is_bare()), (["a", "b"].as_slice(), true));
        assert!(first[2].has_attribute && first[2].pseudo == ["nth-child"] && !first[2].is_bare());
        assert_eq!((lists[1][0].ids.as_slice(), lists[1][1].is_any), (["top"].as_slice(), true));
    }

    #[test]
    fn selectors_in_selectors_are_read() {
        let lists = read("a:not(.b #c, div:has(> p i)) x").unwrap();
        let tags: Vec<Vec<_>> =
            lists.iter().map(|list| list.iter().map(|compound| compound.tag).collect()).collect();
        assert_eq!(tags, [vec!["", ""], vec!["p", "i"], vec!["div"], vec!["a", "x"]]);
        assert_eq!(lists[0][1].ids, ["c"]);
    }

    #[test]
    fn what_does_not_close_is_refused() {
        for text in ["a[b", "a[b=\"c]", "a)", "a]", "a:not(b", "a:lang(x", "a:is((b))", "a{b}", "a[b[c]]"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert!(read(&":not(".repeat(50)).is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
            let _ = read(&text);
        }
    }
}
