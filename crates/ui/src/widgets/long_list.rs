//! A virtualised list: only the rows near the screen are in the document. Margins take the height of the others, so
//! that the list scrolls as if they were there.

use std::iter::successors;
use std::ops::Range;

use leptos::html;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use crate::dom::focus::{active_element, focus};
use crate::dom::resize::on_resize;
use crate::widgets::keyed_list::KeyedList;

/// Distance from the visible part within which rows are in the document, in CSS pixels.
const MARGIN: i32 = 400;

/// Height of a row until one is measured, in CSS pixels.
const HEIGHT: i32 = 55;

/// The attribute that holds a row's key.
const KEY: &str = "data-key";

/// Selects rows that stay in the document wherever the user scrolls: focused or expanded ones.
const HELD: &str = ":focus-within, :has([aria-expanded=true])";

/// A virtualised list's state. A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct LongList {
    /// The scroll container; the list's offset is relative to it.
    pub frame: NodeRef<html::Section>,
    list: NodeRef<html::Ul>,
    keys: Memo<Vec<String>>,
    /// Keys of the rows to have in the document; some may have left the list.
    made: RwSignal<Vec<String>>,
    /// Key and position of those in the list, in order.
    slots: Memo<Vec<(String, usize)>>,
    /// Assumed height of a row that is not in the document.
    height: RwSignal<i32>,
}

impl LongList {
    /// Creates a list of these keys, which are unique.
    pub fn new(keys: Memo<Vec<String>>) -> Self {
        let made = RwSignal::new(Vec::<String>::new());
        let slots = Memo::new(move |_| {
            let places = |keys: &Vec<String>| {
                made.with(|made| {
                    let all = keys.iter().enumerate().filter(|(_, key)| made.contains(key));
                    all.map(|(place, key)| (key.clone(), place)).collect()
                })
            };
            keys.with(places)
        });
        Self { frame: NodeRef::new(), list: NodeRef::new(), keys, made, slots, height: RwSignal::new(HEIGHT) }
    }

    /// Adds the rows near the screen to the document and removes the others. Call it whenever the container has
    /// scrolled.
    pub fn look(self) {
        let (Some(frame), Some(list)) = (self.frame.get_untracked(), self.list.get_untracked()) else {
            return;
        };
        let (mut heights, mut held) = (Vec::new(), Vec::new());
        for row in rows_of(&list) {
            let Some(place) = self.place_of(&row) else { continue };
            heights.push((place, row.client_height()));
            if row.matches(HELD) == Ok(true) {
                held.push(place);
            }
        }
        heights.sort_unstable();
        let top = frame.scroll_top() - list.offset_top() - MARGIN;
        let bottom = top + frame.client_height() + 2 * MARGIN;
        let count = self.keys.with_untracked(Vec::len);
        let near = near(count, self.height.get_untracked(), &heights, top..bottom);
        if near.start == 0 {
            // The estimate changes only while the first row is in the document: no row above can move then. Held rows
            // are not typical, so they do not count.
            heights.retain(|(place, _)| !held.contains(place));
            if let Some(mean) = mean(&heights)
                && mean != self.height.get_untracked()
            {
                self.height.set(mean);
            }
        }
        let made = self.keys.with_untracked(|keys| {
            let wanted = keys.iter().enumerate();
            let wanted = wanted.filter(|(place, _)| near.contains(place) || held.contains(place));
            wanted.map(|(_, key)| key.clone()).collect::<Vec<_>>()
        });
        if self.made.with_untracked(|before| *before != made) {
            self.made.set(made);
        }
    }

    /// Moves the focus between rows with the arrow keys, Home and End, to the element that matches `stop`.
    fn pressed(self, event: &KeyboardEvent, stop: &'static str) {
        let row = active_element().and_then(|element| element.closest(&format!("[{KEY}]")).ok().flatten());
        let Some(at) = row.and_then(|row| self.place_of(&row)) else { return };
        let last = self.keys.with_untracked(Vec::len).saturating_sub(1);
        let to = match event.key().as_str() {
            "Home" => 0,
            "End" => last,
            "ArrowDown" => (at + 1).min(last),
            "ArrowUp" => at.saturating_sub(1),
            _ => return,
        };
        event.prevent_default();
        let Some(key) = self.keys.with_untracked(|keys| keys.get(to).cloned()) else { return };
        if self.reach(&key, stop) {
            return;
        }
        self.made.update(|made| made.push(key.clone()));
        spawn_local(async move {
            tick().await;
            self.reach(&key, stop);
        });
    }

    /// Focuses a row. Returns whether it is in the document.
    fn reach(self, key: &str, stop: &str) -> bool {
        let Some(list) = self.list.get_untracked() else { return false };
        let row = rows_of(&list).find(|row| row.get_attribute(KEY).as_deref() == Some(key));
        let target = row.and_then(|row| row.query_selector(stop).ok().flatten());
        let Some(target) = target.and_then(|target| target.dyn_into::<HtmlElement>().ok()) else {
            return false;
        };
        focus(&target);
        self.look();
        true
    }

