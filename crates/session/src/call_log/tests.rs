use std::cell::Cell;

use futures::executor::block_on;
use sidecar_protocol::CallId;
use sidecar_protocol::call_log::CallOutcome;
use sidecar_protocol::tool::Caller;

use super::*;

/// Lines in memory after `gone` removed ones; counts the lines that are read.
struct Log {
    gone: u64,
    lines: Vec<LoggedCall>,
    read: Cell<u64>,
}

impl Log {
    fn of(gone: u64, tools: impl IntoIterator<Item = &'static str>) -> Self {
        Self { gone, lines: tools.into_iter().map(call).collect(), read: Cell::new(0) }
    }
}

impl CallLines for Log {
    async fn places(&self) -> Result<Option<Places>, StoreError> {
        let count = self.lines.len() as u64;
        let places = Places { first: self.gone + 1, last: self.gone + count, count };
        Ok((count > 0).then_some(places))
    }

    async fn lines<T: DeserializeOwned>(
        &self,
        places: RangeInclusive<u64>,
    ) -> Result<Vec<(u64, T)>, StoreError> {
        let there = (1..).map(|place| place + self.gone).zip(&self.lines);
        let lines: Vec<_> = there
            .filter(|(place, _)| places.contains(place))
            .map(|(place, line)| {
                (place, serde_json::from_value(serde_json::to_value(line).unwrap()).unwrap())
            })
            .collect();
        self.read.set(self.read.get() + lines.len() as u64);
        Ok(lines)
    }
}

fn call(tool: &str) -> LoggedCall {
    LoggedCall {
        at: 1,
        caller: Caller::Agent,
        call_id: CallId::from("c"),
        tool: tool.to_owned(),
        site: format!("{tool}.example"),
        origin: format!("https://{tool}.example"),
        allowed_by: None,
        arguments: "{}".to_owned(),
        masked: false,
        outcome: CallOutcome::Ok,
        duration_ms: 1,
    }
}

fn only(tool: &str) -> CallFilter {
    CallFilter { tool: Some(tool.to_owned()), ..CallFilter::default() }
}

fn places_of(page: &CallPage) -> Vec<u64> {
    page.rows.iter().map(|row| row.place).collect()
}

fn read(names: &mut Names, log: &Log) -> u64 {
    let before = log.read.get();
    if let Some(missing) = names.missing(block_on(log.places()).unwrap()) {
        for batch in missing.batches() {
            let until = *batch.end();
            names.add(block_on(log.lines(batch)).unwrap(), until);
        }
    }
    log.read.get() - before
}

fn names_in(names: &Names, filter: &CallFilter) -> (Vec<String>, Vec<String>) {
    let mut page = CallPage::default();
    names.fill(&mut page, filter);
    (page.sites, page.tools)
}

#[test]
fn newest_page_of_a_long_log_reads_a_page_and_one_line() {
    let log = Log::of(500, vec!["find"; 20_000]);
    let page = block_on(page(&log, &CallFilter::default(), None)).unwrap();
    assert_eq!(places_of(&page), (20_401..=20_500).rev().collect::<Vec<_>>());
    assert_eq!((page.more, page.total, log.read.get()), (true, 20_000, 101));
}

#[test]
fn pages_follow_each_other_down_to_the_oldest_line() {
    let log = Log::of(7, vec!["find"; 250]);
    let (mut all, mut before) = (Vec::new(), None);
    for more in [true, true, false] {
        let page = block_on(page(&log, &CallFilter::default(), before)).unwrap();
        assert_eq!((page.more, page.total), (more, 250));
        all.extend(places_of(&page));
        before = all.last().copied();
    }
    assert_eq!(all, (8..=257).rev().collect::<Vec<_>>());
    let below = block_on(page(&log, &CallFilter::default(), Some(8))).unwrap();
    assert_eq!((below.rows.len(), below.more, below.total), (0, false, 250));
}

#[test]
fn filter_reads_lines_until_one_more_than_a_page_matches() {
    let tools = (0..20_000).map(|place| if place % 50 == 0 { "rare" } else { "find" });
    let log = Log::of(0, tools);
    let rare = block_on(page(&log, &only("rare"), None)).unwrap();
    assert_eq!((rare.rows.len(), rare.more), (CALLS_PAGE, true));
    assert!(log.read.get() < 5_500, "{} of 20,000 lines were read", log.read.get());
    let rest = block_on(page(&log, &only("rare"), rare.rows.last().map(|row| row.place))).unwrap();
    assert_eq!((rest.rows[0].place, rest.rows.len()), (rare.rows[99].place - 50, CALLS_PAGE));
    let none = block_on(page(&log, &only("none"), None)).unwrap();
    assert_eq!((none.rows.len(), none.more, none.total), (0, false, 20_000));
}

