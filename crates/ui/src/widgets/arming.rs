//! Decides when a card accepts a click. A click meant for what was at its place a moment ago must decide nothing, so a
//! card accepts none until it has stood still, in view, for longer than a person needs to hold back a click already
//! under way.

/// How long a card must stand still, in milliseconds.
const STILL: f64 = 700.0;

/// The bounds of a card and its buttons: left, top, width and height of each, in CSS pixels.
pub type CardPlace = Vec<[f64; 4]>;

/// How long a card has stood at its place. Times are in milliseconds on the document's clock.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arming {
    place: Option<CardPlace>,
    since: Option<f64>,
}

/// A click on one of a card's buttons. Enter and Space cause one, too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Click {
    /// When the input happened, which may be long before the click is handled.
    pub at: f64,
    /// Number of the click in a quick series, from 1; 0 for a key.
    pub detail: i32,
}

impl Arming {
    /// Records where the card is in this frame; `None` if it is out of view or covered. Its time starts with the second
    /// frame at the same place: by then it has been painted there.
    pub fn look(&mut self, place: Option<CardPlace>, now: f64) {
        if place.is_none() || place != self.place {
            self.since = None;
        } else if self.since.is_none() {
            self.since = Some(now);
        }
        self.place = place;
    }

    /// Starts over, because the card shows something else or the user has just turned to the panel.
    pub fn start_over(&mut self) {
        *self = Self::default();
    }

    /// Whether the card is in view.
    pub fn is_in_view(&self) -> bool {
        self.place.is_some()
    }

    /// Whether a click at `now` is accepted.
    pub fn is_ready(&self, now: f64) -> bool {
        self.since.is_some_and(|since| now - since >= STILL)
    }

    /// Whether this click is accepted. `place` is where the card is now: a card that has moved since the last frame
    /// starts over.
    pub fn takes(&mut self, click: Click, place: Option<CardPlace>) -> bool {
        if place.is_none() || place != self.place {
            self.start_over();
        }
        click.detail < 2 && self.is_ready(click.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(top: f64) -> Option<CardPlace> {
        Some(vec![[10.0, top, 300.0, 200.0], [22.0, top + 150.0, 60.0, 28.0]])
    }

    fn click(at: f64) -> Click {
        Click { at, detail: 1 }
    }

    /// A card at [`at`] 100, seen in frames from 1,000 on.
    fn card(until: u32) -> Arming {
        let mut arming = Arming::default();
        (0..=until / 16).for_each(|frame| arming.look(at(100.0), 1_000.0 + f64::from(frame) * 16.0));
        arming
    }

    #[test]
    fn card_ignores_clicks_until_it_stands_still() {
        for soon in [0.0, 120.0, 250.0, 400.0, 600.0, 700.0] {
            assert!(!card(2_000).takes(click(1_000.0 + soon), at(100.0)), "{soon} ms");
        }
        assert!(card(2_000).takes(click(1_716.0), at(100.0)));
        assert!(!card(0).takes(click(9_000.0), at(100.0)), "it was not painted for all we know");
    }

    #[test]
    fn click_is_judged_by_its_own_time() {
        let mut late = card(5_000);
        assert!(!late.takes(click(900.0), at(100.0)), "made before the card was there");
        assert!(late.takes(click(1_800.0), at(100.0)));
    }

    #[test]
    fn card_ignores_double_clicks_and_early_keys() {
        let detail = |detail, at| Click { at, detail };
        assert!(!card(2_000).takes(detail(0, 1_600.0), at(100.0)));
        assert!(card(2_000).takes(detail(0, 1_900.0), at(100.0)));
        assert!(!card(2_000).takes(detail(2, 1_900.0), at(100.0)));
    }

    #[test]
    fn card_starts_over_when_it_moves() {
        let mut arming = card(2_000);
        arming.look(at(136.0), 3_000.0);
        assert!(!arming.is_ready(3_000.0));
        arming.look(at(136.0), 3_016.0);
        assert!(!arming.is_ready(3_700.0));
        assert!(arming.is_ready(3_716.0));
        assert!(!arming.takes(click(3_800.0), at(100.0)), "it moved since the last frame");
        assert!(!arming.takes(click(3_900.0), at(136.0)), "and it has to stand still again");
    }

    #[test]
    fn card_starts_over_when_out_of_view_or_changed() {
        let mut arming = card(2_000);
        arming.look(None, 3_000.0);
        assert!(!arming.is_in_view() && !arming.is_ready(9_000.0));
        assert!(!arming.takes(click(9_000.0), None));
        let mut arming = card(2_000);
        arming.start_over();
        assert!(!arming.takes(click(9_000.0), at(100.0)));
    }
}
