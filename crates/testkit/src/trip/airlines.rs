//! The fictional airlines of the demo page, which a real model reads in the description of its tool.

use serde::Serialize;

/// An airline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Airline {
    /// English name.
    pub en: &'static str,
    /// Chinese name.
    pub zh: &'static str,
}

const AIRLINES: &[Airline] = &[
    Airline { en: "Jadewing", zh: "玉翼航空" },
    Airline { en: "Northlight", zh: "北光航空" },
    Airline { en: "Red Crane", zh: "赤鹤航空" },
    Airline { en: "Lotus Sky", zh: "莲天航空" },
    Airline { en: "Cloudbridge", zh: "云桥航空" },
    Airline { en: "Harborline", zh: "港线航空" },
];

/// The first airline that a text names.
pub(super) fn find_airline(text: &str) -> Option<Airline> {
    let text = text.to_lowercase();
    AIRLINES
        .iter()
        .find(|airline| text.contains(airline.zh) || text.contains(&airline.en.to_lowercase()))
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_either_name() {
        for (text, name) in [
            ("with red crane, please", Some("Red Crane")),
            ("坐云桥航空", Some("Cloudbridge")),
            ("any", None),
        ] {
            assert_eq!(find_airline(text).map(|airline| airline.en), name);
        }
    }
}
