//! A tool's schema, as a tree that can be read and as JSON.

use leptos::prelude::*;
use serde_json::{Map, Value};
use sidecar_link::LinkResponse;
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::place::ToolName;
use crate::state::use_workbench;
use crate::whole_tool::WholeTool;
use crate::word;

/// How many levels are shown, and how many parts in all.
const LEVELS: usize = 12;
const MOST_PARTS: usize = 500;

/// The schema.
#[component]
pub fn SchemaView(tool: WholeTool) -> impl IntoView {
    let words = use_words();
    let bench = use_workbench();
    let WholeTool { summary, details } = tool;
    let schema: Option<Value> = serde_json::from_str(&details.input_schema).ok();
    let text = pretty(&details.input_schema);
    let copied = Signal::stored(text.clone());
    let is_empty = text.is_empty();
    let problem = RwSignal::new(String::new());
    let name = ToolName::from(&summary);
    let is_known = Memo::new(move |_| bench.tool(&name).is_some());
    Effect::new(move |_| {
        bench.connection.count.with(|_| ());
        // A worker that has just begun knows of no tools yet.
        if !is_known.get() {
            return;
        }
        let question = PageCommand::CheckSchema { tool: summary.tool.clone() };
        bench.connection.ask(question, move |response| {
            if let LinkResponse::Answer(PageAnswer::SchemaProblem { problem: Some(told) }) = response {
                let _ = problem.try_set(told);
            }
        });
    });
    let mut left = MOST_PARTS;
    let tree = schema.as_ref().map(|schema| parts(schema, 0, &mut left));
    let is_cut = left == 0;
    view! {
        <div role="status">
            <Show when=move || problem.with(|problem| !problem.is_empty())>
                <p class="notice" data-testid="schema-problem">{move || problem.get()}</p>
            </Show>
        </div>
        <Show when=move || is_empty>
            <p class="meta">{words.text(word::SCHEMA_NONE)}</p>
        </Show>
        <div class="schema-tree" data-testid="schema-tree">{tree}</div>
        <Show when=move || is_cut>
            <p class="meta">{words.text(word::SCHEMA_CUT)}</p>
        </Show>
        <div class="details-head">
            <h3>{words.text(word::SCHEMA_JSON)}</h3>
            <CopyButton label=word::SCHEMA_COPY testid="schema-copy" text=copied />
        </div>
        <pre tabindex="0" data-testid="schema-json">{text}</pre>
    }
}

/// The parts of a schema that lie in it: properties, items, branches, definitions.
fn parts(schema: &Value, level: usize, left: &mut usize) -> AnyView {
    let Value::Object(schema) = schema else { return ().into_any() };
    let required: Vec<&str> = match schema.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut rows = Vec::new();
    let mut add = |name: String, part: &Value, is_required: bool| {
        if *left > 0 && level < LEVELS {
            *left -= 1;
            rows.push(row(&name, part, is_required, level, left));
        }
    };
    for (keyword, prefix) in [
        ("properties", ""),
        ("patternProperties", "~ "),
        ("$defs", "$defs/"),
        ("definitions", "definitions/"),
    ] {
        if let Some(Value::Object(named)) = schema.get(keyword) {
            for (name, part) in named {
                add(
                    format!("{prefix}{name}"),
                    part,
                    keyword == "properties" && required.contains(&name.as_str()),
                );
            }
        }
    }
    for keyword in ["items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"]
    {
        if let Some(part @ Value::Object(_)) = schema.get(keyword) {
            add(keyword.to_owned(), part, false);
        }
    }
    for keyword in ["prefixItems", "allOf", "anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = schema.get(keyword) {
            for (at, part) in branches.iter().enumerate() {
                add(format!("{keyword} {}", at + 1), part, false);
            }
        }
    }
    match rows.is_empty() {
        true => ().into_any(),
        false => view! { <ul>{rows}</ul> }.into_any(),
    }
}

fn row(name: &str, part: &Value, is_required: bool, level: usize, left: &mut usize) -> AnyView {
    let words = use_words();
    let (kind, facts, description) = match part {
        Value::Object(part) => (kind(part), facts(part), text(part, "description")),
        other => (other.to_string(), String::new(), String::new()),
    };
    let name = name.to_owned();
    view! {
        <li>
            <code>{name}</code> " " <span class="meta">{kind}</span>
            {is_required.then(|| view! { <span class="mark">{words.text(word::FORM_REQUIRED)}</span> }.into_any())}
            <span class="meta">{facts}</span>
            <p class="field-description">{description}</p>
            {parts(part, level + 1, left)}
        </li>
    }
    .into_any()
}

fn text(part: &Map<String, Value>, keyword: &str) -> String {
    part.get(keyword).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn kind(part: &Map<String, Value>) -> String {
    match (part.get("type"), part.get("$ref")) {
        (_, Some(Value::String(to))) => format!("→ {to}"),
        (Some(Value::String(kind)), _) => kind.clone(),
        (Some(Value::Array(kinds)), _) => {
            kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | ")
        }
        _ => String::new(),
    }
}

/// Keywords that limit a value, as they stand in the schema.
fn facts(part: &Map<String, Value>) -> String {
    const SHOWN: [&str; 17] = [
        "enum",
        "const",
        "default",
        "format",
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "readOnly",
        "deprecated",
    ];
    let facts = SHOWN.iter().filter_map(|keyword| {
        let value = part.get(*keyword)?.to_string();
        let shown: String = value.chars().take(120).collect();
        let cut = if shown.len() < value.len() { "…" } else { "" };
        Some(format!("{keyword}: {shown}{cut}"))
    });
    facts.collect::<Vec<_>>().join(" · ")
}
