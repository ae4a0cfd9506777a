//! What is wrong with the page's tools.

use leptos::prelude::*;
use sidecar_link::{LinkResponse, ask_anew};
use sidecar_protocol::link::{PageAnswer, PageCommand};
use sidecar_protocol::lint::{LintNote, NoteWeight};
use sidecar_ui::widgets::lint_note::{LintNoteView, lint_status};
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::segment::Segment;
use crate::state::{Workbench, has_tools, tools_as_they_are, use_workbench};
use crate::views::no_tools::NoTools;
use crate::word;

/// What is known of the page's tools. It is looked for when there are any, and again when they change.
#[derive(Clone, Copy)]
pub struct LintSight {
    /// The notes: not known yet, not to be had, or a list.
    pub notes: RwSignal<Option<Option<Vec<LintNote>>>>,
    /// Whether there is something to look at.
    has_tools: Memo<bool>,
    /// The rules that were switched off for the site.
    pub off: RwSignal<Vec<String>>,
    /// The rules of [`LintNote::OFF_AT_FIRST`] that were switched on for it.
    on: RwSignal<Vec<String>>,
    /// Grows to have it looked for again.
    again: RwSignal<u32>,
    bench: Workbench,
}

impl LintSight {
    /// Switches a rule off for the site, or on again.
    pub fn switch(self, rule: String, off: bool) {
        let origin = self.bench.page.with_untracked(|page| page.origin.clone());
        self.bench.connection.ask(PageCommand::SwitchRule { origin, rule, off }, move |response| {
            match response {
                LinkResponse::Refused(why) => self.bench.refusal.set(Some(why)),
                LinkResponse::Done | LinkResponse::Answer(_) => {}
                LinkResponse::Lost => return,
            }
            // The view may be gone.
            let _ = self.again.try_update(|again| *again += 1);
        });
    }
}

/// Looks for what is wrong with the page's tools.
pub fn linted() -> LintSight {
    let bench = use_workbench();
    let (notes, again) = (RwSignal::new(None), RwSignal::new(0));
    let (off, on) = (RwSignal::new(Vec::new()), RwSignal::new(Vec::new()));
    let (tools, has_tools) = (tools_as_they_are(bench), has_tools(bench));
    ask_anew(
        bench.connection,
        move || {
            tools.with(|_| ());
            bench.settings.with(|_| ());
            again.with(|_| ());
        },
        move || {
            if !has_tools.get() {
                // They may come later, or those of another page.
                notes.set(None);
                off.set(Vec::new());
                return None;
            }
            Some(PageCommand::Lint)
        },
        move |response| {
            let told = match response {
                LinkResponse::Answer(PageAnswer::Linted { notes, off: left_out, on: wanted }) => {
                    let _ = (off.try_set(left_out), on.try_set(wanted));
                    notes
                }
                LinkResponse::Answer(_) | LinkResponse::Done => return,
                LinkResponse::Refused(_) | LinkResponse::Lost => None,
            };
            // The view may be gone.
            let _ = notes.try_set(Some(told));
        },
    );
    LintSight { notes, has_tools, off, on, again, bench }
}

