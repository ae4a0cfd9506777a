//! A recording of the browser's developer tools (their Recorder, `@puppeteer/replay`) as a package with one tool.
//!
//! What the user typed becomes a parameter. Steps that run code are left out and named, and so are those that the format
//! has no step for. A recording says little of what has to be found, so what is made of it is a draft.

use serde_json::{Map, Value, json};
use sidecar_locales::Word;

use super::draft::{Draft, identifier, one_line, slug, unlike};
use crate::problem::{PackageProblem, Reason, ReasonCode};
use crate::word;

mod address;
mod selectors;

use address::RecordedAddress;
use selectors::RecordedTarget;

/// Maximum number of steps that are read; a tool may have 60.
const MOST_READ: usize = 500;
const MOST_STEPS: usize = 60;
/// Maximum number of parameters of a tool.
const MOST_INPUTS: usize = 20;
/// Maximum number of locators of a SKILL.
const MOST_LOCATORS: usize = 100;
/// Maximum characters of a text that was typed.
const MOST_TYPED: usize = 1_000;
/// Maximum characters of a title.
const MOST_TITLE: usize = 200;
/// Keys that the format has, by their names in recordings.
const KEYS: [&str; 11] = [
    "Enter",
    "Escape",
    "Tab",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "Home",
    "End",
    "PageUp",
    "PageDown",
];
/// Words in the name of a field whose content is no parameter: it may be a secret.
const SECRETS: [&str; 9] = ["password", "passwd", "pwd", "passcode", "otp", "cvc", "cvv", "card", "密码"];

