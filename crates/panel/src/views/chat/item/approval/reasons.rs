//! The reasons why a call asks.

use leptos::prelude::*;
use sidecar_protocol::guard::Flow;
use sidecar_protocol::policy::{Approval as Asked, AskReason, DefinitionChange, DefinitionPart};
use sidecar_ui::words::{Word, Words};

use crate::word;

/// The list of reasons.
pub fn reasons(words: Words, approval: &Asked) -> AnyView {
    let reasons = approval
        .why
        .iter()
        .map(|why| {
            let (name, word) = named(why);
            let details: Vec<AnyView> = match why {
                AskReason::Changed { changes } => {
                    changes.iter().map(|change| changed(words, change.clone())).collect()
                }
                AskReason::Flow { flows } => flows.iter().map(|flow| flowing(words, flow.clone())).collect(),
                AskReason::Mode
                | AskReason::Consequential
                | AskReason::Policy
                | AskReason::Repaired
                | AskReason::Repeated
                | AskReason::Guard => Vec::new(),
            };
            view! {
                <li data-testid="approval-why" data-why=name>
                    {words.text(word)}
                    {details}
                </li>
            }
            .into_any()
        })
        .collect_view();
    view! { <ul class="asks-why">{reasons}</ul> }.into_any()
}

/// The name of a reason in the document, and its sentence.
fn named(why: &AskReason) -> (&'static str, Word) {
    match why {
        AskReason::Mode => ("mode", word::APPROVAL_WHY_MODE),
        AskReason::Consequential => ("consequential", word::APPROVAL_WHY_CONSEQUENTIAL),
        AskReason::Policy => ("policy", word::APPROVAL_WHY_POLICY),
        AskReason::Repaired => ("repaired", word::APPROVAL_WHY_REPAIRED),
        AskReason::Changed { .. } => ("changed", word::APPROVAL_WHY_CHANGED),
        AskReason::Repeated => ("repeated", word::APPROVAL_WHY_REPEATED),
        AskReason::Guard => ("guard", word::APPROVAL_WHY_GUARD),
        AskReason::Flow { .. } => ("flow", word::APPROVAL_WHY_FLOW),
    }
}

/// A cross-origin data flow: where the data comes from, and which argument holds it.
fn flowing(words: Words, Flow { origin: _, site, tool, argument, data }: Flow) -> AnyView {
    let word = if tool.is_empty() { word::FLOW_ATTACHED } else { word::FLOW_FROM };
    let from = move || words.fill(word, &[("site", &site), ("tool", &tool), ("argument", &argument)]);
    view! {
        <div class="change" data-testid="approval-flow">
            <span>{from}</span>
            <q>{data}</q>
        </div>
    }
    .into_any()
}

/// A changed part of a tool's definition, before and after.
fn changed(words: Words, DefinitionChange { part, before, after }: DefinitionChange) -> AnyView {
    let part = match part {
        DefinitionPart::Title => word::CHANGE_TITLE,
        DefinitionPart::Description => word::CHANGE_DESCRIPTION,
        DefinitionPart::Schema => word::CHANGE_SCHEMA,
        DefinitionPart::Hints => word::CHANGE_HINTS,
    };
    let text = move |word, text: String| {
        let shown = move || match text.is_empty() {
            true => words.get(word::CHANGE_NOTHING).to_owned(),
            false => text.clone(),
        };
        view! {
            <div>
                <dt>{words.text(word)}</dt>
                <dd>{shown}</dd>
            </div>
        }
        .into_any()
    };
    view! {
        <div class="change" data-testid="approval-change">
            <span>{words.text(part)}</span>
            <dl>{text(word::CHANGE_BEFORE, before)} {text(word::CHANGE_AFTER, after)}</dl>
        </div>
    }
    .into_any()
}
