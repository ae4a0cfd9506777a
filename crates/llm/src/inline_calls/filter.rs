//! Filters calls out of text as it arrives.
//!
//! The filter stands between the decoder and the reader of the text. What might be markup is held back
//! until it is decided, so that none of it is ever shown; how much is held back is bounded. Only calls of
//! offered tools count, and one block of them per answer. The caller must know that a call was inline: a
//! page can make a model write anything.

use memchr::{memchr3, memmem};

use crate::decode::thoughts;
use crate::inline_calls::marks::{self, MARK_LIMIT, MarkMatch, begins, begins_any};
use crate::inline_calls::markup::InlineCalls;
use crate::inline_calls::read::{self, MarkupCall};
use crate::inline_calls::table::{BARE, FORMS, MarkupForm, MarkupShape};
use crate::tools::names;

/// Maximum bytes held back. Markup larger than this is not a call that a model misplaced: it is shown as text,
/// and so is everything after it.
const HELD_LIMIT: usize = 256 * 1024;

/// Maximum number of unknown tool names that are reported, and maximum characters of one.
const UNKNOWN_LIMIT: usize = 8;
const UNKNOWN_LENGTH: usize = 100;

/// Maximum bytes of white space that are held back until text follows.
const GAP_LIMIT: usize = 1024;

/// What a filter still held when the text ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Remainder {
    /// Text to show.
    pub(crate) text: String,
    /// The calls of offered tools.
    pub(crate) calls: Vec<InlineCall>,
    /// What was taken out of the text, if anything was. None of its calls is counted as taken yet.
    pub(crate) inline_calls: Option<InlineCalls>,
}

/// A call taken out of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InlineCall {
    /// The name of the offered tool.
    pub(crate) name: String,
    /// JSON text, possibly invalid.
    pub(crate) arguments: String,
}

/// Takes calls out of text. Pieces may be cut anywhere.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filter {
    offered: Vec<String>,
    /// Text that is not decided yet.
    held: String,
    /// The markup that `held` begins with.
    block: Option<MarkupBlock>,
    /// White space that is held back until text follows.
    gap: String,
    /// Whether there was too much white space: the rest of it is shown as it arrives.
    is_wide: bool,
    /// Whether text was shown.
    spoke: bool,
    /// Whether the text is in a fenced block of Markdown: calls there are examples, not meant.
    is_fenced: bool,
    /// Whether the filter has stopped looking.
    is_over: bool,
    /// Whether the answer was requested as JSON: then a call that was cut is dropped, not shown.
    expects_json: bool,
    calls: Vec<InlineCall>,
    inline_calls: Option<InlineCalls>,
}

/// Markup that has not ended.
#[derive(Debug, Clone, Copy, PartialEq)]
struct MarkupBlock {
    form: &'static MarkupForm,
    /// Length of its opening mark.
    opened: usize,
    /// Whether it is only the rest of markup, which ends with this mark.
    is_stray: bool,
    /// No end was found before this position.
    scanned: usize,
}

/// What comes next in the held text.
enum NextSpan {
    /// Only text.
    Text,
    /// Text up to here, then possibly a mark.
    Perhaps(usize),
    /// Text up to here, then markup.
    Markup(usize, MarkupBlock),
    /// Text up to here, then a closing tag of reasoning of this length: all the text before was reasoning.
    EndOfThoughts(usize, usize),
    /// Text up to here, then the end of a fenced block.
    Fence(usize),
}

/// The end of markup.
enum BlockEnd {
    /// It has not arrived.
    Open,
    /// The markup has this length.
    Ends(usize),
    /// It is not markup.
    Not,
}

impl Filter {
    /// A filter for an answer to a request that offered these tools. Without tools, nothing is a call.
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

    /// From here on, treats JSON that was cut as a call that was cut.
    pub(crate) fn expect_json(&mut self) {
        self.expects_json = true;
    }

