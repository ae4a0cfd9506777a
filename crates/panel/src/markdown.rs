//! Markdown as views. What grows is compared with what was there node by node, so that only what changed is touched:
//! a selection in an earlier paragraph, or even in the growing one, stays.

use std::sync::Arc;

use leptos::prelude::*;

use crate::copy::CopyButton;
use crate::words::{Word, use_words};

mod emphasis;
pub mod tree;

use tree::{Kind, Node, Side, parse, parse_again, words};

/// A text that does not change.
#[component]
pub fn Markdown(
    /// Markdown.
    text: String,
) -> impl IntoView {
    still(&parse(&text))
}

/// A text that grows.
#[component]
pub fn GrowingMarkdown(
    /// Markdown.
    text: Memo<String>,
) -> impl IntoView {
    let blocks = Memo::new(move |old: Option<&Vec<Arc<Node>>>| {
        text.with(|text| parse_again(text, old.map_or(&[][..], Vec::as_slice)))
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

/// A node keeps its views as long as its place and its shape stay.
fn live(nodes: Signal<Vec<Arc<Node>>>) -> AnyView {
    let shapes = move || {
        nodes.with(|nodes| nodes.iter().enumerate().map(|(at, node)| (at, shape(node))).collect::<Vec<_>>())
    };
    view! {
        <For
            each=shapes
            key=Clone::clone
            children=move |(at, _)| live_node(Memo::new(move |_| nodes.with(|nodes| nodes.get(at).cloned())))
        />
    }
    .into_any()
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

fn shape(node: &Node) -> Option<Kind> {
    match node {
        Node::Text(_) => None,
        Node::Element { kind, .. } => Some(kind.clone()),
    }
}

fn words_of(node: &Node) -> String {
    let mut text = String::new();
    words(node, &mut text);
    text
}

/// One element. Headings begin at the third level: the panel's own come before them.
fn element(kind: Kind, children: AnyView, text: Signal<String>) -> AnyView {
    match kind {
        Kind::Paragraph => view! { <p>{children}</p> }.into_any(),
        Kind::Heading(1) => view! { <h3>{children}</h3> }.into_any(),
        Kind::Heading(2) => view! { <h4>{children}</h4> }.into_any(),
        Kind::Heading(3) => view! { <h5>{children}</h5> }.into_any(),
        Kind::Heading(_) => view! { <h6>{children}</h6> }.into_any(),
        Kind::Quote => view! { <blockquote>{children}</blockquote> }.into_any(),
        Kind::Bullets => view! { <ul>{children}</ul> }.into_any(),
        Kind::Numbers(first) => view! { <ol start=first.to_string()>{children}</ol> }.into_any(),
        Kind::Entry => view! { <li>{children}</li> }.into_any(),
        Kind::CodeBlock(language) => view! {
            <figure class="code">
                <figcaption>
                    <span>{language}</span>
                    <CopyButton label=Word::CopyCode testid="copy-code" text=text />
                </figcaption>
                <pre tabindex="0">
                    <code>{children}</code>
                </pre>
            </figure>
        }
        .into_any(),
        Kind::Table => view! {
            <div class="table" tabindex="0">
                <table>
                    <tbody>{children}</tbody>
                </table>
            </div>
        }
        .into_any(),
        Kind::Row => view! { <tr>{children}</tr> }.into_any(),
        Kind::HeadCell(side) => view! { <th scope="col" class=align(side)>{children}</th> }.into_any(),
        Kind::Cell(side) => view! { <td class=align(side)>{children}</td> }.into_any(),
        Kind::Rule => view! { <hr /> }.into_any(),
        Kind::Emphasis => view! { <em>{children}</em> }.into_any(),
        Kind::Strong => view! { <strong>{children}</strong> }.into_any(),
        Kind::Strike => view! { <s>{children}</s> }.into_any(),
        Kind::Code => view! { <code>{children}</code> }.into_any(),
        Kind::Link(href) => link(href, children),
        Kind::Image(href) => {
            let words = use_words();
            let name = move || words.fill(Word::AnswerImage, &[("name", &text.get())]);
            link(href, name.into_any())
        }
        Kind::Break => view! { <br /> }.into_any(),
    }
}

fn link(href: String, children: AnyView) -> AnyView {
    view! {
        <a href=href.clone() title=href target="_blank" rel="noopener noreferrer">
            {children}
        </a>
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
