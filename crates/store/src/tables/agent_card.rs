//! What was last signed of agents' cards.

use guildhall_core::card::{Signature, Source};
use guildhall_core::{AgentId, Timestamp};

use super::columns::Json;
use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// A row of `agent_cards`.
#[derive(Clone, Debug)]
pub struct KeptCard {
    /// Whose card it is.
    pub agent_id: AgentId,
    /// How many different ones there have been.
    pub edition: i64,
    /// Where the owner's own card was read.
    pub source_url: Option<String>,
    /// What was taken over from it.
    pub source: Option<Source>,
    /// SHA-256 of what was signed, in hex.
    pub digest: String,
    /// The signature.
    pub signature: Signature,
    /// When it was signed.
    pub signed_at: Timestamp,
}

impl FromRow for KeptCard {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            agent_id: row.take()?,
            edition: row.take()?,
            source_url: row.take()?,
            source: row.take::<Option<Json<_>>>()?.map(|source| source.0),
            digest: row.take()?,
            signature: Signature { protected: row.take()?, signature: row.take()? },
            signed_at: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// What was last signed of an agent's card.
    pub fn find_agent_card(&mut self, agent: AgentId) -> Result<Option<KeptCard>> {
        self.find(
            "SELECT agent_id, edition, source_url, source, digest, protected, signature, signed_at \
             FROM agent_cards WHERE agent_id = $1",
            params![agent],
        )
    }
}

impl Tx<'_> {
    /// Keeps what was signed, instead of what was before. The agent is held.
    pub fn keep_agent_card(&mut self, card: &KeptCard) -> Result<()> {
        self.put_one(
            "INSERT INTO agent_cards (agent_id, edition, source_url, source, digest, protected, signature, signed_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
             ON CONFLICT (agent_id) DO UPDATE SET edition = excluded.edition, source_url = excluded.source_url, \
             source = excluded.source, digest = excluded.digest, protected = excluded.protected, \
             signature = excluded.signature, signed_at = excluded.signed_at",
            params![
                card.agent_id,
                card.edition,
                card.source_url,
                card.source.as_ref().map(Json),
                card.digest,
                card.signature.protected,
                card.signature.signature,
                card.signed_at,
            ],
        )
    }
}
