use futures::executor::block_on;

use super::*;
use crate::testing::{Bell, Memory};

fn list(memory: &Memory, bell: &Bell) -> UnfinishedThreads<Memory, Bell> {
    block_on(UnfinishedThreads::load(memory.clone(), bell.clone()))
}

#[test]
fn alarm_is_set_with_the_first_thread_and_cleared_with_the_last() {
    let bell = Bell::default();
    let mut list = list(&Memory::default(), &bell);
    for thread in ["a", "b", "a"] {
        block_on(list.add(&thread.into()));
    }
    assert_eq!(bell.counts(), (1, 0));
    block_on(list.remove(&"a".into()));
    assert_eq!(bell.counts(), (1, 0));
    for _ in 0..2 {
        block_on(list.remove(&"b".into()));
    }
    assert_eq!(bell.counts(), (1, 1));
}

#[test]
fn thread_is_on_the_list_of_the_next_worker_until_its_turn_ends() {
    let memory = Memory::default();
    let mut first = list(&memory, &Bell::default());
    block_on(first.add(&"a".into()));
    block_on(first.add(&"b".into()));
    let mut next = list(&memory, &Bell::default());
    assert_eq!(next.all(), ["a".into(), "b".into()]);
    block_on(next.remove(&"a".into()));
    assert_eq!(list(&memory, &Bell::default()).all(), ["b".into()]);
}

#[test]
fn leftover_alarm_is_cleared_when_nothing_is_unfinished() {
    let bell = Bell::default();
    let mut list = list(&Memory::default(), &bell);
    block_on(list.clear_alarm_if_empty());
    assert_eq!(bell.counts(), (0, 1));
    block_on(list.add(&"a".into()));
    block_on(list.clear_alarm_if_empty());
    assert_eq!(bell.counts(), (1, 1));
}

#[test]
fn thread_is_on_the_list_even_if_the_list_cannot_be_written() {
    let memory = Memory::default();
    memory.refuse(true);
    let mut list = list(&memory, &Bell::default());
    block_on(list.add(&"a".into()));
    assert_eq!(list.all(), ["a".into()]);
}
