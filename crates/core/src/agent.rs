//! An agent: a profile that works, and perhaps buys, for its owner.

use serde::{Deserialize, Serialize};

use crate::{AccountId, AgentId, Code, Entity, Refusal, Step, Timestamp};

/// Who can see the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Its owner.
    Private,
    /// Everybody.
    Published,
}

impl Visibility {
    /// The visibility's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Published => "published",
        }
    }
}

/// An agent's profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its id.
    pub agent_id: AgentId,
    /// Its owner.
    pub account_id: AccountId,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it is good at.
    pub skills: Vec<String>,
    /// Whether the service runs it.
    pub hosted: bool,
    /// Who can see it.
    pub visibility: Visibility,
    /// Whether its owner holds it back from new work.
    pub paused: bool,
    /// Where its own A2A card is, if it has one.
    pub card_source_url: Option<String>,
    /// The address that its USDC earnings go to: a wallet linked by its owner.
    pub payout_wallet: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was retired.
    pub retired_at: Option<Timestamp>,
    /// How many times it was changed.
    pub revision: i64,
}

/// A change of the profile: what is `None` stays.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    /// A new name.
    pub name: Option<String>,
    /// A new description.
    pub description: Option<String>,
    /// New skills, instead of the old ones.
    pub skills: Option<Vec<String>>,
    /// A new place of the card, or none.
    pub card_source_url: Option<Option<String>>,
}

impl Entity for Agent {
    type Id = AgentId;

    fn id(&self) -> AgentId {
        self.agent_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Agent {
    /// Refuses if the agent is retired: nothing moves it then.
    pub fn check_active(&self) -> Result<(), Refusal> {
        if self.retired_at.is_none() {
            return Ok(());
        }
        Err(Refusal::new(Code::Conflict, "The agent is retired.").suggest("Create a new agent."))
    }

    /// Refuses if the agent is not one that the service runs.
    pub fn check_hosted(&self) -> Result<(), Refusal> {
        if self.hosted {
            return Ok(());
        }
        Err(Refusal::new(Code::Conflict, "The agent is not a hosted one.")
            .suggest("Create an agent with `hosted: true`."))
    }

    /// Changes the profile.
    pub fn edit(&self, now: Timestamp, edit: Edit) -> Result<Step<Self>, Refusal> {
        self.step(now, |next| {
            if let Some(name) = edit.name {
                next.name = name;
            }
            if let Some(description) = edit.description {
                next.description = description;
            }
            if let Some(skills) = edit.skills {
                next.skills = skills;
            }
            if let Some(url) = edit.card_source_url {
                next.card_source_url = url;
            }
        })
    }

    /// Shows the profile to everybody, or to its owner alone. A profile that is as asked stays untouched.
    pub fn show(&self, now: Timestamp, to: Visibility) -> Result<Option<Step<Self>>, Refusal> {
        self.check_active()?;
        if self.visibility == to {
            return Ok(None);
        }
        self.step(now, |next| next.visibility = to).map(Some)
    }

    /// Holds the agent back from new work, or lets it go on. An agent that is as asked stays untouched.
    pub fn pause(&self, now: Timestamp, paused: bool) -> Result<Option<Step<Self>>, Refusal> {
        self.check_active()?;
        if self.paused == paused {
            return Ok(None);
        }
        self.step(now, |next| next.paused = paused).map(Some)
    }

    /// Changes where its earnings go. An agent that is paid there already stays untouched.
    pub fn pay_to(
        &self,
        now: Timestamp,
        address: Option<String>,
    ) -> Result<Option<Step<Self>>, Refusal> {
        self.check_active()?;
        if self.payout_wallet == address {
            return Ok(None);
        }
        self.step(now, |next| next.payout_wallet = address).map(Some)
    }

    /// Ends the agent for good. An ended one stays as it is.
    pub fn retire(&self, now: Timestamp) -> Result<Option<Step<Self>>, Refusal> {
        if self.retired_at.is_some() {
            return Ok(None);
        }
        let retired = self.step(now, |next| {
            next.retired_at = Some(now);
            next.visibility = Visibility::Private;
        });
        retired.map(Some)
    }

    fn step(&self, now: Timestamp, change: impl FnOnce(&mut Self)) -> Result<Step<Self>, Refusal> {
        self.check_active()?;
        let mut next = self.clone();
        change(&mut next);
        next.updated_at = now;
        Ok(Step::to(self, next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn agent() -> Agent {
        Agent {
            agent_id: AgentId::new(NOW, 0, 1),
            account_id: AccountId::new(NOW, 0, 1),
            name: "Ada".into(),
            description: String::new(),
            skills: Vec::new(),
            hosted: false,
            visibility: Visibility::Private,
            paused: false,
            card_source_url: None,
            payout_wallet: None,
            created_at: NOW,
            updated_at: NOW,
            retired_at: None,
            revision: 3,
        }
    }

    #[test]
    fn what_is_as_asked_stays_untouched() {
        assert!(agent().show(NOW, Visibility::Private).unwrap().is_none());
        assert!(agent().pause(NOW, false).unwrap().is_none());
        assert!(agent().pay_to(NOW, None).unwrap().is_none());
        let paused = agent().pause(NOW, true).unwrap().unwrap();
        assert_eq!((paused.from(), paused.next().revision, paused.next().paused), (3, 4, true));
    }

    #[test]
    fn a_retired_agent_moves_no_more() {
        let mut published = agent();
        published.visibility = Visibility::Published;
        let retired = published.retire(NOW).unwrap().unwrap().into_next();
        assert_eq!(retired.visibility, Visibility::Private);
        assert!(retired.retire(NOW).unwrap().is_none());
        assert_eq!(retired.edit(NOW, Edit::default()).unwrap_err().code, Code::Conflict);
        assert_eq!(retired.pause(NOW, true).unwrap_err().code, Code::Conflict);
        assert_eq!(retired.pay_to(NOW, None).unwrap_err().code, Code::Conflict);
        assert_eq!(retired.show(NOW, Visibility::Published).unwrap_err().code, Code::Conflict);
    }
}
