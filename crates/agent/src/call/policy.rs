//! Whether a call may run: the user's policy for its tool, the mode, and the signals.

use sidecar_protocol::guard::Flow;
use sidecar_protocol::policy::{AllowedBy, AskReason, Policy};
use sidecar_protocol::settings::Mode;
use sidecar_protocol::thread::ToolFailure;
use sidecar_protocol::tool::Caller;
use sidecar_protocol::{ActionCard, ActionOutcome, Risk, UserInput};

use super::tool_call::ToolCall;
use crate::log::Target;
use crate::ports::{CurrentTool, Examined};

/// The result of judging a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It runs, allowed by this.
    Pass(AllowedBy),
    /// It asks the user, for these reasons.
    Ask(Vec<AskReason>),
    /// It is refused: the user has switched its tool off.
    Off,
}

/// What makes a call ask, apart from repairs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signals {
    /// How the guard of its conversation applies to its tool.
    pub guard: Guard,
    /// Data of other origins that it would send to its own.
    pub flows: Flows,
    /// Whether the model repeats it although it was told that it had succeeded.
    pub is_repeated: bool,
}

/// How the guard of a conversation applies to a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Guard {
    /// The guard is off.
    #[default]
    Off,
    /// Only texts of the tool's own origin are suspected.
    SameOrigin,
    /// A text of another origin is suspected.
    OtherOrigin,
}

/// Data of other origins that a call would send to its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flows {
    /// Flows that the user has not allowed.
    pub asking: Vec<Flow>,
    /// Whether there are flows that the user has allowed.
    pub are_allowed: bool,
}

/// The risk of a call: that of its tool when the model was offered it, or that of its tool now, whichever
/// is greater.
#[must_use]
pub fn risk(target: &Target, current: &CurrentTool) -> Risk {
    target.risk().max(current.risk)
}

/// Whether a call that was allowed may still run. Meanwhile the page can have changed the tool, and the
/// user the policy; a user who calls by hand may know that the tool is off.
///
/// # Errors
/// The failure with which the call ends instead.
pub fn still_holds(call: &ToolCall, target: &Target, current: &CurrentTool) -> Result<(), ToolFailure> {
    if current.policy == Some(Policy::Off) && !call.knows_off {
        return Err(ToolFailure::Off);
    }
    if current.has_left(target) {
        return Err(ToolFailure::Action(ActionOutcome::Navigated));
    }
    match &target.fingerprint {
        Some(then) if *then != current.fingerprint => Err(ToolFailure::Changed),
        Some(_) | None => Ok(()),
    }
}

/// What the user is asked to give in the page, if the call is handed over.
#[must_use]
pub fn handed_over(why: &[AskReason]) -> Option<UserInput> {
    AskReason::card_in(why)?.by_user
}

