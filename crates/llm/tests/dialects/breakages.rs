//! Requests that a service must refuse because something it requires is missing or changed.

use serde_json::{Value, json};
use sidecar_llm::{Effort, ErrorClass, WireProtocol, build, refusal};

use crate::conversation::TestConversation;
use crate::server::{endpoints, send, start};

/// Changes every object in a body; objects that become `null` are removed from their arrays.
fn change(value: &mut Value, by: &dyn Fn(&mut Value)) {
    match value {
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| change(element, by));
            elements.retain(|element| !element.is_null());
        }
        Value::Object(members) => members.iter_mut().for_each(|(_, member)| change(member, by)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    if value.is_object() {
        by(value);
    }
}

fn is(value: &Value, kind: &str) -> bool {
    value["type"] == kind
}

/// A way to break a request so that a service must refuse it, with its name.
type Breakage = (&'static str, fn(&mut Value));

const OF_CHAT: [Breakage; 3] = [
    ("a call without its result", |body| {
        change(body, &|value| {
            if value["role"] == "tool" {
                *value = Value::Null;
            }
        });
    }),
    ("two tools of one name", |body| {
        let tool = body["tools"][0].clone();
        body["tools"].as_array_mut().unwrap().push(tool);
    }),
    ("a schema of no object", |body| body["tools"][0]["function"]["parameters"] = json!({"type": "array"})),
];

const OF_RESPONSES: [Breakage; 5] = [
    ("a call without its reasoning", |body| {
        change(body, &|value| {
            if is(value, "reasoning") {
                *value = Value::Null;
            }
        });
    }),
    ("reasoning that was changed", |body| {
        change(body, &|value| {
            if is(value, "reasoning") {
                value["encrypted_content"] = json!("b3RoZXI");
            }
        });
    }),
    ("a call without its result", |body| {
        change(body, &|value| {
            if is(value, "function_call_output") {
                *value = Value::Null;
            }
        });
    }),
    ("two tools of one name", |body| {
        let tool = body["tools"][0].clone();
        body["tools"].as_array_mut().unwrap().push(tool);
    }),
    ("a strict schema that is not closed", |body| {
        body["tools"][0]["strict"] = json!(true);
    }),
];

const OF_MESSAGES: [Breakage; 6] = [
    ("a call without its thoughts", |body| {
        change(body, &|value| {
            if is(value, "thinking") {
                *value = Value::Null;
            }
        });
    }),
    ("thoughts that were changed", |body| {
        change(body, &|value| {
            if is(value, "thinking") {
                value["thinking"] = json!("Something else.");
            }
        });
    }),
    ("a call without its result", |body| {
        change(body, &|value| {
            if is(value, "tool_result") {
                *value = Value::Null;
            }
        });
    }),
    ("two tools of one name", |body| {
        let tool = body["tools"][0].clone();
        body["tools"].as_array_mut().unwrap().push(tool);
    }),
    ("a forced call while it thinks", |body| body["tool_choice"] = json!({"type": "any"})),
    ("a schema with alternatives at its top", |body| body["tools"][0]["input_schema"]["anyOf"] = json!([])),
];

const OF_GEMINI: [Breakage; 5] = [
    ("a call without its signature", |body| {
        change(body, &|value| {
            value.as_object_mut().unwrap().remove("thoughtSignature");
        });
    }),
    ("a call that was changed", |body| {
        change(body, &|value| {
            if value.get("functionCall").is_some() {
                value["functionCall"]["args"] = json!({"to": "Faro"});
            }
        });
    }),
    ("a call without its result", |body| {
        change(body, &|value| {
            if value.get("functionResponse").is_some() {
                *value = Value::Null;
            }
        });
    }),
    ("two tools of one name", |body| {
        let tool = body["tools"][0]["functionDeclarations"][0].clone();
        body["tools"][0]["functionDeclarations"].as_array_mut().unwrap().push(tool);
    }),
    ("a schema in the wrong field", |body| {
        let tool = body["tools"][0]["functionDeclarations"][0].as_object_mut().unwrap();
        let schema = tool.remove("parametersJsonSchema").unwrap();
        tool.insert("parameters".to_owned(), schema);
    }),
];

const OF_OLLAMA: [Breakage; 1] = [("arguments as text", |body| {
    change(body, &|value| {
        if value.get("arguments").is_some() {
            value["arguments"] = json!("{}");
        }
    });
})];

/// Further breakages, for providers that require more of Chat Completions.
fn own_breakages(provider: &str) -> Vec<Breakage> {
    let without_content: Breakage = ("an answer without its thoughts", |body| {
        change(body, &|value| {
            value.as_object_mut().unwrap().remove("reasoning_content");
        });
    });
    let without_details: Breakage = ("a call without its details", |body| {
        change(body, &|value| {
            value.as_object_mut().unwrap().remove("reasoning_details");
        });
    });
    let changed_details: Breakage = ("details that were changed", |body| {
        change(body, &|value| {
            if is(value, "reasoning.text") {
                value["text"] = json!("Something else.");
            }
        });
    });
    let forced: Breakage = ("a forced call", |body| body["tool_choice"] = json!("required"));
    let broken: Breakage = ("arguments that are no JSON", |body| {
        change(body, &|value| {
            if value.get("arguments").is_some() {
                value["arguments"] = json!("{");
            }
        });
    });
    match provider {
        "deepseek" | "kimi" => vec![without_content, forced],
        "minimax" | "openrouter" => vec![without_details, changed_details],
        "qwen" | "glm" => vec![forced],
        "llama-server" | "vllm" => vec![broken],
        _ => Vec::new(),
    }
}

#[test]
fn what_a_service_wants_is_refused_where_it_is_missing() {
    let server = start();
    for (endpoint, _) in endpoints(&server) {
        let mut conversation = TestConversation::new("it", Some(Effort::High));
        conversation.turn(&endpoint, "Find me a flight");
        // After the results of the first calls.
        conversation.request.messages.truncate(5);
        let built = build(&endpoint, &conversation.request).unwrap();
        let breakages: &[Breakage] = match endpoint.source().unwrap().protocol {
            WireProtocol::ChatCompletions => &OF_CHAT,
            WireProtocol::Responses => &OF_RESPONSES,
            WireProtocol::Messages => &OF_MESSAGES,
            WireProtocol::GenerateContent => &OF_GEMINI,
            WireProtocol::OllamaChat => &OF_OLLAMA,
        };
        assert_eq!(send(&built, &built.body).0, 200);
        for (name, break_it) in breakages.iter().chain(&own_breakages(&endpoint.provider)) {
            let mut body: Value = serde_json::from_str(&built.body).unwrap();
            break_it(&mut body);
            assert_ne!(
                body.to_string(),
                serde_json::from_str::<Value>(&built.body).unwrap().to_string(),
                "{name}"
            );
            let (status, reply) = send(&built, &body.to_string());
            let reply = String::from_utf8_lossy(&reply);
            let place = format!("{}, {name}: {status} {reply}", endpoint.provider);
            // MiniMax refuses with status 200.
            assert!((400..500).contains(&status) || reply.contains("base_resp"), "{place}");
            let refused = refusal(&endpoint, status, &|_| None, &reply);
            assert_eq!(refused.class, ErrorClass::Protocol, "{place}");
            assert!(!refused.message.is_empty(), "{place}");
        }
    }
}
