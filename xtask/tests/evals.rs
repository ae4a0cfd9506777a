//! `cargo xtask evals` as a process, with the scripted model as its service.
#![allow(clippy::unwrap_used)] // all of it is a test

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use sidecar_evals::RunOutcome;
use sidecar_evals::report::EvalReport;
use sidecar_testkit::{DEFAULT_KEY, Fault, Scenarios, ScriptedModel, ServerOptions, Until};
use tempfile::TempDir;

/// Does what the user's text says.
const OBEDIENT: &str = "custom:call-tool";
/// Does so in one of five runs, or in two.
const SELDOM: &str = "custom:seldom";
/// Calls no tool that there is.
const IDLE: &str = "custom:echo";

const EVENT: Duration = Duration::from_secs(20);

/// A service, a suite, and a folder for reports.
struct EvalBench {
    service: ScriptedModel,
    folder: TempDir,
}

impl EvalBench {
    fn new(cases: &Value) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
        let scenarios = Scenarios::load(&root).unwrap();
        let service = ScriptedModel::start(ServerOptions::new(scenarios)).unwrap();
        let folder = TempDir::new().unwrap();
        let tool = |name: &str| {
            let properties = json!({"text": {"type": "string"}});
            json!({"name": name, "description": name, "inputSchema": {"type": "object", "properties": properties}})
        };
        let suite = json!({
            "format": "sidecar-suite", "version": 1, "name": "Shop",
            "tools": [tool("search"), tool("add")], "cases": cases,
        });
        fs::write(folder.path().join("suite.json"), suite.to_string()).unwrap();
        Self { service, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, models: &[&str], more: &[&str]) -> Command {
        let mut command = xtask(&["--suite", &self.path("suite.json").display().to_string()]);
        command.env("CUSTOM_API_KEY", DEFAULT_KEY);
        command.args(["--endpoint", &format!("custom={}/v1", self.service.url())]);
        for model in models {
            command.args(["--model", model]);
        }
        command.args(more);
        command
    }

    fn run(&self, models: &[&str], more: &[&str]) -> Output {
        self.command(models, more).output().unwrap()
    }

    fn report(&self, file: &str) -> EvalReport {
        EvalReport::read(&fs::read(self.path(file)).unwrap()).unwrap()
    }
}

fn xtask(arguments: &[&str]) -> Command {
    task("evals", arguments)
}

