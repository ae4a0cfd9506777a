//! A checkbox for what the worker keeps: it shows what the user wants at once, and then what the worker says.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_link::LinkResponse;
use sidecar_protocol::link::Domain;

use crate::state::{PanelState, use_state};

/// How long what the user wants is shown after the worker did it, until the worker says so to all panels. Another panel
/// may have changed it back meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the user wants.
struct Wanted {
    /// Of what.
    of: String,
    /// Whether it is to be checked.
    on: bool,
    /// Whether the worker did it.
    is_done: bool,
}

/// A checkbox with a label.
#[component]
pub fn Switch<D: Domain + 'static>(
    /// Its `data-testid`.
    testid: &'static str,
    /// The classes of the label.
    #[prop(default = "site-switch")]
    class: &'static str,
    /// What it is about, if that may become something else while it is shown.
    #[prop(optional, into)]
    about: Signal<String>,
    /// What the worker says.
    checked: Signal<bool>,
    /// Whether it takes no clicks.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// What the worker is told when the user wants it so.
    command: impl Fn(bool) -> D + 'static,
    /// Its label.
    children: Children,
) -> impl IntoView {
    let PanelState { connection, .. } = use_state();
    let wanted = RwSignal::new(None::<Wanted>);
    let clicks = StoredValue::new(0_u32);
    let wanted_here = move || {
        wanted.with(|wanted| {
            let wanted = wanted.as_ref()?;
            about.with(|about| *about == wanted.of).then_some((wanted.on, wanted.is_done))
        })
    };
    let shown = Memo::new(move |_| wanted_here().map_or_else(|| checked.get(), |(on, _)| on));
    // The worker did it and says so.
    Effect::new(move |_| {
        if wanted_here() == Some((checked.get(), true)) {
            wanted.set(None);
        }
    });
    let press = move |on: bool| {
        clicks.update_value(|clicks| *clicks += 1);
        let click = clicks.get_value();
        // A later click wants something else, and the view may be gone.
        let is_last = move || clicks.try_get_value() == Some(click);
        let forget = move || {
            if is_last() {
                wanted.set(None);
            }
        };
        wanted.set(Some(Wanted { of: about.get_untracked(), on, is_done: false }));
        let is_sent = connection.ask(command(on), move |response| match response {
            LinkResponse::Done | LinkResponse::Answer(_) if is_last() => {
                wanted.update(|wanted| wanted.iter_mut().for_each(|wanted| wanted.is_done = true));
                set_timeout(forget, PATIENCE);
            }
            LinkResponse::Done | LinkResponse::Answer(_) => {}
            LinkResponse::Refused(why) => {
                connection.refused(why);
                forget();
            }
            LinkResponse::Lost => forget(),
        });
        if !is_sent {
            forget();
        }
    };
    view! {
        <label class=class>
            <input
                type="checkbox"
                data-testid=testid
                prop:checked=shown
                disabled=disabled
                on:change:target=move |event| {
                    press(event.target().checked());
                    // A click that changes nothing that is shown leaves the checkbox as the click made it.
                    event.target().set_checked(shown.get_untracked());
                }
            />
            <span>{children()}</span>
        </label>
    }
}
