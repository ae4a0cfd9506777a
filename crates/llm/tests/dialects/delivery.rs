//! Faults of delivery.

use std::time::Duration;

use sidecar_llm::{Decoder, Effort, ErrorClass, Message, ModelAnswer, ModelEvent, build};
use sidecar_testkit::delivery::{Amount, Delivery};
use sidecar_testkit::{Fault, Until};

use crate::conversation::TestConversation;
use crate::server::{endpoints, receive, start};

/// Faults of delivery, in every protocol.
#[test]
fn faults_of_delivery_are_met_in_every_protocol() {
    let server = start();
    let fault = |delivery: Delivery| server.fault(Fault { delivery, ..Fault::default() });
    let number = |number: u64| Some(Amount::Number(number));
    for (endpoint, _) in endpoints(&server) {
        let mut request = TestConversation::new("it", Some(Effort::High)).request;
        request.messages.push(Message::User { text: "Find me a flight".to_owned() });
        let built = build(&endpoint, &request).unwrap();
        let read = |delivery: Option<Delivery>| {
            delivery.into_iter().for_each(&fault);
            let (status, bytes) = receive(&built, &built.body);
            assert_eq!(status, 200);
            let mut decoder = Decoder::for_source(endpoint.source().unwrap());
            let mut events = decoder.feed(&bytes);
            events.extend(decoder.close());
            let has_call = events.iter().any(|event| matches!(event, ModelEvent::CallCompleted { .. }));
            (decoder.end(), has_call, bytes.len())
        };
        let provider = &endpoint.provider;
        let said = |answer: &ModelAnswer| {
            let calls = answer.calls.iter().map(|call| (call.name.clone(), call.arguments.clone()));
            (answer.text.clone(), answer.reasoning.clone(), calls.collect::<Vec<_>>())
        };
        let (whole, _, length) = read(None);
        let whole = said(&whole.unwrap());
        let bytes = read(Some(Delivery { byte_by_byte: Some(true), ..Delivery::default() })).0.unwrap();
        assert_eq!(said(&bytes), whole, "{provider}");
        let large = read(Some(Delivery { tokens_per_event: number(50), ..Delivery::default() })).0.unwrap();
        assert_eq!(said(&large), whole, "{provider}");

        for delivery in [
            Delivery { cut_after_event: number(4), ..Delivery::default() },
            Delivery { cut_after_event: number(4), cut_cleanly: Some(true), ..Delivery::default() },
            Delivery { cut_at_byte: number(length as u64 / 2), ..Delivery::default() },
        ] {
            let (cut, has_call, _) = read(Some(delivery.clone()));
            let class = cut.map_err(|error| error.class);
            assert_eq!((class, has_call), (Err(ErrorClass::StreamCut), false), "{provider} {delivery:?}");
        }
        let (failed, has_call, _) =
            read(Some(Delivery { error_after_event: number(4), ..Delivery::default() }));
        let error = failed.unwrap_err();
        assert_eq!((error.message.as_str(), has_call), ("Internal server error", false), "{provider}");

        server.reset();
        let held = Delivery { hold_after_event: number(4), ..Delivery::default() };
        let released = std::thread::scope(|scope| {
            let reading = scope.spawn(|| read(Some(held)).0.unwrap());
            server.wait(1, Until::Held, Duration::from_secs(10)).unwrap();
            assert_eq!(server.release(None), [1]);
            reading.join().unwrap()
        });
        assert_eq!(said(&released), whole, "{provider}");
    }
}
