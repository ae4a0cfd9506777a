//! What is wrong with a site's tools, for those who make them: [`lint`] looks at what a page registered, [`lint_result`]
//! at what a run came to. [`contract`] says what a new version of the tools breaks.
//!
//! Pure: no browser, no clock. What only a browser knows comes as [`ToolFacts`]; a rule that lacks its fact says nothing.
//! Texts come from pages, so all work is bounded, and nothing invisible gets into a finding.

pub mod contract;
pub mod exchange;
mod file;
mod finding;
mod hints;
mod look;
mod names;
mod overrides;
mod page;
mod parameters;
mod ran;
mod registration;
mod report;
mod results;
mod rule;
mod schema_form;
mod schema_models;
mod schema_values;
mod signs;
mod similar;
mod surface;
#[cfg(test)]
mod tests;
mod text;
mod told;
mod wording;

pub use file::read_tools;
pub use finding::{FoundTool, ToolFinding};
pub use overrides::{RuleOverrides, SiteOverrides};
pub use page::{LintedPage, LintedTool, MOST_LINTED, ToolFacts};
pub use results::{InputFit, LintedOutcome, LintedRun, lint_result};
pub use rule::{LintSeverity, ToolRule};
pub use sidecar_protocol::registration::{DeclaredField, FormFacts};

use look::ToolLook;
use report::ToolReport;
use schema_values::PatternUses;
use sidecar_schema::faults;
use signs::CleanTexts;

/// Looks at the tools of a page, the first [`MOST_LINTED`]. Findings of each tool in the order of the rules, then those
/// about tools together. Rules that are off by default have findings too; [`RuleOverrides::applied`] says what to show.
#[must_use]
pub fn lint(page: &LintedPage) -> Vec<ToolFinding> {
    let mut found = Vec::new();
    let tools = &page.tools[..page.tools.len().min(MOST_LINTED)];
    let mut clean = CleanTexts::default();
    let mut parameters = Vec::new();
    let mut patterns = PatternUses::default();
    // Together they take less time.
    let schemas: Vec<_> = tools.iter().filter_map(|tool| tool.description.input_schema.as_deref()).collect();
    let mut faults = faults(&schemas).into_iter();
    for tool in tools {
        let value = tool.schema();
        let faults = tool.description.input_schema.as_ref().and_then(|_| faults.next()).unwrap_or_default();
        let look = ToolLook::new(tool, value.as_ref(), faults);
        let mut report = ToolReport::new(Some(tool), &mut found);
        text::check(&look, &mut report);
        signs::check(&look, &mut clean, &mut report);
        schema_form::check(&look, &mut report);
        schema_values::check(&look, &mut patterns, &mut report);
        schema_models::check(&look, page.profile.as_ref(), &mut report);
        parameters::check(&look, &mut report);
        hints::check(&look, &mut report);
        registration::check(&look, &mut report);
        parameters.extend(names::of_parameters(tool, &look));
    }
    told::check_refused(&page.refused, &mut found);
    names::check(tools, parameters, &mut found);
    similar::check(tools, &mut found);
    surface::check(tools, page.tools.len(), &mut found);
    found
}
