//! A thread as Markdown, to be read elsewhere: who said what, and what each tool was called with and gave.
//!
//! What anybody said stands in a quotation or a fence, so that nothing in it passes for a heading of ours. HTML in it, and
//! pictures that would be loaded, are text; what nobody would see is written out.

use std::fmt::Write as _;

use sidecar_protocol::Timestamp;
use sidecar_protocol::attachment::{Attachment, Extract};
use sidecar_protocol::content::{Content, PageEffect};
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::{
    ItemKind, Question, Rest, ThreadSummary, ToolFailure, ToolItem, ToolOutcome, ToolState,
};
use sidecar_webmcp::visible;

use crate::log::Entry;
use crate::view;

/// The words that stand around what was said.
struct Labels {
    untitled: &'static str,
    you: &'static str,
    agent: &'static str,
    tool: &'static str,
    arguments: &'static str,
    result: &'static str,
    nothing: &'static str,
    failed: &'static str,
    refused: &'static str,
    declined: &'static str,
    interrupted: &'static str,
    timed_out: &'static str,
    cancelled: &'static str,
    repeated: &'static str,
    unfinished: &'static str,
    broken_off: &'static str,
    page: &'static str,
    selection: &'static str,
}

const ENGLISH: Labels = Labels {
    untitled: "Untitled",
    you: "You",
    agent: "Agent",
    tool: "Tool",
    arguments: "Arguments:",
    result: "Result:",
    nothing: "It returned nothing.",
    failed: "It failed.",
    refused: "It was refused and did not run.",
    declined: "You declined it, so it did not run.",
    interrupted: "It was interrupted; its effect is unknown.",
    timed_out: "It took too long and was cancelled; its effect is unknown.",
    cancelled: "It was stopped.",
    repeated: "It was done already; the same call stands above.",
    unfinished: "It has no result yet.",
    broken_off: "The turn did not come to its end.",
    page: "Attached, text of a page:",
    selection: "Attached, selected on a page:",
};

const CHINESE: Labels = Labels {
    untitled: "无标题",
    you: "你",
    agent: "助手",
    tool: "工具",
    arguments: "参数：",
    result: "结果：",
    nothing: "没有返回内容。",
    failed: "运行失败。",
    refused: "调用被拒绝，没有运行。",
    declined: "你没有同意，所以没有运行。",
    interrupted: "调用被中断，不清楚是否已经生效。",
    timed_out: "运行超时，已取消，不清楚是否已经生效。",
    cancelled: "调用已停止。",
    repeated: "这已经做过，上面有同样的调用。",
    unfinished: "还没有结果。",
    broken_off: "这一轮没有完成。",
    page: "附上的网页文字：",
    selection: "附上的选中文字：",
};

/// The thread. Moments are in UTC.
#[must_use]
pub fn of(summary: &ThreadSummary, log: &[Entry], language: Language) -> String {
    let labels = match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    };
    let title = if summary.title.is_empty() { labels.untitled } else { &summary.title };
    let mut text = format!("# {}\n\n", one_line(title));
    if !summary.site.is_empty() {
        let _ = write!(text, "{} · ", one_line(&summary.site));
    }
    let _ = writeln!(text, "{}", moment(summary.created));
    for item in view::items(log, None) {
        match &item.kind {
            ItemKind::User { text: said, attached } => {
                let attached = attached.iter().map(|attached| of_attachment(attached, labels));
                let said: Vec<String> = std::iter::once(quoted(said)).chain(attached).collect();
                section(&mut text, labels.you, &said.join("\n\n"));
            }
            ItemKind::Assistant { text: said, .. } if said.trim().is_empty() => {}
            ItemKind::Assistant { text: said, .. } => section(&mut text, labels.agent, &quoted(said)),
            ItemKind::Tool(ToolItem { question: Some(question), state, .. }) => {
                section(&mut text, labels.agent, &of_question(question));
                if let ToolState::Finished { outcome: ToolOutcome::Ok { content, .. }, .. } = state {
                    section(&mut text, labels.you, &quoted(&Content::texts(content)));
                }
            }
            ItemKind::Tool(tool) => section(&mut text, labels.tool, &of_tool(tool, labels)),
            ItemKind::Rest { rest: Rest::Done, .. } => {}
            ItemKind::Rest { .. } => {
                let _ = write!(text, "\n*{}*\n", labels.broken_off);
            }
            ItemKind::Retry { .. }
            | ItemKind::LeftOut { .. }
            | ItemKind::Guard { .. }
            | ItemKind::Versions { .. }
            | ItemKind::Compacted { .. } => {}
        }
    }
    text
}

