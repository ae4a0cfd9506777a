//! What a SKILL may do, found by looking at what its tools do.

use std::collections::{BTreeMap, BTreeSet};

use crate::definition::step::{SkillStep, StepKind};
use crate::definition::{CodeWorld, FetchRight, Permissions, SkillDefinition, SkillTool, ToolClass};

/// What a SKILL needs for all that its tools do: never less. Its sites are those of its match patterns.
#[must_use]
pub fn needed(definition: &SkillDefinition) -> Permissions {
    let mut needed = Permissions { sites: definition.matches.clone(), ..Permissions::default() };
    if definition.on_activate.is_some() || definition.on_deactivate.is_some() {
        needed.code = CodeWorld::Isolated;
    }
    let mut fetch: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for tool in &definition.tools {
        if found_class(definition, tool) >= ToolClass::Acting {
            needed.acts.push(tool.name.clone());
        }
        if let Some(code) = &tool.code {
            needed.code = needed.code.max(code.world);
        }
        for_each_step(&tool.steps, &mut |step| match &step.does {
            StepKind::Navigate { own_tab: true, .. } => needed.own_tab = true,
            StepKind::Navigate { .. } | StepKind::Pages { .. } => needed.navigate = true,
            StepKind::HandOver { .. } => needed.hand_over = true,
            StepKind::Fetch { endpoint, .. } => {
                if let Some(endpoint) = definition.endpoints.get(endpoint)
                    && let Some(origin) = &endpoint.origin
                {
                    fetch.entry(origin).or_default().insert(&endpoint.method);
                }
            }
            _ => {}
        });
    }
    let rights = fetch.into_iter().map(|(origin, methods)| FetchRight {
        origin: origin.to_owned(),
        methods: methods.into_iter().map(str::to_owned).collect(),
    });
    needed.fetch = rights.collect();
    needed
}

/// What a tool does at most, by its steps. What it says of itself may be more, and holds then; see [`class`].
#[must_use]
pub fn found_class(definition: &SkillDefinition, tool: &SkillTool) -> ToolClass {
    // Code can do whatever the page can.
    let mut class = if tool.code.is_some() { ToolClass::Acting } else { ToolClass::Read };
    let reads = |name: &str| definition.endpoints.get(name).is_some_and(|endpoint| endpoint.method == "GET");
    for_each_step(&tool.steps, &mut |step| class = class.max(step.does.class(reads)));
    class
}

/// The class by which a tool is asked for: what its steps do, or more if it says so.
#[must_use]
pub fn class(definition: &SkillDefinition, tool: &SkillTool) -> ToolClass {
    found_class(definition, tool).max(tool.class)
}

/// Calls for each step, also for those in branches and on further pages.
pub fn for_each_step<'s>(steps: &'s [SkillStep], call: &mut impl FnMut(&'s SkillStep)) {
    for step in steps {
        call(step);
        for inner in step.does.inner() {
            for_each_step(inner, call);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn definition(tools: Value, endpoints: Value) -> SkillDefinition {
        serde_json::from_value(json!({
            "format": 1, "id": "a", "version": "1.0.0", "title": "A", "summary": "a",
            "match": ["https://a.example/*"], "permissions": {"sites": ["https://a.example/*"]},
            "endpoints": endpoints, "tools": tools,
        }))
        .unwrap()
    }

    fn tool(name: &str, steps: Value) -> Value {
        json!({"name": name, "description": "d", "class": "read", "inputSchema": {"type": "object"}, "steps": steps})
    }

    #[test]
    fn rights_are_those_of_all_steps_also_of_inner_ones() {
        let endpoints = json!({
            "own": {"path": "/a"}, "write": {"path": "/a", "method": "POST"},
            "other": {"path": "/a", "origin": "https://b.example"},
            "send": {"path": "/b", "origin": "https://b.example", "method": "POST"},
        });
        let fetch = |endpoint: &str| json!({"do": "fetch", "endpoint": endpoint, "read": "json"});
        let click = json!({"do": "click", "at": "x", "then": "none"});
        let inner = json!([{"do": "either", "branches": [{"steps": [
            {"do": "pages", "next": "x", "collect": "rows", "steps": [click]},
        ]}]}]);
        let mut code = tool("code", json!([]));
        code["code"] = json!({"file": "webmcp/a.js", "world": "main"});
        let tools = json!([
            tool("reads", json!([fetch("own"), fetch("other"), {"do": "navigate", "path": "/b"}])),
            tool("writes", json!([fetch("write"), fetch("send")])),
            tool("clicks", inner),
            tool(
                "asks",
                json!([{"do": "handOver", "say": "s", "until": {"url": "https://a.example/*"}},
                {"do": "navigate", "path": "/b", "ownTab": true}])
            ),
            code,
        ]);
        let needed = needed(&definition(tools, endpoints));
        assert_eq!(needed.acts, ["writes", "clicks", "code"]);
        let right = FetchRight {
            origin: "https://b.example".to_owned(),
            methods: vec!["GET".to_owned(), "POST".to_owned()],
        };
        assert_eq!(needed.fetch, [right]);
        assert_eq!((needed.navigate, needed.own_tab, needed.hand_over), (true, true, true));
        assert_eq!((needed.code, needed.sites.len()), (CodeWorld::Main, 1));
    }

    #[test]
    fn class_is_what_the_steps_do_or_more_if_the_tool_says_so() {
        let click = json!([{"do": "click", "at": "x", "then": "none"}]);
        let mut says_more = tool("a", click.clone());
        says_more["class"] = json!("sensitive");
        let unknown = tool("c", json!([{"do": "fetch", "endpoint": "gone", "read": "json"}]));
        let definition = definition(json!([says_more, tool("b", click), unknown]), json!({}));
        let classes: Vec<_> = definition.tools.iter().map(|tool| class(&definition, tool)).collect();
        assert_eq!(classes, [ToolClass::Sensitive, ToolClass::Acting, ToolClass::Acting]);
    }
}
