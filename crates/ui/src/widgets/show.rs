//! A view that is shown only under a condition.

use leptos::prelude::*;

/// Leptos's `Show` with boxed content. The original is compiled anew for each condition and content, which would add up
/// to a tenth of the panel's size.
#[component]
pub fn Show(
    /// The condition.
    #[prop(into)]
    when: Signal<bool>,
    /// Shown while the condition is true.
    children: ChildrenFn,
    /// Shown while it is false.
    #[prop(optional, into)]
    fallback: ViewFn,
) -> impl IntoView {
    let holds = Memo::new(move |_| when.get());
    move || if holds.get() { children() } else { fallback.run() }
}
