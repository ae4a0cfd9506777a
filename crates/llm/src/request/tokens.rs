//! Estimates token counts before a service has counted them. Every model splits text in its own way; the
//! estimate is rather too high.

use std::ops::AddAssign;

use crate::conversation::message::{CallRecord, Message, ToolDefinition};
use crate::request::chat_request::ChatRequest;

/// Tokens of a message or a tool beyond its text.
pub const FRAME: u64 = 4;

/// Character counts of a text: a token is about three letters of a Latin script, and less than two
/// characters of any other. Counts of pieces can be added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Characters {
    ascii: u64,
    others: u64,
}

impl Characters {
    /// The counts of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
        Self { ascii, others: text.chars().filter(|c| !c.is_ascii()).count() as u64 }
    }

    /// The estimated number of tokens.
    #[must_use]
    pub fn tokens(self) -> u64 {
        (self.ascii * 2).div_ceil(7) + (self.others * 2).div_ceil(3)
    }
}

impl AddAssign for Characters {
    fn add_assign(&mut self, more: Self) {
        self.ascii += more.ascii;
        self.others += more.others;
    }
}

/// The estimated tokens of a text.
#[must_use]
pub fn of_text(text: &str) -> u64 {
    Characters::of(text).tokens()
}

/// The estimated tokens of a picture of this size in pixels. Services count its area, or tiles of it, after they
/// have made it smaller: Anthropic a token for 750 pixels, at most about 1600
/// (<https://docs.anthropic.com/en/docs/build-with-claude/vision#calculate-image-costs>), Gemini 258 for each
/// tile of 768 pixels, OpenAI fewer.
#[must_use]
pub fn of_image(width: u32, height: u32) -> u64 {
    (u64::from(width) * u64::from(height)).div_ceil(750).clamp(258, 1_600)
}

/// The estimated tokens of a request, tools included.
#[must_use]
pub fn of_request(request: &ChatRequest) -> u64 {
    request.messages.iter().map(of_message).sum::<u64>() + of_tools(&request.tools)
}

/// The estimated tokens of the tool definitions.
#[must_use]
pub fn of_tools(tools: &[ToolDefinition]) -> u64 {
    let tool = |tool: &ToolDefinition| {
        FRAME + of_text(&tool.name) + of_text(&tool.description) + of_text(&tool.parameters.to_string())
    };
    tools.iter().map(tool).sum()
}

/// The estimated tokens of a message.
#[must_use]
pub fn of_message(message: &Message) -> u64 {
    let call = |call: &CallRecord| FRAME + of_text(&call.name) + of_text(&call.arguments);
    FRAME
        + match message {
            Message::System { text } | Message::User { text } => of_text(text),
            Message::Image { image, .. } => of_image(image.width, image.height),
            Message::Tool { name, text, .. } => of_text(name) + of_text(text),
            Message::Assistant { reasoning, text, calls, .. } => {
                of_text(reasoning) + of_text(text) + calls.iter().map(call).sum::<u64>()
            }
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_weigh_less_than_other_characters() {
        assert_eq!(of_text(""), 0);
        assert_eq!(of_text("seven l"), 2);
        assert_eq!(of_text("查航班"), 2);
        assert!(of_text(&"a word ".repeat(1000)) < 2_500);
        let mut grown = Characters::of("abc 查");
        grown += Characters::of("航班 d");
        assert_eq!(grown, Characters::of("abc 查航班 d"));
    }

    #[test]
    fn everything_that_is_sent_counts() {
        let user = Message::User { text: "Find two.".to_owned() };
        let bare = ChatRequest { messages: vec![user.clone()], ..ChatRequest::default() };
        let tool = ToolDefinition {
            name: "find".to_owned(),
            description: "Finds.".to_owned(),
            parameters: serde_json::json!({"type": "object"}),
        };
        let answer = Message::Assistant {
            reasoning: "Hm.".to_owned(),
            text: "I look.".to_owned(),
            calls: vec![CallRecord {
                id: "1".to_owned(),
                name: "find".to_owned(),
                arguments: "{}".to_owned(),
            }],
            provider_state: None,
        };
        let result =
            Message::Tool { call_id: "1".to_owned(), name: "find".to_owned(), text: "A.".to_owned() };
        let with_tool = ChatRequest { tools: vec![tool], ..bare.clone() };
        let with_call = ChatRequest { messages: vec![user.clone(), answer.clone()], ..bare.clone() };
        let with_result = ChatRequest { messages: vec![user, answer, result], ..bare.clone() };
        let counts = [&bare, &with_tool, &with_call, &with_result].map(of_request);
        assert!(counts[0] > 0 && counts[1] > counts[0] && counts[2] > counts[0] && counts[3] > counts[2]);
    }
}
