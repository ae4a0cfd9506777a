//! Renders Markdown as views. A growing text is compared node by node, so that only what changed is updated: a
//! selection in an earlier paragraph, or even in the growing one, stays.

use std::sync::Arc;

use leptos::html::custom;
use leptos::prelude::*;

use crate::text::address::{LinkAddress, address};
use crate::widgets::copy_button::CopyButton;
use crate::widgets::keyed_list::KeyedList;
use crate::words::{use_words, word};

mod emphasis;
pub mod parts;
mod tree;

use parts::TextPart;
pub use tree::plain;
use tree::{ElementKind, Node, Side, parse, parse_again, words};

/// Renders a text that does not change.
#[component]
pub fn Markdown(
    /// Markdown.
    text: String,
) -> impl IntoView {
    still(&parse(&text))
}

/// Renders a text that grows.
#[component]
pub fn GrowingMarkdown(
    /// The part of the text to render, which may be all of it.
    part: Memo<Arc<TextPart>>,
) -> impl IntoView {
    let blocks = Memo::new(move |old: Option<&Vec<Arc<Node>>>| {
        part.with(|part| parse_again(&part.markdown(), old.map_or(&[][..], Vec::as_slice)))
    });
    live(blocks.into())
}

fn still(nodes: &[Arc<Node>]) -> AnyView {
    nodes
        .iter()
        .map(|node| match &**node {
            Node::Text(text) => text.clone().into_any(),
            Node::Element { kind, children } => {
                let source = Arc::clone(node);
                element(kind.clone(), still(children), Signal::derive(move || words_of(&source)))
            }
        })
        .collect_view()
        .into_any()
}

/// Renders nodes that change. A node keeps its view as long as its position and shape stay.
fn live(nodes: Signal<Vec<Arc<Node>>>) -> AnyView {
    let shapes = Signal::derive(move || {
        nodes.with(|nodes| {
            nodes.iter().enumerate().map(|(place, node)| format!("{place} {:?}", shape(node))).collect()
        })
    });
    let row =
        move |place: usize| live_node(Memo::new(move |_| nodes.with(|nodes| nodes.get(place).cloned())));
    view! { <KeyedList keys=shapes row=row /> }.into_any()
}

fn live_node(node: Memo<Option<Arc<Node>>>) -> AnyView {
    let text = move || node.with(|node| node.as_deref().map(words_of).unwrap_or_default());
    match node.get_untracked().as_deref() {
        Some(Node::Element { kind, .. }) => {
            let children = Signal::derive(move || {
                node.with(|node| match node.as_deref() {
                    Some(Node::Element { children, .. }) => children.clone(),
                    Some(Node::Text(_)) | None => Vec::new(),
                })
            });
            element(kind.clone(), live(children), Signal::derive(text))
        }
        Some(Node::Text(_)) | None => text.into_any(),
    }
}

fn shape(node: &Node) -> Option<&ElementKind> {
    match node {
        Node::Text(_) => None,
        Node::Element { kind, .. } => Some(kind),
    }
}

fn words_of(node: &Node) -> String {
    let mut text = String::new();
    words(node, &mut text);
    text
}

/// Renders one element. Headings begin at `h3`: the panel's own come before them.
fn element(kind: ElementKind, children: AnyView, text: Signal<String>) -> AnyView {
    let tag = match kind {
        ElementKind::Paragraph => "p",
        ElementKind::Heading(1) => "h3",
        ElementKind::Heading(2) => "h4",
        ElementKind::Heading(3) => "h5",
        ElementKind::Heading(_) => "h6",
        ElementKind::Quote => "blockquote",
        ElementKind::Bullets => "ul",
        ElementKind::Entry => "li",
        ElementKind::Row => "tr",
        ElementKind::Rule => "hr",
        ElementKind::Emphasis => "em",
        ElementKind::Strong => "strong",
        ElementKind::Strike => "s",
        ElementKind::Code => "code",
        ElementKind::Break => "br",
        ElementKind::Numbers(first) => {
            return view! { <ol start=first.to_string()>{children}</ol> }.into_any();
        }
        ElementKind::CodeBlock(language) => return code_block(language, children, text),
        ElementKind::Table => return table(children),
        ElementKind::HeadCell(side) => {
            return view! { <th scope="col" class=align(side)>{children}</th> }.into_any();
        }
        ElementKind::Cell(side) => return view! { <td class=align(side)>{children}</td> }.into_any(),
        ElementKind::Link(href) => return link(href, children, text),
        ElementKind::Image(href) => {
            let words = use_words();
            let name = Signal::derive(move || words.fill(word::MARKDOWN_IMAGE, &[("name", &text.get())]));
            return link(href, name.into_any(), name);
        }
    };
    // One type for all: a builder for each tag would be compiled separately.
    custom(tag).child(children).into_any()
}

fn code_block(language: String, code: AnyView, text: Signal<String>) -> AnyView {
    view! {
        <figure class="code">
            <figcaption>
                <span>{language}</span>
                <CopyButton label=word::COPY_CODE testid="copy-code" text=text />
            </figcaption>
            <pre tabindex="0">
                <code>{code}</code>
            </pre>
        </figure>
    }
    .into_any()
}

fn table(rows: AnyView) -> AnyView {
    view! {
        <div class="table" tabindex="0">
            <table>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// A link, followed by its host unless its text names it: a model can write any text for a link.
fn link(href: String, children: AnyView, text: Signal<String>) -> AnyView {
    let words = use_words();
    let known = {
        let href = href.clone();
        // A URL that the browser cannot parse is shown as it is.
        address(&href).unwrap_or(LinkAddress { host: href, rest: String::new() })
    };
    let place = {
        let href = href.clone();
        Memo::new(move |_| {
            let is_said = text.with(|text| known.is_said_by(text, &href));
            (!is_said).then(|| match known.carries() {
                Some(count) => {
                    let count = words.number(u64::try_from(count).unwrap_or_default());
                    words.fill(word::LINK_CARRIES, &[("host", &known.host), ("count", &count)])
                }
                None => known.host.clone(),
            })
        })
    };
    view! {
        <a href=href.clone() title=href target="_blank" rel="noopener noreferrer">
            {children}
        </a>
        {move || {
            place
                .get()
                .map(|place| view! { <span class="link-host" data-testid="link-host">{place}</span> }.into_any())
        }}
    }
    .into_any()
}

fn align(side: Side) -> &'static str {
    match side {
        Side::Start => "start",
        Side::Center => "center",
        Side::End => "end",
    }
}
