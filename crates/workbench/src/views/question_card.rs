//! A card that asks the user: its buttons take clicks once it has stood still in view.

use leptos::html;
use leptos::prelude::*;
use sidecar_ui::dom::focus::{focus, stay_near};
use sidecar_ui::widgets::card::CardButtons;
use sidecar_ui::words::{Word, use_words};

/// What happens when a card comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardArrival {
    /// It has the focus: the user has just pressed what asks.
    Focused,
    /// It is scrolled into view: it comes while the user looks elsewhere.
    Scrolled,
}

/// The card. `close`, if there is one, takes it away, as Escape does; `inside` gets what its buttons need.
pub fn question_card(
    testid: &'static str,
    name: Word,
    arrival: CardArrival,
    close: Option<Callback<()>>,
    inside: impl FnOnce(CardButtons) -> AnyView,
) -> AnyView {
    let words = use_words();
    let card = NodeRef::<html::Div>::new();
    stay_near(card);
    // A second click on what asked is no answer.
    let buttons = CardButtons::of(card, |_| ());
    Effect::new(move |_| match (card.get(), arrival) {
        (Some(card), CardArrival::Focused) => focus(&card),
        (Some(card), CardArrival::Scrolled) => {
            request_animation_frame(move || card.scroll_into_view_with_bool(false));
        }
        (None, _) => {}
    });
    view! {
        <div
            class="bench-question"
            node_ref=card
            role="group"
            tabindex="-1"
            aria-label=words.text(name)
            data-testid=testid
            data-ready=Signal::derive(move || buttons.ready.get().to_string())
            on:keydown=move |event| {
                if event.key() == "Escape"
                    && let Some(close) = close
                {
                    event.stop_propagation();
                    close.run(());
                }
            }
        >
            {inside(buttons)}
        </div>
    }
    .into_any()
}