/// Judges a call by the user's policy.
///
/// A signal asks in every mode and whatever policy there is, because it concerns this call and not its
/// tool. A read-only tool changes nothing, but its page learns the arguments. So it asks like any other if
/// they contain data of another origin, and on guard if a text of another origin is suspected.
///
/// Arguments that do not match a pattern of the page are no signal: nothing was changed in them, and a page
/// that cannot accept them says so itself.
#[must_use]
pub fn judge(
    call: &ToolCall,
    target: &Target,
    current: &CurrentTool,
    mode: Mode,
    signals: Signals,
    examined: Examined,
) -> Verdict {
    let policy = current.policy;
    let risk = risk(target, current);
    match call.caller {
        Caller::User => return by_hand(policy, risk),
        Caller::Eval => return in_eval(policy, risk, call.is_agreed),
        Caller::Agent | Caller::Page { .. } | Caller::Client { .. } | Caller::WebChat { .. } => {}
    }
    let mut why = Vec::new();
    match policy {
        Some(Policy::Off) => return Verdict::Off,
        // The user does it: no policy or signal concerns it.
        _ if examined.card.as_ref().is_some_and(|card| card.by_user.is_some()) => {
            return Verdict::Ask(examined.card.map(hand_over).unwrap_or_default());
        }
        Some(Policy::Ask) => why.push(AskReason::Policy),
        Some(Policy::Allow) => {}
        // The question is whether the agent may use the page, not whether it may ask.
        None if examined.access.is_some() => {}
        None => {
            why.extend(by_mode(mode, risk));
            let kind = examined.card.as_ref().and_then(|card| card.sensitive);
            if let (true, Some(kind), Risk::Acting) = (why.is_empty(), kind, risk) {
                why.push(AskReason::SensitiveSite { kind });
            }
            if let Some(changes) = current.changes.clone() {
                why.push(AskReason::Changed { changes });
            }
        }
    }
    let Signals { guard, flows: Flows { asking, are_allowed }, is_repeated } = signals;
    let Examined { access, card, frame_origin: _ } = examined;
    let reads = risk == Risk::ReadOnly;
    let is_guarded = match guard {
        Guard::Off => false,
        Guard::SameOrigin => !reads,
        Guard::OtherOrigin => true,
    };
    let repaired = (!reads && call.is_repaired).then_some(AskReason::Repaired);
    let repeated = (!reads && is_repeated).then_some(AskReason::Repeated);
    let flow = (!asking.is_empty()).then_some(AskReason::Flow { flows: asking });
    let access = access.map(|access| AskReason::PageAccess { access });
    why.extend(
        [access, repaired, repeated, is_guarded.then_some(AskReason::Guard), flow].into_iter().flatten(),
    );
    if let Some(card) = card {
        add_card(&mut why, card);
    }
    // What the user allows their agent, they do not allow the pages.
    if matches!(call.caller, Caller::Page { .. }) && !(reads && why.is_empty()) {
        why.insert(0, AskReason::FromPage);
    }
    match (policy, risk) {
        _ if !why.is_empty() => Verdict::Ask(why),
        _ if are_allowed => Verdict::Pass(AllowedBy::Flow),
        (Some(Policy::Allow), _) => Verdict::Pass(AllowedBy::Grant),
        (_, Risk::ReadOnly) => Verdict::Pass(AllowedBy::ReadOnly),
        (_, Risk::Acting | Risk::Consequential) => Verdict::Pass(AllowedBy::Mode),
    }
}

/// Judges a call that the user makes by hand. The click is the yes; what is serious, or switched off, asks once more.
fn by_hand(policy: Option<Policy>, risk: Risk) -> Verdict {
    let off = (policy == Some(Policy::Off)).then_some(AskReason::SwitchedOff);
    let serious = (risk == Risk::Consequential).then_some(AskReason::Consequential);
    let why: Vec<_> = off.into_iter().chain(serious).collect();
    if why.is_empty() { Verdict::Pass(AllowedBy::User) } else { Verdict::Ask(why) }
}

/// Judges a call of an eval. Who starts one agrees to all its calls, and says beforehand whether that goes for those that ask
/// otherwise.
fn in_eval(policy: Option<Policy>, risk: Risk, is_agreed: bool) -> Verdict {
    let asks = (policy == Some(Policy::Ask)).then_some(AskReason::Policy);
    let serious = (risk == Risk::Consequential).then_some(AskReason::Consequential);
    let why: Vec<_> = asks.into_iter().chain(serious).collect();
    match policy {
        Some(Policy::Off) => Verdict::Off,
        _ if why.is_empty() || is_agreed => Verdict::Pass(AllowedBy::User),
        _ => Verdict::Ask(why),
    }
}

/// What the user is told of an action that is theirs to do.
fn hand_over(card: ActionCard) -> Vec<AskReason> {
    let frame = (!card.frame.is_empty()).then(|| AskReason::OtherFrame { site: card.frame.clone() });
    frame.into_iter().chain([AskReason::Action { card: Box::new(card) }]).collect()
}

/// Adds the reasons of an action in a page, and what it would do if it asks.
fn add_card(why: &mut Vec<AskReason>, card: ActionCard) {
    // Nobody allows such an action once and for all.
    if card.consequence.is_some() && !why.contains(&AskReason::Consequential) {
        why.push(AskReason::Consequential);
    }
    if !card.frame.is_empty() {
        why.push(AskReason::OtherFrame { site: card.frame.clone() });
    }
    if !why.is_empty() {
        why.push(AskReason::Action { card: Box::new(card) });
    }
}

/// The card that shows a picture. What only the user gives to a page is not taken a picture of.
pub fn card_for_picture(why: &mut [AskReason]) -> Option<&mut ActionCard> {
    let cards = why.iter_mut().filter_map(|why| match why {
        AskReason::Action { card } => Some(&mut **card),
        _ => None,
    });
    cards.filter(|card| card.by_user.is_none()).last()
}

