//! The arguments of the next run: as a form or as JSON, checked while they are typed.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use serde_json::Value;
use sidecar_form::{Fill, FormPlan, example};
use sidecar_link::LinkResponse;
use sidecar_protocol::ToolRef;
use sidecar_protocol::link::{RunsAnswer, RunsCommand};
use sidecar_ui::widgets::button::WordButton;
use sidecar_ui::widgets::show::Show;
use sidecar_ui::words::use_words;

use crate::form::field::field;
use crate::form::store::FormStore;
use crate::segment::Segment;
use crate::state::use_workbench;
use crate::word;

/// How long nothing is typed before the arguments are checked.
const PAUSE: Duration = Duration::from_millis(150);

/// The id of the arguments as JSON.
pub const RAW_ID: &str = "form-raw";

/// A schema and the form that it plans.
#[derive(Clone)]
pub struct PlannedForm {
    /// The schema.
    pub schema: Arc<Value>,
    /// The form.
    pub plan: Arc<FormPlan>,
}

impl PlannedForm {
    /// Plans a form for a schema: JSON text, empty if there is none.
    pub fn of(schema: &str) -> Self {
        let schema: Value = match schema.trim() {
            "" => serde_json::json!({"type": "object", "properties": {}}),
            text => serde_json::from_str(text).unwrap_or_default(),
        };
        let plan = Arc::new(sidecar_form::plan(&schema));
        Self { schema: Arc::new(schema), plan }
    }
}

/// The arguments of a tool.
#[component]
pub fn ArgumentsEditor(
    /// The tool.
    tool: ToolRef,
    /// Its form.
    planned: PlannedForm,
    /// What is typed.
    store: FormStore,
) -> impl IntoView {
    let words = use_words();
    let planned = StoredValue::new(planned);
    store.take_plan(&planned.with_value(|planned| planned.plan.clone()));
    store.arrival.begin(store.count());
    Effect::new(move |_| store.speak(words.language()));
    check_while_typed(tool, store);
    let reason = planned.with_value(|planned| planned.plan.raw_reason());
    let only_raw = reason.is_some();
    let unfilled = RwSignal::new(Vec::<String>::new());
    let is_raw = Memo::new(move |_| only_raw || store.is_raw.get());
    let fill_in = move |fill: Fill| {
        planned.with_value(|planned| {
            let filled = example(&planned.schema, fill);
            store.load(&planned.plan, &filled.text);
            unfilled.set(
                filled.unfilled.iter().map(|field| field.sentence(words.language())).collect::<Vec<_>>(),
            );
        });
    };
    let raw_text = Memo::new(move |_| {
        store.revision.with(|_| ());
        store.raw()
    });
    let dropped = move || store.dropped.with(|keys| (!keys.is_empty()).then(|| keys.join(", ")));
    view! {
        <div class="form" data-testid="form">
            <div class="form-head">
                <span class="segments" role="group" aria-label=words.text(word::FORM_LOOK)>
                    <Segment
                        testid="form-fields"
                        word=word::FORM_AS_FIELDS
                        pressed=Signal::derive(move || !is_raw.get())
                        disabled=only_raw
                        press=move |()| store.is_raw.set(false)
                    />
                    <Segment testid="form-json" word=word::FORM_AS_JSON pressed=is_raw press=move |()| store.is_raw.set(true) />
                </span>
                <span class="spacer"></span>
                <WordButton testid="form-example" class="small" word=word::FORM_EXAMPLE press=Callback::new(move |_| fill_in(Fill::Required)) />
                <WordButton testid="form-example-all" class="small" word=word::FORM_EXAMPLE_ALL press=Callback::new(move |_| fill_in(Fill::All)) />
                <WordButton
                    testid="form-clear"
                    class="small"
                    word=word::FORM_CLEAR
                    press=Callback::new(move |_| planned.with_value(|planned| store.start_over(&planned.plan)))
                />
            </div>
            {reason
                .map(|reason| {
                    view! { <p class="meta" data-testid="form-raw-reason">{reason.sentence(words.language())}</p> }.into_any()
                })}
            <div role="status">
                <Show when=move || dropped().is_some()>
                    <p class="meta" data-testid="form-dropped">
                        {move || words.fill(word::FORM_DROPPED, &[("keys", &dropped().unwrap_or_default())])}
                    </p>
                </Show>
                <Show when=move || unfilled.with(|said| !said.is_empty())>
                    <div class="meta" data-testid="form-unfilled">
                        {move || unfilled.get().into_iter().map(|text| view! { <p>{text}</p> }.into_any()).collect::<Vec<_>>()}
                    </div>
                </Show>
            </div>
            <Show
                when=move || is_raw.get()
                fallback=move || {
                    view! { <div class="fields">{move || store.root.get().map(|root| field(store, root, 0))}</div> }
                }
            >
                <textarea
                    class="code"
                    rows="10"
                    id=RAW_ID
                    data-testid="form-raw"
                    aria-describedby="raw-faults"
                    aria-label=words.text(word::RUN_ARGUMENTS)
                    spellcheck="false"
                    autocomplete="off"
                    prop:value=Signal::derive(move || raw_text.get())
                    on:input:target=move |event| _ = store.edit(|form| form.set_raw(&event.target().value()))
                ></textarea>
                <RawFaults store=store />
            </Show>
        </div>
    }
}

/// What is wrong with the arguments, under their JSON.
#[component]
fn RawFaults(store: FormStore) -> impl IntoView {
    let faults = Memo::new(move |_| {
        store.told.with(|_| ());
        store.faults()
    });
    view! {
        <div class="field-faults" id="raw-faults" data-testid="raw-faults">
            {move || {
                faults
                    .get()
                    .into_iter()
                    .map(|(pointer, text)| view! { <p><code>{pointer}</code> " " {text}</p> }.into_any())
                    .collect::<Vec<_>>()
            }}
        </div>
    }
}

/// Has the worker check the arguments after each pause in typing.
fn check_while_typed(tool: ToolRef, store: FormStore) {
    let connection = use_workbench().connection;
    let tool = StoredValue::new(tool);
    Effect::new(move |_| {
        let typed = store.revision.get();
        connection.count.with(|_| ());
        let check = move || {
            // The view may be gone, or something else be typed.
            let is_latest = store.revision.try_get_untracked() == Some(typed);
            let (Some(tool), true) = (tool.try_get_value(), is_latest) else { return };
            let Some(arguments) = store.emitted_anyway() else { return };
            connection.ask(RunsCommand::Check { tool, arguments }, move |response| {
                let is_latest = store.revision.try_get_untracked() == Some(typed);
                if let (LinkResponse::Answer(RunsAnswer::Checked { mistakes }), true) = (response, is_latest)
                {
                    store.take_mistakes(mistakes);
                }
            });
        };
        set_timeout(check, PAUSE);
    });
}
