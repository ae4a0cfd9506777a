//! A run that is taken along: in files, code and cases.

use serde_json::Value;
use sidecar_form::Json;
use sidecar_protocol::tool_run::ToolRun;

use crate::masked::masked_text;
use crate::schema_at::SchemaAt;

/// A run that is taken along, with what is known of its tool.
#[derive(Debug, Clone, Copy)]
pub struct TakenRun<'r> {
    /// The run.
    pub run: &'r ToolRun,
    /// The input schema of its tool, which may say that arguments are secret; absent if the tool is gone.
    pub schema: Option<&'r Value>,
}

impl TakenRun<'_> {
    /// Its arguments without what looks secret. What is no JSON is a text.
    pub(crate) fn arguments(&self) -> Json {
        masked_text(&self.run.arguments, &SchemaAt::root(self.schema))
    }

    /// Its result, or the message of its failure, without what looks secret; read if it is JSON.
    pub(crate) fn result(&self) -> Option<Json> {
        self.run.outcome.text().map(|text| masked_text(&text, &SchemaAt::root(None)))
    }
}
