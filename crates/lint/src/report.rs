//! Collects the findings about one tool.

use std::collections::HashMap;

use crate::finding::ToolFinding;
use crate::page::LintedTool;
use crate::rule::ToolRule;

/// Maximum findings of one rule about one tool.
const MOST: usize = 8;

/// Adds findings to a list, each with the tool that it is about.
pub(crate) struct ToolReport<'r> {
    tool: Option<&'r LintedTool>,
    found: &'r mut Vec<ToolFinding>,
    counts: HashMap<ToolRule, usize>,
}

impl<'r> ToolReport<'r> {
    pub(crate) fn new(tool: Option<&'r LintedTool>, found: &'r mut Vec<ToolFinding>) -> Self {
        Self { tool, found, counts: HashMap::new() }
    }

    pub(crate) fn add(&mut self, finding: ToolFinding) {
        let count = self.counts.entry(finding.rule).or_default();
        *count += 1;
        if *count <= MOST {
            self.found.push(match self.tool {
                Some(tool) => finding.about(tool),
                None => finding,
            });
        }
    }
}
