//! Each rule of the checker: a package that breaks just this one.

use serde_json::{Value, json};
use sidecar_protocol::settings::Language;

use super::*;

fn tools() -> Value {
    json!({
        "format": 1, "id": "shop", "version": "1.0.0", "title": "A", "summary": {"en": "a", "zh": "甲"},
        "match": ["https://shop.example/*"],
        "permissions": {"sites": ["https://shop.example/*"], "acts": ["buy"]},
        "locators": {
            "list": {"any": [{"css": "[data-testid=list]"}]},
            "row": {"any": [{"css": "tr[data-id={{id}}]"}], "in": "list"},
            "button": {"any": [{"role": "button", "name": {"en": "Buy", "zh": "购买"}}], "in": "row"},
        },
        "signals": {"signedOut": [{"at": {"any": [{"css": "#login"}]}, "is": "present"}]},
        "pages": {"list": {"match": ["https://shop.example/"], "probes": [{"at": "list", "is": "visible"}]}},
        "endpoints": {"search": {"path": "/api/{word}"}},
        "tools": [
            {
                "name": "read", "description": "Reads.", "class": "read", "pages": ["list"],
                "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}, "additionalProperties": false},
                "steps": [
                    {"do": "fetch", "endpoint": "search", "path": {"word": "{{word}}"}, "read": "json", "pick": "items[*].name", "as": "names"},
                    {"do": "return", "value": {"names": "{{names}}"}},
                ],
            },
            {
                "name": "buy", "description": "Buys.", "class": "acting",
                "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": false},
                "steps": [
                    {"do": "expect", "that": {"all": [{"at": "list", "is": "visible"}, {"input": "id", "given": true}]}},
                    {"do": "click", "at": "button", "then": "none"},
                ],
            },
        ],
    })
}

const TEXT: &str = "---\nname: shop\ndescription: Buys.\nmetadata:\n  version: 1.0.0\n  webmcp-sidecar: webmcp/skill.json\n---\nBody.\n";

fn package(text: &str, tools: Option<&Value>, more: &[&str]) -> SkillPackage {
    let mut files = vec![("SKILL.md".to_owned(), text.as_bytes().to_vec())];
    if let Some(tools) = tools {
        files.push((TOOLS_FILE.to_owned(), serde_json::to_vec_pretty(tools).unwrap()));
    }
    files.extend(more.iter().map(|path| ((*path).to_owned(), b"return 1".to_vec())));
    SkillPackage::of(files).unwrap().0
}

fn told(tools: &Value) -> Vec<PackageProblem> {
    match check(&package(TEXT, Some(tools), &[]), Some("shop")) {
        Ok(checked) => checked.told,
        Err(problems) => problems,
    }
}

/// Each finding as `level code place`.
fn short(problems: &[PackageProblem]) -> Vec<String> {
    let code = |code: ReasonCode| serde_json::to_value(code).unwrap().as_str().unwrap().to_owned();
    problems.iter().map(|it| format!("{:?} {} {}", it.level, code(it.reason.code), it.place)).collect()
}

#[test]
fn package_without_a_mistake_is_taken_with_its_rights() {
    let checked = check(&package(TEXT, Some(&tools()), &[]), Some("shop")).unwrap();
    assert_eq!(checked.told, []);
    assert_eq!(checked.rights.acts, ["buy"]);
    assert_eq!(checked.definition.unwrap().tools.len(), 2);
    let alone = check(&package("---\nname: a\ndescription: b\n---\n", None, &[]), None).unwrap();
    assert_eq!((alone.definition, alone.rights), (None, Permissions::default()));
}

