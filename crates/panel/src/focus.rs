//! Moving the keyboard's focus.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

/// Which keys move the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Up and down.
    List,
    /// Left and right, round the ends.
    Tabs,
}

/// Moves the focus among the elements of the event's container that match `selector`, and gives the new one back.
/// Home and End go to the ends.
pub fn rove(event: &KeyboardEvent, selector: &str, axis: Axis) -> Option<HtmlElement> {
    let container = event.current_target()?.dyn_into::<Element>().ok()?;
    let found = container.query_selector_all(selector).ok()?;
    let stops: Vec<HtmlElement> =
        (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect();
    let last = stops.len().checked_sub(1)?;
    let active = active_element()?;
    let at = stops.iter().position(|stop| **stop == active);
    if at.is_none() && axis == Axis::List {
        // The keys belong to what has the focus: a choice, or a text that scrolls.
        return None;
    }
    let to = match (event.key().as_str(), axis) {
        ("Home", _) if at.is_some() => 0,
        ("End", _) if at.is_some() => last,
        ("ArrowDown", Axis::List) => at.map_or(0, |at| (at + 1).min(last)),
        ("ArrowUp", Axis::List) => at?.saturating_sub(1),
        ("ArrowRight", Axis::Tabs) => at.map_or(0, |at| if at == last { 0 } else { at + 1 }),
        ("ArrowLeft", Axis::Tabs) => at.map_or(last, |at| at.checked_sub(1).unwrap_or(last)),
        _ => return None,
    };
    event.prevent_default();
    focus(&stops[to]);
    Some(stops[to].clone())
}

/// The element that has the focus; none when the page itself has it.
pub fn active_element() -> Option<Element> {
    document().active_element().filter(|element| element.tag_name() != "BODY")
}

/// Gives an element the focus.
pub fn focus(element: &HtmlElement) {
    // Fails for elements that cannot have it, and then nothing is lost.
    let _ = element.focus();
}

/// Whether keys go into a text now, so that no letter may be a shortcut.
pub fn is_typing() -> bool {
    active_element().is_some_and(|element| {
        matches!(element.tag_name().as_str(), "TEXTAREA" | "SELECT")
            || (element.tag_name() == "INPUT" && element.get_attribute("type").as_deref() != Some("checkbox"))
    })
}

/// Whether an input method is composing: then Enter and Escape are its own.
pub fn is_composing(event: &KeyboardEvent) -> bool {
    event.is_composing() || event.key_code() == 229
}
