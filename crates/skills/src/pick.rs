//! Picking: the part of a JSON value that an expression names.
//!
//! A part of JMESPath (jmespath.org, "Specification"): names, `.`, `[0]`, `[1:3]`, `[*]`, `[]`, `{a: b}`, `[?a == b]`,
//! `&&`, `||`, `|`, `@`, JSON in backticks, `'text'`, and the functions `length` and `join`. An expression that is read
//! here means what it means there. Left out: `*`, `[a, b]`, `!`, `&`, `( )`, other functions, one comparison after
//! another.

use std::borrow::Cow;

use serde_json::{Map, Value};

mod parse;
mod token;

/// Longest expression, in characters.
pub const LONGEST: usize = 500;

/// So many values are made at most; 64 bytes of a text count as one more.
const MOST_STEPS: usize = 200_000;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Pick(PickNode);

/// Why an expression cannot be read, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PickFault {
    /// Characters before it.
    pub at: usize,
    /// What is wrong.
    pub kind: PickFaultKind,
}

/// What is wrong with an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PickFaultKind {
    /// It has more than [`LONGEST`] characters.
    TooLong,
    /// Too much stands inside of something else.
    TooDeep,
    /// A quote has no end.
    Unfinished,
    /// What stands in quotes or backticks is not JSON, or a number is none.
    BadLiteral,
    /// What stands here cannot stand here.
    Unexpected,
    /// JMESPath has this, and this part of it has not.
    NotSupported,
}

/// Why an expression picks nothing of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PickError {
    /// It makes too many values.
    TooMuch,
    /// A function got what it does not take: the length of a number, or texts joined that are none.
    Argument,
}

impl Pick {
    /// Reads an expression.
    ///
    /// # Errors
    /// [`PickFault`]
    pub fn read(text: &str) -> Result<Self, PickFault> {
        if text.chars().nth(LONGEST).is_some() {
            return Err(PickFault { at: LONGEST, kind: PickFaultKind::TooLong });
        }
        parse::parsed(token::tokens(text)?).map(Self)
    }

    /// What it names in a value: null where there is nothing.
    ///
    /// # Errors
    /// [`PickError`]
    pub fn of(&self, value: &Value) -> Result<Value, PickError> {
        let mut steps = Steps { left: MOST_STEPS };
        let picked = self.0.of(value, &mut steps)?;
        steps.owned(picked)
    }
}

/// What makes one value of another.
#[derive(Debug, Clone, PartialEq)]
enum PickNode {
    /// The value itself.
    Current,
    /// This, whatever the value is.
    Literal(Value),
    /// A value of an object.
    Field(String),
    /// A value of a list; negative ones count from its end.
    Index(i32),
    /// One on the result of the other.
    Then(Vec<PickNode>),
    /// Each value of a list that gives something.
    Each(Over, Box<PickNode>),
    /// An object.
    Hash(Vec<(String, PickNode)>),
    /// The first that is false, or the last.
    And(Vec<PickNode>),
    /// The first that is true, or the last.
    Or(Vec<PickNode>),
    Compare(Comparison, Box<[PickNode; 2]>),
    Length(Box<PickNode>),
    /// Texts, with another between them, which stands first.
    Join(Box<[PickNode; 2]>),
}

