//! Cross-origin data flow: data read on one origin that a call would send to another. It is found by
//! comparing words, and by comparing letters and digits alone. A match counts if it is too long or too
//! specific to be chance, and does not stand in the user's own message. Numbers of four or more digits
//! count if they are a whole value.
//!
//! Not found: what a model paraphrases, and encodings that are not handled here.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Value, json};
use sidecar_protocol::ToolRef;
use sidecar_protocol::guard::Flow;
use sidecar_protocol::policy::is_lasting;
use sidecar_webmcp::{Address, visible};

use crate::browser_tools::{self, BrowserCall, TabCall};
use crate::log::branch;
use crate::log::{Entry, Event, Target};

mod arguments;
mod compact;
mod numbers;
mod plain;
mod sources;
mod substrings;
#[cfg(test)]
mod tests;
mod words;

use self::arguments::{ArgumentText, ArgumentTexts, Joined};
use self::compact::Compact;
pub use self::plain::Nfkc;
use self::plain::{is_chinese, plain};
pub(crate) use self::sources::{FlowSource, targets};
use self::substrings::{Marks, Match};
use self::words::WordSequence;

/// Maximum number of flows reported for one call.
const MOST_FLOWS: usize = 8;

/// Minimum length of a match in letters and digits.
const LEAST_MATCH: usize = 4;

/// Minimum letters and digits of a match that may contain telling words, and of one with a digit in it.
const LEAST_WORDS: usize = 16;
const LEAST_CODE: usize = 6;

/// Minimum letters and digits of a part of a code, and of a whole value.
const LEAST_PART: usize = 8;

/// Minimum letters and digits of any other match: longer than chance, wherever words begin and end.
const LEAST_TEXT: usize = 20;
const LEAST_TEXT_CHINESE: usize = 8;

/// Minimum letters and digits of a match with digits in groups, and how many of them must be digits.
const LEAST_GROUPED: usize = 10;
const LEAST_GROUPED_DIGITS: usize = 8;

/// Minimum number of single letters in a row, as in a list of them.
const LEAST_SPELT: usize = 6;

/// The arguments of the browser's own tools that are typed or chosen in a page.
const TYPED: [&str; 4] = ["text", "fields", "values", "key"];

/// Maximum number of codes that are compared with the arguments letter by letter.
const MOST_FUZZY: usize = 200;

/// The target whose origin learns the arguments of a call. What leads a tab to an address tells that site.
#[must_use]
pub fn destination<'t>(target: &'t Target, arguments: &str) -> Cow<'t, Target> {
    match led_to(target, arguments) {
        Some(url) => {
            let (site, origin) = (Address::of(&url).site().to_owned(), Address::of(&url).origin());
            Cow::Owned(Target { site, origin, ..target.clone() })
        }
        None => Cow::Borrowed(target),
    }
}

/// The address to which a call leads a tab.
fn led_to(target: &Target, arguments: &str) -> Option<String> {
    let ToolRef::Browser { name, .. } = &target.tool else { return None };
    match browser_tools::read(name, arguments).ok()? {
        BrowserCall::Tab(TabCall::Open(url) | TabCall::Navigate(url)) if url.contains("://") => Some(url),
        _ => None,
    }
}

/// What of a call's arguments its page learns. Of the browser's own tools that is what they type and choose: which
/// tab and element is meant stays with the extension.
fn told_to_page(target: &Target, mut arguments: Value) -> Value {
    match &target.tool {
        ToolRef::Page(_) | ToolRef::Skill { .. } | ToolRef::Mcp { .. } => return arguments,
        ToolRef::Browser { .. } if target.read_only => return Value::Null,
        ToolRef::Browser { .. } => {}
    }
    if let Some(members) = arguments.as_object_mut() {
        members.retain(|name, _| TYPED.contains(&name.as_str()));
    }
    let fields = arguments.get_mut("fields").and_then(Value::as_array_mut);
    for field in fields.into_iter().flatten().filter_map(Value::as_object_mut) {
        field.remove("selector");
    }
    arguments
}

