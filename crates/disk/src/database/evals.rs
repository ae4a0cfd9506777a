//! Evals on disk: the line of each, what is run, and its runs by their names.

use idb::{KeyRange, Query as Place, Transaction};
use serde_json::Value;
use sidecar_agent::StoreError;
use sidecar_protocol::eval::{EvalEntry, EvalId, EvalPlan, SavedEval};
use sidecar_session::evals::files::{EvalFiles, forgotten};
use wasm_bindgen::JsValue;

use super::{Database, EVAL_PLANS, EVAL_RUNS, EVALS, parse, text};

const ALL: [&str; 3] = [EVALS, EVAL_PLANS, EVAL_RUNS];

impl EvalFiles for Database {
    async fn evals(&self) -> Result<Vec<EvalEntry>, StoreError> {
        let lines = self
            .read_in(&[EVALS], async |transaction| {
                transaction.object_store(EVALS)?.get_all(None, None)?.await
            })
            .await?;
        lines.iter().map(parse).collect()
    }

    async fn eval(&self, id: &EvalId) -> Result<Option<SavedEval>, StoreError> {
        let (line, plan, runs) = self
            .read_in(&ALL, async |transaction| {
                let line = transaction.object_store(EVALS)?.get(key(id))?.into_future();
                let plan = transaction.object_store(EVAL_PLANS)?.get(key(id))?.into_future();
                let runs =
                    transaction.object_store(EVAL_RUNS)?.get_all(Some(runs_of(id)?), None)?.into_future();
                Ok((line.await?, plan.await?, runs.await?))
            })
            .await?;
        let (Some(line), Some(plan)) = (line, plan) else { return Ok(None) };
        let records = runs.iter().map(parse).collect::<Result<_, _>>()?;
        Ok(Some(SavedEval { entry: parse(&line)?, plan: parse(&plan)?, records }))
    }

    async fn keep_eval(&self, entry: &EvalEntry, plan: &EvalPlan) -> Result<(), StoreError> {
        self.write_in(&[EVALS, EVAL_PLANS], async |transaction| {
            transaction.object_store(EVALS)?.put(&text(entry), Some(&key(&entry.id)))?.await?;
            transaction.object_store(EVAL_PLANS)?.put(&text(plan), Some(&key(&entry.id)))?.await?;
            Ok(())
        })
        .await
    }

    async fn note_eval(&self, entry: &EvalEntry, run: Option<(&str, &Value)>) -> Result<(), StoreError> {
        let is_there = self
            .write_in(&[EVALS, EVAL_RUNS], async |transaction| {
                let lines = transaction.object_store(EVALS)?;
                if lines.get(key(&entry.id))?.await?.is_none() {
                    return Ok(false);
                }
                lines.put(&text(entry), Some(&key(&entry.id)))?.await?;
                if let Some((name, record)) = run {
                    let place = run_key(&entry.id, &JsValue::from_str(name));
                    transaction.object_store(EVAL_RUNS)?.put(&text(record), Some(&place))?.await?;
                }
                Ok(true)
            })
            .await?;
        if is_there { Ok(()) } else { Err(forgotten()) }
    }

    async fn forget_eval(&self, id: &EvalId) -> Result<(), StoreError> {
        self.write_in(&ALL, async |transaction: &Transaction| {
            transaction.object_store(EVALS)?.delete(key(id))?.await?;
            transaction.object_store(EVAL_PLANS)?.delete(key(id))?.await?;
            transaction.object_store(EVAL_RUNS)?.delete(runs_of(id)?)?.await
        })
        .await
    }
}

fn key(id: &EvalId) -> JsValue {
    JsValue::from_str(&id.0)
}

/// The key of a run: [id, name].
fn run_key(id: &EvalId, name: &JsValue) -> JsValue {
    js_sys::Array::of2(&key(id), name).into()
}

/// All runs of an eval: an array sorts after every text.
fn runs_of(id: &EvalId) -> Result<Place, idb::Error> {
    let [first, last] = [JsValue::from_str(""), js_sys::Array::new().into()].map(|end| run_key(id, &end));
    KeyRange::bound(&first, &last, None, None).map(Place::KeyRange)
}
