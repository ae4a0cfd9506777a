//! A call as far as it has arrived.

use serde_json::Value;

use super::CALL_LIMIT;
use super::fragment::Fragment;
use crate::conversation::message::CallRecord;
use crate::tools::arguments::is_object;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) index: Option<u64>,
    /// The id that the model gave.
    pub(super) given_id: Option<String>,
    /// The id that we use: the model's, or a minted one. Set when the call is announced.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl Slot {
    /// The calls that it stands for: one, unless it is a wrapper.
    pub(super) fn records(&self) -> Vec<CallRecord> {
        if let Some(calls) = self.unwrapped() {
            return calls;
        }
        let arguments = match self.arguments.trim() {
            "" | "null" => "{}",
            _ => &self.arguments,
        };
        vec![CallRecord { id: self.id.clone(), name: self.name.clone(), arguments: arguments.to_owned() }]
    }

    pub(super) fn has_no_arguments(&self) -> bool {
        matches!(self.arguments.trim(), "" | "null" | "{}")
    }

    /// OpenAI's models sometimes call a tool that was never offered and that wraps several calls.
    /// <https://github.com/Azure/azure-rest-api-specs/issues/32329>
    fn unwrapped(&self) -> Option<Vec<CallRecord>> {
        if !matches!(self.name.as_str(), "multi_tool_use.parallel" | "parallel") {
            return None;
        }
        let wrapped: Value = serde_json::from_str(&self.arguments).ok()?;
        let uses =
            wrapped.get("tool_uses")?.as_array().filter(|uses| (1..=CALL_LIMIT).contains(&uses.len()))?;
        let call = |(number, wrapped): (usize, &Value)| {
            let name = wrapped.get("recipient_name")?.as_str()?;
            Some(CallRecord {
                id: format!("{}_{number}", self.id),
                name: name.strip_prefix("functions.").unwrap_or(name).to_owned(),
                arguments: wrapped.get("parameters").filter(|value| value.is_object())?.to_string(),
            })
        };
        uses.iter().enumerate().map(call).collect()
    }

    /// Whether a fragment that could belong to this call begins another one.
    pub(super) fn is_over(&self, fragment: &Fragment) -> bool {
        let same_id = match (&self.given_id, &fragment.id) {
            (Some(ours), Some(theirs)) if ours != theirs => return true,
            (Some(_), Some(_)) => true,
            (None, Some(_)) | (Some(_), None) | (None, None) => false,
        };
        if fragment.name.is_empty() || self.name.is_empty() {
            return false;
        }
        if fragment.name == self.name {
            // Some services repeat the name in each fragment. It is another call of the same tool only if
            // this one is complete and more arguments follow.
            !same_id && !fragment.arguments.trim().is_empty() && is_object(&self.arguments)
        } else {
            is_object(&self.arguments) || (!same_id && self.arguments.trim().is_empty())
        }
    }
}
