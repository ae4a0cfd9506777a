//! What the user chose for the next eval, as long as the workbench is open.

use std::sync::Arc;

use leptos::prelude::*;
use sidecar_evals::simulation::{SimulationFault, is_file_of_simulations};
use sidecar_evals::suite::{self, MOST_BYTES, SuiteFault};
use sidecar_evals::tools::{self, SuiteTool};
use sidecar_evals::{EvalSuite, scripted};
use sidecar_protocol::settings::{Language, ModelChoice, ProviderPreset, SettingsView};
use web_sys::HtmlInputElement;

use crate::state::Workbench;
use crate::views::evals::file::{self, ChosenFault};
use crate::word;

/// Runs of a case when one model is chosen, and when several are.
const RUNS: [u32; 2] = [5, 3];

/// A suite that was read.
#[derive(Debug, PartialEq)]
pub struct ReadSuite {
    /// Its own name, or that of its file.
    pub name: String,
    /// The file.
    pub text: String,
    /// What is in it.
    pub suite: EvalSuite,
    /// Whether its cases are scripted simulations.
    pub is_simulations: bool,
    /// Its tools; absent if it has none.
    pub tools: Option<Arc<Vec<SuiteTool>>>,
    /// All tags of its cases, each once.
    pub tags: Vec<String>,
}

/// Why there is no suite, or no list of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftFault {
    /// The file says something else.
    Suite(SuiteFault),
    /// The file has simulations, with something wrong.
    Simulation(SimulationFault),
    /// The browser could not read it.
    Unread,
}

/// Who has the tools, and who calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftStage {
    /// The suite; models call them.
    Suite,
    /// A page; models call them.
    Live,
    /// A page; what the cases expect is called without a model.
    Smoke,
    /// A page, which is judged by what it shows in the end; models call the tools.
    Simulation,
}

/// The draft. A handle: copies share its state.
#[derive(Clone, Copy)]
pub struct EvalDraft {
    bench: Workbench,
    /// The suite.
    pub suite: RwSignal<Option<Arc<ReadSuite>>>,
    /// Why there is none.
    pub fault: RwSignal<Option<DraftFault>>,
    /// The tags of the cases that are wanted; all cases if none.
    pub tags: RwSignal<Vec<String>>,
    /// Tools of a file of their own.
    pub tools_file: RwSignal<Option<Arc<Vec<SuiteTool>>>>,
    /// Why there are none.
    pub tools_fault: RwSignal<Option<DraftFault>>,
    /// The models that the user chose; absent until the user has.
    pub chosen: RwSignal<Option<Vec<ModelChoice>>>,
    /// Models that the user typed.
    pub added: RwSignal<Vec<ModelChoice>>,
    /// Runs per case as they were typed; absent until the user has.
    pub runs: RwSignal<Option<String>>,
    /// Answers per run as they were typed.
    pub steps: RwSignal<String>,
    /// The cost limit as it was typed.
    pub cost: RwSignal<String>,
    /// Whether models read a short prompt.
    pub is_bare: RwSignal<bool>,
    /// Who has the tools; absent until the user has chosen.
    pub chosen_stage: RwSignal<Option<DraftStage>>,
    /// The page's address as it was typed; absent until the user has.
    pub address: RwSignal<Option<String>>,
    /// The address of the page that consequential calls may reach: it is said of no other.
    pub let_through: RwSignal<Option<String>>,
}

impl DraftFault {
    /// What is wrong, and what to do about it.
    pub fn sentence(&self, language: Language) -> String {
        match self {
            Self::Suite(fault) => fault.sentence(language),
            Self::Simulation(fault) => fault.sentence(language),
            Self::Unread => word::EVALS_UNREAD.text(language).to_owned(),
        }
    }
}

impl From<ChosenFault> for DraftFault {
    fn from(fault: ChosenFault) -> Self {
        match fault {
            ChosenFault::Size(size) => Self::Suite(SuiteFault::Size(size)),
            ChosenFault::Unread => Self::Unread,
        }
    }
}

