//! What an action would do, before it is done: the element is described for the card, and once more for the action. What
//! is the user's to give is handed over to the user.

use std::rc::Rc;

use serde::Deserialize;
use serde_json::{Value, json};
use sidecar_agent::browser_tools::{Action, Described, NavigationScope, Scroll, Why, card, failed};
use sidecar_agent::{Examined, challenge, sensitive};
use sidecar_protocol::thread::ToolOutcome;
use sidecar_protocol::{
    ActionCard, ActionOutcome, CallId, Consequence, DocumentId, FrameId, PageAccess, TabId, UserInput,
};
use sidecar_webmcp::Address;

use super::frames::{ActionFrame, ask_each};
use super::link::Lost;
use super::{ACTION_LIMIT_MS, Acted, PageActions, lost, outcome};
use crate::browser::BrowserPort;
use crate::tabs::TabInfo;

/// What the user is asked about.
#[derive(Clone)]
pub(super) struct ExaminedAction {
    pub tab: TabId,
    /// The element's ref or selector.
    pub target: String,
    pub document: DocumentId,
    request: Value,
    card: ActionCard,
}

/// An element as it is in its document now.
pub(super) struct DescribedTarget<B> {
    frame: Rc<ActionFrame<B>>,
    card: ActionCard,
    /// Role, name and form as the page script compares them.
    approved: Value,
}

/// An element that stays lit until the user has done what is theirs, or declines.
pub(super) struct HandOver<B> {
    call: CallId,
    /// The document that has it.
    frame: Rc<ActionFrame<B>>,
    /// The document whose sign says so.
    top: Option<Rc<ActionFrame<B>>>,
}

impl<B: BrowserPort> PageActions<B> {
    /// What an action would do, in the extension's own reading.
    ///
    /// # Errors
    /// The outcome with which the call ends.
    pub async fn examine(
        &self,
        call: &CallId,
        tool: &str,
        tab: TabId,
        action: &Action,
    ) -> Result<Examined, Box<ToolOutcome>> {
        if action.scroll == Scroll::Only {
            return Ok(Examined::default());
        }
        let DescribedTarget { frame, card, approved: _ } = self.describe(tool, tab, action).await?;
        if card.by_user.is_some() {
            self.hand_over(call, tab, &frame, &action.target).await?;
        }
        let frame_origin = (!card.frame.is_empty()).then(|| frame.origin.clone());
        let (request, document) = (action.request.clone(), frame.document.clone());
        let target = action.target.clone();
        let examined = ExaminedAction { tab, target, request, card: card.clone(), document };
        self.examined.borrow_mut().insert(call.clone(), examined);
        Ok(Examined { access: None, card: Some(card), frame_origin })
    }

    /// Lights the field that the user is to fill, and says so in the page.
    async fn hand_over(
        &self,
        call: &CallId,
        tab: TabId,
        frame: &Rc<ActionFrame<B>>,
        target: &str,
    ) -> Result<(), Box<ToolOutcome>> {
        let top = self.frames(tab, PageAccess::Act).await?.top();
        self.end_hand_over().await;
        let hand_over = HandOver { call: call.clone(), frame: frame.clone(), top };
        self.say_in_page(hand_over.top.as_deref(), self.light.your_turn).await;
        let point = json!({"do": "point", "element": target});
        let _ = frame.ask(&self.browser, point, ACTION_LIMIT_MS).await;
        self.hand_over.replace(Some(hand_over));
        Ok(())
    }

    /// Puts the light out that asks the user to fill a field.
    pub(super) async fn end_hand_over(&self) {
        let Some(HandOver { frame, top, .. }) = self.hand_over.take() else { return };
        let _ = frame.ask(&self.browser, json!({"do": "point"}), ACTION_LIMIT_MS).await;
        self.say_in_page(top.as_deref(), self.light.label).await;
    }

    pub(super) async fn say_in_page(&self, top: Option<&ActionFrame<B>>, label: &str) {
        let Some(top) = top else { return };
        let light = json!({"do": "light", "on": true, "word": {"label": label, "stop": self.light.stop}});
        let _ = top.ask(&self.browser, light, ACTION_LIMIT_MS).await;
    }

    /// The user declined a call that was examined.
    pub async fn dismiss(&self, call: &CallId) {
        self.examined.borrow_mut().remove(call);
        let is_of_call = self.hand_over.borrow().as_ref().is_some_and(|handed| handed.call == *call);
        if is_of_call {
            self.end_hand_over().await;
        }
    }

