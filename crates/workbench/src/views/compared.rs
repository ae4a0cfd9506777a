//! The difference of two results.

use leptos::prelude::*;
use sidecar_protocol::tool_run::ToolRun;
use sidecar_runs::difference;
use sidecar_ui::text::legible::legible;
use sidecar_ui::text::tool_call::{result_text, state_of};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::word;

/// Up to two runs whose results are compared. A handle.
#[derive(Clone, Copy)]
pub struct ComparedRuns {
    runs: RwSignal<Vec<ToolRun>>,
}

impl ComparedRuns {
    /// Makes it known below.
    pub fn provide() {
        provide_context(Self { runs: RwSignal::new(Vec::new()) });
    }

    /// Takes a run, or gives it up; a third one takes the place of the first.
    pub fn toggle(self, run: &ToolRun) {
        self.runs.update(|runs| match runs.iter().position(|known| known.call_id == run.call_id) {
            Some(at) => _ = runs.remove(at),
            None => {
                runs.push(run.clone());
                if runs.len() > 2 {
                    runs.remove(0);
                }
            }
        });
    }

    /// Gives up all.
    pub fn clear(self) {
        self.runs.set(Vec::new());
    }
}

/// The difference; nothing until a run is chosen.
#[component]
pub fn Compared() -> impl IntoView {
    let words = use_words();
    let comparison = expect_context::<ComparedRuns>();
    let runs = comparison.runs;
    let ignored = RwSignal::new(String::new());
    let count = Memo::new(move |_| runs.with(Vec::len));
    let changes = Memo::new(move |_| {
        let paths: Vec<String> = ignored.with(|text| text.split_whitespace().map(str::to_owned).collect());
        runs.with(|runs| {
            let mut runs: Vec<_> = runs.iter().collect();
            runs.sort_by_key(|run| run.at);
            let [before, after] = runs.as_slice() else { return None };
            let text = |run: &ToolRun| result_text(&state_of(run)).unwrap_or_default().into_owned();
            Some(difference(&text(before), &text(after), &paths))
        })
    });
    let body = move || {
        let changes = changes.get()?;
        let more = words.number(u64::try_from(changes.more).unwrap_or_default());
        let rows = changes.changes.into_iter().map(|change| {
            let [before, after] = [change.before, change.after].map(|side| side.map(|text| legible(&text)));
            let pointer = legible(&change.pointer);
            view! {
                <tr data-testid="difference-row">
                    <th scope="row"><code>{pointer}</code></th>
                    <td>{before}</td>
                    <td>{after}</td>
                </tr>
            }
            .into_any()
        });
        let rows: Vec<_> = rows.collect();
        Some(match rows.is_empty() {
            true => view! { <p class="meta" data-testid="difference-none">{words.text(word::DIFFERENCE_NONE)}</p> }.into_any(),
            false => view! {
                <div class="bench-table" tabindex="0" role="region" aria-label=words.text(word::DIFFERENCE_TITLE)>
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">{words.text(word::DIFFERENCE_PLACE)}</th>
                                <th scope="col">{words.text(word::DIFFERENCE_BEFORE)}</th>
                                <th scope="col">{words.text(word::DIFFERENCE_AFTER)}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
                {(changes.more > 0)
                    .then(|| view! { <p class="meta">{words.fill(word::DIFFERENCE_MORE, &[("count", &more)])}</p> }.into_any())}
            }
            .into_any(),
        })
    };
    view! {
        <Show when=move || { count.get() > 0 }>
            <section class="bench-result" data-testid="difference">
                <div class="details-head">
                    <h3>{words.text(word::DIFFERENCE_TITLE)}</h3>
                    <WordButton
                        testid="difference-close"
                        class="small"
                        word=word::NOTICE_CLOSE
                        press=Callback::new(move |_| comparison.clear())
                    />
                </div>
                <Show when=move || count.get() == 1>
                    <p class="meta" role="status">{words.text(word::DIFFERENCE_ANOTHER)}</p>
                </Show>
                <label>
                    {words.text(word::DIFFERENCE_IGNORED)}
                    <input
                        data-testid="difference-ignored"
                        placeholder="/time /items/*/id"
                        autocomplete="off"
                        spellcheck="false"
                        prop:value=Signal::derive(move || ignored.get())
                        on:input:target=move |event| ignored.set(event.target().value())
                    />
                </label>
                {body}
            </section>
        </Show>
    }
}
