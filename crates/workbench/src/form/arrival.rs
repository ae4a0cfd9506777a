//! How the fields of a form arrive: as many as a screen holds at once, the others right after they are seen.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use sidecar_ui::parts::after_paint;

/// How many fields of a group are shown at once: more than most screens hold.
const FIRST: usize = 16;

/// How many more come with each step, once the browser has painted what was there: so few that what is typed meanwhile
/// does not wait.
const STEP: usize = 60;

/// How many fields of each group are shown by now. A handle: copies share it.
#[derive(Clone, Copy)]
pub struct Arrival {
    shown: RwSignal<usize>,
    /// Views of the form, with those that have just gone.
    views: StoredValue<usize>,
}

impl Arrival {
    /// All of them, until a view begins.
    pub fn new() -> Self {
        Self { shown: RwSignal::new(usize::MAX), views: StoredValue::new(0) }
    }

    /// Begins a view of a form of so many fields, which ends with the current owner. One that takes the place of another has
    /// all fields at once: what the user has scrolled to stays where it is.
    pub fn begin(self, count: usize) {
        let is_first = self.views.get_value() == 0;
        self.views.update_value(|views| *views += 1);
        on_cleanup(move || set_timeout(move || self.views.update_value(|views| *views -= 1), Duration::ZERO));
        if is_first {
            self.shown.set(FIRST);
            self.go_on(count);
        } else {
            self.finish();
        }
    }

    /// Shows all of them now.
    pub fn finish(self) {
        if self.shown.get_untracked() < usize::MAX {
            self.shown.set(usize::MAX);
        }
    }

    /// How many fields of a group are shown.
    pub fn shown(self) -> usize {
        self.shown.get()
    }

    fn go_on(self, count: usize) {
        spawn_local(async move {
            after_paint().await;
            match self.shown.try_get_untracked().map(|shown| shown.saturating_add(STEP)) {
                Some(shown) if shown < count => {
                    self.shown.set(shown);
                    self.go_on(count);
                }
                Some(_) => self.finish(),
                None => {}
            }
        });
    }
}
