//! Forms of other programs.

use serde_json::json;
use sidecar_protocol::settings::Language;
use sidecar_protocol::skill::ForeignForm;

use super::{problems, taken, upload};

fn refused(path: &str, text: &str) -> (String, String, String) {
    let found = problems(vec![upload(path, text)]);
    let [problem] = found.as_slice() else { panic!("{found:#?}") };
    assert!(problem.is_error && problem.file == path, "{problem:?}");
    (problem.code.clone(), problem.why.clone(), problem.way_out.clone())
}

#[test]
fn case_16_scripts_with_a_header_are_refused_by_name_with_their_grants() {
    let script = "// ==UserScript==\n// @name x\n// @grant GM_setValue\n// @grant  GM_xmlhttpRequest\n// ==/UserScript==\nexport const x = 1;";
    let (code, why, way_out) = refused("a.user.js", script);
    assert_eq!(code, "notASkill");
    assert!(why.contains("user script") && why.contains("GM_setValue, GM_xmlhttpRequest"), "{why}");
    assert!(!way_out.is_empty());
    let (_, why, _) = refused("SKILL.md", "\u{feff}// ==UserScript==\n// @name x\n// ==/UserScript==\n");
    assert!(why.contains("(it wants: none)"), "{why}");
    let (_, why, _) = refused(
        "a.js",
        "// ==WebMCP==\n// @name x\n// @match https://a.example/*\n// ==/WebMCP==\nreturn 1;",
    );
    assert!(why.contains("WebMCP header") && why.contains("cannot come in yet"), "{why}");
}

#[test]
fn case_17_package_of_requests_is_refused_by_name() {
    let package = json!({
        "name": "x", "urlPatterns": ["https://a.example/*"],
        "tools": [{"name": "search", "request": {"method": "GET", "url": "https://a.example/api?q={{q}}"}}],
    });
    let (code, why, way_out) = refused("x.json", &package.to_string());
    assert_eq!(code, "notASkill");
    assert!(why.contains("urlPatterns") && why.contains("cannot come in yet"), "{why}");
    assert!(way_out.contains("endpoints"), "{way_out}");
}

#[test]
fn other_forms_are_refused_by_name() {
    let workflow = json!({"extVersion": "1.28.0", "name": "x", "drawflow": {"nodes": [], "edges": []}});
    assert!(refused("x.automa.json", &workflow.to_string()).1.contains("Automa"));
    for (path, text) in [("a.txt", "hello"), ("a.json", "{\"a\": 1}"), ("a.js", "console.log(1)"), ("a", "")]
    {
        assert!(refused(path, text).1.contains("no SKILL"), "{path}");
    }
    let found = super::opened(vec![upload("a.bin", [0xff, 0xfe])], None, Language::Chinese);
    assert!(format!("{found:?}").contains("这不是 SKILL"), "{found:?}");
}

#[test]
fn case_15_recording_comes_in_as_a_draft_that_says_what_it_is() {
    let recording = json!({"title": "Find mugs", "steps": [
        {"type": "navigate", "url": "https://shop.example/"},
        {"type": "change", "value": "mug", "selectors": [["#q"]]},
        {"type": "customStep", "name": "x", "parameters": {}},
    ]});
    for path in ["Find mugs.json", "SKILL.md"] {
        let (review, kept) = taken(vec![upload(path, recording.to_string())]);
        assert_eq!((review.id.as_str(), review.made_of), ("find-mugs", Some(ForeignForm::Recording)));
        assert_eq!(
            review.can,
            [
                "Reads pages on shop.example.",
                "Acts on shop.example with find_mugs, and asks you before each call.",
                "Leads the tab to other pages of shop.example.",
            ]
        );
        assert_eq!(
            review.warnings,
            ["It is a draft that was made of another form. Try it before you rely on it."]
        );
        assert_eq!((review.told.len(), review.told[0].place.as_str()), (1, "steps[2]"));
        assert!(review.told[0].why.contains("customStep") && !review.told[0].is_error);
        assert_eq!((kept.tools.len(), review.tools[0].is_on), (1, false));
    }
}

#[test]
fn module_comes_in_as_a_draft_with_its_code() {
    let module = "export const skill = {name: 'tea', version: '1.0.0', match: '*.tea.example', onActivate() { begin() },\n\
                  tools: [{name: 'find', description: 'Finds.', inputSchema: {type: 'object', additionalProperties: false}, handler: (p) => p}]};";
    for path in ["tea.skill.ts", "SKILL.md"] {
        let (review, kept) = taken(vec![upload(path, module)]);
        assert_eq!((review.id.as_str(), review.made_of), ("tea", Some(ForeignForm::Module)));
        assert_eq!(
            review.can.last().unwrap(),
            "Runs code on *.tea.example. Its code can do everything on that page that you can."
        );
        assert_eq!(review.told, []);
        assert_eq!(
            kept.code,
            [
                ("webmcp/find.js".to_owned(), "return (\n(p) => p\n)(input);\n".to_owned()),
                ("webmcp/on_activate.js".to_owned(), "return (\nfunction () { begin() }\n)();\n".to_owned()),
            ]
        );
        let again = imported_again(&kept.package);
        assert_eq!(again, review.digest);
    }
    assert_eq!(problems(vec![upload("a.js", module.replace("*.tea.example", "*.com"))])[0].code, "tooWide");
}

/// The digest of a package that was kept.
fn imported_again(package: &str) -> String {
    let file = crate::exchange::UploadedFile { path: "a.zip".to_owned(), data: package.to_owned() };
    taken(vec![file]).0.digest
}
