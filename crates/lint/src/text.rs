//! Rules about a tool's name, title and description.

use sidecar_webmcp::offer::NAME_LIMIT;

use crate::finding::ToolFinding;
use crate::look::ToolLook;
use crate::report::ToolReport;
use crate::rule::ToolRule;
use crate::wording::word;

/// Maximum characters of a name (WebMCP, "valid tool name").
const NAME: usize = 128;

/// Maximum characters of a name that is easily written.
const SHORT_NAME: usize = 30;

/// Bounds of a description, as [`width`].
const DESCRIPTION: (usize, usize) = (20, 500);

/// Words that say when a tool is to be used.
const WHEN: [&str; 12] = [
    "when", "whenever", "if", "before", "after", "once", "first", "instead", "needed", "wants", "asks", "use",
];

/// Chinese words that say it.
const WHEN_CHINESE: [&str; 8] = ["当", "时", "用于", "如果", "之前", "之后", "适用", "需要"];

pub(crate) fn check(look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    name(look, report);
    if look.tool.title.trim().is_empty() {
        report.add(ToolFinding::of(ToolRule::ToolTitleMissing).at("/title"));
    }
    description(look, report);
}

fn name(look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    let name = &look.tool.name;
    let is_taken = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.len() > NAME || !name.chars().all(is_taken) {
        report.add(ToolFinding::of(ToolRule::ToolNameValid).at("/name").excerpt(name));
    }
    let count = name.chars().count();
    let finding = || ToolFinding::of(ToolRule::ToolNameLength).at("/name").excerpt(name).with("count", count);
    if count > NAME_LIMIT {
        let words = (word::RULE_TOOL_NAME_LENGTH_CUT, word::RULE_TOOL_NAME_LENGTH_WAY);
        report.add(finding().worded(words.0, words.1).with("most", NAME_LIMIT));
    } else if count > SHORT_NAME {
        report.add(finding());
    }
}

fn description(look: &ToolLook<'_>, report: &mut ToolReport<'_>) {
    let text = &look.tool.description;
    if text.trim().is_empty() {
        // A form without one has a rule of its own.
        if look.facts.form.is_none() {
            report.add(ToolFinding::of(ToolRule::DescriptionMissing).at("/description"));
        }
        return;
    }
    let width = width(text);
    let finding = |rule| ToolFinding::of(rule).at("/description").excerpt(text);
    if width < DESCRIPTION.0 {
        report.add(finding(ToolRule::DescriptionLength));
    } else if width > DESCRIPTION.1 {
        let words = (word::RULE_DESCRIPTION_LENGTH_LONG, word::RULE_DESCRIPTION_LENGTH_LONG_WAY);
        report.add(finding(ToolRule::DescriptionLength).worded(words.0, words.1).with("count", width));
    }
    let says = |other: &str| !other.is_empty() && letters(other).eq(letters(text));
    if says(&look.tool.name) || says(&look.tool.title) {
        report.add(finding(ToolRule::DescriptionSameAsName));
    }
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let says_when = words.any(|word| WHEN.iter().any(|one| word.eq_ignore_ascii_case(one)))
        || WHEN_CHINESE.iter().any(|one| text.contains(one));
    if !says_when {
        report.add(finding(ToolRule::DescriptionWhenToUse));
    }
}

/// The letters of a text, in lower case: `search_flights` and "Search flights." have the same.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric())
}

/// Length of a text as it is read: a Chinese, Japanese or Korean character says as much as two letters.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// Whether a character is of a script without spaces between words.
pub(crate) fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}
