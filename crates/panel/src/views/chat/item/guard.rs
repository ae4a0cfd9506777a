//! The guard card: which text seemed to instruct the model, which signals it has, what follows, and how to turn the
//! guard off.

use leptos::prelude::*;
use sidecar_protocol::guard::{InjectionSignal, SignalKind};
use sidecar_protocol::link::Control;
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::card::CardButtons;
use sidecar_ui::words::{Word, Words, use_words};

use crate::state::{PanelState, use_state};
use crate::word;

/// The card.
#[component]
pub fn OnGuard(
    /// The tool whose result or description is meant; empty for an attachment.
    tool: String,
    /// Host of the page.
    site: String,
    /// The sentence about the text: a result, a description or an attachment.
    what: Word,
    /// The signals that were found.
    signals: Vec<InjectionSignal>,
    /// Whether the user turned the guard off.
    lifted: bool,
) -> impl IntoView {
    let words = use_words();
    let PanelState { navigation, conversation, .. } = use_state();
    let said = Signal::derive(move || words.fill(what, &[("tool", &tool), ("site", &site)]));
    let card = NodeRef::new();
    // Turning the guard off lets calls pass: a click meant for another card must not do it.
    let buttons = (!lifted).then(|| CardButtons::of(card, |_| ()));
    let ready = Signal::derive(move || buttons.is_some_and(|buttons| buttons.ready.get()).to_string());
    view! {
        <div class="item notice guard" data-testid="item-guard" data-lifted=lifted.to_string() data-ready=ready node_ref=card>
            {icon(Icon::Warning)}
            <div>
                <p>{said}</p>
                {list(words, signals)}
                <p>{words.text(if lifted { word::GUARD_LIFTED } else { word::GUARD_TITLE })}</p>
                {buttons
                    .map(|buttons| {
                        view! {
                            <div class="buttons">
                                <WordButton
                                    testid="guard-lift"
                                    word=word::GUARD_LIFT
                                    card=buttons
                                    press=move |_| {
                                        conversation.control(Control::LiftGuard);
                                        navigation.focus_composer();
                                    }
                                />
                            </div>
                        }
                            .into_any()
                    })}
            </div>
        </div>
    }
}

/// The list of signals, each with the excerpt in which it was found.
pub fn list(words: Words, signals: Vec<InjectionSignal>) -> AnyView {
    let signals = signals
        .into_iter()
        .map(|InjectionSignal { kind, excerpt }| {
            let (name, word) = named(kind);
            view! {
                <li data-testid="guard-sign" data-sign=name>
                    {words.text(word)}
                    <q>{excerpt}</q>
                </li>
            }
            .into_any()
        })
        .collect_view();
    view! { <ul class="asks-why">{signals}</ul> }.into_any()
}

/// The name of a kind of signal in the document, and its sentence.
pub fn named(kind: SignalKind) -> (&'static str, Word) {
    match kind {
        SignalKind::Override => ("override", word::SIGN_OVERRIDE),
        SignalKind::Role => ("role", word::SIGN_ROLE),
        SignalKind::Order => ("order", word::SIGN_ORDER),
        SignalKind::Secrecy => ("secrecy", word::SIGN_SECRECY),
        SignalKind::Exfiltration => ("exfiltration", word::SIGN_EXFILTRATION),
        SignalKind::Hidden => ("hidden", word::SIGN_HIDDEN),
        SignalKind::Frame => ("frame", word::SIGN_FRAME),
    }
}
