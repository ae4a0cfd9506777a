//! The pieces of an expression put together, by how strongly each binds what stands before it.

use super::token::Token;
use super::{Over, PickFault, PickFaultKind, PickNode, Slice};

/// So much stands inside of something else at most.
const DEEPEST: usize = 32;

/// What binds more weakly than this ends what is made of each value of a list.
const ENDS_EACH: u8 = 10;

const PIPE: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const COMPARE: u8 = 5;
const FLAT: u8 = 9;
const STAR: u8 = 20;
const FILTER: u8 = 21;
const DOT: u8 = 40;
const LIST: u8 = 55;

struct Parser {
    /// The rest, the next one last. The end stays.
    tokens: Vec<(usize, Token)>,
    depth: usize,
}

pub(super) fn parsed(mut tokens: Vec<(usize, Token)>) -> Result<PickNode, PickFault> {
    tokens.reverse();
    let mut parser = Parser { tokens, depth: 0 };
    let node = parser.expression(0)?;
    parser.expect(&Token::End)?;
    Ok(node)
}

fn strength(token: &Token) -> u8 {
    match token {
        Token::Pipe => PIPE,
        Token::Or => OR,
        Token::And => AND,
        Token::Compare(_) => COMPARE,
        Token::Flat => FLAT,
        Token::Filter => FILTER,
        Token::Dot => DOT,
        Token::OpenList => LIST,
        _ => 0,
    }
}

fn fault<T>(at: usize, kind: PickFaultKind) -> Result<T, PickFault> {
    Err(PickFault { at, kind })
}

impl Parser {
    fn peek(&self) -> (usize, &Token) {
        self.tokens.last().map_or((0, &Token::End), |(at, token)| (*at, token))
    }

    fn next(&mut self) -> (usize, Token) {
        match self.peek() {
            (at, Token::End) => (at, Token::End),
            _ => self.tokens.pop().unwrap_or((0, Token::End)),
        }
    }

    fn takes(&mut self, wanted: &Token) -> bool {
        let is_next = self.peek().1 == wanted;
        if is_next {
            self.next();
        }
        is_next
    }

    fn expect(&mut self, wanted: &Token) -> Result<(), PickFault> {
        let (at, token) = self.peek();
        if token != wanted {
            return fault(at, PickFaultKind::Unexpected);
        }
        self.next();
        Ok(())
    }

