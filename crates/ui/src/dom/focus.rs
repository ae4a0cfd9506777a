//! Moving the keyboard's focus.

use std::iter::successors;

use leptos::html::ElementType;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlElement, KeyboardEvent, Node};

/// What can have the focus in place of what is gone. An Enter that was meant for that must not start or destroy anything.
const STOPS: &str =
    "button:enabled:not(.primary, .danger), a[href], input, select, textarea, summary, [tabindex='0']";

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
    let stops = all_in(&container, selector);
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

/// Should an element have the focus when it goes away with the view that is made now, what is nearest to it gets it.
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

/// Changes the document. What had the focus and is still there has it again afterwards, wherever it was moved.
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
    // In the frame after the next, for those who know a better place.
    request_animation_frame(move || {
        request_animation_frame(move || {
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

/// What matches `selector` in a container, in the order of the document.
fn all_in(container: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(found) = container.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

/// The element that has the focus; none when the page itself has it.
pub fn active_element() -> Option<Element> {
    document().active_element().filter(|element| element.tag_name() != "BODY")
}

/// Gives an element the focus, and scrolls nothing.
fn focus_in_place(element: &HtmlElement) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    let _ = element.focus_with_options(&options);
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