/// The reasons of a question about an action that is now another one.
#[must_use]
pub fn with_card(why: &[AskReason], card: ActionCard) -> Vec<AskReason> {
    if card.by_user.is_some() {
        return hand_over(card);
    }
    let was_serious = AskReason::card_in(why).is_some_and(|card| card.consequence.is_some());
    let is_of_card = |why: &AskReason| match why {
        AskReason::Action { .. } | AskReason::OtherFrame { .. } => true,
        AskReason::Consequential => was_serious,
        _ => false,
    };
    let mut others: Vec<_> = why.iter().filter(|why| !is_of_card(why)).cloned().collect();
    add_card(&mut others, card.clone());
    if AskReason::card_in(&others).is_none() {
        others.push(AskReason::Action { card: Box::new(card) });
    }
    others
}

/// Why a tool without a policy asks in this mode.
fn by_mode(mode: Mode, risk: Risk) -> Option<AskReason> {
    match (mode, risk) {
        (_, Risk::ReadOnly) | (Mode::Automatic, Risk::Acting) => None,
        (_, Risk::Consequential) => Some(AskReason::Consequential),
        (Mode::Confirm, Risk::Acting) => Some(AskReason::Mode),
    }
}

#[cfg(test)]
mod tests {
    use sidecar_llm::CallRecord;
    use sidecar_protocol::thread::Repair;
    use sidecar_protocol::{CallId, Consequence, PageAccess, SensitiveSite, UserInput};
    use sidecar_webmcp::Fingerprint;

    use super::*;
    use crate::log::Call;
    use crate::testing::{meant, tool_id};

    fn call(repaired: &[Repair]) -> ToolCall {
        let record = CallRecord { id: "c".to_owned(), name: "order".to_owned(), arguments: "{}".to_owned() };
        let call = Call { repaired: repaired.to_vec(), ..meant(CallId::from("t.0"), record, None) };
        ToolCall::from(&call)
    }

    fn target(risk: Risk) -> Target {
        Target {
            skill: None,
            tool: tool_id("order"),
            site: "shop.example".to_owned(),
            origin: "https://shop.example".to_owned(),
            read_only: risk == Risk::ReadOnly,
            consequential: risk == Risk::Consequential,
            fingerprint: None,
        }
    }

    fn current(policy: Option<Policy>) -> CurrentTool {
        let fingerprint = Fingerprint("f".to_owned());
        CurrentTool { fingerprint, risk: Risk::ReadOnly, schema: None, policy, changes: None, page: None }
    }

    fn verdict(mode: Mode, risk: Risk, policy: Option<Policy>, repaired: &[Repair]) -> Verdict {
        judge(&call(repaired), &target(risk), &current(policy), mode, Signals::default(), Examined::default())
    }

    #[test]
    fn judge_has_a_verdict_for_every_mode_risk_and_policy() {
        use {Mode::Automatic as Auto, Mode::Confirm, Policy::Allow, Policy::Ask, Policy::Off};
        use {Risk::Acting, Risk::Consequential, Risk::ReadOnly};
        let pass = Verdict::Pass;
        let ask = |why: AskReason| Verdict::Ask(vec![why]);
        for (mode, risk, policy, expected) in [
            (Auto, ReadOnly, None, pass(AllowedBy::ReadOnly)),
            (Auto, Acting, None, pass(AllowedBy::Mode)),
            (Auto, Consequential, None, ask(AskReason::Consequential)),
            (Confirm, ReadOnly, None, pass(AllowedBy::ReadOnly)),
            (Confirm, Acting, None, ask(AskReason::Mode)),
            (Confirm, Consequential, None, ask(AskReason::Consequential)),
            (Confirm, Acting, Some(Allow), pass(AllowedBy::Grant)),
            (Auto, Consequential, Some(Allow), pass(AllowedBy::Grant)),
            (Auto, ReadOnly, Some(Ask), ask(AskReason::Policy)),
            (Auto, Acting, Some(Ask), ask(AskReason::Policy)),
            (Auto, ReadOnly, Some(Off), Verdict::Off),
            (Confirm, Consequential, Some(Off), Verdict::Off),
        ] {
            assert_eq!(verdict(mode, risk, policy, &[]), expected, "{mode:?} {risk:?} {policy:?}");
        }
    }

