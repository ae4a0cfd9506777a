//! Data that was read on one origin and would go into a call on another. It is found by its words: what an argument shares
//! with a result, long or telling enough not to be chance, and not what the user said.
//!
//! What a model says in words of its own is not found, nor what it encodes.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;
use sidecar_protocol::attachment::Attachment;
use sidecar_protocol::content::PageEffect;
use sidecar_protocol::guard::Flow;
use sidecar_protocol::page::caps;
use sidecar_protocol::policy::is_lasting;
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{CallId, DocumentId};
use sidecar_webmcp::visible;

use crate::leaves::leaves;
use crate::log::{Call, Entry, Event, Target};
use crate::{result, story};

/// Results and attached texts of one origin that are looked at, the last ones first, and of all: none pushes out those
/// of another.
const MOST_OF_ORIGIN: usize = 50;
const MOST_SOURCES: usize = 300;

/// Most characters of a result that are looked at: as many as a model can be given.
const MOST_READ: usize = 200_000;

/// Most words of an argument that are looked at.
const MOST_WORDS: usize = 4_000;

/// Most flows that are told of one call.
const MOST_FLOWS: usize = 8;

/// Characters that a whole value has at least, and one of Chinese characters alone.
const LEAST: usize = 6;
const LEAST_CHINESE: usize = 4;

/// Characters and words that a part of a longer value has at least, and such a part of Chinese characters.
const LEAST_PART: usize = 16;
const LEAST_PART_WORDS: usize = 3;
const LEAST_PART_CHINESE: usize = 8;

/// The data of other origins in the arguments of a call. `schema` is that of its tool (JSON text): what it names is no
/// data.
#[must_use]
pub fn flows(log: &[Entry], target: &Target, arguments: &str, schema: Option<&str>) -> Vec<Flow> {
    let Ok(arguments) = serde_json::from_str::<Value>(arguments) else { return Vec::new() };
    let sources = sources(log);
    let (own, others): (Vec<_>, Vec<_>) = sources.iter().partition(|source| source.is_of(target));
    if others.is_empty() {
        return Vec::new();
    }
    let story = story::story(log);
    let said = story.iter().filter_map(|(_, entry)| match &entry.event {
        Event::TurnStarted { text, .. } => Some(Words::of(text)),
        Event::ApprovalGiven { words, .. } => Some(Words::of(words)),
        _ => None,
    });
    let known: Vec<Words> =
        said.chain(schema.map(Words::of)).chain(own.iter().map(|source| source.words())).collect();
    let others: Vec<_> = others.into_iter().map(|source| (source, source.words())).collect();
    let mut flows = Vec::new();
    leaves(&arguments, &mut |argument, text| {
        let value = Words::of(text);
        for (from, words) in &others {
            let Some(data) = value.shared(words, &known) else { continue };
            let whole = data == phrase(&value.list);
            let shown = if whole { visible(text).into_owned() } else { data };
            let flow = Flow {
                site: from.site.to_owned(),
                tool: from.tool.to_owned(),
                argument: argument.to_owned(),
                data: shown.chars().take(Flow::MOST).collect(),
            };
            let is_known =
                flows.iter().any(|known: &Flow| known.site == flow.site && known.argument == flow.argument);
            if !is_known && flows.len() < MOST_FLOWS {
                flows.push(flow);
            }
        }
    });
    flows
}

/// A text of a page that the model was given.
struct Source<'a> {
    origin: &'a str,
    site: &'a str,
    /// The tool that gave it; empty where the user attached it.
    tool: &'a str,
    /// Where its tool is.
    document: Option<&'a DocumentId>,
    given: Given<'a>,
}

#[derive(Clone, Copy)]
enum Given<'a> {
    Outcome(&'a ToolOutcome),
    Attached(&'a str),
}

impl Source<'_> {
    /// Whether it is of the same origin as a tool. One without an origin of its own is alone in its document.
    fn is_of(&self, target: &Target) -> bool {
        match (is_lasting(self.origin), is_lasting(&target.origin)) {
            (true, true) => self.origin == target.origin,
            // Logs of before origins were kept have the host at least.
            _ if self.origin.is_empty() || target.origin.is_empty() => self.site == target.site,
            _ => self.document.is_some() && self.document == target.tool.document(),
        }
    }

    fn words(&self) -> Words {
        let text = match self.given {
            Given::Attached(text) => return Words::of(text),
            Given::Outcome(outcome) => result::read(outcome).text().unwrap_or_default().into_owned(),
        };
        let beginning: String = text.chars().take(MOST_READ).collect();
        match serde_json::from_str::<Value>(&text) {
            // Escapes hide words.
            Ok(value) if text.len() < caps::RESULT => {
                let mut all = String::new();
                leaves(&value, &mut |_, text| {
                    if all.len() < 4 * MOST_READ {
                        all.push_str(text);
                        all.push('\n');
                    }
                });
                Words::of(&all)
            }
            Ok(_) | Err(_) => Words::of(&beginning),
        }
    }
}

