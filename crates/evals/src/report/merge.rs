//! One report of those of the shards.

use sidecar_protocol::settings::Language;

use crate::report::EvalReport;
use crate::shard::Shard;
use crate::wording::{Sentence, word};

/// Why reports are not merged. Reports are named by their number, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeFault {
    /// There are none.
    Nothing,
    /// A report is not that of a shard, or of a division into another number of shards.
    NoShard(usize),
    /// A report is of another suite.
    Suite(usize),
    /// A report was made with other settings, models, tools, prompt, or another version of the product.
    Settings(usize),
    /// Two reports are of the same shard.
    Double(Shard),
    /// A report has runs of cases that are not in its shard, or of a case that another one has.
    Cases(usize),
    /// These shards are missing.
    Missing(Vec<Shard>),
}

impl MergeFault {
    /// What is wrong, and what to do about it. `names` are those of the reports.
    #[must_use]
    pub fn sentence(&self, names: &[String], language: Language) -> String {
        let named = |at: &usize| names.get(*at).cloned().unwrap_or_default();
        let shown = |shard: &Shard| format!("{}/{}", shard.index, shard.of);
        let (word, value) = match self {
            Self::Nothing => (word::MERGE_NOTHING, String::new()),
            Self::NoShard(at) => (word::MERGE_NO_SHARD, named(at)),
            Self::Suite(at) => (word::MERGE_SUITE, named(at)),
            Self::Settings(at) => (word::MERGE_SETTINGS, named(at)),
            Self::Double(shard) => (word::MERGE_DOUBLE, shown(shard)),
            Self::Cases(at) => (word::MERGE_CASES, named(at)),
            Self::Missing(shards) => {
                (word::MERGE_MISSING, shards.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
        };
        Sentence::new(word, &[("report", &value)]).text(language)
    }
}

/// Merges the reports of all shards of a suite. But for times, the result is the report of the whole run. With
/// `is_partial`, shards may be missing: their cases are not in the result.
///
/// # Errors
/// [`MergeFault`]
pub fn merge(reports: Vec<EvalReport>, is_partial: bool) -> Result<EvalReport, MergeFault> {
    let Some(first) = reports.first() else { return Err(MergeFault::Nothing) };
    let Some(Shard { of, .. }) = first.shard else { return Err(MergeFault::NoShard(0)) };
    let mut seen: Vec<Shard> = Vec::new();
    let mut owners: Vec<Option<usize>> = vec![None; first.suite.cases.len()];
    for (at, report) in reports.iter().enumerate() {
        let Some(shard) = report.shard.filter(|shard| shard.of == of) else {
            return Err(MergeFault::NoShard(at));
        };
        if report.suite != first.suite {
            return Err(MergeFault::Suite(at));
        }
        if !is_comparable(report, first) {
            return Err(MergeFault::Settings(at));
        }
        if seen.contains(&shard) {
            return Err(MergeFault::Double(shard));
        }
        seen.push(shard);
        for record in &report.cells {
            if *owners[record.case].get_or_insert(at) != at {
                return Err(MergeFault::Cases(at));
            }
        }
    }
    let missing: Vec<_> =
        (1..=of).map(|index| Shard { index, of }).filter(|shard| !seen.contains(shard)).collect();
    if !missing.is_empty() && !is_partial {
        return Err(MergeFault::Missing(missing));
    }
    let taken = reports.iter().map(|report| report.taken).max().unwrap_or_default();
    let mut reports = reports.into_iter();
    let Some(mut merged) = reports.next() else { return Err(MergeFault::Nothing) };
    for mut report in reports {
        merged.cells.append(&mut report.cells);
        let without_case = &mut merged.environment.tools_without_case;
        if without_case.is_empty() {
            *without_case = report.environment.tools_without_case;
        }
    }
    (merged.shard, merged.taken) = (None, taken);
    Ok(merged.complete())
}

fn is_comparable(one: &EvalReport, other: &EvalReport) -> bool {
    let lasting = |report: &EvalReport| {
        let mut environment = report.environment.clone();
        environment.date.clear();
        // A shard without cases lists no tools.
        environment.tools_without_case.clear();
        environment
    };
    one.product == other.product
        && one.models == other.models
        && one.settings == other.settings
        && lasting(one) == lasting(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::report;

    fn whole() -> EvalReport {
        report(&[("a:x", &["pp", "pf", "ff", "pp"]), ("b:y", &["pp", "ee", "ff", "fp"])])
    }

    /// The report of a shard that has these cases.
    fn part(index: usize, cases: &[usize]) -> EvalReport {
        let mut report = whole();
        report.shard = Some(Shard { index, of: 3 });
        report.cells.retain(|record| cases.contains(&record.case));
        report.complete()
    }

    fn parts() -> Vec<EvalReport> {
        vec![part(3, &[2]), part(1, &[0, 3]), part(2, &[1])]
    }

    #[test]
    fn inspector_case_69_shards_together_are_the_whole_run() {
        assert_eq!(merge(parts(), false), Ok(whole()));
        let mut later = parts();
        (later[1].taken, later[1].environment.date) = (1_800_000_000, "2027-01-15".to_owned());
        later[1].cells[0].ms = 7;
        let merged = merge(later, false).unwrap();
        assert_eq!(merged.taken, 1_800_000_000);
        assert_eq!(merged.without_times(), whole().without_times());
        let named = ["pay".to_owned()];
        let mut one_listed_none = parts();
        one_listed_none[1..].iter_mut().for_each(|part| part.environment.tools_without_case = named.to_vec());
        assert_eq!(merge(one_listed_none, false).unwrap().environment.tools_without_case, named);
    }

    #[test]
    fn inspector_case_69_what_does_not_belong_together_is_refused() {
        let changed = |change: &dyn Fn(&mut EvalReport)| {
            let mut parts = parts();
            change(&mut parts[2]);
            merge(parts, false)
        };
        assert_eq!(merge(vec![], false), Err(MergeFault::Nothing));
        assert_eq!(changed(&|report| report.shard = None), Err(MergeFault::NoShard(2)));
        assert_eq!(
            changed(&|report| report.shard = Some(Shard { index: 2, of: 4 })),
            Err(MergeFault::NoShard(2))
        );
        assert_eq!(changed(&|report| report.suite.hash.clear()), Err(MergeFault::Suite(2)));
        assert_eq!(changed(&|report| report.settings.max_steps = 7), Err(MergeFault::Settings(2)));
        assert_eq!(
            changed(&|report| report.environment.prompt.hash = "other".to_owned()),
            Err(MergeFault::Settings(2))
        );
        assert_eq!(
            changed(&|report| report.shard = Some(Shard { index: 3, of: 3 })),
            Err(MergeFault::Double(Shard { index: 3, of: 3 }))
        );
        assert_eq!(changed(&|report| report.cells[0].case = 0), Err(MergeFault::Cases(2)));
        let two = parts().into_iter().take(2).collect::<Vec<_>>();
        assert_eq!(merge(two.clone(), false), Err(MergeFault::Missing(vec![Shard { index: 2, of: 3 }])));
        let partial = merge(two, true).unwrap();
        assert_eq!((partial.cells.len(), partial.summary.models[0].judged), (12, 6));
    }
}