    #[test]
    fn judge_takes_the_click_of_a_user_for_a_yes_unless_the_tool_is_serious_or_off() {
        use {Policy::Allow, Policy::Ask, Policy::Off};
        let yes = Verdict::Pass(AllowedBy::User);
        let judged = |risk, policy| {
            let call = ToolCall { caller: Caller::User, ..call(&[]) };
            let changed = CurrentTool { changes: Some(Vec::new()), ..current(policy) };
            let guarded = Signals { guard: Guard::OtherOrigin, ..Signals::default() };
            judge(&call, &target(risk), &changed, Mode::Confirm, guarded, Examined::default())
        };
        for policy in [None, Some(Allow), Some(Ask)] {
            assert_eq!(judged(Risk::ReadOnly, policy), yes);
            assert_eq!(judged(Risk::Acting, policy), yes);
            assert_eq!(judged(Risk::Consequential, policy), Verdict::Ask(vec![AskReason::Consequential]));
        }
        assert_eq!(judged(Risk::ReadOnly, Some(Off)), Verdict::Ask(vec![AskReason::SwitchedOff]));
        let both = Verdict::Ask(vec![AskReason::SwitchedOff, AskReason::Consequential]);
        assert_eq!(judged(Risk::Consequential, Some(Off)), both);
        let knows = |knows_off| ToolCall { caller: Caller::User, knows_off, ..call(&[]) };
        let holds = |knows_off| still_holds(&knows(knows_off), &target(Risk::Acting), &current(Some(Off)));
        assert_eq!((holds(true), holds(false)), (Ok(()), Err(ToolFailure::Off)));
    }

    #[test]
    fn inspector_case_28_judge_lets_an_eval_call_what_its_user_agreed_to_and_nothing_that_is_off() {
        use {Policy::Allow, Policy::Ask, Policy::Off};
        let judged = |risk, policy, is_agreed| {
            let call = ToolCall { caller: Caller::Eval, is_agreed, ..call(&[]) };
            judge(
                &call,
                &target(risk),
                &current(policy),
                Mode::Confirm,
                Signals::default(),
                Examined::default(),
            )
        };
        let yes = Verdict::Pass(AllowedBy::User);
        for is_agreed in [false, true] {
            assert_eq!(judged(Risk::ReadOnly, Some(Off), is_agreed), Verdict::Off);
            assert_eq!(judged(Risk::Acting, None, is_agreed), yes);
            assert_eq!(judged(Risk::Acting, Some(Allow), is_agreed), yes);
        }
        assert_eq!(judged(Risk::Consequential, None, true), yes);
        assert_eq!(judged(Risk::Acting, Some(Ask), true), yes);
        let serious = Verdict::Ask(vec![AskReason::Consequential]);
        assert_eq!(judged(Risk::Consequential, Some(Allow), false), serious);
        assert_eq!(judged(Risk::Acting, Some(Ask), false), Verdict::Ask(vec![AskReason::Policy]));
    }

    #[test]
    fn judge_asks_about_a_repaired_call_of_an_allowed_tool_unless_it_is_read_only() {
        for mode in [Mode::Automatic, Mode::Confirm] {
            let asked = verdict(mode, Risk::Acting, Some(Policy::Allow), &[Repair::Leaked]);
            assert_eq!(asked, Verdict::Ask(vec![AskReason::Repaired]));
            let read = verdict(mode, Risk::ReadOnly, None, &[Repair::Leaked]);
            assert_eq!(read, Verdict::Pass(AllowedBy::ReadOnly));
        }
        let both = verdict(Mode::Confirm, Risk::Acting, None, &[Repair::Types]);
        assert_eq!(both, Verdict::Ask(vec![AskReason::Mode, AskReason::Repaired]));
    }

    #[test]
    fn judge_asks_in_every_mode_when_an_allowed_tool_changed_even_if_read_only() {
        let changed = CurrentTool { changes: Some(Vec::new()), ..current(None) };
        let verdict = judge(
            &call(&[]),
            &target(Risk::ReadOnly),
            &changed,
            Mode::Automatic,
            Signals::default(),
            Examined::default(),
        );
        assert_eq!(verdict, Verdict::Ask(vec![AskReason::Changed { changes: Vec::new() }]));
    }

