//! Shows a call's arguments and other texts.

use leptos::prelude::*;

use crate::text::arguments::rows;
use crate::text::folds::{FoldPiece, fold};
use crate::words::{Plural, Word, Words, word};

/// Arguments as a table; as plain text if they are not a JSON object. `none` is shown if there are no arguments.
pub fn arguments_view(words: Words, arguments: &str, none: Word) -> AnyView {
    match rows(arguments) {
        Some(rows) if rows.is_empty() => view! { <p>{words.get(none)}</p> }.into_any(),
        Some(rows) => {
            let rows = rows
                .into_iter()
                .map(|(name, value)| {
                    view! {
                        <tr>
                            <th scope="row">{name}</th>
                            <td>{folded(words, &value)}</td>
                        </tr>
                    }
                    .into_any()
                })
                .collect_view();
            view! {
                <table class="arguments">
                    <caption class="visually-hidden">{words.get(word::ARGUMENTS_TITLE)}</caption>
                    <thead class="visually-hidden">
                        <tr>
                            <th scope="col">{words.get(word::ARGUMENTS_NAME)}</th>
                            <th scope="col">{words.get(word::ARGUMENTS_VALUE)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            }
            .into_any()
        }
        None => view! { <pre tabindex="0">{arguments.to_owned()}</pre> }.into_any(),
    }
}

/// A text in which long runs of line breaks and blanks are shown as a count.
pub fn folded(words: Words, text: &str) -> Vec<AnyView> {
    let count = |count: usize, sign: &str, forms: Plural| {
        let number = u64::try_from(count).unwrap_or_default();
        (count > 0).then(|| (format!("{sign} ×{}", words.number(number)), words.count(forms, number, &[])))
    };
    let view = |piece| match piece {
        FoldPiece::Text(text) => text.into_any(),
        FoldPiece::Fold { breaks, blanks } => {
            let breaks = count(breaks, "⏎", (word::FOLD_BREAKS_ONE, word::FOLD_BREAKS_OTHER));
            let blanks = count(blanks, "␠", (word::FOLD_BLANKS_ONE, word::FOLD_BLANKS_OTHER));
            let (signs, said): (Vec<_>, Vec<_>) = [breaks, blanks].into_iter().flatten().unzip();
            let (signs, said) = (signs.join(" "), said.join(", "));
            view! {
                <span class="folded-run" role="img" title=said.clone() aria-label=said>
                    {signs}
                </span>
            }
            .into_any()
        }
    };
    fold(text).into_iter().map(view).collect()
}
