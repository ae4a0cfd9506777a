//! The user's grants. Each can be taken back, and taking back can be undone.

use leptos::prelude::*;
use sidecar_protocol::PageAccess;
use sidecar_protocol::link::PoliciesCommand;
use sidecar_protocol::policy::{Grant, PolicyKey};
use sidecar_protocol::saved::SavedName;
use sidecar_ui::text::address::site_line;
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::keyed_list::KeyedList;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::phrases::policy::policy_word;
use crate::state::{PanelState, host, use_state};
use crate::views::choice::policy_name;
use crate::views::settings::undo::UndoOffer;
use crate::word;

/// The list.
#[component]
pub fn GrantList() -> impl IntoView {
    let words = use_words();
    let PanelState { connection, policies, .. } = use_state();
    let taken_back = RwSignal::new(Vec::<PolicyKey>::new());
    let can_undo = RwSignal::new(false);
    let keys = Signal::derive(move || {
        policies.grants.with(|grants| grants.iter().map(|it| format!("{it:?}")).collect())
    });
    let row = move |place: usize| {
        let grant = policies.grants.with_untracked(|grants| grants.get(place).cloned());
        let take_back = move |key: PolicyKey| {
            connection.send(PoliciesCommand::Set { key: key.clone(), policy: None, digest: None });
            taken_back.set(vec![key]);
            can_undo.set(true);
        };
        grant.map(|grant| view! { <Row grant=grant take_back=Callback::new(take_back) /> }).into_any()
    };
    let undo = move |()| {
        for key in taken_back.get_untracked() {
            connection.send(PoliciesCommand::Restore { key });
        }
    };
    let take_all_back = move |_| {
        let keys =
            policies.grants.with_untracked(|grants| grants.iter().map(|grant| grant.key.clone()).collect());
        if connection.send(PoliciesCommand::TakeBackAll) {
            taken_back.set(keys);
            can_undo.set(true);
        }
    };
    let said = Signal::derive(move || {
        taken_back.with(|keys| match keys.as_slice() {
            [] => String::new(),
            [PolicyKey::TestBridge { origin }] => {
                let site = host(origin).unwrap_or(origin);
                words.fill(word::GRANTS_TEST_BRIDGE_TAKEN_BACK, &[("site", site)])
            }
            [key] => words.fill(word::GRANTS_TAKEN_BACK, &[("tool", &name_of(words, key))]),
            keys => {
                let count = u64::try_from(keys.len()).unwrap_or_default();
                words.fill(word::GRANTS_TAKEN_BACK_MORE, &[("count", &words.number(count))])
            }
        })
    });
    view! {
        <div data-testid="grants">
            <Show when=move || policies.grants.with(Vec::is_empty) && !policies.is_unread(SavedName::Grants)>
                <p class="meta">{words.text(word::GRANTS_NONE)}</p>
            </Show>
            <ul class="rows grants">
                <KeyedList keys=keys row=row />
            </ul>
            <Show when=move || policies.grants.with(|grants| grants.len() > 1)>
                <WordButton testid="grants-take-back-all" word=word::GRANTS_TAKE_BACK_ALL class="start" press=take_all_back />
            </Show>
            <UndoOffer testid="grant-undo" open=can_undo said=said undo=undo />
        </div>
    }
}

#[component]
fn Row(grant: Grant, take_back: Callback<PolicyKey>) -> impl IntoView {
    let words = use_words();
    let Grant { key, policy, at } = grant;
    let name = key.name().unwrap_or_default().to_owned();
    let shown = name_of(words, &key);
    let is_tool = shown == name;
    let origin = key.origin().unwrap_or_default();
    let site = host(origin).unwrap_or(origin).to_owned();
    let whole = site.clone();
    view! {
        <li class="grant" data-testid="grant-row" data-name=name data-policy=policy_name(Some(policy))>
            <span class="row-main">
                <span class="row-head">
                    <span class="tool-name" class:plain=!is_tool>{shown}</span>
                    <span class="mark">{words.text(policy_word(Some(policy)))}</span>
                </span>
                <span class="meta row-meta">
                    <span class="row-site" title=whole>{site_line(move || site.clone())}</span>
                    <span>{Signal::derive(move || words.moment(at))}</span>
                </span>
            </span>
            <WordButton
                testid="grant-take-back"
                word=word::GRANTS_TAKE_BACK
                press=move |_| take_back.run(key.clone())
            />
        </li>
    }
}

/// The tool or the kind of action that a grant is about, or the whole site.
fn name_of(words: Words, key: &PolicyKey) -> String {
    let word = match key {
        PolicyKey::Action { action, .. } => action_word(action),
        PolicyKey::Site { .. } => Some(word::GRANTS_WHOLE_SITE),
        PolicyKey::TestBridge { .. } => Some(word::GRANTS_TEST_BRIDGE),
        PolicyKey::Tool { .. } | PolicyKey::Skill { .. } | PolicyKey::Server { .. } => None,
    };
    word.map_or_else(|| key.name().unwrap_or_default().to_owned(), |word| words.get(word).to_owned())
}

/// A kind of action of the extension itself; `None` for one that this version does not know.
fn action_word(action: &str) -> Option<Word> {
    let access = PageAccess::named(action).map(|access| match access {
        PageAccess::Read => word::GRANTS_READ,
        PageAccess::Act => word::GRANTS_ACT,
    });
    access.or(match action {
        "click_element" => Some(word::GRANTS_ACTION_CLICK),
        "hover" => Some(word::GRANTS_ACTION_HOVER),
        "input_text" => Some(word::GRANTS_ACTION_INPUT),
        "select_option" => Some(word::GRANTS_ACTION_SELECT),
        "press_key" => Some(word::GRANTS_ACTION_PRESS),
        "drag" => Some(word::GRANTS_ACTION_DRAG),
        "submit_form" => Some(word::GRANTS_ACTION_SUBMIT),
        "navigate_to" => Some(word::GRANTS_ACTION_LEAVE),
        "open_tab" => Some(word::GRANTS_ACTION_OPEN),
        "switch_tab" => Some(word::GRANTS_ACTION_SWITCH),
        "close_tab" => Some(word::GRANTS_ACTION_CLOSE),
        _ => None,
    })
}
