//! The SKILL to begin with: one tool, with a test and its fixture.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Makes a folder with a SKILL to begin with.
pub fn make(folder: &Path) -> Result<()> {
    let name = super::name_of(folder)?;
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if !name.split('-').all(is_part) || name.len() > 64 {
        bail!("{name} is not a name for a SKILL: use lower-case letters, digits and single hyphens");
    }
    if folder.exists() {
        bail!("{} is there already", folder.display());
    }
    let files = [
        ("SKILL.md", include_str!("template/SKILL.md")),
        ("webmcp/skill.json", include_str!("template/skill.json")),
        ("webmcp/fixtures/start.html", include_str!("template/start.html")),
        ("webmcp/tests/read.json", include_str!("template/read.json")),
    ];
    for (path, text) in files {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap_or(folder))?;
        let words = name.replace('-', "_");
        fs::write(&file, text.replace("NAME", &name).replace("WORDS", &words))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}
