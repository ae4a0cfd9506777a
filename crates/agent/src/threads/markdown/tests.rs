use sidecar_llm::CallRecord;
use sidecar_protocol::{CallId, ThreadId, TurnId};

use super::text::harmless;
use super::*;
use crate::log::{Ending, Event, PageRef, Target};
use crate::testing::{meant, tool_id};

fn thread() -> (ThreadSummary, Vec<Entry>) {
    let call = |id: &str, target| {
        let arguments = r#"{"to":"SOF"}"#.to_owned();
        meant(CallId::from(id), CallRecord { id: id.to_owned(), name: "find".to_owned(), arguments }, target)
    };
    let target = Target {
        skill: None,
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
        signals: Vec::new(),
    };
    let events = [
        Event::TurnStarted {
            turn: TurnId::from("t"),
            text: "To Sofia\n\n## Agent".to_owned(),
            attached: vec![attachment],
            pictures: Vec::new(),
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
        Event::TurnEnded { end: TurnEnd::Stopped },
    ];
    let log = events.into_iter().map(|event| Entry { at: 1_794_994_200_000, event }).collect::<Vec<_>>();
    (view::summary(&ThreadId::from("x"), &log).unwrap(), log)
}

#[test]
fn markdown_tells_the_thread_and_escapes_text_of_others() {
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
fn markdown_of_others_cannot_forge_headings_or_act() {
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
    // The second and the fifth are in fenced blocks.
    assert_eq!(headings[1..], ["## You", "## Tool", "## Agent", "## Tool", "## You", "## Tool"]);
    assert_eq!(headings[0], r"# a⟨U+202E⟩b \<img src=x onerror=alert(1)> !\[x\](https://a.example) \&lt;");
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
fn markdown_escapes_html_unless_it_is_certainly_code() {
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
fn markdown_labels_are_in_the_users_language() {
    let (summary, log) = thread();
    let text = of(&summary, &log, Language::Chinese);
    for part in ["## 你\n", "## 助手\n", "## 工具\n", "参数：\n", "你没有同意，所以没有运行。"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("## You\n\n"));
}

#[test]
fn markdown_dates_are_correct() {
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
