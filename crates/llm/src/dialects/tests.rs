use super::*;
use crate::providers::base_url::check_base_url;

fn dialect(provider: &str, address: &str) -> &'static Dialect {
    of(provider, &check_base_url(address).unwrap())
}

#[test]
fn dialect_is_chosen_by_path_then_host_then_provider() {
    let name = |provider: &str, address: &str| dialect(provider, address).name;
    assert_eq!(name("deepseek", "https://api.deepseek.com"), "deepseek");
    assert_eq!(name("deepseek", "http://127.0.0.1:4010"), "deepseek");
    assert_eq!(name("custom", "https://API.DeepSeek.com/v1"), "deepseek");
    assert_eq!(name("deepseek", "https://api.groq.com/openai/v1"), "groq");
    assert_eq!(name("custom", "https://api.moonshot.cn/v1"), "kimi");
    assert_eq!(name("custom", "https://api.deepseek.com.example/v1"), "generic");
    assert_eq!(name("", "https://llm.example/v1"), "generic");
    assert_eq!(name("custom", "https://llm.example/anthropic"), "messages");
    assert_eq!(name("anthropic", "https://llm.example/v1"), "anthropic");
}

#[test]
fn one_host_may_speak_several() {
    let name = |provider: &str, address: &str| dialect(provider, address).name;
    assert_eq!(name("deepseek", "https://api.deepseek.com/anthropic"), "messages");
    assert_eq!(name("custom", "https://dashscope.aliyuncs.com/apps/anthropic"), "messages");
    assert_eq!(
        name("custom", "https://generativelanguage.googleapis.com/v1beta/openai"),
        "gemini-compatible"
    );
    assert_eq!(name("custom", "https://generativelanguage.googleapis.com/v1beta"), "gemini");
    assert_eq!(name("custom", "https://api.openai.com/v1"), "openai");
    assert_eq!(name("ollama", "http://localhost:11434"), "ollama");
    assert_eq!(name("ollama", "http://localhost:11434/v1"), "ollama-compatible");
}

#[test]
fn dialect_table_is_sound() {
    let is_object = |text: &str| matches!(serde_json::from_str(text), Ok(Value::Object(_)));
    for dialect in DIALECTS.iter().chain([&GENERIC]) {
        assert!(dialect.always.is_empty() || is_object(dialect.always), "{}", dialect.name);
        for thinking in dialect.thinking {
            assert!(thinking.off.is_empty() || is_object(thinking.off), "{thinking:?}");
            for level in thinking.levels {
                let on = thinking.on.replace('%', level);
                assert!(on.is_empty() || is_object(&on), "{on}");
            }
        }
        let twins = DIALECTS.iter().filter(|other| other.name == dialect.name).count();
        assert!(twins <= 1, "{}", dialect.name);
    }
}

