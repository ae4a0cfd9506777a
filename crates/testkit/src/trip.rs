//! Reads the trip that a user asks for from Chinese or English text: the model's part in the scenario
//! `flights`.

mod airlines;
mod cities;
mod dates;
mod hours;
mod numbers;

use jiff::civil::Date;
use regex_lite::Regex;
use serde::Serialize;

pub use airlines::Airline;
pub use cities::{City, city_names};

/// What is known of a trip. Scenarios use the same field names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Trip {
    /// Where it begins.
    pub origin: Option<City>,
    /// Where it ends.
    pub destination: Option<City>,
    /// The day, as `YYYY-MM-DD`.
    pub date: Option<Date>,
    /// Whether only direct flights are wanted.
    pub direct: bool,
    /// The highest price.
    pub limit: Option<u32>,
    /// The only airline wanted.
    pub airline: Option<Airline>,
    /// The earliest departure, as `HH:MM`.
    pub depart_after: Option<String>,
    /// The latest departure, as `HH:MM`.
    pub depart_before: Option<String>,
}

/// The trip in the user's last text. A text with a route begins a new trip; one without ("only direct ones,
/// please") changes the trip of the earlier texts.
#[must_use]
pub fn find_trip(texts: &[String], today: Date) -> Trip {
    let mut trip = Trip::default();
    for text in texts {
        let said = read(text, today);
        let names_a_route = said.origin.is_some() && said.destination.is_some();
        trip = if names_a_route { said } else { said.over(trip) };
    }
    trip
}

fn read(text: &str, today: Date) -> Trip {
    let route = cities::find_route(text);
    let hours = hours::find_hours(text);
    Trip {
        origin: route.origin,
        destination: route.destination,
        date: dates::find_date(text, today),
        direct: wants_direct(text),
        limit: numbers::find_limit(text),
        airline: airlines::find_airline(text),
        depart_after: hours.after,
        depart_before: hours.before,
    }
}

impl Trip {
    /// This trip, completed by an earlier one.
    fn over(self, earlier: Self) -> Self {
        Self {
            origin: self.origin.or(earlier.origin),
            destination: self.destination.or(earlier.destination),
            date: self.date.or(earlier.date),
            direct: self.direct || earlier.direct,
            limit: self.limit.or(earlier.limit),
            airline: self.airline.or(earlier.airline),
            depart_after: self.depart_after.or(earlier.depart_after),
            depart_before: self.depart_before.or(earlier.depart_before),
        }
    }
}

/// One of the fixed patterns of this module; a test uses each, and would panic.
fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("a fixed pattern")
}

fn wants_direct(text: &str) -> bool {
    let text = text.to_lowercase();
    let has_one_of = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let refused = [
        "不要直飞",
        "不用直飞",
        "不必直飞",
        "不限直飞",
        "可以转机",
        "indirect",
        "not direct",
        "not necessarily direct",
    ];
    let asked = [
        "直飞",
        "直达",
        "不转机",
        "不中转",
        "无需转机",
        "direct",
        "nonstop",
        "non-stop",
        "no stops",
        "without stops",
    ];
    !has_one_of(&refused) && has_one_of(&asked)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn trip(texts: &[&str]) -> Trip {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        find_trip(&texts, date(2026, 11, 21))
    }

    fn asked(origin: &str, destination: &str, day: Date) -> Trip {
        Trip {
            origin: cities::find(origin),
            destination: cities::find(destination),
            date: Some(day),
            ..Trip::default()
        }
    }

    #[test]
    fn prompts_of_the_demo() {
        let expected = Trip { direct: true, limit: Some(2000), ..asked("PEK", "SHA", date(2026, 11, 22)) };
        assert_eq!(trip(&["帮我搜明天北京到上海的直飞航班，2000 以下"]), expected);
        assert_eq!(trip(&["Find me direct flights from Beijing to Shanghai tomorrow under 2000"]), expected);
    }

    #[test]
    fn other_prompts() {
        assert_eq!(
            trip(&["后天从广州飞成都，1500元以内，下午出发"]),
            Trip {
                limit: Some(1500),
                depart_after: Some("12:00".into()),
                depart_before: Some("18:00".into()),
                ..asked("CAN", "CTU", date(2026, 11, 23))
            }
        );
        assert_eq!(
            trip(&["I need to get to Tokyo from Xi'an on Dec 1, at most 3,200, nonstop"]),
            Trip { direct: true, limit: Some(3200), ..asked("XIY", "HND", date(2026, 12, 1)) }
        );
        assert_eq!(trip(&["flights PEK to CAN 2026-12-24"]), asked("PEK", "CAN", date(2026, 12, 24)));
        assert_eq!(trip(&["Flights to Atlantis tomorrow"]).origin, None);
        assert_eq!(trip(&["Flights to Atlantis tomorrow"]).destination, None);
    }

    #[test]
    fn later_text_changes_the_trip_and_a_new_route_begins_another() {
        let first = "帮我搜明天北京到上海的航班";
        let day = date(2026, 11, 22);
        assert_eq!(trip(&[first, "只要直飞"]), Trip { direct: true, ..asked("PEK", "SHA", day) });
        assert_eq!(trip(&[first, "只要直飞", "后天上海到北京呢？"]), asked("SHA", "PEK", date(2026, 11, 23)));
        assert_eq!(trip(&[first, "不要直飞也行"]), asked("PEK", "SHA", day));
    }
}
