//! When a card takes a click. A click that was meant for what stood at its place a moment ago must decide nothing, so a
//! card takes none until it has stood still, in view, for longer than a hand needs to be called back.

/// How long a card must have stood still, in milliseconds.
const STILL: f64 = 700.0;

/// Where a card and its buttons are on the screen: left, top, width and height of each, in CSS pixels.
pub type CardPlace = Vec<[f64; 4]>;

/// How long a card has been where it is. Times are those of the panel's clock, in milliseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arming {
    place: Option<CardPlace>,
    since: Option<f64>,
}

/// A click on one of a card's buttons. Enter and Space make one, too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Click {
    /// When the hand or the key made it, which may be long before it is handled.
    pub at: f64,
    /// Which it is of a quick series, from 1; 0 for a key's.
    pub detail: i32,
}

impl Arming {
    /// Takes note of where the card is in this frame; `None` when it is not in view, or covered. Its time begins
    /// with the second frame that has it at its place: by then it has been painted there.
    pub fn look(&mut self, place: Option<CardPlace>, now: f64) {
        if place.is_none() || place != self.place {
            self.since = None;
        } else if self.since.is_none() {
            self.since = Some(now);
        }
        self.place = place;
    }

    /// The card shows something else, or the user has only just turned to the panel.
    pub fn start_over(&mut self) {
        *self = Self::default();
    }

    /// Whether the card is in view at all.
    pub fn is_in_view(&self) -> bool {
        self.place.is_some()
    }

    /// Whether a click of now is taken.
    pub fn is_ready(&self, now: f64) -> bool {
        self.since.is_some_and(|since| now - since >= STILL)
    }

    /// Whether this click is taken. `place` is where the card is now: a card that has moved since the last frame begins
    /// anew.
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

    /// A card at the place of [`at`] 100, seen in frames from 1,000 on.
    fn card(until: u32) -> Arming {
        let mut arming = Arming::default();
        (0..=until / 16).for_each(|frame| arming.look(at(100.0), 1_000.0 + f64::from(frame) * 16.0));
        arming
    }

    #[test]
    fn card_takes_no_click_before_it_stood_still() {
        for soon in [0.0, 120.0, 250.0, 400.0, 600.0, 700.0] {
            assert!(!card(2_000).takes(click(1_000.0 + soon), at(100.0)), "{soon} ms");
        }
        assert!(card(2_000).takes(click(1_716.0), at(100.0)));
        assert!(!card(0).takes(click(9_000.0), at(100.0)), "it was not painted for all we know");
    }

    #[test]
    fn click_counts_from_when_it_was_made() {
        let mut late = card(5_000);
        assert!(!late.takes(click(900.0), at(100.0)), "made before the card was there");
        assert!(late.takes(click(1_800.0), at(100.0)));
    }

    #[test]
    fn card_takes_no_double_click_and_no_early_key() {
        let detail = |detail, at| Click { at, detail };
        assert!(!card(2_000).takes(detail(0, 1_600.0), at(100.0)));
        assert!(card(2_000).takes(detail(0, 1_900.0), at(100.0)));
        assert!(!card(2_000).takes(detail(2, 1_900.0), at(100.0)));
    }

    #[test]
    fn card_waits_again_when_it_moves() {
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
    fn card_waits_again_when_out_of_view_or_changed() {
        let mut arming = card(2_000);
        arming.look(None, 3_000.0);
        assert!(!arming.is_in_view() && !arming.is_ready(9_000.0));
        assert!(!arming.takes(click(9_000.0), None));
        let mut arming = card(2_000);
        arming.start_over();
        assert!(!arming.takes(click(9_000.0), at(100.0)));
    }
}
