//! How a tool came to be: when, by which script, how often, exposed to whom.

use leptos::prelude::*;
use sidecar_link::LinkResponse;
use sidecar_protocol::ToolRef;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::registration::{DocumentFacts, ToolRegistration};
use sidecar_ui::text::legible::legible;
use sidecar_ui::words::{Word, Words, use_words};

use crate::state::use_workbench;
use crate::word;

/// What is known of the registration of a tool; nothing until its document has told, and of what no script registered.
#[component]
pub fn Registered(tool: ToolRef) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let told = RwSignal::new(None::<ToolRegistration>);
    Effect::new(move |_| {
        bench.connection.count.with(|_| ());
        bench.connection.ask(PageCommand::ToolFacts { tool: tool.clone() }, move |response| {
            if let LinkResponse::Answer(PageAnswer::ToolFacts { facts: Some(text) }) = response {
                let facts = DocumentFacts::read(&text).unwrap_or_default();
                let _ = told.try_set(facts.tools.into_iter().next());
            }
        });
    });
    move || {
        let rows = rows(words, &told.get()?);
        let rows = rows.into_iter().map(|(name, value)| {
            view! { <div><dt>{words.text(name)}</dt> <dd>{value}</dd></div> }.into_any()
        });
        Some(view! { <dl class="facts" data-testid="registered">{rows.collect::<Vec<_>>()}</dl> }.into_any())
    }
}

/// The facts that are known, each with its name.
fn rows(words: Words, registered: &ToolRegistration) -> Vec<(Word, String)> {
    let ToolRegistration { name: _, at, after_load, again, script, line, exposed_to } = registered;
    let began = words.number((*at).into());
    let when = match after_load {
        Some(late) if *late > 0 => {
            let late = words.number((*late).into());
            words.fill(word::FACT_WHEN_LOADED, &[("began", &began), ("loaded", &late)])
        }
        Some(_) | None => words.fill(word::FACT_WHEN_BEGAN, &[("began", &began)]),
    };
    let mut rows = vec![(word::FACT_WHEN, when)];
    if let Some(script) = script {
        let at_line = line.map(|line| format!(":{line}")).unwrap_or_default();
        rows.push((word::FACT_BY, legible(script) + &at_line));
    }
    if *again > 0 {
        rows.push((word::FACT_AGAIN, words.number((*again).into())));
    }
    if let Some(origins) = exposed_to.as_ref().filter(|origins| !origins.is_empty()) {
        rows.push((word::FACT_EXPOSED, legible(&origins.join(", "))));
    }
    rows
}