#[test]
fn what_stands_in_both_files_is_the_same() {
    let check = |text: &str, tools: Option<&Value>| match check(&package(text, tools, &[]), None) {
        Ok(checked) => short(&checked.told),
        Err(problems) => short(&problems),
    };
    let tools = tools();
    assert_eq!(check(&TEXT.replace("name: shop", "name: other"), Some(&tools)), ["Error badSchema id"]);
    assert_eq!(
        check(&TEXT.replace("version: 1.0.0", "version: 1.0.1"), Some(&tools)),
        ["Error badSchema version"]
    );
    assert_eq!(check(&TEXT.replace("  version: 1.0.0\n", ""), Some(&tools)), ["Warning badField version"]);
    assert_eq!(check(TEXT, None), ["Error notASkill "]);
    assert_eq!(check(&TEXT.replace("webmcp/skill.json", "tools.json"), Some(&tools)), ["Error badField "]);
    assert_eq!(check("no front matter", Some(&tools)), ["Error noFrontMatter "]);
}

#[test]
fn each_mistake_is_found_at_its_place() {
    let set = |pointer: &str, to: Value| {
        let mut tools = tools();
        *tools.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = to;
        short(&told(&tools))
    };
    let add = |pointer: &str, name: &str, to: Value| {
        let mut tools = tools();
        tools.pointer_mut(pointer).unwrap()[name] = to;
        short(&told(&tools))
    };
    let step = |to: Value| set("/tools/1/steps/0", to);
    let own =
        |css: &str| step(json!({"do": "expect", "that": {"at": {"any": [{"css": css}]}, "is": "present"}}));
    let at_css = |code: &str| vec![format!("Error {code} tools[1].steps[0].that.at.any[0].css")];
    let first = |code: &str, place: &str| vec![format!("Error {code} tools[1].steps[0]{place}")];
    let endpoint = |to: Value, step: Value| {
        let mut tools = tools();
        tools["endpoints"]["search"] = to;
        tools["tools"][0]["steps"][0] = step;
        short(&told(&tools))
    };

    // Rights.
    assert_eq!(set("/permissions/acts", json!([])), ["Error underDeclared permissions.acts"]);
    assert_eq!(
        set("/permissions/acts", json!(["buy", "read"])),
        ["Warning overDeclared permissions.acts[1]"]
    );
    assert_eq!(set("/tools/1/class", json!("read")).first().unwrap(), "Error underDeclared tools[1].class");
    assert_eq!(
        add("/tools/1", "annotations", json!({"readOnlyHint": true})),
        ["Error underDeclared tools[1].annotations.readOnlyHint"]
    );
    assert_eq!(
        set("/permissions/sites", json!(["https://shop.example/list/*"]))[0],
        "Error underDeclared match[0]"
    );
    assert_eq!(
        set("/permissions/sites", json!(["https://shop.example/*", "https://other.example/*"])),
        ["Warning overDeclared permissions.sites[1]"]
    );
    for (name, to) in [
        ("navigate", json!(true)),
        ("ownTab", json!(true)),
        ("handOver", json!(true)),
        ("code", json!("main")),
    ] {
        assert_eq!(add("/permissions", name, to), [format!("Warning overDeclared permissions.{name}")]);
    }
    assert_eq!(step(json!({"do": "navigate", "path": "/a"})), ["Error underDeclared permissions"]);
    for wide in ["<all_urls>", "https://*/*", "https://*.com/*", "https://*.github.io/*"] {
        let mut tools = tools();
        (tools["match"][0], tools["permissions"]["sites"][0]) = (json!(wide), json!(wide));
        assert_eq!(short(&told(&tools)), ["Error tooWide match[0]"], "{wide}");
        tools["tools"].as_array_mut().unwrap().pop();
        tools["permissions"]["acts"] = json!([]);
        tools["locators"] = json!({"list": tools["locators"]["list"]});
        assert_eq!(short(&told(&tools)), ["Warning tooWide match[0]"], "{wide}");
    }
    let other = json!({"path": "/api/{word}", "origin": "https://api.example"});
    let fetch = json!({"do": "fetch", "endpoint": "search", "path": {"word": "{{word}}"}, "read": "json", "as": "names"});
    assert_eq!(endpoint(other.clone(), fetch.clone()), ["Error underDeclared permissions.fetch"]);

    // Names.
    assert_eq!(
        step(json!({"do": "expect", "that": {"at": "gone", "is": "present"}})),
        first("badSchema", ".that.at")
    );
    assert_eq!(
        step(json!({"do": "expect", "that": {"input": "gone", "given": true}})),
        first("badSchema", ".that")
    );
    assert_eq!(set("/locators/row/in", json!("gone"))[0], "Error badSchema locators.row.in");
    assert_eq!(set("/locators/row/in", json!("button"))[0], "Error badSchema locators.button.in");
    assert_eq!(set("/tools/0/pages", json!(["gone"])), ["Error badSchema tools[0].pages[0]"]);
    assert_eq!(set("/tools/0/name", json!("buy")), ["Error badSchema tools[1].name"]);
    assert_eq!(
        add("/locators", "spare", json!({"any": [{"css": "h1"}]})),
        ["Warning badSchema locators.spare"]
    );
    assert_eq!(add("/endpoints", "spare", json!({"path": "/x"})), ["Warning badSchema endpoints.spare"]);
    assert!(set("/match/0", json!("shop.example")).contains(&"Error badSchema match[0]".to_owned()));
    assert_eq!(
        set("/signals/signedOut/0", json!({"input": "id", "given": true})),
        ["Error badSchema signals.signedOut[0]"]
    );
    for half in [
        json!({"at": "list"}),
        json!({"is": "present"}),
        json!({"input": "id"}),
        json!({"given": true}),
        json!({}),
    ] {
        assert_eq!(step(json!({"do": "expect", "that": half})).len(), 1, "{half}");
    }
    assert_eq!(step(json!({"do": "expect", "that": {"url": "nowhere"}})), first("badSchema", ".that.url"));

    // Templates.
    assert_eq!(
        set("/tools/0/steps/1/value", json!({"a": ["{{gone}}"]})),
        ["Error badSchema tools[0].steps[1].value.a[0]"]
    );
    assert_eq!(set("/tools/0/steps/1/value", json!("{{names")), ["Error badSchema tools[0].steps[1].value"]);
    assert_eq!(set("/tools/0/steps/0/as", json!("word"))[0], "Error badSchema tools[0].steps[0].as");
    assert_eq!(
        set("/tools/1/inputSchema/properties", json!({"other": {}})).len(),
        2,
        "the input of a condition and the name in a locator around"
    );
    for path in ["list", "//evil.example", "/a?b=c", "/a\\b", "/a#b"] {
        let mut tools = tools();
        tools["permissions"]["navigate"] = json!(true);
        tools["tools"][1]["steps"][0] = json!({"do": "navigate", "path": path});
        assert_eq!(short(&told(&tools)), first("badSchema", ".path"), "{path}");
    }

    // Inputs.
    assert_eq!(
        set("/tools/0/inputSchema/additionalProperties", json!(true)),
        ["Error badSchema tools[0].inputSchema"]
    );
    assert_eq!(
        set("/tools/0/inputSchema/properties/word", json!({"type": "nonsense"})),
        ["Error badSchema tools[0].inputSchema"]
    );
    let mut many = serde_json::Map::new();
    (0..21).for_each(|number| _ = many.insert(format!("p{number}"), json!({})));
    many.insert("word".to_owned(), json!({}));
    assert_eq!(
        set("/tools/0/inputSchema/properties", Value::Object(many)),
        ["Error badSchema tools[0].inputSchema"]
    );
    let deep = |inner: Value| json!({"type": "object", "properties": {"x": inner}});
    let three = deep(deep(json!({"type": "string"})));
    assert_eq!(set("/tools/0/inputSchema/properties/word", three.clone()), Vec::<String>::new());
    assert_eq!(
        set("/tools/0/inputSchema/properties/word", deep(three)),
        ["Error badSchema tools[0].inputSchema"]
    );

    // Steps.
    assert_eq!(set("/tools/1/steps", json!([])), ["Error badSchema tools[1].steps"], "by the schema");
    assert_eq!(
        set("/tools/0/steps", json!([{"do": "wait", "for": "stable"}]))[1],
        "Error badSchema tools[0].steps"
    );
    let nested = |inner: Value| json!({"do": "either", "branches": [{"steps": [inner]}]});
    let fail = json!({"do": "fail", "outcome": "empty"});
    assert_eq!(step(nested(nested(fail.clone()))), Vec::<String>::new());
    assert_eq!(step(nested(nested(nested(fail.clone())))).len(), 1);
    let branches = json!({"do": "either", "branches": [{"steps": [fail]}, {"steps": [fail]}]});
    assert_eq!(step(branches), first("badSchema", ".branches[0]"));
    let pages = |steps: Value| json!({"do": "pages", "next": "button", "collect": "rows", "as": "all", "steps": steps});
    let rows = json!({"do": "extract", "each": "list", "fields": {"a": {"what": "text"}}, "as": "rows"});
    assert_eq!(step(pages(json!([rows]))), ["Error underDeclared permissions"]);
    let step =
        |to: Value| step(to).into_iter().filter(|told| !told.contains("underDeclared")).collect::<Vec<_>>();
    assert_eq!(step(pages(json!([fail]))), first("badSchema", ".collect"));
    assert_eq!(step(pages(json!([rows, pages(json!([rows]))]))), first("badSchema", ".steps[1]"));
    for reading in [
        json!({"what": "text", "attr": "href"}),
        json!({"what": "attr"}),
        json!({"what": "count", "type": "integer"}),
    ] {
        let mut read = json!({"do": "read", "at": "list", "as": "x"});
        read.as_object_mut().unwrap().extend(reading.as_object().unwrap().clone());
        assert_eq!(step(read), first("badSchema", ""), "{reading}");
    }
    assert_eq!(step(json!({"do": "data", "from": "script", "as": "x"})), first("badSchema", ""));
    assert_eq!(
        step(json!({"do": "data", "from": "meta", "pick": "a..b", "as": "x"})),
        first("badSchema", ".pick")
    );

    assert_eq!(step(json!({"do": "wait", "for": "stable", "as": "x"})), first("badSchema", ".as"));
    let list = |fields: Value| json!({"each": {"any": [{"css": "li"}]}, "fields": fields});
    let lists = json!({"do": "extract", "each": "list", "fields": {"a": list(json!({"b": list(json!({"c": {"what": "text"}}))}))}, "as": "x"});
    assert_eq!(step(lists), first("badSchema", ".fields"));

    // Requests.
    let with = |changes: Value| {
        let mut step = fetch.clone();
        step.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        endpoint(json!({"path": "/api/{word}"}), step)
    };
    let request = |place: &str| vec![format!("Error badSchema tools[0].steps[0]{place}")];
    assert!(with(json!({"endpoint": "gone"})).contains(&request(".endpoint")[0]));
    assert_eq!(with(json!({"path": {}})), request(""));
    assert_eq!(with(json!({"json": {}})), request(""));
    assert_eq!(with(json!({"read": "html"})), request(""));
    let html = json!({"read": "html", "extract": {"each": {"any": [{"css": "li"}]}, "fields": {"a": {"what": "text"}}}});
    assert_eq!(with(html), Vec::<String>::new());

    // Locators.
    for (css, code) in [
        ("li:nth-child(2)", "badLocator"),
        ("#item-12345", "badLocator"),
        (".css-1x2y3z", "badLocator"),
        ("*", "badLocator"),
        ("div > div span", "badLocator"),
        ("a[b", "badLocator"),
        ("a[href='{{id}}']", "badLocator"),
        ("ul li:not(*)", "badLocator"),
        ("x-item >> div div p", "badLocator"),
    ] {
        assert_eq!(own(css), at_css(code), "{css}");
    }
    for css in [
        "tr td:nth-child(2)",
        "main > ul li.item",
        "[id^=item-] a",
        "x-item >> .price",
        "a[href*=\"a>b\"]",
        "#top10",
    ] {
        assert_eq!(own(css), Vec::<String>::new(), "{css}");
    }
    assert_eq!(
        step(json!({"do": "click", "at": {"any": [{"text": "Buy"}]}, "then": "none"})),
        first("badLocator", ".at")
    );

    // Code.
    let mut code = tools();
    code["tools"][1]["steps"].take();
    code["tools"][1].as_object_mut().unwrap().remove("steps");
    code["tools"][1]["code"] = json!({"file": "webmcp/buy.js", "world": "isolated"});
    code["permissions"]["code"] = json!("isolated");
    code["locators"] = json!({"list": code["locators"]["list"]});
    assert_eq!(short(&told(&code)), ["Error badSchema tools[1].code.file"]);
    assert_eq!(
        short(&check(&package(TEXT, Some(&code), &["webmcp/buy.js"]), None).unwrap().told),
        Vec::<String>::new()
    );
}

