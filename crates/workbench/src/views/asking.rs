//! A call that asks: one by hand all the same, or one of a question to a model.

use leptos::prelude::*;
use sidecar_link::hand_run::HandRun;
use sidecar_protocol::link::{Control, PendingApproval, TurnControl};
use sidecar_protocol::policy::{AskReason, Decision};
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::words::{Word, use_words};

use crate::state::use_workbench;
use crate::views::question_card::{CardArrival, question_card};
use crate::word;

/// The question of a run, while it asks.
pub fn question_of(run: HandRun) -> Memo<Option<PendingApproval>> {
    let bench = use_workbench();
    Memo::new(move |_| {
        let call = run.call.get()?;
        bench.approvals.with(|approvals| approvals.iter().find(|one| one.call_id == call).cloned())
    })
}

/// The question; nothing while there is none.
#[component]
pub fn Asking(run: HandRun) -> impl IntoView {
    let asked = question_of(run);
    move || asked.get().map(|approval| view! { <CallQuestion approval=approval /> }.into_any())
}

/// A question about a call.
#[component]
pub fn CallQuestion(approval: PendingApproval) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let PendingApproval { thread_id, call_id, item, tool, site, .. } = approval;
    let (why, arguments) =
        item.map(|item| (item.approval.why.clone(), item.arguments.clone())).unwrap_or_default();
    let decide = move |decision: Decision| {
        let control = Control::Decide {
            call_id: call_id.clone(),
            decision,
            edits: None,
            words: String::new(),
            allow: false,
            allow_flow: false,
        };
        bench.connection.send(TurnControl { thread_id: thread_id.clone(), control });
    };
    let decide = StoredValue::new(decide);
    let reasons =
        why.iter().map(|why| view! { <li>{words.text(reason(why))}</li> }.into_any()).collect::<Vec<_>>();
    let inside = move |buttons| {
        view! {
            <h3>{words.text(word::ASK_TITLE)}</h3>
            <p role="status"><span class="tool-name">{tool}</span> " · " {site}</p>
            <ul>{reasons}</ul>
            <pre tabindex="0">{pretty(&arguments)}</pre>
            <div class="buttons">
                <WordButton
                    testid="ask-run"
                    word=word::ASK_RUN
                    card=buttons
                    press=Callback::new(move |_| decide.with_value(|decide| decide(Decision::Run)))
                />
                <WordButton
                    testid="ask-decline"
                    word=word::ASK_DECLINE
                    card=buttons
                    press=Callback::new(move |_| decide.with_value(|decide| decide(Decision::Decline)))
                />
            </div>
        }
        .into_any()
    };
    question_card("bench-question", word::ASK_TITLE, CardArrival::Scrolled, None, inside)
}

fn reason(why: &AskReason) -> Word {
    match why {
        AskReason::Consequential => word::ASK_CONSEQUENTIAL,
        AskReason::SwitchedOff => word::ASK_SWITCHED_OFF,
        AskReason::SensitiveSite { .. } => word::ASK_SENSITIVE,
        AskReason::Changed { .. } => word::ASK_CHANGED,
        AskReason::Repaired => word::ASK_REPAIRED,
        _ => word::ASK_POLICY,
    }
}
