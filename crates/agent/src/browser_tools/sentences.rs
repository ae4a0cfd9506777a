//! What a model is told of a page action: in English, as all texts for models about failures are.

use serde::Deserialize;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::{ActionOutcome, UserInput};

/// Maximum characters of a text of the page in a sentence.
const MOST: usize = 300;

/// Why an action ended as it did: a code of the page script, and what the page says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Why {
    /// One of the page script's codes.
    pub code: String,
    /// What covers it, what stands there, what the page says. Untrusted.
    pub text: String,
    /// The options that there are. Untrusted.
    pub options: Vec<String>,
    /// The element that covers it.
    pub by: Option<ElementName>,
}

/// What became of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Became {
    /// What kind of change.
    pub kind: String,
    /// What the page says. Untrusted.
    pub text: String,
}

/// An element that was acted on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ElementName {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its role.
    pub role: String,
    /// Its name. Untrusted.
    pub name: String,
}

/// A field that was filled, and what stands in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Filled {
    /// The field.
    #[serde(flatten)]
    pub element: ElementName,
    /// Its value. Untrusted; a secret field's is not told.
    pub value: String,
}

/// Says why a page may not have reacted.
const BACKGROUND: &str = "Its tab is in the background, where a page does not do everything: switch_tab first if something is missing.";

/// Says that an action changed nothing that can be seen.
const NOTHING: &str = "Nothing visible changed.";

/// Notes that a page or a list in it was scrolled, which changes what is seen, or that it could not be.
pub fn note_scroll(became: &mut Vec<Became>, is_stuck: bool, is_at_end: bool) {
    let kind = |kind: &str| Became { kind: kind.to_owned(), text: String::new() };
    if is_stuck {
        return became.insert(0, kind("stuck"));
    }
    became.retain(|became| became.kind != "nothing");
    became.push(kind("scrolled"));
    if is_at_end {
        became.push(kind("atEnd"));
    }
}

/// Whether the outcome of an action says that nothing changed.
#[must_use]
pub fn changed_nothing(outcome: &ToolOutcome) -> bool {
    outcome.text().is_some_and(|text| text.ends_with(NOTHING))
}

/// The sentence for an outcome, without its reason.
#[must_use]
pub fn sentence_of(outcome: ActionOutcome) -> &'static str {
    match outcome {
        ActionOutcome::Ok => "Done.",
        ActionOutcome::Empty => "There is nothing there.",
        ActionOutcome::NotFound => "That element or option is not there. Take a new snapshot.",
        ActionOutcome::SignIn => "The page wants the user to sign in. Ask the user to, then go on.",
        ActionOutcome::Challenge => {
            "The page checks that a person is there. Ask the user to answer, then go on."
        }
        ActionOutcome::Changed => {
            "The page has changed since you looked. Take a new snapshot, then decide again."
        }
        ActionOutcome::Blocked => "The page did not react, or does not let a script do this.",
        ActionOutcome::Refused => "The extension does not do this; the user has to.",
        ActionOutcome::BadInput => "The page does not accept this value.",
        ActionOutcome::TooLarge => "That is too much at once.",
        ActionOutcome::Timeout => "It was waited for in vain.",
        ActionOutcome::Left => "The page led to another site.",
        ActionOutcome::Interrupted => {
            "It began, and its end is unknown. Look at the page before anything else."
        }
        ActionOutcome::Stale => "The element of this ref is gone. Take a new snapshot.",
        ActionOutcome::Covered => "Something lies over the element.",
        ActionOutcome::Disabled => "The element is switched off or read-only.",
        ActionOutcome::Navigated => "The page was left before it could be done. Take a new snapshot.",
    }
}

