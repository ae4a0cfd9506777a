//! Modules as authors write them.

use serde_json::{Value, json};

use super::*;
use crate::check::check;
use crate::package::SkillPackage;
use crate::problem::ProblemLevel;

/// A shop with a search, in the form of TypeScript.
const SHOP: &str = r##"
// A search for the tea shop.
export const skill: SkillDefinition = {
  name: "tea-search",
  version: "1.2.0",
  description: "在茶店里搜索", // 'not a bracket }'
  match: ["*.tea.example", "tea.example/shop*"],
  priority: 5,

  healthCheck: () => {
    return !!document.querySelector("#box");
  },
  onActivate: () => { document.title = "}"; },
  onDeactivate() { document.title = `${"{"}`; },

  tools: [
    {
      name: "findTea",
      description: "Finds tea by its name.",
      inputSchema: {
        type: "object",
        properties: {
          word: { type: "string", description: "A word of the name" },
        },
        required: ["word"],
      },
      annotations: { readOnlyHint: false },
      handler: async (params: { word: string }) => {
        const box = document.querySelector("#box") as HTMLInputElement;
        if (!box) throw new Error("the box is gone: /}/");
        box.value = params.word.replace(/[{}"]/g, "");
        box.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise(r => setTimeout(r, 500));
        return { begun: true, word: params.word };
      }
    },
    { name: "搜索", description: "Reads.", annotations: { readOnlyHint: true }, async handler(p) { return p } },
  ],
};
"##;

fn made(source: &str) -> (Value, SkillPackage, Vec<PackageProblem>) {
    let draft = draft(source).unwrap_or_else(|problem| panic!("{problem}"));
    let tools = draft.tools.clone();
    let (package, told) = draft.package().unwrap();
    let checked = check(&package, None).unwrap_or_else(|problems| panic!("{problems:#?}\n{tools:#}"));
    let warnings = checked.told.iter().filter(|problem| problem.level != ProblemLevel::Repair);
    assert_eq!(warnings.collect::<Vec<_>>(), Vec::<&PackageProblem>::new(), "{tools:#}");
    (tools, package, told)
}

fn refused(source: &str) -> (ReasonCode, Option<usize>) {
    let problem = draft(source).err().unwrap_or_else(|| panic!("{source}"));
    (problem.reason.code, problem.line)
}

fn module(body: &str) -> String {
    format!("export const skill = {{name: 'a', version: '1.0.0', match: 'a.example', {body}}}")
}

const TOOL: &str = "tools: [{name: 'x', description: 'X.', inputSchema: {type: 'object', additionalProperties: false}, handler: () => 1}]";

#[test]
fn module_becomes_a_package_with_code_tools() {
    let (tools, package, told) = made(SHOP);
    assert_eq!(
        (&tools["id"], &tools["version"], &tools["priority"]),
        (&json!("tea-search"), &json!("1.2.0"), &json!(5))
    );
    assert_eq!(tools["summary"], "在茶店里搜索");
    assert_eq!(tools["match"], json!(["*://*.tea.example/*", "*://tea.example/shop*"]));
    assert_eq!(
        tools["permissions"],
        json!({"sites": tools["match"], "acts": ["findTea", "tool_2"], "code": "isolated"})
    );
    assert_eq!(tools["pages"]["page"]["probes"], json!([{"at": "box", "is": "present"}]));
    assert_eq!(
        (&tools["onActivate"], &tools["onDeactivate"]),
        (&json!({"file": "webmcp/on_activate.js"}), &json!({"file": "webmcp/on_deactivate.js"}))
    );
    assert_eq!(tools["tools"][0]["code"], json!({"file": "webmcp/findtea.js", "world": "isolated"}));
    assert_eq!(tools["tools"][0]["pages"], json!(["page"]));
    assert_eq!((&tools["tools"][1]["name"], &tools["tools"][1]["title"]), (&json!("tool_2"), &json!("搜索")));
    let file = |path: &str| std::str::from_utf8(package.file(path).unwrap()).unwrap();
    let code = file("webmcp/findtea.js");
    assert!(code.starts_with("return (\nasync (params) => {") && code.ends_with("}\n)(input);\n"), "{code}");
    assert!(
        code.contains("document.querySelector(\"#box\")") && !code.contains("HTMLInputElement"),
        "{code}"
    );
    assert!(code.contains(".replace(/[{}\"]/g, \"\")"), "{code}");
    assert_eq!(file("webmcp/tool_2.js"), "return (\nasync function (p) { return p }\n)(input);\n");
    assert_eq!(
        file("webmcp/on_deactivate.js"),
        "return (\nfunction () { document.title = `${\"{\"}`; }\n)();\n"
    );
    let told: Vec<_> = told.iter().map(|problem| problem.place.as_str()).collect();
    assert_eq!(told, ["tools[0].inputSchema", "tools[1]", "tools[1].inputSchema", "tools[1]"]);
}

#[test]
fn what_cannot_be_taken_of_a_module_is_named() {
    let told = |body: &str| {
        let (_, _, told) = made(&module(body));
        told.iter()
            .map(|problem| format!("{} {}", problem.place, problem.reason.why(Default::default())))
            .collect::<Vec<_>>()
    };
    let one = |body: &str, place: &str, why: &str| {
        let told = told(&format!("{body}{TOOL}"));
        let [said] = told.as_slice() else { panic!("{told:?}") };
        assert!(said.starts_with(place) && said.contains(why), "{said}");
    };
    one("healthCheck: () => window.ready, ", "healthCheck", "healthCheck");
    one("onActivate: start, ", "onActivate", "onActivate");
    one("author: 'me', ", " ", "author");
    let second = TOOL.replace("}]", "}, {name: 'y', description: 'Y.', handler: elsewhere}]");
    let found = told(&second);
    assert!(
        matches!(found.as_slice(), [said] if said.starts_with("tools[1]") && said.contains('y')),
        "{found:?}"
    );
    let (_, _, rest) = made(&format!("import {{ a }} from 'b';\nfunction help() {{}}\n{}", module(TOOL)));
    assert_eq!(rest.len(), 1, "{rest:?}");
    let (tools, _, version) = made(&module(TOOL).replace("1.0.0", "v1"));
    assert_eq!((&tools["version"], version.len()), (&json!("0.1.0"), 1));
}

#[test]
fn module_without_a_skill_or_a_tool_is_refused_at_its_line() {
    for none in [
        "export const other = {}",
        "export default function () {}",
        "export const skill = make()",
        &module("tools: []"),
        &module("tools: [{name: 'x', handler: elsewhere}]"),
        &module("tools: make()"),
        "// export const skill = {}",
    ] {
        assert_eq!(refused(none), (ReasonCode::NotASkill, None), "{none}");
    }
    for (broken, line) in [
        ("export const skill = {\nname: 'a,\n}", 2),
        ("export const skill = {\n...other,\n}", 2),
        ("export const skill = {\n\nget a() { return 1 } }", 3),
        ("const a = `", 1),
    ] {
        assert_eq!(refused(broken), (ReasonCode::NotASkill, Some(line)), "{broken}");
    }
    assert_eq!(refused("export const skill = {a: [(}").0, ReasonCode::NotASkill);
}

#[test]
fn pages_are_read_as_match_patterns() {
    for (said, read) in [
        ("*.a.example", "*://*.a.example/*"),
        ("a.example", "*://a.example/*"),
        ("a.example/b*", "*://a.example/b*"),
        ("https://a.example", "https://a.example/*"),
        ("https://a.example/*", "https://a.example/*"),
        ("<all_urls>", "<all_urls>"),
    ] {
        assert_eq!(pattern(said), read);
    }
}

#[test]
fn tools_of_nearly_one_name_have_files_of_their_own() {
    let body = TOOL.replace("'x'", "'Find'").replace(
        "}]",
        "}, {name: 'find', description: 'F.', inputSchema: {additionalProperties: false}, handler: () => 2}]",
    );
    let (tools, package, _) = made(&module(&body));
    assert_eq!(
        (&tools["tools"][0]["code"]["file"], &tools["tools"][1]["code"]["file"]),
        (&json!("webmcp/find.js"), &json!("webmcp/find_2.js"))
    );
    assert_eq!(package.files().count(), 4);
}

#[test]
fn hostile_modules_are_refused_soon() {
    let handler = |code: &str| module(&TOOL.replace("() => 1", code));
    for source in [
        format!("export const skill = {}", "{a:".repeat(30_000)),
        handler(&format!("(a: {}) => 1", "() => ".repeat(20_000))),
        handler(&format!("(a: {}) => 1", "keyof ".repeat(20_000))),
        handler(&format!("(a: {}) => 1", "A<".repeat(20_000))),
        handler(&format!("() => {}", "(".repeat(40_000))),
        handler(&"((".repeat(100)),
    ] {
        refused(&source);
    }
    let many = TOOL.replace("}]", &format!("}}{}]", ", {name: 'x', handler: () => 1}".repeat(2_000)));
    let draft = draft(&module(&many)).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(draft.tools["tools"].as_array().unwrap().len(), 31, "more than its check takes");
    let health = module(&format!("healthCheck: () => {}1{}, {TOOL}", "(".repeat(190), ")".repeat(190)));
    assert_eq!(made(&health).2.len(), 1);
}

proptest::proptest! {
    #[test]
    fn changed_modules_never_panic(at in 0_usize..1_400, length in 0_usize..40, put in "([{}()'\"`/$,:=>]|\\PC){0,4}") {
        let chars: Vec<char> = SHOP.chars().collect();
        let at = at % chars.len();
        let end = (at + length).min(chars.len());
        let changed: String = chars[..at].iter().chain(put.chars().collect::<Vec<_>>().iter()).chain(&chars[end..]).collect();
        if let Ok(draft) = draft(&changed)
            && let Ok((package, _)) = draft.package()
        {
            let _ = check(&package, None);
        }
    }
}
