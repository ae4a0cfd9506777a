//! Page actions: what the extension itself does on a page, and how that ends.

use serde::{Deserialize, Serialize};

use crate::picture::Picture;

/// How far the agent may use a site's pages. A page that is in neither is not touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageAccess {
    /// It may read them.
    Read,
    /// It may read them and act on them: click, type, choose.
    Act,
}

impl PageAccess {
    /// Its name in a policy's key and in arguments.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Act => "act",
        }
    }

    /// The access with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Read, Self::Act].into_iter().find(|access| access.name() == name)
    }
}

/// How a page action or a SKILL's step ended. The list is closed: page scripts, SKILLs, MCP and REST use the
/// same words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ActionOutcome {
    /// It was done, and what could be checked was.
    Ok,
    /// There is nothing, and the page says so.
    Empty,
    /// The element or the option is not there.
    NotFound,
    /// The page wants the user to sign in.
    SignIn,
    /// The page wants proof that a person is there.
    Challenge,
    /// The page is not as it was expected to be.
    Changed,
    /// The page, or the browser, does not let a script do it.
    Blocked,
    /// The extension does not do it: password, payment and file fields are the user's.
    Refused,
    /// The arguments do not fit, or the page does not accept the value.
    BadInput,
    /// There is too much of it.
    TooLarge,
    /// It was waited for in vain.
    Timeout,
    /// The page led to another site.
    Left,
    /// It began, and its end is unknown.
    Interrupted,
    /// The element of this ref is gone.
    Stale,
    /// Something else lies over the element.
    Covered,
    /// The element is switched off, or read-only.
    Disabled,
    /// The page was left before it could be done.
    Navigated,
}

impl ActionOutcome {
    /// Every outcome.
    pub const ALL: [Self; 17] = [
        Self::Ok,
        Self::Empty,
        Self::NotFound,
        Self::SignIn,
        Self::Challenge,
        Self::Changed,
        Self::Blocked,
        Self::Refused,
        Self::BadInput,
        Self::TooLarge,
        Self::Timeout,
        Self::Left,
        Self::Interrupted,
        Self::Stale,
        Self::Covered,
        Self::Disabled,
        Self::Navigated,
    ];
}

/// A consequence of an action, for which the user is asked in every mode and whatever was allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Consequence {
    /// It pays, buys or orders.
    Pay,
    /// It sends or publishes.
    Send,
    /// It deletes or overwrites.
    Delete,
    /// It signs, accepts or grants.
    Bind,
    /// It creates, changes or closes an account.
    Account,
    /// It submits personal data.
    PersonalData,
    /// It opens an address of another, sensitive site, where opening can already do something.
    SensitiveAddress,
    /// It leaves a page with what the agent typed there and nobody sent.
    Unsaved,
}

/// A kind of site on which every action asks, unless the user allowed it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SensitiveSite {
    /// Banks, brokers and payment services.
    Money,
    /// Mail.
    Mail,
    /// Clinics, insurers, pharmacies.
    Health,
    /// The administration of a site, or a cloud's console.
    Administration,
}

/// What only the user gives to a page, never the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UserInput {
    /// A password, payment data or a code.
    Secret,
    /// A file.
    File,
    /// An answer to a check that a person is there.
    Challenge,
}

/// What an action would do, as the extension itself reads the page: shown to the user who is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ActionCard {
    /// The tool's name (`click_element`).
    pub action: String,
    /// The element's role (`button`).
    pub role: String,
    /// The element's accessible name. Untrusted.
    pub name: String,
    /// Heading or name of its form. Untrusted; empty if it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub form: String,
    /// Name of the dialog it is in. Untrusted; empty if it is in none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub dialog: String,
    /// Host of the frame it is in, if that is of another origin than the page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub frame: String,
    /// Title of its tab, if that is not the one of the turn. Untrusted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tab: String,
    /// Its consequence, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consequence: Option<Consequence>,
    /// What the user gives there, if the user does it and not the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_user: Option<UserInput>,
    /// The kind of its site, if every action asks there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<SensitiveSite>,
    /// The element and what is around it, if a picture could be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
}

impl ActionCard {
    /// Maximum characters of a text.
    pub const MOST: usize = 200;

    /// Longest edge of the picture, in pixels.
    pub const EDGE_OF_PICTURE: u32 = 640;

    /// Whether another card is about the same action. A dialog's text may count down, a tab's title tell news, and a
    /// picture moves.
    #[must_use]
    pub fn is_about_same(&self, other: &Self) -> bool {
        let lasting =
            |card: &Self| Self { dialog: String::new(), tab: String::new(), picture: None, ..card.clone() };
        lasting(self) == lasting(other)
    }
}
