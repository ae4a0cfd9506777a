use super::*;

fn asking(call: &str, thread: &str, tab: Option<i32>) -> Asking {
    let approval = PendingApproval {
        call_id: call.into(),
        thread_id: Some(thread.into()),
        title: "Seats".to_owned(),
        tool: "buy".to_owned(),
        site: "shop.example".to_owned(),
        question: None,
        item: None,
    };
    Asking { approval, tab: tab.map(TabId), document: None }
}

#[test]
fn call_in_a_thread_that_no_panel_shows_is_notified_once() {
    let mut attention = Attention::default();
    let one = asking("c1", "t1", Some(7));
    let notices = attention.take(vec![one.clone()], &["t2".into()]).unwrap();
    assert_eq!((notices.shown, notices.has_toggled), (vec![one.clone()], true));
    assert_eq!(attention.take(vec![one.clone()], &[]), None);
    let notices = attention.take(vec![one, asking("c2", "t2", Some(8))], &[]).unwrap();
    assert_eq!(notices.shown, [asking("c2", "t2", Some(8))]);
    assert!(!notices.has_toggled && attention.is_wanted());
}

#[test]
fn call_in_a_thread_that_a_panel_shows_is_not_notified() {
    let mut attention = Attention::default();
    let notices = attention.take(vec![asking("c1", "t1", Some(7))], &["t1".into()]).unwrap();
    assert_eq!((notices.shown, notices.has_toggled), (Vec::new(), true));
    assert_eq!(attention.approvals().len(), 1);
}

#[test]
fn call_of_no_turn_waits_beside_those_of_threads_until_it_waits_no_more() {
    let mut attention = Attention::default();
    let mut direct = asking("d1", "", Some(7));
    direct.approval.thread_id = None;
    attention.asks(direct.clone());
    let of_thread = asking("c1", "t1", Some(8));
    let notices = attention.take(vec![of_thread.clone()], &["t1".into()]).unwrap();
    assert_eq!((notices.shown, attention.approvals().len()), (vec![direct.clone()], 2));
    direct.approval.title = "asks for another reason".to_owned();
    attention.asks(direct.clone());
    let notices = attention.take(vec![of_thread.clone()], &[]).unwrap();
    assert!(notices.shown.is_empty(), "it has been notified");
    attention.asks_no_more(&"d1".into());
    let notices = attention.take(vec![of_thread], &[]).unwrap();
    assert_eq!(notices.taken_away, ["7 d1"]);
}

#[test]
fn call_without_a_tab_is_listed_and_not_notified() {
    let mut attention = Attention::default();
    let notices = attention.take(vec![asking("c1", "t1", None)], &[]).unwrap();
    assert!(notices.shown.is_empty() && attention.is_wanted());
    let notices = attention.take(Vec::new(), &[]).unwrap();
    assert!(notices.taken_away.is_empty() && notices.has_toggled);
}

#[test]
fn notification_is_cleared_when_its_call_no_longer_waits() {
    let mut attention = Attention::default();
    let (one, other) = (asking("c1", "t1", Some(7)), asking("c2", "t2", Some(8)));
    attention.take(vec![one, other.clone()], &[]).unwrap();
    let notices = attention.take(vec![other], &[]).unwrap();
    assert_eq!((notices.taken_away, notices.has_toggled), (vec!["7 c1".to_owned()], false));
    let notices = attention.take(Vec::new(), &[]).unwrap();
    assert_eq!((notices.taken_away, notices.has_toggled), (vec!["8 c2".to_owned()], true));
}

#[test]
fn notifications_of_a_thread_are_cleared_when_a_panel_shows_it() {
    let mut attention = Attention::default();
    attention.take(vec![asking("c1", "t1", Some(7)), asking("c2", "t2", Some(8))], &[]).unwrap();
    assert_eq!(attention.seen(&"t1".into()), ["7 c1"]);
    assert!(attention.seen(&"t3".into()).is_empty());
    assert_eq!(attention.approvals().len(), 2, "it asks all the same");
}

#[test]
fn notification_id_contains_its_tab() {
    let id = asking("t.1.0 x", "t", Some(12)).notification().unwrap();
    assert_eq!(tab_of(&id), Some(TabId(12)));
    for strange in ["", "x", " 7", "download"] {
        assert_eq!(tab_of(strange), None, "{strange:?}");
    }
}
