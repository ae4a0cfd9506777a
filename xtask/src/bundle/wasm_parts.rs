//! Splits a WASM module: what only its functions marked `wasm_split` need becomes files of their own, which are loaded
//! at the first call (docs/decisions/0036).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};

use crate::matrix::WasmCrate;

/// The JavaScript that loads parts, without their names.
pub const LOADER: &str = include_str!("wasm_parts/loader.js");

/// Write the parts of a module into a folder, with the JavaScript that loads them. Returns the rest of the module, for
/// wasm-bindgen.
pub fn split(module: &[u8], one: &WasmCrate, out: &Path) -> Result<Vec<u8>> {
    let name = &one.out_name;
    let (loader, main, script) =
        (format!("./{name}_parts.js"), out.join("main.wasm"), format!("./{name}.js"));
    let mut options = wasm_split_cli_support::Options::new(module);
    options.output_dir = out;
    options.main_out_path = &main;
    options.link_name = &loader;
    options.main_module = &script;
    let split = wasm_split_cli_support::transform(options)
        .map_err(|error| anyhow!("cannot split {name}: {error:#}"))?;

    let parts: BTreeMap<String, BTreeSet<String>> =
        split.prefetch_map.into_iter().map(|(part, files)| (part, files.into_iter().collect())).collect();
    let names = names_of_files(name, &parts);
    for (file, name) in &names {
        fs::rename(out.join(format!("{file}.wasm")), out.join(name))?;
    }
    fs::write(out.join(&loader), loader_of(&script, &one.out_dir, &parts, &names))?;
    let rest = fs::read(&main).with_context(|| format!("nothing is left of {name}"))?;
    fs::remove_file(&main)?;
    Ok(rest)
}

/// Names each file by the parts that need it: `worker_turn.wasm`, `worker_requests-turn.wasm`.
fn names_of_files(module: &str, parts: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, String> {
    let files: BTreeSet<&String> = parts.values().flatten().collect();
    let name = |file: &String| {
        let users: Vec<&str> =
            parts.iter().filter(|(_, files)| files.contains(file)).map(|(part, _)| part.as_str()).collect();
        format!("{module}_{}.wasm", users.join("-"))
    };
    files.into_iter().map(|file| (file.clone(), name(file))).collect()
}

/// `folder` is where the files lie in the extension.
fn loader_of(
    script: &str,
    folder: &str,
    parts: &BTreeMap<String, BTreeSet<String>>,
    names: &BTreeMap<String, String>,
) -> String {
    let mut text = LOADER.replace("./module.js", script);
    for (part, files) in parts {
        let files = files.iter().filter_map(|file| names.get(file));
        let files: Vec<String> = files.map(|file| format!("{folder}/{file}")).collect();
        text += &format!("export const __wasm_split_load_{part} = loader({files:?});\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> BTreeMap<String, BTreeSet<String>> {
        let files = |files: &[&str]| files.iter().map(|&file| file.to_owned()).collect();
        BTreeMap::from([
            ("requests".to_owned(), files(&["chunk_3", "split_requests"])),
            ("turn".to_owned(), files(&["chunk_3", "split_turn"])),
        ])
    }

    #[test]
    fn files_are_named_by_the_parts_that_need_them() {
        let names = names_of_files("worker", &parts());
        assert_eq!(names["chunk_3"], "worker_requests-turn.wasm");
        assert_eq!(names["split_turn"], "worker_turn.wasm");
    }

    #[test]
    fn loader_names_the_module_and_the_files_of_each_part() {
        let text = loader_of("./worker.js", "wasm", &parts(), &names_of_files("worker", &parts()));
        assert!(text.contains("from './worker.js'"), "{text}");
        let files = r#"["wasm/worker_requests-turn.wasm", "wasm/worker_turn.wasm"]"#;
        let turn = format!("export const __wasm_split_load_turn = loader({files});");
        assert!(text.lines().any(|line| line == turn), "{text}");
    }
}
