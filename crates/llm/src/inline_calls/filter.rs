//! Calls that leak into text: where neither the service nor the server turns a model's markup into calls, they stand
//! in its words.
//!
//! The filter stands between a decoder and the reader of the text. What might be markup is held back until it is known
//! what it is, so that none of it is ever shown; how much is held back is bounded. Only calls of tools that were
//! offered count, one block of them an answer, and whoever runs them must know where they come from: a page can make a
//! model write anything.

use memchr::{memchr3, memmem};

use crate::decode::thoughts;
use crate::inline_calls::marks::{self, Begins, MARK_LIMIT, begins, begins_any};
use crate::inline_calls::markup::Leak;
use crate::inline_calls::read::{self, Found};
use crate::inline_calls::table::{BARE, FORMS, Form, Shape};
use crate::tools::names;

/// Most that is held back, in bytes. Larger calls than this are no slip of a model; they are let go as text.
const HELD_LIMIT: usize = 256 * 1024;

/// Most names of unknown tools that are told, and the longest of them in characters.
const UNKNOWN_LIMIT: usize = 8;
const UNKNOWN_LENGTH: usize = 100;

/// Most white space that waits for words behind it, in bytes.
const GAP_LIMIT: usize = 1024;

/// What a filter still had when the text was over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rest {
    /// Text to show.
    pub(crate) text: String,
    /// The calls of offered tools.
    pub(crate) calls: Vec<Leaked>,
    /// What was taken out of the text, if anything was. None of its calls is counted as taken.
    pub(crate) leak: Option<Leak>,
}

/// A call out of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaked {
    /// The name that was offered.
    pub(crate) name: String,
    /// JSON text, perhaps not sound.
    pub(crate) arguments: String,
}

/// Takes calls out of text. Pieces may be cut anywhere.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filter {
    offered: Vec<String>,
    /// Text of which it is not known yet what it is.
    held: String,
    /// What it begins with.
    block: Option<Block>,
    /// White space that waits for words behind it.
    gap: String,
    /// There was too much of it to wait: the rest of it is shown as it comes.
    is_wide: bool,
    /// Words were shown.
    spoke: bool,
    /// In a fence of Markdown: what stands there is shown to somebody, not meant.
    is_fenced: bool,
    /// Nothing is looked for any more.
    is_over: bool,
    /// JSON is what was asked for: what is left of a call that was cut is nothing to show.
    expects_json: bool,
    calls: Vec<Leaked>,
    leak: Option<Leak>,
}

/// Markup that goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Block {
    form: &'static Form,
    /// How long its first mark is.
    opened: usize,
    /// Only the rest of something: it ends with its mark.
    is_stray: bool,
    /// Up to here no end was found.
    scanned: usize,
}

/// What comes next in the text that is held.
enum Next {
    /// Nothing but text.
    Text,
    /// Text up to here; behind it perhaps a mark.
    Perhaps(usize),
    /// Text up to here, then markup.
    Markup(usize, Block),
    /// Text up to here, then a mark of this length that says that all of it was thoughts.
    EndOfThoughts(usize, usize),
    /// Text up to here, then a fence.
    Fence(usize),
}

/// What became of markup.
enum Look {
    /// Its end has not come.
    Open,
    /// It is this long.
    Ends(usize),
    /// It is none.
    Not,
}

impl Filter {
    /// A filter for an answer to somebody who was offered tools of these names. Without any, nothing is a call.
    pub(crate) fn new(offered: Vec<String>) -> Self {
        Self {
            is_over: offered.is_empty(),
            offered,
            held: String::new(),
            block: None,
            gap: String::new(),
            is_wide: false,
            spoke: false,
            is_fenced: false,
            expects_json: false,
            calls: Vec::new(),
            leak: None,
        }
    }

    /// From here on, takes JSON that was cut for a call that was cut.
    pub(crate) fn expect_json(&mut self) {
        self.expects_json = true;
    }