/// The results and attached texts in the story of a log, the last ones first.
fn sources<'a>(log: &'a [Entry]) -> Vec<Source<'a>> {
    let calls: Vec<&'a Call> = story::backwards(log)
        .filter_map(|position| match &log[position].event {
            Event::ModelAnswered { calls, .. } => Some(calls),
            _ => None,
        })
        .flatten()
        .collect();
    let target_of = |id: &CallId| calls.iter().find(|call| call.id == *id)?.target.as_ref();
    let sources = |position: usize| match &log[position].event {
        Event::ToolFinished { call, outcome, .. } => {
            let page = match outcome {
                ToolOutcome::Ok { page: PageEffect::Opened { origin, site }, .. } => Some((origin, site)),
                _ => None,
            };
            let source = |target: &'a Target| Source {
                origin: page.map_or(&target.origin, |(origin, _)| origin),
                site: page.map_or(&target.site, |(_, site)| site),
                tool: target.tool.name(),
                // What a form led to is in another document.
                document: target.tool.document().filter(|_| page.is_none()),
                given: Given::Outcome(outcome),
            };
            target_of(call).map(source).into_iter().collect()
        }
        Event::TurnStarted { attached, .. } => {
            let source = |attached: &'a Attachment| Source {
                origin: &attached.origin,
                site: &attached.site,
                tool: "",
                document: None,
                given: Given::Attached(&attached.text),
            };
            attached.iter().map(source).collect()
        }
        _ => Vec::new(),
    };
    let mut counts = HashMap::new();
    let has_room = |source: &Source<'_>| {
        let count = counts.entry((source.origin.to_owned(), source.site.to_owned())).or_insert(0);
        *count += 1;
        *count <= MOST_OF_ORIGIN
    };
    story::backwards(log).flat_map(sources).filter(has_room).take(MOST_SOURCES).collect()
}

/// The words of a text in small letters, without what stands between them. Each Chinese character is a word.
struct Words {
    list: Vec<String>,
    /// All of them, each between spaces.
    text: String,
    /// Each of them, and each two that follow one another: most parts of other texts are not here, which these tell quickly.
    pairs: HashSet<u64>,
}

