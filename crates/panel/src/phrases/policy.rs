//! The name of a policy; `None` is the mode's.

use sidecar_protocol::policy::Policy;
use sidecar_ui::words::Word;

use crate::word;

/// The name of a policy; `None` is the mode's.
pub fn policy_word(policy: Option<Policy>) -> Word {
    match policy {
        None => word::POLICY_MODE,
        Some(Policy::Allow) => word::POLICY_ALLOW,
        Some(Policy::Ask) => word::POLICY_ASK,
        Some(Policy::Off) => word::POLICY_OFF,
    }
}
