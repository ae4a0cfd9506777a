//! Tracks how much of a call's arguments was in view: nothing runs before the user could see their end.

use sidecar_ui::widgets::card::{ROUNDING, view_of};
use sidecar_ui::words::Words;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::word;

/// Elements of the arguments that may scroll. The text area of a long argument is not among them: it repeats the
/// `.asks-value` above it.
const SCROLLS: &str = ".asks-fields, .asks-value, .asks-field > textarea, .arguments, pre";

/// Marks elements that were scrolled to their end.
const SEEN: &str = "data-seen";

/// Distance from the end that still counts as the end, in CSS pixels.
const NEAR: i32 = 4;

/// How much of the arguments is in view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InView {
    /// Number of arguments shown in full.
    pub shown: usize,
    /// Whether the end of all arguments has been in view.
    pub end: bool,
}

impl InView {
    /// The state before the card was measured.
    pub const NOTHING_KNOWN: Self = Self { shown: usize::MAX, end: false };

    /// Whether some of the `total` arguments are not, or not wholly, in view.
    pub fn is_more_than(self, total: usize) -> bool {
        self != Self::NOTHING_KNOWN && (!self.end || self.shown < total)
    }
}

/// Measures how much of the arguments is in view. Their end counts as seen when their bottom edge is in view and each
/// scrolling part has been at its own end while it was. `was` says that the end was seen before.
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
        // Cannot fail for a valid attribute name.
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

/// The sentence with the number of arguments and how many are shown in full.
pub fn counted(words: Words, total: usize, shown: usize) -> String {
    let [total, shown] = [total, shown.min(total)].map(|count| u64::try_from(count).unwrap_or_default());
    let shown = words.number(shown);
    words.count((word::APPROVAL_COUNT_ONE, word::APPROVAL_COUNT_OTHER), total, &[("shown", &shown)])
}
