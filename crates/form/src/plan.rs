//! The plan of a form: what a schema asks for, one level at a time.

use std::sync::Arc;

use serde_json::Value;

use crate::field::{FieldGroup, FormField, Widget};
use crate::growth::{Picking, grow};
use crate::json::Json;
use crate::planner::FieldPlanner;
use crate::reason::RawReason;
use crate::source::SchemaSource;
use crate::subschema::SubSchema;

/// Maximum number of levels that are planned; what lies deeper is JSON as text.
pub const LEVELS: usize = 12;

/// A schema, read and indexed, from which fields are planned when they are wanted. Cheap to clone.
#[derive(Debug, Clone)]
pub struct FormPlan {
    pub(crate) source: Arc<SchemaSource>,
    pub(crate) root: SubSchema,
}

/// Plans the form of a tool's input schema; `null` is that of a tool without one. Any schema gives a plan: what cannot be
/// planned becomes a field of JSON as text, which says why.
#[must_use]
pub fn plan(schema: &Value) -> FormPlan {
    let schema = if schema.is_null() { &Value::Bool(true) } else { schema };
    match SchemaSource::new(schema) {
        Ok(source) => FormPlan { source: Arc::new(source), root: SubSchema::root() },
        Err(reason) => FormPlan {
            source: Arc::new(SchemaSource::empty()),
            root: SubSchema { is_root: true, ..SubSchema::raw(reason) },
        },
    }
}

impl FormPlan {
    /// The field of the arguments as a whole.
    #[must_use]
    pub fn root(&self) -> Arc<FormField> {
        self.open(&self.root)
    }

    /// The field of a schema that stands in another field: of a member, a slot, the rest of an array. Nothing is picked in
    /// its unions, and no value is there.
    #[must_use]
    pub fn open(&self, sub: &SubSchema) -> Arc<FormField> {
        let mut planner = FieldPlanner::new(self.source.clone());
        grow(&mut planner, sub, &[], &Json::Null, Picking::Types).field
    }

    /// The keys of the arguments, if they are planned.
    #[must_use]
    pub fn group(&self) -> Option<FieldGroup> {
        match &self.root().widget {
            Widget::Group(group) => Some(group.clone()),
            Widget::Text(_)
            | Widget::Number { .. }
            | Widget::Boolean
            | Widget::Choice(_)
            | Widget::Fixed(_)
            | Widget::List(_)
            | Widget::Unpicked
            | Widget::Raw(_)
            | Widget::Never => None,
        }
    }

    /// Why the arguments are JSON as text, if they are.
    #[must_use]
    pub fn raw_reason(&self) -> Option<RawReason> {
        match &self.root().widget {
            Widget::Raw(reason) => Some(reason.clone()),
            Widget::Text(_)
            | Widget::Number { .. }
            | Widget::Boolean
            | Widget::Choice(_)
            | Widget::Fixed(_)
            | Widget::Group(_)
            | Widget::List(_)
            | Widget::Unpicked
            | Widget::Never => None,
        }
    }
}

#[cfg(test)]
mod tests;
