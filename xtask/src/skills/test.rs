//! Runs the tests of packages in the browser, with the extension as it was built last.

use std::path::Path;

use anyhow::{Result, bail};
use sidecar_skills::SkillDefinition;

use crate::e2e::SuiteSetup;
use crate::{bundle, paths, run};

/// Run the tests of packages, in their folders.
pub fn run(packages: &[(&Path, SkillDefinition)]) -> Result<()> {
    let setup = SuiteSetup::built()?;
    let files = paths::scratch("skills-under-test");
    let definitions: Vec<_> = packages.iter().map(|(_, definition)| definition).collect();
    bundle::skills::files(&definitions)?.write_to(&files)?;
    let mut node = setup.node();
    node.arg("skill-test.mjs").arg("--skills").arg(&files);
    for (folder, _) in packages {
        node.arg(std::path::absolute(folder)?);
    }
    if run::echoed(&mut node, |_| {})?.success() {
        return Ok(());
    }
    bail!("a test failed, or a mutation brought a wrong value")
}
