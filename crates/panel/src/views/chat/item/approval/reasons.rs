//! The reasons why a call asks.

use leptos::prelude::*;
use sidecar_protocol::guard::Flow;
use sidecar_protocol::policy::{Approval as Asked, AskReason, DefinitionChange, DefinitionPart};
use sidecar_protocol::{PageAccess, SensitiveSite, UserInput};
use sidecar_ui::words::{Word, Words};

use super::action;
use crate::word;

/// The list of reasons.
pub fn reasons(words: Words, approval: &Asked) -> AnyView {
    let by_user = AskReason::card_in(&approval.why).and_then(|card| card.by_user);
    let reasons = approval
        .why
        .iter()
        .map(|why| {
            let (name, word) = match (why, by_user) {
                // Nothing acts there but the user.
                (AskReason::OtherFrame { .. }, Some(UserInput::Challenge)) => {
                    ("other-frame", Some(word::APPROVAL_CHALLENGE_IN_FRAME))
                }
                (AskReason::OtherFrame { .. }, Some(UserInput::Secret | UserInput::File)) => {
                    ("other-frame", Some(word::APPROVAL_FIELD_IN_FRAME))
                }
                _ => named(why),
            };
            let details: Vec<AnyView> = match why {
                AskReason::Changed { changes } => {
                    changes.iter().map(|change| changed(words, change.clone())).collect()
                }
                AskReason::Flow { flows } => flows.iter().map(|flow| flowing(words, flow.clone())).collect(),
                AskReason::Action { card } => vec![action::details(words, card)],
                AskReason::Mode
                | AskReason::Consequential
                | AskReason::Policy
                | AskReason::Repaired
                | AskReason::Repeated
                | AskReason::Guard
                | AskReason::PageAccess { .. }
                | AskReason::OtherFrame { .. }
                | AskReason::SensitiveSite { .. }
                | AskReason::FromPage
                | AskReason::SwitchedOff => Vec::new(),
            };
            let site = match why {
                AskReason::OtherFrame { site } => site.clone(),
                _ => String::new(),
            };
            // The title says what a page action does.
            let sentence = move || word.map(|word| words.fill(word, &[("site", &site)]));
            view! {
                <li data-testid="approval-why" data-why=name>
                    {sentence}
                    {details}
                </li>
            }
            .into_any()
        })
        .collect_view();
    view! { <ul class="asks-why">{reasons}</ul> }.into_any()
}

/// The name of a reason in the document, and its sentence, if it needs one.
fn named(why: &AskReason) -> (&'static str, Option<Word>) {
    match why {
        AskReason::Mode => ("mode", Some(word::APPROVAL_WHY_MODE)),
        AskReason::Consequential => ("consequential", Some(word::APPROVAL_WHY_CONSEQUENTIAL)),
        AskReason::Policy => ("policy", Some(word::APPROVAL_WHY_POLICY)),
        AskReason::Repaired => ("repaired", Some(word::APPROVAL_WHY_REPAIRED)),
        AskReason::Changed { .. } => ("changed", Some(word::APPROVAL_WHY_CHANGED)),
        AskReason::Repeated => ("repeated", Some(word::APPROVAL_WHY_REPEATED)),
        AskReason::Guard => ("guard", Some(word::APPROVAL_WHY_GUARD)),
        AskReason::Flow { .. } => ("flow", Some(word::APPROVAL_WHY_FLOW)),
        AskReason::PageAccess { access: PageAccess::Read } => {
            ("access", Some(word::APPROVAL_WHY_ACCESS_READ))
        }
        AskReason::PageAccess { access: PageAccess::Act } => ("access", Some(word::APPROVAL_WHY_ACCESS_ACT)),
        AskReason::Action { .. } => ("action", None),
        AskReason::OtherFrame { .. } => ("other-frame", Some(word::APPROVAL_WHY_OTHER_FRAME)),
        AskReason::FromPage => ("from-page", Some(word::APPROVAL_WHY_FROM_PAGE)),
        AskReason::SwitchedOff => ("switched-off", Some(word::APPROVAL_WHY_SWITCHED_OFF)),
        AskReason::SensitiveSite { kind } => ("sensitive-site", Some(sensitive_word(*kind))),
    }
}

fn sensitive_word(kind: SensitiveSite) -> Word {
    match kind {
        SensitiveSite::Money => word::APPROVAL_WHY_MONEY,
        SensitiveSite::Mail => word::APPROVAL_WHY_MAIL,
        SensitiveSite::Health => word::APPROVAL_WHY_HEALTH,
        SensitiveSite::Administration => word::APPROVAL_WHY_ADMINISTRATION,
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