    /// What speaks against leaving a page, for the address `to` if it is led there: what the agent typed there and
    /// nobody sent would be lost, and an address can be an action on a sensitive site.
    pub async fn examine_leaving(&self, tool: &str, tab: TabId, to: Option<&str>) -> Examined {
        let unsaved = self.has_unsaved(tab).await.then_some(Consequence::Unsaved);
        let Some(TabInfo { url, title, .. }) = self.browser.tab(tab).await else {
            return Examined::default();
        };
        // What the user allowed here says nothing of another site.
        let elsewhere = to.filter(|to| sensitive::kind_of(to).is_some() && origin_of(to) != origin_of(&url));
        let consequence = unsaved.or(elsewhere.map(|_| Consequence::SensitiveAddress));
        let sensitive = to.and_then(|to| sensitive::kind_of(to).or_else(|| sensitive::kind_of(&url)));
        if consequence.is_none() && sensitive.is_none() {
            return Examined::default();
        }
        let card = ActionCard {
            action: tool.to_owned(),
            role: "document".to_owned(),
            name: title.chars().take(ActionCard::MOST).collect(),
            tab: self.name_of(tab, &title),
            consequence,
            sensitive,
            ..ActionCard::default()
        };
        Examined { card: Some(card), ..Examined::default() }
    }

    /// What speaks against opening an address in a new tab: on a sensitive site an address can be an action. Nothing
    /// where it will be refused anyhow.
    pub fn examine_opening(&self, tool: &str, url: &str) -> Examined {
        let Some(kind) = sensitive::kind_of(url).filter(|_| !self.hides(url)) else {
            return Examined::default();
        };
        let card = ActionCard {
            action: tool.to_owned(),
            role: "document".to_owned(),
            name: url.chars().take(ActionCard::MOST).collect(),
            consequence: Some(Consequence::SensitiveAddress),
            sensitive: Some(kind),
            ..ActionCard::default()
        };
        Examined { card: Some(card), ..Examined::default() }
    }

    /// The title of a tab, if it is not the turn's own.
    fn name_of(&self, tab: TabId, title: &str) -> String {
        match self.own {
            Some(own) if own == tab => String::new(),
            Some(_) | None => title.chars().take(ActionCard::MOST).collect(),
        }
    }

    /// Whether something that the agent wrote in a page and nobody sent is in it, in a frame of it too.
    async fn has_unsaved(&self, tab: TabId) -> bool {
        let Ok(frames) = self.frames(tab, PageAccess::Act).await else { return false };
        self.is_one_unsaved(&frames.all()).await
    }

    async fn is_one_unsaved(&self, frames: &[Rc<ActionFrame<B>>]) -> bool {
        let is_unsaved = |said: &Result<Value, Lost>| {
            said.as_ref().is_ok_and(|said| said["count"].as_u64().unwrap_or_default() > 0)
        };
        let said = ask_each(&self.browser, frames, &json!({"do": "unsaved"}), 0, is_unsaved).await;
        said.iter().any(|(_, said)| is_unsaved(said))
    }

    /// What an action is about, in the document that has it now.
    async fn describe(
        &self,
        tool: &str,
        tab: TabId,
        action: &Action,
    ) -> Result<DescribedTarget<B>, Box<ToolOutcome>> {
        let frames = self.frames(tab, PageAccess::Act).await?;
        let frame = frames.of_target(&action.target).ok_or_else(|| outcome(ActionOutcome::Stale))?;
        let (mut described, approved) = self.element(&frame, &action.target, action).await?;
        described.leaves = match described.leads {
            None => false,
            Some(_) if described.unsent => true,
            // With a document its frames go as well.
            Some(NavigationScope::Frame) if frame.frame != FrameId::TOP => {
                let below =
                    frames.tree().await.map_or_else(|_| Vec::new(), |tree| tree.below(&frame.document));
                self.is_one_unsaved(&below).await
            }
            Some(NavigationScope::Frame | NavigationScope::Tab) => {
                let mut others = frames.all();
                others.retain(|other| other.document != frame.document);
                self.is_one_unsaved(&others).await
            }
        };
        let by_user = by_user(action, &described)?;
        let other = frames.other_origin(&frame);
        let mut card = card(tool, action, &described, other.as_deref());
        let mut is_challenge = frame.is_challenge || challenge::is_element(&described.role, &described.name);
        if let Some(TabInfo { url, title, .. }) = self.browser.tab(tab).await {
            card.sensitive = sensitive::kind_of(&url);
            card.tab = self.name_of(tab, &title);
            is_challenge |= challenge::is_titled(&title);
        }
        if let Some(goal) = action.request["to"].as_str().filter(|_| action.request["act"] == "drag") {
            if frames.of_target(goal).is_none_or(|goal| goal.document != frame.document) {
                let why = Why { code: "crossFrame".to_owned(), ..Why::default() };
                return Err(Box::new(failed(ActionOutcome::Blocked, Some(&why))));
            }
            let (goal, _) = self.element(&frame, goal, action).await?;
            is_challenge |= challenge::is_element(&goal.role, &goal.name);
            let goal = self::card(tool, action, &goal, None);
            let of =
                |card: &ActionCard| if card.name.is_empty() { card.role.clone() } else { card.name.clone() };
            card.name = format!("{} → {}", of(&card), of(&goal));
            card.consequence = card.consequence.or(goal.consequence);
        }
        if by_user.is_some() {
            (card.by_user, card.consequence) = (by_user, None);
        } else if is_challenge {
            // That the page calls it so makes it no less serious.
            card.by_user = Some(UserInput::Challenge);
        }
        Ok(DescribedTarget { frame, card, approved })
    }