#[test]
fn case_40_click_in_a_tool_that_says_it_reads_is_refused() {
    let mut tools = tools();
    tools["tools"][1]["class"] = json!("read");
    tools["tools"][1]["steps"].as_array_mut().unwrap().push(json!({"do": "return", "value": {}}));
    tools["permissions"]["acts"] = json!([]);
    assert_eq!(
        short(&told(&tools)),
        ["Error underDeclared permissions.acts", "Error underDeclared tools[1].class"]
    );
}

#[test]
fn case_46_acting_on_all_sites_or_on_a_public_suffix_is_refused() {
    for wide in ["<all_urls>", "*://*/*", "https://*.com.cn/*", "https://*.github.io/*"] {
        let mut tools = tools();
        (tools["match"][0], tools["permissions"]["sites"][0]) = (json!(wide), json!(wide));
        assert_eq!(short(&told(&tools)), ["Error tooWide match[0]"], "{wide}");
    }
    let mut tools = tools();
    let one = json!("https://*.shop.github.io/*");
    (tools["match"][0], tools["permissions"]["sites"][0]) = (one.clone(), one);
    assert_eq!(short(&told(&tools)), Vec::<String>::new());
}

#[test]
fn code_that_runs_as_a_skill_begins_is_code() {
    let mut tools = tools();
    tools["onActivate"] = json!({"file": "webmcp/begin.js"});
    tools["permissions"]["code"] = json!("isolated");
    assert_eq!(short(&told(&tools)), ["Error badSchema onActivate.file"]);
    let with = package(TEXT, Some(&tools), &["webmcp/begin.js"]);
    let checked = check(&with, None).unwrap();
    assert_eq!((checked.told, checked.rights.code), (Vec::new(), crate::definition::CodeWorld::Isolated));
    tools["permissions"]["code"] = json!("none");
    let with = package(TEXT, Some(&tools), &["webmcp/begin.js"]);
    assert_eq!(short(&check(&with, None).unwrap_err()), ["Error underDeclared permissions"]);
    let mut files: Vec<_> = with.files().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
    files
        .iter_mut()
        .filter(|(path, _)| path.ends_with(".js"))
        .for_each(|(_, bytes)| *bytes = b"\xff".to_vec());
    let with = SkillPackage::of(files).unwrap().0;
    assert!(short(&check(&with, None).unwrap_err()).contains(&"Error badSchema onActivate.file".to_owned()));
}

#[test]
fn each_sentence_is_whole_in_both_languages() {
    let mut bad = tools();
    bad["permissions"] = json!({"sites": ["https://other.example/*"], "navigate": true, "code": "main"});
    bad["locators"]["list"] = json!({"any": [{"css": "div div div:nth-child(2) .css-1a2b3c #x12345 [a='{{id}}']"}, {"css": "* [a='{{id}}']"}]});
    bad["tools"][0]["steps"][0]["pick"] = json!("a..b");
    let problems = told(&bad);
    assert_eq!(problems.len(), 8, "{problems:#?}");
    for problem in &problems {
        assert!(problem.line.is_some() && !problem.place.is_empty(), "{problem}");
        for language in [Language::English, Language::Chinese] {
            let sentence = problem.sentence(language);
            assert!(!sentence.replace("{{id}}", "").contains(['{', '}']), "{sentence}");
            let (why, way) = (problem.reason.why(language), problem.reason.way_out(language));
            let end = if language == Language::English { '.' } else { '。' };
            assert!(why.ends_with(end) && way.ends_with(end), "{sentence}");
        }
    }
}
