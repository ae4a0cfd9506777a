//! A checkbox for what the worker keeps: it shows what the user wants at once, and then what the worker says.

use std::time::Duration;

use leptos::prelude::*;
use sidecar_link::LinkResponse;
use sidecar_protocol::link::Domain;

use crate::state::{PanelState, use_state};

/// How long what the user wants is shown after the worker did it, until the worker says so to all panels. Another panel
/// may have changed it back meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);

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
    // What the user wants, and of what.
    let wanted = RwSignal::new(None::<(String, bool)>);
    let clicks = StoredValue::new(0_u32);
    let shown = Memo::new(move |_| {
        let of_this = wanted.with(|wanted| {
            wanted.as_ref().and_then(|(of, on)| about.with(|about| about == of).then_some(*on))
        });
        of_this.unwrap_or_else(|| checked.get())
    });
    Effect::new(move |before: Option<bool>| {
        let now = checked.get();
        if before.is_some_and(|before| before != now) {
            let is_done = |(_, on): &(String, bool)| *on == now;
            wanted.update(|wanted| drop(wanted.take_if(|wanted| is_done(wanted))));
        }
        now
    });
    let press = move |on: bool| {
        clicks.update_value(|clicks| *clicks += 1);
        let click = clicks.get_value();
        let forget = move || {
            // A later click wants something else, and the view may be gone.
            if clicks.try_get_value() == Some(click) {
                wanted.set(None);
            }
        };
        wanted.set(Some((about.get_untracked(), on)));
        let is_sent = connection.ask(command(on), move |response| match response {
            LinkResponse::Done | LinkResponse::Answer(_) => set_timeout(forget, PATIENCE),
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