#[test]
fn page_that_is_exactly_full_has_no_more() {
    let log = Log::of(0, (0..300).map(|place| if place < CALLS_PAGE { "old" } else { "new" }));
    let old = block_on(page(&log, &only("old"), None)).unwrap();
    assert_eq!((old.rows.len(), old.more), (CALLS_PAGE, false));
    let empty = block_on(page(&Log::of(0, []), &CallFilter::default(), None)).unwrap();
    assert_eq!(empty, CallPage::default());
}

#[test]
fn names_read_each_line_once_and_drop_removed_lines() {
    let mut log = Log::of(0, ["old"].into_iter().chain(vec!["find"; 500]));
    let mut names = Names::default();
    assert_eq!(read(&mut names, &log), 501);
    assert_eq!(read(&mut names, &log), 0);
    let sites = vec!["find.example".to_owned(), "old.example".to_owned()];
    assert_eq!(names_in(&names, &CallFilter::default()), (sites, vec!["find".to_owned(), "old".to_owned()]));

    log.lines.push(call("new"));
    log.lines.remove(0);
    log.gone = 1;
    assert_eq!(read(&mut names, &log), 1);
    let (_, tools) = names_in(&names, &CallFilter::default());
    assert_eq!(tools, ["find", "new"]);
    let (_, tools) = names_in(&names, &only("gone"));
    assert_eq!(tools, ["find", "gone", "new"], "what is chosen stays there to be chosen");

    (log.gone, log.lines) = (502, Vec::new());
    read(&mut names, &log);
    assert_eq!(names_in(&names, &CallFilter::default()), (Vec::new(), Vec::new()));
    log.lines.push(call("later"));
    assert_eq!(read(&mut names, &log), 1);
    assert_eq!(names_in(&names, &CallFilter::default()).1, ["later"]);
}

#[test]
fn names_that_two_readers_add_are_counted_once() {
    let log = Log::of(0, ["find", "find"]);
    let mut names = Names::default();
    for _ in 0..2 {
        names.add(block_on(log.lines(1..=2)).unwrap(), 2);
    }
    names.missing(Some(Places { first: 3, last: 3, count: 1 }));
    assert_eq!(names_in(&names, &CallFilter::default()).1, [""; 0]);
}

/// The number of rows of the first page of [`page_with_names`], and the final page.
fn pages(
    log: &Log,
    names: &CallNames,
    before: Option<u64>,
    is_called_off: bool,
) -> (usize, Option<CallPage>) {
    let first = Cell::new(0);
    let hand_over = |page: CallPage| first.set(page.rows.len());
    let filter = CallFilter::default();
    let page = page_with_names(log, names.clone(), &filter, before, || is_called_off, hand_over);
    let page = block_on(page).unwrap();
    (first.get(), page)
}

#[test]
fn page_of_a_long_log_is_sent_at_once_and_again_with_all_names() {
    let log = Log::of(0, ["old"].into_iter().chain(vec!["find"; 499]));
    let names = CallNames::default();
    let (first, page) = pages(&log, &names, None, false);
    let page = page.unwrap();
    assert_eq!(
        (first, page.rows.len(), page.tools),
        (CALLS_PAGE, CALLS_PAGE, vec!["find".to_owned(), "old".to_owned()])
    );
    let (first, page) = pages(&log, &names, Some(401), false);
    assert_eq!(
        (first, page.map(|page| page.rows.len())),
        (0, Some(CALLS_PAGE)),
        "the names are known by now"
    );
}

#[test]
fn rows_of_a_later_page_are_not_sent_again_with_the_names() {
    let log = Log::of(0, vec!["find"; 500]);
    let (first, page) = pages(&log, &CallNames::default(), Some(401), false);
    assert_eq!((first, page.map(|page| page.rows.len())), (CALLS_PAGE, Some(0)));
}

#[test]
fn reading_names_stops_when_the_panel_requests_another_page() {
    let log = Log::of(0, vec!["find"; 2_000]);
    let (first, page) = pages(&log, &CallNames::default(), None, true);
    assert_eq!((first, page), (CALLS_PAGE, None));
    assert!(log.read.get() < 500, "{} lines were read", log.read.get());
}

#[test]
fn export_writes_matching_lines_oldest_first() {
    let log = Log::of(3, ["find", "rare", "find", "rare"].into_iter().cycle().take(600));
    let text = std::cell::RefCell::new(String::new());
    block_on(export(&log, &only("rare"), |piece| text.borrow_mut().push_str(&piece))).unwrap();
    let text = text.into_inner();
    assert_eq!((text.lines().count(), text.matches("\"find\"").count()), (300, 0));
    assert!(text.ends_with('\n'));
    block_on(export(&Log::of(0, []), &CallFilter::default(), |piece| panic!("{piece}"))).unwrap();
}

#[test]
fn lines_are_outdated_when_there_are_more_than_the_maximum() {
    let outdated = [(0, 5), (5, 5), (6, 5), (9, 5), (9, 0)].map(|(last, kept)| last_outdated(last, kept));
    assert_eq!(outdated, [None, None, Some(1), Some(4), Some(9)]);
}
