//! The operator's switches.

use guildhall_core::Timestamp;

use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// A switch that is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Why.
    pub reason: String,
    /// Since when.
    pub since: Timestamp,
}

impl FromRow for Switch {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { reason: row.take()?, since: row.take()? })
    }
}

impl ReadTx<'_> {
    /// Why a switch is on, if it is.
    pub fn find_switch(&mut self, name: &str) -> Result<Option<String>> {
        let row: Option<(String,)> =
            self.find("SELECT reason FROM switches WHERE name = $1", params![name.to_owned()])?;
        Ok(row.map(|(reason,)| reason))
    }

    /// A switch as the operator sees it, if it is on.
    pub fn show_switch(&mut self, name: &str) -> Result<Option<Switch>> {
        self.find("SELECT reason, since FROM switches WHERE name = $1", params![name.to_owned()])
    }
}

impl Tx<'_> {
    /// Turns a switch on, with a reason. One that is on gets the new reason and stays on since when it was.
    pub fn switch_on(&mut self, name: &str, reason: &str, now: Timestamp) -> Result<()> {
        self.put(
            "INSERT INTO switches (name, reason, since) VALUES ($1, $2, $3) \
             ON CONFLICT (name) DO UPDATE SET reason = excluded.reason",
            params![name.to_owned(), reason.to_owned(), now],
        )
    }

    /// Turns a switch off.
    pub fn switch_off(&mut self, name: &str) -> Result<()> {
        self.put("DELETE FROM switches WHERE name = $1", params![name.to_owned()])
    }
}