    /// Takes a piece of text and gives what of the text can be shown by now.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut shown = String::new();
        self.advance(None, &mut shown);
        shown
    }

    /// The text is over; `cut` when the token limit ended it.
    pub(crate) fn end(mut self, cut: bool) -> Rest {
        let mut text = String::new();
        self.advance(Some(cut), &mut text);
        // White space at the end belongs to markup that stood there, if some did.
        if self.leak.is_none() {
            text.push_str(&self.gap);
        }
        Rest { text, calls: self.calls, leak: self.leak }
    }

    /// Goes through what is held as far as can be. `ended` when nothing more will come, and then whether it was cut.
    fn advance(&mut self, ended: Option<bool>, shown: &mut String) {
        while !self.held.is_empty() && !self.is_over {
            let Some(block) = self.block else {
                match self.next(ended) {
                    Next::Text => return self.show(self.held.len(), shown),
                    Next::Perhaps(at) => return self.show(at, shown),
                    Next::Markup(at, block) => {
                        self.show(at, shown);
                        self.block = Some(block);
                    }
                    Next::EndOfThoughts(at, length) => {
                        self.show(at, shown);
                        self.held.drain(..length);
                        let lost = std::mem::take(&mut self.calls).len();
                        if let Some(leak) = &mut self.leak {
                            leak.left_out += lost;
                        }
                    }
                    Next::Fence(at) => {
                        self.show(at + 3, shown);
                        self.is_fenced = !self.is_fenced;
                    }
                }
                continue;
            };
            match self.look(block, ended.is_some()) {
                Look::Open if self.held.len() > HELD_LIMIT => self.is_over = true,
                Look::Open => return,
                Look::Ends(end) => {
                    self.block = None;
                    if !self.take(block, end, ended == Some(true)) {
                        self.pass(block.form, shown);
                    }
                }
                Look::Not => {
                    self.block = None;
                    self.pass(block.form, shown);
                }
            }
        }
        if self.is_over {
            self.show(self.held.len(), shown);
        }
    }

    /// Shows the first mark of what is held, which is text. What is behind it may be markup.
    fn pass(&mut self, form: &Form, shown: &mut String) {
        let is_fence = form.shape == Shape::Fence;
        self.is_fenced |= is_fence;
        let first = self.held.chars().next().map_or(0, char::len_utf8);
        self.show(if is_fence { 3 } else { first }, shown);
    }

    /// Shows the first bytes of what is held. White space waits for words behind it.
    fn show(&mut self, length: usize, shown: &mut String) {
        let text = self.held[..length].trim_end();
        if !text.is_empty() {
            shown.push_str(&self.gap);
            shown.push_str(text);
            self.gap.clear();
            self.is_wide = false;
            self.spoke = true;
        }
        self.gap.push_str(&self.held[text.len()..length]);
        self.held.drain(..length);
        self.is_wide |= self.gap.len() > GAP_LIMIT;
        if self.is_wide {
            shown.push_str(&self.gap);
            self.gap.clear();
        }
    }

    /// Finds what comes next.
    fn next(&self, ended: Option<bool>) -> Next {
        let bytes = self.held.as_bytes();
        let begun = self.held.trim_start();
        if let Some(inner) = begun.strip_prefix('{').filter(|_| !self.spoke && self.leak.is_none())
            && read::fits(BARE, inner, &|name| self.is_offered(name))
        {
            let block = Block { form: BARE, opened: 1, is_stray: false, scanned: 0 };
            return Next::Markup(self.held.len() - begun.len(), block);
        }
        let mut from = 0;
        while let Some(found) = memchr3(b'<', b'[', b'`', &bytes[from..]) {
            let at = from + found;
            let rest = &self.held[at..];
            match self.mark(rest) {
                Mark::Opens(block) => return Next::Markup(at, block),
                Mark::EndOfThoughts(length) => return Next::EndOfThoughts(at, length),
                Mark::Fence => return Next::Fence(at),
                Mark::Perhaps(form) => match (ended, form) {
                    (None, _) => return Next::Perhaps(at),
                    (Some(cut), Some(form)) if is_half_a_mark(rest, cut) => {
                        let block = Block { form, opened: rest.len(), is_stray: true, scanned: 0 };
                        return Next::Markup(at, block);
                    }
                    (Some(_), _) => {}
                },
                Mark::Not => {}
            }
            from = at + 1;
        }
        Next::Text
    }

    /// What mark a text begins with.
    fn mark(&self, rest: &str) -> Mark {
        let mut best = Mark::Not;
        for form in FORMS.iter().filter(|form| form.is_special || !self.is_fenced) {
            for (marks, is_stray) in [(form.opens, false), (form.strays, true)] {
                match begins_any(rest, marks) {
                    Begins::With(opened) => {
                        return Mark::Opens(Block { form, opened, is_stray, scanned: 0 });
                    }
                    Begins::Perhaps => best = Mark::Perhaps(Some(form)),
                    Begins::Not => {}
                }
            }
        }
        match begins_any(rest, &thoughts::CLOSES) {
            Begins::With(length) => return Mark::EndOfThoughts(length),
            Begins::Perhaps => best = Mark::Perhaps(None),
            Begins::Not => {}
        }
        if self.is_fenced {
            match begins(rest, "```") {
                Begins::With(_) => return Mark::Fence,
                Begins::Perhaps => best = Mark::Perhaps(None),
                Begins::Not => {}
            }
        }
        best
    }

    /// Looks for the end of the markup with which what is held begins.
    fn look(&mut self, block: Block, ended: bool) -> Look {
        let Block { form, opened, is_stray, .. } = block;
        if is_stray {
            // A tag up to its end, if that is near.
            return match self.held.find('>') {
                Some(at) if at < opened + MARK_LIMIT => Look::Ends(at + 1),
                None if self.held.len() <= opened + MARK_LIMIT && ended => Look::Ends(self.held.len()),
                None if self.held.len() <= opened + MARK_LIMIT => Look::Open,
                _ => Look::Ends(opened),
            };
        }
        if !read::fits(form, &self.held[opened..], &|name| self.is_offered(name)) {
            // Somebody writes about it: the mark alone is left out.
            return match begins_any(&self.held, form.opens) {
                Begins::With(length) if form.is_special => Look::Ends(length),
                Begins::With(_) | Begins::Perhaps | Begins::Not => Look::Not,
            };
        }
        let all = self.held.len();
        match form.shape {
            Shape::Fence => match self.find_fence(opened) {
                // A fence that goes on when the answer is over was cut.
                None if ended => Look::Not,
                None => Look::Open,
                // Only what ends an answer is meant.
                Some(end) if !self.held[end..].trim().is_empty() => Look::Not,
                Some(_) if ended => Look::Ends(all),
                Some(_) => Look::Open,
            },
            _ if ended => Look::Ends(self.find_end(form, true).unwrap_or(all)),
            Shape::Mistral | Shape::Bare => Look::Open,
            Shape::Invoke | Shape::ToolCall | Shape::Function | Shape::Tokens | Shape::Json => {
                self.find_end(form, false).map_or(Look::Open, Look::Ends)
            }
        }
    }

    /// Where the fence ends that what is held begins with.
    fn find_fence(&mut self, opened: usize) -> Option<usize> {
        let block = self.block.as_mut()?;
        let from = block.scanned.max(opened);
        match memmem::find(&self.held.as_bytes()[from..], b"```") {
            Some(at) => {
                block.scanned = from + at;
                Some(from + at + 3)
            }
            None => {
                block.scanned = self.held.len().saturating_sub(2);
                None
            }
        }
    }

    /// Where the calls end that what is held begins with: those that follow each other with nothing between them are
    /// one block.
    fn find_end(&mut self, form: &Form, ended: bool) -> Option<usize> {
        let block = self.block.as_mut()?;
        let marks = [form.closes, form.ends].concat();
        let mut from = block.scanned.max(block.opened);
        loop {
            let Some((at, end)) = marks::find(&self.held, from, &marks) else {
                // A mark may have begun.
                let mut scanned = self.held.len().saturating_sub(MARK_LIMIT).max(from);
                while !self.held.is_char_boundary(scanned) {
                    scanned -= 1;
                }
                block.scanned = scanned;
                return None;
            };
            if begins_any(&self.held[at..], form.closes) == Begins::Not {
                return Some(end);
            }
            let rest = self.held[end..].trim_ascii_start();
            let next = self.held.len() - rest.len();
            match (begins_any(rest, form.ends), begins_any(rest, form.opens)) {
                (Begins::With(length), _) => return Some(next + length),
                (_, Begins::With(length)) => from = next + length,
                // Where nothing more comes, half a mark is the rest of it.
                (Begins::Perhaps, _) | (_, Begins::Perhaps) if ended => return Some(self.held.len()),
                (Begins::Perhaps, _) | (_, Begins::Perhaps) => {
                    block.scanned = at;
                    return None;
                }
                _ => return Some(end),
            }
        }
    }

    /// Takes markup of this length out of the text; `false` where it is none.
    fn take(&mut self, block: Block, end: usize, cut: bool) -> bool {
        let Block { form, opened, is_stray, .. } = block;
        let mut found = if is_stray { Vec::new() } else { read::calls(form, &self.held[..end], opened) };
        if form.is_common() {
            // All of them, or it is any other JSON.
            let is_meant = !cut && found.iter().all(|call| self.is_offered(&call.name));
            match found.is_empty() || !is_meant {
                true if cut && self.expects_json && form.shape == Shape::Bare => found.clear(),
                true => return false,
                false => {}
            }
        }
        let count = found.len();
        found.retain(|call: &Found| call.is_whole || !cut);
        let is_first = self.calls.is_empty();
        let leak = self.leak.get_or_insert_with(|| Leak {
            markup: form.markup,
            taken: 0,
            unknown: Vec::new(),
            left_out: 0,
        });
        leak.left_out += count - found.len();
        if count == 0 && !is_stray {
            leak.left_out += 1;
        }
        for call in found {
            match names::resolve(&call.name, self.offered.iter().map(String::as_str)) {
                Some(name) if is_first => {
                    self.calls.push(Leaked { name: name.to_owned(), arguments: call.arguments });
                }
                Some(_) => leak.left_out += 1,
                None if leak.unknown.len() < UNKNOWN_LIMIT => {
                    leak.unknown.push(call.name.chars().take(UNKNOWN_LENGTH).collect());
                }
                None => {}
            }
        }
        self.held.drain(..end);
        true
    }

    fn is_offered(&self, name: &str) -> bool {
        names::resolve(name, self.offered.iter().map(String::as_str)).is_some()
    }
}

/// What mark stands at a place.
enum Mark {
    Opens(Block),
    EndOfThoughts(usize),
    Fence,
    /// The beginning of a mark, perhaps of this form.
    Perhaps(Option<&'static Form>),
    Not,
}

/// Whether a text that ends with the beginning of a mark shows that a mark was meant: with what only a model's tokens
/// begin with, or because it was `cut`.
fn is_half_a_mark(rest: &str, cut: bool) -> bool {
    let is_token = ["<|", "</|"].iter().any(|token| matches!(begins(rest, token), Begins::With(_)));
    is_token || (cut && rest.len() >= 4 && !rest.starts_with('`'))
}

#[cfg(test)]
mod tests;