    #[test]
    fn judge_asks_about_flows_and_on_guard_even_when_the_tool_is_allowed() {
        let flow = Flow {
            origin: "https://mail.example".to_owned(),
            site: "mail.example".to_owned(),
            tool: "readMail".to_owned(),
            argument: "code".to_owned(),
            data: "483920".to_owned(),
        };
        let allowed = current(Some(Policy::Allow));
        let judged = |risk, guard, asking: &[Flow], are_allowed| {
            let signals =
                Signals { guard, flows: Flows { asking: asking.to_vec(), are_allowed }, is_repeated: false };
            judge(&call(&[]), &target(risk), &allowed, Mode::Automatic, signals, Examined::default())
        };
        let flows = [flow];
        let flow = || AskReason::Flow { flows: flows.to_vec() };
        for risk in [Risk::ReadOnly, Risk::Acting] {
            let asked = judged(risk, Guard::OtherOrigin, &flows, true);
            assert_eq!(asked, Verdict::Ask(vec![AskReason::Guard, flow()]));
            assert_eq!(judged(risk, Guard::Off, &flows, false), Verdict::Ask(vec![flow()]));
            assert_eq!(judged(risk, Guard::Off, &[], true), Verdict::Pass(AllowedBy::Flow));
        }
        assert_eq!(judged(Risk::Acting, Guard::SameOrigin, &[], false), Verdict::Ask(vec![AskReason::Guard]));
        assert_eq!(judged(Risk::ReadOnly, Guard::SameOrigin, &[], false), Verdict::Pass(AllowedBy::Grant));
    }

    #[test]
    fn risk_is_the_current_one_when_the_tool_became_more_serious() {
        let judged = |was, is| {
            let current = CurrentTool { risk: is, ..current(None) };
            judge(
                &call(&[]),
                &target(was),
                &current,
                Mode::Automatic,
                Signals::default(),
                Examined::default(),
            )
        };
        for (was, is) in [(Risk::ReadOnly, Risk::Consequential), (Risk::Consequential, Risk::ReadOnly)] {
            assert_eq!(judged(was, is), Verdict::Ask(vec![AskReason::Consequential]));
        }
        assert_eq!(judged(Risk::ReadOnly, Risk::Acting), Verdict::Pass(AllowedBy::Mode));
    }

    #[test]
    fn allowed_call_still_holds_while_the_tool_is_the_same_and_not_off() {
        let then = |name: &str| {
            let fingerprint = Some(Fingerprint(name.to_owned()));
            Target { fingerprint, ..target(Risk::Acting) }
        };
        assert_eq!(still_holds(&call(&[]), &then("f"), &current(None)), Ok(()));
        assert_eq!(still_holds(&call(&[]), &then("f"), &current(Some(Policy::Ask))), Ok(()));
        assert_eq!(still_holds(&call(&[]), &then("f"), &current(Some(Policy::Off))), Err(ToolFailure::Off));
        assert_eq!(
            still_holds(&call(&[]), &then("g"), &current(Some(Policy::Allow))),
            Err(ToolFailure::Changed)
        );
    }

    #[test]
    fn call_of_a_tool_that_uses_the_page_in_its_tab_holds_for_one_origin() {
        let target = target(Risk::Acting);
        let on = |page: &str| CurrentTool { page: Some(page.to_owned()), ..current(Some(Policy::Allow)) };
        assert!(!on(&target.origin).has_left(&target));
        let elsewhere = on("https://elsewhere.example");
        assert!(elsewhere.has_left(&target));
        let left = ToolFailure::Action(ActionOutcome::Navigated);
        assert_eq!(still_holds(&call(&[]), &target, &elsewhere), Err(left));
    }

    #[test]
    fn judge_asks_about_a_page_action_with_consequences_whatever_was_allowed() {
        let card = ActionCard {
            name: "Place order".to_owned(),
            consequence: Some(Consequence::Pay),
            ..ActionCard::default()
        };
        let examined = Examined { card: Some(card.clone()), ..Examined::default() };
        let verdict = |policy, examined: &Examined| {
            let (call, target, current) = (call(&[]), target(Risk::Acting), current(policy));
            judge(&call, &target, &current, Mode::Automatic, Signals::default(), examined.clone())
        };
        let shown = AskReason::Action { card: Box::new(card) };
        let asks = Verdict::Ask(vec![AskReason::Consequential, shown]);
        assert_eq!(verdict(None, &examined), asks);
        assert_eq!(verdict(Some(Policy::Allow), &examined), asks);
        let plain = Examined { card: Some(ActionCard::default()), ..Examined::default() };
        assert_eq!(verdict(None, &plain), Verdict::Pass(AllowedBy::Mode));
        let framed = ActionCard { frame: "pay.example".to_owned(), ..ActionCard::default() };
        let framed = Examined { card: Some(framed), ..Examined::default() };
        assert!(matches!(verdict(Some(Policy::Allow), &framed), Verdict::Ask(_)));
    }

