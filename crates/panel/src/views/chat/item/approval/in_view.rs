//! How much of a call's arguments was in view: nothing runs before the user could see their end.

use sidecar_ui::widgets::card::{ROUNDING, view_of};
use sidecar_ui::words::Words;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::word;

/// What of the arguments may scroll. The text area of a long one shows again what stands above it.
const SCROLLS: &str = ".asks-fields, .asks-value, .asks-field > textarea, .arguments, pre";

/// Marks what was scrolled to its end.
const SEEN: &str = "data-seen";

/// How far from its end something counts as scrolled to it, in CSS pixels.
const NEAR: i32 = 4;

/// How much of the arguments is in view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InView {
    /// How many are shown whole.
    pub shown: usize,
    /// Whether the end of all that scrolls was in view.
    pub end: bool,
}

impl InView {
    /// Before the card was looked at.
    pub const NOTHING_KNOWN: Self = Self { shown: usize::MAX, end: false };

    /// Whether there is more to see than is shown, of so many.
    pub fn is_more_than(self, total: usize) -> bool {
        self != Self::NOTHING_KNOWN && (!self.end || self.shown < total)
    }
}

/// How much of the arguments is in view, and whether their end is now or `was` before. Of a card that is larger than the
/// view, the end of all of them need not be there.
pub fn look_at(given: &HtmlElement, was: bool) -> InView {
    let all = |selector: &str| -> Vec<Element> {
        let Ok(found) = given.query_selector_all(selector) else { return Vec::new() };
        (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
    };
    let is_at_end = |it: &Element| it.scroll_height() - it.scroll_top() - it.client_height() <= NEAR;
    let scrolling = all(SCROLLS);
    let (view, bottom) = (view_of(given), given.get_bounding_client_rect().bottom());
    let ends_in_view = bottom > view.top() && bottom <= view.bottom() + ROUNDING;
    for it in scrolling.iter().filter(|it| ends_in_view && it.client_height() > 0 && is_at_end(it)) {
        // Fails for no attribute name used here.
        let _ = it.set_attribute(SEEN, "");
    }
    let end = was || ends_in_view && scrolling.iter().all(|it| it.has_attribute(SEEN));
    let is_whole = |field: &Element| {
        let value = field.query_selector(".asks-value, textarea").ok().flatten();
        let fits = value.is_none_or(|value| value.scroll_height() - value.client_height() <= NEAR);
        let frame = field.parent_element().map(|frame| frame.get_bounding_client_rect());
        let it = field.get_bounding_client_rect();
        let is_in = frame.is_none_or(|frame| {
            it.top() >= frame.top() - ROUNDING && it.bottom() <= frame.bottom() + ROUNDING
        });
        fits && is_in
    };
    let fields = all(".asks-field");
    let shown = if scrolling.iter().all(|it| it.scroll_height() - it.client_height() <= NEAR) {
        fields.len()
    } else {
        fields.iter().filter(|field| is_whole(field)).count()
    };
    InView { shown, end }
}

/// How many arguments there are, and how many are shown whole.
pub fn counted(words: Words, total: usize, shown: usize) -> String {
    let [total, shown] = [total, shown.min(total)].map(|count| u64::try_from(count).unwrap_or_default());
    let shown = words.number(shown);
    words.count((word::APPROVAL_COUNT_ONE, word::APPROVAL_COUNT_OTHER), total, &[("shown", &shown)])
}