impl EvalDraft {
    /// Makes it known below.
    pub fn provide(bench: Workbench) {
        provide_context(Self {
            bench,
            suite: RwSignal::new(None),
            fault: RwSignal::new(None),
            tags: RwSignal::new(Vec::new()),
            tools_file: RwSignal::new(None),
            tools_fault: RwSignal::new(None),
            chosen: RwSignal::new(None),
            added: RwSignal::new(Vec::new()),
            runs: RwSignal::new(None),
            steps: RwSignal::new(sidecar_evals::run::STEPS.to_string()),
            cost: RwSignal::new(String::new()),
            is_bare: RwSignal::new(false),
            chosen_stage: RwSignal::new(None),
            address: RwSignal::new(None),
            let_through: RwSignal::new(None),
        });
    }

    /// Reads the suite of a file.
    pub fn choose_suite(self, input: &HtmlInputElement) {
        file::read(input, MOST_BYTES, move |file| match file {
            Ok(file) => {
                let name = file.name.strip_suffix(".json").unwrap_or(&file.name);
                self.read_suite(name, &file.text);
            }
            Err(fault) => self.set_suite(Err(fault.into())),
        });
    }

    /// Reads a suite; `name` is used where it has none.
    pub fn read_suite(self, name: &str, text: &str) {
        let is_simulations = is_file_of_simulations(text);
        let read = match is_simulations {
            true => scripted::read(text).map(|(suite, _)| suite).map_err(DraftFault::Simulation),
            false => suite::read(text.as_bytes()).map_err(DraftFault::Suite),
        };
        self.set_suite(match read {
            Ok(suite) => {
                let mut tags: Vec<_> =
                    suite.cases.iter().flat_map(|case| case.extras.tags.iter().cloned()).collect();
                tags.sort_unstable();
                tags.dedup();
                let name = if suite.name.is_empty() { name.to_owned() } else { suite.name.clone() };
                let tools = suite.tools.clone().map(Arc::new);
                Ok(ReadSuite { name, text: text.to_owned(), suite, is_simulations, tools, tags })
            }
            Err(fault) => Err(fault),
        });
    }

    fn set_suite(self, read: Result<ReadSuite, DraftFault>) {
        self.tags.set(Vec::new());
        self.tools_file.set(None);
        self.tools_fault.set(None);
        self.chosen_stage.set(None);
        self.address.set(None);
        self.let_through.set(None);
        let (suite, fault) = match read {
            Ok(suite) => (Some(Arc::new(suite)), None),
            Err(fault) => (None, Some(fault)),
        };
        self.fault.set(fault);
        self.suite.set(suite);
    }

    /// Reads the tools of a file.
    pub fn choose_tools(self, input: &HtmlInputElement) {
        file::read(input, MOST_BYTES, move |file| {
            let read = file
                .map_err(DraftFault::from)
                .and_then(|file| tools::read(file.text.as_bytes()).map_err(DraftFault::Suite));
            let (tools, fault) = match read {
                Ok(tools) => (Some(Arc::new(tools)), None),
                Err(fault) => (None, Some(fault)),
            };
            self.tools_file.set(tools);
            self.tools_fault.set(fault);
        });
    }

    /// The tools, if there are any outside of a page.
    pub fn tools(self) -> Option<Arc<Vec<SuiteTool>>> {
        let own = self.suite.with(|suite| suite.as_ref().and_then(|read| read.tools.clone()));
        own.or_else(|| self.tools_file.get())
    }

    /// The numbers of the cases that are wanted.
    pub fn cases(self) -> Vec<usize> {
        self.tags.with(|tags| {
            self.suite.with(|suite| {
                let cases = suite.iter().flat_map(|read| read.suite.cases.iter().enumerate());
                let is_wanted = |own: &[String]| tags.is_empty() || own.iter().any(|tag| tags.contains(tag));
                cases.filter(|(_, case)| is_wanted(&case.extras.tags)).map(|(number, _)| number).collect()
            })
        })
    }

    /// Whether the cases are simulations: these have one stage only.
    pub fn is_simulations(self) -> bool {
        self.suite.with(|suite| suite.as_ref().is_some_and(|read| read.is_simulations))
    }

