//! Faults, from a scenario file or requested by a test.

use std::time::{Duration, Instant};

use serde_json::json;
use sidecar_testkit::delivery::{Amount, Delivery};
use sidecar_testkit::scenario::Refuse;
use sidecar_testkit::{AnswerPhase, Fault, Until};

use crate::client::{ask, post, request, start_saying, start_with};

const SOON: Duration = Duration::from_secs(10);

fn with(delivery: Delivery) -> Fault {
    Fault { delivery, ..Fault::default() }
}

fn at(event: u64) -> Option<Amount> {
    Some(Amount::Number(event))
}

#[test]
fn refusals_by_status_and_then_success() {
    let server = start_saying("Hi.", "");
    for (status, kind, message) in [
        (400, "invalid_request_error", "Bad request"),
        (402, "unknown_error", "Insufficient Balance"),
        (429, "rate_limit_error", "Rate limit reached: requests are sent too fast"),
        (500, "server_error", "Internal server error"),
        (503, "service_unavailable_error", "Service is too busy"),
    ] {
        server.fault(Fault {
            times: Some(2),
            refuse: Some(Refuse { status, message: None, retry_after: Some(3) }),
            ..Fault::default()
        });
        for _ in 0..2 {
            let reply = ask(&server, &request("it", "hello"));
            assert_eq!((reply.status, reply.message()), (status, message));
            assert_eq!(reply.error["error"]["type"], kind);
            assert_eq!(reply.retry_after.as_deref(), Some("3"));
        }
        assert_eq!(ask(&server, &request("it", "hello")).text(), "Hi.");
    }
}

#[test]
fn step_is_taken_so_many_times_for_the_same_conversation() {
    let server = start_with("[[step]]\ntimes = 2\nrefuse = { status = 503 }\n[[step]]\nsay = 'Hi.'");
    for user in ["one", "two", "one"] {
        let statuses: Vec<u16> = (0..3).map(|_| ask(&server, &request("it", user)).status).collect();
        assert_eq!(statuses, [503, 503, 200], "{user}");
    }
}

#[test]
fn cut_after_an_event() {
    let server = start_saying("Hi there.", "");
    server.fault(with(Delivery { cut_after_event: at(6), ..Delivery::default() }));
    let reply = ask(&server, &request("it", "hello"));
    assert_eq!((reply.chunks.len(), reply.text().as_str()), (6, "Hi"));
    assert!(reply.lost.is_some() && !reply.is_done, "{reply:?}");
    let entry = server.wait(1, Until::Ended, SOON).unwrap();
    assert_eq!((entry.phase, entry.events, entry.status), (AnswerPhase::Cut, 6, 200));
}

#[test]
fn cut_in_good_order_but_too_early() {
    let server = start_saying("Hi there.", "");
    server.fault(with(Delivery { cut_after_event: at(6), cut_cleanly: Some(true), ..Delivery::default() }));
    let reply = ask(&server, &request("it", "hello"));
    assert_eq!((reply.chunks.len(), reply.lost, reply.is_done), (6, None, false));
}

#[test]
fn cut_at_every_byte() {
    let server = start_saying("Hi.", "");
    let mut whole = Vec::new();
    std::io::copy(&mut post(&server, &request("it", "hello")).body_mut().as_reader(), &mut whole).unwrap();
    for byte in [0, 1, 13, 14, 300, whole.len() - 1] {
        server.reset();
        server.fault(with(Delivery { cut_at_byte: at(byte as u64), ..Delivery::default() }));
        let mut response = post(&server, &request("it", "hello"));
        let mut kept = Vec::new();
        let end = std::io::copy(&mut response.body_mut().as_reader(), &mut kept);
        assert!(end.is_err(), "byte {byte}");
        assert_eq!(kept.len(), byte);
        assert_eq!(server.wait(1, Until::Ended, SOON).unwrap().bytes, byte as u64);
    }
}

