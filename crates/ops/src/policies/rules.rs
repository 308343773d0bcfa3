//! The rules of a policy as they are sent, new or changed.

use std::borrow::Cow;

use guildhall_core::money::{Credits, Micros};
use guildhall_core::policy::{DEFAULT_DELEGATION_DEPTH, Operation as Spending, Rules};
use guildhall_core::text::{Few, Line};
use guildhall_core::{AgentId, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use crate::error::{Error, Result};

/// A cap: an amount above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cap(pub(super) Credits);

impl<'de> Deserialize<'de> for Cap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Micros(amount) = Micros::deserialize(deserializer)?;
        if amount > Credits::ZERO {
            return Ok(Self(amount));
        }
        Err(de::Error::custom("must be above zero: pause the policy to stop all spending"))
    }
}

impl JsonSchema for Cap {
    fn schema_name() -> Cow<'static, str> {
        "Cap".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[1-9][0-9]{0,15}$", "examples": ["2500000"] })
    }
}

/// How many tasks may be open at once: 1 to 10,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenTasks(pub(super) u32);

/// How deep hires of hires may go: 0 to 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Depth(pub(super) u32);

macro_rules! bounded {
    ($type:ident $min:literal $max:literal) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = u32::deserialize(deserializer)?;
                if ($min..=$max).contains(&number) {
                    return Ok(Self(number));
                }
                Err(de::Error::custom(concat!("must be an integer from ", $min, " to ", $max)))
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "integer", "minimum": $min, "maximum": $max })
            }
        }
    };
}

bounded!(OpenTasks 1 10_000);
bounded!(Depth 0 16);

/// The operations an agent may spend on, each once.
pub(crate) type Operations = Few<Spending, 3>;
/// Models by their ids.
pub(crate) type Models = Few<Line<1, 128>, 100>;
/// Workers by their ids.
pub(crate) type Workers = Few<AgentId, 1_000>;

/// A change of the rules: what is left out stays, what is null is cleared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub(super) max_per_command: Option<Cap>,
    pub(super) max_per_day: Option<Cap>,
    pub(super) max_per_month: Option<Option<Cap>>,
    pub(super) max_total: Option<Option<Cap>>,
    pub(super) max_open_tasks: Option<Option<OpenTasks>>,
    pub(super) max_per_worker_day: Option<Option<Cap>>,
    pub(super) allowed_operations: Option<Option<Operations>>,
    pub(super) allowed_models: Option<Option<Models>>,
    pub(super) worker_allowlist: Option<Option<Workers>>,
    pub(super) worker_blocklist: Option<Option<Workers>>,
    pub(super) approval_above: Option<Option<Micros>>,
    pub(super) max_delegation_depth: Option<Option<Depth>>,
    pub(super) paused: Option<bool>,
    pub(super) expires_at: Option<Option<Timestamp>>,
}

/// Rules that have only what every policy must have.
pub(super) fn bare(max_per_command: Cap, max_per_day: Cap) -> Rules {
    Rules {
        max_per_command: max_per_command.0,
        max_per_day: max_per_day.0,
        max_per_month: None,
        max_total: None,
        max_open_tasks: None,
        max_per_worker_day: None,
        allowed_operations: None,
        allowed_models: None,
        worker_allowlist: None,
        worker_blocklist: None,
        approval_above: None,
        max_delegation_depth: DEFAULT_DELEGATION_DEPTH,
        paused: false,
        expires_at: None,
    }
}

impl Change {
    /// The rules after the change.
    pub(super) fn applied_to(self, old: &Rules, now: Timestamp) -> Result<Rules> {
        let cap = |new: Option<Option<Cap>>, old| new.map_or(old, |cap| cap.map(|cap| cap.0));
        let depth =
            self.max_delegation_depth.map(|depth| depth.map_or(DEFAULT_DELEGATION_DEPTH, |d| d.0));
        // An end that was not sent is not the sender's mistake: a policy whose date has passed is refused for that.
        if self.expires_at.flatten().is_some_and(|end| end <= now) {
            return Err(Error::invalid("expires_at: must be in the future.")
                .suggest("Give a later instant, or null for none."));
        }
        Ok(Rules {
            max_per_command: self.max_per_command.map_or(old.max_per_command, |cap| cap.0),
            max_per_day: self.max_per_day.map_or(old.max_per_day, |cap| cap.0),
            max_per_month: cap(self.max_per_month, old.max_per_month),
            max_total: cap(self.max_total, old.max_total),
            max_open_tasks: self
                .max_open_tasks
                .map_or(old.max_open_tasks, |max| max.map(|max| max.0)),
            max_per_worker_day: cap(self.max_per_worker_day, old.max_per_worker_day),
            allowed_operations: list(
                self.allowed_operations,
                old.allowed_operations.as_ref(),
                |op| op,
            ),
            allowed_models: list(
                self.allowed_models,
                old.allowed_models.as_ref(),
                Line::into_string,
            ),
            worker_allowlist: list(self.worker_allowlist, old.worker_allowlist.as_ref(), |id| id),
            worker_blocklist: list(self.worker_blocklist, old.worker_blocklist.as_ref(), |id| id),
            approval_above: self
                .approval_above
                .map_or(old.approval_above, |above| above.map(|a| a.0)),
            max_delegation_depth: depth.unwrap_or(old.max_delegation_depth),
            paused: self.paused.unwrap_or(old.paused),
            expires_at: self.expires_at.unwrap_or(old.expires_at),
        })
    }
}

fn list<S, T: Clone, const MAX: usize>(
    new: Option<Option<Few<S, MAX>>>,
    old: Option<&Vec<T>>,
    convert: impl Fn(S) -> T,
) -> Option<Vec<T>> {
    match new {
        None => old.cloned(),
        Some(list) => list.map(|list| list.into_vec().into_iter().map(convert).collect()),
    }
}
