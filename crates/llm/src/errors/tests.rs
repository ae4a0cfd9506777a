use super::*;

fn no_headers(_: &str) -> Option<String> {
    None
}

#[test]
fn refusals_fall_into_classes() {
    use ErrorClass::{Auth, Context, Filter, Money, Overload, Protocol, Rate};
    let table = [
        // DeepSeek: https://api-docs.deepseek.com/quick_start/error_codes
        (
            401,
            r#"{"error":{"message":"m","type":"authentication_error","param":null,"code":"invalid_request_error"}}"#,
            Auth,
        ),
        (
            402,
            r#"{"error":{"message":"m","type":"unknown_error","param":null,"code":"invalid_request_error"}}"#,
            Money,
        ),
        (
            400,
            r#"{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
            Protocol,
        ),
        (422, r#"{"error":{"message":"m","type":"invalid_request_error"}}"#, Protocol),
        (429, r#"{"error":{"message":"m","type":"rate_limit_reached"}}"#, Rate),
        (500, r#"{"error":{"message":"m"}}"#, Overload),
        (503, r#"{"error":{"message":"m"}}"#, Overload),
        // The status alone decides.
        (400, "", Protocol),
        (401, "", Auth),
        (402, "", Money),
        (403, "", Auth),
        (404, "", Protocol),
        (408, "", Overload),
        (413, "", Context),
        (429, "", Rate),
        (500, "", Overload),
        (501, "", Protocol),
        (502, "<html><head><title>502 Bad Gateway</title></head></html>", Overload),
        (504, "", Overload),
        (529, "", Overload),
        // OpenAI
        (429, r#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#, Money),
        (429, r#"{"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}}"#, Rate),
        (
            400,
            r#"{"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            Context,
        ),
        (404, r#"{"error":{"message":"m","code":"model_not_found"}}"#, Protocol),
        // Kimi
        (429, r#"{"error":{"message":"m","type":"exceeded_current_quota_error"}}"#, Money),
        (429, r#"{"error":{"message":"m","type":"engine_overloaded_error"}}"#, Overload),
        (400, r#"{"error":{"message":"m","type":"content_filter"}}"#, Filter),
        (
            400,
            r#"{"error":{"message":"Your request exceeded model token limit : 8192","type":"invalid_request_error"}}"#,
            Context,
        ),
        // GLM
        (429, r#"{"error":{"code":"1113","message":"m"}}"#, Money),
        (429, r#"{"error":{"code":"1302","message":"m"}}"#, Rate),
        (429, r#"{"error":{"code":"1305","message":"m"}}"#, Overload),
        (400, r#"{"error":{"code":"1301","message":"m"}}"#, Filter),
        (400, r#"{"error":{"code":"1261","message":"m"}}"#, Context),
        (400, r#"{"error":{"code":"1002","message":"m"}}"#, Auth),
        (400, r#"{"error":{"code":"1214","message":"m"}}"#, Protocol),
        // DashScope, in the compatible format and its own
        (
            400,
            r#"{"error":{"message":"Range of input length should be [1, 98304]","code":"InvalidParameter"}}"#,
            Context,
        ),
        (400, r#"{"code":"Arrearage","message":"m","request_id":"r"}"#, Money),
        (400, r#"{"code":"DataInspectionFailed","message":"m"}"#, Filter),
        (429, r#"{"error":{"code":"Throttling.RateQuota","message":"m"}}"#, Rate),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
            Context,
        ),
        (413, r#"{"type":"error","error":{"type":"request_too_large","message":"m"}}"#, Context),
        (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#, Overload),
        (403, r#"{"type":"error","error":{"type":"permission_error","message":"m"}}"#, Auth),
        (400, r#"{"error":{"message":"Your input exceeds the context window of this model."}}"#, Context),
        (429, r#"{"error":{"code":"QuotaExceeded","message":"m"}}"#, Money),
        // Ark
        (403, r#"{"error":{"code":"AccountOverdueError","message":"m"}}"#, Money),
        (400, r#"{"error":{"code":"InputTextSensitiveContentDetected","message":"m"}}"#, Filter),
        (429, r#"{"error":{"code":"ServerOverloaded","message":"m"}}"#, Overload),
        // OpenRouter
        (
            403,
            r#"{"error":{"code":403,"message":"m","metadata":{"reasons":["violence"],"flagged_input":"x"}}}"#,
            Filter,
        ),
        (402, r#"{"error":{"code":402,"message":"m"}}"#, Money),
        // Google's compatible endpoint
        (
            400,
            r#"[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]"#,
            Auth,
        ),
        (429, r#"{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}"#, Rate),
        // llama-server and vLLM
        (
            400,
            r#"{"error":{"code":400,"message":"m","type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":8}}"#,
            Context,
        ),
        (503, r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#, Overload),
        (
            400,
            r#"{"object":"error","message":"This model's maximum context length is 8 tokens","type":"BadRequestError","code":400}"#,
            Context,
        ),
        (422, r#"{"detail":[{"loc":["body"],"msg":"m"}]}"#, Protocol),
    ];
    for (status, body, expected) in table {
        let error = classify(status, &no_headers, body);
        assert_eq!((error.class, error.status), (expected, Some(status)), "{status} {body}");
        assert!(body.is_empty() || !error.message.is_empty(), "{status} {body}");
    }
}

#[test]
fn error_keeps_the_services_message() {
    let message = |body| classify(400, &no_headers, body).message;
    assert_eq!(message(r#"{"error":{"message":"  model not found "}}"#), "model not found");
    assert_eq!(message(r#"{"error":"no such model"}"#), "no such model");
    assert_eq!(message(r#"{"message":"flat"}"#), "flat");
    assert_eq!(message(r#"{"detail":"Not Found"}"#), "Not Found");
    assert_eq!(message(r#"{"detail":[{"loc":["body"],"msg":"Field required"}]}"#), "Field required");
    assert_eq!(
        message(r#"{"error":{"message":"Provider returned error","metadata":{"raw":"upstream says no"}}}"#),
        "Provider returned error: upstream says no"
    );
    assert_eq!(message("upstream connect error\n"), "upstream connect error");
    assert_eq!(message("<!doctype html><TITLE> Sign in </TITLE>"), "Sign in");
    assert_eq!(message("<html></html>"), "");
    assert_eq!(message("[]"), "");
    assert_eq!(message(&"é".repeat(3_000)), "é".repeat(2_000));
}

#[test]
fn retry_delay_is_read_in_each_form() {
    let wait = |headers: &[(&str, &str)], body: &str| {
        let get =
            |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        classify(429, &get, body).retry_after_ms
    };
    let now = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(wait(&[("retry-after", "7")], ""), Some(7_000));
    assert_eq!(wait(&[("retry-after", " 1.5 ")], ""), Some(1_500));
    assert_eq!(wait(&[("retry-after", "7"), ("retry-after-ms", "250")], ""), Some(250));
    assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"), now], ""), Some(60_000));
    assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT"), now], ""), Some(0));
    assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")], ""), None);
    assert_eq!(wait(&[("retry-after", "soon"), now], ""), None);
    assert_eq!(wait(&[("retry-after", "-1")], ""), None);
    assert_eq!(wait(&[("retry-after", "inf")], ""), None);
    assert_eq!(wait(&[("retry-after", "1e30")], ""), Some(u64::MAX));
    assert_eq!(wait(&[], r#"{"error":{"details":[{"retryDelay":"34.5s"}]}}"#), Some(34_500));
    let told = |time: &str| {
        let body = format!(r#"{{"error":{{"message":"Rate limit. Please try again in {time} Thanks"}}}}"#);
        wait(&[], &body)
    };
    assert_eq!(told("350ms."), Some(350));
    assert_eq!(told("1m2.5s."), Some(62_500));
    assert_eq!(told("6h0m0s."), Some(21_600_000));
    assert_eq!(told("20 seconds."), None);
    assert_eq!(told("a while."), None);
}

#[test]
fn error_in_a_stream_is_found() {
    let find = |chunk: &str| find(&serde_json::from_str(chunk).unwrap());
    for chunk in [
        r#"{"choices":[]}"#,
        r#"{"error":null}"#,
        r#"{"error":""}"#,
        r#"{"error":{}}"#,
        r#"{"base_resp":{"status_code":0}}"#,
    ] {
        assert_eq!(find(chunk), None, "{chunk}");
    }
    for (chunk, class, message) in [
        (
            r#"{"error":{"code":502,"message":"Provider disconnected"}}"#,
            ErrorClass::Overload,
            "Provider disconnected",
        ),
        (r#"{"error":{"code":429,"message":"slow down"}}"#, ErrorClass::Rate, "slow down"),
        (r#"{"error":"boom"}"#, ErrorClass::Protocol, "boom"),
        (r#"{"object":"error","message":"bad","code":400}"#, ErrorClass::Protocol, "bad"),
        (r#"{"base_resp":{"status_code":1008,"status_msg":"no balance"}}"#, ErrorClass::Money, "no balance"),
    ] {
        assert_eq!(find(chunk), Some(ModelError::new(class, message)), "{chunk}");
    }
}
