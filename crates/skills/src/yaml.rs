//! The YAML of front matter: texts, lists and maps. What a reader would have to run or look up is refused: aliases,
//! anchors, tags.

use saphyr_parser::{Event, Parser, ScanError, StrInput};

/// Maximum depth of lists and maps.
const MOST_DEPTH: usize = 8;
/// Maximum number of values.
const MOST_VALUES: usize = 2_000;

/// A value. Numbers and the like are texts, as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Yaml {
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Yaml>),
    /// A map, in the order in which it was written.
    Map(Vec<(String, Yaml)>),
}

/// Why it was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlFault {
    /// It is not YAML: the line from 1, and what the parser says.
    Syntax(usize, String),
    /// It has an alias, an anchor or a tag, in this line.
    Indirect(usize),
    /// It has too many values, or they are nested too deeply.
    TooMany,
    /// It is not a map, or a key is not a text, or comes twice.
    NotAMap,
}

/// Reads a document that is a map.
///
/// # Errors
/// [`YamlFault`]
pub fn read(text: &str) -> Result<Vec<(String, Yaml)>, YamlFault> {
    let mut reader = YamlReader { parser: Parser::new_from_str(text), values: 0 };
    loop {
        match reader.next()? {
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => {}
            Event::MappingStart(..) => {
                let map = reader.map(1)?;
                // Whatever comes after is not read, but it has to be YAML.
                return match reader.next()? {
                    Event::DocumentEnd => Ok(map),
                    _ => Err(YamlFault::NotAMap),
                };
            }
            _ => return Err(YamlFault::NotAMap),
        }
    }
}

struct YamlReader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    values: usize,
}

impl<'t> YamlReader<'t> {
    fn next(&mut self) -> Result<Event<'t>, YamlFault> {
        let (event, span) = match self.parser.next() {
            Some(next) => next.map_err(syntax)?,
            None => return Err(YamlFault::NotAMap),
        };
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(YamlFault::TooMany);
        }
        let is_indirect = match &event {
            Event::Alias(_) => true,
            Event::Scalar(_, _, anchor, tag) => *anchor > 0 || tag.is_some(),
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => {
                *anchor > 0 || tag.is_some()
            }
            _ => false,
        };
        if is_indirect { Err(YamlFault::Indirect(span.start.line())) } else { Ok(event) }
    }

    fn value(&mut self, event: Event<'t>, depth: usize) -> Result<Yaml, YamlFault> {
        if depth > MOST_DEPTH {
            return Err(YamlFault::TooMany);
        }
        match event {
            Event::Scalar(text, ..) => Ok(Yaml::Text(text.into_owned())),
            Event::MappingStart(..) => Ok(Yaml::Map(self.map(depth + 1)?)),
            Event::SequenceStart(..) => {
                let mut list = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Ok(Yaml::List(list)),
                        event => list.push(self.value(event, depth + 1)?),
                    }
                }
            }
            _ => Err(YamlFault::NotAMap),
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<(String, Yaml)>, YamlFault> {
        let mut map: Vec<(String, Yaml)> = Vec::new();
        loop {
            let key = match self.next()? {
                Event::MappingEnd => return Ok(map),
                Event::Scalar(key, ..) => key.into_owned(),
                _ => return Err(YamlFault::NotAMap),
            };
            if map.iter().any(|(known, _)| *known == key) {
                return Err(YamlFault::NotAMap);
            }
            let event = self.next()?;
            map.push((key, self.value(event, depth)?));
        }
    }
}

fn syntax(error: ScanError) -> YamlFault {
    YamlFault::Syntax(error.marker().line(), error.info().to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> Yaml {
        Yaml::Text(text.to_owned())
    }

    #[test]
    fn texts_lists_and_maps_are_read_as_written() {
        let map = read("a: 1.0\nb: >-\n  one\n  two\nc: [x, 'y']\nd:\n  e: |\n    f\n").unwrap();
        let expected = vec![
            ("a".to_owned(), text("1.0")),
            ("b".to_owned(), text("one two")),
            ("c".to_owned(), Yaml::List(vec![text("x"), text("y")])),
            ("d".to_owned(), Yaml::Map(vec![("e".to_owned(), text("f\n"))])),
        ];
        assert_eq!(map, expected);
    }

    #[test]
    fn aliases_anchors_and_tags_are_refused() {
        for bad in ["a: &x b\nc: *x", "a: *x", "a: !!binary b", "a: !x {}", "a: &x [*x, *x]", "<<: &b {}"] {
            assert!(
                matches!(read(bad), Err(YamlFault::Indirect(_) | YamlFault::Syntax(..))),
                "{bad}: {:?}",
                read(bad)
            );
        }
    }

    #[test]
    fn what_is_not_a_map_of_texts_is_refused() {
        for bad in ["", "text", "- a", "[a]: b", "a: 1\na: 2"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(matches!(read("a: b: c"), Err(YamlFault::Syntax(1, _))));
        assert_eq!(read(&format!("a: {}{}", "[".repeat(20), "]".repeat(20))), Err(YamlFault::TooMany));
        assert_eq!(read(&format!("a: [{}]", "1,".repeat(3000))), Err(YamlFault::TooMany));
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[a-c:\\-\\[\\]{}&*!#'\"|> \\n]{0,60}") {
            let _ = read(&text);
        }
    }
}