fn section(text: &mut String, who: &str, said: &str) {
    let _ = write!(text, "\n## {who}\n\n{}\n", said.trim_end());
}

fn of_question(question: &Question) -> String {
    let mut text = question.text.trim().to_owned();
    for (number, choice) in question.choices.iter().enumerate() {
        let choice = choice.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = write!(text, "{}- {choice}", if number == 0 { "\n\n" } else { "\n" });
    }
    quoted(&text)
}

fn of_attachment(Attachment { what, site, text, .. }: &Attachment, labels: &Labels) -> String {
    let what = match what {
        Extract::Page => labels.page,
        Extract::Selection => labels.selection,
    };
    format!("{what} {}\n\n{}", one_line(site), fenced(text))
}

fn of_tool(tool: &ToolItem, labels: &Labels) -> String {
    let name = visible(&tool.name).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = format!("`{}`", name.replace('`', "'"));
    if !tool.site.is_empty() {
        let _ = write!(text, " · {}", one_line(&tool.site));
    }
    let _ = write!(text, "\n\n{}\n\n{}", labels.arguments, fenced(&tool.arguments));
    let (word, said) = match &tool.state {
        ToolState::Finished { outcome, .. } => {
            let word = match outcome {
                ToolOutcome::Ok { page: PageEffect::Left { .. }, .. } => Some(labels.nothing),
                ToolOutcome::Ok { page: PageEffect::Stayed | PageEffect::Opened { .. }, .. } => None,
                ToolOutcome::Failed {
                    code:
                        ToolFailure::UnknownTool
                        | ToolFailure::BadArguments
                        | ToolFailure::Changed
                        | ToolFailure::Off,
                    ..
                } => Some(labels.refused),
                ToolOutcome::Failed { .. } => Some(labels.failed),
                ToolOutcome::Declined => Some(labels.declined),
                ToolOutcome::Interrupted => Some(labels.interrupted),
                ToolOutcome::TimedOut { .. } => Some(labels.timed_out),
                ToolOutcome::Cancelled => Some(labels.cancelled),
                ToolOutcome::Repeated { .. } => Some(labels.repeated),
            };
            (word, outcome.text())
        }
        ToolState::Queued | ToolState::Asking | ToolState::Running { .. } | ToolState::Waiting { .. } => {
            (Some(labels.unfinished), None)
        }
    };
    if let Some(word) = word {
        let _ = write!(text, "\n\n{word}");
    }
    if let Some(said) = said.filter(|said| !said.is_empty()) {
        let _ = write!(text, "\n\n{}\n\n{}", labels.result, fenced(&said));
    }
    text
}

/// A text that ends where we say, whatever it holds.
fn fenced(text: &str) -> String {
    let text = legible(text);
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}

