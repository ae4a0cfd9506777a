//! Following the end of the conversation: as long as the user is at the end, new text keeps it in sight; once they
//! scroll up, nothing moves under their eyes.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlElement, ResizeObserver};

/// This close to the end counts as the end, in CSS pixels.
const NEAR: i32 = 24;

/// Follows the end of one scrolling element.
#[derive(Clone, Copy)]
pub struct Follow {
    /// What scrolls.
    pub frame: NodeRef<html::Div>,
    /// What grows in it.
    pub content: NodeRef<html::Div>,
    /// Whether there is something new below what the user looks at.
    pub unseen: RwSignal<bool>,
    following: StoredValue<bool>,
    held: StoredValue<bool>,
    top: StoredValue<i32>,
    height: StoredValue<i32>,
}

impl Follow {
    /// At the end, to begin with.
    pub fn new() -> Self {
        Self {
            frame: NodeRef::new(),
            content: NodeRef::new(),
            unseen: RwSignal::new(false),
            following: StoredValue::new(true),
            held: StoredValue::new(false),
            top: StoredValue::new(0),
            height: StoredValue::new(0),
        }
    }

    /// Watches the content grow, from when it is there.
    pub fn watch(self) {
        Effect::new(move |_| {
            let (Some(content), Some(frame)) = (self.content.get(), self.frame.get()) else { return };
            let resized = Closure::<dyn FnMut()>::new(move || untrack(|| self.resized()));
            let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) else { return };
            observer.observe(&content);
            observer.observe(&frame);
            let kept = StoredValue::new_local(Some((observer, resized)));
            on_cleanup(move || {
                if let Some((observer, _)) = kept.try_update_value(Option::take).flatten() {
                    observer.disconnect();
                }
            });
        });
    }

    /// The user scrolled, or we did.
    pub fn scrolled(self) {
        let Some(frame) = self.frame.get_untracked() else { return };
        let top = frame.scroll_top();
        let was = self.top.get_value();
        self.top.set_value(top);
        if is_at_end(&frame) {
            self.following.set_value(true);
            self.unseen.set(false);
        } else if top < was {
            // Only going up means leaving: being short of the end can also mean that the text has just grown.
            self.following.set_value(false);
        }
    }

    /// The user is about to open or close something: what they look at stays where it is.
    pub fn hold(self) {
        self.held.set_value(true);
    }

    /// Goes to the end and follows it again.
    pub fn to_end(self) {
        let Some(frame) = self.frame.get_untracked() else { return };
        self.following.set_value(true);
        self.unseen.set(false);
        frame.set_scroll_top(frame.scroll_height());
        self.top.set_value(frame.scroll_top());
    }

    /// Something is being put above what the user looks at: keeps that where it is.
    pub fn keep_place(self) {
        let Some(frame) = self.frame.get_untracked() else { return };
        let below = frame.scroll_height() - frame.scroll_top();
        self.held.set_value(true);
        request_animation_frame(move || {
            frame.set_scroll_top(frame.scroll_height() - below);
            self.top.set_value(frame.scroll_top());
        });
    }

    fn resized(self) {
        let Some(frame) = self.frame.get_untracked() else { return };
        let height = frame.scroll_height();
        let grew = height > self.height.get_value();
        self.height.set_value(height);
        if self.held.get_value() {
            self.held.set_value(false);
            self.following.set_value(is_at_end(&frame));
        } else if self.following.get_value() {
            self.to_end();
        } else if grew && !is_at_end(&frame) {
            self.unseen.set(true);
        }
    }
}

/// The follower of the transcript, from the context.
pub fn use_follow() -> Follow {
    expect_context()
}

fn is_at_end(frame: &HtmlElement) -> bool {
    frame.scroll_height() - frame.scroll_top() - frame.client_height() <= NEAR
}
