//! What the steps of a tool did when it last ran.

use leptos::prelude::*;
use sidecar_protocol::link::{SkillsAnswer, SkillsCommand};
use sidecar_protocol::skill::{SkillLevel, SkillSummary, SkillTrace, TracedStep};
use sidecar_ui::icons::{Icon, icon};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::{Words, use_words};

use crate::state::{PanelState, use_state};
use crate::word;
use sidecar_link::LinkResponse;

/// The last run. Of a SKILL of others it is shown only if there was one.
#[component]
pub fn LastRun(skill: Memo<SkillSummary>) -> impl IntoView {
    let words = use_words();
    let PanelState { connection, .. } = use_state();
    let trace = RwSignal::new(None::<SkillTrace>);
    let is_own = Memo::new(move |_| skill.with(|skill| skill.level == SkillLevel::Own));
    Effect::new(move |_| {
        // A worker that died may not have received the request.
        connection.count.with(|_| ());
        // Each run is a change: of the last success, or of how the SKILL fares.
        let id = skill.with(|skill| skill.id.clone());
        connection.ask(SkillsCommand::Trace { id }, move |response| {
            if let LinkResponse::Answer(SkillsAnswer::Traced { trace: last }) = response {
                // The details may be closed by now.
                let _ = trace.try_set(last);
            }
        });
    });
    view! {
        <Show when=move || is_own.get() || trace.with(Option::is_some)>
            <details class="skill-trace" data-testid="skill-trace">
                <summary>
                    {icon(Icon::Chevron)}
                    {words.text(word::SKILLS_LAST_RUN)}
                </summary>
                {move || match trace.get() {
                    None => view! { <p class="meta">{words.text(word::SKILLS_LAST_RUN_NONE)}</p> }.into_any(),
                    Some(trace) => table(words, trace),
                }}
            </details>
        </Show>
    }
}

fn table(words: Words, SkillTrace { tool, origin, began, steps, outcome }: SkillTrace) -> AnyView {
    let line = move || {
        let parts = [tool.clone(), origin.clone(), words.exact_moment(began), outcome.clone()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    };
    let heads = [
        word::SKILLS_TRACE_STEP,
        word::SKILLS_TRACE_LOCATOR,
        word::SKILLS_TRACE_VALUE,
        word::SKILLS_TRACE_OUTCOME,
    ];
    let heads = heads.map(|word| view! { <th scope="col">{words.text(word)}</th> }.into_any());
    let row = move |TracedStep { step, does, locator, alternative, value, outcome }: TracedStep| {
        let alternative = alternative.map(|place| {
            let said = move || {
                words.fill(word::SKILLS_TRACE_ALTERNATIVE, &[("place", &words.number(u64::from(place)))])
            };
            view! { <span class="meta">" " {said}</span> }.into_any()
        });
        view! {
            <tr data-testid="skill-trace-step" data-outcome=outcome.clone()>
                <th scope="row"><code>{step}</code> " " {does}</th>
                <td>{locator} {alternative}</td>
                <td><code>{value}</code></td>
                <td>{outcome.clone()}</td>
            </tr>
        }
        .into_any()
    };
    view! {
        <p class="meta">{line}</p>
        <div class="skill-table" tabindex="0" role="group" aria-label=words.text(word::SKILLS_LAST_RUN)>
            <table>
                <thead>
                    <tr>{heads}</tr>
                </thead>
                <tbody>{steps.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
