//! Fast path for the chunks that most of a stream consists of: one choice, in which text, reasoning or the
//! arguments of calls grow.
//!
//! It borrows from the text and builds no JSON value, which is many times as fast. A chunk with any other
//! field or value does not match and is read the general way.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The chunk. A field of type [`IgnoredAny`] may hold anything, one of type `()` only `null`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeltaChunk<'a> {
    #[serde(borrow)]
    choices: [StrictObject<Choice<'a>>; 1],
    #[serde(default, rename = "object")]
    _object: Option<ChunkKind>,
    #[serde(default, rename = "usage")]
    _usage: (),
    #[serde(default, rename = "id")]
    _id: IgnoredAny,
    #[serde(default, rename = "created")]
    _created: IgnoredAny,
    #[serde(default, rename = "model")]
    _model: IgnoredAny,
    #[serde(default, rename = "system_fingerprint")]
    _system_fingerprint: IgnoredAny,
    #[serde(default, rename = "service_tier")]
    _service_tier: IgnoredAny,
    #[serde(default, rename = "provider")]
    _provider: IgnoredAny,
    #[serde(default, rename = "obfuscation")]
    _obfuscation: IgnoredAny,
}

/// vLLM marks a chunk as an error here.
#[derive(Deserialize)]
enum ChunkKind {
    #[serde(rename = "chat.completion.chunk")]
    Chunk,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice<'a> {
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    delta: StrictObject<Delta<'a>>,
    #[serde(default, rename = "finish_reason")]
    _finish_reason: (),
    #[serde(default, rename = "native_finish_reason")]
    _native_finish_reason: (),
    #[serde(default, rename = "usage")]
    _usage: (),
    #[serde(default, rename = "logprobs")]
    _logprobs: IgnoredAny,
}

/// What grows. Of two fields for reasoning, the first that is not empty counts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    content: Option<BorrowedText<'a>>,
    #[serde(borrow, default)]
    reasoning_content: Option<BorrowedText<'a>>,
    #[serde(borrow, default)]
    reasoning: Option<BorrowedText<'a>>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<StrictObject<CallDelta<'a>>>>,
    #[serde(default, rename = "refusal")]
    _refusal: (),
    #[serde(default, rename = "role")]
    _role: IgnoredAny,
}

/// More arguments of a call that began.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallDelta<'a> {
    index: u64,
    #[serde(borrow)]
    function: StrictObject<FunctionDelta<'a>>,
    #[serde(default, rename = "id")]
    _id: (),
    #[serde(default, rename = "type")]
    _type: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FunctionDelta<'a> {
    #[serde(borrow)]
    arguments: BorrowedText<'a>,
    #[serde(default, rename = "name")]
    _name: (),
}

/// A text that is borrowed if it has no escapes. (Within an `Option`, serde would always copy a bare
/// [`Cow`].)
#[derive(Deserialize)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

/// An object. Serde would also read a struct from an array.
struct StrictObject<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for StrictObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = StrictObject<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(StrictObject)
    }
}

impl<'a> Delta<'a> {
    /// Reads a chunk, if it is of this kind.
    pub(super) fn read(chunk: &'a str) -> Option<Self> {
        let StrictObject(DeltaChunk { choices: [StrictObject(choice)], .. }) =
            serde_json::from_str(chunk).ok()?;
        (choice.index == 0).then_some(choice.delta.0)
    }

    pub(super) fn text(&self) -> &str {
        self.content.as_ref().map_or("", |text| &text.0)
    }

