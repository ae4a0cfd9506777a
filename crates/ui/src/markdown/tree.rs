//! Parses Markdown into a tree of a few kinds of node. Nothing dangerous becomes a node: raw HTML is text, an image is
//! a link, and of a link to anything but the web or a mailbox only the text remains.

use std::sync::Arc;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::markdown::emphasis::{mark, unmark};

/// Maximum nesting. Deeper elements lose their shape, and their content goes into the element around them. Models do
/// not nest so deeply; a page whose text a model repeats might.
const DEPTH: usize = 32;

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Plain text.
    Text(String),
    /// An element with children.
    Element {
        /// The kind of element.
        kind: ElementKind,
        /// The children, shared: unchanged ones are recognised by their address.
        children: Vec<Arc<Node>>,
    },
}

/// The kinds of element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ElementKind {
    Paragraph,
    /// A heading of level 1 to 6.
    Heading(u8),
    Quote,
    Bullets,
    /// An ordered list with its first number.
    Numbers(u64),
    Entry,
    /// A code block with its language, empty if not given. Holds one text.
    CodeBlock(String),
    Table,
    Row,
    HeadCell(Side),
    Cell(Side),
    Rule,
    Emphasis,
    Strong,
    Strike,
    Code,
    /// A link with a checked URL.
    Link(String),
    /// An image with a checked URL; holds its alternative text.
    Image(String),
    Break,
}

/// The alignment of a table's column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    Start,
    Center,
    End,
}

impl Node {
    fn element(kind: ElementKind, children: Vec<Arc<Node>>) -> Self {
        Self::Element { kind, children }
    }
}

/// Parses a text into blocks.
pub fn parse(markdown: &str) -> Vec<Arc<Node>> {
    let mut builder = Builder::default();
    let marked = mark(markdown);
    for event in Parser::new_ext(
        &marked,
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS,
    ) {
        builder.take(unmark(event));
    }
    builder.finish()
}

/// Parses a text again that was `old` before: equal blocks are shared with it.
pub fn parse_again(markdown: &str, old: &[Arc<Node>]) -> Vec<Arc<Node>> {
    let mut blocks = parse(markdown);
    share(&mut blocks, old);
    blocks
}

