//! Reads token counts, in the formats of all services.

use serde_json::Value;
use sidecar_protocol::thread::Usage;

/// Larger than any real count, and far from overflow.
const COUNT_LIMIT: u64 = 1 << 48;

/// The usage object of a chunk, if any: at its top (nearly everybody), in the first choice (Kimi's own
/// service), or in `x_groq`. In most chunks it is `null`.
pub(crate) fn find<'a>(chunk: &'a Value, choice: Option<&'a Value>) -> Option<&'a Value> {
    [chunk.get("usage"), choice.and_then(|choice| choice.get("usage")), chunk.pointer("/x_groq/usage")]
        .into_iter()
        .flatten()
        .find(|usage| usage.as_object().is_some_and(|usage| !usage.is_empty()))
}

/// Reads a usage object of Chat Completions or Responses. Missing counts are 0.
pub(crate) fn read(usage: &Value) -> Usage {
    Usage {
        input: count(usage, &["/prompt_tokens", "/input_tokens"]),
        // In this order: the common place, Responses, DeepSeek's older one, Kimi's.
        cached: count(
            usage,
            &[
                "/prompt_tokens_details/cached_tokens",
                "/input_tokens_details/cached_tokens",
                "/prompt_cache_hit_tokens",
                "/cached_tokens",
            ],
        ),
        output: count(usage, &["/completion_tokens", "/output_tokens"]),
        reasoning: count(
            usage,
            &["/completion_tokens_details/reasoning_tokens", "/output_tokens_details/reasoning_tokens"],
        ),
    }
}

/// Reads a usage object of Anthropic Messages, which counts tokens read from the cache, and tokens written
/// to it, separately.
/// <https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching#tracking-cache-performance>
pub(crate) fn read_messages(usage: &Value) -> Usage {
    let cached = count(usage, &["/cache_read_input_tokens"]);
    Usage {
        input: count(usage, &["/input_tokens"]) + cached + count(usage, &["/cache_creation_input_tokens"]),
        cached,
        output: count(usage, &["/output_tokens"]),
        reasoning: count(usage, &["/output_tokens_details/thinking_tokens"]),
    }
}

/// Reads Gemini's `usageMetadata`, which counts reasoning separately from the text.
/// <https://ai.google.dev/api/generate-content#UsageMetadata>
pub(crate) fn read_gemini(usage: &Value) -> Usage {
    let reasoning = count(usage, &["/thoughtsTokenCount"]);
    Usage {
        input: count(usage, &["/promptTokenCount"]),
        cached: count(usage, &["/cachedContentTokenCount"]),
        output: count(usage, &["/candidatesTokenCount"]) + reasoning,
        reasoning,
    }
}

/// Reads the counts in the last object of an Ollama stream.
pub(crate) fn read_ollama(last: &Value) -> Usage {
    Usage {
        input: count(last, &["/prompt_eval_count"]),
        output: count(last, &["/eval_count"]),
        ..Usage::default()
    }
}

/// The first count that is present.
fn count(usage: &Value, pointers: &[&str]) -> u64 {
    pointers
        .iter()
        .find_map(|pointer| usage.pointer(pointer).and_then(Value::as_u64))
        .unwrap_or_default()
        .min(COUNT_LIMIT)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn usage_is_read_in_each_spelling() {
        assert_eq!(
            read(&json!({
                "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
                "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36,
                "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 12},
            })),
            Usage { input: 100, cached: 64, output: 20, reasoning: 12 }
        );
        assert_eq!(
            read(&json!({"prompt_tokens": 5, "completion_tokens": null, "prompt_cache_hit_tokens": 2})),
            Usage { input: 5, cached: 2, ..Usage::default() }
        );
        assert_eq!(
            read(&json!({"prompt_tokens": u64::MAX, "completion_tokens": -1, "cached_tokens": 3})),
            Usage { input: COUNT_LIMIT, cached: 3, ..Usage::default() }
        );
    }

    #[test]
    fn each_protocol_counts_in_its_own_way() {
        assert_eq!(
            read(&json!({
                "input_tokens": 100, "input_tokens_details": {"cached_tokens": 60},
                "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 12},
            })),
            Usage { input: 100, cached: 60, output: 20, reasoning: 12 }
        );
        assert_eq!(
            read_messages(&json!({
                "input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30,
                "output_tokens": 20,
            })),
            Usage { input: 100, cached: 60, output: 20, reasoning: 0 }
        );
        assert_eq!(
            read_gemini(&json!({
                "promptTokenCount": 100, "cachedContentTokenCount": 60,
                "candidatesTokenCount": 8, "thoughtsTokenCount": 12, "totalTokenCount": 120,
            })),
            Usage { input: 100, cached: 60, output: 20, reasoning: 12 }
        );
        assert_eq!(
            read_ollama(&json!({"done": true, "prompt_eval_count": 100, "eval_count": 20})),
            Usage { input: 100, output: 20, ..Usage::default() }
        );
    }

    #[test]
    fn usage_is_found_in_each_place() {
        let usage = json!({"prompt_tokens": 1});
        let at_top = json!({"usage": usage, "x_groq": {"usage": {"prompt_tokens": 2}}});
        assert_eq!(find(&at_top, None), Some(&usage));
        let in_choice = json!({"usage": null, "choices": [{"usage": usage}]});
        assert_eq!(find(&in_choice, in_choice.pointer("/choices/0")), Some(&usage));
        assert_eq!(find(&json!({"x_groq": {"usage": usage}}), None), Some(&usage));
        assert_eq!(find(&json!({"usage": {}}), None), None);
    }
}
