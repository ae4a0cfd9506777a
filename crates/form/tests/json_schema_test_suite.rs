//! The forms of the JSON-Schema-Test-Suite's schemas, with its data.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // all of it is a test

use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;
use serde_json::{Value, json};
use sidecar_form::{Fill, FormNode, FormState, example, plan};
use sidecar_schema::Validators;

/// A checkout of the suite, instead of the package that carries an older one.
const CHECKOUT: &str = "JSON_SCHEMA_TEST_SUITE";
/// The package that carries one.
const PACKAGE: &str = "json_schema_test_suite";

/// What recursion ends at, for sure.
const MOST_FIELDS: usize = 40;

/// The folder that holds `tests/draft7` and others.
fn suite() -> PathBuf {
    if let Some(checkout) = std::env::var_os(CHECKOUT) {
        return checkout.into();
    }
    let metadata = MetadataCommand::new().exec().unwrap();
    let package = metadata.packages.into_iter().find(|package| package.name.as_str() == PACKAGE).unwrap();
    let crate_folder = package.manifest_path.parent().unwrap();
    crate_folder.join("path/to/JSON-Schema-Test-Suite/repository").into()
}

/// The groups of a folder and those within it: each a schema with data.
fn groups(folder: &Path) -> Vec<Value> {
    let mut groups = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            groups.extend(self::groups(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            groups.extend(serde_json::from_str::<Vec<Value>>(&text).unwrap());
        }
    }
    groups
}

/// The schema as that of all arguments, and as that of one of them.
fn placed(schema: &Value) -> [Value; 2] {
    let mut part = schema.clone();
    let mut whole = json!({"type": "object", "required": ["p"]});
    if let Some(draft) = part.as_object_mut().and_then(|part| part.remove("$schema")) {
        whole["$schema"] = draft;
    }
    whole["properties"] = json!({"p": part});
    [schema.clone(), whole]
}

/// What was loaded is emitted, also after the schema came again, and from its raw view.
fn comes_back(schema: &Value, text: &str) -> Result<(), String> {
    let plan = plan(schema);
    let mut form = FormState::load(&plan, text);
    let is = |form: &FormState, when: &str| match form.emit_anyway() {
        Ok(emitted) if emitted == text => Ok(()),
        other => Err(format!("{when}: {schema}\n{text}\n{other:?}")),
    };
    is(&form, "loaded")?;
    form.reconcile(&plan);
    is(&form, "again")?;
    let raw = form.raw();
    form.set_raw(&raw);
    is(&form, "from raw")
}

/// A value that fits its schema is emitted without a word. Says whether this one fits.
fn is_silent(schema: &Value, text: &str) -> Result<bool, String> {
    let written = schema.to_string();
    let fits = sidecar_schema::problem(&written).is_none()
        && Validators::default().mistake(&written, text).is_none();
    match FormState::load(&plan(schema), text).emit() {
        Err(blocks) if fits => Err(format!("{schema}\n{text}\n{blocks:?}")),
        Ok(_) | Err(_) => Ok(fits),
    }
}

/// The fields of a form, this one included.
fn fields(node: &FormNode) -> usize {
    1 + node.children().into_iter().map(|(_, child)| fields(child)).sum::<usize>()
}

#[test]
fn inspector_case_32_the_test_suite_comes_back_blocks_nothing_and_ends() {
    let mut drafts = Vec::new();
    let [mut schemas, mut values, mut fitting] = [0; 3];
    for draft in ["draft7", "draft2019-09", "draft2020-12"] {
        let folder = suite().join("tests").join(draft);
        if !folder.is_dir() {
            continue;
        }
        drafts.push(draft);
        for group in groups(&folder) {
            schemas += 1;
            let [schema, tests] = ["schema", "tests"].map(|part| &group[part]);
            let is = |result: Result<bool, String>| {
                result.unwrap_or_else(|why| panic!("{draft}, {}: {why}", group["description"]))
            };
            for whole in placed(schema) {
                assert!(fields(FormState::new(&plan(&whole)).root()) <= MOST_FIELDS, "{whole}");
                let filled = example(&whole, Fill::All).text;
                is(comes_back(&whole, &filled).map(|()| true));
                is(is_silent(&whole, &filled));
            }
            for test in tests.as_array().unwrap() {
                values += 1;
                let [whole, part] = placed(schema);
                let as_part = json!({"p": test["data"]}).to_string();
                is(comes_back(&part, &as_part).map(|()| true));
                fitting += usize::from(is(is_silent(&part, &as_part)));
                if test["data"].is_object() {
                    let text = test["data"].to_string();
                    is(comes_back(&whole, &text).map(|()| true));
                    is(is_silent(&whole, &text));
                    // The suite's own verdict, where ours might be wrong.
                    let emitted = FormState::load(&plan(&whole), &text).emit();
                    assert!(emitted.is_ok() || test["valid"] == false, "{draft}: {group} {emitted:?}");
                }
            }
        }
    }
    println!("{drafts:?}: {schemas} schemas, {values} values, {fitting} of them fit");
    assert!(drafts.len() >= 2 && fitting > 1_000, "{drafts:?}: {fitting} values fit");
}
