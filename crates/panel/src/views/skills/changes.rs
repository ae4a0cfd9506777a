//! What an update changes: what it may do first, then tools, the texts that the model sees, and files.

use leptos::prelude::*;
use sidecar_protocol::skill::{ChangedLine, SkillUpdate, TextChange, ToolChange, ToolChangeKind};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::views::skills::diff::{DiffRow, diff_rows};
use crate::word;

/// How many rows of a text are shown at once.
const ROWS_AT_ONCE: usize = 200;

/// What changes.
pub fn changes_view(words: Words, update: &SkillUpdate) -> AnyView {
    let SkillUpdate { from, is_same, is_wider, gains, loses, tools, texts, files } = update.clone();
    let content = if is_same {
        view! { <p>{words.text(word::SKILLS_SAME)}</p> }.into_any()
    } else {
        let narrow = (!is_wider && gains.is_empty())
            .then(|| view! { <p>{words.text(word::SKILLS_NO_WIDER)}</p> }.into_any());
        let gain = |text: String| {
            let said = move || words.fill(word::SKILLS_GAIN, &[("what", &text)]);
            view! {
                <li class="skill-gain" data-testid="skill-gain">
                    {icon(Icon::Warning)}
                    <span>{said}</span>
                </li>
            }
            .into_any()
        };
        let lose = |text: String| {
            let said = move || words.fill(word::SKILLS_LOSS, &[("what", &text)]);
            view! { <li data-testid="skill-loss">{said}</li> }.into_any()
        };
        view! {
            {narrow}
            <ul class="skill-sentences plain">
                {gains.into_iter().map(gain).collect_view()}
                {loses.into_iter().map(lose).collect_view()}
                {tools.into_iter().map(|tool| tool_change(words, tool)).collect_view()}
            </ul>
            {texts.into_iter().map(|text| view! { <TextDiff text=text /> }.into_any()).collect_view()}
            {other_files(words, files)}
        }
        .into_any()
    };
    let from = if from.is_empty() { None } else { Some(from) };
    let title = move || {
        let from = from.as_deref().unwrap_or_else(|| words.get(word::SKILLS_NO_VERSION));
        words.fill(word::SKILLS_CHANGES, &[("version", from)])
    };
    view! {
        <div
            class="skill-changes"
            data-testid="skill-update"
            data-same=is_same.to_string()
            data-wider=is_wider.to_string()
        >
            <h3>{title}</h3>
            {content}
        </div>
    }
    .into_any()
}

fn tool_change(words: Words, ToolChange { name, kind, acts }: ToolChange) -> AnyView {
    let (kind_name, word) = match kind {
        ToolChangeKind::Added if acts => ("added", word::SKILLS_TOOL_ADDED_ACTS),
        ToolChangeKind::Added => ("added", word::SKILLS_TOOL_ADDED),
        ToolChangeKind::Removed => ("removed", word::SKILLS_TOOL_REMOVED),
        ToolChangeKind::Changed if acts => ("changed", word::SKILLS_TOOL_CHANGED_ACTS),
        ToolChangeKind::Changed => ("changed", word::SKILLS_TOOL_CHANGED),
    };
    let shown = name.clone();
    let said = move || words.fill(word, &[("tool", &shown)]);
    view! { <li data-testid="skill-tool-change" data-name=name data-kind=kind_name>{said}</li> }.into_any()
}

fn other_files(words: Words, files: Vec<String>) -> Option<AnyView> {
    let file = |path: String| view! { <li><code>{path}</code></li> }.into_any();
    (!files.is_empty()).then(|| {
        view! {
            <p class="meta">{words.text(word::SKILLS_FILES_CHANGED)}</p>
            <ul class="skill-files">{files.into_iter().map(file).collect_view()}</ul>
        }
        .into_any()
    })
}

/// A text's lines, before and after.
#[component]
fn TextDiff(text: TextChange) -> impl IntoView {
    let words = use_words();
    let TextChange { of, lines } = text;
    let rows = StoredValue::new(diff_rows(&lines));
    let whole = rows.with_value(Vec::len);
    let shown = RwSignal::new(ROWS_AT_ONCE);
    let name = of.clone();
    let title = move || words.fill(word::SKILLS_TEXT_CHANGED, &[("of", &of)]);
    let visible = move || {
        rows.with_value(|rows| rows.iter().take(shown.get()).map(|row| diff_row(words, row)).collect_view())
    };
    view! {
        <details class="fold" open=true data-testid="skill-text-change" data-of=name>
            <summary>{title}</summary>
            <div class="skill-diff" tabindex="0" role="group" aria-label=words.text(word::SKILLS_TEXT_LABEL)>
                {visible}
            </div>
            <Show when=move || { shown.get() < whole }>
                <WordButton
                    testid="skill-diff-more"
                    word=word::SKILLS_DIFF_MORE
                    class="small"
                    press=move |_| shown.update(|shown| *shown += ROWS_AT_ONCE)
                />
            </Show>
        </details>
    }
}

fn diff_row(words: Words, row: &DiffRow) -> AnyView {
    let (change, sign, said, text) = match row {
        DiffRow::Skipped(count) => {
            let count = u64::try_from(*count).unwrap_or_default();
            let said =
                move || words.count((word::SKILLS_DIFF_SAME_ONE, word::SKILLS_DIFF_SAME_OTHER), count, &[]);
            return view! { <p class="skill-diff-skip meta">{said}</p> }.into_any();
        }
        DiffRow::Line(ChangedLine::Same(text)) => ("same", " ", None, text.clone()),
        DiffRow::Line(ChangedLine::Removed(text)) => {
            ("removed", "−", Some(word::SKILLS_DIFF_REMOVED), text.clone())
        }
        DiffRow::Line(ChangedLine::Added(text)) => {
            ("added", "+", Some(word::SKILLS_DIFF_ADDED), text.clone())
        }
    };
    let said =
        said.map(|word| view! { <span class="visually-hidden">{words.text(word)} " "</span> }.into_any());
    view! {
        <p class="skill-diff-line" data-change=change>
            <span aria-hidden="true">{sign}</span>
            {said}
            <span>{text}</span>
        </p>
    }
    .into_any()
}
