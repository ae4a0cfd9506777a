//! A view that is there only while something holds.

use leptos::prelude::*;

/// Leptos's `Show` with everything boxed: that one is compiled anew for each condition and each content, which for a
/// panel full of them is a tenth of its size.
#[component]
pub fn Show(
    /// What must hold.
    #[prop(into)]
    when: Signal<bool>,
    /// What is there while it holds.
    children: ChildrenFn,
    /// What is there while it does not.
    #[prop(optional, into)]
    fallback: ViewFn,
) -> impl IntoView {
    let holds = Memo::new(move |_| when.get());
    move || if holds.get() { children() } else { fallback.run() }
}
