use serde_json::json;

use super::super::arguments::{BrowserCall, read};
use super::*;

fn click() -> Action {
    let Ok(BrowserCall::Act(action)) = read("click_element", r#"{"selector":"e1"}"#) else {
        panic!("no action")
    };
    action
}

fn button(name: &str) -> Described {
    Described { role: "button".to_owned(), name: name.to_owned(), ..Described::default() }
}

fn of(name: &str) -> Option<Consequence> {
    consequence_of(&click(), &button(name))
}

#[test]
fn labels_that_pay_send_delete_bind_or_change_an_account_are_consequential() {
    use Consequence::{Account, Bind, Delete, Pay, Send};
    for (consequence, labels) in [
        (
            Pay,
            "Pay|Pay now|Pay €12.50|Buy now|Buy|Place order|Place your order|Checkout|Check out|Subscribe|Subscribe now|Donate|Donate $5|Place bid|Book now|Book this flight|Reserve a table|Top up|Transfer money|Withdraw|Complete purchase|ORDER NOW|支付|立即支付|确认支付|付款|去付款|立即购买|购买|提交订单|去结算|订阅|充值|转账|提现|立即预订|预订酒店|捐款",
        ),
        (
            Delete,
            "Delete|Delete message|Remove|Remove user|Clear all|Discard draft|Reset|Factory reset|Empty trash|Revoke access|Deactivate|Merge pull request|Erase|删除|删除账户|移除成员|清空购物车|丢弃草稿|重置|停用|撤销授权",
        ),
        (
            Send,
            "Send|Send message|Post|Publish|Publish now|Reply|Share|Comment|Invite|Submit|Forward|Repost|发送|发布|发表评论|回复|分享|评论|邀请|提交|转发",
        ),
        (
            Bind,
            "Sign|Accept|Accept all|Agree|I agree|Authorize|Allow|Grant access|Install|Approve|Confirm|签署|同意|接受|授权|允许|安装|绑定手机|确认",
        ),
        (
            Account,
            "Create account|Sign up|Register|Change password|Cancel plan|Cancel subscription|Log out|注册|修改密码|退出登录|解约|注销",
        ),
    ] {
        for label in labels.split('|') {
            assert!(of(label).is_some(), "{label} is missed");
            // Several kinds may fit; the worst is named.
            let _ = consequence;
        }
    }
}

#[test]
fn harmless_labels_are_not_consequential() {
    let labels = "Search|Filter|Sort by price|Next|Previous|Back|Show more|Load more|Add to basket|Add to cart|Open|Close|Cancel|\
        Sign in|Log in|Menu|Home|Settings|Profile|Help|Details|View|Expand|Collapse|Edit|Play|Pause|Mute|Download|Print|\
        Bookmark|Comments|12 comments|Replies|Orders|Order history|Posts|All posts|Share price|Reset filters|Apply filters|\
        Previous post|Zoom in|Map|List|Grid|Today|Tomorrow|Select all|Choose seat|One way|Round trip|Increase|Decrease|\
        Language|Theme|Dark mode|About|Contact|Terms|Privacy|Copy|Refresh|Save search|Like|Follow|\
        搜索|筛选|排序|下一页|上一页|返回|更多|加载更多|加入购物车|打开|关闭|取消|登录|菜单|首页|设置|帮助|详情|查看|展开|收起|编辑|播放|暂停|下载|打印|收藏|复制|刷新|选择座位|单程|往返|地图|列表";
    let labels: Vec<_> = labels.split('|').collect();
    let wrong: Vec<_> = labels.iter().filter(|label| of(label).is_some()).collect();
    assert!(wrong.len() * 20 <= labels.len(), "{wrong:?}");
}

#[test]
fn forms_with_personal_data_a_sum_or_a_heading_of_buying_are_consequential_when_sent() {
    let form =
        |form: DescribedForm, submits: bool| Described { form: Some(form), submits, ..button("Continue") };
    let personal = DescribedForm { personal: 2, ..DescribedForm::default() };
    assert_eq!(consequence_of(&click(), &form(personal.clone(), true)), Some(Consequence::PersonalData));
    assert_eq!(consequence_of(&click(), &form(personal, false)), None);
    let total = DescribedForm { total: true, ..DescribedForm::default() };
    assert_eq!(consequence_of(&click(), &form(total, true)), Some(Consequence::Pay));
    let heading = DescribedForm { heading: "Checkout".to_owned(), ..DescribedForm::default() };
    assert_eq!(consequence_of(&click(), &form(heading, true)), Some(Consequence::Pay));
    let search = DescribedForm { heading: "Search".to_owned(), ..DescribedForm::default() };
    assert_eq!(consequence_of(&click(), &form(search, true)), None);
}

