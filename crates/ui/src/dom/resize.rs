//! Observes the size of elements.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

/// Calls `resized` when one of the elements appears or changes its size, until the current owner is cleaned up.
pub fn on_resize(elements: [&Element; 2], resized: impl Fn() + 'static) {
    let resized = Closure::<dyn FnMut()>::new(move || untrack(&resized));
    let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) else { return };
    for element in elements {
        observer.observe(element);
    }
    let kept = StoredValue::new_local(Some((observer, resized)));
    on_cleanup(move || {
        if let Some((observer, _)) = kept.try_update_value(Option::take).flatten() {
            observer.disconnect();
        }
    });
}
