//! What a site's developer wants of the rules: another severity, or none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::ToolFinding;
use crate::rule::LintSeverity;

/// Severities by rule id, in place of the usual ones: `{"tool-title-missing": "info"}`. Ids that no rule has are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleOverrides(pub BTreeMap<String, LintSeverity>);

/// The overrides of each origin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SiteOverrides(pub BTreeMap<String, RuleOverrides>);

impl RuleOverrides {
    /// The findings with their severities by these overrides, without those that are off.
    #[must_use]
    pub fn applied(&self, findings: Vec<ToolFinding>) -> Vec<ToolFinding> {
        let severe = |mut finding: ToolFinding| {
            if let Some(severity) = self.0.get(finding.rule.id()) {
                finding.severity = *severity;
            }
            finding
        };
        findings.into_iter().map(severe).filter(|finding| finding.severity != LintSeverity::Off).collect()
    }
}

impl SiteOverrides {
    /// The findings about tools by the overrides of each tool's origin, the others by those of `page`, the origin of the
    /// top document.
    #[must_use]
    pub fn applied(&self, page: &str, findings: Vec<ToolFinding>) -> Vec<ToolFinding> {
        let none = RuleOverrides::default();
        let by_site = |finding: ToolFinding| {
            let origin = finding.tool.as_ref().map_or(page, |tool| tool.origin.as_str());
            self.0.get(origin).unwrap_or(&none).applied(vec![finding])
        };
        findings.into_iter().flat_map(by_site).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FoundTool;
    use crate::rule::ToolRule;

    #[test]
    fn severities_are_overridden_by_origin_and_saved_as_json() {
        let json = r#"{"https://a.example":{"too-many-tools":"error","tool-churn":"off","tool-title-missing":"info"}}"#;
        let overrides: SiteOverrides = serde_json::from_str(json).unwrap();
        assert_eq!(
            serde_json::to_value(&overrides).unwrap(),
            serde_json::from_str::<serde_json::Value>(json).unwrap()
        );
        let tool = |origin: &str| FoundTool {
            origin: origin.to_owned(),
            frame: sidecar_protocol::FrameId::TOP,
            name: "a".to_owned(),
        };
        let findings = vec![
            ToolFinding::of(ToolRule::TooManyTools),
            ToolFinding::of(ToolRule::ToolChurn).about(tool("https://a.example")),
            ToolFinding::of(ToolRule::ToolTitleMissing).about(tool("https://a.example")),
            ToolFinding::of(ToolRule::ToolTitleMissing).about(tool("https://b.example")),
            ToolFinding::of(ToolRule::ToolChurn).about(tool("https://b.example")),
        ];
        let left: Vec<_> = overrides
            .applied("https://a.example", findings)
            .into_iter()
            .map(|finding| (finding.rule, finding.severity))
            .collect();
        assert_eq!(
            left,
            [
                (ToolRule::TooManyTools, LintSeverity::Error),
                (ToolRule::ToolTitleMissing, LintSeverity::Info),
                (ToolRule::ToolChurn, LintSeverity::Warning),
            ]
        );
    }
}
