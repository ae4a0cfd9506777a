//! A page action in an approval card: what it would do to which element, in the extension's own reading.

use leptos::prelude::*;
use sidecar_protocol::policy::AskReason;
use sidecar_protocol::{ActionCard, Consequence, PageAccess, UserInput};
use sidecar_ui::words::{Word, Words};

use crate::views::chat::thumbnail::SentPictures;
use crate::word;

/// The tool whose action is on no page that is there.
const OPEN_TAB: &str = "open_tab";

/// The access that a call asks for, if it does.
pub fn wanted_access(why: &[AskReason]) -> Option<PageAccess> {
    why.iter().find_map(|why| if let AskReason::PageAccess { access } = why { Some(*access) } else { None })
}

/// Whether an argument only says which element in which tab is meant. The card names them instead, as they are.
pub fn is_target(argument: &str) -> bool {
    matches!(argument, "ref" | "selector" | "tabId")
}

/// The title of the card of a request for access or of a page action.
pub fn title(words: Words, why: &[AskReason], site: &str) -> Option<String> {
    if let Some(access) = wanted_access(why) {
        let word = match access {
            PageAccess::Read => word::APPROVAL_ACCESS_READ,
            PageAccess::Act => word::APPROVAL_ACCESS_ACT,
        };
        return Some(words.fill(word, &[("site", site)]));
    }
    let card = AskReason::card_in(why)?;
    if let Some(input) = card.by_user {
        let word = match input {
            UserInput::Secret => word::ACTION_BY_USER,
            UserInput::File => word::ACTION_BY_USER_FILE,
            UserInput::Challenge => word::ACTION_BY_USER_CHALLENGE,
        };
        return Some(words.fill(word, &[("target", &target(card)), ("site", site)]));
    }
    if card.action == OPEN_TAB {
        return Some(action(words, card));
    }
    Some(words.fill(word::ACTION_ON, &[("action", &action(words, card)), ("site", site)]))
}

/// Where the element is, and what the action may bring about.
pub fn details(words: Words, card: &ActionCard) -> AnyView {
    let places = [
        (word::ACTION_TAB, card.tab.clone()),
        (word::ACTION_FORM, card.form.clone()),
        (word::ACTION_DIALOG, card.dialog.clone()),
    ];
    let places = places
        .into_iter()
        .filter(|(_, name)| !name.is_empty())
        .map(|(word, name)| {
            let place = move || words.fill(word, &[("name", &quoted(&name))]);
            view! { <div>{place}</div> }.into_any()
        })
        .collect_view();
    let consequence = card.consequence.map(|consequence| {
        let word = consequence_word(consequence);
        view! { <div data-testid="action-consequence">{words.text(word)}</div> }.into_any()
    });
    let by_user = card.by_user.map(|input| {
        let word = match input {
            UserInput::Secret => word::ACTION_BY_USER_WHY,
            UserInput::File => word::ACTION_BY_USER_FILE_WHY,
            UserInput::Challenge => word::ACTION_BY_USER_CHALLENGE_WHY,
        };
        view! { <div data-testid="action-by-user">{words.text(word)}</div> }.into_any()
    });
    let picture = card
        .picture
        .clone()
        .map(|picture| view! { <SentPictures pictures=vec![picture] fleeting=true /> }.into_any());
    view! {
        <div class="change" data-testid="action-card">
            {picture}
            {places}
            {consequence}
            {by_user}
        </div>
    }
    .into_any()
}

fn action(words: Words, card: &ActionCard) -> String {
    let word = match card.action.as_str() {
        "hover" => word::ACTION_HOVER,
        "input_text" => word::ACTION_INPUT,
        "select_option" => word::ACTION_SELECT,
        "press_key" => word::ACTION_PRESS,
        "drag" => word::ACTION_DRAG,
        "submit_form" => word::ACTION_SUBMIT,
        "navigate_to" => word::ACTION_LEAVE,
        "close_tab" => word::ACTION_CLOSE,
        OPEN_TAB => word::ACTION_OPEN,
        _ => word::ACTION_CLICK,
    };
    words.fill(word, &[("target", &target(card))])
}

/// The element, by its name or role.
fn target(card: &ActionCard) -> String {
    match (card.name.is_empty(), card.role.is_empty()) {
        (false, _) => quoted(&card.name),
        (true, false) => card.role.clone(),
        (true, true) => "?".to_owned(),
    }
}

/// A text of the page, told apart from ours.
fn quoted(text: &str) -> String {
    format!("“{text}”")
}

fn consequence_word(consequence: Consequence) -> Word {
    match consequence {
        Consequence::Pay => word::ACTION_CONSEQUENCE_PAY,
        Consequence::Send => word::ACTION_CONSEQUENCE_SEND,
        Consequence::Delete => word::ACTION_CONSEQUENCE_DELETE,
        Consequence::Bind => word::ACTION_CONSEQUENCE_BIND,
        Consequence::Account => word::ACTION_CONSEQUENCE_ACCOUNT,
        Consequence::PersonalData => word::ACTION_CONSEQUENCE_PERSONAL_DATA,
        Consequence::SensitiveAddress => word::ACTION_CONSEQUENCE_SENSITIVE_ADDRESS,
        Consequence::Unsaved => word::ACTION_CONSEQUENCE_UNSAVED,
    }
}
