//! The examples of docs/skills.md, in both languages.

use serde_json::Value;
use sidecar_schema::FileSchema;

use super::check;
use crate::definition::step::SkillStep;
use crate::package::{SkillPackage, TOOLS_FILE};
use crate::shape::SCHEMA;

/// What stands in the fenced blocks with this word behind the fence.
fn blocks(text: &str, word: &str) -> Vec<String> {
    let fence = format!("```{word}\n");
    text.split(&fence).skip(1).filter_map(|rest| Some(rest.split_once("\n```")?.0.to_owned())).collect()
}

#[test]
fn examples_of_the_guide_pass() {
    let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let step = serde_json::json!({"$ref": "#/$defs/step", "$defs": schema["$defs"].take()});
    let step = FileSchema::new(&step.to_string()).unwrap();
    for (file, text) in [
        ("skills.md", include_str!("../../../../docs/skills.md")),
        ("skills.zh-CN.md", include_str!("../../../../docs/skills.zh-CN.md")),
    ] {
        let steps = blocks(text, "json step");
        assert!(steps.len() >= 19, "{file}: one of each kind");
        for example in steps {
            let value: Value =
                serde_json::from_str(&example).unwrap_or_else(|error| panic!("{file}: {error}: {example}"));
            assert_eq!(step.deviations(&value), [], "{file}: {example}");
            serde_json::from_value::<SkillStep>(value)
                .unwrap_or_else(|error| panic!("{file}: {error}: {example}"));
        }
        let (tools, texts) = (blocks(text, "json skill"), blocks(text, "markdown skill"));
        let ([tools], [text]) = (tools.as_slice(), texts.as_slice()) else {
            panic!("{file}: one whole SKILL")
        };
        let files = [("SKILL.md", format!("{text}\n")), (TOOLS_FILE, tools.clone())];
        let files = files.map(|(path, text)| (path.to_owned(), text.into_bytes()));
        let checked = check(&SkillPackage::of(files).unwrap().0, None)
            .unwrap_or_else(|problems| panic!("{file}: {problems:#?}"));
        assert_eq!(checked.told, [], "{file}");
    }
}