    /// Who has the tools: a page, if the suite has none and the user has not chosen.
    pub fn stage(self) -> DraftStage {
        if self.is_simulations() {
            return DraftStage::Simulation;
        }
        let usual = || if self.tools().is_none() { DraftStage::Live } else { DraftStage::Suite };
        self.chosen_stage.get().unwrap_or_else(usual)
    }

    /// Whether models call the tools.
    pub fn asks_models(self) -> bool {
        self.stage() != DraftStage::Smoke
    }

    /// The page's address.
    pub fn address(self) -> String {
        let own = || {
            let start = self.suite.with(|suite| suite.as_ref().map(|read| read.suite.start_url.clone()));
            start.filter(|start| !start.is_empty())
        };
        let bound = || self.bench.page.with(|page| page.url.clone());
        self.address.get().or_else(own).unwrap_or_else(bound).trim().to_owned()
    }

    /// Whether consequential calls reach the page.
    pub fn lets_through(self) -> bool {
        self.let_through.with(|allowed| allowed.as_ref().is_some_and(|allowed| *allowed == self.address()))
    }

    /// Runs per case, as they were typed or as they are usual.
    pub fn runs(self) -> String {
        self.runs.get().unwrap_or_else(|| RUNS[usize::from(self.models().len() > 1)].to_string())
    }

    /// The models that can be chosen.
    pub fn offered(self) -> Vec<ModelChoice> {
        self.bench.settings.with(|view| self.added.with(|added| offered(view, added)))
    }

    /// The models that are chosen: that of the chat until the user has.
    pub fn models(self) -> Vec<ModelChoice> {
        let offered = self.offered();
        match self.chosen.get() {
            Some(chosen) => offered.into_iter().filter(|choice| chosen.contains(choice)).collect(),
            None => {
                let used = self.bench.settings.with(|view| view.settings.provider.clone());
                let found = offered.iter().find(|choice| choice.provider == used).or(offered.first());
                found.cloned().into_iter().collect()
            }
        }
    }

    /// Chooses a model, or gives it up.
    pub fn choose_model(self, choice: &ModelChoice, is_wanted: bool) {
        let mut models = untrack(|| self.models());
        models.retain(|known| known != choice);
        if is_wanted {
            models.push(choice.clone());
        }
        self.chosen.set(Some(models));
    }

    /// Adds a model that the user typed, and chooses it.
    pub fn add_model(self, choice: ModelChoice) {
        if untrack(|| !self.offered().contains(&choice)) {
            self.added.update(|added| added.push(choice.clone()));
        }
        self.choose_model(&choice, true);
    }
}

/// The services that can be asked: they have a key or need none, and an address.
pub fn usable(view: &SettingsView) -> impl Iterator<Item = &ProviderPreset> {
    view.presets.iter().filter(|preset| {
        let own = view.settings.providers.get(&preset.id);
        let has_address = !preset.base_url().is_empty() || own.is_some_and(|own| !own.base_url.is_empty());
        has_address && (preset.key_optional || view.keys.contains(&preset.id))
    })
}

/// The model of each service in use, those used last, and those that were added: each once.
fn offered(view: &SettingsView, added: &[ModelChoice]) -> Vec<ModelChoice> {
    let settings = &view.settings;
    let of_service = |preset: &ProviderPreset| {
        let own = settings.providers.get(&preset.id);
        let is_used = own.is_some() || view.keys.contains(&preset.id) || settings.provider == preset.id;
        let named = own.map(|own| own.model.clone()).filter(|model| !model.is_empty());
        let model = named.or_else(|| Some(preset.models.first()?.id.clone()))?;
        is_used.then(|| ModelChoice { provider: preset.id.clone(), model })
    };
    let is_usable = |choice: &&ModelChoice| usable(view).any(|preset| preset.id == choice.provider);
    let others = settings.recent.iter().chain(added).filter(is_usable).cloned();
    let mut choices = Vec::new();
    for choice in usable(view).filter_map(of_service).chain(others) {
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    choices
}
