//! What a run came to: as text, as a tree, as a table where rows are alike.

use std::collections::HashSet;

use leptos::prelude::*;
use sidecar_form::{Json, JsonType};
use sidecar_protocol::picture::NewPicture;
use sidecar_protocol::thread::{ToolFailure, ToolOutcome};
use sidecar_protocol::tool_run::{ToolRun, WatchedPage};
use sidecar_runs::page_change::page_change;
use sidecar_runs::tree::MOST_LINES;
use sidecar_runs::{ResultTable, lines, table};
use sidecar_ui::icons::icon;
use sidecar_ui::text::arguments::pretty;
use sidecar_ui::text::legible::legible;
use sidecar_ui::text::tool_call::{
    explanation, result_text, run_line, state_icon, state_name, state_of, told,
};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::copy_button::CopyButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Word, Words, use_words};

use crate::segment::Segment;
use crate::views::changed_lines::ChangedLines;
use crate::word;

/// The level below which a tree is open at first.
const OPEN_LEVELS: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Text,
    Tree,
    Table,
}

/// The result.
#[component]
pub fn ResultView(
    /// The run.
    ended: ToolRun,
    /// Whether nothing can be sent now.
    disabled: Signal<bool>,
    /// Sends arguments that do not fit the schema.
    anyway: Callback<String>,
) -> impl IntoView {
    let words = use_words();
    let state = state_of(&ended);
    let text = result_text(&state).unwrap_or_default().into_owned();
    let seen = legible(&text);
    let json = Json::read(&seen).ok().filter(|json| matches!(json, Json::Object(_) | Json::Array(_)));
    let rows = json.as_ref().and_then(table);
    let is_cut = text.len() < ended.result_bytes;
    let is_refused = matches!(&ended.outcome, ToolOutcome::Failed { code: ToolFailure::BadArguments, .. });
    let look = RwSignal::new(match (&rows, &json) {
        (Some(_), _) => Look::Table,
        (None, Some(_)) => Look::Tree,
        (None, None) => Look::Text,
    });
    let (has_rows, has_json) = (rows.is_some(), json.is_some());
    let (json, rows) = (StoredValue::new(json), StoredValue::new(rows));
    let copied = Signal::stored(text.clone());
    let shown = pretty(&seen);
    let has_text = !text.is_empty();
    let arguments = ended.arguments.clone();
    let watched = ended.page.clone();
    let pictures = ended.pictures.clone();
    let is = move |one: Look| Signal::derive(move || look.get() == one);
    let buttons = move || {
        view! {
            <span class="segments" role="group" aria-label=words.text(word::RESULT_LOOK)>
                <Show when=move || has_rows>
                    <Segment
                        testid="result-table-look"
                        word=word::RESULT_TABLE
                        pressed=is(Look::Table)
                        press=move |()| look.set(Look::Table)
                    />
                </Show>
                <Segment
                    testid="result-tree-look"
                    word=word::RESULT_TREE
                    pressed=is(Look::Tree)
                    press=move |()| look.set(Look::Tree)
                />
                <Segment
                    testid="result-text-look"
                    word=word::RESULT_TEXT
                    pressed=is(Look::Text)
                    press=move |()| look.set(Look::Text)
                />
            </span>
        }
        .into_any()
    };
    view! {
        <section class="bench-result" data-testid="run-result" data-state=state_name(&state)>
            <div class="details-head">
                <p class="run-line">
                    <span class="tool-icon">{icon(state_icon(&state))}</span>
                    {run_line(words, &ended)}
                </p>
                <CopyButton label=word::RESULT_COPY testid="run-copy" text=copied />
            </div>
            {told(words, &ended.outcome)
                .or_else(|| explanation(words, &state))
                .map(|text| view! { <p>{text}</p> }.into_any())}
            {has_json.then(buttons)}
            <Show when=move || has_text>
                {
                    let shown = shown.clone();
                    move || match look.get() {
                        Look::Text => view! { <pre tabindex="0" data-testid="run-text">{shown.clone()}</pre> }.into_any(),
                        Look::Tree => json.with_value(|json| json.clone()).map(tree).into_any(),
                        Look::Table => rows.with_value(|rows| rows.as_ref().map(rows_view)).into_any(),
                    }
                }
            </Show>
            {is_cut.then(|| view! { <p class="meta">{words.text(word::RUN_CUT)}</p> }.into_any())}
            {pictures_view(words, pictures, word::RESULT_PICTURE)}
            {watched.map(|watched| view! { <PageChange watched=watched /> }.into_any())}
            {is_refused
                .then(|| {
                    view! {
                        <WordButton
                            testid="result-anyway"
                            word=word::RUN_ANYWAY
                            disabled=disabled
                            press=Callback::new(move |_| anyway.run(arguments.clone()))
                        />
                    }
                        .into_any()
                })}
        </section>
    }
}

