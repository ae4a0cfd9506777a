//! Faults that a test requests, beyond those of the scenario files.

use serde::Deserialize;

use crate::delivery::Delivery;
use crate::scenario::Refuse;

/// A fault for the next requests that are otherwise valid.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fault {
    /// The scenario it applies to; all if missing.
    pub model: Option<String>,
    /// The number of requests; 1 if missing.
    pub times: Option<u32>,
    /// Refuse the request.
    pub refuse: Option<Refuse>,
    /// Overrides the scenario's delivery.
    pub delivery: Delivery,
}

/// The faults that are still to come.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The oldest fault for a scenario; counts one use of it.
    pub(crate) fn take(&mut self, model: &str) -> Option<Fault> {
        let index =
            self.0.iter().position(|fault| fault.model.as_deref().is_none_or(|for_one| for_one == model))?;
        let fault = self.0[index].clone();
        match fault.times.unwrap_or(1) {
            0 | 1 => {
                self.0.remove(index);
            }
            times => self.0[index].times = Some(times - 1),
        }
        Some(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_is_for_its_scenario_and_so_many_times() {
        let for_echo = Fault { model: Some("echo".into()), times: Some(2), ..Fault::default() };
        let mut faults = Faults::default();
        faults.add(for_echo);
        faults.add(Fault::default());
        assert_eq!(faults.take("flights").map(|fault| fault.model), Some(None));
        assert_eq!(faults.take("flights"), None);
        assert!(faults.take("echo").is_some());
        assert!(faults.take("echo").is_some());
        assert_eq!(faults.take("echo"), None);
    }
}