/// Makes a draft of a recording.
///
/// # Errors
/// It names no page, or nothing of it is left.
pub(super) fn draft(recording: &Value) -> Result<Draft, PackageProblem> {
    let title = recording["title"].as_str().unwrap_or_default();
    let title: String = one_line(title).chars().take(MOST_TITLE).collect();
    let steps = recording["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let first = steps.iter().filter(|step| step["type"] == "navigate");
    let first = first.filter_map(|step| RecordedAddress::read(step["url"].as_str()?)).next();
    let Some(first) = first else {
        let (why, way_out) = (word::RECORDING_NOWHERE, word::RECORDING_NOWHERE_WAY);
        return Err(PackageProblem::error("", Reason::new(ReasonCode::NotASkill, why, way_out, &[])));
    };
    let mut reader = RecordingReader::new(&first);
    for (number, step) in steps.iter().take(MOST_READ).enumerate() {
        reader.step(number, step);
        if reader.is_elsewhere {
            break;
        }
    }
    if reader.steps.iter().all(|step| step["do"] == "navigate") {
        let (why, way_out) = (word::RECORDING_EMPTY, word::RECORDING_EMPTY_WAY);
        return Err(PackageProblem::error("", Reason::new(ReasonCode::NotASkill, why, way_out, &[])));
    }
    Ok(reader.draft(&title))
}

struct RecordingReader {
    origin: String,
    /// Where the tab is, as far as the recording says.
    url: String,
    steps: Vec<Value>,
    inputs: Map<String, Value>,
    locators: Map<String, Value>,
    told: Vec<PackageProblem>,
    /// Names of steps that need no counterpart.
    needless: Vec<String>,
    /// Whether the recording went on at another site.
    is_elsewhere: bool,
}

impl RecordingReader {
    fn new(first: &RecordedAddress) -> Self {
        Self {
            origin: first.origin.clone(),
            url: String::new(),
            steps: Vec::new(),
            inputs: Map::new(),
            locators: Map::new(),
            told: Vec::new(),
            needless: Vec::new(),
            is_elsewhere: false,
        }
    }

    fn tell(&mut self, number: usize, why: Word, way_out: Word, values: &[(&'static str, &str)]) {
        let reason = Reason::new(ReasonCode::Ignored, why, way_out, values);
        let problem = PackageProblem::warning("", reason);
        self.told.push(PackageProblem { place: format!("steps[{number}]"), ..problem });
    }

    /// Tells that a step is left out. `what` is what it would have done.
    fn leave_out(&mut self, number: usize, why: Word, what: &str) {
        self.tell(number, why, word::STEP_LEFT_OUT_WAY, &[("step", what)]);
    }

    fn step(&mut self, number: usize, step: &Value) {
        let kind = step["type"].as_str().unwrap_or_default();
        match kind {
            "setViewport" | "emulateNetworkConditions" | "close" => {
                if !self.needless.iter().any(|known| known == kind) {
                    self.needless.push(kind.to_owned());
                }
                return;
            }
            // Its press is what counts.
            "keyUp" => return,
            "customStep" | "waitForExpression" => return self.leave_out(number, word::STEP_CODE, kind),
            "navigate" => return self.navigate(number, step),
            _ => {}
        }
        if step["frame"].as_array().is_some_and(|path| !path.is_empty()) {
            return self.leave_out(number, word::STEP_FRAME, kind);
        }
        if step["target"].as_str().is_some_and(|target| target != "main") {
            return self.leave_out(number, word::STEP_OTHER_TAB, kind);
        }
        if self.steps.len() >= MOST_STEPS {
            return self.leave_out(number, word::STEP_TOO_MANY, kind);
        }
        match kind {
            "keyDown" => self.key(number, step),
            "click" | "doubleClick" | "change" | "hover" | "scroll" | "waitForElement" => {
                self.on_element(number, kind, step);
            }
            _ => self.leave_out(number, word::STEP_UNKNOWN, kind),
        }
        self.asserted(number, step);
    }

    fn navigate(&mut self, number: usize, step: &Value) {
        let url = step["url"].as_str().unwrap_or_default();
        let Some(address) = RecordedAddress::read(url) else {
            return self.leave_out(number, word::STEP_NO_PAGE, "navigate");
        };
        if address.origin != self.origin {
            self.is_elsewhere = true;
            return self.tell(
                number,
                word::STEP_ELSEWHERE,
                word::STEP_ELSEWHERE_WAY,
                &[("site", &address.origin)],
            );
        }
        url.clone_into(&mut self.url);
        if self.steps.len() >= MOST_STEPS {
            return self.leave_out(number, word::STEP_TOO_MANY, "navigate");
        }
        if address.lost_parameters {
            self.tell(number, word::STEP_PARAMETERS, word::STEP_PARAMETERS_WAY, &[]);
        }
        let mut made = json!({"do": "navigate", "path": address.path});
        if !address.query.is_empty() {
            made["query"] = Value::Object(address.query);
        }
        self.steps.push(made);
    }

    fn key(&mut self, number: usize, step: &Value) {
        let key = step["key"].as_str().unwrap_or_default();
        let key = if key == " " { "Space" } else { key };
        if key != "Space" && !KEYS.contains(&key) {
            return self.leave_out(number, word::STEP_KEY, key);
        }
        self.steps.push(json!({"do": "press", "key": key}));
    }

    /// A step led to another page: what follows happens there.
    fn asserted(&mut self, number: usize, step: &Value) {
        let Some(url) = navigation(step) else { return };
        match RecordedAddress::read(url) {
            Some(address) if address.origin != self.origin => {
                self.is_elsewhere = true;
                self.tell(
                    number,
                    word::STEP_ELSEWHERE,
                    word::STEP_ELSEWHERE_WAY,
                    &[("site", &address.origin)],
                );
            }
            _ => url.clone_into(&mut self.url),
        }
        // A click says by itself what has to come of it.
        if step["type"] == "keyDown" && self.steps.len() < MOST_STEPS {
            self.steps.push(json!({"do": "wait", "for": "stable"}));
        }
    }

    fn on_element(&mut self, number: usize, kind: &str, step: &Value) {
        if step["selectors"].as_array().is_none_or(Vec::is_empty) {
            return self.leave_out(number, word::STEP_NO_ELEMENT, kind);
        }
        if step["button"].as_str().is_some_and(|button| button != "primary") {
            return self.leave_out(number, word::STEP_BUTTON, kind);
        }
        let acts = !matches!(kind, "scroll" | "waitForElement");
        let target = RecordedTarget::read(&step["selectors"], kind == "change");
        if target.dropped_paths {
            self.tell(number, word::STEP_PATHS, word::STEP_PATHS_WAY, &[]);
        }
        let alternatives = target.alternatives(acts);
        if alternatives.is_empty() {
            return self.leave_out(number, word::STEP_NOT_FOUND, kind);
        }
        if kind == "change" && is_secret(&step["selectors"]) {
            return self.leave_out(number, word::STEP_SECRET, kind);
        }
        let Some(at) = self.locator(&target, alternatives) else {
            return self.leave_out(number, word::STEP_TOO_MANY, kind);
        };
        match kind {
            "click" | "doubleClick" => {
                let leads = navigation(step).is_some_and(|url| !url.is_empty() && url != self.url);
                let then = if leads { "navigation" } else { "none" };
                let mut made = json!({"do": "click", "at": at, "then": then});
                if kind == "doubleClick" {
                    made["count"] = json!(2);
                }
                self.steps.push(made);
            }
            "change" => self.change(number, step, &target, &at),
            "hover" => self.steps.push(json!({"do": "hover", "at": at})),
            "scroll" => self.steps.push(json!({"do": "scroll", "at": at})),
            _ => self.wait(number, step, &at),
        }
    }

    /// What was typed becomes a parameter.
    fn change(&mut self, number: usize, step: &Value, target: &RecordedTarget, at: &str) {
        let typed = one_line(step["value"].as_str().unwrap_or_default());
        let typed: String = typed.chars().take(MOST_TYPED).collect();
        let value = if self.inputs.len() < MOST_INPUTS {
            let known: Vec<String> = self.inputs.keys().cloned().collect();
            let name = unlike(target.name.clone().unwrap_or_else(|| "value".to_owned()), &known);
            let description = format!("In the recording: {typed}");
            self.inputs.insert(name.clone(), json!({"type": "string", "description": description}));
            format!("{{{{{name}}}}}")
        } else if typed.contains("{{") {
            return self.leave_out(number, word::STEP_TOO_MANY, "change");
        } else {
            typed
        };
        self.steps.push(match target.is_choice {
            true => json!({"do": "choose", "at": at, "option": value}),
            false => json!({"do": "fill", "at": at, "value": value}),
        });
    }

    fn wait(&mut self, number: usize, step: &Value, at: &str) {
        let is_more = |key: &str| step[key].as_object().is_some_and(|map| !map.is_empty());
        if is_more("attributes") || is_more("properties") {
            self.tell(number, word::STEP_ATTRIBUTES, word::STEP_ATTRIBUTES_WAY, &[]);
        }
        let count = step["count"].as_u64().map(|count| count.min(100_000));
        // The documentation says that `==` is the default; what runs recordings takes `>=`.
        let operator = step["operator"].as_str().unwrap_or(">=");
        let condition = match (count, operator) {
            (_, _) if step["visible"] == false => json!({"at": at, "is": "absent"}),
            (Some(0), "==" | "<=") => json!({"at": at, "is": "absent"}),
            (Some(count), "==") => json!({"at": at, "count": {"min": count, "max": count}}),
            (Some(count), "<=") => json!({"at": at, "count": {"min": 0, "max": count}}),
            (Some(count @ 2..), _) => json!({"at": at, "count": {"min": count}}),
            _ if step["visible"] == true => json!({"at": at, "is": "visible"}),
            _ => json!({"at": at, "is": "present"}),
        };
        let mut made = json!({"do": "wait", "for": condition});
        if let Some(limit) = step["timeout"].as_u64() {
            made["timeout"] = json!(limit.div_ceil(1_000).clamp(1, 30));
        }
        self.steps.push(made);
    }

    /// The name of a locator with these alternatives.
    fn locator(&mut self, target: &RecordedTarget, alternatives: Vec<Value>) -> Option<String> {
        let made = json!({"any": alternatives});
        if let Some((name, _)) = self.locators.iter().find(|(_, known)| **known == made) {
            return Some(name.clone());
        }
        if self.locators.len() >= MOST_LOCATORS {
            return None;
        }
        let known: Vec<String> = self.locators.keys().cloned().collect();
        let name = unlike(target.name.clone().unwrap_or_else(|| "element".to_owned()), &known);
        self.locators.insert(name.clone(), made);
        Some(name)
    }

    fn draft(mut self, title: &str) -> Draft {
        if !self.needless.is_empty() {
            let steps = self.needless.join(", ");
            let reason = Reason::new(
                ReasonCode::Ignored,
                word::STEP_NEEDLESS,
                word::FILE_IGNORED_WAY,
                &[("steps", &steps)],
            );
            self.told.push(PackageProblem::repair("", reason));
        }
        // Those of steps that were left out after all.
        let used: Vec<String> =
            self.steps.iter().map(|step| step.get("for").unwrap_or(step)["at"].to_string()).collect();
        self.locators.retain(|name, _| used.contains(&Value::from(name.as_str()).to_string()));
        let site = self.origin.split_once("://").map_or("", |(_, site)| site).to_owned();
        let title = if title.is_empty() { site.clone() } else { title.to_owned() };
        let name = identifier(&title).unwrap_or_else(|| "recording".to_owned());
        let acts = self
            .steps
            .iter()
            .any(|step| matches!(step["do"].as_str(), Some("click" | "fill" | "choose" | "hover" | "press")));
        let summary = format!("Does on {site} what was recorded as “{title}”.");
        let required: Vec<&String> = self.inputs.keys().collect();
        let sites = json!([format!("{}/*", self.origin)]);
        let tools = json!({
            "format": 1, "id": slug(&title), "version": "0.1.0", "title": title, "summary": summary,
            "match": sites, "verifiedOn": "",
            "permissions": {
                "sites": sites,
                "acts": if acts { vec![&name] } else { Vec::new() },
                "navigate": self.steps.iter().any(|step| step["do"] == "navigate"),
            },
            "locators": self.locators,
            "tools": [{
                "name": name, "title": title, "description": summary, "class": "acting",
                "inputSchema": {
                    "type": "object", "properties": self.inputs, "required": required, "additionalProperties": false,
                },
                "steps": self.steps,
            }],
        });
        let instructions = format!(
            "`{name}` does what was recorded, step by step. It was made of a recording, and tells nothing of what the page shows at its end."
        );
        Draft { instructions, tools, code: Vec::new(), told: self.told }
    }
}

/// The address to which a step led, if the recording says that it led to one.
fn navigation(step: &Value) -> Option<&str> {
    let events = step["assertedEvents"].as_array()?;
    let event = events.iter().find(|event| event["type"] == "navigation")?;
    Some(event["url"].as_str().unwrap_or_default())
}

fn is_secret(selectors: &Value) -> bool {
    let text = selectors.to_string().to_lowercase();
    SECRETS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests;