/// What an address tells its site: all but scheme and domain.
fn told_by(url: &str) -> String {
    let host = Address::of(url).host;
    let domain = host.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot);
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    format!("{} {}", &host[..domain], rest.get(host.len()..).unwrap_or_default())
}

/// The data of other origins in the arguments of a call. `schema` is that of its tool (JSON text): words in
/// it are not data.
#[must_use]
pub fn flows(
    log: &[Entry],
    target: &Target,
    arguments: &str,
    schema: Option<&str>,
    nfkc: Nfkc<'_>,
) -> Vec<Flow> {
    let url = led_to(target, arguments);
    let target = &*destination(target, arguments);
    let arguments = match &url {
        Some(url) => json!({"url": told_by(url)}),
        None => told_to_page(target, serde_json::from_str(arguments).unwrap_or_default()),
    };
    let sources = sources::sources(log);
    let (own, mut others): (Vec<_>, Vec<_>) = sources.iter().partition(|source| source.is_of(target));
    // A link of a page tells what that page itself would, if the user followed it.
    others.retain(|source| url.as_ref().is_none_or(|url| !source.text().contains(url.as_str())));
    if others.is_empty() {
        return Vec::new();
    }
    let forms = ArgumentTexts::of(&arguments, nfkc);
    if forms.list.is_empty() {
        return Vec::new();
    }
    let known = Known::new(&forms, nfkc, || {
        let said =
            said_in_turn(log).flat_map(|text| arguments::decoded(text).into_iter().chain([text.to_owned()]));
        said.chain(schema.map(str::to_owned)).chain(own.iter().map(|source| source.text())).collect()
    });
    let mut flows: Vec<Flow> = Vec::new();
    for source in others {
        let origin = Some(source.origin).filter(|origin| is_lasting(origin)).unwrap_or_default();
        let is_of = |flow: &&Flow| flow.origin == origin && flow.site == source.site;
        // Reading all results of a tool may take long: the rest is skipped once every argument was reported.
        let is_named = |form: &ArgumentText| {
            let of_tool = flows.iter().filter(is_of).filter(|flow| flow.tool == source.tool);
            of_tool.flat_map(|flow| flow.argument.split(", ")).any(|argument| argument == form.argument)
        };
        if forms.list.iter().all(is_named) {
            continue;
        }
        for Shared { arguments, data } in SourceText::of(source, nfkc).shared(&forms, &known) {
            let argument = arguments.join(", ");
            let is_told = |flow: &Flow| is_of(&flow) && arguments.contains(&flow.argument.as_str());
            if flows.len() < MOST_FLOWS && !flows.iter().any(is_told) {
                flows.push(Flow {
                    origin: origin.to_owned(),
                    site: source.site.to_owned(),
                    tool: source.tool.to_owned(),
                    argument,
                    data: visible(&data).chars().take(Flow::MOST).collect(),
                });
            }
        }
    }
    flows
}

/// Whether the user allowed, in this thread, that data goes from one origin to another.
#[must_use]
pub fn is_allowed(log: &[Entry], from: &str, to: &str) -> bool {
    let is_it =
        |event: &Event| matches!(event, Event::FlowAllowed { from: f, to: t, .. } if f == from && t == to);
    is_lasting(from) && is_lasting(to) && branch::backwards(log).any(|position| is_it(&log[position].event))
}

/// What the user said in this turn.
fn said_in_turn(log: &[Entry]) -> impl Iterator<Item = &str> {
    branch::last_turn(log).into_iter().filter_map(|(_, entry)| match &entry.event {
        Event::TurnStarted { text, .. } => Some(text.as_str()),
        Event::ApprovalGiven { words, .. } => Some(words.as_str()),
        _ => None,
    })
}

