//! Whether a model sees pictures, as far as its name says.

use crate::wire::ON_DEVICE;

/// Parts of the names of models that see. Services name these models the same way wherever they are served.
const SEE: [&str; 32] = [
    "claude",
    "gemini",
    "gpt-4o",
    "gpt-4.1",
    "gpt-4-turbo",
    "gpt-4.5",
    "gpt-5",
    "chatgpt",
    "grok-2-vision",
    "grok-4",
    "pixtral",
    "mistral-medium",
    "mistral-small-3",
    "mistral-large-3",
    "llama-4",
    "llama4",
    "llama-3.2-11b",
    "llama-3.2-90b",
    "gemma-3",
    "gemma3",
    "llava",
    "moondream",
    "minicpm-v",
    "internvl",
    "kimi-k2.5",
    "kimi-vl",
    "kimi-latest",
    "qvq",
    "step-1v",
    "vision",
    "omni",
    "nova-pro",
];

/// Parts of the names of models that read text only.
const DO_NOT_SEE: [&str; 22] = [
    "deepseek-chat",
    "deepseek-reasoner",
    "deepseek-v3",
    "deepseek-r1",
    "gpt-3.5",
    "gpt-oss",
    "o1-mini",
    "o3-mini",
    "claude-2",
    "claude-instant",
    "claude-3-5-haiku-20241022",
    "gemma3:1b",
    "gemma-3-1b",
    "kimi-k2-",
    "qwen-coder",
    "qwen2.5-coder",
    "qwen3-coder",
    "llama-3.1",
    "llama-3.3",
    "codestral",
    "mixtral",
    "phi-4-mini",
];

/// Whether a provider's model sees; `None` if that is not known.
#[must_use]
pub fn sees(provider: &str, model: &str) -> Option<bool> {
    // Its messages go to the browser as text.
    if provider == ON_DEVICE { Some(false) } else { sees_by_name(model) }
}

fn sees_by_name(model: &str) -> Option<bool> {
    let name = model.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    // `qwen2.5-vl`, `glm-4.5v`, `glm-4v-plus`, `o3`, `o4-mini`.
    let words = || name.split(['-', '_', '/', ':', '.']);
    let is_v = |word: &str| {
        word.strip_suffix('v')
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    if has(&DO_NOT_SEE) {
        return Some(false);
    }
    let says = has(&SEE) || words().any(|word| matches!(word, "vl" | "o1" | "o3" | "o4") || is_v(word));
    says.then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_who_sees() {
        for name in [
            "gpt-4o-mini",
            "openai/gpt-5.2",
            "o4-mini",
            "claude-sonnet-4-5",
            "gemini-3-flash",
            "qwen2.5vl-vl:7b",
            "Qwen/Qwen3-VL-8B-Instruct",
            "qwen-vl-max",
            "glm-4v-plus",
            "glm-4.5v",
            "glm-4.6v-flash",
            "llava:13b",
            "kimi-k2.5",
            "grok-4-fast",
        ] {
            assert_eq!(sees_by_name(name), Some(true), "{name}");
        }
        for name in [
            "deepseek-chat",
            "gpt-3.5-turbo",
            "openai/gpt-oss-120b",
            "o3-mini",
            "qwen3-coder:30b",
            "kimi-k2-0905",
        ] {
            assert_eq!(sees_by_name(name), Some(false), "{name}");
        }
        assert_eq!(sees(ON_DEVICE, "gemini-nano"), Some(false));
        for name in ["", "my-model", "glm-4.6", "qwen3:4b", "mistral-v0.3", "v"] {
            assert_eq!(sees_by_name(name), None, "{name}");
        }
    }
}
