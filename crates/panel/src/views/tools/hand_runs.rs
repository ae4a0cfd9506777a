//! Runs of tools by hand, and the arguments that the user has typed for the next ones, as long as the panel is open: a page
//! that registers a tool anew takes nothing away, and neither does another view.

use leptos::prelude::*;
use sidecar_link::LinkConnection;
use sidecar_link::hand_run::HandRun;
use sidecar_protocol::Source;
use sidecar_protocol::page_view::ToolSummary;
use sidecar_ui::lasting::Lasting;

/// The runs, by tool.
#[derive(Clone, Copy)]
pub struct HandRuns {
    connection: LinkConnection,
    runs: Lasting<String, TypedRun>,
}

/// The runs of a tool, and the arguments of the next one.
#[derive(Clone, Copy)]
pub struct TypedRun {
    /// The run.
    pub run: HandRun,
    /// JSON text, as it is typed.
    pub arguments: RwSignal<String>,
    /// Digest of the tool for which it was typed; empty if nothing was.
    pub typed_for: RwSignal<String>,
    /// Whether the arguments are shown.
    pub is_open: RwSignal<bool>,
}

impl HandRuns {
    /// Makes them known below.
    pub fn provide(connection: LinkConnection) {
        provide_context(Self { connection, runs: Lasting::new() });
    }

    /// The name of a tool here, whichever its definition is.
    pub fn key(tool: &ToolSummary) -> String {
        let kind = match &tool.source {
            Source::Native | Source::Polyfill => "",
            Source::Skill { skill } => skill,
            Source::Browser | Source::Mcp { .. } => "browser",
        };
        format!("{} {} {kind} {}", tool.origin, tool.frame, tool.tool.name())
    }

    /// The runs of a tool.
    pub fn of(self, key: &str) -> TypedRun {
        self.runs.of(key.to_owned(), || TypedRun::new(self.connection))
    }

    /// Whether the arguments of a tool are shown.
    pub fn is_open(self, key: &str) -> bool {
        self.runs.get(&key.to_owned()).is_some_and(|run| run.is_open.get_untracked())
    }
}

impl TypedRun {
    fn new(connection: LinkConnection) -> Self {
        Self {
            run: HandRun::new(connection),
            arguments: RwSignal::new(String::new()),
            typed_for: RwSignal::new(String::new()),
            is_open: RwSignal::new(false),
        }
    }

    /// Takes arguments as those of the next run of a tool with this digest.
    pub fn edit(self, arguments: &str, digest: &str) {
        self.arguments.set(arguments.to_owned());
        self.typed_for.set(digest.to_owned());
        self.is_open.set(true);
    }
}
