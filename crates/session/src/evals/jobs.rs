//! The runs of an eval: which there are, and which of them lack.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use sidecar_evals::report::{MOST_CELLS, MOST_MODELS, MOST_RUNS};
use sidecar_evals::run::MOST_STEPS;
use sidecar_evals::smoke;
use sidecar_evals::suite::{MOST_BYTES, MOST_CASES};
use sidecar_protocol::eval::{EvalPlan, EvalStage};
use sidecar_protocol::settings::ModelChoice;
use sidecar_webmcp::Address;

/// How many workers may begin a run.
pub const MOST_BEGINNINGS: u32 = 2;

/// One run to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EvalJob {
    /// Where its case stands in the plan.
    pub case: usize,
    /// Where its model stands in the plan.
    pub model: usize,
    /// Its number, from 1.
    pub run: u32,
}

impl EvalJob {
    /// Its name in what is saved.
    pub fn name(self) -> String {
        format!("{}.{}.{}", self.case, self.model, self.run)
    }
}

/// A model as reports name it.
pub fn model_name(choice: &ModelChoice) -> String {
    format!("{}:{}", choice.provider, choice.model)
}

/// The models of a plan as reports name them, or what stands for one where nobody is asked.
pub fn models(plan: &EvalPlan) -> Vec<String> {
    match plan.stage {
        EvalStage::Smoke { .. } => vec![smoke::MODEL.to_owned()],
        EvalStage::Suite { .. }
        | EvalStage::Page { .. }
        | EvalStage::Simulation { .. }
        | EvalStage::Shown { .. } => plan.models.iter().map(model_name).collect(),
    }
}

/// How many runs a plan has.
pub fn count(plan: &EvalPlan) -> usize {
    plan.cases.len().saturating_mul(models(plan).len()).saturating_mul(plan.runs as usize)
}

/// Whether a plan can be run.
pub fn is_sound(plan: &EvalPlan) -> bool {
    let numbers: HashSet<_> = plan.cases.iter().map(|case| case.number).collect();
    let models = models(plan);
    let each: HashSet<_> = models.iter().collect();
    let stage = match &plan.stage {
        EvalStage::Suite { tools } => tools.len() <= MOST_BYTES,
        EvalStage::Page { url, .. } | EvalStage::Simulation { url, .. } => {
            !Address::of(url).origin().is_empty()
        }
        // Nobody is asked, so that nothing of it is said.
        EvalStage::Smoke { url, .. } => {
            let is_page = !Address::of(url).origin().is_empty();
            is_page && plan.models.is_empty() && plan.runs == 1 && !plan.bare && plan.most_cost.is_none()
        }
        // What acts in the user's own tab is done once.
        EvalStage::Shown { url, .. } => !Address::of(url).origin().is_empty() && count(plan) == 1,
    };
    stage
        && plan.suite.len() <= MOST_BYTES
        && (1..=MOST_CASES).contains(&plan.cases.len())
        && numbers.len() == plan.cases.len()
        && (1..=MOST_MODELS).contains(&models.len())
        && each.len() == models.len()
        && (1..=MOST_RUNS).contains(&plan.runs)
        && (1..=MOST_STEPS).contains(&plan.max_steps)
        && count(plan) <= MOST_CELLS
        && plan.most_cost.is_none_or(|most| most.is_finite() && most >= 0.0)
}

/// The runs that lack, beside these that were made: first a first one of each case with each model.
pub fn lacking(plan: &EvalPlan, records: &[Value]) -> Vec<EvalJob> {
    let made: HashSet<_> = records
        .iter()
        .filter_map(|led| {
            let record = &led["record"];
            Some((record["case"].as_u64()?, record["model"].as_str()?, record["run"].as_u64()?))
        })
        .collect();
    let (models, mut jobs) = (models(plan), Vec::new());
    for run in 1..=plan.runs {
        for (model, name) in models.iter().enumerate() {
            let cases = plan.cases.iter().enumerate();
            let is_lacking = |number: usize| !made.contains(&(number as u64, name.as_str(), u64::from(run)));
            let lacking = cases.filter(|(_, case)| is_lacking(case.number));
            jobs.extend(lacking.map(|(case, _)| EvalJob { case, model, run }));
        }
    }
    jobs
}