    pub(super) fn reasoning(&self) -> &str {
        let named = [&self.reasoning_content, &self.reasoning];
        named.into_iter().flatten().map(|text| &*text.0).find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// The index of each growing call, with its new arguments.
    pub(super) fn arguments(&self) -> impl Iterator<Item = (u64, &str)> {
        self.tool_calls.iter().flatten().map(|piece| (piece.0.index, &*piece.0.function.0.arguments.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::decode::answer_builder::AnswerBuilder;
    use crate::protocols::chat::stream::ChatStream;

    /// The result of a chunk both ways: by the fast path, if it matches, and the general way.
    fn both_ways(chunk: &str) -> (Option<(ChatStream, AnswerBuilder)>, (ChatStream, AnswerBuilder)) {
        let (mut stream, mut builder) = (ChatStream::default(), AnswerBuilder::default());
        let in_place = stream.grow(chunk, &mut builder).then_some((stream, builder));
        let (mut stream, mut builder) = (ChatStream::default(), AnswerBuilder::default());
        stream.take(&serde_json::from_str(chunk).unwrap(), &mut builder);
        (in_place, (stream, builder))
    }

    #[test]
    fn what_services_send_for_a_token_is_read_in_place() {
        for chunk in [
            r#"{"choices":[{"index":0,"delta":{"content":"Hello"}}]}"#,
            r#"{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":{"content":" \"x\"\n里"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"a1"}"#,
            r#"{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"Hm"},"logprobs":{"content":[]},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"1","provider":"P","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Hm"},"finish_reason":null,"native_finish_reason":null}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"type":"function","function":{"arguments":"{\"to\":"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":"1"}},{"index":1,"function":{"arguments":"2"}}]}}]}"#,
        ] {
            let (in_place, as_any) = both_ways(chunk);
            assert_eq!(in_place, Some(as_any), "{chunk}");
        }
    }

    #[test]
    fn what_does_more_is_not() {
        for chunk in [
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1}}"#,
            r#"{"choices":[{"delta":{"content":"x"}}],"error":{"message":"no"}}"#,
            r#"{"object":"error","choices":[{"delta":{"content":"x"}}]}"#,
            r#"{"choices":[{"index":1,"delta":{"content":"x"}}]}"#,
            r#"{"choices":[{"delta":{"content":"x"}},{"delta":{"content":"y"}}]}"#,
            r#"{"choices":[{"delta":["x"]}]}"#,
            r#"[[{"delta":{"content":"x"}}]]"#,
            r#"{"choices":[{"delta":{"content":"x"}}]}{"choices":[]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_details":[{"text":"Hm"}]}}]}"#,
            "",
        ] {
            assert!(Delta::read(chunk).is_none(), "{chunk}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            4 => prop::sample::select(vec![json!("x"), json!(""), Value::Null]),
            1 => prop::sample::select(vec![json!(0), json!(-1), json!(1), json!(true), json!([]), json!({}), json!(["x"]), json!("error"), json!({"text": "x"})]),
        ]
    }

    fn members(
        names: &'static [&'static str],
        inner: impl Strategy<Value = Value>,
    ) -> impl Strategy<Value = Value> {
        prop::collection::btree_map(prop::sample::select(names), inner, 0..4)
            .prop_map(|members| json!(members))
    }

    proptest! {
        #[test]
        fn read_in_place_a_chunk_is_what_it_is_anyway(
            (delta, function, piece, choice, chunk) in (
                members(&["content", "reasoning_content", "reasoning", "refusal", "role", "tool_calls", "reasoning_details"], value()),
                members(&["name", "arguments"], value()),
                members(&["index", "id", "type", "extra_content"], prop_oneof![3 => Just(json!(0)), 1 => value()]),
                members(&["index", "finish_reason", "native_finish_reason", "usage", "logprobs", "message"], prop_oneof![4 => Just(Value::Null), 1 => value()]),
                members(&["object", "usage", "id", "error", "provider", "base_resp", "x_groq"], prop_oneof![4 => Just(Value::Null), 1 => value()]),
            ),
            calls in any::<bool>(),
        ) {
            let (mut delta, mut piece, mut choice, mut chunk) = (delta, piece, choice, chunk);
            if calls {
                piece["function"] = function;
                delta["tool_calls"] = json!([piece]);
            }
            choice["delta"] = delta;
            chunk["choices"] = json!([choice]);
            let (in_place, as_any) = both_ways(&chunk.to_string());
            prop_assert!(in_place.is_none_or(|in_place| in_place == as_any), "{}", chunk);
        }
    }
}
