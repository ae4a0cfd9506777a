//! A keyed list: a view stays as long as its key is in the list.

use std::collections::HashMap;

use leptos::html;
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use web_sys::Element;

use crate::dom::focus::keep_focus;

/// Like Leptos's `For`. That one removes rows and inserts them again when others come before them, which loses focus
/// and selection, and it is compiled anew for each list.
#[component]
pub fn KeyedList(
    /// The keys in order, without duplicates.
    #[prop(into)]
    keys: Signal<Vec<String>>,
    /// Makes the view of a new row, given its current position.
    #[prop(into)]
    row: Callback<usize, AnyView>,
) -> impl IntoView {
    let end = NodeRef::<html::Template>::new();
    let rows = StoredValue::new_local(Vec::<Row>::new());
    let parent = Owner::current().unwrap_or_default();
    Effect::new(move |_| {
        let Some(end) = end.get() else { return };
        let keys = keys.get();
        let make = |place: usize, key: String| {
            let owner = parent.child();
            let view = owner.with(|| row.run(place).build());
            Row { key, view, owner }
        };
        untrack(|| keep_focus(|| rows.update_value(|rows| arrange(rows, keys, &end, make))));
    });
    on_cleanup(move || {
        let rows = rows.try_update_value(std::mem::take).unwrap_or_default();
        rows.into_iter().for_each(Row::leave);
    });
    // Marks the end of the list; invisible.
    view! { <template node_ref=end></template> }
}

/// A unique key for each text, even for equal ones.
pub fn numbered(texts: &[String]) -> Vec<String> {
    let twins = |place: usize| texts[..place].iter().filter(|text| **text == texts[place]).count();
    texts.iter().enumerate().map(|(place, text)| format!("{} {text}", twins(place))).collect()
}

/// A row in the document.
struct Row {
    key: String,
    view: AnyViewState,
    owner: Owner,
}

impl Row {
    fn leave(mut self) {
        self.owner.cleanup();
        self.view.unmount();
    }
}

/// Updates the rows to match the keys. An existing row is moved only if its order among the others changed.
fn arrange(rows: &mut Vec<Row>, keys: Vec<String>, end: &Element, make: impl Fn(usize, String) -> Row) {
    let Some(parent) = end.parent_element() else { return };
    let mut before: HashMap<String, (usize, Row)> =
        rows.drain(..).enumerate().map(|(place, row)| (row.key.clone(), (place, row))).collect();
    let kept: Vec<_> = keys.iter().map(|key| before.remove(key)).collect();
    before.into_values().for_each(|(_, row)| row.leave());
    // From the end, so that the following row is always in place.
    let mut followed_by = usize::MAX;
    for (place, (key, kept)) in keys.into_iter().zip(kept).enumerate().rev() {
        let row = match kept {
            Some((was, row)) if was < followed_by => {
                followed_by = was;
                row
            }
            kept => {
                let mut row = kept.map_or_else(|| make(place, key), |(_, row)| row);
                let is_in = rows.last().is_some_and(|next: &Row| next.view.insert_before_this(&mut row.view));
                if !is_in {
                    row.view.mount(&parent, Some(end));
                }
                row
            }
        };
        rows.push(row);
    }
    rows.reverse();
}