/// Of which values of a list something is made.
#[derive(Debug, Clone, PartialEq)]
enum Over {
    All,
    Slice(Slice),
    /// Those of the lists in it, and what is no list.
    Flat,
    /// Those of which this is true.
    Where(Box<PickNode>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    start: Option<i32>,
    stop: Option<i32>,
    /// Not 0.
    step: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl PickNode {
    fn of<'v>(&'v self, value: &'v Value, steps: &mut Steps) -> Result<Cow<'v, Value>, PickError> {
        const NULL: Cow<'_, Value> = Cow::Owned(Value::Null);
        let known = |found: Option<&'v Value>| found.map_or(NULL, Cow::Borrowed);
        steps.take(1)?;
        Ok(match self {
            Self::Current => Cow::Borrowed(value),
            Self::Literal(literal) => Cow::Borrowed(literal),
            Self::Field(name) => known(value.as_object().and_then(|map| map.get(name))),
            Self::Index(index) => known(value.as_array().and_then(|list| at(list, *index))),
            Self::Then(nodes) => {
                let mut current = Cow::Borrowed(value);
                for node in nodes {
                    current = match current {
                        Cow::Borrowed(value) => node.of(value, steps)?,
                        Cow::Owned(value) => {
                            let next = node.of(&value, steps)?;
                            Cow::Owned(steps.owned(next)?)
                        }
                    };
                }
                current
            }
            Self::Each(over, node) => match value {
                Value::Array(list) => Cow::Owned(over.each(list, node, steps)?),
                _ => NULL,
            },
            Self::Hash(_) if value.is_null() => NULL,
            Self::Hash(fields) => {
                let mut map = Map::new();
                for (name, node) in fields {
                    let field = node.of(value, steps)?;
                    map.insert(name.clone(), steps.owned(field)?);
                }
                Cow::Owned(Value::Object(map))
            }
            Self::And(nodes) => first_or_last(nodes, value, steps, |value| !is_true(value))?,
            Self::Or(nodes) => first_or_last(nodes, value, steps, is_true)?,
            Self::Compare(comparison, sides) => {
                let (left, right) = (sides[0].of(value, steps)?, sides[1].of(value, steps)?);
                Cow::Owned(comparison.of(&left, &right, steps)?.map_or(Value::Null, Value::Bool))
            }
            Self::Length(node) => Cow::Owned(Value::from(match node.of(value, steps)?.as_ref() {
                Value::Array(list) => list.len(),
                Value::Object(map) => map.len(),
                Value::String(text) => {
                    steps.take_text(text)?;
                    text.chars().count()
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => return Err(PickError::Argument),
            })),
            Self::Join(sides) => {
                let (glue, texts) = (sides[0].of(value, steps)?, sides[1].of(value, steps)?);
                Cow::Owned(Value::String(joined(&glue, &texts, steps)?))
            }
        })
    }
}

/// The first result of which something holds, or the last.
fn first_or_last<'v>(
    nodes: &'v [PickNode],
    value: &'v Value,
    steps: &mut Steps,
    holds: impl Fn(&Value) -> bool,
) -> Result<Cow<'v, Value>, PickError> {
    let mut result = Cow::Owned(Value::Null);
    for node in nodes {
        result = node.of(value, steps)?;
        if holds(&result) {
            break;
        }
    }
    Ok(result)
}

fn at(list: &[Value], index: i32) -> Option<&Value> {
    let place = usize::try_from(index.unsigned_abs()).ok()?;
    if index < 0 { list.get(list.len().checked_sub(place)?) } else { list.get(place) }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_true) => *is_true,
        Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

fn joined(glue: &Value, texts: &Value, steps: &mut Steps) -> Result<String, PickError> {
    let (Value::String(glue), Value::Array(texts)) = (glue, texts) else { return Err(PickError::Argument) };
    let mut joined = String::new();
    for (number, text) in texts.iter().enumerate() {
        let text = text.as_str().ok_or(PickError::Argument)?;
        if number > 0 {
            steps.take_text(glue)?;
            joined.push_str(glue);
        }
        steps.take_text(text)?;
        joined.push_str(text);
    }
    Ok(joined)
}

impl Over {
    fn each(&self, list: &[Value], node: &PickNode, steps: &mut Steps) -> Result<Value, PickError> {
        steps.take(list.len())?;
        let values: Vec<&Value> = match self {
            Self::All | Self::Where(_) => list.iter().collect(),
            Self::Slice(slice) => slice.of(list),
            Self::Flat => list.iter().flat_map(flat).collect(),
        };
        let mut made = Vec::new();
        for value in values {
            if let Self::Where(condition) = self
                && !is_true(condition.of(value, steps)?.as_ref())
            {
                continue;
            }
            let one = node.of(value, steps)?;
            if !one.is_null() {
                made.push(steps.owned(one)?);
            }
        }
        Ok(Value::Array(made))
    }
}

fn flat(value: &Value) -> &[Value] {
    match value {
        Value::Array(list) => list,
        other => std::slice::from_ref(other),
    }
}

impl Slice {
    fn of(self, list: &[Value]) -> Vec<&Value> {
        let (length, step) = (i64::try_from(list.len()).unwrap_or(i64::MAX), i64::from(self.step));
        let (lowest, highest) = if step < 0 { (-1, length - 1) } else { (0, length) };
        let place = |given: Option<i32>, otherwise: i64| {
            let from_end = |place: i64| if place < 0 { place + length } else { place };
            given.map_or(otherwise, |place| from_end(i64::from(place)).clamp(lowest, highest))
        };
        let (first, end) = if step < 0 { (length - 1, -1) } else { (0, length) };
        let (first, end) = (place(self.start, first), place(self.stop, end));
        std::iter::successors(Some(first), |place| Some(place + step))
            .take_while(|place| if step < 0 { *place > end } else { *place < end })
            .filter_map(|place| list.get(usize::try_from(place).ok()?))
            .collect()
    }
}

impl Comparison {
    /// `None` where there is no order: only numbers have one.
    fn of(self, left: &Value, right: &Value, steps: &mut Steps) -> Result<Option<bool>, PickError> {
        let order = || Some((left.as_f64()?, right.as_f64()?));
        Ok(match self {
            Self::Equal => Some(same(left, right, steps)?),
            Self::Unequal => Some(!same(left, right, steps)?),
            Self::Less => order().map(|(left, right)| left < right),
            Self::LessOrEqual => order().map(|(left, right)| left <= right),
            Self::Greater => order().map(|(left, right)| left > right),
            Self::GreaterOrEqual => order().map(|(left, right)| left >= right),
        })
    }
}

/// Whether two values are equal. 1 and 1.0 are.
fn same(left: &Value, right: &Value, steps: &mut Steps) -> Result<bool, PickError> {
    steps.take(1)?;
    Ok(match (left, right) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
        }
        (Value::String(a), Value::String(b)) => {
            steps.take_text(a)?;
            a == b
        }
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(b) {
                if !same(a, b, steps)? {
                    return Ok(false);
                }
            }
            a.len() == b.len()
        }
        (Value::Object(a), Value::Object(b)) => {
            for (key, a) in a {
                match b.get(key) {
                    Some(b) if same(a, b, steps)? => {}
                    _ => return Ok(false),
                }
            }
            a.len() == b.len()
        }
        _ => left == right,
    })
}

/// The values that may still be made.
struct Steps {
    left: usize,
}

impl Steps {
    fn take(&mut self, count: usize) -> Result<(), PickError> {
        self.left = self.left.checked_sub(count).ok_or(PickError::TooMuch)?;
        Ok(())
    }

    fn take_text(&mut self, text: &str) -> Result<(), PickError> {
        self.take(1 + text.len() / 64)
    }

    fn take_all(&mut self, value: &Value) -> Result<(), PickError> {
        match value {
            Value::String(text) => self.take_text(text),
            Value::Array(list) => {
                self.take(1)?;
                list.iter().try_for_each(|value| self.take_all(value))
            }
            Value::Object(map) => {
                self.take(1)?;
                map.iter().try_for_each(|(key, value)| {
                    self.take_text(key)?;
                    self.take_all(value)
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => self.take(1),
        }
    }

    fn owned(&mut self, value: Cow<'_, Value>) -> Result<Value, PickError> {
        if let Cow::Borrowed(value) = value {
            self.take_all(value)?;
        }
        Ok(value.into_owned())
    }
}

#[cfg(test)]
mod tests;