#[test]
fn dialog_that_cannot_be_undone_makes_its_buttons_consequential_but_not_the_way_out() {
    let dialog = "Are you sure? This cannot be undone.".to_owned();
    let yes = Described { dialog: dialog.clone(), ..button("Yes") };
    let no = Described { dialog, ..button("Cancel") };
    assert_eq!(consequence_of(&click(), &yes), Some(Consequence::Delete));
    assert_eq!(consequence_of(&click(), &no), None);
}

#[test]
fn nameless_button_goes_by_its_icon_and_typing_by_nothing_until_it_submits() {
    let icon = Described { icon: "icon icon-trash".to_owned(), ..button("") };
    assert_eq!(consequence_of(&click(), &icon), Some(Consequence::Delete));
    let Ok(BrowserCall::Act(typing)) = read("input_text", r#"{"selector":"e1","text":"delete"}"#) else {
        panic!("no action");
    };
    let field = Described { role: "textbox".to_owned(), name: "Reply".to_owned(), ..Described::default() };
    assert_eq!(consequence_of(&typing, &field), None);
}

#[test]
fn card_has_the_pages_words_within_caps() {
    let element: Described = serde_json::from_value(json!({
        "ref": "e3", "role": "button", "name": "x".repeat(900), "form": {"heading": "Checkout"}, "submits": true,
    }))
    .unwrap();
    let card = card("click_element", &click(), &element, Some("pay.example"));
    assert_eq!(
        (card.name.len(), card.form.as_str(), card.frame.as_str()),
        (ActionCard::MOST, "Checkout", "pay.example")
    );
    assert_eq!(card.consequence, Some(Consequence::Pay));
}

#[test]
fn key_that_presses_a_button_has_its_consequence_and_a_submission_that_of_its_button() {
    for key in ["Enter", " ", "Space"] {
        let arguments = json!({"key": key}).to_string();
        let Ok(BrowserCall::Act(press)) = read("press_key", &arguments) else { panic!("no action") };
        assert_eq!(consequence_of(&press, &button("Delete account")), Some(Consequence::Delete), "{key}");
        assert_eq!(consequence_of(&press, &button("Next")), None, "{key}");
    }
    let Ok(BrowserCall::Act(submit)) = read("submit_form", r##"{"selector":"#f"}"##) else {
        panic!("no action")
    };
    let form = Described {
        role: "form".to_owned(),
        form: Some(DescribedForm::default()),
        submits: true,
        button: "Place order".to_owned(),
        ..Described::default()
    };
    assert_eq!(consequence_of(&submit, &form), Some(Consequence::Pay));
}

#[test]
fn menu_entries_are_pressed_and_messages_without_a_form_are_sent() {
    let act = |name: &str, arguments: &str| match read(name, arguments) {
        Ok(BrowserCall::Act(action)) => action,
        other => panic!("{other:?}"),
    };
    let choose = act("select_option", r#"{"selector":"e1","values":["Delete"]}"#);
    assert_eq!(consequence_of(&choose, &button("More actions")), Some(Consequence::Delete));
    let list = Described { role: "combobox".to_owned(), name: "Action".to_owned(), ..Described::default() };
    assert_eq!(consequence_of(&choose, &list), None);
    let field =
        |name: &str| Described { role: "textbox".to_owned(), name: name.to_owned(), ..Described::default() };
    for key in ["Enter", "Return"] {
        let press = act("press_key", &json!({"key": key}).to_string());
        assert_eq!(consequence_of(&press, &field("Message")), Some(Consequence::Send), "{key}");
        assert_eq!(consequence_of(&press, &field("Search mail")), None, "{key}");
    }
    let fields = r#"{"fields":[{"selector":"e1","text":"a"},{"selector":"e2","text":"b"}],"submit":true}"#;
    assert_eq!(act("input_text", fields).target, "e2");
}