#[test]
fn reasoning_effort_has_the_fields_of_each_model() {
    use Effort::{High, Low, Medium, Off};
    for (provider, model, effort, expected) in [
        ("deepseek", "deepseek-flash", Off, r#"{"thinking":{"type":"disabled"}}"#),
        (
            "deepseek",
            "deepseek-flash",
            Medium,
            r#"{"thinking":{"type":"enabled"},"reasoning_effort":"high"}"#,
        ),
        ("qwen", "qwen3.7-plus", Low, r#"{"enable_thinking":true,"thinking_budget":2048}"#),
        ("qwen", "qwen3.7-plus", Off, r#"{"enable_thinking":false}"#),
        ("glm", "glm-5.3-flash", Off, "{}"),
        ("glm", "glm-5.2", Low, r#"{"thinking":{"type":"enabled"},"reasoning_effort":"high"}"#),
        ("glm", "glm-4.7", High, r#"{"thinking":{"type":"enabled"}}"#),
        ("kimi", "kimi-k3.1-pro", High, r#"{"reasoning_effort":"max"}"#),
        ("kimi", "kimi-k2.7-code", Off, "{}"),
        ("kimi", "kimi-k2.6", Off, r#"{"thinking":{"type":"disabled"}}"#),
        ("minimax", "MiniMax-M3", Off, r#"{"reasoning_split":true,"thinking":{"type":"disabled"}}"#),
        ("minimax", "MiniMax-M2", Off, r#"{"reasoning_split":true}"#),
        ("doubao", "doubao-seed-2-1", Medium, r#"{"reasoning_effort":"medium"}"#),
        ("openrouter", "a/b", Off, r#"{"reasoning":{"effort":"none"}}"#),
        ("anthropic", "claude-opus-5-5", Off, "{}"),
        ("anthropic", "claude-sonnet-5-5", Off, r#"{"thinking":{"type":"between_tools"}}"#),
        (
            "anthropic",
            "claude-opus-4-7",
            High,
            r#"{"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}}"#,
        ),
        ("gemini", "gemini-2.5-flash", Off, r#"{"thinkingConfig":{"thinkingBudget":0}}"#),
        ("gemini", "gemini-3.8-flash", Off, "{}"),
        ("vllm", "q", Off, r#"{"chat_template_kwargs":{"enable_thinking":false}}"#),
        ("lmstudio", "q", High, "{}"),
        ("custom", "q", High, "{}"),
    ] {
        let fields = dialect(provider, "https://llm.example").extra_fields(model, Some(effort));
        assert_eq!(
            Value::Object(fields),
            serde_json::from_str::<Value>(expected).unwrap(),
            "{model} {effort:?}"
        );
    }
}

#[test]
fn unsupported_fields_are_not_sent() {
    let body = |provider: &str, model: &str, change: fn(&mut crate::ChatRequest)| -> Value {
        let mut request = crate::ChatRequest {
            model: model.to_owned(),
            messages: vec![crate::Message::User { text: "Hi".to_owned() }],
            tools: ["find", "list"]
                .map(|name| crate::ToolDefinition {
                    name: name.to_owned(),
                    description: String::new(),
                    parameters: Value::Null,
                })
                .to_vec(),
            temperature: Some(1.5),
            max_tokens: Some(9),
            parallel_calls: Some(true),
            ..crate::ChatRequest::default()
        };
        change(&mut request);
        let endpoint = crate::testing::endpoint(provider, "https://llm.example/v1");
        serde_json::from_str(&crate::build(&endpoint, &request).unwrap().body).unwrap()
    };
    let names = |body: &Value| -> Vec<String> {
        let tools = body["tools"].as_array().into_iter().flatten();
        tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    };
    let kimi = body("kimi", "kimi-k3", |_| {});
    assert_eq!((kimi.get("temperature"), &kimi["max_completion_tokens"]), (None, &Value::from(9)));
    assert_eq!(body("glm", "glm-5", |_| {})["temperature"], 1.0);
    assert_eq!(body("openrouter", "a/b", |_| {}).get("stream_options"), None);
    for (provider, knows) in [("qwen", true), ("vllm", true), ("deepseek", false), ("custom", false)] {
        let body = body(provider, "m", |_| {});
        assert_eq!(body.get("parallel_tool_calls").is_some(), knows, "{provider}");
        assert_eq!(body.get("tool_choice"), None);
        assert_eq!(body.get("enable_search"), None);
        assert_eq!(body["temperature"], 1.5);
    }
    let none = |request: &mut crate::ChatRequest| request.tool_choice = Some(crate::ToolChoice::None);
    assert_eq!(body("deepseek", "m", none)["tool_choice"], "none");
    assert_eq!(names(&body("glm", "m", none)), [""; 0], "offered nothing, it calls nothing");
    let named = |request: &mut crate::ChatRequest| {
        request.tool_choice = Some(crate::ToolChoice::Named("list".to_owned()));
    };
    assert_eq!(body("vllm", "m", named)["tool_choice"]["function"]["name"], "list");
    let narrowed = body("kimi", "m", named);
    assert_eq!((narrowed.get("tool_choice"), names(&narrowed)), (None, vec!["list".to_owned()]));
    let thinking = body("deepseek", "m", named);
    assert_eq!(thinking.get("tool_choice"), None);
    let refused = body("vllm", "m", |request| {
        request.leave_out = ["temperature", "max_tokens", "stream_options", "parallel_tool_calls"]
            .map(str::to_owned)
            .to_vec();
    });
    for field in ["temperature", "max_tokens", "stream_options", "parallel_tool_calls"] {
        assert_eq!(refused.get(field), None, "{field}");
    }
}

#[test]
fn reasoning_details_go_back_to_their_source() {
    use crate::testing::{endpoint, read_pieces};
    let endpoint = endpoint("openrouter", "https://openrouter.ai/api/v1");
    let stream = concat!(
        "data: {\"choices\":[{\"delta\":{\"reasoning\":\"H\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"H\",\"index\":0}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning\":\"m.\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"m.\",\"signature\":\"c2ln\",\"index\":0}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"aGlk\",\"index\":1}],\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"find\",\"arguments\":\"{}\"},\"extra_content\":{\"google\":{\"thought_signature\":\"x\"}}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
        "data: [DONE]\n\n",
    );
    let decoder = crate::Decoder::for_source(endpoint.source().unwrap());
    let answer = read_pieces(decoder, [stream.as_bytes()]).answer();
    let history = vec![crate::Message::Assistant {
        reasoning: answer.reasoning,
        text: answer.text,
        calls: answer.calls,
        provider_state: answer.provider_state,
    }];
    let sent = |endpoint: &crate::Endpoint| -> Value {
        let request =
            crate::ChatRequest { model: "m".to_owned(), messages: history.clone(), ..Default::default() };
        let body: Value = serde_json::from_str(&crate::build(endpoint, &request).unwrap().body).unwrap();
        body["messages"][0].clone()
    };
    let ours = sent(&endpoint);
    assert_eq!(
        ours["reasoning_details"],
        serde_json::json!([
            {"type": "reasoning.text", "text": "Hm.", "signature": "c2ln", "index": 0},
            {"type": "reasoning.encrypted", "data": "aGlk", "index": 1},
        ])
    );
    assert_eq!(ours["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "x");
    let foreign = sent(&crate::testing::endpoint("deepseek", "https://api.deepseek.com"));
    assert_eq!(foreign.get("reasoning_details"), None);
    assert_eq!(foreign["reasoning_content"], "", "it wants the field, and those were not its thoughts");
    assert_eq!(foreign["tool_calls"][0].get("extra_content"), None);
}

#[test]
fn unknown_service_gets_the_portable_schema() {
    use sidecar_protocol::schema::SchemaProfile;

    use crate::Endpoint;

    let profile = |provider: &str, base_url: &str| {
        Endpoint { provider: provider.into(), base_url: base_url.to_owned() }.schema_profile()
    };
    for (provider, address, expected) in [
        ("openai", "https://api.openai.com/v1", SchemaProfile::PLAIN_ROOT),
        ("anthropic", "https://api.anthropic.com", SchemaProfile::PLAIN_ROOT),
        ("gemini", "https://generativelanguage.googleapis.com", SchemaProfile::FULL),
        ("deepseek", "https://api.deepseek.com", SchemaProfile::PORTABLE),
        ("deepseek", "https://api.deepseek.com/anthropic", SchemaProfile::PORTABLE),
        ("custom", "https://llm.example/v1", SchemaProfile::PORTABLE),
        ("custom", "no address", SchemaProfile::PORTABLE),
    ] {
        assert_eq!(profile(provider, address), expected, "{provider} {address}");
    }
}
