//! Tokens, and what they cost.

use serde::{Deserialize, Serialize};

use crate::settings::Price;

/// Tokens, as the provider counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Input tokens, cached ones included.
    pub input: u64,
    /// Input tokens read from the provider's cache.
    pub cached: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
    /// Output tokens spent on reasoning.
    pub reasoning: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        // Imported files can hold any count.
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// As in [`Price::currency`].
    pub currency: String,
    /// How much of it.
    pub amount: f64,
}

impl Cost {
    /// The cost of these tokens at this price.
    #[must_use]
    pub fn of(usage: &Usage, price: &Price) -> Self {
        const MILLION: f64 = 1_000_000.0;
        // Token counts are far below 2^53, from where on a float skips integers.
        #[allow(clippy::cast_precision_loss)]
        let [cached, read, written] =
            [usage.cached, usage.input.saturating_sub(usage.cached), usage.output].map(|count| count as f64);
        let cached = cached * price.cached.unwrap_or(price.input);
        let amount = (cached + read * price.input + written * price.output) / MILLION;
        Self { currency: price.currency.clone(), amount }
    }

    /// Adds this amount to the sum of its currency.
    pub fn add_to(&self, sums: &mut Vec<Self>) {
        match sums.iter_mut().find(|sum| sum.currency == self.currency) {
            Some(sum) => sum.amount += self.amount,
            None => sums.push(self.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_follows_the_price_per_million_tokens() {
        let price = Price { currency: "¥".to_owned(), input: 2.0, cached: Some(0.5), output: 8.0 };
        let usage = Usage { input: 1_500_000, cached: 1_000_000, output: 250_000, reasoning: 200_000 };
        let mut sums = Vec::new();
        Cost::of(&usage, &price).add_to(&mut sums);
        assert_eq!(sums, [Cost { currency: "¥".to_owned(), amount: 0.5 + 1.0 + 2.0 }]);
        Cost::of(&usage, &Price { cached: None, ..price.clone() }).add_to(&mut sums);
        Cost::of(&usage, &Price { currency: "USD".to_owned(), ..price }).add_to(&mut sums);
        assert_eq!(sums.iter().map(|sum| sum.amount).collect::<Vec<_>>(), [3.5 + 5.0, 3.5]);
    }
}
