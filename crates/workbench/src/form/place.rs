//! Where a field is in a form.

use leptos::prelude::*;
use sidecar_form::FieldId;

use crate::form::store::{FieldCell, FormStore};

/// A part of what a field is, for a view that follows it.
pub type FollowedPart<T> = Box<dyn Fn() -> T + Send>;

/// Where a field is, and how to follow it.
#[derive(Clone, Copy)]
pub struct FieldPlace {
    /// The form.
    pub store: FormStore,
    /// The field.
    pub id: FieldId,
    /// How deep it lies; 0 for the arguments as a whole.
    pub level: usize,
    /// Makes the view of a field that lies in this one, at a level.
    pub part_view: fn(FormStore, FieldId, usize) -> AnyView,
    /// What is shown of it.
    pub cell: StoredValue<ArcRwSignal<FieldCell>>,
}

impl FieldPlace {
    /// A part of what the field is.
    pub fn memo<T: PartialEq + Send + Sync + 'static>(
        self,
        part: impl Fn(&FieldCell) -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        let cell = self.cell.get_value();
        Memo::new(move |_| cell.with(&part))
    }

    /// A part of what the field is, read with each change of the field. For what is cheap to show again: a form has hundreds
    /// of fields, and each memo and each effect takes time when they are made.
    pub fn follow<T: 'static>(self, part: impl Fn(&FieldCell) -> T + Send + 'static) -> FollowedPart<T> {
        let cell = self.cell.get_value();
        Box::new(move || cell.with(&part))
    }

    /// The view of a field that lies in this one.
    pub fn part(self, id: FieldId) -> AnyView {
        (self.part_view)(self.store, id, self.level + 1)
    }

    /// Whether it is the arguments as a whole.
    pub fn is_whole(self) -> bool {
        self.level == 0
    }
}

/// The id of a field's name, where that is no label.
pub fn label_id(id: FieldId) -> String {
    format!("field-{}-name", id.number())
}
