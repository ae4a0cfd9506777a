//! The rows of the log of calls that the panel has loaded.

use leptos::prelude::*;
use sidecar_protocol::call_log::{CallFilter, CallPage, CallRow};

/// The loaded rows and the filter. A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct CallRows {
    /// Which calls to show.
    pub filter: RwSignal<CallFilter>,
    /// The loaded calls that match, newest first.
    pub rows: RwSignal<Vec<CallRow>>,
    /// Whether the worker has older calls that match.
    pub more: RwSignal<bool>,
    /// Number of all calls in the log, whatever the filter; `None` until the first page arrives.
    pub total: RwSignal<Option<u64>>,
    /// All sites in the log.
    pub sites: RwSignal<Vec<String>>,
    /// All tools in the log.
    pub tools: RwSignal<Vec<String>>,
}

impl CallRows {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self {
            filter: RwSignal::new(CallFilter::default()),
            rows: RwSignal::new(Vec::new()),
            more: RwSignal::new(false),
            total: RwSignal::new(None),
            sites: RwSignal::new(Vec::new()),
            tools: RwSignal::new(Vec::new()),
        }
    }

    /// Takes a page that the worker sent. `older` says that it continues the rows here.
    pub fn take(self, older: bool, page: CallPage) {
        let CallPage { mut rows, more, total, sites, tools } = page;
        if older {
            self.rows.update(|all| add_below(all, rows));
            self.more.set(more);
        } else {
            let kept = self.rows.with_untracked(|old| older_than(&rows, more, old));
            if kept.is_empty() {
                self.more.set(more);
            }
            rows.extend(kept);
            self.rows.set(rows);
        }
        self.total.set(Some(total));
        self.sites.set(sites);
        self.tools.set(tools);
    }
}

/// Appends an older page. Rows that are there already are skipped.
fn add_below(rows: &mut Vec<CallRow>, page: Vec<CallRow>) {
    let last = rows.last().map(|row| row.place);
    rows.extend(page.into_iter().filter(|row| last.is_none_or(|last| row.place < last)));
}

/// The rows here that directly follow the newest `page`, which has `more` after it: none if there may be a gap between
/// them.
fn older_than(page: &[CallRow], more: bool, rows: &[CallRow]) -> Vec<CallRow> {
    let (Some(last), Some(first)) = (page.last(), rows.first()) else { return Vec::new() };
    if !more || first.place < last.place {
        return Vec::new();
    }
    rows.iter().filter(|row| row.place < last.place).cloned().collect()
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::CallId;
    use sidecar_protocol::call_log::{CallOutcome, LoggedCall};
    use sidecar_protocol::tool::Caller;

    use super::*;

    fn rows(places: &[u64]) -> Vec<CallRow> {
        let call = LoggedCall {
            at: 0,
            caller: Caller::Agent,
            call_id: CallId::from("c"),
            tool: String::new(),
            site: String::new(),
            origin: String::new(),
            allowed_by: None,
            arguments: String::new(),
            masked: false,
            outcome: CallOutcome::Ok,
            duration_ms: 0,
        };
        places.iter().map(|place| CallRow { place: *place, call: call.clone() }).collect()
    }

    #[test]
    fn call_rows_stay_when_they_follow_a_new_first_page() {
        let page = rows(&[9, 8, 7]);
        assert_eq!(older_than(&page, true, &rows(&[8, 7, 6, 5])), rows(&[6, 5]));
        assert_eq!(older_than(&page, true, &rows(&[5, 4])), [], "there may be some in between");
        assert_eq!(older_than(&page, false, &rows(&[8, 7, 6])), [], "those are gone");
        assert_eq!(older_than(&page, true, &[]), []);
        assert_eq!(older_than(&[], false, &rows(&[8])), []);
    }

    #[test]
    fn older_call_rows_are_added_once() {
        let mut all = rows(&[9, 8]);
        add_below(&mut all, rows(&[7, 6]));
        add_below(&mut all, rows(&[7, 6]));
        assert_eq!(all, rows(&[9, 8, 7, 6]));
        add_below(&mut all, Vec::new());
        assert_eq!(all.len(), 4);
    }
}
