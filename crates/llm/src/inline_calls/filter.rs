//! Takes calls out of text, as it comes.
//!
//! The filter stands between a decoder and the reader of the text. What might be markup is held back until it is known
//! what it is, so that none of it is ever shown; how much is held back is bounded. Only calls of tools that were
//! offered count, one block of them an answer, and whoever runs them must know where they come from: a page can make a
//! model write anything.

use memchr::{memchr3, memmem};

use crate::decode::thoughts;
use crate::inline_calls::marks::{self, MARK_LIMIT, MarkMatch, begins, begins_any};
use crate::inline_calls::markup::InlineCalls;
use crate::inline_calls::read::{self, MarkupCall};
use crate::inline_calls::table::{BARE, FORMS, MarkupForm, MarkupShape};
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
pub(crate) struct Remainder {
    /// Text to show.
    pub(crate) text: String,
    /// The calls of offered tools.
    pub(crate) calls: Vec<InlineCall>,
    /// What was taken out of the text, if anything was. None of its calls is counted as taken.
    pub(crate) inline_calls: Option<InlineCalls>,
}

/// A call out of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InlineCall {
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
    block: Option<MarkupBlock>,
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
    calls: Vec<InlineCall>,
    inline_calls: Option<InlineCalls>,
}

/// Markup that goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct MarkupBlock {
    form: &'static MarkupForm,
    /// How long its first mark is.
    opened: usize,
    /// Only the rest of something: it ends with its mark.
    is_stray: bool,
    /// Up to here no end was found.
    scanned: usize,
}

/// What comes next in the text that is held.
enum NextSpan {
    /// Nothing but text.
    Text,
    /// Text up to here; behind it perhaps a mark.
    Perhaps(usize),
    /// Text up to here, then markup.
    Markup(usize, MarkupBlock),
    /// Text up to here, then a mark of this length that says that all of it was thoughts.
    EndOfThoughts(usize, usize),
    /// Text up to here, then a fence.
    Fence(usize),
}

/// What became of markup.
enum BlockEnd {
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
            inline_calls: None,
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
    pub(crate) fn end(mut self, cut: bool) -> Remainder {
        let mut text = String::new();
        self.advance(Some(cut), &mut text);
        // White space at the end belongs to markup that stood there, if some did.
        if self.inline_calls.is_none() {
            text.push_str(&self.gap);
        }
        Remainder { text, calls: self.calls, inline_calls: self.inline_calls }
    }