    /// Position in the list of a row in the document.
    fn place_of(self, row: &Element) -> Option<usize> {
        let key = row.get_attribute(KEY)?;
        self.slots.with_untracked(|slots| slots.iter().find(|(one, _)| *one == key).map(|(_, place)| *place))
    }

    /// A row's position, and the margins before it and, for the last one in the document, after it, in CSS pixels.
    fn slot(self, key: &str) -> Option<(usize, i32, i32)> {
        let (count, height) = (self.keys.with(Vec::len), self.height.get());
        let room = |rows: usize| i32::try_from(rows).unwrap_or(i32::MAX).saturating_mul(height);
        self.slots.with(|slots| {
            let at = slots.iter().position(|(one, _)| one == key)?;
            let place = slots[at].1;
            let before = at.checked_sub(1).map_or(0, |before| slots[before].1 + 1);
            let after = if at + 1 == slots.len() { count - place - 1 } else { 0 };
            Some((place, room(place - before), room(after)))
        })
    }
}

/// The view of a virtualised list.
#[component]
pub fn LongRows(
    /// The list's state.
    list: LongList,
    /// Selector of the element in a row that takes the focus.
    stop: &'static str,
    /// Makes the content of a row, given its position in the list.
    #[prop(into)]
    row: Callback<usize, AnyView>,
) -> impl IntoView {
    Effect::new(move |_| {
        let (Some(frame), Some(rows)) = (list.frame.get(), list.list.get()) else { return };
        on_resize([&frame, &rows], move || list.look());
    });
    Effect::new(move |_| {
        list.keys.with(|_| ());
        untrack(|| list.look());
    });
    let keys =
        Signal::derive(move || list.slots.with(|slots| slots.iter().map(|(key, _)| key.clone()).collect()));
    let row = move |at: usize| {
        let Some((key, place)) = list.slots.with_untracked(|slots| slots.get(at).cloned()) else {
            return ().into_any();
        };
        let name = key.clone();
        // A row about to be removed keeps its values.
        let slot = Memo::new(move |before: Option<&(usize, i32, i32)>| {
            list.slot(&key).or(before.copied()).unwrap_or_default()
        });
        view! {
            <li
                data-key=name
                aria-setsize=Signal::derive(move || list.keys.with(|keys| keys.len().to_string()))
                aria-posinset=Signal::derive(move || (slot.get().0 + 1).to_string())
                style=Signal::derive(move || {
                    let (_, before, after) = slot.get();
                    format!("margin:{before}px 0 {after}px")
                })
            >
                {row.run(place)}
            </li>
        }
        .into_any()
    };
    view! {
        <ul class="long-list" node_ref=list.list on:keydown=move |event| list.pressed(&event, stop)>
            <KeyedList keys=keys row=row />
        </ul>
    }
}

/// The rows that are in the document.
fn rows_of(list: &Element) -> impl Iterator<Item = Element> {
    successors(list.first_element_child(), Element::next_element_sibling)
}

/// The positions of the rows that overlap a range of the list, in CSS pixels from its top; at least one, which carries
/// the margins. Rows in `heights` (by position, in order) have the measured height, the others `usual`.
fn near(count: usize, usual: i32, heights: &[(usize, i32)], between: Range<i32>) -> Range<usize> {
    let mut measured = heights.iter().peekable();
    let (mut bottom, mut first, mut end) = (0, 0, 0);
    for place in 0..count {
        let top = bottom;
        bottom += measured.next_if(|(at, _)| *at == place).map_or(usual, |(_, height)| *height);
        if bottom <= between.start {
            first = place + 1;
        }
        if top < between.end {
            end = place + 1;
        }
    }
    let first = first.min(count.saturating_sub(1));
    first..end.max(first + 1).min(count)
}

fn mean(heights: &[(usize, i32)]) -> Option<i32> {
    let sum: i32 = heights.iter().map(|(_, height)| height).sum();
    Some(sum / i32::try_from(heights.len()).ok().filter(|count| *count > 0)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_is_near_when_partly_in_range() {
        assert_eq!(near(100, 50, &[], 0..200), 0..4);
        assert_eq!(near(100, 50, &[], -400..201), 0..5);
        assert_eq!(near(100, 50, &[], 99..151), 1..4);
        assert_eq!(near(100, 50, &[], 100..150), 2..3);
        assert_eq!(near(100, 50, &[], 4_900..9_000), 98..100);
    }

    #[test]
    fn near_rows_follow_measured_heights() {
        assert_eq!(near(100, 50, &[(1, 300), (2, 50)], 0..200), 0..2);
        assert_eq!(near(100, 50, &[(1, 300), (2, 50)], 350..450), 2..4);
    }

    #[test]
    fn near_range_has_a_row_when_the_list_has_any() {
        assert_eq!(near(100, 50, &[], 6_000..7_000), 99..100);
        assert_eq!(near(100, 50, &[], -700..-600), 0..1);
        assert_eq!(near(0, 50, &[], 0..200), 0..0);
    }
}
