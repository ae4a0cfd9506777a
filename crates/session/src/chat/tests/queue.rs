//! Tests of queued messages.

use sidecar_protocol::picture::{NewPicture, Picture, PictureType};

use super::*;
use crate::history::{self, ThreadFiles};

/// A thread in which a turn runs and these messages are queued.
fn waiting(texts: &[&str]) -> ChatWorld {
    let mut world = ChatWorld::with(chatted("t.1"));
    world.send(Some(ID), "Second").unwrap();
    world.run();
    for text in texts {
        assert_eq!(world.send(Some(ID), text), Ok(None));
    }
    world.chat.take_effects();
    world
}

fn done() -> Vec<Event> {
    chatted("").split_off(1)
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn message_is_queued_while_a_turn_runs_and_panels_are_sent_the_queue() {
    let mut world = waiting(&[]);
    assert_eq!(world.send(Some(ID), "Third"), Ok(None));
    assert_eq!(world.chat.take_effects(), [Effect::ShowQueue(ID.into())]);
    assert_eq!(world.words(ID), (texts(&["Hello", "Second"]), texts(&["Third"])));
}

#[test]
fn queued_messages_are_sent_one_by_one_as_turns_end_as_done() {
    let mut world = waiting(&["Third", "Fourth"]);
    world.end_turn(ID, done());
    assert_eq!(world.run(), [ID.into()]);
    assert_eq!(world.words(ID), (texts(&["Hello", "Second", "Third"]), texts(&["Fourth"])));
    assert!(world.unfinished().contains(ID));
    world.end_turn(ID, done());
    assert_eq!(world.run(), [ID.into()]);
    world.end_turn(ID, done());
    assert_eq!((world.run(), world.unfinished().as_str()), (Vec::new(), "[]"));
}

#[test]
fn messages_stay_queued_when_the_turn_did_not_end_as_done() {
    for rest in
        [r#""stopped""#, r#"{"failed":{"error":{"class":"network"}}}"#, r#"{"callLimit":{"limit":1}}"#]
    {
        let mut world = waiting(&["Third"]);
        let rest = format!(r#"{{"event":"turnRested","rest":{rest}}}"#);
        world.end_turn(ID, vec![asked(), serde_json::from_str(&rest).unwrap()]);
        assert_eq!((world.run(), world.unfinished().as_str()), (Vec::new(), "[]"), "{rest}");
        assert_eq!(world.words(ID).1, ["Third"]);
    }
}

#[test]
fn queued_message_is_sent_on_the_current_page_when_the_user_sends_it_now() {
    let mut world = waiting(&["Third"]);
    world.end_turn(ID, vec![asked(), event(serde_json::json!({"event": "turnRested", "rest": "stopped"}))]);
    world.chat.take_effects();
    let mut here = place(Some(ID));
    here.page.tab = Some(TabId(9));
    let now = world.now();
    block_on(world.chat.send_queued_now(here, &FakeTabs(Vec::new()), now)).unwrap();
    let effects = world.chat.take_effects();
    let runs_there =
        |effect: &Effect| matches!(effect, Effect::Run(start) if start.page.tab == Some(TabId(9)));
    assert!(effects.iter().any(runs_there), "{effects:?}");
}

#[test]
fn queued_message_is_sent_on_its_page_without_the_tab_if_that_was_closed() {
    for (open, tab) in [(vec![7], Some(TabId(7))), (vec![], None)] {
        let mut world = waiting(&["Third"]);
        let (log, _inbox) = world.chat.threads.begin_turn(&ID.into()).unwrap();
        for event in done() {
            block_on(log.append(Entry { at: 200_000, event })).unwrap();
        }
        block_on(world.chat.turn_ended(&ID.into(), &FakeTabs(open), 300_000));
        let page = world.chat.take_effects().into_iter().find_map(|effect| match effect {
            Effect::Run(start) => Some(start.page),
            _ => None,
        });
        assert_eq!(page.map(|page| (page.tab, page.site)), Some((tab, "shop.example".to_owned())));
    }
}

#[test]
fn queued_message_that_was_sent_before_the_worker_died_is_not_sent_again() {
    let world = waiting(&["Third", "Fourth"]);
    let third = world.chat.queue.first(&ID.into()).unwrap();
    let (log, _inbox) = world.chat.threads.begin_turn(&ID.into()).unwrap();
    let said = Event::TurnStarted {
        turn: third.turn,
        text: third.text,
        attached: Vec::new(),
        pictures: Vec::new(),
        page: PageRef::default(),
    };
    for event in done().into_iter().chain([said]).chain(done()) {
        block_on(log.append(Entry { at: 200_000, event })).unwrap();
    }
    let mut next = world.restart();
    block_on(next.chat.revive(&FakeTabs(Vec::new()), 300_000));
    assert_eq!(next.run(), [ID.into()]);
    assert_eq!(next.words(ID), (texts(&["Hello", "Second", "Third", "Fourth"]), Vec::new()));
}

#[test]
fn queued_message_is_sent_by_the_next_worker() {
    let world = waiting(&["Third"]);
    let (log, _inbox) = world.chat.threads.begin_turn(&ID.into()).unwrap();
    for event in done() {
        block_on(log.append(Entry { at: 200_000, event })).unwrap();
    }
    let mut next = world.restart();
    block_on(next.chat.revive(&FakeTabs(vec![7]), 300_000));
    assert_eq!(next.run(), [ID.into()]);
    assert_eq!(next.words(ID).1, Vec::<String>::new());
}

#[test]
fn queued_message_that_cannot_be_written_stays_queued_and_is_reported() {
    let mut world = waiting(&["Third"]);
    let (log, _inbox) = world.chat.threads.begin_turn(&ID.into()).unwrap();
    for event in done() {
        block_on(log.append(Entry { at: 200_000, event })).unwrap();
    }
    world.disk.leave_room(Some(0));
    block_on(world.chat.turn_ended(&ID.into(), &FakeTabs(Vec::new()), 300_000));
    let effects = world.chat.take_effects();
    assert_eq!(effects.last(), Some(&Effect::Trouble(ID.into(), full())));
    assert_eq!((world.words(ID).1, world.unfinished().as_str()), (texts(&["Third"]), "[]"));
}

#[test]
fn queued_message_is_sent_once_when_it_cannot_be_removed() {
    let mut world = waiting(&["Third"]);
    let (log, _inbox) = world.chat.threads.begin_turn(&ID.into()).unwrap();
    for event in done() {
        block_on(log.append(Entry { at: 200_000, event })).unwrap();
    }
    world.memory.refuse(true);
    block_on(world.chat.turn_ended(&ID.into(), &FakeTabs(Vec::new()), 300_000));
    assert_eq!(world.run(), [ID.into()]);
    assert_eq!(world.words(ID), (texts(&["Hello", "Second", "Third"]), texts(&["Third"])));
    world.memory.refuse(false);
    world.end_turn(ID, done());
    assert_eq!((world.run(), world.words(ID).1), (Vec::new(), Vec::new()));
    assert_eq!(world.words(ID).0, texts(&["Hello", "Second", "Third"]));
}

#[test]
fn message_can_be_unqueued_only_while_it_is_queued() {
    let mut world = waiting(&["Third"]);
    let turn = world.chat.queue.first(&ID.into()).unwrap().turn;
    let back = block_on(world.chat.unqueue(Some(ID.into()), &turn)).unwrap();
    assert_eq!(back.map(|message| message.text).as_deref(), Some("Third"));
    assert_eq!(block_on(world.chat.unqueue(Some(ID.into()), &turn)), Ok(None));
    world.end_turn(ID, done());
    assert_eq!(world.run(), []);
}

#[test]
fn message_stays_queued_when_unqueueing_cannot_be_saved() {
    let mut world = waiting(&["Third"]);
    let turn = world.chat.queue.first(&ID.into()).unwrap().turn;
    world.memory.refuse(true);
    assert!(matches!(block_on(world.chat.unqueue(Some(ID.into()), &turn)), Err(Refusal::Storage { .. })));
    assert_eq!(world.words(ID).1, ["Third"]);
}

#[test]
fn message_is_refused_when_the_queue_is_full() {
    let many: Vec<String> = (0..10).map(|number| format!("Message {number}")).collect();
    let mut world = waiting(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(world.send(Some(ID), "One more"), Err(Refusal::Busy));
    assert_eq!(world.words(ID).1, many);
}

#[test]
fn message_is_not_queued_when_it_cannot_be_saved() {
    let mut world = waiting(&[]);
    world.memory.refuse(true);
    assert!(matches!(world.send(Some(ID), "Third"), Err(Refusal::Storage { .. })));
    assert!(world.words(ID).1.is_empty());
}

#[test]
fn unreadable_queue_accepts_no_message() {
    let memory = Memory::with(crate::queue::WaitingMessages::KEY, "{");
    let mut world = ChatWorld::of(Disk::with(ID, &log(chatted("t.1"))), memory);
    world.send(Some(ID), "Second").unwrap();
    world.run();
    assert_eq!(world.send(Some(ID), "Third"), Err(Refusal::Unread { value: SavedName::Queue }));
}

#[test]
fn queue_of_a_temporary_thread_is_dropped_with_it() {
    let mut world = ChatWorld::new();
    world.chat.is_private = true;
    let thread = world.send(None, "Hello").unwrap().unwrap();
    world.run();
    world.send(Some(&thread.0), "Second").unwrap();
    world.chat.forget_all_but(&[]);
    assert_eq!(world.chat.queue.view(&thread).len(), 1, "its turn runs still");
    world.turns.end(&thread);
    world.chat.forget_all_but(&[]);
    assert!(world.chat.queue.view(&thread).is_empty() && world.memory.text("queue").is_empty());
}

#[test]
fn pictures_are_kept_beside_the_log_and_go_with_the_thread() {
    let picture =
        |data: &str| NewPicture { media_type: PictureType::Jpeg, width: 8, height: 4, data: data.to_owned() };
    let mut world = ChatWorld::new();
    let mut send = |pictures: Vec<NewPicture>| {
        let moment = world.moment();
        block_on(world.chat.send(place(None), message("What is this?"), pictures, &moment))
    };
    assert_eq!(send(vec![picture("no picture")]), Err(Refusal::BadMessage));
    assert_eq!(send(vec![picture("/9j/AAAA"); Picture::MOST + 1]), Err(Refusal::BadMessage));
    let thread = send(vec![picture("/9j/AAAA")]).unwrap().unwrap();
    let log = world.disk.log(&thread.0);
    let Event::TurnStarted { pictures, .. } = &log[0].event else { panic!("{log:?}") };
    assert_eq!((pictures[0].size, pictures[0].width, pictures[0].height), (6, 8, 4));
    let data = |digest: &str| block_on(world.disk.picture(&thread, digest));
    assert_eq!(data(&pictures[0].digest).as_deref(), Some("/9j/AAAA"));
    assert_eq!(data("other"), None);
    block_on(history::delete(&world.disk, &thread, 1)).unwrap();
    block_on(world.disk.purge(std::slice::from_ref(&thread))).unwrap();
    assert_eq!(data(&pictures[0].digest), None);
}

#[test]
fn queued_and_edited_messages_keep_their_pictures() {
    let picture =
        NewPicture { media_type: PictureType::Jpeg, width: 8, height: 4, data: "/9j/AAAA".to_owned() };
    let mut world = waiting(&[]);
    let moment = world.moment();
    let sent = world.chat.send(place(Some(ID)), message("This"), vec![picture.clone()], &moment);
    assert_eq!(block_on(sent), Ok(None));
    let queued = world.chat.queue.view(&ID.into()).remove(0);
    let data = |world: &ChatWorld, digest: &str| block_on(world.chat.picture(Some(ID.into()), digest));
    assert_eq!(data(&world, &queued.pictures[0].digest).as_deref(), Some("/9j/AAAA"));
    let back = block_on(world.chat.unqueue(Some(ID.into()), &queued.id)).unwrap().unwrap();
    assert_eq!(back.pictures, queued.pictures);

    let mut world = ChatWorld::with(chatted("t.1"));
    let moment = world.moment();
    let item = "t.1.user".into();
    let edited = world.chat.edit(place(Some(ID)), &item, message("And this"), vec![picture], &moment);
    assert_eq!(block_on(edited), Ok(()));
    let log = world.disk.log(ID);
    let Some(Event::TurnStarted { pictures, .. }) = log.last().map(|entry| &entry.event) else {
        panic!("{log:?}")
    };
    assert_eq!(data(&world, &pictures[0].digest).as_deref(), Some("/9j/AAAA"));
    assert_eq!(data(&world, "other"), None);
}

#[test]
fn pictures_of_a_thread_have_a_limit() {
    let picture = |byte: char| {
        let data = format!("/9j/{}", byte.to_string().repeat(3_999_996));
        NewPicture { media_type: PictureType::Jpeg, width: 8, height: 4, data }
    };
    let mut world = ChatWorld::new();
    let mut thread = None;
    for byte in ('A'..='Z').take(20) {
        let moment = world.moment();
        let new = block_on(world.chat.send(
            place(thread.as_deref()),
            message("Look"),
            vec![picture(byte)],
            &moment,
        ));
        thread = thread.or(new.unwrap().map(|id| id.0));
        world.chat.take_effects();
    }
    let moment = world.moment();
    let mut send = |picture| {
        block_on(world.chat.send(place(thread.as_deref()), message("Look"), vec![picture], &moment))
    };
    assert_eq!(send(picture('a')), Err(Refusal::ManyPictures));
    assert_eq!(send(picture('A')), Ok(None), "the same picture takes no more room");
}
