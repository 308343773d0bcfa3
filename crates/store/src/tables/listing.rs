//! Listings.

use guildhall_core::listing::{Listing, Pitch};
use guildhall_core::money::Credits;
use guildhall_core::text::{Line, Prose};
use guildhall_core::{AccountId, AgentId, ListingId};

use super::columns::{Json, Seconds, Word, below};
use super::save::Saved;
use super::skill::folded;
use crate::error::{Error, Result};
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};
use crate::words;

macro_rules! select {
    ($rest:literal) => {
        select!("listings t", $rest)
    };
    ($from:literal, $rest:literal) => {
        concat!(
            "SELECT t.listing_id, t.account_id, t.agent_id, t.title, t.description, t.price, t.requirements, \
             t.delivery_window, t.max_open_hires, t.skills, t.version, t.state, t.created_at, t.updated_at, t.revision \
             FROM ",
            $from,
            " WHERE ",
            $rest
        )
    };
}

impl FromRow for Listing {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            listing_id: row.take()?,
            account_id: row.take()?,
            agent_id: row.take()?,
            pitch: Pitch::from_row(row)?,
            version: row.take()?,
            state: row.take::<Word<_>>()?.0,
            created_at: row.take()?,
            updated_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for Pitch {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            title: Line::new(row.take::<String>()?).map_err(Error::Corrupt)?,
            description: Prose::new(row.take::<String>()?).map_err(Error::Corrupt)?,
            price: row.take()?,
            requirements: row.take::<Json<_>>()?.0,
            delivery_window: row.take::<Seconds<_>>()?.0,
            max_open_hires: row.take()?,
            skills: row.take::<Json<_>>()?.0,
        })
    }
}

impl Saved for Listing {
    const UPDATE: &'static str = "UPDATE listings SET title = $1, description = $2, price = $3, requirements = $4, \
        delivery_window = $5, max_open_hires = $6, skills = $7, version = $8, state = $9, updated_at = $10, \
        revision = $11 WHERE listing_id = $12 AND revision = $13";

    fn columns(&self) -> Vec<Value> {
        let pitch = &self.pitch;
        params![
            pitch.title.to_string(),
            pitch.description.to_string(),
            pitch.price,
            Json(&pitch.requirements),
            pitch.delivery_window.seconds(),
            pitch.max_open_hires,
            Json(&pitch.skills),
            self.version,
            Word(self.state),
            self.updated_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.listing_id.to_value()
    }
}

impl ReadTx<'_> {
    /// A listing.
    pub fn find_listing(&mut self, listing: ListingId) -> Result<Option<Listing>> {
        self.find(select!("t.listing_id = $1"), params![listing])
    }

    /// The account's listings, newest first.
    pub fn list_listings(
        &mut self,
        owner: AccountId,
        before: Option<ListingId>,
        limit: i64,
    ) -> Result<Vec<Listing>> {
        self.rows(
            select!("t.account_id = $1 AND t.listing_id < $2 ORDER BY t.listing_id DESC LIMIT $3"),
            params![owner, below(before), limit],
        )
    }

    /// What is for sale up to a price, newest first; with every word of a text and with a skill, or all.
    pub fn list_published_listings(
        &mut self,
        text: Option<&str>,
        skill: Option<&str>,
        max_price: Option<Credits>,
        before: Option<ListingId>,
        limit: i64,
    ) -> Result<Vec<Listing>> {
        let max_price = max_price.unwrap_or(Credits::MAX);
        if let Some(text) = text {
            let Some(query) = words::query(text) else { return Ok(Vec::new()) };
            return self.search_listings(&query, skill, max_price, before, limit);
        }
        match skill {
            None => self.rows(
                select!(
                    "t.state = 'published' AND t.listing_id < $1 AND t.price <= $2 \
                     ORDER BY t.listing_id DESC LIMIT $3"
                ),
                params![below(before), max_price, limit],
            ),
            Some(skill) => self.rows(
                select!(
                    "skills s JOIN listings t ON t.listing_id = s.subject_id",
                    "s.skill = $1 AND s.subject_id > 'lst_' AND s.subject_id < $2 AND t.state = 'published' \
                     AND t.price <= $3 ORDER BY s.subject_id DESC LIMIT $4"
                ),
                params![folded(skill), below(before), max_price, limit],
            ),
        }
    }

    fn search_listings(
        &mut self,
        query: &str,
        skill: Option<&str>,
        max_price: Credits,
        before: Option<ListingId>,
        limit: i64,
    ) -> Result<Vec<Listing>> {
        match skill {
            None => self.rows(
                select!(
                    "search_words($1) q JOIN listings t ON t.listing_id = q.document_id",
                    "q.kind = 'listing' AND q.document_id < $2 AND t.state = 'published' AND t.price <= $3 \
                     ORDER BY q.document_id DESC LIMIT $4"
                ),
                params![query, below(before), max_price, limit],
            ),
            Some(skill) => self.rows(
                select!(
                    "search_words($1) q JOIN listings t ON t.listing_id = q.document_id \
                     JOIN skills s ON s.subject_id = t.listing_id",
                    "q.kind = 'listing' AND s.skill = $2 AND q.document_id < $3 AND t.state = 'published' \
                     AND t.price <= $4 ORDER BY q.document_id DESC LIMIT $5"
                ),
                params![query, folded(skill), below(before), max_price, limit],
            ),
        }
    }

    /// How many listings of an agent are published.
    pub fn count_published_listings(&mut self, agent: AgentId) -> Result<i64> {
        let row: Option<(i64,)> = self.find(
            "SELECT count(*) FROM listings WHERE agent_id = $1 AND state = 'published'",
            params![agent],
        )?;
        Ok(row.map_or(0, |(count,)| count))
    }
}

impl<'c> Tx<'c> {
    /// Holds a listing.
    pub fn lock_listing(&mut self, listing: ListingId) -> Result<Option<Locked<'c, Listing>>> {
        self.lock(select!("t.listing_id = $1"), params![listing])
    }

    /// Holds every listing of an agent that is not retired.
    pub fn lock_listings_of_agent(&mut self, agent: AgentId) -> Result<Vec<Locked<'c, Listing>>> {
        self.lock_all(
            select!("t.agent_id = $1 AND t.state <> 'retired' ORDER BY t.listing_id"),
            params![agent],
        )
    }

    /// Adds a listing.
    pub fn insert_listing(&mut self, listing: &Listing) -> Result<()> {
        self.put(
            "INSERT INTO listings (listing_id, account_id, agent_id, created_at, title, description, price, \
             requirements, delivery_window, max_open_hires, skills, version, state, updated_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
            [
                params![
                    listing.listing_id,
                    listing.account_id,
                    listing.agent_id,
                    listing.created_at,
                ],
                listing.columns(),
            ]
            .concat(),
        )
    }
}
