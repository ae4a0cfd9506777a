//! Compares the sizes of what ships with the budgets in `wasm-pack.toml`.

use anyhow::{Result, bail};

use crate::bundle::{self, Kind, Package};
use crate::matrix::{Budget, ByteSize, Matrix};
use crate::{dist, paths, say, table};

/// Build what ships and check its sizes.
pub fn check() -> Result<()> {
    bundle::build(Kind::Release)?;
    say::stage("budgets", || {
        let package = Package::read(&paths::extension())?;
        let zip = ByteSize(dist::archive(&package)?.len() as u64);
        let entries = measure(&package, zip, &Matrix::read(&paths::matrix())?.budget);

        let mut rows = vec![["what", "size", "budget", ""].map(str::to_owned)];
        rows.extend(entries.iter().map(Measured::row));
        table::lines(&rows).iter().for_each(|line| println!("{line}"));

        match entries.iter().filter(|entry| entry.verdict() != BudgetVerdict::Within).count() {
            0 => Ok(()),
            count => bail!("{count} of {} sizes do not hold their budget", entries.len()),
        }
    })
}

/// One thing that has a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Measured {
    what: String,
    /// `None` if it does not exist.
    size: Option<ByteSize>,
    budget: ByteSize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BudgetVerdict {
    Within,
    Over,
    /// A budget without its file is an error.
    Missing,
}

fn measure(package: &Package, zip: ByteSize, budget: &Budget) -> Vec<Measured> {
    let files = budget.files.iter().map(|(path, budget)| Measured {
        what: path.clone(),
        size: package.get(path).map(|bytes| ByteSize(bytes.len() as u64)),
        budget: *budget,
    });
    let whole = Measured { what: "package (zip)".to_owned(), size: Some(zip), budget: budget.package };
    files.chain([whole]).collect()
}

impl Measured {
    fn verdict(&self) -> BudgetVerdict {
        match self.size {
            None => BudgetVerdict::Missing,
            Some(size) if size > self.budget => BudgetVerdict::Over,
            Some(_) => BudgetVerdict::Within,
        }
    }

    fn row(&self) -> [String; 4] {
        let size = self.size.map_or_else(|| "-".to_owned(), |size| size.to_string());
        let verdict = match self.verdict() {
            BudgetVerdict::Within => "",
            BudgetVerdict::Over => "✗ too large",
            BudgetVerdict::Missing => "✗ missing",
        };
        [self.what.clone(), size, self.budget.to_string(), verdict.to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(package: &[(&str, usize)], zip: u64, budget: &str) -> Vec<BudgetVerdict> {
        let mut files = Package::default();
        for (path, size) in package {
            files.insert(path, vec![0; *size]);
        }
        let budget: Budget = toml::from_str(budget).unwrap();
        measure(&files, ByteSize(zip), &budget).iter().map(Measured::verdict).collect()
    }

    const BUDGET: &str = "package = \"1 KiB\"\n[files]\n\"bridge.js\" = \"10 B\"\n";

    #[test]
    fn file_within_its_budget_passes() {
        assert_eq!(
            verdicts(&[("bridge.js", 10)], 1024, BUDGET),
            [BudgetVerdict::Within, BudgetVerdict::Within]
        );
    }

    #[test]
    fn file_that_is_too_large_fails() {
        assert_eq!(
            verdicts(&[("bridge.js", 11)], 1024, BUDGET),
            [BudgetVerdict::Over, BudgetVerdict::Within]
        );
    }

    #[test]
    fn package_that_is_too_large_fails() {
        assert_eq!(
            verdicts(&[("bridge.js", 10)], 1025, BUDGET),
            [BudgetVerdict::Within, BudgetVerdict::Over]
        );
    }

    #[test]
    fn file_that_is_not_there_fails() {
        assert_eq!(verdicts(&[("other.js", 1)], 1, BUDGET), [BudgetVerdict::Missing, BudgetVerdict::Within]);
    }

    #[test]
    fn each_budget_of_the_project_would_catch_a_file_one_byte_too_large() {
        let budget = Matrix::read(&paths::matrix()).unwrap().budget;
        for (path, size) in &budget.files {
            let mut package = Package::default();
            package.insert(path, vec![0; size.0 as usize + 1]);
            let entries = measure(&package, budget.package, &budget);
            let over: Vec<_> =
                entries.iter().filter(|entry| entry.verdict() == BudgetVerdict::Over).collect();
            assert_eq!(over.iter().map(|entry| entry.what.as_str()).collect::<Vec<_>>(), [path.as_str()]);
        }
    }
}
