//! Whole conversations with every provider, as played by the scripted server: the service accepts what we
//! send, and gets back what it requires. The server is an independent implementation of the services; it
//! shares no code with this crate.
#![allow(clippy::unwrap_used)] // all of it is a test

mod breakages;
mod conversation;
mod delivery;
mod prompted;
mod server;

use sidecar_llm::{
    Effort, ErrorClass, KeyHeader, Message, ModelAnswer, ToolChoice, build, list_request, providers,
    read_list, refusal,
};
use sidecar_testkit::DEFAULT_KEY;

use crate::conversation::{TestConversation, answer};
use crate::server::{agent, endpoints, send, start};

const FIRST: &str = "list({}) gave <list {}>. find({\"to\":\"Porto\"}) gave <find {\"to\":\"Porto\"}>. ";

const EFFORTS: [Option<Effort>; 5] =
    [None, Some(Effort::Off), Some(Effort::Low), Some(Effort::Medium), Some(Effort::High)];

#[test]
fn every_provider_in_every_effort() {
    let server = start();
    for (endpoint, models) in endpoints(&server) {
        for (model, effort) in models.iter().flat_map(|model| EFFORTS.map(|effort| (*model, effort))) {
            let place = format!("{} {model} {effort:?}", endpoint.provider);
            let mut conversation = TestConversation::new(model, effort);
            let text = conversation.turn(&endpoint, "Find me a flight");
            assert!(text.starts_with("find({") && text.ends_with(FIRST), "{place}: {text}");
            assert_eq!(conversation.turn(&endpoint, "And again"), "list({}) gave <list {}>. ", "{place}");
            let calls =
                |answer: &ModelAnswer| answer.calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
            let called: Vec<_> = conversation.answers.iter().map(calls).collect();
            let none: [&str; 0] = [];
            assert_eq!(called, [&["find", "list"][..], &["find"], &none, &["list"], &none], "{place}");
            assert_eq!(conversation.answers[0].text, "I look twice.", "{place}");
            // If reasoning was sent back, it is the reasoning that was received.
            let thoughts: Vec<_> =
                conversation.answers.iter().map(|answer| answer.reasoning.as_str()).collect();
            let had = [
                "Both, première fois 你好.",
                "And now the other.",
                "That is all.",
                "Once more.",
                "That is all.",
            ];
            assert!(thoughts == had || thoughts == [""; 5], "{place}: {thoughts:?}");
            if effort == Some(Effort::High) && model == "it" {
                assert_eq!(thoughts, had, "{place}");
            }
        }
    }
}

#[test]
fn conversation_goes_on_with_every_other_provider() {
    let server = start();
    let endpoints = endpoints(&server);
    for (from, _) in &endpoints {
        let mut begun = TestConversation::new("it", None);
        begun.turn(from, "Find me a flight");
        for (to, _) in &endpoints {
            for effort in [None, Some(Effort::High)] {
                // Also in the middle of a turn, after the results of the first calls.
                let mut middle = begun.clone();
                middle.request.effort = effort;
                middle.request.messages.truncate(5);
                let went_on =
                    answer(to, &middle.request).unwrap_or_else(|why| panic!("from {}: {why}", from.provider));
                assert_eq!(went_on.calls.len(), 1);
                let mut whole = begun.clone();
                whole.request.effort = effort;
                let text = whole.turn(to, "And again");
                assert_eq!(text, "list({}) gave <list {}>. ", "from {} to {}", from.provider, to.provider);
            }
        }
    }
}

#[test]
fn choice_is_never_refused() {
    let server = start();
    for (endpoint, models) in endpoints(&server) {
        for (model, effort) in models.iter().flat_map(|model| EFFORTS.map(|effort| (*model, effort))) {
            for choice in [ToolChoice::None, ToolChoice::Required, ToolChoice::Named("list".to_owned())] {
                let mut request = TestConversation::new(model, effort).request;
                request.messages.push(Message::User { text: "Find me a flight".to_owned() });
                request.tool_choice = Some(choice.clone());
                let answered = answer(&endpoint, &request);
                assert!(answered.is_ok(), "{model} {choice:?}: {answered:?}");
            }
        }
    }
}

#[test]
fn keys_are_sent_as_each_service_takes_them() {
    let server = start();
    for (endpoint, _) in endpoints(&server) {
        let mut request = TestConversation::new("it", None).request;
        request.messages.push(Message::User { text: "Find me a flight".to_owned() });
        server.set_key("sk-another");
        let built = build(&endpoint, &request).unwrap();
        let (status, body) = send(&built, &built.body);
        let body = String::from_utf8_lossy(&body);
        let preset = providers().iter().find(|provider| provider.id == endpoint.provider).unwrap();
        if preset.key_optional {
            assert_eq!(status, 200, "{}: {body}", endpoint.provider);
        } else {
            let class = refusal(&endpoint, status, &|_| None, &body).class;
            assert_eq!(class, ErrorClass::Auth, "{}: {status} {body}", endpoint.provider);
        }
        server.set_key(DEFAULT_KEY);
    }
}

#[test]
fn every_list_of_models_is_read() {
    let server = start();
    for (endpoint, _) in endpoints(&server) {
        let request = list_request(&endpoint).unwrap();
        let mut get = agent().get(&request.url);
        for (name, value) in &request.headers {
            get = get.header(name, value);
        }
        let (name, key): (_, String) = KeyHeader::with(request.key_header, DEFAULT_KEY);
        let body = get.header(name, key).call().unwrap().body_mut().read_to_string().unwrap();
        let models = read_list(&body).unwrap_or_else(|why| panic!("{}: {why:?} {body}", endpoint.provider));
        assert!(models.iter().any(|model| model.id == "it"), "{}: {body}", endpoint.provider);
    }
}
