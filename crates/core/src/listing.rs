//! A listing: work for sale at a fixed price.

mod hire;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::{Agent, Visibility};
use crate::lifecycle::lifecycle;
use crate::money::Credits;
use crate::task::DeliveryWindow;
use crate::text::{Few, Line, Prose};
use crate::{AccountId, AgentId, Code, Entity, ListingId, Refusal, Step, Timestamp};

/// How many published listings an agent may have.
pub const MAX_PUBLISHED: i64 = 50;
/// How many things a buyer may be asked.
pub const MAX_REQUIREMENTS: usize = 32;

lifecycle! {
    "Listing"
    /// Where a listing stands.
    pub enum State {
        /// Being written.
        Draft "draft",
        /// For sale.
        Published "published",
        /// Not for sale at the moment.
        Paused "paused",
        /// Gone for good.
        Retired "retired",
    }
    /// What can happen to a listing.
    pub enum Event {
        /// The owner puts it up for sale.
        Published "owner publishes",
        /// The owner, or its agent's pause, takes it off.
        Paused "owner pauses, or its agent is paused or unpublished",
        /// The owner, or its agent's end, removes it.
        Retired "owner retires, or its agent is retired",
        /// The owner changes it.
        Edited "owner edits",
    }
    moves {
        Draft | Paused, Published => Published;
        Published, Paused => Paused;
        Draft | Published | Paused, Retired => Retired;
        Draft, Edited => Draft;
        Published, Edited => Published;
        Paused, Edited => Paused;
    }
}

/// What kind of answer a requirement takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RequirementType")]
pub enum AnswerType {
    /// A text.
    Text,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// One of the choices.
    Choice,
    /// The id of an uploaded file.
    File,
}

/// Something the buyer has to say before the work can begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Requirement")]
pub struct Requirement {
    /// The answer's name.
    pub key: Line<1, 64>,
    /// The question.
    pub label: Line<1, 200>,
    /// What kind of answer.
    #[serde(rename = "type")]
    pub answer: AnswerType,
    /// Whether it must be answered.
    #[serde(default)]
    pub required: bool,
    /// What can be chosen.
    #[serde(default, skip_serializing_if = "no_choices")]
    pub choices: Few<Line<1, 200>, 50>,
}

fn no_choices(choices: &[Line<1, 200>]) -> bool {
    choices.is_empty()
}

/// What a listing says; each change of it is a new version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pitch {
    /// One line about it.
    pub title: Line<1, 200>,
    /// All about it.
    pub description: Prose<1, 32_768>,
    /// What it costs.
    pub price: Credits,
    /// What the buyer is asked.
    pub requirements: Vec<Requirement>,
    /// How long the work may take.
    pub delivery_window: DeliveryWindow,
    /// How many hires may be open at once.
    pub max_open_hires: Option<u32>,
    /// What it is good for.
    pub skills: Vec<String>,
}

/// A listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Its id.
    pub listing_id: ListingId,
    /// Its owner.
    pub account_id: AccountId,
    /// The agent that does the work.
    pub agent_id: AgentId,
    /// What it says.
    pub pitch: Pitch,
    /// Grows with every change.
    pub version: u32,
    /// Where it stands.
    pub state: State,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Listing {
    type Id = ListingId;

    fn id(&self) -> ListingId {
        self.listing_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

/// A buyer's answers, by the requirement's key.
pub type Answers = BTreeMap<String, serde_json::Value>;

impl Listing {
    /// Moves the listing on.
    pub fn step(&self, now: Timestamp, event: Event) -> Result<Step<Self>, Refusal> {
        let state = self.after(event)?;
        Ok(Step::to(self, Self { state, updated_at: now, ..self.clone() }))
    }

    /// Changes what it says.
    pub fn edit(&self, now: Timestamp, pitch: Pitch) -> Result<Step<Self>, Refusal> {
        pitch.check()?;
        let state = self.after(Event::Edited)?;
        let version = self.version + 1;
        Ok(Step::to(self, Self { state, pitch, version, updated_at: now, ..self.clone() }))
    }

    /// Refuses to show to everybody what they could not hire: an agent that is hidden, held back or gone.
    pub fn check_publishable(&self, agent: &Agent, published: i64) -> Result<(), Refusal> {
        let blocked = |reason: String, suggestion: &'static str| {
            Err(Refusal::new(Code::ListingPublishBlocked, reason).suggest(suggestion))
        };
        if agent.retired_at.is_some() {
            return blocked("The agent is retired.".into(), "Make a listing of another agent.");
        }
        if agent.visibility == Visibility::Private {
            return blocked("The agent is private.".into(), "Publish it with publishAgent first.");
        }
        if agent.paused {
            return blocked("The agent is paused.".into(), "Let it go on with resumeAgent first.");
        }
        if published >= MAX_PUBLISHED {
            return blocked(
                format!("The agent has {published} published listings."),
                "Pause or retire one of them first.",
            );
        }
        Ok(())
    }

    fn after(&self, event: Event) -> Result<State, Refusal> {
        self.state.after(event).ok_or_else(|| {
            let what = match event {
                Event::Published => "published",
                Event::Paused => "paused",
                Event::Retired => "retired",
                Event::Edited => "edited",
            };
            Refusal::new(
                Code::ListingStateInvalid,
                format!("The listing is {} and cannot be {what}.", self.state.name()),
            )
        })
    }
}

impl AnswerType {
    /// The type's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Choice => "choice",
            Self::File => "file",
        }
    }
}

impl Pitch {
    /// Refuses what contradicts itself: two questions of one name, a choice of nothing, choices where there are none.
    pub fn check(&self) -> Result<(), Refusal> {
        let wrong = |reason: String| Err(Refusal::new(Code::InvalidRequest, reason));
        let mut keys = BTreeSet::new();
        for (index, requirement) in self.requirements.iter().enumerate() {
            if !keys.insert(&*requirement.key) {
                return wrong(format!("requirements[{index}].key: is there twice."));
            }
            let chooses = requirement.answer == AnswerType::Choice;
            if chooses && requirement.choices.is_empty() {
                return wrong(format!("requirements[{index}].choices: must name what to choose."));
            }
            if !chooses && !requirement.choices.is_empty() {
                return wrong(format!(
                    "requirements[{index}].choices: are for the type choice alone."
                ));
            }
        }
        Ok(())
    }
}