/// The text without markup, for screen readers.
pub fn plain(markdown: &str) -> String {
    let mut text = String::new();
    for node in parse(markdown) {
        words(&node, &mut text);
        text.push(' ');
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Appends all text in a node to `into`. Separates blocks by spaces, and adds nothing inside a code block.
pub fn words(node: &Node, into: &mut String) {
    match node {
        Node::Text(text) => into.push_str(text),
        Node::Element { kind, children } => {
            if matches!(
                kind,
                ElementKind::Bullets | ElementKind::Numbers(_) | ElementKind::Quote | ElementKind::Table
            ) {
                into.push(' ');
            }
            for child in children {
                words(child, into);
            }
            match kind {
                ElementKind::HeadCell(_)
                | ElementKind::Cell(_)
                | ElementKind::Entry
                | ElementKind::Paragraph
                | ElementKind::Break => into.push(' '),
                ElementKind::Heading(_)
                | ElementKind::Quote
                | ElementKind::Bullets
                | ElementKind::Numbers(_)
                | ElementKind::CodeBlock(_)
                | ElementKind::Table
                | ElementKind::Row
                | ElementKind::Rule
                | ElementKind::Emphasis
                | ElementKind::Strong
                | ElementKind::Strike
                | ElementKind::Code
                | ElementKind::Link(_)
                | ElementKind::Image(_) => {}
            }
        }
    }
}

fn share(new: &mut [Arc<Node>], old: &[Arc<Node>]) {
    for (new, old) in new.iter_mut().zip(old) {
        if **new == **old {
            *new = Arc::clone(old);
        } else if let (
            Some(Node::Element { kind, children }),
            Node::Element { kind: old_kind, children: old_children },
        ) = (Arc::get_mut(new), &**old)
            && kind == old_kind
        {
            share(children, old_children);
        }
    }
}

/// Returns the URL if it may be opened: web or mailbox. `javascript:`, `chrome:`, `file:` and relative paths are
/// refused.
fn address(href: &str) -> Option<String> {
    let href = href.trim();
    let scheme = href.split_once(':')?.0.to_ascii_lowercase();
    let plain = !href.chars().any(|char| char.is_control() || char.is_whitespace());
    (plain && matches!(scheme.as_str(), "http" | "https" | "mailto")).then(|| href.to_owned())
}

/// An open element and its children so far. `None`: it has no shape of its own, and its children go to its parent.
type Open = (Option<ElementKind>, Vec<Arc<Node>>);

#[derive(Default)]
struct Builder {
    done: Vec<Arc<Node>>,
    open: Vec<Open>,
    sides: Vec<Side>,
    column: usize,
    in_head: bool,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => {
                let kind = if self.open.len() < DEPTH { self.kind(tag) } else { None };
                self.open.push((kind, Vec::new()));
            }
            Event::End(end) => self.close(end),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text),
            Event::Code(code) => {
                self.push(Node::element(ElementKind::Code, vec![Arc::new(Node::Text(code.into_string()))]))
            }
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.push(Node::element(ElementKind::Break, Vec::new())),
            Event::Rule => self.push(Node::element(ElementKind::Rule, Vec::new())),
            Event::TaskListMarker(checked) => self.text(if checked { "☑ " } else { "☐ " }),
        }
    }

    fn kind(&mut self, tag: Tag<'_>) -> Option<ElementKind> {
        match tag {
            Tag::Paragraph => Some(ElementKind::Paragraph),
            Tag::Heading { level, .. } => Some(ElementKind::Heading(level as u8)),
            Tag::BlockQuote(_) => Some(ElementKind::Quote),
            Tag::CodeBlock(CodeBlockKind::Indented) => Some(ElementKind::CodeBlock(String::new())),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                let language = info.split([' ', ',', '{']).next().unwrap_or_default();
                Some(ElementKind::CodeBlock(language.to_owned()))
            }
            Tag::HtmlBlock => Some(ElementKind::Paragraph),
            Tag::List(None) => Some(ElementKind::Bullets),
            Tag::List(Some(first)) => Some(ElementKind::Numbers(first)),
            Tag::Item => Some(ElementKind::Entry),
            Tag::Table(alignments) => {
                self.sides = alignments.iter().map(side).collect();
                Some(ElementKind::Table)
            }
            Tag::TableHead => {
                self.in_head = true;
                self.column = 0;
                Some(ElementKind::Row)
            }
            Tag::TableRow => {
                self.column = 0;
                Some(ElementKind::Row)
            }
            Tag::TableCell => {
                let side = self.sides.get(self.column).copied().unwrap_or(Side::Start);
                self.column += 1;
                Some(if self.in_head { ElementKind::HeadCell(side) } else { ElementKind::Cell(side) })
            }
            Tag::Emphasis => Some(ElementKind::Emphasis),
            Tag::Strong => Some(ElementKind::Strong),
            Tag::Strikethrough => Some(ElementKind::Strike),
            Tag::Link { dest_url, .. } => address(&dest_url).map(ElementKind::Link),
            // A link cannot contain another one.
            Tag::Image { .. }
                if self.open.iter().any(|(kind, _)| matches!(kind, Some(ElementKind::Link(_)))) =>
            {
                None
            }
            Tag::Image { dest_url, .. } => address(&dest_url).map(ElementKind::Image),
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => None,
        }
    }

    fn close(&mut self, end: TagEnd) {
        if end == TagEnd::TableHead {
            self.in_head = false;
        }
        let Some((kind, children)) = self.open.pop() else { return };
        match kind {
            Some(kind) => self.push(Node::element(kind, children)),
            None => self.place().extend(children),
        }
    }

    fn place(&mut self) -> &mut Vec<Arc<Node>> {
        match self.open.last_mut() {
            Some((_, children)) => children,
            None => &mut self.done,
        }
    }

    fn push(&mut self, node: Node) {
        self.place().push(Arc::new(node));
    }

    /// Appends text. Adjacent texts are merged, so that a growing paragraph is one growing text.
    fn text(&mut self, more: &str) {
        let place = self.place();
        if let Some(Node::Text(text)) = place.last_mut().and_then(Arc::get_mut) {
            text.push_str(more);
            return;
        }
        place.push(Arc::new(Node::Text(more.to_owned())));
    }

    fn finish(mut self) -> Vec<Arc<Node>> {
        while let Some((kind, children)) = self.open.pop() {
            match kind {
                Some(kind) => self.push(Node::element(kind, children)),
                None => self.place().extend(children),
            }
        }
        self.done
    }
}

