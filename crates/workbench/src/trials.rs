//! What is typed for each tool and how its last run went, as long as the workbench is open: neither another view nor a page
//! that registers a tool anew takes it away.

use leptos::prelude::*;
use sidecar_link::LinkConnection;
use sidecar_link::hand_run::HandRun;
use sidecar_ui::lasting::Lasting;

use crate::form::store::FormStore;
use crate::place::ToolName;

/// The trials of all tools.
#[derive(Clone, Copy)]
pub struct Trials {
    connection: LinkConnection,
    /// By origin and tool.
    trials: Lasting<(String, ToolName), Trial>,
}

/// The form of a tool and its runs.
#[derive(Clone, Copy)]
pub struct Trial {
    /// The run.
    pub run: HandRun,
    /// The arguments of the next one.
    pub form: FormStore,
    /// Digest of the tool whose definition the user saw last while typing; empty if nothing was typed.
    pub seen: RwSignal<String>,
}

impl Trials {
    /// Makes them known below.
    pub fn provide(connection: LinkConnection) {
        provide_context(Self { connection, trials: Lasting::new() });
    }

    /// The trial of a tool.
    pub fn of(self, origin: &str, name: &ToolName) -> Trial {
        self.trials.of((origin.to_owned(), name.clone()), || Trial {
            run: HandRun::new(self.connection),
            form: FormStore::new(),
            seen: RwSignal::new(String::new()),
        })
    }
}