/// The sentence for a reason; empty for one that is not known.
fn reason(why: &Why) -> String {
    let text = quoted(&why.text);
    match why.code.as_str() {
        "gone" => "Its document no longer has it.".to_owned(),
        "replaced" => format!("One like it is there as {text}."),
        "several" => format!("More than one element fits: {text}. Use a ref."),
        "hidden" => format!("It cannot be seen {text}."),
        "notEditable" => "It is not a field to type into.".to_owned(),
        "readOnly" => "It is read-only.".to_owned(),
        "keepsMoving" => "It keeps moving.".to_owned(),
        "coveredBy" => {
            let by = why.by.as_ref().map_or(text, named);
            format!("It is covered by {by}. Deal with that first.")
        }
        "outOfView" => "It cannot be scrolled into view.".to_owned(),
        "secretField" => {
            "Passwords, card data and codes are the user's to fill. Call input_text for that field alone: the user is then asked.".to_owned()
        }
        "fileField" => "Files are the user's to choose. Call click_element for it: the user is then asked.".to_owned(),
        "noReaction" => "Nothing happened within a second.".to_owned(),
        "reverted" => format!("The page put it back to {text}."),
        "otherValue" => format!("What stands there now is {text}."),
        "malformed" => format!("The value has the wrong form. {text}"),
        "outOfRange" => format!("The value is outside what is allowed. {text}"),
        "optionMissing" => format!("There is no such option. There are: {}.", list(&why.options)),
        "optionDisabled" => "That option cannot be chosen.".to_owned(),
        "invalidFields" => format!("The form has mistakes: {text}."),
        "popup" => "The browser does not open a window without the user's own click.".to_owned(),
        "scriptLink" => {
            "It is a javascript: link, which the extension does not run. Ask the user to click it.".to_owned()
        }
        "canvas" => "It is a picture that is drawn: what is in it cannot be checked.".to_owned(),
        "frontOnly" => "It works only while its tab is in front. Use switch_tab first.".to_owned(),
        "background" => BACKGROUND.to_owned(),
        "userActed" => "The user used the page meanwhile, so it was stopped. Take a new snapshot.".to_owned(),
        "notApproved" => "It is no longer what the user was asked about.".to_owned(),
        "atEnd" => "It is already at the end.".to_owned(),
        "tooLong" => format!("The field takes fewer characters. {text}"),
        "hiddenFrame" => {
            "There may be a frame of a site that the user hides in the page, so no picture is taken. Read it with \
             snapshot."
                .to_owned()
        }
        "crossFrame" => "It is in a frame that cannot be reached.".to_owned(),
        "unsupported" => format!("This cannot be done with this element. {text}"),
        _ => String::new(),
    }
}

/// The outcome of an action that was not done as wanted. Its message is the reason.
#[must_use]
pub fn failed(outcome: ActionOutcome, why: Option<&Why>) -> ToolOutcome {
    let message = why.map(reason).unwrap_or_default().trim().to_owned();
    ToolOutcome::Failed { code: ToolFailure::Action(outcome), message }
}

/// The outcome of a call that was handed over to the user. What the user gave is nowhere in it.
#[must_use]
pub fn done_by_user(input: UserInput, arguments: &str) -> ToolOutcome {
    if input == UserInput::Challenge {
        return ToolOutcome::ok(
            "ok: the user says that the check is answered. Nothing else of this call was done: take a new snapshot, and make \
             the call again if it is still needed.",
        );
    }
    let submits =
        serde_json::from_str::<serde_json::Value>(arguments).is_ok_and(|given| given["submit"] == true);
    let unsent = if submits { " The form was not submitted by this call." } else { "" };
    ToolOutcome::ok(format!(
        "ok: the user says that it is done. What the user gave is not shown to you.{unsent} Take a new snapshot before \
         you go on."
    ))
}