/// Data in the arguments that comes from one source.
struct Shared<'f> {
    /// The arguments that contain it.
    arguments: Vec<&'f str>,
    data: String,
}

/// What is known from elsewhere and so is not data of another origin. Read only when a match is found,
/// which is rare.
struct Known<'f, T> {
    forms: &'f ArgumentTexts,
    nfkc: Nfkc<'f>,
    texts: T,
    read: OnceCell<KnownTexts>,
}

struct KnownTexts {
    words: Vec<WordSequence>,
    numbers: HashSet<String>,
    compact: Vec<Vec<char>>,
    forwards: Marks,
    backwards: Marks,
}

impl<'f, T: Fn() -> Vec<String>> Known<'f, T> {
    fn new(forms: &'f ArgumentTexts, nfkc: Nfkc<'f>, texts: T) -> Self {
        Self { forms, nfkc, texts, read: OnceCell::new() }
    }

    fn texts(&self) -> &KnownTexts {
        self.read.get_or_init(|| {
            let texts: Vec<String> = (self.texts)().iter().map(|text| plain(text, self.nfkc)).collect();
            let compact: Vec<Vec<char>> = texts.iter().map(|text| Compact::of(text).characters).collect();
            KnownTexts {
                words: texts.iter().map(|text| WordSequence::of(text)).collect(),
                numbers: texts.iter().flat_map(|text| numbers::numbers(text)).collect(),
                forwards: self.forms.forwards.substrings.marks(&compact),
                backwards: self.forms.backwards.substrings.marks(&compact),
                compact,
            }
        })
    }

    /// Whether this part of the arguments, read in this direction, is known.
    fn has(&self, joined: &Joined, part: &[char]) -> bool {
        let known = self.texts();
        let turned: Vec<char> = part.iter().rev().copied().collect();
        let ArgumentTexts { forwards, backwards, .. } = self.forms;
        match joined.is_backwards {
            false => forwards.substrings.is_marked(&known.forwards, part),
            true => {
                backwards.substrings.is_marked(&known.backwards, part)
                    || forwards.substrings.is_marked(&known.forwards, &turned)
            }
        }
    }

    /// Whether a text is known, however it stands in the arguments.
    fn has_text(&self, part: &[char]) -> bool {
        self.texts().compact.iter().any(|text| text.windows(part.len()).any(|window| window == part))
    }
}

/// The words that an argument shares with a source.
fn shared_words<'f, T: Fn() -> Vec<String>>(
    form: &'f ArgumentText,
    words: &WordSequence,
    known: &Known<'f, T>,
) -> Option<Shared<'f>> {
    let data = form.words.shared(words, || known.texts().words.as_slice())?;
    let data = if form.words.are(&data) { form.text.clone() } else { data };
    Some(Shared { arguments: vec![&form.argument], data })
}

/// A source as compared. Words and numbers are read only if the arguments may share some.
struct SourceText {
    plain: String,
    compact: Compact,
}

impl SourceText {
    fn of(source: &FlowSource<'_>, nfkc: Nfkc<'_>) -> Self {
        let plain = plain(&source.text(), nfkc);
        Self { compact: Compact::of(&plain), plain }
    }

