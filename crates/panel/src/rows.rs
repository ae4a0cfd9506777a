//! A list of views, each of which stays as long as its key is in the list.

use leptos::prelude::*;

/// Leptos's `For` with everything boxed: that one is compiled anew for each list.
#[component]
pub fn Rows(
    /// The keys, each but once, in order.
    #[prop(into)]
    keys: Signal<Vec<String>>,
    /// Makes the view of a new row, whose place at the moment is given.
    #[prop(into)]
    row: Callback<usize, AnyView>,
) -> impl IntoView {
    let keyed = move || keys.get().into_iter().enumerate().collect::<Vec<_>>();
    view! { <For each=keyed key=|(_, key)| key.clone() children=move |(place, _)| row.run(place) /> }
}
