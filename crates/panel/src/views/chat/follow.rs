//! Keeps the end of the conversation in view while the user is there. Once they scroll up, nothing moves.

use std::iter::successors;

use leptos::html;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use sidecar_ui::dom::focus::{active_element, focus};
use sidecar_ui::dom::resize::on_resize;
use web_sys::{Element, HtmlElement};

/// Distance from the end that still counts as the end, in CSS pixels.
const NEAR: i32 = 24;

/// Inputs inside items.
const WRITING: &str = ".item textarea, .item input";

/// Follows the end of one scrolling element.
#[derive(Clone, Copy)]
pub struct Follow {
    /// The scroll container.
    pub frame: NodeRef<html::Div>,
    /// The content that grows in `frame`.
    pub content: NodeRef<html::Div>,
    /// Whether there is new content below the visible part.
    pub unseen: RwSignal<bool>,
    /// Whether later items are not in the document.
    pub goes_on: StoredValue<bool>,
    following: StoredValue<bool>,
    held: StoredValue<bool>,
    top: StoredValue<i32>,
    height: StoredValue<i32>,
    /// Width and height of `frame`.
    size: StoredValue<(i32, i32)>,
}

impl Follow {
    /// Starts at the end.
    pub fn new() -> Self {
        Self {
            frame: NodeRef::new(),
            content: NodeRef::new(),
            unseen: RwSignal::new(false),
            goes_on: StoredValue::new(false),
            following: StoredValue::new(true),
            held: StoredValue::new(false),
            top: StoredValue::new(0),
            height: StoredValue::new(0),
            size: StoredValue::new((0, 0)),
        }
    }

    /// Observes the size of content and container.
    pub fn watch(self) {
        Effect::new(move |_| {
            let (Some(content), Some(frame)) = (self.content.get(), self.frame.get()) else { return };
            on_resize([&content, &frame], move || self.resized());
        });
    }

    /// Handles a `scroll` event, caused by the user or by this code.
    pub fn scrolled(self) {
        let Some(frame) = self.frame.get_untracked() else { return };
        if self.size.get_value() != size_of(&frame) {
            // A frame of another size is scrolled by the layout, before its size is observed.
            return self.resized();
        }
        let top = frame.scroll_top();
        let was = self.top.get_value();
        self.top.set_value(top);
        if self.is_at_end(&frame) {
            self.following.set_value(true);
            self.unseen.set(false);
        } else if top < was {
            // Only scrolling up leaves the end: a distance from the end can also mean that the text has just grown.
            self.following.set_value(false);
        }
    }

    /// Keeps the visible part in place for the next change of size, because the user expands or collapses something.
    pub fn hold(self) {
        self.held.set_value(true);
    }

    /// Scrolls to the end and follows it again.
    pub fn to_end(self) {
        let Some(frame) = self.frame.get_untracked() else { return };
        self.following.set_value(true);
        self.unseen.set(false);
        frame.set_scroll_top(frame.scroll_height());
        self.top.set_value(frame.scroll_top());
    }

    /// Whether the end is kept in view.
    pub fn is_following(self) -> bool {
        self.following.get_value()
    }

    /// Keeps the visible items in place while items above them are added or removed.
    pub fn keep_place(self) {
        let (Some(frame), Some(content)) = (self.frame.get_untracked(), self.content.get_untracked()) else {
            return;
        };
        let top = frame.get_bounding_client_rect().top();
        let mut children = successors(content.first_element_child(), Element::next_element_sibling);
        let Some(seen) = children.find(|child| {
            let is_item = child.class_list().contains("item");
            is_item && child.get_bounding_client_rect().bottom() > top
        }) else {
            return;
        };
        let was = seen.get_bounding_client_rect().top();
        self.held.set_value(true);
        request_animation_frame(move || {
            if seen.is_connected() {
                let moved = seen.get_bounding_client_rect().top() - was;
                frame.set_scroll_top(frame.scroll_top() + moved.round() as i32);
            }
            self.top.set_value(frame.scroll_top());
        });
    }

    /// Moves the focus to the container if the focused item is removed, so that keys go on scrolling.
    pub fn keep_focus(self) {
        let Some(frame) = self.frame.get_untracked() else { return };
        if active_element().is_none_or(|active| !frame.contains(Some(&active))) {
            return;
        }
        spawn_local(async move {
            tick().await;
            if active_element().is_none() {
                focus(&frame);
            }
        });
    }

    /// Whether the user has selected text, or writes in an item, so that items must not be removed.
    pub fn is_in_use(self) -> bool {
        let is_marked = || {
            let selection = window().get_selection().ok().flatten();
            selection.is_some_and(|selection| !selection.is_collapsed())
        };
        let frame = self.frame.get_untracked();
        is_marked()
            || frame.is_some_and(|frame| frame.query_selector(WRITING).is_ok_and(|found| found.is_some()))
    }

    fn resized(self) {
        let Some(frame) = self.frame.get_untracked() else { return };
        self.size.set_value(size_of(&frame));
        let height = frame.scroll_height();
        let grew = height > self.height.get_value();
        self.height.set_value(height);
        if self.held.get_value() {
            self.held.set_value(false);
            self.following.set_value(self.is_at_end(&frame));
        } else if self.following.get_value() {
            self.to_end();
        } else if grew && !self.is_at_end(&frame) {
            self.unseen.set(true);
        }
    }

    fn is_at_end(self, frame: &HtmlElement) -> bool {
        let left = frame.scroll_height() - frame.scroll_top() - frame.client_height();
        left <= NEAR && !self.goes_on.get_value()
    }
}

fn size_of(frame: &HtmlElement) -> (i32, i32) {
    (frame.client_width(), frame.client_height())
}

/// Returns the transcript's [`Follow`] from the context.
pub fn use_follow() -> Follow {
    expect_context()
}