    /// As far as what follows binds more strongly than this.
    fn expression(&mut self, than: u8) -> Result<PickNode, PickFault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return fault(self.peek().0, PickFaultKind::TooDeep);
        }
        let mut node = self.first()?;
        while strength(self.peek().1) > than {
            node = self.following(node)?;
        }
        self.depth -= 1;
        Ok(node)
    }

    /// What stands at the beginning of an expression.
    fn first(&mut self) -> Result<PickNode, PickFault> {
        let (at, token) = self.next();
        match token {
            Token::Name(name) if *self.peek().1 == Token::OpenCall => self.call(at, &name),
            Token::Name(name) | Token::Quoted(name) => Ok(PickNode::Field(name)),
            Token::Literal(value) => Ok(PickNode::Literal(value)),
            Token::Current => Ok(PickNode::Current),
            Token::Flat => self.each(Over::Flat, FLAT),
            Token::Filter => self.filter(),
            Token::OpenHash => self.hash(),
            Token::OpenList => match self.peek().1 {
                Token::Number(_) | Token::Colon | Token::Star => self.index(),
                _ => fault(at, PickFaultKind::NotSupported),
            },
            Token::Star | Token::OpenCall => fault(at, PickFaultKind::NotSupported),
            _ => fault(at, PickFaultKind::Unexpected),
        }
    }

    /// What stands after an expression, and belongs to it.
    fn following(&mut self, left: PickNode) -> Result<PickNode, PickFault> {
        let (at, token) = self.next();
        match token {
            Token::Pipe => Ok(then(left, self.expression(PIPE)?)),
            Token::Or => Ok(match (left, self.expression(OR)?) {
                (PickNode::Or(mut nodes), right) => {
                    nodes.push(right);
                    PickNode::Or(nodes)
                }
                (left, right) => PickNode::Or(vec![left, right]),
            }),
            Token::And => Ok(match (left, self.expression(AND)?) {
                (PickNode::And(mut nodes), right) => {
                    nodes.push(right);
                    PickNode::And(nodes)
                }
                (left, right) => PickNode::And(vec![left, right]),
            }),
            Token::Compare(comparison) => {
                let right = self.expression(COMPARE)?;
                match self.peek() {
                    (at, Token::Compare(_)) => fault(at, PickFaultKind::NotSupported),
                    _ => Ok(PickNode::Compare(comparison, Box::new([left, right]))),
                }
            }
            Token::Flat => Ok(then(left, self.each(Over::Flat, FLAT)?)),
            Token::Filter => Ok(then(left, self.filter()?)),
            Token::Dot => Ok(then(left, self.after_dot(DOT)?)),
            Token::OpenList => Ok(then(left, self.index()?)),
            _ => fault(at, PickFaultKind::Unexpected),
        }
    }

    fn after_dot(&mut self, than: u8) -> Result<PickNode, PickFault> {
        match self.peek() {
            (_, Token::Name(_) | Token::Quoted(_) | Token::OpenHash) => self.expression(than),
            (at, Token::Star | Token::OpenList) => fault(at, PickFaultKind::NotSupported),
            (at, _) => fault(at, PickFaultKind::Unexpected),
        }
    }

    /// What is made of each value of a list.
    fn each(&mut self, over: Over, than: u8) -> Result<PickNode, PickFault> {
        let node = match self.peek().1 {
            Token::Dot => {
                self.next();
                self.after_dot(than)?
            }
            token if strength(token) < ENDS_EACH => PickNode::Current,
            _ => self.expression(than)?,
        };
        Ok(PickNode::Each(over, Box::new(node)))
    }

    /// After `[?`.
    fn filter(&mut self) -> Result<PickNode, PickFault> {
        let condition = self.expression(0)?;
        self.expect(&Token::CloseList)?;
        self.each(Over::Where(Box::new(condition)), FILTER)
    }

    /// After `[`: `*]`, `0]`, `1:2:3]`.
    fn index(&mut self) -> Result<PickNode, PickFault> {
        if self.takes(&Token::Star) {
            self.expect(&Token::CloseList)?;
            return self.each(Over::All, STAR);
        }
        let start = self.number();
        if let Some(index) = start
            && self.takes(&Token::CloseList)
        {
            return Ok(PickNode::Index(index));
        }
        self.expect(&Token::Colon)?;
        let stop = self.number();
        let mut step = 1;
        if self.takes(&Token::Colon) {
            let at = self.peek().0;
            step = self.number().unwrap_or(1);
            if step == 0 {
                return fault(at, PickFaultKind::Unexpected);
            }
        }
        self.expect(&Token::CloseList)?;
        self.each(Over::Slice(Slice { start, stop, step }), STAR)
    }

    fn number(&mut self) -> Option<i32> {
        let Token::Number(number) = *self.peek().1 else { return None };
        self.next();
        Some(number)
    }

    /// After `{`.
    fn hash(&mut self) -> Result<PickNode, PickFault> {
        let mut fields = Vec::new();
        loop {
            let name = match self.next() {
                (_, Token::Name(name) | Token::Quoted(name)) => name,
                (at, _) => return fault(at, PickFaultKind::Unexpected),
            };
            self.expect(&Token::Colon)?;
            fields.push((name, self.expression(0)?));
            if !self.takes(&Token::Comma) {
                self.expect(&Token::CloseHash)?;
                return Ok(PickNode::Hash(fields));
            }
        }
    }

    /// A function, from its `(` on.
    fn call(&mut self, at: usize, name: &str) -> Result<PickNode, PickFault> {
        if !matches!(name, "length" | "join") {
            return fault(at, PickFaultKind::NotSupported);
        }
        self.expect(&Token::OpenCall)?;
        let first = self.expression(0)?;
        let node = if name == "length" {
            PickNode::Length(Box::new(first))
        } else {
            self.expect(&Token::Comma)?;
            PickNode::Join(Box::new([first, self.expression(0)?]))
        };
        self.expect(&Token::CloseCall)?;
        Ok(node)
    }
}

/// One on the result of the other.
fn then(left: PickNode, right: PickNode) -> PickNode {
    match (left, right) {
        (PickNode::Current, other) | (other, PickNode::Current) => other,
        (PickNode::Then(mut nodes), PickNode::Then(more)) => {
            nodes.extend(more);
            PickNode::Then(nodes)
        }
        (PickNode::Then(mut nodes), one) => {
            nodes.push(one);
            PickNode::Then(nodes)
        }
        (one, PickNode::Then(mut nodes)) => {
            nodes.insert(0, one);
            PickNode::Then(nodes)
        }
        (one, other) => PickNode::Then(vec![one, other]),
    }
}
