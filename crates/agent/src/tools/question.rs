//! The agent's own tool: a question to the user, with choices. Its call asks like any other; the user's
//! answer is the result.

use serde::Deserialize;
use serde_json::json;
use sidecar_llm::ToolDefinition;
use sidecar_protocol::settings::Language;
use sidecar_protocol::thread::Question;
use sidecar_webmcp::{ASK_USER, visible};

/// The tool's definition.
#[must_use]
pub fn definition(language: Language) -> ToolDefinition {
    let (description, question, choices) = match language {
        Language::English => (
            "Asks the user a question and waits for the answer. Use it when what to do depends on something that only \
             the user knows; not for what a tool can tell, and not to ask for leave to call a tool. The user may \
             answer in other words than those of the choices.",
            "The question, in one or two sentences.",
            "Answers to choose from, a few words each; none where the answer is free.",
        ),
        Language::Chinese => (
            "向用户提一个问题并等待回答。只在下一步取决于只有用户才知道的事情时使用；能用工具查到的不要问，调用工具之前也不必征求同意。\
             用户可以不选给出的选项，而用自己的话回答。",
            "问题，一两句话。",
            "可供选择的回答，每个几个字；自由回答时留空。",
        ),
    };
    ToolDefinition {
        name: ASK_USER.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "question": {"type": "string", "description": question},
                "choices": {"type": "array", "items": {"type": "string"}, "description": choices},
            },
            "required": ["question"],
        }),
    }
}

/// The question in these arguments (JSON text of an object). Long texts are cut: what the user sees is what
/// is kept.
///
/// # Errors
/// If they contain no question; the message is for the model.
pub fn read(arguments: &str) -> Result<Question, String> {
    #[derive(Deserialize)]
    struct QuestionArguments {
        question: String,
        #[serde(default)]
        choices: Vec<String>,
    }
    let arguments: QuestionArguments = serde_json::from_str(arguments)
        .map_err(|_| "It takes a text \"question\" and a list of texts \"choices\".".to_owned())?;
    let text = shown(&arguments.question, Question::MOST_TEXT);
    if text.is_empty() {
        return Err("The question is empty.".to_owned());
    }
    let mut choices = Vec::new();
    for choice in arguments.choices {
        let choice = shown(&choice, Question::MOST_CHOICE);
        if !choice.is_empty() && !choices.contains(&choice) && choices.len() < Question::MOST_CHOICES {
            choices.push(choice);
        }
    }
    Ok(Question { text, choices })
}

fn shown(text: &str, most: usize) -> String {
    visible(text.trim()).chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_has_text_and_a_few_choices() {
        let question = |text: &str, choices: &[&str]| Question {
            text: text.to_owned(),
            choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
        };
        let read = |arguments: serde_json::Value| super::read(&arguments.to_string());
        assert_eq!(read(json!({"question": " Which? "})), Ok(question("Which?", &[])));
        let given = json!({"question": "Which?", "choices": ["a", "", " b", "a"]});
        assert_eq!(read(given), Ok(question("Which?", &["a", "b"])));
        let many: Vec<String> = (0..50).map(|n| n.to_string()).collect();
        let long = read(json!({"question": "x".repeat(10_000), "choices": many})).unwrap();
        assert_eq!((long.text.len(), long.choices.len()), (Question::MOST_TEXT, Question::MOST_CHOICES));
        assert_eq!(read(json!({"question": "a\u{202e}b"})), Ok(question("a⟨U+202E⟩b", &[])));
    }

    #[test]
    fn question_without_text_is_a_mistake_for_the_model() {
        for arguments in
            ["{}", "[]", r#"{"question": 1}"#, r#"{"question": "x", "choices": "y"}"#, r#"{"question": " "}"#]
        {
            assert!(read(arguments).is_err(), "{arguments}");
        }
    }

    #[test]
    fn question_definition_matches_what_is_read() {
        for language in [Language::English, Language::Chinese] {
            let tool = definition(language);
            assert_eq!(tool.name, ASK_USER);
            assert_eq!(tool.parameters["required"], json!(["question"]));
        }
    }
}