/// The view.
#[component]
pub fn LintView() -> impl IntoView {
    let words = use_words();
    let linted = linted();
    let LintSight { notes, has_tools, off, .. } = linted;
    let (weight, filter) = (RwSignal::new(None::<NoteWeight>), RwSignal::new(String::new()));
    let shown = Memo::new(move |_| {
        let wanted = filter.with(|filter| filter.trim().to_lowercase());
        let all = notes.get().flatten().unwrap_or_default();
        let fits = |note: &LintNote| {
            weight.get().is_none_or(|weight| note.weight == weight)
                && [&note.rule, &note.tool, &note.message]
                    .iter()
                    .any(|text| text.to_lowercase().contains(&wanted))
        };
        all.into_iter().filter(fits).collect::<Vec<_>>()
    });
    let is = move |choice: Option<NoteWeight>| Signal::derive(move || weight.get() == choice);
    view! {
        <div class="bench-page-view" data-testid="lint-view">
            <h2>{words.text(word::BENCH_LINT)}</h2>
            <Show when=move || has_tools.get() fallback=|| view! { <NoTools /> }>
                <p role="status" class="meta" data-testid="lint-status">
                    {move || notes.with(|notes| lint_status(words, notes))}
                </p>
                <div class="bench-filters">
                    <div class="segments" role="group" aria-label=words.text(word::LINT_WEIGHTS)>
                        <Segment testid="lint-all" word=word::LINT_ALL pressed=is(None) press=move |()| weight.set(None) />
                        <Segment testid="lint-errors" word=word::LINT_ERROR pressed=is(Some(NoteWeight::Error)) press=move |()| weight.set(Some(NoteWeight::Error)) />
                        <Segment testid="lint-warnings" word=word::LINT_WARNING pressed=is(Some(NoteWeight::Warning)) press=move |()| weight.set(Some(NoteWeight::Warning)) />
                        <Segment testid="lint-infos" word=word::LINT_INFO pressed=is(Some(NoteWeight::Info)) press=move |()| weight.set(Some(NoteWeight::Info)) />
                    </div>
                    <input
                        type="search"
                        data-testid="lint-filter"
                        aria-label=words.text(word::BENCH_FILTER)
                        placeholder=words.text(word::BENCH_FILTER)
                        prop:value=move || filter.get()
                        on:input:target=move |event| filter.set(event.target().value())
                    />
                </div>
                <ul class="rows">
                    {move || {
                        let switch_off = Callback::new(move |rule| linted.switch(rule, true));
                        let row = |note| view! { <LintNoteView note=note switch_off=switch_off /> }.into_any();
                        shown.get().into_iter().map(row).collect::<Vec<_>>()
                    }}
                </ul>
                <MoreRules linted=linted />
            </Show>
            <Show when=move || off.with(|off| !off.is_empty())>
                <section class="lint-off" data-testid="lint-off-rules">
                    <h3>{words.text(word::LINT_OFF_RULES)}</h3>
                    <ul class="rows">
                        {move || {
                            let row = |rule: String| {
                                let (named, switched) = (rule.clone(), rule.clone());
                                view! {
                                    <li>
                                        <code>{rule}</code> " "
                                        <button
                                            type="button"
                                            class="small"
                                            data-testid="lint-on"
                                            aria-label=move || words.fill(word::LINT_ON_RULE, &[("rule", &named)])
                                            on:click=move |_| linted.switch(switched.clone(), false)
                                        >
                                            {words.text(word::LINT_ON)}
                                        </button>
                                    </li>
                                }
                                .into_any()
                            };
                            off.get().into_iter().map(row).collect::<Vec<_>>()
                        }}
                    </ul>
                </section>
            </Show>
        </div>
    }
}

/// The rules that are off until they are switched on, folded.
#[component]
fn MoreRules(
    /// Which of them are on.
    linted: LintSight,
) -> impl IntoView {
    let words = use_words();
    let meanings = [word::LINT_NO_TITLE, word::LINT_NO_WHEN, word::LINT_NO_HINTS];
    let row = |(rule, meaning): (&'static str, _)| {
        let is_on = move || linted.on.with(|on| on.iter().any(|one| one == rule));
        let press = move |wanted: bool| {
            // Until the next answer says whether it was kept.
            linted.on.update(|on| {
                on.retain(|one| one != rule);
                on.extend(wanted.then(|| rule.to_owned()));
            });
            linted.switch(rule.to_owned(), !wanted);
        };
        view! {
            <li>
                <label class="field-choice">
                    <input
                        type="checkbox"
                        data-testid="lint-more-rule"
                        data-rule=rule
                        prop:checked=Signal::derive(is_on)
                        on:change:target=move |event| press(event.target().checked())
                    />
                    <span><code>{rule}</code> " " {words.text(meaning)}</span>
                </label>
            </li>
        }
        .into_any()
    };
    view! {
        <details data-testid="lint-more">
            <summary data-testid="lint-more-toggle">{words.text(word::LINT_MORE)}</summary>
            <ul class="rows">{LintNote::OFF_AT_FIRST.into_iter().zip(meanings).map(row).collect::<Vec<_>>()}</ul>
        </details>
    }
}
