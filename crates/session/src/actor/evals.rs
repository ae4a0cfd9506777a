//! Evals: what is kept, and the one that is being run.

use serde_json::Value;
use sidecar_evals::suite::MOST_BYTES;
use sidecar_protocol::eval::{EvalEntry, EvalId, EvalPlan, EvalStage, EvalState, SavedEval, SuiteQuestion};
use sidecar_protocol::link::{Answer, EvalsAnswer, EvalsCommand, EvalsEvent, PanelEvent, Refusal};

use super::Actor;
use super::code_parts::CodeParts;
use super::eval_task::{EvalBegin, EvalTask};
use super::replies::Answered;
use crate::browser::StorageArea;
use crate::evals::LeftEval;
use crate::evals::files::EvalFiles as _;
use crate::evals::jobs::{self, count, is_sound};
use crate::event::Asker;
use crate::refusals;

/// Most bytes of runs in one message: the browser takes 64 MiB.
const MOST_OF_MESSAGE: usize = 8 << 20;

/// The runs in parts that a message takes.
fn parts(records: Vec<Value>) -> Vec<Vec<Value>> {
    let (mut parts, mut size) = (Vec::<Vec<Value>>::new(), 0);
    for record in records {
        let bytes = record.to_string().len();
        match parts.last_mut() {
            Some(part) if size + bytes <= MOST_OF_MESSAGE => {
                size += bytes;
                part.push(record);
            }
            Some(_) | None => {
                size = bytes;
                parts.push(vec![record]);
            }
        }
    }
    parts
}

impl<B: CodeParts> Actor<B> {
    pub(super) async fn answer_evals(&mut self, asker: Asker, command: EvalsCommand) -> Answered {
        if self.browser.is_private() {
            return Err(Refusal::PrivateEval);
        }
        match command {
            EvalsCommand::List => {
                let mut evals = self.history.database().evals().await.map_err(refusals::storage)?;
                evals.sort_by_key(|entry| std::cmp::Reverse(entry.started));
                let now = self.evals.now();
                let evals = evals.into_iter().map(|entry| now.current(entry)).collect();
                Ok(Some(Answer::from(EvalsAnswer::Listed { evals })))
            }
            EvalsCommand::Open { id } => {
                let (disk, now, replies) = (self.history.database(), self.evals.now(), self.replies(asker));
                self.later(asker, async move {
                    let Some(eval) = disk.eval(&id).await.map_err(refusals::storage)? else {
                        return Ok(Answer::from(EvalsAnswer::Opened { eval: None }));
                    };
                    let SavedEval { entry, plan, records } = eval;
                    let eval = SavedEval { entry: now.current(entry), plan, records: Vec::new() };
                    replies.part(Answer::from(EvalsAnswer::Opened { eval: Some(Box::new(eval)) }));
                    for records in parts(records) {
                        replies.part(Answer::from(EvalsAnswer::More { records }));
                    }
                    Ok(Answer::Done)
                })
            }
            EvalsCommand::Check { suite, tools } => {
                let size = |text: &String| text.len();
                if suite.len().max(tools.as_ref().map_or(0, size)) > MOST_BYTES {
                    return Err(Refusal::BadMessage);
                }
                let question = SuiteQuestion { language: self.language(asker.link), suite, tools };
                let browser = self.browser.clone();
                self.later(asker, async move {
                    let notes = browser.check_suite(&question).await;
                    Ok(Answer::from(EvalsAnswer::Checked { notes }))
                })
            }
            EvalsCommand::Start { plan } => {
                if self.evals.is_under_way() {
                    return Err(Refusal::EvalRunning);
                }
                if !is_sound(&plan) {
                    return Err(Refusal::BadMessage);
                }
                let entry = self.new_entry(&plan);
                self.run_eval(Some(asker), EvalBegin::New(Box::new((entry, *plan))), None).await;
                Ok(None)
            }
            EvalsCommand::Resume { id } => {
                if self.evals.is_under_way() {
                    return Err(Refusal::EvalRunning);
                }
                self.run_eval(Some(asker), EvalBegin::Kept(id), None).await;
                Ok(None)
            }
            EvalsCommand::Stop { id } => {
                if self.evals.stop(&id) {
                    Ok(Some(Answer::Done))
                } else {
                    Err(Refusal::NoEval)
                }
            }
            EvalsCommand::Delete { id } => {
                self.evals.forget(&id);
                self.history.database().forget_eval(&id).await.map_err(refusals::storage)?;
                self.tell_workbenches(&PanelEvent::from(EvalsEvent::Deleted { id }));
                Ok(Some(Answer::Done))
            }
        }
    }

    fn new_entry(&self, plan: &EvalPlan) -> EvalEntry {
        let moment = self.browser.moment();
        EvalEntry {
            id: EvalId(format!("eval.{}", moment.nonce)),
            name: plan.name.clone(),
            started: moment.now,
            state: EvalState::Running,
            all: count(plan),
            models: jobs::models(plan),
            is_live: !matches!(plan.stage, EvalStage::Suite { .. }),
            is_smoke: matches!(plan.stage, EvalStage::Smoke { .. }),
            is_question: matches!(plan.stage, EvalStage::Shown { .. }),
            ..EvalEntry::default()
        }
    }

    /// Takes up the eval of a worker that died.
    pub(super) async fn revive_eval(&mut self) {
        if let Some(left) = self.evals.take_left() {
            self.run_eval(None, EvalBegin::Kept(left.id.clone()), Some(left)).await;
        }
    }

    async fn run_eval(&mut self, asker: Option<Asker>, begin: EvalBegin, left: Option<LeftEval>) {
        let id = match &begin {
            EvalBegin::New(new) => new.0.id.clone(),
            EvalBegin::Kept(id) => id.clone(),
        };
        let language = self.settings.settings().language.resolve(&self.browser.ui_language());
        let task = EvalTask {
            stopped: self.evals.begin(id),
            begin,
            left,
            replies: asker.map(|asker| self.replies(asker)),
            session: self.browser.storage(StorageArea::Session),
            rules: self.rules(language),
            turns: self.turns.clone(),
            disk: self.history.database(),
            browser: self.browser.clone(),
        };
        self.chat.keep_alarm(true).await;
        self.browser.spawn_awake(async move { B::make_eval(task).await });
    }

    /// An eval came further.
    pub(super) fn eval_grew(&mut self, entry: EvalEntry, record: Option<Value>) {
        if self.evals.note(&entry) {
            self.tell_workbenches(&PanelEvent::from(EvalsEvent::Changed { entry, record }));
        }
    }

    /// An eval is over; there is no entry if it could not be run.
    pub(super) async fn eval_over(&mut self, id: &EvalId, entry: Option<EvalEntry>) {
        let is_told = self.evals.over(id);
        self.chat.keep_alarm(false).await;
        if let Some(entry) = entry.filter(|_| is_told) {
            self.tell_workbenches(&PanelEvent::from(EvalsEvent::Changed { entry, record: None }));
        }
    }

    pub(super) fn tell_workbenches(&self, event: &PanelEvent) {
        for (link, _) in self.panels.bound(None) {
            self.panels.send(link, event);
        }
    }
}
