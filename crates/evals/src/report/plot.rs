//! Rates as bars with their intervals: plain SVG. Whoever does not see it finds the numbers in the table beside it.

use std::fmt::Write;

use crate::report::escape::{cut, html};
use crate::statistics::Rate;

/// Height of a bar's row.
const ROW: usize = 28;
/// Width of the labels.
const LABELS: f64 = 200.0;
/// Width of 100 %.
const WIDTH: f64 = 360.0;
/// Maximum characters of a label.
const MOST_LABEL: usize = 28;

/// A bar for each rate; `title` says what they are.
pub(super) fn bars(title: &str, rates: &[(&str, Option<Rate>)]) -> String {
    let height = ROW * rates.len() + 24;
    let mut svg = format!(
        "<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {height}\" class=\"plot\">",
        html(title),
        LABELS + WIDTH + 20.0
    );
    for percent in [0.0, 50.0, 100.0] {
        let x = LABELS + WIDTH * percent / 100.0;
        let bottom = height - 20;
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{x} 0V{bottom}\"/><text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{percent} %</text>",
            height - 4
        );
    }
    for (number, (label, rate)) in rates.iter().enumerate() {
        let top = ROW * number;
        let middle = top + ROW / 2;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LABELS - 8.0,
            middle + 4,
            html(&cut(label, MOST_LABEL))
        );
        if let Some(rate) = rate {
            let at = |share: f64| LABELS + WIDTH * share;
            let (low, high) = (at(rate.low), at(rate.high));
            let _ = write!(
                svg,
                "<rect class=\"bar\" x=\"{LABELS}\" y=\"{}\" width=\"{:.1}\" height=\"{}\"/>\
                 <path class=\"interval\" d=\"M{low:.1} {middle}H{high:.1}M{low:.1} {y0}V{y1}M{high:.1} {y0}V{y1}\"/>",
                top + 6,
                WIDTH * rate.value,
                ROW - 12,
                y0 = middle - 5,
                y1 = middle + 5,
            );
        }
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_rates() {
        let rate = Rate { value: 0.5, low: 0.25, high: 0.75, n: 8 };
        let svg = bars("Rates <b>", &[("a:x", Some(rate)), ("b:y", None)]);
        let document = roxmltree::Document::parse(&svg).unwrap();
        assert_eq!(document.root_element().attribute("aria-label"), Some("Rates <b>"));
        let bars: Vec<_> = document.descendants().filter(|node| node.has_tag_name("rect")).collect();
        assert_eq!((bars.len(), bars[0].attribute("width")), (1, Some("180.0")));
        assert!(svg.contains("M290.0 14H470.0"));
    }
}