    #[test]
    fn judge_asks_about_every_action_on_a_sensitive_site_unless_it_is_allowed_there() {
        let kind = SensitiveSite::Mail;
        let card = ActionCard { sensitive: Some(kind), ..ActionCard::default() };
        let judged = |mode, policy, risk| {
            let examined = Examined { card: Some(card.clone()), ..Examined::default() };
            judge(&call(&[]), &target(risk), &current(policy), mode, Signals::default(), examined)
        };
        let shown = || AskReason::Action { card: Box::new(card.clone()) };
        let asks = Verdict::Ask(vec![AskReason::SensitiveSite { kind }, shown()]);
        assert_eq!(judged(Mode::Automatic, None, Risk::Acting), asks);
        let by_mode = Verdict::Ask(vec![AskReason::Mode, shown()]);
        assert_eq!(judged(Mode::Confirm, None, Risk::Acting), by_mode, "one reason is enough");
        let allowed = judged(Mode::Automatic, Some(Policy::Allow), Risk::Acting);
        assert_eq!(allowed, Verdict::Pass(AllowedBy::Grant));
        assert_eq!(judged(Mode::Automatic, None, Risk::ReadOnly), Verdict::Pass(AllowedBy::ReadOnly));
    }

    #[test]
    fn judge_always_asks_the_user_to_do_what_is_theirs() {
        let card = ActionCard {
            by_user: Some(UserInput::Secret),
            frame: "bank.example".to_owned(),
            sensitive: Some(SensitiveSite::Money),
            ..ActionCard::default()
        };
        let judged = |mode, policy| {
            let examined = Examined { card: Some(card.clone()), ..Examined::default() };
            let signals = Signals { is_repeated: true, ..Signals::default() };
            judge(&call(&[]), &target(Risk::Acting), &current(policy), mode, signals, examined)
        };
        let why = vec![
            AskReason::OtherFrame { site: "bank.example".to_owned() },
            AskReason::Action { card: Box::new(card.clone()) },
        ];
        assert!(!AskReason::can_end(&why), "nothing of it is allowed for good");
        assert_eq!(with_card(&[AskReason::Mode], card.clone()), why, "whatever it was before");
        let asks = Verdict::Ask(why);
        for mode in [Mode::Automatic, Mode::Confirm] {
            for policy in [None, Some(Policy::Ask), Some(Policy::Allow)] {
                assert_eq!(judged(mode, policy), asks);
            }
            assert_eq!(judged(mode, Some(Policy::Off)), Verdict::Off);
        }
    }

    #[test]
    fn judge_asks_about_every_call_of_a_page_that_acts_whatever_is_allowed() {
        let judged = |risk, policy, mode| {
            let call =
                ToolCall { caller: Caller::Page { origin: "https://a.example".to_owned() }, ..call(&[]) };
            judge(&call, &target(risk), &current(policy), mode, Signals::default(), Examined::default())
        };
        for policy in [None, Some(Policy::Allow)] {
            let asks = Verdict::Ask(vec![AskReason::FromPage]);
            assert_eq!(judged(Risk::Acting, policy, Mode::Automatic), asks);
            assert!(matches!(judged(Risk::Acting, policy, Mode::Confirm), Verdict::Ask(_)));
        }
        let passes = Verdict::Pass(AllowedBy::ReadOnly);
        assert_eq!(judged(Risk::ReadOnly, None, Mode::Confirm), passes);
        let asks = Verdict::Ask(vec![AskReason::FromPage, AskReason::Policy]);
        assert_eq!(judged(Risk::ReadOnly, Some(Policy::Ask), Mode::Automatic), asks);
        assert_eq!(judged(Risk::ReadOnly, Some(Policy::Off), Mode::Automatic), Verdict::Off);
        assert!(!AskReason::FromPage.ends_with_grant());
    }

    #[test]
    fn judge_asks_for_page_access_in_every_mode_with_no_other_reason() {
        let examined = Examined { access: Some(PageAccess::Act), ..Examined::default() };
        for mode in [Mode::Automatic, Mode::Confirm] {
            let (call, target) = (call(&[]), target(Risk::Acting));
            let verdict = judge(&call, &target, &current(None), mode, Signals::default(), examined.clone());
            assert_eq!(verdict, Verdict::Ask(vec![AskReason::PageAccess { access: PageAccess::Act }]));
        }
    }
}
