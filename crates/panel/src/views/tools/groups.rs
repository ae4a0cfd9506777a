//! The tools of a page by frame, filtered.

use std::collections::HashSet;

use sidecar_protocol::page_view::ToolSummary;

/// Frames and their tools.
pub type Groups = Vec<(String, Vec<ToolSummary>)>;

/// Groups the matching tools by frame, in their order; the top frame has an empty name. `found` holds the digests of
/// tools whose description matches the filter.
pub fn grouped(tools: &[ToolSummary], filter: &str, found: &[String]) -> Groups {
    let filter = filter.trim().to_lowercase();
    let found: HashSet<&String> = found.iter().collect();
    let is_match = |tool: &&ToolSummary| matches(tool, &filter) || found.contains(&tool.digest);
    let mut groups = Groups::new();
    for tool in tools.iter().filter(is_match) {
        match groups.iter_mut().find(|(frame, _)| *frame == tool.frame) {
            Some((_, group)) => group.push(tool.clone()),
            None => groups.push((tool.frame.clone(), vec![tool.clone()])),
        }
    }
    groups
}

fn matches(tool: &ToolSummary, filter: &str) -> bool {
    [tool.tool.name(), &tool.title, &tool.frame].iter().any(|text| text.to_lowercase().contains(filter))
}

/// The tools of one frame.
pub fn tools_of(groups: &Groups, frame: &str) -> Vec<ToolSummary> {
    groups.iter().find(|(name, _)| name == frame).map(|(_, tools)| tools.clone()).unwrap_or_default()
}

/// A key for each tool. It changes with anything in the tool's summary, so that nothing outdated stays on the screen.
pub fn keys(tools: &[ToolSummary]) -> Vec<String> {
    tools.iter().map(|tool| format!("{tool:?}")).collect()
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::{DocumentId, FrameId, PageTool, Risk, Source, TabId, ToolRef};

    use super::*;

    fn tool(name: &str, frame: &str) -> ToolSummary {
        let (tab, frame_id) = (TabId(1), FrameId(i32::from(!frame.is_empty())));
        let page =
            PageTool { tab, frame: frame_id, document: DocumentId("d".to_owned()), name: name.to_owned() };
        ToolSummary {
            tool: ToolRef::Page(page),
            digest: format!("digest of {name}"),
            title: "Flights".to_owned(),
            beginning: "Finds them.".to_owned(),
            risk: Risk::ReadOnly,
            form: false,
            source: Source::Native,
            frame: frame.to_owned(),
            origin: "https://flights.example".to_owned(),
            key: None,
        }
    }

    #[test]
    fn row_key_changes_when_its_tool_changes() {
        let before = keys(&[tool("a", ""), tool("b", ""), tool("a", "pay.example")]);
        assert_ne!(before[0], before[2]);
        let changed = ToolSummary { digest: "another".to_owned(), ..tool("b", "") };
        let after = keys(&[tool("a", ""), changed, tool("a", "pay.example")]);
        assert_eq!((&after[0], &after[2]), (&before[0], &before[2]));
        assert_ne!(after[1], before[1]);
    }

    #[test]
    fn tools_are_grouped_by_frame_and_filtered_by_text() {
        let tools = [tool("a", ""), tool("b", "pay.example"), tool("c", "")];
        let whole = vec![
            (String::new(), vec![tool("a", ""), tool("c", "")]),
            ("pay.example".to_owned(), vec![tool("b", "pay.example")]),
        ];
        assert_eq!(grouped(&tools, "", &[]), whole);
        assert_eq!(grouped(&tools, " flights ", &[]), whole);
        assert_eq!(grouped(&tools, "PAY", &[]), whole[1..]);
        assert_eq!(grouped(&tools, "nothing", &[]), vec![]);
        let in_its_description = grouped(&tools, "nothing", &["digest of c".to_owned()]);
        assert_eq!(in_its_description, [(String::new(), vec![tool("c", "")])]);
    }
}
