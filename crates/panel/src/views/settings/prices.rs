//! The prices of the model in use, from which the cost of each turn is calculated.

use leptos::prelude::*;
use sidecar_protocol::settings::Price;
use sidecar_ui::words::use_words;

use crate::state::{PanelState, use_state};
use crate::views::settings::field::Field;
use crate::views::settings::{own_mut, values};
use crate::word;

/// The price fields, collapsed unless a price is set.
#[component]
pub fn Prices() -> impl IntoView {
    let (words, state) = (use_words(), use_state());
    let priced = move |of: fn(&Price) -> String| {
        Memo::new(move |_| {
            let model = state.settings.model();
            state.settings.view.with(|view| {
                let own = view.settings.providers.get(&view.settings.provider);
                own.and_then(|own| own.prices.get(&model)).map(of).unwrap_or_default()
            })
        })
    };
    let has_price =
        !priced(|price| price.currency.clone() + &values::written(price.input)).get_untracked().is_empty();
    view! {
        <details class="fold" data-testid="prices" open=has_price>
            <summary>{words.text(word::SETTINGS_PRICES)}</summary>
            <p class="meta">
                {Signal::derive(move || words.fill(word::SETTINGS_PRICES_HINT, &[("model", &state.settings.model())]))}
            </p>
            <Field
                testid="setting-price-currency"
                label=word::SETTINGS_PRICE_CURRENCY
                value=priced(|price| price.currency.clone())
                save=|state, text| {
                    let currency = text.trim().chars().take(Price::MOST_CURRENCY).collect();
                    change(state, |price| price.currency = currency);
                    Ok(())
                }
            />
            <Field
                testid="setting-price-input"
                label=word::SETTINGS_PRICE_INPUT
                value=priced(|price| values::written(price.input))
                inputmode="decimal"
                save=|state, text| {
                    let input = values::price(text)?.unwrap_or_default();
                    change(state, |price| price.input = input);
                    Ok(())
                }
            />
            <Field
                testid="setting-price-cached"
                label=word::SETTINGS_PRICE_CACHED
                hint=word::SETTINGS_PRICE_CACHED_HINT
                value=priced(|price| price.cached.map(values::written).unwrap_or_default())
                inputmode="decimal"
                save=|state, text| {
                    let cached = values::price(text)?;
                    change(state, |price| price.cached = cached);
                    Ok(())
                }
            />
            <Field
                testid="setting-price-output"
                label=word::SETTINGS_PRICE_OUTPUT
                value=priced(|price| values::written(price.output))
                inputmode="decimal"
                save=|state, text| {
                    let output = values::price(text)?.unwrap_or_default();
                    change(state, |price| price.output = output);
                    Ok(())
                }
            />
        </details>
    }
}

/// Changes the price of the model in use. An empty price is removed.
fn change(state: PanelState, change: impl FnOnce(&mut Price)) {
    let model = state.settings.model();
    state.settings.change(|settings| {
        let prices = &mut own_mut(settings).prices;
        let price = prices.entry(model.clone()).or_default();
        change(price);
        if price.is_nothing() && price.currency.is_empty() {
            prices.remove(&model);
        }
    });
}
