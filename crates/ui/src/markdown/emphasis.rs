//! Emphasis next to Chinese and Japanese text. CommonMark tells opening from closing `**` by the spaces around them,
//! which these languages do not write: it leaves `**推荐：**南京` unformatted. A marker that CommonMark treats as
//! punctuation is inserted before parsing and removed from the result.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag};

/// WHITE SESAME DOT: punctuation in CommonMark, and found only in texts about typography.
const MARK: char = '\u{fe46}';

/// Inserts the marker wherever a run of `*` has punctuation on one side, a letter on the other, and one of the two
/// belongs to a language without spaces.
pub fn mark(markdown: &str) -> Cow<'_, str> {
    let mut marked = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(start) = markdown[at..].find('*').map(|found| at + found) {
        let end = start + markdown[start..].find(|c| c != '*').unwrap_or(markdown.len() - start);
        let before = markdown[..start].chars().next_back();
        let after = markdown[end..].chars().next();
        if let (Some(before), Some(after)) = (before, after)
            && (is_without_spaces(before) || is_without_spaces(after))
        {
            let place = match (is_punctuation(before), is_punctuation(after)) {
                (true, false) if !after.is_whitespace() => Some(end),
                (false, true) if !before.is_whitespace() => Some(start),
                (true | false, _) => None,
            };
            if let Some(place) = place {
                marked.push_str(&markdown[copied..place]);
                marked.push(MARK);
                copied = place;
            }
        }
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(markdown);
    }
    marked.push_str(&markdown[copied..]);
    Cow::Owned(marked)
}

/// Removes the markers from a parsed event.
pub fn unmark(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Text(text) => Event::Text(clean(text)),
        Event::Code(text) => Event::Code(clean(text)),
        Event::Html(text) => Event::Html(clean(text)),
        Event::InlineHtml(text) => Event::InlineHtml(clean(text)),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(clean(info))))
        }
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => Event::Start(Tag::Link {
            link_type,
            dest_url: clean(dest_url),
            title: clean(title),
            id: clean(id),
        }),
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => Event::Start(Tag::Image {
            link_type,
            dest_url: clean(dest_url),
            title: clean(title),
            id: clean(id),
        }),
        other => other,
    }
}

fn clean(text: CowStr<'_>) -> CowStr<'_> {
    if text.contains(MARK) { text.replace(MARK, "").into() } else { text }
}

fn is_punctuation(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace()
}

/// Han, kana, and the full-width punctuation used with them.
fn is_without_spaces(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{30ff}' | '\u{31c0}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::tree::{ElementKind, Node, parse};

    /// The text with the kind of each element in brackets.
    fn read(markdown: &str) -> String {
        let mut text = String::new();
        for node in parse(markdown) {
            write(&node, &mut text);
        }
        text
    }

    fn write(node: &Node, into: &mut String) {
        match node {
            Node::Text(text) => into.push_str(text),
            Node::Element { kind, children } => {
                if *kind != ElementKind::Paragraph {
                    into.push_str(&format!("<{kind:?}:"));
                }
                for child in children {
                    write(child, into);
                }
                if *kind != ElementKind::Paragraph {
                    into.push('>');
                }
            }
        }
    }

    #[test]
    fn emphasis_is_parsed_when_next_to_chinese_punctuation() {
        for (markdown, inner) in [
            ("**推荐：**HL4265", "<Strong:推荐：>HL4265"),
            ("我**“直飞”**航班", "我<Strong:“直飞”>航班"),
            ("说：**重要**的", "说：<Strong:重要>的"),
            ("*（可选）*参数", "<Emphasis:（可选）>参数"),
            ("最低价**¥610**，直飞", "最低价<Strong:¥610>，直飞"),
        ] {
            assert_eq!(read(markdown), inner);
        }
    }

    #[test]
    fn asterisks_stay_when_not_emphasis() {
        for markdown in ["2 * 3", "a**b:**c", "* 项目：一", "**whole:** words", "", "**", "价格*"] {
            assert_eq!(mark(markdown), markdown);
        }
    }

    #[test]
    fn code_and_urls_are_unchanged_when_emphasis_is_marked() {
        assert_eq!(read("`：**重`"), "<Code:：**重>");
        assert_eq!(read("```：**重\n（**价\n```"), "<CodeBlock(\"：**重\"):（**价\n>");
        assert_eq!(read("[票](https://example.com/价：**票)"), "<Link(\"https://example.com/价：**票\"):票>");
    }
}