/// What was done to an element and what became of it, in a line or two.
#[must_use]
pub fn done(tool: &str, element: Option<&ElementName>, value: Option<&str>, became: &[Became]) -> String {
    let mut text = format!("ok: {tool}");
    if let Some(element) = element {
        text.push(' ');
        text.push_str(&named(element));
    }
    if let Some(value) = value {
        text.push_str(&format!(". Its value is now {}", quoted(value)));
    }
    text.push('.');
    for Became { kind, text: said } in became {
        let said = quoted(said);
        let sentence = match kind.as_str() {
            "changed" => "The page changed.".to_owned(),
            "dialog" => format!("A dialog opened: {said}."),
            "popover" => format!("A menu or list opened: {said}."),
            "validation" => format!("The form has mistakes: {said}."),
            "focus" => format!("The focus moved to {said}."),
            "address" => format!("The address changed to {said}."),
            "opened-link" => "The link opens in a new tab.".to_owned(),
            "download-link" => "A download may have started.".to_owned(),
            "scrolled" => "It was scrolled.".to_owned(),
            "atEnd" => "That is the end.".to_owned(),
            "background" => BACKGROUND.to_owned(),
            "stuck" => "It does not scroll any further that way.".to_owned(),
            "nothing" => NOTHING.to_owned(),
            _ => continue,
        };
        text.push(' ');
        text.push_str(&sentence);
    }
    text
}

/// What stands in fields, after a call that filled several, or some before it failed; empty for none.
#[must_use]
pub fn filled_so_far(filled: &[Filled]) -> String {
    if filled.is_empty() {
        return String::new();
    }
    let each = |Filled { element, value }: &Filled| format!("{} is {}", named(element), quoted(value));
    format!(" Filled: {}.", filled.iter().map(each).collect::<Vec<_>>().join("; "))
}

fn named(ElementName { reference, role, name }: &ElementName) -> String {
    let mut text = format!("{role} {}", quoted(name));
    if !reference.is_empty() {
        text.push_str(&format!(" [ref={reference}]"));
    }
    text
}

fn list(options: &[String]) -> String {
    options.iter().take(20).map(|option| quoted(option)).collect::<Vec<_>>().join(", ")
}

/// A text of the page on one line, in quotation marks; empty if there is none.
fn quoted(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MOST).collect();
    if text.is_empty() { text } else { format!("{text:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_says_what_and_why_with_the_pages_text_on_one_line() {
        let why = Why {
            code: "coveredBy".to_owned(),
            text: "dialog\n\"Cookies\"".to_owned(),
            options: Vec::new(),
            by: None,
        };
        let ToolOutcome::Failed { code, message } = failed(ActionOutcome::Covered, Some(&why)) else {
            panic!("no failure");
        };
        assert_eq!(code, ToolFailure::Action(ActionOutcome::Covered));
        assert_eq!(message, r#"It is covered by "dialog \"Cookies\"". Deal with that first."#);
    }

    #[test]
    fn scrolling_that_moved_is_a_change_and_one_that_did_not_is_none() {
        let told = |is_stuck, is_at_end| {
            let mut became = vec![Became { kind: "nothing".to_owned(), text: String::new() }];
            note_scroll(&mut became, is_stuck, is_at_end);
            let text = done("scroll", None, None, &became);
            (changed_nothing(&ToolOutcome::ok(text.clone())), text)
        };
        assert_eq!(told(false, false), (false, "ok: scroll. It was scrolled.".to_owned()));
        assert!(told(false, true).1.ends_with("That is the end."));
        assert!(told(true, true).0);
    }

    #[test]
    fn every_outcome_has_a_sentence_of_its_own() {
        let sentences: std::collections::BTreeSet<_> =
            ActionOutcome::ALL.into_iter().map(sentence_of).collect();
        assert_eq!(sentences.len(), ActionOutcome::ALL.len());
    }

    #[test]
    fn done_names_the_element_its_value_and_what_became_of_the_page() {
        let element =
            ElementName { reference: "e4".to_owned(), role: "textbox".to_owned(), name: "City".to_owned() };
        let became = [Became { kind: "changed".to_owned(), text: String::new() }];
        assert_eq!(
            done("input_text", Some(&element), Some("Lyon"), &became),
            r#"ok: input_text textbox "City" [ref=e4]. Its value is now "Lyon". The page changed."#
        );
    }
}
