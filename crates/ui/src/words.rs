//! Translated words in the current language. Numbers, plurals, durations and dates are formatted by `Intl`.

use js_sys::{Array, Date, Intl, Object, Reflect};
use leptos::prelude::*;
pub use sidecar_locales::Word;
use sidecar_locales::fill;
use sidecar_protocol::Timestamp;
use sidecar_protocol::settings::Language;
use wasm_bindgen::{JsCast, JsValue};

pub mod word;

/// The singular and the plural of a text, both with `{count}`.
pub type Plural = (Word, Word);

/// Translates into the current language. Inside a view or an effect, each method is reactive to the language.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    language: Signal<Language>,
}

impl Words {
    /// Translates into this language.
    pub fn new(language: Signal<Language>) -> Self {
        Self { language }
    }

    /// The current language.
    pub fn language(self) -> Language {
        self.language.get()
    }

    /// A text without placeholders.
    pub fn get(self, word: Word) -> &'static str {
        word.text(self.language.get())
    }

    /// A text without placeholders as a reactive part of a view. One type for all of them: a closure in each place
    /// would be compiled in each.
    pub fn text(self, word: Word) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
        move || self.get(word)
    }

    /// A text with its placeholders filled in.
    pub fn fill(self, word: Word, values: &[(&str, &str)]) -> String {
        fill(self.get(word), values)
    }

    /// Joins two sentences.
    pub fn sentences(self, first: &str, second: &str) -> String {
        self.fill(word::FORMAT_SENTENCES, &[("first", first), ("second", second)])
    }

    /// The form for this number, with `{count}` and other placeholders filled in.
    pub fn count(self, (one, other): Plural, count: u64, values: &[(&str, &str)]) -> String {
        let rules = Intl::PluralRules::new(&self.locales(), &Object::new());
        let word = if rules.select(as_f64(count)) == "one" { one } else { other };
        let number = self.number(count);
        let mut values = values.to_vec();
        values.push(("count", &number));
        self.fill(word, &values)
    }

    /// `12,345`
    pub fn number(self, number: u64) -> String {
        self.format_number(as_f64(number), &[])
    }

    /// A size: `120B`, `4.2kB`, `12MB`.
    pub fn size(self, bytes: u64) -> String {
        let decimals = |size: f64| u8::from(size < 9.95);
        match as_f64(bytes) {
            size if size < 1_000.0 => self.unit(size, "byte", 0),
            size if size < 999_500.0 => self.unit(size / 1_000.0, "kilobyte", decimals(size / 1_000.0)),
            size => self.unit(size / 1_000_000.0, "megabyte", decimals(size / 1_000_000.0)),
        }
    }

    /// A duration: `0.4s`, `12s`, `3m 5s`; tenths only below ten seconds.
    pub fn duration(self, ms: u64) -> String {
        if ms < 9_950 {
            return self.unit(as_f64(ms.div_ceil(100)) / 10.0, "second", 1);
        }
        self.rough_duration(ms)
    }

    /// A duration in whole seconds, at least one.
    pub fn rough_duration(self, ms: u64) -> String {
        let seconds = ((ms + 500) / 1000).max(1);
        if seconds < 60 {
            return self.unit(as_f64(seconds), "second", 0);
        }
        let minutes = self.unit(as_f64(seconds / 60), "minute", 0);
        if seconds.is_multiple_of(60) {
            return minutes;
        }
        let seconds = self.unit(as_f64(seconds % 60), "second", 0);
        self.fill(word::FORMAT_MINUTES, &[("minutes", &minutes), ("seconds", &seconds)])
    }

    /// A moment in the past: the time if it is today, else the date, with the year if it is another one.
    pub fn moment(self, moment: Timestamp) -> String {
        let (date, now) = (Date::new(&JsValue::from_f64(as_f64(moment))), Date::new_0());
        let same_year = date.get_full_year() == now.get_full_year();
        let today = same_year && date.get_month() == now.get_month() && date.get_date() == now.get_date();
        let style: &[(&str, &str)] = match (today, same_year) {
            (true, _) => &[("hour", "2-digit"), ("minute", "2-digit")],
            (false, true) => &[("month", "short"), ("day", "numeric")],
            (false, false) => &[("year", "numeric"), ("month", "short"), ("day", "numeric")],
        };
        let format = Intl::DateTimeFormat::new(&self.locales(), &options(style)).format();
        text_of(format.call1(&JsValue::UNDEFINED, &date))
    }

    /// A moment to the second, with its date and year.
    pub fn exact_moment(self, moment: Timestamp) -> String {
        let style = [("dateStyle", "medium"), ("timeStyle", "medium")];
        let format = Intl::DateTimeFormat::new(&self.locales(), &options(&style)).format();
        text_of(format.call1(&JsValue::UNDEFINED, &Date::new(&JsValue::from_f64(as_f64(moment)))))
    }

    /// An amount of money with up to three significant digits: `¥ 0.012`.
    pub fn cost(self, currency: &str, amount: f64) -> String {
        let amount = self.format_number(amount, &[("maximumSignificantDigits", "3")]);
        self.fill(word::FORMAT_COST, &[("currency", currency), ("amount", &amount)])
    }

    fn unit(self, number: f64, unit: &str, decimals: u8) -> String {
        let digits = if decimals == 0 { "0" } else { "1" };
        let style = [
            ("style", "unit"),
            ("unitDisplay", "narrow"),
            ("unit", unit),
            ("minimumFractionDigits", digits),
            ("maximumFractionDigits", digits),
        ];
        self.format_number(number, &style)
    }

    fn format_number(self, number: f64, style: &[(&str, &str)]) -> String {
        let format = Intl::NumberFormat::new(&self.locales(), &options(style)).format();
        text_of(format.call1(&JsValue::UNDEFINED, &JsValue::from_f64(number)))
    }

    fn locales(self) -> Array {
        Array::of1(&JsValue::from_str(tag(self.language.get())))
    }
}

/// Returns the page's [`Words`] from the context.
pub fn use_words() -> Words {
    expect_context()
}

/// The BCP 47 tag of a language.
pub fn tag(language: Language) -> &'static str {
    match language {
        Language::English => "en",
        Language::Chinese => "zh-CN",
    }
}

fn options(style: &[(&str, &str)]) -> Object {
    let object = Object::new();
    for (name, value) in style {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(name), &JsValue::from_str(value));
    }
    object
}

fn text_of(result: Result<JsValue, JsValue>) -> String {
    result
        .ok()
        .and_then(|text| text.dyn_into::<js_sys::JsString>().ok())
        .map(String::from)
        .unwrap_or_default()
}

/// Counts and times here are far below 2⁵³, up to which f64 is exact.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn as_f64(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_has_a_text_in_each_language() {
        assert_eq!(word::COPY_COPIED.text(Language::English), "Copied");
        assert_eq!(word::COPY_COPIED.text(Language::Chinese), "已复制");
    }
}
