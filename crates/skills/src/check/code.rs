//! The files with code.

use super::Findings;
use crate::definition::SkillDefinition;
use crate::package::SkillPackage;
use crate::word;

/// Each file that is named as code is there, and is text.
pub(super) fn check(definition: &SkillDefinition, package: &SkillPackage, findings: &mut Findings<'_>) {
    let of_tools = definition.tools.iter().enumerate().filter_map(|(number, tool)| {
        Some((format!("/tools/{number}/code/file"), tool.code.as_ref()?.file.as_str()))
    });
    let lifecycle = [("onActivate", &definition.on_activate), ("onDeactivate", &definition.on_deactivate)];
    let of_lifecycle = lifecycle
        .into_iter()
        .filter_map(|(name, code)| Some((format!("/{name}/file"), code.as_ref()?.file.as_str())));
    for (pointer, file) in of_tools.chain(of_lifecycle) {
        match package.file(file).map(std::str::from_utf8) {
            None => {
                findings.schema(&pointer, word::CODE_MISSING, word::CODE_MISSING_WAY, &[("file", file)]);
            }
            Some(Err(_)) => {
                findings.schema(&pointer, word::CODE_UTF8, word::TEXT_UTF8_WAY, &[("file", file)])
            }
            Some(Ok(_)) => {}
        }
    }
}
