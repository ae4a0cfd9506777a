//! Whether and when to retry a request.

use sidecar_protocol::error::ModelError;

/// Maximum number of requests for one answer: the first, and four retries.
pub const MAX_ATTEMPTS: u32 = 5;

/// The first delay if the service names none, in milliseconds. It doubles with each retry.
const FIRST_WAIT_MS: u64 = 1_000;

/// The longest delay, whatever a service asks for, in milliseconds.
const LONGEST_WAIT_MS: u64 = 120_000;

/// How long to wait after attempt number `attempt` (from 1) failed, in milliseconds; `None` if a retry is
/// useless or there were enough.
///
/// The service's own delay is honoured up to two minutes. Without one, the delays are 1, 2, 4 and 8
/// seconds, each changed by up to a quarter by `jitter`, a random number from 0 to 1, so that many clients
/// do not come back in step.
#[must_use]
pub fn retry_delay_ms(error: &ModelError, attempt: u32, jitter: f64) -> Option<u64> {
    if !error.class.is_retryable() || attempt >= MAX_ATTEMPTS {
        return None;
    }
    match error.retry_after_ms {
        Some(asked) if asked > 0 => Some(asked.min(LONGEST_WAIT_MS)),
        // A delay of zero from a service that has just refused would use up all attempts at once.
        Some(_) | None => {
            let wait = FIRST_WAIT_MS << attempt.saturating_sub(1);
            let jitter = if jitter.is_nan() { 0.5 } else { jitter.clamp(0.0, 1.0) };
            Some((wait as f64 * (0.75 + jitter / 2.0)) as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use sidecar_protocol::error::ErrorClass;

    use super::*;

    fn rate(retry_after_ms: Option<u64>) -> ModelError {
        ModelError { retry_after_ms, ..ModelError::new(ErrorClass::Rate, "") }
    }

    #[test]
    fn retry_delays_double_and_end() {
        let waits: Vec<_> = (1..=5).map(|attempt| retry_delay_ms(&rate(None), attempt, 0.5)).collect();
        assert_eq!(waits, [Some(1_000), Some(2_000), Some(4_000), Some(8_000), None]);
        assert_eq!(retry_delay_ms(&rate(None), u32::MAX, 0.5), None);
    }

    #[test]
    fn retry_delay_varies_by_a_quarter_with_jitter() {
        assert_eq!(retry_delay_ms(&rate(None), 1, 0.0), Some(750));
        assert_eq!(retry_delay_ms(&rate(None), 1, 1.0), Some(1_250));
        assert_eq!(retry_delay_ms(&rate(None), 1, f64::NAN), Some(1_000));
        assert_eq!(retry_delay_ms(&rate(None), 1, 99.0), Some(1_250));
    }

    #[test]
    fn retry_delay_is_the_services_own_within_a_limit() {
        assert_eq!(retry_delay_ms(&rate(Some(7_000)), 3, 0.0), Some(7_000));
        assert_eq!(retry_delay_ms(&rate(Some(3_600_000)), 1, 0.0), Some(120_000));
        assert_eq!(retry_delay_ms(&rate(Some(0)), 1, 0.5), Some(1_000));
        assert_eq!(retry_delay_ms(&rate(Some(7_000)), MAX_ATTEMPTS, 0.0), None);
    }

    #[test]
    fn retry_happens_only_for_retryable_classes() {
        for class in ErrorClass::ALL {
            let error = ModelError { retry_after_ms: Some(10), ..ModelError::new(class, "") };
            let expected = matches!(class, ErrorClass::Rate | ErrorClass::Overload);
            assert_eq!(retry_delay_ms(&error, 1, 0.5).is_some(), expected, "{class:?}");
        }
    }
}