/// Whether workers have begun a run as often as they may.
pub fn is_hopeless(job: EvalJob, begun: &BTreeMap<String, u32>) -> bool {
    begun.get(&job.name()).is_some_and(|times| *times >= MOST_BEGINNINGS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sidecar_protocol::TabId;
    use sidecar_protocol::eval::PlannedCase;

    use super::*;

    fn plan() -> EvalPlan {
        let case = |number| PlannedCase { number, suite: String::new() };
        let model = |model: &str| ModelChoice { provider: "deepseek".to_owned(), model: model.to_owned() };
        EvalPlan {
            cases: vec![case(3), case(5)],
            models: vec![model("a"), model("b")],
            runs: 2,
            max_steps: 6,
            ..EvalPlan::default()
        }
    }

    #[test]
    fn runs_that_were_made_are_not_made_again() {
        let plan = plan();
        assert_eq!((count(&plan), lacking(&plan, &[]).len()), (8, 8));
        let made = |case, model, run| json!({"record": {"case": case, "model": model, "run": run}});
        let left = lacking(&plan, &[made(3, "deepseek:a", 1), made(5, "deepseek:b", 2), json!(null)]);
        assert_eq!(left.len(), 6);
        assert_eq!(left[0], EvalJob { case: 1, model: 0, run: 1 });
        let begun = BTreeMap::from([("1.0.1".to_owned(), 2), ("0.1.1".to_owned(), 1)]);
        let hopeless: Vec<_> = left.iter().filter(|job| is_hopeless(**job, &begun)).collect();
        assert_eq!(hopeless, [&left[0]]);
    }

    #[test]
    fn plan_that_cannot_be_run_is_known() {
        assert!(is_sound(&plan()));
        let page = |url: &str| EvalStage::Page { url: url.to_owned(), allow_consequential: false };
        assert!(is_sound(&EvalPlan { stage: page("http://127.0.0.1:1/"), ..plan() }));
        let shown = |url: &str| EvalStage::Shown { tab: TabId(1), url: url.to_owned() };
        let once = || {
            let EvalPlan { cases, models, .. } = plan();
            EvalPlan { cases: cases[..1].to_vec(), models: models[..1].to_vec(), runs: 1, ..plan() }
        };
        assert!(is_sound(&EvalPlan { stage: shown("https://shop.example/"), ..once() }));
        let twice = vec![plan().models[0].clone(); 2];
        let stage = EvalStage::Smoke { url: "https://shop.example/".to_owned(), allow_consequential: false };
        let tried = || EvalPlan { stage: stage.clone(), models: Vec::new(), runs: 1, ..plan() };
        assert!(is_sound(&tried()));
        assert_eq!((count(&tried()), lacking(&tried(), &[]).len()), (2, 2));
        let made = json!({"record": {"case": 5, "model": "smoke", "run": 1}});
        assert_eq!(lacking(&tried(), &[made]), [EvalJob { case: 0, model: 0, run: 1 }]);
        for bad in [
            EvalPlan { runs: 2, ..tried() },
            EvalPlan { models: plan().models, ..tried() },
            EvalPlan { bare: true, ..tried() },
            EvalPlan { most_cost: Some(1.0), ..tried() },
            EvalPlan { stage: page("file:///etc/passwd"), ..plan() },
            EvalPlan { stage: page("no address"), ..plan() },
            EvalPlan { stage: shown("https://shop.example/"), ..plan() },
            EvalPlan { stage: shown("about:blank"), ..once() },
            EvalPlan { cases: Vec::new(), ..plan() },
            EvalPlan { cases: vec![plan().cases[0].clone(); 2], ..plan() },
            EvalPlan { models: twice, ..plan() },
            EvalPlan { runs: 51, ..plan() },
            EvalPlan { runs: 0, ..plan() },
            EvalPlan { max_steps: 0, ..plan() },
            EvalPlan { most_cost: Some(f64::NAN), ..plan() },
            EvalPlan { suite: "x".repeat(MOST_BYTES + 1), ..plan() },
        ] {
            assert!(!is_sound(&bad));
        }
    }
}
