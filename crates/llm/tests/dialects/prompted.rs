//! The same conversation with models without tool calling.

use sidecar_llm::{Endpoint, Message, ToolForm, build, refusal};
use sidecar_testkit::{Scenarios, ScriptedModel, ServerOptions};

use crate::conversation::TestConversation;
use crate::server::{endpoints, send};

/// Calls one tool in each answer, as prompted tool calling asks for.
const ONE_BY_ONE: &str = r#"
about = "Two tools, one by one."

[[step]]
when = "rounds == 0"
say = "I look."
call = "find"
arguments = "{'to': 'Lisboa'}"

[[step]]
when = "rounds == 1"
call = "list"

[[step]]
say = "{% for result in results %}{{ result.name }}({{ result.arguments }}) gave {{ result.text }}. {% endfor %}"
"#;

#[test]
fn model_without_tools_holds_the_conversation_prompted_and_by_schema() {
    let mut scenarios = Scenarios::default();
    scenarios.add("it", ONE_BY_ONE).unwrap();
    let server = ScriptedModel::start(ServerOptions::new(scenarios)).unwrap();
    let mut forms = Vec::new();
    let at_root = Endpoint { provider: "custom".to_owned(), base_url: server.url() };
    for endpoint in endpoints(&server).into_iter().map(|(endpoint, _)| endpoint).chain([at_root]) {
        for other_fields in [&[][..], &["response_format", "format"]] {
            let mut conversation = TestConversation::new("textual-it", None);
            let mut leave_out: Vec<String> = other_fields.iter().copied().map(str::to_owned).collect();
            conversation.request.messages.push(Message::User { text: "Find me a flight".to_owned() });
            let form = loop {
                // Whatever is refused is left out, until nothing is.
                conversation.request.leave_out.clone_from(&leave_out);
                let built = build(&endpoint, &conversation.request).unwrap();
                let (status, body) = send(&built, &built.body);
                let error = refusal(&endpoint, status, &|_| None, &String::from_utf8_lossy(&body));
                match error.refused_field() {
                    Some(field) if !leave_out.iter().any(|left| left == field) => {
                        leave_out.push(field.to_owned())
                    }
                    _ => break endpoint.form_of(&conversation.request),
                }
            };
            conversation.request.messages.pop();
            let found = r#"find({"to":"Lisboa"}) gave <find {"to":"Lisboa"}>. list({}) gave <list {}>. "#;
            for turn in ["Find me a flight", "And again"] {
                assert_eq!(conversation.turn(&endpoint, turn), found, "{} {form:?}", endpoint.provider);
            }
            let called = conversation.answers.iter().map(|answer| answer.calls.len()).collect::<Vec<_>>();
            assert_eq!(called, [1, 1, 0, 1, 1, 0], "{} {form:?}", endpoint.provider);
            forms.push((endpoint.provider.clone(), form));
        }
    }
    let held: Vec<_> =
        forms.iter().filter(|(_, form)| *form == ToolForm::Schema).map(|(name, _)| name.as_str()).collect();
    assert_eq!(held, ["openrouter", "ollama", "llama-server", "lmstudio", "vllm"]);
    assert_eq!(
        forms.iter().filter(|(_, form)| *form == ToolForm::Prompted).count(),
        forms.len() - held.len()
    );
}