    /// Reads a piece of text. Returns the text that can be shown by now.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut shown = String::new();
        self.advance(None, &mut shown);
        shown
    }

    /// Ends the text; `cut` if the token limit ended it.
    pub(crate) fn end(mut self, cut: bool) -> Remainder {
        let mut text = String::new();
        self.advance(Some(cut), &mut text);
        // White space at the end belongs to the markup that stood there, if any.
        if self.inline_calls.is_none() {
            text.push_str(&self.gap);
        }
        Remainder { text, calls: self.calls, inline_calls: self.inline_calls }
    }

    /// Processes the held text as far as possible. `ended` if no more will come, with whether the text was
    /// cut.
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

    /// Shows the opening mark of the held text, which is text after all. Markup may follow it.
    fn pass(&mut self, form: &MarkupForm, shown: &mut String) {
        let is_fence = form.shape == MarkupShape::Fence;
        self.is_fenced |= is_fence;
        let first = self.held.chars().next().map_or(0, char::len_utf8);
        self.show(if is_fence { 3 } else { first }, shown);
    }

    /// Shows the first bytes of the held text. White space is held back until text follows.
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

    /// The mark that a text begins with.
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

    /// Looks for the end of the markup that the held text begins with.
    fn look(&mut self, block: MarkupBlock, ended: bool) -> BlockEnd {
        let MarkupBlock { form, opened, is_stray, .. } = block;
        if is_stray {
            // A tag ends with `>`, if that is near.
            return match self.held.find('>') {
                Some(at) if at < opened + MARK_LIMIT => BlockEnd::Ends(at + 1),
                None if self.held.len() <= opened + MARK_LIMIT && ended => BlockEnd::Ends(self.held.len()),
                None if self.held.len() <= opened + MARK_LIMIT => BlockEnd::Open,
                _ => BlockEnd::Ends(opened),
            };
        }
        if !read::fits(form, &self.held[opened..], &|name| self.is_offered(name)) {
            // Text about the markup: leave out only the mark.
            return match begins_any(&self.held, form.opens) {
                MarkMatch::With(length) if form.is_special => BlockEnd::Ends(length),
                MarkMatch::With(_) | MarkMatch::Perhaps | MarkMatch::Not => BlockEnd::Not,
            };
        }
        let all = self.held.len();
        match form.shape {
            MarkupShape::Fence => match self.find_fence(opened) {
                // A fenced block that is still open at the end was cut.
                None if ended => BlockEnd::Not,
                None => BlockEnd::Open,
                // Only a block at the end of the answer is meant as a call.
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

    /// Where the fenced block ends that the held text begins with.
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

    /// Where the calls end that the held text begins with: consecutive calls with nothing between them are
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
                // If nothing more comes, half a mark belongs to the block.
                (MarkMatch::Perhaps, _) | (_, MarkMatch::Perhaps) if ended => return Some(self.held.len()),
                (MarkMatch::Perhaps, _) | (_, MarkMatch::Perhaps) => {
                    block.scanned = at;
                    return None;
                }
                _ => return Some(end),
            }
        }
    }

    /// Takes markup of this length out of the text; `false` if it is not markup.
    fn take(&mut self, block: MarkupBlock, end: usize, cut: bool) -> bool {
        let MarkupBlock { form, opened, is_stray, .. } = block;
        let mut found = if is_stray { Vec::new() } else { read::calls(form, &self.held[..end], opened) };
        if form.is_common() {
            // Common JSON counts only if all of its calls are of offered tools.
            let is_call = !cut && found.iter().all(|call| self.is_offered(&call.name));
            match found.is_empty() || !is_call {
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

/// The mark at a position.
enum Mark {
    Opens(MarkupBlock),
    EndOfThoughts(usize),
    Fence,
    /// Possibly the beginning of a mark, perhaps of this form.
    Perhaps(Option<&'static MarkupForm>),
    Not,
}

/// Whether a text that ends within a mark was meant as one: because it begins with a model's special token,
/// or because it was `cut`.
fn is_half_a_mark(rest: &str, cut: bool) -> bool {
    let is_token = ["<|", "</|"].iter().any(|token| matches!(begins(rest, token), MarkMatch::With(_)));
    is_token || (cut && rest.len() >= 4 && !rest.starts_with('`'))
}

#[cfg(test)]
mod tests;
