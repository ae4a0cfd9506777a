//! Whole turns, with fakes of everything around them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures::channel::mpsc::unbounded;
use futures::executor::block_on;
use serde_json::{Value, json};
use sidecar_llm::Endpoint;
use sidecar_protocol::page::{FailureCode, InteractionKind, InteractionPhase};
use sidecar_protocol::policy::Decision;
use sidecar_protocol::policy::Policy;
use sidecar_protocol::settings::{Language, Limits, Mode, Price};
use sidecar_protocol::thread::{
    Activity, AnswerState, Cost, Item, ItemKind, Omission, Repair, Stuck, ToolFailure, ToolState,
};
use sidecar_protocol::{DocumentId, ErrorClass, ModelError};
use sidecar_webmcp::Offer;

use super::*;
use crate::call::{CallStage, Interaction, UserDecision};
use crate::log::{PageRef, Suspect};
use crate::testing::{
    Does, MemoryDisk, Page, SCHEMA, ScriptedReply, ScriptedService, VirtualClock, connection, keys, rules,
};
use crate::threads::view;
use crate::turn::resume::{self, after_death};

mod approvals;
mod compaction;
mod deaths;
mod disk;
mod failures;
mod guard;
mod limits;
mod mistakes;
mod names;
mod new_pages;
mod patterns;
mod prompted;
mod questions;
mod record;
mod repeats;
mod settled;
mod stops;
mod streams;
mod turns;
mod versions;
mod waits;
mod world;

use self::waits::page_says;
use self::world::{TurnWorld, busy, data, ok};