    /// An element of a document, and what is compared again before it is acted on.
    async fn element(
        &self,
        frame: &ActionFrame<B>,
        target: &str,
        action: &Action,
    ) -> Result<(Described, Value), Box<ToolOutcome>> {
        let Action { request, .. } = action;
        let request = json!({
            "do": "describe", "target": target, "act": request["act"], "key": request["key"],
            "modifiers": request["modifiers"], "submit": request["submit"],
        });
        let described = frame.ask(&self.browser, request, ACTION_LIMIT_MS).await.map_err(lost)?;
        if let Some(Acted { outcome: Some(outcome), why, .. }) =
            Acted::deserialize(&described).ok().filter(|acted| acted.outcome != Some(ActionOutcome::Ok))
        {
            return Err(Box::new(failed(outcome, why.as_ref())));
        }
        let approved = approved_of(action, &described);
        let mut described =
            Described::deserialize(&described).map_err(|_| outcome(ActionOutcome::Blocked))?;
        if let Some(form) = described.form.as_mut().filter(|form| form.origin == frame.origin) {
            form.origin.clear();
        }
        Ok((described, approved))
    }

    /// The document in which an action is done, and what its element must still be there: checks that it is
    /// the one that the user was asked about. After the death of a worker nobody knows what that was: then an
    /// action with consequences is not done.
    pub(super) async fn approved(
        &self,
        call: &CallId,
        tool: &str,
        tab: TabId,
        action: &Action,
    ) -> Result<(Rc<ActionFrame<B>>, Value), Box<ToolOutcome>> {
        if action.scroll == Scroll::Only {
            let frames = self.frames(tab, PageAccess::Read).await?;
            let frame = frames.of_target(&action.target).ok_or_else(|| outcome(ActionOutcome::Stale))?;
            return Ok((frame, Value::Null));
        }
        let DescribedTarget { frame, card, approved } = self.describe(tool, tab, action).await?;
        let known = self.examined.borrow_mut().remove(call);
        let holds = match known {
            Some(known) if action.request == known.request => {
                known.card.is_about_same(&card) && known.document == frame.document
            }
            Some(_) | None => card.consequence.is_none() && card.frame.is_empty(),
        };
        // The user does what is theirs, and was asked to.
        let holds = holds && card.by_user.is_none();
        if holds { Ok((frame, approved)) } else { Err(outcome(ActionOutcome::Changed)) }
    }
}

fn origin_of(url: &str) -> String {
    Address::of(url).origin()
}

/// What of an action is the user's to do: to fill a secret field, or to choose a file.
///
/// # Errors
/// The outcome, if the action would do something else with such a field, or with others too.
fn by_user(action: &Action, described: &Described) -> Result<Option<UserInput>, Box<ToolOutcome>> {
    let act = action.request["act"].as_str().unwrap_or_default();
    let is_alone = action.request["fields"].as_array().is_none_or(|fields| fields.len() == 1);
    let (input, code, can_ask) = match described {
        Described { file: true, .. } => (UserInput::File, "fileField", matches!(act, "click" | "fill")),
        Described { secret: true, .. } if act == "fill" => (UserInput::Secret, "secretField", true),
        _ => return Ok(None),
    };
    if is_alone && can_ask {
        return Ok(Some(input));
    }
    let why = Why { code: code.to_owned(), ..Why::default() };
    Err(Box::new(failed(ActionOutcome::Refused, Some(&why))))
}

/// What the page script compares before it acts. It does so with the first field; the card is about the one
/// whose form is sent.
fn approved_of(action: &Action, described: &Value) -> Value {
    let is_about_it = match action.request["act"].as_str() {
        Some("fill") => action.request["fields"][0]["target"] == action.target,
        Some(_) | None => true,
    };
    if is_about_it { described["approved"].clone() } else { Value::Null }
}