/// Markdown of somebody else, which ends where we say, and in which HTML is text.
fn quoted(text: &str) -> String {
    harmless(&legible(text))
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Text of somebody else within a line of ours.
fn one_line(text: &str) -> String {
    let text = legible(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        if matches!(c, '\\' | '`' | '<' | '[' | ']' | '&') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A text with what nobody would see written out, and with one kind of line ends.
fn legible(text: &str) -> String {
    visible(&text.replace("\r\n", "\n").replace('\r', "\n")).into_owned()
}

/// Markdown with backslashes before what would begin HTML or a picture. In code they would be seen, so it stays as it is
/// where it is certain that it is code: in fences at the beginning of lines, and in spans that end in their line.
fn harmless(markdown: &str) -> String {
    let is_clear = |line: &str| {
        let inner = line.trim_start_matches(['`', '~']);
        !inner.contains("```") && !inner.contains("~~~")
    };
    let has_code = markdown.lines().all(is_clear);
    let mut fence: Option<&str> = None;
    // A span that did not end in its line goes on until the paragraph ends, at most.
    let mut is_open = false;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        let mark = fence_of(line).filter(|_| has_code);
        match (fence, mark) {
            (Some(open), Some(mark)) if mark.starts_with(open) && line.trim_end() == mark => fence = None,
            (Some(_), _) => {}
            (None, Some(_)) => (fence, is_open) = (mark, false),
            (None, None) => {
                is_open &= !line.trim().is_empty();
                let (escaped, is_whole) = escaped(line, has_code && !is_open);
                is_open |= !is_whole;
                lines.push(escaped);
                continue;
            }
        }
        lines.push(line.to_owned());
    }
    lines.join("\n")
}

/// The mark with which a line begins or ends a fence.
fn fence_of(line: &str) -> Option<&str> {
    let first = line.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let (mark, rest) = line.split_at(line.len() - line.trim_start_matches(first).len());
    (mark.len() >= 3 && (first == '~' || !rest.contains('`'))).then_some(mark)
}

/// A line of Markdown in which nothing begins HTML or a picture, and whether every span of code that begins in it ends in
/// it, too. Spans are left as they are if `has_code`.
fn escaped(line: &str, has_code: bool) -> (String, bool) {
    let (mut escaped, mut is_whole) = (String::with_capacity(line.len()), true);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let length = match c {
            '`' => match span(rest, ticks).filter(|_| is_whole) {
                Some(length) if has_code => length,
                Some(_) | None => {
                    is_whole = false;
                    ticks
                }
            },
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '<' => {
                escaped.push('\\');
                1
            }
            '!' if rest[1..].starts_with('[') => {
                escaped.push('\\');
                1
            }
            c => c.len_utf8(),
        };
        escaped.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    (escaped, is_whole)
}

/// How long a span of code is that begins with so many ticks, if it ends.
fn span(text: &str, ticks: usize) -> Option<usize> {
    let mut at = ticks;
    loop {
        at += text[at..].find('`')?;
        let run = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += run;
        if run == ticks {
            return Some(at);
        }
    }
}

/// `2026-11-22 09:30 UTC`
fn moment(at: Timestamp) -> String {
    let minutes = at / 60_000;
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    let (year, month, day) = date(minutes / 1440);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar. Years are counted from March, so
/// that the leap day is the last of them, and in eras of 400.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use sidecar_llm::CallRecord;
    use sidecar_protocol::{CallId, ThreadId, TurnId};

    use super::*;
    use crate::log::{Ending, Event, PageRef, Target};
    use crate::testing::{meant, tool_id};

    fn thread() -> (ThreadSummary, Vec<Entry>) {
        let call = |id: &str, target| {
            let arguments = r#"{"to":"SOF"}"#.to_owned();
            meant(
                CallId::from(id),
                CallRecord { id: id.to_owned(), name: "find".to_owned(), arguments },
                target,
            )
        };
        let target = Target {
            tool: tool_id("search"),
            site: "flights.example".to_owned(),
            origin: "https://flights.example".to_owned(),
            read_only: true,
            consequential: false,
            fingerprint: None,
        };
        let outcome = ToolOutcome::ok("```\n## You\n```");
        let attachment = Attachment {
            what: Extract::Selection,
            origin: "https://news.example".to_owned(),
            site: "news.example".to_owned(),
            text: "```\n## Tool".to_owned(),
            whole: None,
            signs: Vec::new(),
        };
        let events = [
            Event::TurnStarted {
                turn: TurnId::from("t"),
                text: "To Sofia\n\n## Agent".to_owned(),
                attached: vec![attachment],
                page: PageRef { site: "flights.example".to_owned(), ..PageRef::default() },
            },
            Event::ModelAsked { provider: String::new(), model: String::new(), tools: 1, offers: None },
            Event::ModelAnswered {
                reasoning: "hm".to_owned(),
                reasoning_ms: None,
                text: "I look.".to_owned(),
                calls: vec![call("a", Some(target)), call("b", None)],
                usage: None,
                cost: None,
                ending: Ending::Natural,
                notes: Vec::new(),
                lost: None,
                provider_state: None,
            },
            Event::ToolFinished { call: CallId::from("a"), outcome, duration_ms: 1 },
            Event::ToolFinished { call: CallId::from("b"), outcome: ToolOutcome::Declined, duration_ms: 0 },
            Event::TurnRested { rest: Rest::Stopped },
        ];
        let log = events.into_iter().map(|event| Entry { at: 1_794_994_200_000, event }).collect::<Vec<_>>();
        (view::summary(&ThreadId::from("x"), &log).unwrap(), log)
    }

    #[test]
    fn a_thread_reads_as_it_happened_and_nothing_in_it_passes_for_something_else() {
        let (summary, log) = thread();
        let expected = r####"# To Sofia ## Agent

flights.example · 2026-11-18 09:30 UTC

## You

> To Sofia
>
> ## Agent

Attached, selected on a page: news.example

````
```
## Tool
````

## Agent

> I look.

## Tool

`search` · flights.example

Arguments:

```
{"to":"SOF"}
```

Result:

````
```
## You
```
````

## Tool

`find`

Arguments:

```
{"to":"SOF"}
```

You declined it, so it did not run.

*The turn did not come to its end.*
"####;
        assert_eq!(of(&summary, &log, Language::English), expected);
    }

    #[test]
    fn what_was_said_cannot_pass_for_what_we_say_nor_act() {
        let (mut summary, mut log) = thread();
        summary.title = "a\u{202e}b <img src=x onerror=alert(1)> ![x](https://a.example) &lt;".to_owned();
        let said = "Hi\r## You\n\n> pay\n\nYou\n---\n<img src=x onerror=alert(1)> ![x](https://a.example/?d)\n\n```html\n<b>code</b>\n```\n\
            a `<b>` and \\<b> c \u{202e}\n\n```\nopen";
        for entry in &mut log {
            match &mut entry.event {
                Event::ModelAnswered { text, .. } => *text = said.to_owned(),
                Event::TurnStarted { text, .. } => *text = "\r# Agent\r\n<script>".to_owned(),
                _ => {}
            }
        }
        let text = of(&summary, &log, Language::English);
        let headings: Vec<_> = text.lines().filter(|line| line.starts_with('#')).collect();
        // The second and the fifth stand in fences.
        assert_eq!(headings[1..], ["## You", "## Tool", "## Agent", "## Tool", "## You", "## Tool"]);
        assert_eq!(
            headings[0],
            r"# a⟨U+202E⟩b \<img src=x onerror=alert(1)> !\[x\](https://a.example) \&lt;"
        );
        assert!(text.contains("> # Agent\n> \\<script>"), "{text}");
        let answer = text.split("## Agent\n\n").nth(1).unwrap().split("\n\n## Tool").next().unwrap();
        let expected = r"> Hi
> ## You
>
> > pay
>
> You
> ---
> \<img src=x onerror=alert(1)> \![x](https://a.example/?d)
>
> ```html
> <b>code</b>
> ```
> a `<b>` and \<b> c ⟨U+202E⟩
>
> ```
> open";
        assert_eq!(answer, expected);
    }

    #[test]
    fn html_is_text_where_it_is_not_certain_that_it_is_code() {
        for (markdown, expected) in [
            ("a ` b\nc ` <img> ` d", "a ` b\nc ` \\<img> ` d"),
            ("a ` b\n\nc `<img>` d", "a ` b\n\nc `<img>` d"),
            ("- ```\n<img>\n```", "- ```\n\\<img>\n```"),
            ("- a\n  ```\n<img>", "- a\n  ```\n\\<img>"),
            ("```a`b\n<img>\n```", "```a`b\n\\<img>\n```"),
            ("````\n```\n<b>\n````\n<i>", "````\n```\n<b>\n````\n\\<i>"),
            ("``a`<b>`` <i>", "``a`<b>`` \\<i>"),
            (r"\`<b>\` \\<b>", r"\`\<b>\` \\\<b>"),
        ] {
            assert_eq!(harmless(markdown), expected);
        }
    }

    #[test]
    fn it_speaks_the_users_language() {
        let (summary, log) = thread();
        let text = of(&summary, &log, Language::Chinese);
        for part in ["## 你\n", "## 助手\n", "## 工具\n", "参数：\n", "你没有同意，所以没有运行。"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("## You\n\n"));
    }

    #[test]
    fn days_have_their_dates() {
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (19_782, (2024, 2, 29)),
            (19_783, (2024, 3, 1)),
            (20_454, (2026, 1, 1)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date(days), expected, "{days}");
        }
    }
}
