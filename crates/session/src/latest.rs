//! Requests of which only the latest of each panel counts.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::panels::LinkId;

/// The latest request of each panel, for one kind of request.
#[derive(Debug, Default)]
pub struct Latest(BTreeMap<LinkId, Rc<Cell<u32>>>);

impl Latest {
    /// Registers a request, which cancels the panel's previous one. The returned function tells whether this
    /// request has been cancelled, too.
    pub fn next(&mut self, link: LinkId) -> impl Fn() -> bool + use<> {
        let last = self.0.entry(link).or_default().clone();
        let number = last.get() + 1;
        last.set(number);
        move || last.get() != number
    }

    /// A panel closed: cancels its request.
    pub fn gone(&mut self, link: LinkId) {
        if let Some(last) = self.0.remove(&link) {
            last.set(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_is_cancelled_by_the_next_of_the_same_panel() {
        let mut latest = Latest::default();
        let (first, other) = (latest.next(LinkId(1)), latest.next(LinkId(2)));
        assert!(!first() && !other());
        let second = latest.next(LinkId(1));
        assert!(first() && !second() && !other());
    }

    #[test]
    fn request_is_cancelled_when_its_panel_closes() {
        let mut latest = Latest::default();
        let (first, other) = (latest.next(LinkId(1)), latest.next(LinkId(2)));
        latest.gone(LinkId(1));
        assert!(first() && !other());
        assert!(!latest.next(LinkId(1))(), "it opened again");
    }
}
