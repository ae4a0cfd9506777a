//! Questions that are asked again whenever what they are about changes.

use leptos::prelude::*;
use sidecar_protocol::link::Domain;

use crate::connection::LinkConnection;
use crate::port::LinkResponse;

/// Asks a question, and again when something changes that `about` tracks, or when there is another worker. One at a time: a
/// page may change its tools continually. `question` gives nothing as long as nobody wants to know; what it tracks is looked
/// at again when it changes. `told` gets the responses, also when the view is gone.
pub fn ask_anew<D: Domain>(
    connection: LinkConnection,
    about: impl Fn() + 'static,
    question: impl Fn() -> Option<D> + 'static,
    told: impl Fn(LinkResponse<D::Answer>) + Copy + 'static,
) {
    let asking = RwSignal::new(false);
    // How often something changed, and how often of these it was asked.
    let changes = RwSignal::new((0_u32, 0_u32));
    Effect::new(move |_| {
        about();
        connection.count.with(|_| ());
        changes.update(|(wanted, _)| *wanted += 1);
    });
    Effect::new(move |_| {
        let (wanted, asked) = changes.get();
        if asking.get() || wanted == asked {
            return;
        }
        let Some(question) = question() else { return };
        let is_sent = connection.ask(question, move |response| {
            told(response);
            let _ = asking.try_set(false);
        });
        asking.set(is_sent);
        changes.update_untracked(|(wanted, asked)| *asked = *wanted);
    });
}