/// Pictures side by side.
fn pictures_view(words: Words, pictures: Vec<NewPicture>, name: Word) -> Option<AnyView> {
    let one = |(at, picture): (usize, NewPicture)| {
        let number = (at + 1).to_string();
        let alt = words.fill(name, &[("number", &number)]);
        let (width, height) = (picture.width.to_string(), picture.height.to_string());
        view! { <img data-testid="run-picture" src=picture.url() alt=alt width=width height=height /> }
            .into_any()
    };
    let shown = pictures.into_iter().enumerate().map(one).collect::<Vec<_>>();
    (!shown.is_empty()).then(|| view! { <div class="run-pictures">{shown}</div> }.into_any())
}

/// What a run changed in its page.
#[component]
fn PageChange(watched: WatchedPage) -> impl IntoView {
    let words = use_words();
    let lines = match (&watched.before, &watched.after) {
        (Ok(before), Ok(after)) => view! { <ChangedLines changes=page_change(before, after) /> }.into_any(),
        (Err(why), _) | (_, Err(why)) => {
            let why = why.clone();
            view! { <p class="meta">{words.text(word::PAGE_UNREAD)} " " {why}</p> }.into_any()
        }
    };
    view! {
        <section data-testid="page-change">
            <h3>{words.text(word::PAGE_CHANGE)}</h3>
            {lines}
            {pictures_view(words, watched.pictures, word::PAGE_PICTURE)}
        </section>
    }
}

/// A table of rows that are alike.
fn rows_view(table: &ResultTable) -> AnyView {
    let words = use_words();
    let heads = table.columns.iter().map(|name| view! { <th scope="col">{name.clone()}</th> }.into_any());
    let rows = table.rows.iter().map(|row| {
        let cells = row.iter().map(|cell| view! { <td>{cell.clone()}</td> }.into_any()).collect::<Vec<_>>();
        view! { <tr>{cells}</tr> }.into_any()
    });
    let (count, total) = (table.rows.len(), table.total);
    let number = |count: usize| words.number(u64::try_from(count).unwrap_or_default());
    let cut = (count < total)
        .then(|| words.fill(word::RESULT_ROWS, &[("count", &number(count)), ("total", &number(total))]));
    let key = table.key.clone();
    view! {
        {key.map(|key| view! { <p class="meta"><code>{key}</code></p> }.into_any())}
        <div class="bench-table" tabindex="0" role="region" aria-label=words.text(word::RESULT_TABLE)>
            <table data-testid="run-table">
                <thead><tr>{heads.collect::<Vec<_>>()}</tr></thead>
                <tbody>{rows.collect::<Vec<_>>()}</tbody>
            </table>
        </div>
        {cut.map(|text| view! { <p class="meta">{text}</p> }.into_any())}
    }
    .into_any()
}

/// A tree that folds.
fn tree(value: Json) -> AnyView {
    let words = use_words();
    let value = StoredValue::new(value);
    // Values whose state differs from the one at first.
    let toggled = RwSignal::new(HashSet::<String>::new());
    let shown = move || {
        value.with_value(|value| {
            toggled.with(|toggled| {
                lines(value, 0, |pointer, level| (level < OPEN_LEVELS) != toggled.contains(pointer))
            })
        })
    };
    let body = move || {
        let tree = shown();
        let is_cut = tree.total > tree.lines.len();
        let rows = tree.lines.into_iter().map(|line| {
            let key = line.key.map(|key| view! { <code class="tree-key">{key}</code> ": " }.into_any());
            let style = format!("padding-inline-start:{}px", 16 * line.level.min(20));
            let of = match line.kind {
                JsonType::Array => format!("[{}]", line.children),
                JsonType::Object => format!("{{{}}}", line.children),
                _ => line.text.clone(),
            };
            let pointer = line.pointer.clone();
            let toggle = (line.children > 0).then(|| {
                view! {
                    <button
                        type="button"
                        class="small tree-toggle"
                        data-testid="tree-toggle"
                        aria-expanded=line.is_open.to_string()
                        aria-label=words.text(word::RESULT_FOLD)
                        on:click=move |_| {
                            toggled
                                .update(|toggled| {
                                    if !toggled.remove(&pointer) {
                                        toggled.insert(pointer.clone());
                                    }
                                });
                        }
                    >
                        {if line.is_open { "▾" } else { "▸" }}
                    </button>
                }
                .into_any()
            });
            view! { <li style=style>{toggle} {key} <span>{of}</span></li> }.into_any()
        });
        let count = words.number(u64::try_from(MOST_LINES).unwrap_or_default());
        view! {
            <ul class="tree" data-testid="run-tree">{rows.collect::<Vec<_>>()}</ul>
            {is_cut.then(|| view! { <p class="meta">{words.fill(word::RESULT_LINES, &[("count", &count)])}</p> }.into_any())}
        }
        .into_any()
    };
    body.into_any()
}