#[test]
fn byte_by_byte_says_the_same() {
    let server = start_saying("直飞 ✈️ flights", "");
    let plain = ask(&server, &request("it", "hello"));
    server.fault(with(Delivery { byte_by_byte: Some(true), ..Delivery::default() }));
    let reply = ask(&server, &request("it", "hello"));
    assert_eq!(reply.text(), "直飞 ✈️ flights");
    assert_eq!(reply.text(), plain.text());
    assert!(reply.is_done);
    // The entry is complete shortly after the last byte has arrived.
    let [first, second] = [1, 2].map(|number| server.wait(number, Until::Finished, SOON).unwrap());
    assert_eq!(first.events, second.events);
}

#[test]
fn larger_events() {
    let server = start_saying("one two three four", "");
    server.fault(with(Delivery { tokens_per_event: at(3), keep_alives: at(0), ..Delivery::default() }));
    let reply = ask(&server, &request("it", "hello"));
    assert!(reply.comments.is_empty());
    let texts: Vec<_> =
        reply.chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(texts, ["one two three", " four", ""]);
}

#[test]
fn slow() {
    let server = start_saying("Hi.", "");
    server.fault(with(Delivery { delay_ms: at(30), ..Delivery::default() }));
    let start = Instant::now();
    let reply = ask(&server, &request("it", "hello"));
    // Eight events and the end, each after a pause.
    assert_eq!(reply.chunks.len(), 8);
    assert!(start.elapsed() >= Duration::from_millis(9 * 30));
}

#[test]
fn error_inside_a_good_status() {
    let server = start_saying("Hi there.", "");
    server.fault(with(Delivery { error_after_event: at(6), ..Delivery::default() }));
    let reply = ask(&server, &request("it", "hello"));
    assert_eq!((reply.status, reply.text().as_str(), reply.is_done), (200, "Hi", false));
    assert_eq!(
        reply.chunks[6],
        json!({"error": {"message": "Internal server error", "type": "server_error", "param": null, "code": "server_error"}})
    );
}

#[test]
fn held_answer_goes_on_when_it_is_released() {
    let server = start_saying("Hi there.", "");
    server.fault(with(Delivery { hold_after_event: at(6), ..Delivery::default() }));
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| ask(&server, &request("it", "hello")));
        let held = server.wait(1, Until::Held, SOON).unwrap();
        assert_eq!((held.events, held.ended_at), (6, None));
        assert!(server.release(Some(2)).is_empty());
        assert_eq!(server.release(None), [1]);
        let reply = reply.join().unwrap();
        assert_eq!((reply.text().as_str(), reply.is_done), ("Hi there.", true));
    });
    assert_eq!(server.wait(1, Until::Ended, SOON).unwrap().phase, AnswerPhase::Finished);
}

#[test]
fn abort_is_seen_while_held_and_while_sending() {
    let server = start_saying("Hi there.", "");
    for delivery in [
        Delivery { hold_after_event: at(6), ..Delivery::default() },
        Delivery { delay_ms: at(20), ..Delivery::default() },
    ] {
        server.reset();
        server.fault(with(delivery));
        let response = post(&server, &request("it", "hello"));
        assert!(!server.wait(1, Until::Seen, SOON).unwrap().phase.is_end());
        // An unread body cannot be reused, so its connection closes.
        drop(response);
        let entry = server.wait(1, Until::Aborted, SOON).unwrap();
        assert_eq!(entry.phase, AnswerPhase::Aborted);
        assert!(entry.ended_at.unwrap() >= entry.received_at);
    }
}

#[test]
fn fault_is_for_one_scenario() {
    let server = start_saying("Hi.", "");
    server.fault(Fault {
        model: Some("other".into()),
        refuse: Some(Refuse { status: 500, message: None, retry_after: None }),
        ..Fault::default()
    });
    assert_eq!(ask(&server, &request("it", "hello")).status, 200);
}
