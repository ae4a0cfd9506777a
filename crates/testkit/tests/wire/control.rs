//! The control routes, and the program.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use sidecar_testkit::ScriptedModel;

use crate::client::{AGENT, ask, read, request, start_saying};

fn get(server: &ScriptedModel, route: &str) -> (u16, Value) {
    let mut response = AGENT.get(format!("{}/__scripted/{route}", server.url())).call().unwrap();
    (response.status().as_u16(), response.body_mut().read_json().unwrap())
}

fn send(server: &ScriptedModel, method: &str, route: &str, body: &Value) -> (u16, Value) {
    let address = format!("{}/__scripted/{route}", server.url());
    let mut response = match method {
        "PUT" => AGENT.put(address).send_json(body),
        _ => AGENT.post(address).send_json(body),
    }
    .unwrap();
    let text = response.body_mut().read_to_string().unwrap();
    (response.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::Null))
}

#[test]
fn requests_are_kept_as_they_came() {
    let server = start_saying("Hi.", "");
    let body = request("it", "hello");
    ask(&server, &body);
    let (_, entry) = get(&server, "wait?request=1&until=finished");
    assert_eq!(get(&server, "requests"), (200, json!({"requests": [entry]})));
    assert_eq!(entry["body"], body);
    assert_eq!(entry["path"], "/chat/completions");
    assert_eq!(entry["headers"]["content-type"], "application/json; charset=utf-8");
    assert_eq!(entry["headers"].get("authorization"), None);
    assert_eq!(entry["key"], "right");
    assert_eq!(
        (&entry["status"], &entry["phase"], &entry["events"]),
        (&json!(200), &json!("finished"), &json!(9))
    );
    assert!(entry["endedAt"].as_u64().unwrap() >= entry["receivedAt"].as_u64().unwrap());
}

#[test]
fn waiting() {
    let server = start_saying("Hi.", "");
    let (status, body) = get(&server, "wait?request=1&until=seen&timeoutMs=20");
    assert_eq!(status, 408);
    assert_eq!(body, json!({"error": "request 1 was not Seen in time; it is not here"}));

    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| get(&server, "wait?request=1&until=finished"));
        ask(&server, &request("it", "hello"));
        let (status, entry) = waiting.join().unwrap();
        assert_eq!((status, &entry["phase"]), (200, &json!("finished")));
    });

    let (status, body) = get(&server, "wait?request=1&until=aborted");
    assert_eq!(status, 409);
    assert_eq!(body, json!({"error": "request 1 will never be Aborted: it ended Finished"}));
    assert_eq!(get(&server, "wait?request=1&until=whenever").0, 400);
}

#[test]
fn faults_holds_and_the_key() {
    let server = start_saying("Hi there.", "");
    let fault = json!({"model": "it", "times": 1, "delivery": {"hold_after_event": 6}});
    assert_eq!(send(&server, "POST", "faults", &fault), (204, Value::Null));
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| ask(&server, &request("it", "hello")));
        assert_eq!(get(&server, "wait?request=1&until=held").0, 200);
        let (status, body) = send(&server, "POST", "release", &json!({"request": 7}));
        assert_eq!((status, body), (409, json!({"error": "request 7 is not held"})));
        assert_eq!(send(&server, "POST", "release", &json!({"request": 1})), (200, json!({"released": [1]})));
        assert_eq!(reply.join().unwrap().text(), "Hi there.");
    });

    send(&server, "POST", "faults", &json!({"refuse": {"status": 503}}));
    let cleared = AGENT.delete(format!("{}/__scripted/faults", server.url())).call().unwrap();
    assert_eq!(cleared.status(), 204);
    assert_eq!(ask(&server, &request("it", "hello")).status, 200);

    assert_eq!(send(&server, "PUT", "key", &json!({"key": "sk-new"})), (204, Value::Null));
    assert_eq!(ask(&server, &request("it", "hello")).status, 401);
    assert_eq!(send(&server, "POST", "reset", &json!({})).0, 204);
    assert_eq!(ask(&server, &request("it", "hello")).status, 200);
    assert_eq!(server.requests().len(), 1, "reset begins to count anew");

    let (status, body) = send(&server, "POST", "faults", &json!({"refuse": {"status": 503}, "typo": 1}));
    assert_eq!(status, 400);
    assert!(body["error"].as_str().unwrap().contains("typo"), "{body}");
}

#[test]
fn program_tells_its_address_and_ends_with_its_caller() {
    let scenarios = format!("{}/../../tests/scenarios", std::env::var("CARGO_MANIFEST_DIR").unwrap());
    let mut program = Command::new(env!("CARGO_BIN_EXE_scripted-model"))
        .args(["--scenarios", &scenarios, "--key", "sk-mine"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    let url = ready["url"].as_str().unwrap();
    assert!(url.starts_with("http://127.0.0.1:"));
    let reply = read(
        AGENT
            .post(format!("{url}/chat/completions"))
            .header("authorization", "Bearer sk-mine")
            .send_json(request("echo", "hello"))
            .unwrap(),
    );
    assert_eq!(reply.text(), "hello");

    drop(program.stdin.take());
    assert!(program.wait().unwrap().success());
    let mut said = String::new();
    program.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(
        said.starts_with(&format!("scripted model at {url} (scripted answers, no real model behind it): ")),
        "{said}"
    );
}

#[test]
fn program_says_why_it_does_not_start() {
    let output = Command::new(env!("CARGO_BIN_EXE_scripted-model"))
        .args(["--scenarios", "no/such/folder"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cannot read scenarios at no/such/folder"), "{said}");
}