fn side(alignment: &Alignment) -> Side {
    match alignment {
        Alignment::None | Alignment::Left => Side::Start,
        Alignment::Center => Side::Center,
        Alignment::Right => Side::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Arc<Node> {
        Arc::new(Node::Text(text.to_owned()))
    }

    fn element(kind: ElementKind, children: Vec<Arc<Node>>) -> Arc<Node> {
        Arc::new(Node::element(kind, children))
    }

    fn paragraph(children: Vec<Arc<Node>>) -> Arc<Node> {
        element(ElementKind::Paragraph, children)
    }

    #[test]
    fn markdown_is_parsed_into_a_tree() {
        let parsed =
            parse("# Hi\n\nA **bold** `x` ~~no~~\n\n2. one\n3. two\n\n```rust,ignore\nfn f() {}\n```\n\n---");
        let expected = vec![
            element(ElementKind::Heading(1), vec![text("Hi")]),
            paragraph(vec![
                text("A "),
                element(ElementKind::Strong, vec![text("bold")]),
                text(" "),
                element(ElementKind::Code, vec![text("x")]),
                text(" "),
                element(ElementKind::Strike, vec![text("no")]),
            ]),
            element(
                ElementKind::Numbers(2),
                vec![
                    element(ElementKind::Entry, vec![text("one")]),
                    element(ElementKind::Entry, vec![text("two")]),
                ],
            ),
            element(ElementKind::CodeBlock("rust".to_owned()), vec![text("fn f() {}\n")]),
            element(ElementKind::Rule, vec![]),
        ];
        assert_eq!(parsed, expected);
    }

    #[test]
    fn table_keeps_its_alignment() {
        let parsed = parse("| a | b |\n|---|--:|\n| 1 | 2 |");
        let row = |cells| element(ElementKind::Row, cells);
        let expected = vec![element(
            ElementKind::Table,
            vec![
                row(vec![
                    element(ElementKind::HeadCell(Side::Start), vec![text("a")]),
                    element(ElementKind::HeadCell(Side::End), vec![text("b")]),
                ]),
                row(vec![
                    element(ElementKind::Cell(Side::Start), vec![text("1")]),
                    element(ElementKind::Cell(Side::End), vec![text("2")]),
                ]),
            ],
        )];
        assert_eq!(parsed, expected);
    }

    #[test]
    fn html_is_shown_as_text() {
        assert_eq!(parse("<b onclick=x>hi</b>"), vec![paragraph(vec![text("<b onclick=x>hi</b>")])]);
        assert_eq!(parse("<script>\nx\n</script>"), vec![paragraph(vec![text("<script>\nx\n</script>")])]);
    }

    #[test]
    fn link_is_text_when_not_http_or_mailto() {
        let link = |href: &str| paragraph(vec![element(ElementKind::Link(href.to_owned()), vec![text("x")])]);
        assert_eq!(parse("[x](https://a.example/?q=1)"), vec![link("https://a.example/?q=1")]);
        assert_eq!(parse("[x](mailto:me@a.example)"), vec![link("mailto:me@a.example")]);
        for bad in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "chrome://settings",
            "file:///etc/passwd",
            "chrome-extension://abc/panel.html",
            "/relative",
            "panel.html",
            "//a.example",
        ] {
            assert_eq!(parse(&format!("[x]({bad})")), vec![paragraph(vec![text("x")])], "{bad}");
        }
        assert_eq!(address("java\nscript:alert(1)"), None);
        assert_eq!(address("https://a.example/\u{0}"), None);
    }

    #[test]
    fn image_is_a_link_that_loads_nothing() {
        let image = element(ElementKind::Image("https://a.example/i.png".to_owned()), vec![text("a cat")]);
        assert_eq!(parse("![a cat](https://a.example/i.png)"), vec![paragraph(vec![image])]);
        assert_eq!(parse("![a cat](data:image/png,x)"), vec![paragraph(vec![text("a cat")])]);
        let link = element(ElementKind::Link("https://b.example".to_owned()), vec![text("a cat")]);
        assert_eq!(
            parse("[![a cat](https://a.example/i.png)](https://b.example)"),
            vec![paragraph(vec![link])]
        );
    }

    #[test]
    fn blocks_are_kept_when_the_text_grows() {
        let old = parse("One.\n\n- a\n- b");
        let new = parse_again("One.\n\n- a\n- bc", &old);
        assert_eq!(new, parse("One.\n\n- a\n- bc"));
        assert!(Arc::ptr_eq(&old[0], &new[0]));
        let (Node::Element { children: old, .. }, Node::Element { children: new, .. }) = (&*old[1], &*new[1])
        else {
            panic!("a list was parsed")
        };
        assert!(Arc::ptr_eq(&old[0], &new[0]), "the first entry is the old one");
    }

    #[test]
    fn nesting_is_flattened_when_too_deep() {
        fn depth(node: &Node) -> usize {
            match node {
                Node::Text(_) => 0,
                Node::Element { children, .. } => {
                    1 + children.iter().map(|child| depth(child)).max().unwrap_or(0)
                }
            }
        }
        let parsed = parse(&format!("{}deep", "> ".repeat(5000)));
        assert!(parsed.iter().all(|node| depth(node) <= DEPTH + 1));
        assert_eq!(plain(&format!("{}deep", "> ".repeat(500))), "deep");
    }

    #[test]
    fn plain_text_has_no_markup() {
        assert_eq!(plain("**Two** flights:\n\n- [CA1](https://a.example)\n- `MU2`"), "Two flights: CA1 MU2");
        assert_eq!(plain("- one\n  - two"), "one two");
    }
}