impl Words {
    fn of(text: &str) -> Self {
        let mut spaced = String::with_capacity(text.len() + 2);
        for c in text.chars().flat_map(char::to_lowercase) {
            match c {
                _ if is_chinese(c) => {
                    spaced.push(' ');
                    spaced.push(c);
                    spaced.push(' ');
                }
                _ if c.is_alphanumeric() => spaced.push(c),
                // Invisible characters do not part a word.
                _ if c.is_ascii() || visible(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8() => {
                    spaced.push(' ')
                }
                _ => {}
            }
        }
        let list: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
        let text = format!(" {} ", list.join(" "));
        let pairs = list.windows(2).chain(list.chunks(1)).map(digest).collect();
        Self { list, text, pairs }
    }

    fn has(&self, words: &[String]) -> bool {
        let last = &words[words.len().saturating_sub(2)..];
        self.pairs.contains(&digest(last)) && self.text.contains(&format!(" {} ", words.join(" ")))
    }

    /// The longest part of these words that stands in others and tells something, if nobody else has it either.
    fn shared(&self, others: &Self, known: &[Self]) -> Option<String> {
        let list = &self.list[..self.list.len().min(MOST_WORDS)];
        let tells = |run: &[String]| tells(run, run.len() == self.list.len());
        let is_new = |run: &[String]| !known.iter().any(|words| words.has(run));
        let mut best: &[String] = &[];
        let mut end = 0;
        for start in 0..list.len() {
            end = end.max(start);
            // What follows from here is at least what followed from the word before, less that word.
            while end < list.len() && others.has(&list[start..=end]) {
                end += 1;
            }
            let run = &list[start..end];
            if run.len() > best.len() && tells(run) && is_new(run) {
                best = run;
            }
        }
        let telling = || {
            list.iter()
                .find(|word| is_code(word) && others.has(&[(*word).clone()]) && is_new(&[(*word).clone()]))
        };
        match best.is_empty() {
            false => Some(phrase(best)),
            true => telling().cloned(),
        }
    }
}

/// Words as they are read: between Chinese characters there is no space.
fn phrase(words: &[String]) -> String {
    let mut phrase = String::new();
    for word in words {
        let is_chinese_end = |c: Option<char>| c.is_none_or(is_chinese);
        if !(is_chinese_end(phrase.chars().last()) && is_chinese_end(word.chars().next())) {
            phrase.push(' ');
        }
        phrase.push_str(word);
    }
    phrase.trim_start().to_owned()
}

fn digest(words: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// Whether a run of words is too long to be shared by chance; a whole value may be shorter.
fn tells(run: &[String], is_whole: bool) -> bool {
    let characters: usize = run.iter().map(|word| word.chars().count()).sum();
    let chinese = run.iter().all(|word| word.chars().all(is_chinese));
    match (chinese, is_whole) {
        (true, true) => characters >= LEAST_CHINESE,
        (true, false) => characters >= LEAST_PART_CHINESE,
        (false, true) => characters >= LEAST,
        (false, false) => characters >= LEAST_PART && run.len() >= LEAST_PART_WORDS,
    }
}

/// Whether a word by itself is one that nobody makes up: a number or code of some length.
fn is_code(word: &str) -> bool {
    word.chars().count() >= LEAST && word.chars().any(|c| c.is_ascii_digit())
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use sidecar_llm::CallRecord;
    use sidecar_protocol::attachment::Extract;

    use super::*;
    use crate::log::PageRef;
    use crate::testing::{calling, meant, tool_id};
    use sidecar_protocol::{PageTool, ToolRef};

    fn target(origin: &str, name: &str) -> Target {
        let site = origin.trim_start_matches("https://").to_owned();
        let (tool, origin) = (tool_id(name), origin.to_owned());
        Target { tool, site, origin, read_only: true, consequential: false, fingerprint: None }
    }

    const MAIL: &str = "https://mail.example";
    const SHOP: &str = "https://shop.example";

    /// The user says something, and a tool of an origin gives a result.
    fn log(said: &str, results: &[(&str, &str)]) -> Vec<Entry> {
        let started = Event::TurnStarted {
            turn: "t".into(),
            text: said.to_owned(),
            attached: Vec::new(),
            page: PageRef::default(),
        };
        let mut events = vec![started];
        for (n, (origin, result)) in results.iter().enumerate() {
            let id = CallId(format!("c{n}"));
            let record =
                CallRecord { id: id.0.clone(), name: "readMail".to_owned(), arguments: "{}".to_owned() };
            let target = Some(target(origin, "readMail"));
            let call = meant(id.clone(), record, target);
            events.push(calling(vec![call]));
            let outcome = ToolOutcome::ok(*result);
            events.push(Event::ToolFinished { call: id, outcome, duration_ms: 1 });
        }
        events.into_iter().map(|event| Entry { at: 1, event }).collect()
    }

    /// What goes into a call of a shop of what was read in a mail.
    fn going(said: &str, mail: &str, arguments: Value) -> Vec<(String, String)> {
        let flows = flows(&log(said, &[(MAIL, mail)]), &target(SHOP, "order"), &arguments.to_string(), None);
        flows.into_iter().map(|flow| (flow.argument, flow.data)).collect()
    }

    #[test]
    fn data_of_another_origin_is_found_in_the_arguments() {
        let mail = "Your code is 483920. Call Anna Example (anna@mail.example), 12 Long Street, Springfield.";
        for (arguments, argument, data) in [
            (json!({"code": "483920"}), "code", "483920"),
            (json!({"code": 483_920}), "code", "483920"),
            (json!({"to": {"mail": "Anna@Mail.example"}}), "to.mail", "Anna@Mail.example"),
            (json!({"text": ["Hi! The code: 483920, bye"]}), "text", "483920"),
            (
                json!({"note": "Deliver it to 12 long street springfield, please"}),
                "note",
                "12 long street springfield",
            ),
            (json!({"name": "Anna\u{200b} Example"}), "name", "Anna⟨U+200B⟩ Example"),
        ] {
            assert_eq!(
                going("Go", mail, arguments.clone()),
                [(argument.to_owned(), data.to_owned())],
                "{arguments}"
            );
        }
        let found =
            going("去", "验证码：九五二七，地址是幸福路十二号三单元", json!({"地址": "幸福路十二号三单元"}));
        assert_eq!(found, [("地址".to_owned(), "幸福路十二号三单元".to_owned())]);
    }

    #[test]
    fn neither_length_nor_many_results_nor_the_place_in_an_object_hide_anything() {
        let code = json!({"text": format!("{} 483920", "word ".repeat(3_000))});
        assert_eq!(going("Go", "Your code is 483920.", code)[0].1, "483920");
        let chinese = json!({"text": format!("{}幸福路十二号三单元", "好的".repeat(600))});
        assert_eq!(going("去", "地址是幸福路十二号三单元。", chinese)[0].1, "幸福路十二号三单元");
        let keyed = json!({"to": {"anna@mail.example": {"at": "home"}}});
        assert_eq!(going("Go", r#"{"anna@mail.example": {"unread": 3}}"#, keyed)[0].0, "to");
        let mut results = vec![(MAIL, "Your code is 483920.")];
        results.extend((0..60).map(|_| (SHOP, "Another page of the list.")));
        let log = log("Go", &results);
        assert_eq!(flows(&log, &target(SHOP, "order"), r#"{"code": "483920"}"#, None).len(), 1);
        let late = format!("{} Your code is 483920.", "word ".repeat(35_000));
        assert_eq!(going("Go", &late, json!({"code": "483920"})).len(), 1);
    }

    #[test]
    fn escapes_and_layout_hide_nothing() {
        let mail = r#"{"content":[{"type":"text","text":"{\"code\": \"AB\u002d4839\u002d20\"}"}]}"#;
        assert_eq!(going("Go", mail, json!({"c": "ab 4839 20"})).len(), 1);
    }

    #[test]
    fn chance_the_user_and_the_tool_itself_are_no_source() {
        let mail = "2 seats in economy class on Monday for 1480 with code 483920";
        for (said, arguments) in [
            ("Go", json!({"seats": 2, "price": 1480, "day": "Monday class"})),
            ("Go", json!({"note": "We fly on Monday"})),
            ("Take code 483920", json!({"code": "483920"})),
            ("Go", json!({})),
            ("Go", json!(null)),
        ] {
            assert_eq!(going(said, mail, arguments.clone()), [], "{said} {arguments}");
        }
        let schema = r#"{"properties": {"class": {"enum": ["economy", "business"]}}}"#;
        let log = log("Go", &[(MAIL, mail)]);
        let call = r#"{"class": "economy"}"#;
        assert_eq!(flows(&log, &target(SHOP, "order"), call, Some(schema)), []);
        assert_eq!(flows(&log, &target(SHOP, "order"), call, None).len(), 1);
        assert_eq!(flows(&log, &target(SHOP, "order"), "{broken 483920", None), []);
    }

    #[test]
    fn what_stays_on_its_origin_or_was_there_too_does_not_flow() {
        let code = r#"{"code": "483920"}"#;
        let mail = log("Go", &[(MAIL, "483920")]);
        assert_eq!(flows(&mail, &target(MAIL, "send"), code, None), []);
        let both = log("Go", &[(MAIL, "483920"), (SHOP, "Your code: 483920")]);
        assert_eq!(flows(&both, &target(SHOP, "order"), code, None), []);
        // Opaque origins are all called the same and are not the same.
        let sandboxed = log("Go", &[("null", "483920")]);
        let mut other = target("null", "order");
        other.tool =
            ToolRef::Page(PageTool { document: "another".into(), ..other.tool.page().unwrap().clone() });
        assert_eq!(flows(&sandboxed, &other, code, None).len(), 1);
    }

    #[test]
    fn what_the_user_attached_is_a_source_and_what_the_user_said_is_none() {
        let attached = |origin: &str| Attachment {
            what: Extract::Page,
            origin: origin.to_owned(),
            site: "mail.example".to_owned(),
            text: "Your code: 483920".to_owned(),
            whole: None,
            signs: Vec::new(),
        };
        let flows = |said: &str, origin: &str| {
            let event = Event::TurnStarted {
                turn: "t".into(),
                text: said.to_owned(),
                attached: vec![attached(origin)],
                page: PageRef::default(),
            };
            flows(&[Entry { at: 1, event }], &target(SHOP, "order"), r#"{"code": "483920"}"#, None)
        };
        let found = flows("Go", MAIL);
        assert_eq!((found[0].site.as_str(), found[0].tool.as_str()), ("mail.example", ""));
        assert_eq!(flows("Take 483920", MAIL), []);
        assert_eq!(flows("Go", SHOP), []);
        assert_eq!(flows("Go", "null").len(), 1);
    }

    #[test]
    fn the_origin_the_tool_and_the_argument_are_told() {
        let log = log("Go", &[(SHOP, "nothing"), (MAIL, "Code 483920")]);
        let flows = flows(&log, &target(SHOP, "order"), r#"{"code": "483920"}"#, None);
        let expected = Flow {
            site: "mail.example".to_owned(),
            tool: "readMail".to_owned(),
            argument: "code".to_owned(),
            data: "483920".to_owned(),
        };
        assert_eq!(flows, [expected]);
    }

    proptest! {
        #[test]
        fn anything_can_be_held_against_anything(mail in "\\PC{0,60}", text in "\\PC{0,60}") {
            let flows = going("Go", &mail, json!({"a": text, "b": [mail.clone()]}));
            prop_assert!(flows.len() <= 2);
        }
    }
}