    /// Goes through what is held as far as can be. `ended` when nothing more will come, and then whether it was cut.
    fn advance(&mut self, ended: Option<bool>, shown: &mut String) {
        while !self.held.is_empty() && !self.is_over {
            let Some(block) = self.block else {
                match self.next(ended) {
                    NextSpan::Text => return self.show(self.held.len(), shown),
                    NextSpan::Perhaps(at) => return self.show(at, shown),
                    NextSpan::Markup(at, block) => {
                        self.show(at, shown);
                        self.block = Some(block);
                    }
                    NextSpan::EndOfThoughts(at, length) => {
                        self.show(at, shown);
                        self.held.drain(..length);
                        let lost = std::mem::take(&mut self.calls).len();
                        if let Some(inline_calls) = &mut self.inline_calls {
                            inline_calls.left_out += lost;
                        }
                    }
                    NextSpan::Fence(at) => {
                        self.show(at + 3, shown);
                        self.is_fenced = !self.is_fenced;
                    }
                }
                continue;
            };
            match self.look(block, ended.is_some()) {
                BlockEnd::Open if self.held.len() > HELD_LIMIT => self.is_over = true,
                BlockEnd::Open => return,
                BlockEnd::Ends(end) => {
                    self.block = None;
                    if !self.take(block, end, ended == Some(true)) {
                        self.pass(block.form, shown);
                    }
                }
                BlockEnd::Not => {
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
    fn pass(&mut self, form: &MarkupForm, shown: &mut String) {
        let is_fence = form.shape == MarkupShape::Fence;
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
    fn next(&self, ended: Option<bool>) -> NextSpan {
        let bytes = self.held.as_bytes();
        let begun = self.held.trim_start();
        if let Some(inner) = begun.strip_prefix('{').filter(|_| !self.spoke && self.inline_calls.is_none())
            && read::fits(BARE, inner, &|name| self.is_offered(name))
        {
            let block = MarkupBlock { form: BARE, opened: 1, is_stray: false, scanned: 0 };
            return NextSpan::Markup(self.held.len() - begun.len(), block);
        }
        let mut from = 0;
        while let Some(found) = memchr3(b'<', b'[', b'`', &bytes[from..]) {
            let at = from + found;
            let rest = &self.held[at..];
            match self.mark(rest) {
                Mark::Opens(block) => return NextSpan::Markup(at, block),
                Mark::EndOfThoughts(length) => return NextSpan::EndOfThoughts(at, length),
                Mark::Fence => return NextSpan::Fence(at),
                Mark::Perhaps(form) => match (ended, form) {
                    (None, _) => return NextSpan::Perhaps(at),
                    (Some(cut), Some(form)) if is_half_a_mark(rest, cut) => {
                        let block = MarkupBlock { form, opened: rest.len(), is_stray: true, scanned: 0 };
                        return NextSpan::Markup(at, block);
                    }
                    (Some(_), _) => {}
                },
                Mark::Not => {}
            }
            from = at + 1;
        }
        NextSpan::Text
    }

    /// What mark a text begins with.
    fn mark(&self, rest: &str) -> Mark {
        let mut best = Mark::Not;
        for form in FORMS.iter().filter(|form| form.is_special || !self.is_fenced) {
            for (marks, is_stray) in [(form.opens, false), (form.strays, true)] {
                match begins_any(rest, marks) {
                    MarkMatch::With(opened) => {
                        return Mark::Opens(MarkupBlock { form, opened, is_stray, scanned: 0 });
                    }
                    MarkMatch::Perhaps => best = Mark::Perhaps(Some(form)),
                    MarkMatch::Not => {}
                }
            }
        }
        match begins_any(rest, &thoughts::CLOSES) {
            MarkMatch::With(length) => return Mark::EndOfThoughts(length),
            MarkMatch::Perhaps => best = Mark::Perhaps(None),
            MarkMatch::Not => {}
        }
        if self.is_fenced {
            match begins(rest, "```") {
                MarkMatch::With(_) => return Mark::Fence,
                MarkMatch::Perhaps => best = Mark::Perhaps(None),
                MarkMatch::Not => {}
            }
        }
        best
    }

    /// Looks for the end of the markup with which what is held begins.
    fn look(&mut self, block: MarkupBlock, ended: bool) -> BlockEnd {
        let MarkupBlock { form, opened, is_stray, .. } = block;
        if is_stray {
            // A tag up to its end, if that is near.
            return match self.held.find('>') {
                Some(at) if at < opened + MARK_LIMIT => BlockEnd::Ends(at + 1),
                None if self.held.len() <= opened + MARK_LIMIT && ended => BlockEnd::Ends(self.held.len()),
                None if self.held.len() <= opened + MARK_LIMIT => BlockEnd::Open,
                _ => BlockEnd::Ends(opened),
            };
        }
        if !read::fits(form, &self.held[opened..], &|name| self.is_offered(name)) {
            // Somebody writes about it: the mark alone is left out.
            return match begins_any(&self.held, form.opens) {
                MarkMatch::With(length) if form.is_special => BlockEnd::Ends(length),
                MarkMatch::With(_) | MarkMatch::Perhaps | MarkMatch::Not => BlockEnd::Not,
            };
        }
        let all = self.held.len();
        match form.shape {
            MarkupShape::Fence => match self.find_fence(opened) {
                // A fence that goes on when the answer is over was cut.
                None if ended => BlockEnd::Not,
                None => BlockEnd::Open,
                // Only what ends an answer is meant.
                Some(end) if !self.held[end..].trim().is_empty() => BlockEnd::Not,
                Some(_) if ended => BlockEnd::Ends(all),
                Some(_) => BlockEnd::Open,
            },
            _ if ended => BlockEnd::Ends(self.find_end(form, true).unwrap_or(all)),
            MarkupShape::Mistral | MarkupShape::Bare => BlockEnd::Open,
            MarkupShape::Invoke
            | MarkupShape::ToolCall
            | MarkupShape::Function
            | MarkupShape::Tokens
            | MarkupShape::Json => self.find_end(form, false).map_or(BlockEnd::Open, BlockEnd::Ends),
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
    fn find_end(&mut self, form: &MarkupForm, ended: bool) -> Option<usize> {
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
            if begins_any(&self.held[at..], form.closes) == MarkMatch::Not {
                return Some(end);
            }
            let rest = self.held[end..].trim_ascii_start();
            let next = self.held.len() - rest.len();
            match (begins_any(rest, form.ends), begins_any(rest, form.opens)) {
                (MarkMatch::With(length), _) => return Some(next + length),
                (_, MarkMatch::With(length)) => from = next + length,
                // Where nothing more comes, half a mark is the rest of it.
                (MarkMatch::Perhaps, _) | (_, MarkMatch::Perhaps) if ended => return Some(self.held.len()),
                (MarkMatch::Perhaps, _) | (_, MarkMatch::Perhaps) => {
                    block.scanned = at;
                    return None;
                }
                _ => return Some(end),
            }
        }
    }

    /// Takes markup of this length out of the text; `false` where it is none.
    fn take(&mut self, block: MarkupBlock, end: usize, cut: bool) -> bool {
        let MarkupBlock { form, opened, is_stray, .. } = block;
        let mut found = if is_stray { Vec::new() } else { read::calls(form, &self.held[..end], opened) };
        if form.is_common() {
            // All of them, or it is any other JSON.
            let is_meant = !cut && found.iter().all(|call| self.is_offered(&call.name));
            match found.is_empty() || !is_meant {
                true if cut && self.expects_json && form.shape == MarkupShape::Bare => found.clear(),
                true => return false,
                false => {}
            }
        }
        let count = found.len();
        found.retain(|call: &MarkupCall| call.is_whole || !cut);
        let is_first = self.calls.is_empty();
        let inline_calls = self.inline_calls.get_or_insert_with(|| InlineCalls {
            markup: form.markup,
            taken: 0,
            unknown: Vec::new(),
            left_out: 0,
        });
        inline_calls.left_out += count - found.len();
        if count == 0 && !is_stray {
            inline_calls.left_out += 1;
        }
        for call in found {
            match names::resolve(&call.name, self.offered.iter().map(String::as_str)) {
                Some(name) if is_first => {
                    self.calls.push(InlineCall { name: name.to_owned(), arguments: call.arguments });
                }
                Some(_) => inline_calls.left_out += 1,
                None if inline_calls.unknown.len() < UNKNOWN_LIMIT => {
                    inline_calls.unknown.push(call.name.chars().take(UNKNOWN_LENGTH).collect());
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
    Opens(MarkupBlock),
    EndOfThoughts(usize),
    Fence,
    /// The beginning of a mark, perhaps of this form.
    Perhaps(Option<&'static MarkupForm>),
    Not,
}

/// Whether a text that ends with the beginning of a mark shows that a mark was meant: with what only a model's tokens
/// begin with, or because it was `cut`.
fn is_half_a_mark(rest: &str, cut: bool) -> bool {
    let is_token = ["<|", "</|"].iter().any(|token| matches!(begins(rest, token), MarkMatch::With(_)));
    is_token || (cut && rest.len() >= 4 && !rest.starts_with('`'))
}

#[cfg(test)]
mod tests;
