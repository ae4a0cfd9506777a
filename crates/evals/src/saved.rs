//! Evals that the extension keeps, as reports.

use sidecar_protocol::eval::{EvalPlan, EvalStage, PlannedCase, SavedEval};

use crate::exchange::LedRecord;
use crate::report::summary::ReportSummary;
use crate::report::{
    EvalEnvironment, EvalMode, EvalReport, EvalSettings, ModelFacts, PromptFacts, PromptProfile,
    REPORT_FORMAT, REPORT_VERSION, SiteFacts, SuiteFacts,
};
use crate::scripted;
use crate::suite::{self, EvalSuite};
use crate::tools;

/// The cases of a suite with these numbers, as they are run.
#[must_use]
pub fn planned(suite: &EvalSuite, cases: &[usize]) -> Vec<PlannedCase> {
    let named = cases.iter().filter_map(|number| Some((*number, suite.cases.get(*number)?)));
    named.map(|(number, case)| PlannedCase { number, suite: suite.alone(case) }).collect()
}

/// The simulations of a file with these numbers, as they are run.
#[must_use]
pub fn planned_simulations(file: &str, cases: &[usize]) -> Vec<PlannedCase> {
    let alone = scripted::divided(file);
    let named = cases.iter().filter_map(|number| Some((*number, alone.get(*number)?.clone())));
    named.map(|(number, suite)| PlannedCase { number, suite }).collect()
}

/// The suite of a plan. `None` if it cannot be read.
#[must_use]
pub fn suite_of(plan: &EvalPlan) -> Option<EvalSuite> {
    match plan.stage {
        EvalStage::Simulation { .. } => scripted::read(&plan.suite).ok().map(|(suite, _)| suite),
        EvalStage::Suite { .. }
        | EvalStage::Page { .. }
        | EvalStage::Smoke { .. }
        | EvalStage::Shown { .. } => suite::read(plan.suite.as_bytes()).ok(),
    }
}

/// The report of an eval, of the runs that were made until now. `product` is the version of the product. `None` if its suite
/// cannot be read.
#[must_use]
pub fn report(saved: &SavedEval, product: &str) -> Option<EvalReport> {
    let SavedEval { entry, plan, records } = saved;
    let suite = suite_of(plan)?;
    let led: Vec<LedRecord> =
        records.iter().filter_map(|record| serde_json::from_value(record.clone()).ok()).collect();
    let facts = led.iter().find_map(|led| led.facts.as_ref());
    let model = |name: &String| {
        let of_model = led.iter().filter(|led| led.record.model == *name);
        let facts = of_model.filter_map(|led| led.facts.as_ref()).next();
        ModelFacts {
            name: name.clone(),
            sent: facts.map(|facts| facts.sent.clone()).unwrap_or_default(),
            lost: facts.map(|facts| facts.lost.clone()).unwrap_or_default(),
        }
    };
    let page = led.iter().find_map(|led| led.page.clone()).map(|page| SiteFacts {
        browser: plan.browser.clone(),
        backend: page.backend,
        origin: page.origin,
    });
    let report = EvalReport {
        format: REPORT_FORMAT.to_owned(),
        version: REPORT_VERSION,
        product: product.to_owned(),
        taken: entry.started / 1_000,
        suite: SuiteFacts::of(&suite, &plan.name),
        environment: EvalEnvironment {
            mode: match plan.stage {
                EvalStage::Suite { .. } => EvalMode::Static,
                EvalStage::Smoke { .. } => EvalMode::Smoke,
                EvalStage::Simulation { .. } => EvalMode::Simulation,
                EvalStage::Page { .. } | EvalStage::Shown { .. } => EvalMode::Live,
            },
            page,
            tools_without_case: match &plan.stage {
                EvalStage::Suite { tools } => tools::read(tools.as_bytes())
                    .map(|tools| suite.without_case(tools.iter().map(|tool| tool.name.as_str())))
                    .unwrap_or_default(),
                // Which tools the page has is not kept.
                EvalStage::Page { .. }
                | EvalStage::Smoke { .. }
                | EvalStage::Simulation { .. }
                | EvalStage::Shown { .. } => Vec::new(),
            },
            tools_hash: facts.map(|facts| facts.tools.clone()).unwrap_or_default(),
            prompt: PromptFacts {
                profile: if plan.bare { PromptProfile::Bare } else { PromptProfile::Product },
                hash: facts.map(|facts| facts.prompt.clone()).unwrap_or_default(),
            },
            date: led.iter().find_map(|led| led.date.clone()).unwrap_or_default(),
        },
        models: entry.models.iter().map(model).collect(),
        settings: EvalSettings {
            runs: plan.runs,
            // As on the command line.
            max_steps: if entry.is_smoke { 0 } else { plan.max_steps },
            max_tokens: None,
            tags: plan.tags.clone(),
        },
        shard: None,
        cells: led.into_iter().map(|led| led.record).collect(),
        summary: ReportSummary::default(),
    };
    Some(report.complete())
}
