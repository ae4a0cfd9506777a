//! Moves the keyboard focus.

use std::cell::Cell;
use std::iter::successors;

use leptos::html::ElementType;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlElement, KeyboardEvent, Node};

/// Elements that may take the focus from a removed one. Primary and danger buttons are excluded: an Enter meant for the
/// removed element must not start or destroy anything.
const STOPS: &str =
    "button:enabled:not(.primary, .danger), a[href], input, select, textarea, summary, [tabindex='0']";

thread_local! {
    /// Counts removals of focused elements: only the last one decides where the focus goes.
    static REMOVALS: Cell<u32> = const { Cell::new(0) };
}

/// The keys that move the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Up and down.
    List,
    /// Left and right, wrapping around.
    Tabs,
}

/// Moves the focus among the elements of the event's container that match `selector`, and returns the newly focused
/// one. Home and End go to the ends.
pub fn rove(event: &KeyboardEvent, selector: &str, axis: Axis) -> Option<HtmlElement> {
    let container = event.current_target()?.dyn_into::<Element>().ok()?;
    let stops = all_in(&container, selector);
    let last = stops.len().checked_sub(1)?;
    let active = active_element()?;
    let at = stops.iter().position(|stop| **stop == active);
    if at.is_none() && axis == Axis::List {
        // The keys belong to the focused element: a select, or a text that scrolls.
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

/// When the current owner is cleaned up and the element has the focus, moves the focus to the nearest focusable one.
pub fn stay_near<E>(node: NodeRef<E>)
where
    E: ElementType,
    E::Output: JsCast + AsRef<Element> + Clone + 'static,
{
    on_cleanup(move || {
        if let Some(leaving) = node.get_untracked() {
            keep_near(leaving.as_ref());
        }
    });
}

/// Runs a change of the document. An element that lost the focus because it was moved gets it back.
pub fn keep_focus(change: impl FnOnce()) {
    let before = active_element();
    change();
    if active_element().is_none()
        && let Some(element) = before.and_then(|element| element.dyn_into::<HtmlElement>().ok())
    {
        focus_in_place(&element);
    }
}

fn keep_near(leaving: &Element) {
    if active_element().is_none_or(|active| !leaving.contains(Some(&active))) {
        return;
    }
    let is_before =
        |stop: &HtmlElement| stop.compare_document_position(leaving) & Node::DOCUMENT_POSITION_FOLLOWING != 0;
    let place = |container: Element| {
        let before = all_in(&container, STOPS).iter().filter(|stop| is_before(stop)).count();
        (container, before)
    };
    let around: Vec<_> =
        successors(leaving.parent_element(), |element| element.parent_element()).map(place).collect();
    let removal = REMOVALS.get().wrapping_add(1);
    REMOVALS.set(removal);
    // Two frames later, so that other code can choose a better place first.
    request_animation_frame(move || {
        request_animation_frame(move || {
            if REMOVALS.get() != removal {
                return;
            }
            for (container, before) in around {
                let stops = all_in(&container, STOPS);
                let (sooner, later) = stops.split_at(before.min(stops.len()));
                for stop in later.iter().chain(sooner.iter().rev()) {
                    if active_element().is_some() {
                        return;
                    }
                    focus_in_place(stop);
                }
            }
        });
    });
}

/// The elements in a container that match `selector`, in document order.
fn all_in(container: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(found) = container.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

/// The focused element; `None` if it is the body.
pub fn active_element() -> Option<Element> {
    document().active_element().filter(|element| element.tag_name() != "BODY")
}

/// Focuses an element without scrolling.
fn focus_in_place(element: &HtmlElement) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    let _ = element.focus_with_options(&options);
}

/// Focuses an element.
pub fn focus(element: &HtmlElement) {
    // Fails for elements that cannot be focused, which does no harm.
    let _ = element.focus();
}

/// Whether the user is typing in a field, so that a letter is no shortcut.
pub fn is_typing() -> bool {
    active_element().is_some_and(|element| {
        matches!(element.tag_name().as_str(), "TEXTAREA" | "SELECT")
            || (element.tag_name() == "INPUT" && element.get_attribute("type").as_deref() != Some("checkbox"))
    })
}

/// Whether an input method is composing: Enter and Escape are for it then.
pub fn is_composing(event: &KeyboardEvent) -> bool {
    event.is_composing() || event.key_code() == 229
}