fn task(task: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg(task).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn case(name: &str, text: &str, expected: Value) -> Value {
    let message = json!({"role": "user", "type": "message", "content": text});
    json!({"name": name, "messages": [message], "expectedCall": expected})
}

fn call(name: &str, text: &str) -> Value {
    json!({"functionName": name, "arguments": {"text": text}, "mockOutput": {"done": name}})
}

/// Three cases: one call, two in a row, none.
fn three() -> Value {
    json!([
        case("one call", "call search {\"text\": \"tea\"}", json!([call("search", "tea")])),
        case(
            "two calls",
            "call search {\"text\": \"tea\"}\nthen\ncall add {\"text\": \"tea\"}",
            json!([call("search", "tea"), call("add", "tea")])
        ),
        case("no call", "Hello", json!(null)),
    ])
}

#[test]
fn inspector_case_68_exit_code_says_what_came_of_it() {
    let bed = EvalBench::new(&three());
    let good = bed.run(&[OBEDIENT], &["--runs", "2"]);
    assert_eq!(code(&good), 0, "{}", said(&good));
    assert!(said(&good).contains("✓ 2/2 pass: two calls"), "{}", said(&good));
    let failing = bed.run(&[IDLE], &["--runs", "1", "--language", "zh"]);
    assert_eq!(code(&failing), 1, "{}", said(&failing));
    assert!(said(&failing).contains("没有调用任何工具。"), "{}", said(&failing));
    let lenient = bed.run(&[IDLE], &["--runs", "1", "--min-pass", "0.3"]);
    assert_eq!(code(&lenient), 0, "{}", said(&lenient));
    fs::write(bed.path("bad.json"), "{").unwrap();
    let unreadable = xtask(&["--suite", &bed.path("bad.json").display().to_string()]).output().unwrap();
    assert_eq!(code(&unreadable), 2, "{}", said(&unreadable));
    let nobody = bed.run(&[], &[]);
    assert_eq!((code(&nobody), said(&nobody).contains("--model")), (2, true), "{}", said(&nobody));
    let pageless = bed.run(&[OBEDIENT], &["--mode", "live"]);
    assert_eq!((code(&pageless), said(&pageless).contains("--url")), (2, true), "{}", said(&pageless));
    let down = bed.run(&[OBEDIENT], &["--runs", "1", "--endpoint", "custom=http://127.0.0.1:9/v1"]);
    assert_eq!(code(&down), 3, "{}", said(&down));
    assert!(said(&down).contains("network"), "{}", said(&down));
}

#[test]
fn inspector_case_23_each_run_asks_the_model_anew() {
    let bed = EvalBench::new(&three());
    let out = bed.path("out").display().to_string();
    let reporters = "junit,markdown,html,webmcp-evals";
    let output = bed.run(&[OBEDIENT, IDLE], &["--out", &out, "--reporter", reporters]);
    assert_eq!(code(&output), 1, "{}", said(&output));
    let report = bed.report("out/report.json");
    assert_eq!(report.cells.len(), 18);
    // One request for each answer: 2 + 3 + 1 of the obedient model, 3 of the other.
    assert_eq!(bed.service.requests().len(), 3 * (2 + 3 + 1 + 3));
    let rates: Vec<_> = report.summary.models.iter().map(|model| (model.passed, model.failed)).collect();
    assert_eq!(rates, [(3, 0), (1, 2)]);
    let first = &report.cells[0];
    assert!(first.usage.is_some() && first.cost.is_none() && first.first_token_ms.is_some());
    assert_eq!(first.calls[0].result, json!({"done": "search"}));
    for (name, part) in [
        ("report.junit.xml", "<testsuite name=\"custom:echo\""),
        ("report.md", "| custom:call-tool |"),
        ("report.html", "<th scope=\"row\">custom:echo</th>"),
        ("report.webmcp-evals.custom-echo.json", "\"testCount\":9"),
    ] {
        let text = fs::read_to_string(bed.path("out").join(name)).unwrap();
        assert!(text.contains(part), "{name}: {text}");
    }
}

#[test]
fn tools_without_a_case_are_named_in_all_reports() {
    let bed = EvalBench::new(&json!([case("one", "call search {}", json!([{"functionName": "search"}]))]));
    let out = bed.path("out").display().to_string();
    let reporters = ["--runs", "1", "--out", &out, "--reporter", "markdown,html"];
    let output = bed.run(&[OBEDIENT], &reporters);
    assert_eq!(code(&output), 0, "{}", said(&output));
    assert!(said(&output).contains("Tools without a case\n  · add\n"), "{}", said(&output));
    assert_eq!(bed.report("out/report.json").environment.tools_without_case, ["add"]);
    for (name, part) in [
        ("report.json", "\"toolsWithoutCase\": [\n      \"add\"\n    ]"),
        ("report.md", "## Tools without a case\n\n- add\n"),
        ("report.html", "<h2>Tools without a case</h2>\n<ul><li>add</li></ul>"),
    ] {
        let text = fs::read_to_string(bed.path("out").join(name)).unwrap();
        assert!(text.contains(part), "{name}: {text}");
    }
    let all = EvalBench::new(&three()).run(&[OBEDIENT], &["--runs", "1"]);
    assert!(!said(&all).contains("without a case"), "{}", said(&all));
}

#[test]
fn case_that_prepares_a_page_is_skipped_without_one() {
    let mut cases = three();
    cases[0]["x-sidecar"] = json!({"setup": [{"functionName": "add", "arguments": {}}]});
    let bed = EvalBench::new(&cases);
    let out = bed.path("out").display().to_string();
    let output = bed.run(&[OBEDIENT], &["--runs", "1", "--out", &out]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    assert!(
        said(&output).contains("Calls prepare a page for the case (x-sidecar.setup)"),
        "{}",
        said(&output)
    );
    let outcomes: Vec<_> = bed.report("out/report.json").cells.iter().map(|record| record.outcome).collect();
    assert_eq!(outcomes, [RunOutcome::Skipped, RunOutcome::Pass, RunOutcome::Pass]);
    cases[0]["x-sidecar"] = json!({"setup": [{"functionName": "add"}]});
    let unread = EvalBench::new(&cases);
    let checked = xtask(&["check", &unread.path("suite.json").display().to_string()]).output().unwrap();
    assert_eq!(code(&checked), 1, "{}", said(&checked));
    assert!(
        said(&checked).contains("/0/x-sidecar/setup/0/arguments [suite-setup-unreadable]"),
        "{}",
        said(&checked)
    );
    let run = unread.run(&[OBEDIENT], &["--runs", "1"]);
    assert!(said(&run).contains("x-sidecar.setup[0].arguments: This has to be an object."), "{}", said(&run));
}

#[test]
fn changes_of_a_contract_name_the_cases_of_suites() {
    let bed = EvalBench::new(&three());
    let snapshot = |name: &str, tools: Value| {
        let file = bed.path(name);
        fs::write(&file, json!({"format": "webmcp-contract", "version": 1, "tools": tools}).to_string())
            .unwrap();
        file.display().to_string()
    };
    let tool = |name: &str| json!({"origin": "https://site.example", "name": name, "description": name});
    let (before, after) =
        (snapshot("before.json", json!([tool("add"), tool("sort")])), snapshot("after.json", json!([])));
    let (suite, none) =
        (bed.path("suite.json").display().to_string(), bed.path("none.json").display().to_string());
    let compare = |more: &[&str]| {
        let arguments = [&["contract", "compare", before.as_str(), after.as_str()][..], more].concat();
        task("tools", &arguments).output().unwrap()
    };
    let named = compare(&["--suite", &suite]);
    assert_eq!(code(&named), 1, "{}", said(&named));
    let lines = said(&named);
    let lines: Vec<_> = lines.lines().map(str::trim).collect();
    assert!(lines[0].contains("add") && lines[1] == "Eval cases that call it: two calls", "{lines:?}");
    assert!(lines.len() == 3 && lines[2].contains("sort"), "{lines:?}");
    assert!(!said(&compare(&[])).contains("Eval cases"));
    assert_eq!(code(&compare(&["--suite", &none])), 2);
}

#[test]
fn made_up_arguments_need_a_page_and_are_no_suite() {
    let bed = EvalBench::new(&three());
    let suite = bed.path("suite.json").display().to_string();
    for (arguments, said_of) in [
        (&["--mode", "smoke"][..], "--url"),
        (&["--mode", "smoke", "--url", "http://127.0.0.1:9/", "--out", "report"], "no report"),
        (&["--mode", "smoke", "--url", "http://127.0.0.1:9/", "--tag", "fast"], "no cases"),
        (&["--mode", "smoke", "--suite", &suite, "--tool", "add"], "--suite"),
        (&["--mode", "live", "--url", "http://127.0.0.1:9/"], "--suite"),
    ] {
        let output = xtask(arguments).output().unwrap();
        assert_eq!(
            (code(&output), said(&output).contains(said_of)),
            (2, true),
            "{arguments:?} {}",
            said(&output)
        );
    }
}

#[test]
fn product_prompt_marks_what_a_site_wrote_and_the_bare_one_does_not() {
    let bed = EvalBench::new(&json!([case("one", "call search {}", json!([call("search", "x")]))]));
    for (prompt, is_marked) in [("product", true), ("bare", false)] {
        bed.service.reset();
        bed.run(&[OBEDIENT], &["--runs", "1", "--prompt", prompt, "--date", "2026-11-26"]);
        let requests = bed.service.requests();
        let body = &serde_json::to_value(&requests[1]).unwrap()["body"].to_string();
        assert!(body.contains("2026-11-26"), "{body}");
        assert_eq!(body.contains("<page_data"), is_marked, "{body}");
    }
}

#[test]
fn inspector_case_24_busy_service_is_asked_again_and_a_dead_key_is_an_error() {
    let bed = EvalBench::new(&three());
    let busy: Fault =
        serde_json::from_value(json!({"times": 1, "refuse": {"status": 429, "retry_after": 1}})).unwrap();
    bed.service.fault(busy);
    let output = bed.run(&[OBEDIENT], &["--runs", "1"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    bed.service.set_key("another");
    let dead = bed.run(&[OBEDIENT], &["--runs", "1"]);
    assert_eq!(code(&dead), 3, "{}", said(&dead));
    assert!(said(&dead).contains("(auth)"), "{}", said(&dead));
}

#[test]
fn inspector_case_69_shards_are_run_by_processes_and_one_that_was_killed_is_repeated() {
    let named = |number: usize| {
        let text = format!("tea {number}");
        let said = format!("call search {}", json!({"text": text}));
        let expected = if number == 4 { "another" } else { text.as_str() };
        case(&format!("case {number}"), &said, json!([call("search", expected)]))
    };
    let bed = EvalBench::new(&(0..9).map(named).collect());
    let (out, whole) = (bed.path("out").display().to_string(), bed.path("whole").display().to_string());
    let shard = |shard: &str| bed.command(&[OBEDIENT], &["--runs", "2", "--out", &out, "--shard", shard]);
    let ended = |child: Child| code(&child.wait_with_output().unwrap());

    let (first, third) = (shard("1/3").spawn().unwrap(), shard("3/3").spawn().unwrap());
    let mut codes = vec![ended(first), ended(third)];
    let held: Fault =
        serde_json::from_value(json!({"times": 1, "delivery": {"hold_after_event": 1}})).unwrap();
    bed.service.fault(held);
    let asked = u32::try_from(bed.service.requests().len()).unwrap();
    let mut second = shard("2/3").spawn().unwrap();
    bed.service.wait(asked + 1, Until::Held, EVENT).unwrap();
    second.kill().unwrap();
    second.wait().unwrap();
    assert!(!bed.path("out/report-2-of-3.json").exists());

    let files: Vec<_> =
        (1..=3).map(|n| bed.path(&format!("out/report-{n}-of-3.json")).display().to_string()).collect();
    let merge = |files: &[&String], more: &[&str]| {
        let mut command = xtask(&["merge", "--out", &out]);
        command.args(files).args(more).output().unwrap()
    };
    let missing = merge(&[&files[0], &files[2]], &[]);
    assert_eq!((code(&missing), said(&missing).contains("2/3")), (2, true), "{}", said(&missing));

    codes.push(ended(shard("2/3").spawn().unwrap()));
    codes.sort_unstable();
    assert_eq!(codes, [0, 0, 1], "one of them has the case that fails");
    let double = merge(&[&files[0], &files[1], &files[1]], &[]);
    assert_eq!((code(&double), said(&double).contains("twice")), (2, true), "{}", said(&double));
    let merged = merge(&files.iter().collect::<Vec<_>>(), &[]);
    assert_eq!(code(&merged), 1, "{}", said(&merged));
    let output = bed.run(&[OBEDIENT], &["--runs", "2", "--out", &whole]);
    assert_eq!(code(&output), 1, "{}", said(&output));
    let (merged, whole) = (bed.report("out/report.json"), bed.report("whole/report.json"));
    assert_eq!(merged.cells.len(), 18);
    assert_eq!(merged.without_times(), whole.without_times());
}

#[test]
fn inspector_case_71_regression_fails_the_command_where_it_is_shown() {
    let once = "call search {\"text\": \"tea\"}";
    for (asked, passed, expected) in [(once.to_owned(), 1, 1), (format!("{once}\ntwice"), 2, 0)] {
        let bed = EvalBench::new(&json!([case("one", &asked, json!([call("search", "tea")]))]));
        let (out, old) = (bed.path("out").display().to_string(), bed.path("old.json").display().to_string());
        let run = |more: &[&str]| {
            bed.service.reset();
            // One run after the other: the model counts them.
            bed.run(&[SELDOM], &[&["--jobs", "1", "--min-pass", "0"], more].concat())
        };
        run(&["--out", &out]);
        let mut before: Value =
            serde_json::from_str(&fs::read_to_string(bed.path("out/report.json")).unwrap()).unwrap();
        for cell in before["cells"].as_array_mut().unwrap() {
            cell["outcome"] = json!("pass");
        }
        fs::write(&old, before.to_string()).unwrap();
        for (more, expected) in [(&["--fail-on-regression"][..], expected), (&[], 0)] {
            let output = run(&[&["--baseline", &old], more].concat());
            assert_eq!(code(&output), expected, "{more:?} {}", said(&output));
            let told = format!("5/5 before, {passed}/5 now");
            assert!(said(&output).contains(&told), "{}", said(&output));
        }
        let other = run(&["--baseline", &old, "--fail-on-regression", "--prompt", "bare"]);
        assert_eq!(
            (code(&other), said(&other).contains("cannot be compared")),
            (1, true),
            "{}",
            said(&other)
        );
    }
}

#[test]
fn inspector_case_72_key_stands_nowhere() {
    let key = "sk-secret-0123456789";
    let bed = EvalBench::new(&three());
    let out = bed.path("out").display().to_string();
    for (accepted, expected) in [(key, 0), ("another", 3)] {
        bed.service.set_key(accepted);
        let reporters = "junit,markdown,html,webmcp-evals";
        let mut command = bed.command(&[OBEDIENT], &["--runs", "1", "--out", &out, "--reporter", reporters]);
        let output = command.env("CUSTOM_API_KEY", key).output().unwrap();
        assert_eq!(code(&output), expected, "{}", said(&output));
        assert!(!said(&output).contains(key));
        for file in fs::read_dir(bed.path("out")).unwrap() {
            assert!(!fs::read_to_string(file.unwrap().path()).unwrap().contains(key));
        }
    }
}

#[test]
fn runs_stop_at_the_cost_that_was_allowed_and_many_need_a_yes() {
    let bed = EvalBench::new(&three());
    let out = bed.path("out").display().to_string();
    let price = format!("{OBEDIENT}=1000000/1000000 CNY");
    let limited = ["--runs", "2", "--jobs", "1", "--max-cost", "1", "--out", &out];
    let unknown = bed.run(&[OBEDIENT], &limited);
    assert_eq!((code(&unknown), said(&unknown).contains("--price")), (2, true), "{}", said(&unknown));
    let output = bed.run(&[OBEDIENT], &[&limited[..], &["--price", &price]].concat());
    assert!(said(&output).contains("used up"), "{}", said(&output));
    let report = bed.report("out/report.json");
    let made: Vec<_> = report.cells.iter().filter(|record| record.cost.is_some()).collect();
    assert_eq!((made.len(), report.cells.len()), (1, 6));
    assert_eq!(report.summary.models[0].costs[0].currency, "CNY");
    let many = EvalBench::new(&Value::from(vec![case("x", "Hello", json!(null)); 41]));
    let unasked = many.run(&[OBEDIENT], &["--runs", "5"]);
    assert_eq!((code(&unasked), said(&unasked).contains("--yes")), (2, true), "{}", said(&unasked));
    assert!(many.service.requests().is_empty());
}
