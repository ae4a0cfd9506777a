//! The documents name exactly the rules that exist.

use crate::{LintSeverity, ToolRule};

/// Rules and severities in the tables of a document: lines as `| `id` | severity | …`.
fn in_tables(document: &str) -> Vec<(&str, &str)> {
    let lines = document.lines().filter_map(|line| line.strip_prefix("| `"));
    lines
        .filter_map(|line| line.split_once("` | "))
        .filter_map(|(id, rest)| Some((id, rest.split_once(" |")?.0)))
        .collect()
}

#[test]
fn documents_name_the_rules_with_their_severities() {
    let documents = [
        (include_str!("../../../../docs/lint.md"), ["error", "warning", "info", "off"]),
        (include_str!("../../../../docs/lint.zh-CN.md"), ["错误", "警告", "提示", "关闭"]),
    ];
    for (document, names) in documents {
        let name = |severity| match severity {
            LintSeverity::Error => names[0],
            LintSeverity::Warning => names[1],
            LintSeverity::Info => names[2],
            LintSeverity::Off => names[3],
        };
        let expected: Vec<_> = ToolRule::ALL.iter().map(|rule| (rule.id(), name(rule.severity()))).collect();
        assert_eq!(in_tables(document), expected);
    }
}
