//! What the workbench shows, as the address says it: each state can be bookmarked.

use sidecar_protocol::TabId;
use sidecar_protocol::eval::EvalId;
use sidecar_protocol::page_view::ToolSummary;
use web_sys::UrlSearchParams;

/// The views.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BenchView {
    /// The page's tools.
    #[default]
    Tools,
    /// What is wrong with them.
    Lint,
    /// Runs by hand.
    History,
    /// What a later version of the site must not break.
    Contract,
    /// Suites that models are led through.
    Evals,
    /// Questions to a model about the page.
    Ask,
}

impl BenchView {
    /// All, in their order.
    pub const ALL: [Self; 6] =
        [Self::Tools, Self::Ask, Self::Lint, Self::History, Self::Contract, Self::Evals];

    /// Its name in the address and in the document.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Lint => "lint",
            Self::History => "history",
            Self::Contract => "contract",
            Self::Evals => "evals",
            Self::Ask => "ask",
        }
    }
}

/// What is shown of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolPart {
    /// Its form, and the result of a run.
    #[default]
    Run,
    /// Its schema.
    Schema,
    /// What is known of its registration.
    Facts,
}

impl ToolPart {
    /// All, in their order.
    pub const ALL: [Self; 3] = [Self::Run, Self::Schema, Self::Facts];

    /// Its name in the address and in the document.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Schema => "schema",
            Self::Facts => "facts",
        }
    }
}

/// Names a tool whatever its document and definition are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ToolName {
    /// As it is registered.
    pub name: String,
    /// Host of its frame; empty in the top frame.
    pub frame: String,
}

impl From<&ToolSummary> for ToolName {
    fn from(tool: &ToolSummary) -> Self {
        Self { name: tool.tool.name().to_owned(), frame: tool.frame.clone() }
    }
}

/// What is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BenchPlace {
    /// The tab whose page is shown, as long as the browser is open.
    pub tab: Option<TabId>,
    /// Origin of that page, by which another tab is found later; empty if it is not known.
    pub site: String,
    /// The view.
    pub view: BenchView,
    /// The tool that is open.
    pub tool: Option<ToolName>,
    /// What is shown of it.
    pub part: ToolPart,
    /// The eval that is open, or the question.
    pub eval: Option<EvalId>,
}

impl BenchPlace {
    /// Reads the part of an address behind `#`. What cannot be read is as in a new workbench.
    pub fn read(hash: &str) -> Self {
        let Ok(said) = UrlSearchParams::new_with_str(hash.trim_start_matches('#')) else {
            return Self::default();
        };
        let named = |name: &str| said.get(name).unwrap_or_default();
        let (view, part) = (named("view"), named("part"));
        Self {
            tab: said.get("tab").and_then(|tab| tab.parse().ok()).map(TabId),
            site: named("site"),
            view: BenchView::ALL.into_iter().find(|known| known.name() == view).unwrap_or_default(),
            tool: said.get("tool").map(|name| ToolName { name, frame: named("frame") }),
            part: ToolPart::ALL.into_iter().find(|known| known.name() == part).unwrap_or_default(),
            eval: said.get("eval").filter(|eval| !eval.is_empty()).map(EvalId),
        }
    }

    /// The part of an address behind `#`.
    pub fn write(&self) -> String {
        let Ok(said) = UrlSearchParams::new() else { return String::new() };
        if let Some(TabId(tab)) = self.tab {
            said.append("tab", &tab.to_string());
        }
        let add = |name: &str, value: &str| {
            if !value.is_empty() {
                said.append(name, value);
            }
        };
        add("site", &self.site);
        add("view", if self.view == BenchView::default() { "" } else { self.view.name() });
        if let Some(ToolName { name, frame }) = &self.tool {
            add("tool", name);
            add("frame", frame);
            add("part", if self.part == ToolPart::default() { "" } else { self.part.name() });
        }
        if let Some(EvalId(eval)) = &self.eval {
            add("eval", eval);
        }
        String::from(said.to_string())
    }
}
