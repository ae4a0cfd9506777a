use super::*;
use crate::base_url::check_base_url;

fn dialect(provider: &str, address: &str) -> &'static Dialect {
    of(provider, &check_base_url(address).unwrap())
}

#[test]
fn the_host_decides_then_the_provider_then_the_path() {
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
