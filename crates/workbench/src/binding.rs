//! Which tab the workbench is bound to, and how the address says so.

use leptos::prelude::*;
use sidecar_link::LinkResponse;
use sidecar_protocol::TabId;
use sidecar_protocol::link::{OpenTab, PageAnswer, PageCommand};

use crate::place::BenchPlace;
use crate::state::{NO_TAB, Workbench};

/// The tab, and those that could be chosen. A handle.
#[derive(Clone, Copy)]
pub struct Binding {
    bench: Workbench,
    /// The open tabs.
    pub tabs: RwSignal<Vec<OpenTab>>,
    /// Whether the tab of the address was looked for.
    is_found: StoredValue<bool>,
    /// The site of which no tab is open, if one was wanted.
    pub missing: RwSignal<Option<String>>,
}

impl Binding {
    /// Finds the tab that the address names, as soon as the worker can be asked.
    pub fn new(bench: Workbench) -> Self {
        let binding = Self {
            bench,
            tabs: RwSignal::new(Vec::new()),
            is_found: StoredValue::new(false),
            missing: RwSignal::new(None),
        };
        Effect::new(move |_| {
            if bench.connection.count.get() > 0 {
                binding.list();
            }
        });
        Effect::new(move |_| {
            let (tab, origin) = bench.page.with(|page| (page.tab_id, page.origin.clone()));
            // A page that goes is no reason to forget which site it was.
            let is_known = binding.is_found.get_value() && !origin.is_empty();
            let Some(tab) = tab.filter(|_| is_known) else { return };
            let tab = (!bench.is_inspecting).then_some(tab);
            if bench.place.with_untracked(|place| place.tab != tab || place.site != origin) {
                bench.place.update(|place| (place.tab, place.site) = (tab, origin));
            }
        });
        binding
    }

    /// Asks for the open tabs.
    pub fn list(self) {
        self.bench.connection.ask(PageCommand::ListTabs, move |response| {
            if let LinkResponse::Answer(PageAnswer::Tabs { tabs }) = response {
                self.tabs.set(tabs);
                if !self.is_found.get_value() {
                    self.find();
                }
            }
        });
    }

    /// Binds to the tab that the address names: by its number, if it still shows that site, or else by the site.
    fn find(self) {
        let bench = self.bench;
        let BenchPlace { tab: wanted, site, .. } = bench.place.get_untracked();
        self.is_found.set_value(true);
        let is_there = bench.page.with_untracked(|page| {
            page.tab_id.is_some() && page.tab_id == wanted && (site.is_empty() || page.origin == site)
        });
        if bench.is_inspecting || is_there {
            return bench.page.notify();
        }
        let found = self.tabs.with_untracked(|tabs| {
            let fits = |tab: &&OpenTab| site.is_empty() || tab.address.origin == site;
            let by_number = tabs.iter().filter(fits).find(|tab| Some(tab.tab_id) == wanted);
            let by_site = || tabs.iter().find(|tab| !site.is_empty() && tab.address.origin == site);
            by_number.or_else(by_site).map(|tab| tab.tab_id)
        });
        match found {
            Some(tab) => self.bind(tab),
            None => {
                self.missing.set((!site.is_empty()).then_some(site));
                self.bind(NO_TAB);
            }
        }
    }

    /// The address names another tab.
    fn look_again(self) {
        self.is_found.set_value(false);
        self.list();
    }

    /// Binds to a tab.
    pub fn bind(self, tab: TabId) {
        self.bench.tab.set(tab);
        if tab != NO_TAB {
            self.missing.set(None);
        }
        self.bench.connection.send(PageCommand::Bind { tab_id: tab });
    }
}

/// Keeps the address and what is shown alike: each state can be bookmarked, and "back" goes to the one before.
pub fn follow_address(bench: Workbench, binding: Binding) {
    let written = StoredValue::new(bench.place.with_untracked(BenchPlace::write));
    Effect::new(move |before: Option<BenchPlace>| {
        let place = bench.place.get();
        let hash = place.write();
        if written.get_value() != hash {
            written.set_value(hash.clone());
            // A page that navigates is no step of the user's.
            let is_step = before.is_some_and(|before| {
                (before.view, &before.tool, before.part, &before.eval)
                    != (place.view, &place.tool, place.part, &place.eval)
            });
            let address = format!("#{hash}");
            if is_step {
                // Cannot fail for a fragment.
                let _ = window().location().set_hash(&address);
            } else if let Ok(history) = window().history() {
                let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
            }
        }
        place
    });
    let heard = window_event_listener_untyped("hashchange", move |_| {
        let hash = window().location().hash().unwrap_or_default();
        let place = BenchPlace::read(&hash);
        if bench.place.with_untracked(|known| *known != place) {
            let named = |place: &BenchPlace| (place.tab, place.site.clone());
            let is_another = bench.place.with_untracked(named) != named(&place);
            written.set_value(place.write());
            bench.place.set(place);
            if is_another {
                binding.look_again();
            }
        }
    });
    // It lives as long as the page.
    std::mem::forget(heard);
}
