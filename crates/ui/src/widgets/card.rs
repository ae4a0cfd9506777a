//! The buttons of a card in the conversation that asks the user. They accept clicks only once the card has stood still
//! in view ([`Arming`]). Until then they look muted, can be focused, and do nothing.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{DomRect, Element, MouseEvent};

use crate::dom::resize::on_resize;
use crate::widgets::arming::{Arming, CardPlace, Click};

/// Interval at which a card is measured that need not be measured in each frame.
const SELDOM: Duration = Duration::from_millis(100);

/// The scroll container of cards.
const FRAME: &str = ".card-frame";

/// Tolerance for rounded coordinates, in CSS pixels.
pub const ROUNDING: f64 = 1.0;

/// A card that leaves less of the view free than this counts as too tall to be in view as a whole: one turn of the
/// wheel may scroll past that place. In CSS pixels.
const ROOM: f64 = 100.0;

/// Whether a card's buttons accept clicks. A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct CardButtons {
    /// Whether clicks are accepted now.
    pub ready: RwSignal<bool>,
    card: NodeRef<html::Div>,
    arming: StoredValue<Arming>,
    looked: Callback<Element>,
}

impl CardButtons {
    /// Observes a card until the current owner is cleaned up. `looked` is called whenever the card was measured and is
    /// in view.
    pub fn of(card: NodeRef<html::Div>, looked: impl Fn(Element) + Send + Sync + 'static) -> Self {
        let buttons = Self {
            ready: RwSignal::new(false),
            card,
            arming: StoredValue::new(Arming::default()),
            looked: Callback::new(looked),
        };
        Effect::new(move |begun: Option<bool>| {
            let begun = begun == Some(true);
            let Some(card) = card.get().map(Element::from) else { return begun };
            // Neighbours that change their size move the card.
            let beside = card.parent_element().and_then(|item| item.parent_element());
            on_resize([&card, beside.as_ref().unwrap_or(&card)], move || {
                buttons.look();
            });
            if !begun {
                buttons.go_on();
            }
            true
        });
        for event in ["focus", "visibilitychange"] {
            let listener = window_event_listener_untyped(event, move |_| buttons.start_over());
            on_cleanup(move || listener.remove());
        }
        buttons
    }

    /// Starts over, because the card shows something else.
    pub fn start_over(self) {
        if self.arming.try_update_value(Arming::start_over).is_some() {
            self.tell(false);
        }
    }

    /// Whether a click on one of the card's buttons is accepted.
    pub fn takes(self, event: &MouseEvent) -> bool {
        let button = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let button = button.and_then(|target| target.closest("button").ok().flatten());
        let (Some(button), Some(card)) = (button, self.card.get_untracked().map(Element::from)) else {
            return false;
        };
        let place = place(&card).filter(|_| is_visible(&button, &view_of(&card)));
        let click = Click { at: event.time_stamp(), detail: event.detail() };
        let takes = self.arming.try_update_value(|arming| arming.takes(click, place)).unwrap_or(false);
        if !takes {
            self.tell(self.is_ready());
        }
        takes
    }

    fn go_on(self) {
        request_animation_frame(move || {
            let Some(in_view) = self.look() else { return };
            match in_view && !self.is_ready() {
                true => self.go_on(),
                false => set_timeout(move || self.go_on(), SELDOM),
            }
        });
    }

    /// Measures the card. Returns whether it is in view; `None` if it is gone.
    fn look(self) -> Option<bool> {
        let card = self.card.try_get_untracked()?.map(Element::from)?;
        let in_view = self.arming.try_update_value(|arming| {
            arming.look(place(&card), now());
            arming.is_in_view()
        })?;
        self.tell(self.is_ready());
        if in_view {
            self.looked.run(card);
        }
        Some(in_view)
    }

    fn is_ready(self) -> bool {
        self.arming.try_with_value(|arming| arming.is_ready(now())).unwrap_or(false)
    }

    fn tell(self, ready: bool) {
        if self.ready.try_get_untracked().is_some_and(|was| was != ready) {
            self.ready.set(ready);
        }
    }
}

/// The bounds of the card and its buttons; `None` unless the card is wholly in view and its buttons are not covered. Of
/// a card about as tall as the view, or taller, one visible button is enough.
fn place(card: &Element) -> Option<CardPlace> {
    let (view, whole) = (view_of(card), card.get_bounding_client_rect());
    let found = card.query_selector_all(".buttons button").ok()?;
    let buttons: Vec<Element> =
        (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect();
    let in_view = match whole.height() + ROOM <= view.height() {
        true => is_inside(&whole, &view) && buttons.iter().all(|button| is_visible(button, &view)),
        false => buttons.iter().any(|button| is_visible(button, &view)),
    };
    let rectangles = std::iter::once(whole).chain(buttons.iter().map(Element::get_bounding_client_rect));
    in_view.then(|| rectangles.map(|it| [it.left(), it.top(), it.width(), it.height()]).collect())
}

/// The bounds of the scroll container around an element.
pub fn view_of(it: &Element) -> DomRect {
    let frame = it.closest(FRAME).ok().flatten();
    frame.as_ref().unwrap_or(it).get_bounding_client_rect()
}

/// Whether a button is in the view and not covered.
fn is_visible(button: &Element, view: &DomRect) -> bool {
    let it = button.get_bounding_client_rect();
    let (x, y) = (it.left() + it.width() / 2.0, it.top() + it.height() / 2.0);
    #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
    let there = document().element_from_point(x as f32, y as f32);
    it.width() > 0.0 && is_inside(&it, view) && there.is_some_and(|there| button.contains(Some(&there)))
}

fn is_inside(inner: &DomRect, outer: &DomRect) -> bool {
    inner.width() > 0.0
        && inner.left() >= outer.left() - ROUNDING
        && inner.right() <= outer.right() + ROUNDING
        && inner.top() >= outer.top() - ROUNDING
        && inner.bottom() <= outer.bottom() + ROUNDING
}

/// The clock of event time stamps.
fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}