    /// The data in the arguments that is from this source and known from nowhere else.
    fn shared<'f, T: Fn() -> Vec<String>>(
        &self,
        forms: &'f ArgumentTexts,
        known: &Known<'f, T>,
    ) -> Vec<Shared<'f>> {
        let mut shared = Vec::new();
        let forwards = forms.forwards.substrings.matches(&self.compact.characters, LEAST_MATCH);
        if forwards.iter().any(|found| self.may_hold_words(found, &forms.forwards)) {
            let words = WordSequence::of(&self.plain);
            shared.extend(forms.list.iter().filter_map(|form| shared_words(form, &words, known)));
        }
        if forms.list.iter().any(|form| form.number.is_some()) {
            let numbers = numbers::numbers(&self.plain);
            let is_new =
                |number: &&String| numbers.contains(*number) && !known.texts().numbers.contains(*number);
            shared.extend(forms.list.iter().filter_map(|form| {
                let data = form.number.as_ref().filter(is_new)?.clone();
                Some(Shared { arguments: vec![&form.argument], data })
            }));
        }
        let backwards = forms.backwards.substrings.matches(&self.compact.characters, LEAST_MATCH);
        for (joined, matches) in [(&forms.forwards, forwards), (&forms.backwards, backwards)] {
            for found in matches {
                if shared.len() >= MOST_FLOWS {
                    return shared;
                }
                let parts = self.telling(&found, joined);
                let new = parts.into_iter().find(|part| !known.has(joined, &joined.characters[part.clone()]));
                shared.extend(new.map(|part| joined.shared(&part, &forms.list)));
            }
        }
        let nearly = self.nearly_in(forms).filter(|(code, part)| {
            !known.has(&forms.forwards, &forms.forwards.characters[part.clone()]) && !known.has_text(code)
        });
        shared.extend(nearly.map(|(_, part)| forms.forwards.shared(&part, &forms.list)));
        shared
    }

    /// Whether a match may contain telling words: texts that share words share their letters.
    fn may_hold_words(&self, found: &Match, joined: &Joined) -> bool {
        let characters = &self.compact.characters[found.theirs.clone()];
        characters.len() >= LEAST_WORDS
            || characters.len() >= LEAST_CODE && characters.iter().any(|c| c.is_numeric())
            || characters.iter().any(|c| is_chinese(*c))
            || joined.has_value_within(&found.ours)
    }

    /// The parts of a match that are too specific to be chance.
    fn telling(&self, found: &Match, joined: &Joined) -> Vec<Range<usize>> {
        let Match { theirs, ours } = found;
        let characters = &self.compact.characters[theirs.clone()];
        let within = |place: &Range<usize>| place.start.max(theirs.start)..place.end.min(theirs.end);
        let digits = |part: &Range<usize>| {
            self.compact.characters[part.clone()].iter().filter(|c| c.is_numeric()).count()
        };
        let mut parts: Vec<Range<usize>> = Compact::overlapping(&self.compact.codes, theirs)
            .iter()
            .filter(|code| {
                within(code) == **code || within(code).len() >= LEAST_PART && digits(&within(code)) > 0
            })
            .map(within)
            .map(|part| part.start - theirs.start + ours.start..part.end - theirs.start + ours.start)
            .collect();
        parts.extend(joined.values_within(ours));
        let is_chinese = characters.len() >= LEAST_TEXT_CHINESE && characters.iter().all(|c| is_chinese(*c));
        let dated: usize =
            Compact::overlapping(&self.compact.dates, theirs).iter().map(|date| within(date).len()).sum();
        let is_grouped =
            characters.len() >= LEAST_GROUPED && digits(theirs).saturating_sub(dated) >= LEAST_GROUPED_DIGITS;
        if is_chinese || is_grouped || characters.len() >= LEAST_TEXT {
            parts.push(ours.clone());
        }
        parts
    }

    /// Codes that stand in the arguments with a letter added or removed, and where.
    fn nearly_in(&self, forms: &ArgumentTexts) -> impl Iterator<Item = (&[char], Range<usize>)> {
        let all = &forms.forwards.characters;
        let ends = |code: &[char]| {
            let turned: Vec<char> = code.iter().rev().copied().collect();
            (forms.forwards.substrings.prefix(code), forms.backwards.substrings.prefix(&turned))
        };
        self.compact
            .short_codes()
            .map(|code| &self.compact.characters[code.clone()])
            .filter(move |code| {
                let (before, after) = ends(code);
                code.len() >= LEAST_PART && before < code.len() && before + after + 1 >= code.len()
            })
            .take(MOST_FUZZY)
            .filter_map(|code| Some((code, compact::nearly(code, all)?)))
    }
}
